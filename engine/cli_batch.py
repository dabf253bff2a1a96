"""`workbench batch`: a file in, a file out, resumable with the same command.

Nothing goes to stdout; progress and what went wrong go to stderr. Exit 0: every row has an answer; 1: some failed, or
the job could not be done; 2: wrong usage; 130: stopped.
"""

import hashlib
import json
import logging
import signal
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from engine.cli_once import ProgressLine, print_notes
from engine.cli_options import (
    DeviceOption,
    LogJson,
    LogLevelOption,
    MaxMemory,
    Model,
    Offline,
    PrecisionOption,
    Threads,
    TrustCode,
    read_fields,
    settings_of,
)
from engine.cli_rows import RowsLine
from engine.errors import WorkbenchError
from engine.jobs.types import BatchTask, Form, Job, JobSpec
from engine.settings import Settings
from engine.text.labels import parse_labels
from engine.types import Mentions

if TYPE_CHECKING:
    from engine.jobs.store import JobStore

Engine = Literal["local", "ray"]


def batch(
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="CSV, TSV, Excel, JSON Lines or Parquet.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="What is written: .jsonl, .csv, .xlsx, .parquet or .html.")
    ],
    task: Annotated[BatchTask, typer.Option(help="What is asked of every row.")] = "classify",
    column: Annotated[
        list[str] | None, typer.Option(help="The column with the text; several are joined. Else the likely one.")
    ] = None,
    labels: Annotated[str, typer.Option(help='Labels, separated by any of , ， 、 ; ； or newlines: "a,b,c".')] = "",
    fields: Annotated[
        str, typer.Option(help='Names: "name,price"; a field set as JSON; or a file that holds one.')
    ] = "",
    multi: Annotated[bool, typer.Option("--multi", help="Choose every label that reaches the threshold.")] = False,
    threshold: Annotated[float | None, typer.Option(help="Least probability of a chosen label, 0 to 1.")] = None,
    mentions: Annotated[Mentions, typer.Option(help="Where a value is said to be.")] = "first",
    per_prompt: Annotated[int, typer.Option(help="Fields asked in one prompt at most.")] = 6,
    free: Annotated[bool, typer.Option("--free", help="Also decode freely, as the authors do (4 beams).")] = False,
    nested: Annotated[bool, typer.Option("--nested", help="Values of different fields may overlap.")] = False,
    gold: Annotated[str, typer.Option(help="The column with the right answer.")] = "",
    id_column: Annotated[str, typer.Option(help="The column that tells rows apart.")] = "",
    encoding: Annotated[str | None, typer.Option(help="Of a text file, such as gb18030; else it is found.")] = None,
    separator: Annotated[str | None, typer.Option(help="Between cells, such as ; or tab; else it is found.")] = None,
    sheet: Annotated[str | None, typer.Option(help="Of a workbook; else the first one.")] = None,
    low: Annotated[float, typer.Option(min=0, max=1, help="Below this probability a row counts as unsure.")] = 0.5,
    batch_size: Annotated[int | None, typer.Option(min=1, help="Rows in a step at most.")] = None,
    engine: Annotated[Engine, typer.Option(help="ray: many processes or machines, by Ray Data.")] = "local",
    ray_address: Annotated[str | None, typer.Option(help="Of a Ray cluster; else one on this machine.")] = None,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Ask the rows that failed again.")] = False,
    any_model: Annotated[bool, typer.Option("--any-model", help="Go on with another model than before.")] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Begin anew, whatever is done.")] = False,
    forget: Annotated[bool, typer.Option("--forget", help="Keep nothing of it in the data folder at the end.")] = False,
    model: Model = None,
    device: DeviceOption = None,
    precision: PrecisionOption = None,
    threads: Threads = None,
    max_memory: MaxMemory = None,
    log_level: LogLevelOption = None,
    log_json: LogJson = None,
    offline: Offline = None,
    trust_remote_code: TrustCode = None,
) -> None:
    """Ask the same of every row of a file. The same command goes on with what was stopped, and repeats nothing."""
    from engine.jobs.exports.outputs import export
    from engine.jobs.exports.writers import kind_of
    from engine.jobs.running import check_columns
    from engine.jobs.store import JobStore
    from engine.jobs.tables import digest, find_form, open_table, suggest_columns

    settings = settings_of(locals())
    if settings.log_level != "debug" and not settings.log_json:  # a line a row helps nobody
        logging.getLogger("engine.requests").setLevel(logging.WARNING)
    kind = kind_of(output)
    _check_options(task, labels, fields, engine, ray_address)
    check_output(file, output)
    form = find_form(file, encoding=encoding, separator=separator, sheet=sheet)
    table = open_table(file, form)
    if not column:
        column = [suggest_columns(table).text]
        typer.echo(f'Reading the column "{column[0]}" (--column names another).', err=True)
    spec = JobSpec(
        task,
        tuple(column),
        id_column,
        gold,
        labels=tuple(parse_labels(labels)) if task == "classify" else (),
        multi=multi,
        threshold=threshold,
        fields=read_fields(fields) if task == "extract" else (),
        mentions=mentions,
        per_prompt=per_prompt,
        nested=nested,
        free=free,
        batch_size=batch_size,
    )
    check_columns(spec, table.columns)
    _check_request(spec)
    hashed = digest(file)
    mark = _mark(hashed, form, spec, settings, output)
    with closing(JobStore(settings.data_dir)) as store:
        job = None if fresh else _find(store, mark)
        if job is None:
            job = store.add(
                spec, file.name, file, form, hashed, copy=False, low=low, engine=engine, state="paused", mark=mark
            )
        job = _work(settings, store, job, engine, ray_address, retry_failed=retry_failed, any_model=any_model)
        export(job, store, kind, output)
        if gold:
            _evaluate(store, job)
        if forget:
            store.delete(job.id)
    _end(job, output)


