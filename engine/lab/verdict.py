"""Whether a difference between two runs may be noise, in words."""

from engine.lab.compare_tally import Difference
from engine.messages import Phrase

LEVEL = 0.05
"""A difference that chance gives less often than this is not taken for noise."""
_FEWEST = 6
"""Rows where one run alone is right, below which no split of them is rarer than `LEVEL`."""


def label_verdict(changed: int, rows: int, only_a: int, only_b: int, p: float | None, accuracy: Difference) -> Phrase:
    """By McNemar's test of the rows that one run alone has right."""
    if (said := _without_test(changed, rows, p)) is not None:
        return said
    if only_a + only_b < _FEWEST:
        return Phrase("verdict_few", only_a=only_a, only_b=only_b, fewest=_FEWEST)
    details = {
        "a": _percent(accuracy.a),
        "b": _percent(accuracy.b),
        "only_a": only_a,
        "only_b": only_b,
        "p": _chance(p or 0.0),
    }
    if p is None or p >= LEVEL:
        return Phrase("verdict_labels_noise", **details)
    return Phrase("verdict_labels_better", **details) if only_b > only_a else Phrase("verdict_labels_worse", **details)


def span_verdict(changed: int, rows: int, p: float | None, f1: Difference) -> Phrase:
    """By the interval of the difference in F1."""
    if (said := _without_test(changed, rows, p)) is not None:
        return said
    if f1.interval is None:
        return Phrase("verdict_unmeasured")
    low, high = f1.interval.low, f1.interval.high
    details = {"a": _share(f1.a), "b": _share(f1.b), "low": f"{low:+.3f}", "high": f"{high:+.3f}"}
    if low <= 0 <= high:
        return Phrase("verdict_spans_noise", **details)
    return Phrase("verdict_spans_better", **details) if low > 0 else Phrase("verdict_spans_worse", **details)


def _without_test(changed: int, rows: int, p: float | None) -> Phrase | None:
    if not rows:
        return Phrase("verdict_no_rows")
    if not changed:
        return Phrase("verdict_same", rows=rows)
    if p is None:
        return Phrase("verdict_no_gold", changed=changed, rows=rows)
    return None


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.1%}"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _chance(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
