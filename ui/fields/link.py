"""A field set as one value of a link: plain names where that is all there is, else packed JSON.

A link comes from anywhere: what cannot be read, or would unpack to more than a field set takes, is None.
"""

import base64
import binascii
import json
import zlib
from collections.abc import Sequence

from engine.errors import WorkbenchError
from engine.text.fields import field_set_json, parse_fields, read_field_set
from engine.text.labels import format_labels, parse_labels
from engine.types import FieldSpec

LINK_LIMIT = 6000
"""Characters of a link's value: longer ones are cut by mail programs and chats."""
_PACKED = "~"
_UNPACKED_LIMIT = 200_000
"""Bytes of JSON that a link may unpack to."""


def pack(field_set: Sequence[FieldSpec]) -> str | None:
    """The link's value; None where it would be too long to share. No fields: an empty value."""
    names = [one.name for one in field_set]
    plain = format_labels(names)
    if tuple(map(FieldSpec, names)) == tuple(field_set) and parse_labels(plain) == names and not _looks_packed(plain):
        packed = plain
    else:
        body = json.dumps(field_set_json(field_set), ensure_ascii=False, separators=(",", ":"))
        squeezed = zlib.compress(body.encode("utf-8", "backslashreplace"), 9)
        packed = _PACKED + base64.urlsafe_b64encode(squeezed).decode().rstrip("=")
    return packed if len(packed) <= LINK_LIMIT else None


def unpack(raw: str) -> tuple[FieldSpec, ...] | None:
    """The fields of a link's value; None where it holds none that can be read."""
    if not raw or len(raw) > LINK_LIMIT:
        return None
    try:
        if not raw.startswith(_PACKED):
            return parse_fields(raw) or None
        squeezed = base64.b64decode(raw[1:] + "=" * (-len(raw[1:]) % 4), altchars=b"-_", validate=True)
        unpacking = zlib.decompressobj()
        body = unpacking.decompress(squeezed, _UNPACKED_LIMIT)
        if not unpacking.eof:  # cut off, or more than a field set takes
            return None
        return read_field_set(body.decode()) or None
    except (ValueError, binascii.Error, zlib.error, WorkbenchError):
        return None


def _looks_packed(plain: str) -> bool:
    """Names that would be read as something else: JSON, or a packed set."""
    return plain.startswith((_PACKED, "[", "{"))