def _check_options(task: BatchTask, labels: str, fields: str, engine: Engine, address: str | None) -> None:
    """Refuse options that would change nothing."""
    for name, value, needed in (
        ("--labels", task == "extract" and labels, "--task classify"),
        ("--fields", task == "classify" and fields, "--task extract"),
        ("--ray-address", engine == "local" and address, "--engine ray"),
    ):
        if value:
            raise WorkbenchError("bad_setting", name=name, value=value, hint=f"It is for {needed}.")


def check_output(file: Path, output: Path) -> None:
    """See, before anything is computed, that the output can be written, and is not the input.

    Raises:
        WorkbenchError: `file_not_written`, `bad_setting`.
    """
    if output.resolve() == file.resolve():
        raise WorkbenchError("bad_setting", name="--output", value=output.name, hint="The input is not overwritten.")
    probe = output.with_name(f".{output.name}.part")
    try:
        if output.is_dir():
            raise IsADirectoryError(21, "it is a folder")
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise WorkbenchError("file_not_written", path=output, reason=error.strerror or error) from None


def _check_request(spec: JobSpec) -> None:
    """Refuse what no row could be asked, before a model is loaded."""
    from engine.jobs.requests import request_of
    from engine.jobs.types import SourceRow
    from engine.run.classify import check_request
    from engine.run.extract import check_request as check_extract
    from engine.types import ClassifyRequest

    request = request_of(spec, SourceRow(0, dict.fromkeys(spec.columns, "x")))
    if isinstance(request, WorkbenchError):
        raise request
    if isinstance(request, ClassifyRequest):
        check_request(request)
    else:
        check_extract(request)


def _mark(hashed: str, form: Form, spec: JobSpec, settings: Settings, output: Path) -> str:
    """What makes two commands the same: the input, what is asked of which model, and the output."""
    from engine.jobs.store.stored_form import pack_form, pack_spec

    asked = [hashed, pack_form(form), pack_spec(replace(spec, batch_size=None)), settings.model, settings.precision]
    return hashlib.sha256(json.dumps([*asked, str(output.resolve())]).encode()).hexdigest()


