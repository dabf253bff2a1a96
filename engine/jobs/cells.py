"""Values of cells: plain JSON types whatever a file holds, and how each reads as text. Nothing is rounded away."""

import base64
import datetime
import json
import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

_HALF = {code: "\ufffd" for code in range(0xD800, 0xE000)}


def plain(value: Any) -> Any:
    """A value as JSON has it: dates as ISO 8601, decimals and what is no finite number as text, lists and dicts deeply.

    bytes: text where they are UTF-8, else Base64.
    """
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else _not_finite(value)
    if isinstance(value, datetime.datetime | datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return duration(value)
    if isinstance(value, Decimal):
        return format(value, "f") if value.is_finite() else _not_finite(value)
    if isinstance(value, bytes | bytearray | memoryview):
        return _bytes_text(bytes(value))
    if isinstance(value, Mapping):
        return {str(plain(name)): plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple | set):
        return [plain(inner) for inner in value]
    if hasattr(value, "item"):  # a number of numpy's own
        return plain(value.item())
    return str(value)


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


def _not_finite(value: float | Decimal) -> str:
    if value != value:  # noqa: PLR0124 - only what is not a number differs from itself
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"


def _bytes_text(value: bytes) -> str:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return base64.b64encode(value).decode("ascii")
