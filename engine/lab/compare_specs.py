"""In what two jobs' specs differ: what a change of their answers may come from."""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.jobs.types import Job
from engine.messages import Phrase
from engine.text.labels import format_labels
from engine.types import FieldSpec


@dataclass(frozen=True)
class SpecDifference:
    """One difference. part: what differs. a, b: how each job has it, of lists what it alone has; '' for nothing."""

    part: Phrase
    a: Phrase | str
    b: Phrase | str


def spec_differences(a: Job, b: Job) -> tuple[SpecDifference, ...]:
    """Every difference that may change answers, the important ones first."""
    one, other = a.spec, b.spec
    found = [
        *_names(Phrase("spec_labels"), one.labels, other.labels),
        *_names(Phrase("spec_fields"), [x.name for x in one.fields], [x.name for x in other.fields]),
        *_wordings(one.fields, other.fields),
        _plain(Phrase("spec_threshold"), _threshold(one.threshold), _threshold(other.threshold)),
        _plain(Phrase("spec_several"), _switch(one.multi), _switch(other.multi)),
        _plain(Phrase("spec_columns"), ", ".join(one.columns), ", ".join(other.columns)),
        _plain(Phrase("spec_gold"), one.gold, other.gold),
        _plain(Phrase("spec_mentions"), one.mentions, other.mentions),
        _plain(Phrase("spec_nested"), _switch(one.nested), _switch(other.nested)),
        _plain(Phrase("spec_per_prompt"), str(one.per_prompt), str(other.per_prompt)),
    ]
    for part, key in (
        (Phrase("spec_model"), "name"),
        (Phrase("spec_revision"), "revision"),
        (Phrase("spec_precision"), "precision"),
        (Phrase("spec_device"), "device"),
    ):
        found.append(_plain(part, str(a.model.get(key, "")), str(b.model.get(key, ""))))
    return tuple(one for one in found if one is not None)


def _plain(part: Phrase, a: Phrase | str, b: Phrase | str) -> SpecDifference | None:
    return SpecDifference(part, a, b) if a != b else None


def _names(part: Phrase, a: Sequence[str], b: Sequence[str]) -> list[SpecDifference | None]:
    if set(a) == set(b):
        return [_plain(Phrase("spec_order"), format_labels(a), format_labels(b))]
    removed, added = (tuple(name for name in x if name not in y) for x, y in ((a, b), (b, a)))
    return [SpecDifference(part, format_labels(removed), format_labels(added))]


def _wordings(a: Sequence[FieldSpec], b: Sequence[FieldSpec]) -> list[SpecDifference | None]:
    """Fields of both jobs that are asked in other words, or read as another type."""
    others = {one.name: one for one in b}
    return [
        _plain(Phrase("spec_field", name=one.name), _asked(one), _asked(others[one.name]))
        for one in a
        if one.name in others
    ]


def _asked(one: FieldSpec) -> str:
    parts = [format_labels(one.asked or (one.name,)), one.description, "" if one.type == "text" else one.type]
    parts += [format_labels(one.options), one.pattern, "" if one.many else "1"]
    return " · ".join(part for part in parts if part)


def _threshold(value: float | None) -> str:
    return "" if value is None else f"{value:g}"


def _switch(on: bool) -> Phrase:
    return Phrase("switch_on") if on else Phrase("switch_off")
