"""What a verbatim value means by its field's type: one file a kind of value.

A value is never dropped and nothing here raises: text that does not fit its type gets a problem instead of a value.
The answer depends on the text and the field alone.
"""

from collections.abc import Callable

from engine.text.values.choices import check_pattern, find_matches, find_options, read_match, read_option
from engine.text.values.contacts import read_email, read_phone, read_url
from engine.text.values.dates import read_date
from engine.text.values.money import read_money
from engine.text.values.number import read_number
from engine.types import FieldSpec, TypedValue, ValueType

__all__ = ["check_pattern", "find_matches", "find_options", "type_value"]

_READERS: dict[ValueType, Callable[[str, FieldSpec], TypedValue | None]] = {
    "text": lambda text, field: None,
    "number": lambda text, field: read_number(text),
    "money": lambda text, field: read_money(text),
    "date": lambda text, field: read_date(text),
    "phone": lambda text, field: read_phone(text),
    "email": lambda text, field: read_email(text),
    "url": lambda text, field: read_url(text),
    "list": lambda text, field: read_option(text, field.options),
    "regex": lambda text, field: read_match(text, field.pattern),
}


def type_value(text: str, field: FieldSpec) -> TypedValue | None:
    """The meaning of a value by the type of its field; None for plain text."""
    return _READERS[field.type](text, field)
