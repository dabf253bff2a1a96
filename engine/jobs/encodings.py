"""Tells the encoding of bytes that have no byte order mark.

UTF-8 is checked byte by byte; UTF-16 shows by its zero bytes; of the two-byte encodings of Chinese, GB 18030 is taken
where nearly all characters are common ones. charset-normalizer is asked about the rest.
"""

import codecs

_TEXT = frozenset("\t\n\r\f\x1a")
_COMMON = 0.85
"""Share of characters of two bytes that are common ones in text of an encoding."""


def guess_encoding(sample: bytes, *, whole: bool = True) -> str:
    """The most likely encoding. whole: the sample ends where the file does, not inside of a character."""
    sixteen = _utf_16(sample)
    if sixteen:
        return sixteen
    if _mostly_utf_8(sample, whole=whole):
        return "utf-8"
    for encoding, common in (("cp949", _common_korean), ("gb18030", _common_chinese)):
        if _decodes(sample, encoding) and common(sample):
            return encoding
    return _asked(sample)


def _utf_16(sample: bytes) -> str:
    """Where zero bytes stand at every other place only: UTF-16 of text that has at least line ends or digits."""
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    least = len(sample) // 200  # of Chinese, only line ends and separators have a zero byte
    for encoding, here, there in (("utf-16-le", odd, even), ("utf-16-be", even, odd)):
        if here > max(least, 8 * there, 1) and _clean(sample[: len(sample) // 2 * 2], encoding):
            return encoding
    return ""


def _clean(sample: bytes, encoding: str) -> bool:
    """Whether it decodes to text without control characters."""
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(sample)
    except UnicodeDecodeError:
        return False
    odd = sum(1 for char in text if char < " " and char not in _TEXT)
    return odd * 50 <= len(text)


def _mostly_utf_8(sample: bytes, *, whole: bool) -> bool:
    """UTF-8, perhaps with a few faults: each is outweighed by characters of several bytes that have none."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample, final=whole)
    except UnicodeDecodeError:
        text = sample.decode("utf-8", "surrogateescape")
        faults = sum(1 for char in text if "\udc80" <= char <= "\udcff")
        return sum(1 for char in text if char > "\x7f") - faults > 10 * faults
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


def _common_chinese(sample: bytes) -> bool:
    """Mostly the 3,755 first characters of GB 2312 and its punctuation."""
    pairs = _pairs(sample)
    common = sum(1 for lead, trail in pairs if trail >= 0xA1 and (lead in {0xA1, 0xA3} or 0xB0 <= lead <= 0xD7))
    return bool(pairs) and common >= _COMMON * len(pairs)


def _common_korean(sample: bytes) -> bool:
    """Hangul only, which a Chinese text of that length would not keep to: half of its characters have other leads."""
    pairs = [pair for pair in _pairs(sample) if pair[0] >= 0xB0]
    return len(pairs) >= 16 and all(lead <= 0xC8 and trail >= 0xA1 for lead, trail in pairs)


def _asked(sample: bytes) -> str:
    """What charset-normalizer finds; GB 18030 or Windows' Western European where it finds nothing."""
    from charset_normalizer import from_bytes

    best = from_bytes(sample[: 2**16]).best()
    if best is not None and best.encoding not in {"utf_8", "ascii"}:
        return best.encoding
    return "gb18030" if _decodes(sample, "gb18030") else "cp1252"