def _find(store: "JobStore", mark: str) -> Job | None:
    """The job of an earlier command like this one."""
    from engine.jobs.alone import recover

    recover(store)
    return store.find(mark)


def _work(
    settings: Settings,
    store: "JobStore",
    job: Job,
    engine: Engine,
    address: str | None,
    *,
    retry_failed: bool,
    any_model: bool,
) -> Job:
    """Have every row answered that is not; the job as it stands then.

    Raises:
        WorkbenchError: why it cannot be done.
        typer.Exit: it was stopped.
    """
    if retry_failed:
        job = _forget_failed(store, job)
    if job.state == "done":
        typer.echo("This is done already: only the output is written again (--fresh begins anew).", err=True)
        return job
    if job.done:
        typer.echo(f"Going on: {job.done:,} rows are done.", err=True)
    line = RowsLine()
    with _stoppable() as stop:
        if engine == "ray":
            from engine.jobs.ray_data.run import run_on_ray

            job = run_on_ray(store, job, settings, address=address, stop=stop, report=line, any_model=any_model)
        else:
            job = _work_here(settings, store, job, stop, line, any_model=any_model)
    line.end()
    if job.state == "done":
        return job
    if job.error is not None and not stop.is_set():
        raise job.error
    total = "" if job.total is None else f" of {job.total:,}"
    typer.echo(f"Stopped: {job.done:,}{total} rows are done and kept. The same command goes on.", err=True)
    raise typer.Exit(130)


def _forget_failed(store: "JobStore", job: Job) -> Job:
    """Have the rows that failed count as not asked, unless another process runs the job just now.

    Raises:
        WorkbenchError: `job_elsewhere`.
    """
    from engine.jobs.alone import alone

    with alone(store, job.id):
        # first the state: a job that ends here as "done" would never ask what it has forgotten
        was_done = store.set_state(job.id, "paused", only_from=("done",))
        if not store.forget_failed(job.id) and was_done:
            store.set_state(job.id, "done")
    return store.get(job.id) or job


def _work_here(settings: Settings, store: "JobStore", job: Job, stop: Event, line: RowsLine, *, any_model: bool) -> Job:
    from engine.jobs.running import run_here
    from engine.model.loader import load_backend
    from engine.run.workbench import Workbench

    workbench = Workbench(
        settings,
        lambda wanted, _report, _note, halt: load_backend(
            wanted, ProgressLine(), lambda note: print_notes([note]), halt
        ),
    )
    try:
        return run_here(workbench, store, job, stop, line, any_model=any_model)
    finally:
        workbench.close()


@contextmanager
def _stoppable() -> Iterator[Event]:
    """An event that Ctrl+C sets; pressed again, it ends the command at once."""
    stop = Event()
    if threading.current_thread() is not threading.main_thread():  # signals reach the main thread only
        yield stop
        return

    def halt(number: int, _frame: object) -> None:
        if stop.is_set():
            signal.signal(number, signal.default_int_handler)
            raise KeyboardInterrupt
        stop.set()
        typer.echo("\nStopping after the step in hand; press Ctrl+C again to end at once.", err=True)

    before = signal.signal(signal.SIGINT, halt)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


def _evaluate(store: "JobStore", job: Job) -> None:
    """Say how the answers compare with the gold column."""
    from engine.lab.evaluate import evaluate_job, summary_lines

    for line in summary_lines(evaluate_job(job.spec, store.each(job.id))):
        typer.echo(line, err=True)


def _end(job: Job, output: Path) -> None:
    """Say what was written; exit 1 where rows failed."""
    typer.echo(f"{job.done:,} rows in {output}", err=True)
    if job.failed:
        typer.echo(
            f"workbench: {job.failed:,} of {job.done:,} rows failed; the column error says why, "
            "and --retry-failed asks them again.",
            err=True,
        )
        raise typer.Exit(1)
