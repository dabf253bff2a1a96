"""Two runs on the same file: which rows changed, who is right, and whether the difference could be noise.

One pass over both runs' rows in the file's order; memory depends on different answers and listed rows, not on rows.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from engine.errors import WorkbenchError
from engine.jobs.gold import Gold
from engine.jobs.types import Job, RowResult
from engine.lab.compare_specs import SpecDifference, spec_differences
from engine.lab.compare_tally import Difference, Group, Tally, Transition
from engine.lab.compare_tasks import Judge, LabelJudge, SpanJudge
from engine.lab.figures import ratio
from engine.lab.job_pairs import row_gold
from engine.lab.significance import mcnemar
from engine.lab.verdict import label_verdict, span_verdict
from engine.messages import Phrase

__all__ = ["Comparison", "Difference", "Group", "SpecDifference", "Transition", "compare_jobs", "join_rows"]


@dataclass(frozen=True)
class Comparison:
    """Two runs, A and B, of one file.

    rows: answered in both; all that follows is of these. only_in_a, only_in_b: rows that the other run did not do;
    failed_a, failed_b, failed_both: rows with an error. changed: rows with another answer; transitions: what became of
    what, the most frequent first, and `more_transitions` beyond those told apart. agreement: share of rows with the
    same answer; kappa: Cohen's, of classifications.
    gold_rows: rows whose right answer is known, by A's gold column, else B's, else corrections; unreadable: whose gold
    cell cannot be read. both_right, only_a, only_b, neither: who is right there, in the whole row. p: McNemar's exact
    test of that; None without gold. accuracy, f1: of each run over these rows, with the difference B - A and its paired
    bootstrap interval; f1_kind: "macro" with a single choice, "micro" with several, "exact" of values.
    """

    rows: int
    only_in_a: int
    only_in_b: int
    failed_a: int
    failed_b: int
    failed_both: int
    changed: Group
    transitions: tuple[Transition, ...]
    more_transitions: int
    agreement: float | None
    kappa: float | None
    gold_rows: int
    unreadable: int
    both_right: Group
    only_a: Group
    only_b: Group
    neither: Group
    p: float | None
    accuracy: Difference
    f1: Difference
    f1_kind: str
    verdict: Phrase
    differences: tuple[SpecDifference, ...]


@dataclass
class _Apart:
    only_in_a: int = 0
    only_in_b: int = 0
    failed_a: int = 0
    failed_b: int = 0
    failed_both: int = 0
    unreadable: int = 0


def compare_jobs(
    a: Job,
    a_rows: Iterable[RowResult],
    b: Job,
    b_rows: Iterable[RowResult],
    *,
    aliases: Mapping[str, str] | None = None,
    seed: int = 0,
) -> Comparison:
    """Compare two jobs of the same file by the models' own answers. rows: in the file's order (`JobStore.each`).

    aliases: what labels or fields of B are called in A, where these are only worded otherwise; gold is in A's words.
    seed: of the intervals.

    Raises:
        WorkbenchError: `compare_other_file`, `compare_other_task`.
    """
    if a.digest != b.digest:
        raise WorkbenchError("compare_other_file", first=a.name, second=b.name)
    if a.spec.task != b.spec.task:
        raise WorkbenchError("compare_other_task", first=a.name, second=b.name)
    kind = LabelJudge if a.spec.task == "classify" else SpanJudge
    judge: Judge = kind(a.spec, b.spec, aliases or {})
    tally, apart = Tally(choices=a.spec.task == "classify"), _Apart()
    for one, other in join_rows(a_rows, b_rows):
        if one is None or other is None:
            apart.only_in_a += other is None
            apart.only_in_b += one is None
        elif one.error is not None or other.error is not None:
            apart.failed_a += other.error is None
            apart.failed_b += one.error is None
            apart.failed_both += one.error is not None and other.error is not None
        else:
            tally.add(one.number, judge.judge(one.answer, other.answer, _gold(a, one, b, other, apart)))
    return _comparison(a, b, tally, apart, judge, seed)


def join_rows(a: Iterable[RowResult], b: Iterable[RowResult]) -> Iterator[tuple[RowResult | None, RowResult | None]]:
    """Rows of both runs by their number; None where one run does not have it. Both in the file's order."""
    first, second = iter(a), iter(b)
    one, other = next(first, None), next(second, None)
    while one is not None or other is not None:
        if other is None or (one is not None and one.number < other.number):
            yield one, None
            one = next(first, None)
        elif one is None or other.number < one.number:
            yield None, other
            other = next(second, None)
        else:
            yield one, other
            one, other = next(first, None), next(second, None)


def _gold(a: Job, one: RowResult, b: Job, other: RowResult, apart: _Apart) -> Gold | None:
    by_b = not a.spec.gold and (bool(b.spec.gold) or one.correction is None)
    try:
        return row_gold(b.spec, other) if by_b else row_gold(a.spec, one)
    except WorkbenchError:
        apart.unreadable += 1
        return None


def _comparison(a: Job, b: Job, tally: Tally, apart: _Apart, judge: Judge, seed: int) -> Comparison:
    both, only_a, only_b, neither = (
        tally.standing[rights].group() for rights in ((True, True), (True, False), (False, True), (False, False))
    )
    gold_rows = both.count + only_a.count + only_b.count + neither.count
    p = mcnemar(only_a.count, only_b.count) if gold_rows else None
    accuracy, f1 = tally.accuracy(seed), judge.f1(tally, seed)
    changed, labels = tally.changed.group(), a.spec.task == "classify"
    return Comparison(
        rows=tally.rows,
        only_in_a=apart.only_in_a,
        only_in_b=apart.only_in_b,
        failed_a=apart.failed_a,
        failed_b=apart.failed_b,
        failed_both=apart.failed_both,
        changed=changed,
        transitions=tally.transitions(),
        more_transitions=tally.more,
        agreement=ratio(tally.rows - changed.count, tally.rows),
        kappa=tally.kappa(),
        gold_rows=gold_rows,
        unreadable=apart.unreadable,
        both_right=both,
        only_a=only_a,
        only_b=only_b,
        neither=neither,
        p=p,
        accuracy=accuracy,
        f1=f1,
        f1_kind=judge.f1_kind,
        verdict=label_verdict(changed.count, tally.rows, only_a.count, only_b.count, p, accuracy)
        if labels
        else span_verdict(changed.count, tally.rows, p, f1),
        differences=spec_differences(a, b),
    )
