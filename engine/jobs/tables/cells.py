"""Values of cells: plain JSON types whatever a file holds, and how each reads as text. Nothing is rounded away."""

import base64
import datetime
import json
import math
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any

_HALF = dict.fromkeys(range(0xD800, 0xE000), "\ufffd")


def plain(value: Any) -> Any:
    """A value as JSON has it: dates as ISO 8601, decimals and what is no finite number as text, lists and dicts deeply.

    bytes: text where they are UTF-8, else Base64.
    """
    if value is None or isinstance(value, str | bool | int):
        return value
    for kinds, written in _WRITTEN:
        if isinstance(value, kinds):
            return written(value)
    return plain(value.item()) if hasattr(value, "item") else str(value)  # item: of a number of numpy's own


def as_text(value: Any) -> str:
    """How a cell reads: None as nothing, true and false as in JSON, lists and objects as JSON.

    >>> as_text(None), as_text(True), as_text(7), as_text(["a", 1])
    ('', 'true', '7', '["a", 1]')
    """
    if isinstance(value, str):
        return str(value)
    if value is None:
        return ""
    return json.dumps(value, ensure_ascii=False, default=str)


def whole(text: str) -> str:
    """A text that every encoding of Unicode takes: half of a character becomes U+FFFD."""
    return text if text.isascii() else text.translate(_HALF) if _has_half(text) else text


def duration(value: datetime.timedelta) -> str:
    """A duration as ISO 8601 has it.

    >>> duration(datetime.timedelta(days=1, seconds=5400))
    'P1DT5400S'
    """
    sign = "-" if value < datetime.timedelta(0) else ""
    value = abs(value)
    seconds = format(Decimal(value.seconds) + Decimal(value.microseconds) / 1_000_000, "f")
    days = f"{value.days}D" if value.days else ""
    rest = f"T{seconds}S" if not days or seconds != "0" else ""
    return f"{sign}P{days}{rest}"


def _has_half(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


def _float(value: float) -> float | str:
    return value if math.isfinite(value) else _not_finite(value)


def _decimal(value: Decimal) -> str:
    return format(value, "f") if value.is_finite() else _not_finite(value)


def _not_finite(value: float | Decimal) -> str:
    if value != value:  # noqa: PLR0124 - only what is not a number differs from itself
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"


def _bytes_text(value: bytes) -> str:
    try:
        return bytes(value).decode("utf-8")
    except UnicodeDecodeError:
        return base64.b64encode(value).decode("ascii")


def _date(value: datetime.date | datetime.time) -> str:
    return value.isoformat()


def _object(value: Mapping[Any, Any]) -> dict[str, Any]:
    return {str(plain(name)): plain(inner) for name, inner in value.items()}


def _list(value: Iterable[Any]) -> list[Any]:
    return [plain(inner) for inner in value]


_WRITTEN: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    (float, _float),
    (datetime.date | datetime.time, _date),
    (datetime.timedelta, duration),
    (Decimal, _decimal),
    (bytes | bytearray | memoryview, _bytes_text),
    (Mapping, _object),
    (list | tuple | set | frozenset, _list),
)
