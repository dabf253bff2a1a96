"""A sweep over texts in a step of a batch, or over threads: what a page's sweep measures, as a table.

    python -m bench.batches [--model offline] [--texts 64] [--sizes 1 2 4 8 16 32] [--threads 2] [--over batch]

Stretches of made-up news, of 20 to 180 characters (`--even`: of 100 each), are classified and extracted from through
`Workbench.many`, with the steps' limit of characters lifted; see `engine.lab.sweep`. It tunes nothing.
"""

import argparse

from engine.errors import WorkbenchError
from engine.lab.knee import SweepRow
from engine.lab.sample_texts import sample_request, sample_texts
from engine.lab.sweep import Plan, SweepJob, start_sweep
from engine.observe.machine import human_bytes
from engine.run.workbench import Workbench
from engine.settings import load_settings


def line(task: str, row: SweepRow) -> str:
    """A row of the table."""
    if row.error:
        return f"| {task} | {row.setting} | {WorkbenchError(row.error).message if not row.problem else row.problem} |"
    least, most = row.spread
    rate = f"{row.texts_per_second:.1f} ({least:.1f} to {most:.1f})"
    felt = f"{row.p50_ms:,.0f} | {row.p95_ms:,.0f}"
    return f"| {task} | {row.setting} | {rate} | {felt} | {human_bytes(row.peak)} | {row.padding or 0:.0%} |"


def outcome(task: str, job: SweepJob) -> list[str]:
    """The rows of a sweep that is over, and its advice.

    Raises:
        WorkbenchError: why it failed.
    """
    if job.result is None:
        raise job.error or WorkbenchError("cancelled")
    lines = [line(task, row) for row in job.result.rows]
    return [*lines, f"{task}: advised {job.result.knee}, fastest {job.result.best}; {job.result.padding}"]


def main() -> None:
    """One table, and what is advised."""
    options = argparse.ArgumentParser()
    options.add_argument("--model", default="offline")
    options.add_argument("--language", choices=("zh", "en"), default="zh")
    options.add_argument("--texts", type=int, default=64)
    options.add_argument("--even", action="store_true")
    options.add_argument("--sizes", type=int, nargs="+", default=[1, 2, 4, 8, 16, 32])
    options.add_argument("--repeats", type=int, default=2)
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--over", choices=("batch", "threads"), default="batch")
    chosen = options.parse_args()
    workbench = Workbench(load_settings(model=chosen.model, threads=chosen.threads))
    workbench.load().result()
    texts = sample_texts(chosen.language, not chosen.even, chosen.texts)
    head = f"| task | {'texts a step' if chosen.over == 'batch' else 'threads'} | texts/s (spread) "
    print(head + "| P50, ms | P95, ms | peak | padding of whole steps |\n|---|---|---|---|---|---|---|")
    advice = []
    for task in ("classify", "extract"):
        plan = Plan(texts, sample_request(chosen.language, task), tuple(chosen.sizes), repeats=chosen.repeats)
        job = start_sweep(workbench, chosen.over, plan)
        job.wait()
        *rows, said = outcome(task, job)
        print("\n".join(rows), flush=True)
        advice.append(said)
    print("\n" + "\n".join(advice))
    workbench.close()


if __name__ == "__main__":
    main()
