"""Spans as annotation tools and data sets write them, read into one form; `engine.jobs.gold` lists the shapes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from engine.jobs.gold.text import as_value, refuse
from engine.messages import Phrase

_FIELD_KEYS = ("field", "label", "type", "entity", "labels", "entity_type")
_TEXT_KEYS = ("text", "value", "word", "span")
_START_KEYS = ("start", "start_offset")
_END_KEYS = ("end", "end_offset")
_WRAPPERS = {"entities", "spans", "label", "labels", "annotations", "result", "fields"}


@dataclass(frozen=True)
class GoldSpan:
    """A value of a field. start, end: code points of the row's text, both None where they are not known.

    text: '' where only offsets are given and the text is not at hand.
    """

    field: str
    text: str
    start: int | None = None
    end: int | None = None

    def key(self, placed: bool) -> tuple[str, int | str | None, int | None]:
        """What makes two spans the same: the field with its place, or with its text, also where it has no place."""
        return (
            (self.field, self.start, self.end) if placed and self.start is not None else (self.field, self.text, None)
        )


def read_spans(cell: Any, text: str | None) -> tuple[GoldSpan, ...]:
    """The spans of a cell, each once, in its order. text: checks offsets. Raises WorkbenchError `gold_unreadable`."""
    value = as_value(cell) if isinstance(cell, str) else cell
    if not isinstance(value, Mapping | list | tuple):
        raise refuse(Phrase("gold_no_spans"))
    return tuple(dict.fromkeys(_any_shape(value, text)))


def field_spans(name: str, values: Any, text: str | None) -> Iterator[GoldSpan]:
    """The values of one field: a text, an object, or a list of texts, objects and pairs of offsets."""
    if values is None or values == "":
        return
    if isinstance(values, Mapping) and not _is_span(values):
        for value, places in values.items():  # {"value": [[start, end]...]}
            yield from _places(name, str(value), places, text)
    elif isinstance(values, list | tuple):
        for value in values:
            yield from _one(name, value, text)
    else:
        yield from _one(name, values, text)


def _any_shape(value: Mapping[str, Any] | list[Any] | tuple[Any, ...], text: str | None) -> Iterator[GoldSpan]:
    if isinstance(value, Mapping):
        if len(value) == 1:
            ((key, inner),) = value.items()
            if _wraps(key, inner):
                yield from _any_shape(inner, text)
                return
        if _is_span(value) and _field_of(value) is not None:
            value = [value]  # a single span that no list holds
        else:
            for name, values in value.items():
                yield from field_spans(str(name).strip(), values, text)
            return
    for item in value:
        field = _field_of(item)
        if field is None:
            raise refuse(Phrase("gold_span_odd"))
        yield from _one(field, item if isinstance(item, Mapping) else item[:2], text)


def _wraps(key: str, inner: Any) -> bool:
    """Whether a single key only says that spans follow, and is no field's name."""
    if isinstance(inner, Mapping):
        nested = all(isinstance(values, Mapping) for values in inner.values())
        return key == "fields" or (key in _WRAPPERS and nested and not _is_span(inner))
    return key in _WRAPPERS and isinstance(inner, list) and all(_field_of(item) is not None for item in inner)


def _field_of(item: Any) -> str | None:
    """The field that an item names itself: [start, end, "field"] or an object with one of the usual keys."""
    if isinstance(item, list | tuple) and len(item) == 3 and isinstance(item[2], str):
        return item[2].strip() or None
    if isinstance(item, Mapping):
        name = next((item[key] for key in _FIELD_KEYS if key in item), None)
        if isinstance(name, list | tuple) and len(name) == 1:
            name = name[0]
        if isinstance(name, str):
            return name.strip() or None
    return None


def _one(name: str, value: Any, text: str | None) -> Iterator[GoldSpan]:
    if value is None or value == "":
        return
    if isinstance(value, Mapping):
        said = next((value[key] for key in _TEXT_KEYS if value.get(key) is not None), None)
        start = next((value[key] for key in _START_KEYS if key in value), None)
        end = next((value[key] for key in _END_KEYS if key in value), None)
        if said is not None:
            said = _value(said)
        if start is None and end is None:
            if said is None:
                raise refuse(Phrase("gold_span_odd"))
            yield GoldSpan(name, said)
        else:
            yield _placed(name, said, start, end, text)
    elif isinstance(value, list | tuple):
        if len(value) not in (2, 3):
            raise refuse(Phrase("gold_span_odd"))
        yield _placed(name, _value(value[2]) if len(value) == 3 else None, value[0], value[1], text)
    else:
        yield GoldSpan(name, _value(value))


def _value(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise refuse(Phrase("gold_span_odd"))
    return str(value)


def _is_span(value: Mapping[str, Any]) -> bool:
    """Whether an object is one span, rather than values by what they are called: a field may be called "start"."""
    said = next((value[key] for key in _TEXT_KEYS if key in value), None)
    start = next((value[key] for key in _START_KEYS if key in value), None)
    return isinstance(said, str | int | float) or isinstance(start, int | float)


def _places(name: str, said: str, places: Any, text: str | None) -> Iterator[GoldSpan]:
    if not isinstance(places, list | tuple):
        raise refuse(Phrase("gold_span_odd"))
    for place in [places] if _is_pair(places) else places:
        if not isinstance(place, list | tuple) or len(place) != 2:
            raise refuse(Phrase("gold_span_odd"))
        yield _placed(name, said, place[0], place[1], text)


def _placed(name: str, said: str | None, start: Any, end: Any, text: str | None) -> GoldSpan:
    """A span whose offsets fit: inside the text, and the same characters as the value where there is one."""
    first, last = _offset(start), _offset(end)
    if said is None:
        if last <= first or (text is not None and last > len(text)):
            raise refuse(Phrase("gold_offsets_outside", start=first, end=last))
        return GoldSpan(name, "" if text is None else text[first:last], first, last)
    for stop in (last, last + 1):  # else `end` is the span's last place, as some data sets have it
        if stop - first == len(said) > 0 and (text is None or text[first:stop] == said):
            return GoldSpan(name, said, first, stop)
    raise refuse(Phrase("gold_offsets_differ", start=first, end=last))


def _offset(value: Any) -> int:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise refuse(Phrase("gold_span_odd"))
    return value


def _is_pair(value: Any) -> bool:
    return isinstance(value, list | tuple) and len(value) == 2 and all(type(one) in (int, float) for one in value)
