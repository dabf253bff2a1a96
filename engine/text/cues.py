"""Where a text names a field itself: "Warranty: 2 years", 甲方：…, and how near a field's name stands to a value.

It knows words, not what they mean.
"""

import unicodedata

import regex

LONGEST_VALUE = 60
"""Code points of a value after its name; what is longer is a sentence."""

_NEAR = 24
"""Code points before a value in which its name still speaks for it."""

_SIGN = r"[ \t\u3000]*(?:[:：=＝]|[-–—]{1,2}(?=[ \t]))[ \t\u3000]*"
_BRACKETED = rf"[(（\[【][^()（）\[\]【】\r\n]{{0,{LONGEST_VALUE}}}[)）\]】]"
_VALUE = rf"(?P<value>(?![\s，。；;、|,])(?>{_BRACKETED}|[^\r\n，。；;|]){{1,{LONGEST_VALUE}}}?)"
_STOP = r"(?=[ \t]*(?:[\r\n，。；;|]|,\s|\.(?:\s|$)|[ \t\u3000]{2}|$|[）)】\]]))"
_OPEN = regex.compile(r"[（(【\[《“\"「]")
_CLAUSE = regex.compile(r"[。！？!?；;\r\n]|\.\s")


def named_values(text: str, name: str) -> list[tuple[int, int]]:
    """Places of the values that follow `name` and a colon, or a like sign, up to the clause's end."""
    if not name.strip() or len(name) > LONGEST_VALUE:
        return []
    escaped = regex.escape(name.strip()).replace(r"\ ", r"\s+")
    pattern = rf"(?<![\p{{Latin}}\p{{N}}]){escaped}{_SIGN}{_VALUE}{_STOP}"
    found = []
    for match in regex.finditer(pattern, text, regex.IGNORECASE):
        start, end = match.span("value")
        end = start + len(_balanced(text[start:end]).rstrip())
        if start < end <= start + LONGEST_VALUE:
            found.append((start, end))
    return found


def nearness(text: str, start: int, name: str) -> float:
    """How near before `start` a name stands, in the same clause: 1 just before, 0 not within sight.

    A name that is longer than a value may be is a sentence, and not looked for.
    """
    if not name or len(name) > LONGEST_VALUE:
        return 0.0
    before = text[max(0, start - _NEAR - len(name)) : start]
    borders = [match.end() for match in _CLAUSE.finditer(before)]
    clause = _folded(before[borders[-1] if borders else 0 :])
    at = clause.rfind(_folded(name))
    if at < 0:
        return 0.0
    distance = len(clause) - at - len(name)
    return max(0.0, 1 - max(0, distance) / (_NEAR + 1))


def _balanced(value: str) -> str:
    """Without a bracket or quote at the end that the value does not open itself."""
    while value and unicodedata.category(value[-1]) in ("Pe", "Pf") and not _OPEN.search(value):
        value = value[:-1]
    return value


def _folded(text: str) -> str:
    """One code point for one, so that distances hold."""
    return "".join(lower if len(lower := char.lower()) == 1 else char for char in text)
