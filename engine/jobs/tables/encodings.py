"""Tells the encoding of bytes that have no byte order mark.

UTF-8 is checked byte by byte; UTF-16 shows by its zero bytes; of the two-byte encodings of East Asia, Chinese and
Korean are known by their most common characters. charset-normalizer is asked about the rest.
"""

import codecs
from itertools import pairwise

_TEXT = frozenset("\t\n\r\f\x1a")
_SEPARATORS = frozenset("\n\r,;|\t")
_OUTWEIGHS = 3
"""Characters of several bytes for each fault, in UTF-8; of other encodings' bytes more than half are faults."""
_COMMON = 0.85
"""Share of characters of two bytes that are common ones in text of an encoding."""
_WESTERN = frozenset("àáâãäåæçèéêëìíîïñòóôõöøùúûüßœÀÁÂÄÅÆÇÈÉÊËÍÎÏÑÓÔÖØÚÜŒ‘’“”–—…€£°§«»¿¡·®©™²½\xa0".encode("cp1252"))
_CANDIDATES = [
    "big5", "shift_jis", "euc_jp", "cp949", "gb18030", "cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255",
    "cp1256", "cp1257", "koi8_r", "tis_620", "mac_roman",
]  # fmt: skip
"""What the rest may be: what files are written in, and not all that has a name."""


def guess_encoding(sample: bytes, *, whole: bool = True) -> str:
    """The most likely encoding. whole: the sample ends where the file does, not inside of a character."""
    is_utf_8 = _mostly_utf_8(sample, whole=whole)
    sixteen = _utf_16(sample, 0.2 if is_utf_8 else 0.0)
    if sixteen or is_utf_8:
        return sixteen or "utf-8"
    pairs = _pairs(sample)
    for encoding, common in (("cp949", _common_korean), ("gb18030", _common_chinese)):
        if common(pairs) and _decodes(sample, encoding):
            return encoding
    return "cp1252" if _western(sample) else _asked(sample)


def _utf_16(sample: bytes, least: float) -> str:
    """Where zero bytes stand at every other place only: UTF-16 of text that has at least line ends or digits.

    least: share of the bytes that are zero. In UTF-8 a few may stand anywhere.
    """
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    for encoding, here, there in (("utf-16-le", odd, even), ("utf-16-be", even, odd)):
        if here > max(least * len(sample), 8 * there) and _clean(sample[: len(sample) // 2 * 2], encoding):
            return encoding
    return ""


def _clean(sample: bytes, encoding: str) -> bool:
    """Whether it decodes to text with line ends or separators and without control characters."""
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(sample)
    except UnicodeDecodeError:
        return False
    odd = sum(1 for char in text if char < " " and char not in _TEXT)
    return odd * 50 <= len(text) and not _SEPARATORS.isdisjoint(text)


def _mostly_utf_8(sample: bytes, *, whole: bool) -> bool:
    """UTF-8, perhaps with a few faults: each is outweighed by characters of several bytes that have none."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample, final=whole)
    except UnicodeDecodeError:
        text = sample.decode("utf-8", "surrogateescape")
        faults = sum(1 for char in text if "\udc80" <= char <= "\udcff")
        return sum(1 for char in text if char > "\x7f") - faults > _OUTWEIGHS * faults
    return True


def _decodes(sample: bytes, encoding: str) -> bool:
    """Whether nearly all of it decodes."""
    faults = codecs.getincrementaldecoder(encoding)("replace").decode(sample).count("\ufffd")
    return faults * 200 <= len(sample)


def _pairs(sample: bytes) -> list[tuple[int, int]]:
    """The characters of two bytes, as most encodings of East Asia write them."""
    found = []
    place, end = 0, len(sample) - 1
    while place < end:
        if sample[place] < 0x80:
            place += 1
        else:
            found.append((sample[place], sample[place + 1]))
            place += 2
    return found


def _common_chinese(pairs: list[tuple[int, int]]) -> bool:
    """Mostly the 3,755 first characters of GB 2312 and its punctuation."""
    common = sum(1 for lead, trail in pairs if trail >= 0xA1 and (lead in {0xA1, 0xA3} or 0xB0 <= lead <= 0xD7))
    return bool(pairs) and common >= _COMMON * len(pairs)


def _common_korean(pairs: list[tuple[int, int]]) -> bool:
    """Hangul only, which a Chinese text of that length would not keep to: many of its characters have other leads."""
    letters = [pair for pair in pairs if pair[0] >= 0xB0]
    return len(letters) >= 16 and all(lead <= 0xC8 and trail >= 0xA1 for lead, trail in letters)


def _western(sample: bytes) -> bool:
    """Letters with marks and typographic signs of Western Europe, standing alone between letters without."""
    high = [place for place, byte in enumerate(sample) if byte >= 0x80]
    beside = sum(1 for place, after in pairwise(high) if after == place + 1)
    common = sum(1 for place in high if sample[place] in _WESTERN)
    return beside * 10 <= len(high) and common >= 0.98 * len(high)


def _asked(sample: bytes) -> str:
    """What charset-normalizer finds; GB 18030 or Windows' Western European where it finds nothing."""
    from charset_normalizer import from_bytes

    best = from_bytes(sample[: 2**16], cp_isolation=_CANDIDATES).best()
    if best is not None:
        return best.encoding
    return "gb18030" if _decodes(sample, "gb18030") else "cp1252"
