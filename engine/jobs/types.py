"""Jobs as plain values: which file, what is asked of it, how far it is, what each row gave."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from engine.errors import WorkbenchError
from engine.messages import Phrase
from engine.types import FieldSpec, Mentions

TableKind = Literal["csv", "tsv", "xlsx", "jsonl", "parquet"]
BatchTask = Literal["classify", "extract"]
JobState = Literal["queued", "running", "paused", "cancelled", "failed", "done"]
"""paused: by a user, or left by a process that ended (both go on by `resume`); cancelled: by a user, may be resumed
too; failed: the model or the file could not be used; done: every row has an answer or an error."""
RowFilter = Literal["all", "failed", "low", "not_found", "differs", "corrected", "none"]
"""low: best score below the job's `low` bound; not_found: a field without a value; differs: from the gold column;
none: no label was chosen."""


@dataclass(frozen=True)
class Form:
    """How a file is written. encoding, separator: of text files, by Python's names; sheet: of a workbook; else ''."""

    kind: TableKind
    encoding: str = ""
    separator: str = ""
    sheet: str = ""


@dataclass(frozen=True)
class SourceRow:
    """One row of a file. number: from 0 on. values: by column; text of a text file is never interpreted.

    problem: what is odd about it (a row of other length than the head); it is processed where its text is there.
    """

    number: int
    values: dict[str, Any]
    problem: Phrase | None = None


@dataclass(frozen=True)
class JobSpec:
    """What is asked of a file, whole: two equal ones give equal answers of the same model.

    columns: whose texts are read, joined by a line end. gold: the column with the right answer; '' for none.
    labels, multi, threshold: of a classification; fields, mentions, per_prompt, nested: of an extraction. free: the
    official free decoding beside each answer. batch_size: rows in a step at most; None: the usual number.
    """

    task: BatchTask
    columns: tuple[str, ...]
    id_column: str = ""
    gold: str = ""
    labels: tuple[str, ...] = ()
    multi: bool = False
    threshold: float | None = None
    fields: tuple[FieldSpec, ...] = ()
    mentions: Mentions = "first"
    per_prompt: int = 6
    nested: bool = False
    free: bool = False
    batch_size: int | None = None


@dataclass(frozen=True)
class Job:
    """A job as the store keeps it.

    id: cannot be guessed; it is in links. name: what the user sees, at first the file's name. source: the job's own
    copy of the file, or where the command line's file lies. digest: SHA-256 of the file. total: rows, None until they
    are counted. done, failed: rows with an answer or an error, and those with an error. model: `contracts.model_json`
    of the first answer; empty before. error: code and details of why it failed. low: bound of the filter `low`.
    """

    id: str
    name: str
    source: Path
    form: Form
    spec: JobSpec
    digest: str
    state: JobState
    created: float
    started: float | None = None
    ended: float | None = None
    seconds: float = 0.0
    total: int | None = None
    done: int = 0
    failed: int = 0
    model: dict[str, Any] = field(default_factory=dict)
    error: WorkbenchError | None = None
    low: float = 0.5
    engine: str = "local"
    more_models: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True)
class RowResult:
    """What one row gave.

    answer: as in the contract of `workbench batch`: {"label", "labels"} or {"fields"}, with "notes" where there are
    some; {} where `error` is set. correction: what a user put in its place: {"label", "labels"} or {"fields"}.
    score: of the best label, or the least one of the values found (None without); grounded, values: counts.
    error: a code, and the sentence in English with its details.
    text: what was read. gold: the gold cell as given; None where the job has none.
    """

    number: int
    key: str
    text: str
    answer: dict[str, Any]
    score: float | None = None
    values: int = 0
    grounded: int = 0
    latency_ms: float = 0.0
    error: WorkbenchError | None = None
    correction: dict[str, Any] | None = None
    gold: Any = None
    problem: Phrase | None = None


@dataclass(frozen=True)
class RowPage:
    """Some rows of a job in the file's order, and how many the filter finds in all."""

    rows: tuple[RowResult, ...] = ()
    total: int = 0


@dataclass(frozen=True)
class Progress:
    """How a job stands now. rate: rows a second over the last minute or so; eta: seconds; both None while not known.

    ahead: jobs that come before it, while it is queued.
    """

    state: JobState
    done: int
    failed: int
    total: int | None
    rate: float | None = None
    eta: float | None = None
    ahead: int = 0
