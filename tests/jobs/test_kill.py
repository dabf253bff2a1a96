"""A job survives being killed at any moment: no finished row is lost, none is asked again."""

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from job_makers import add, numbered, numbers

from engine.jobs.store import JobStore

ROWS = 500
KILLS = 10

CHILD = """
import os, sys, threading
from engine.jobs import keeping
from engine.jobs.alone import recover
from engine.jobs.runner import run_here
from engine.jobs.store import JobStore
from engine.model.fake import FakeBackend
from engine.run.workbench import Workbench
from engine.settings import load_settings
from pathlib import Path

data, job_id, log = Path(sys.argv[1]), sys.argv[2], os.open(sys.argv[3], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
keeping.GROUP = 7  # many small groups: more moments at which something is being written


class Logged(FakeBackend):
    def encode_prompt(self, prompt, *given, **options):
        if prompt.text.strip():
            os.write(log, prompt.text.encode() + b"\\n")
        return super().encode_prompt(prompt, *given, **options)


def run():
    store = JobStore(data)
    recover(store)
    workbench = Workbench(load_settings(model="fake", data_dir=data), lambda *_: Logged(0.001))
    job = run_here(workbench, store, store.get(job_id), threading.Event())
    return 0 if job.state == "done" else 3


for _ in sys.stdin:  # one process a line, forked: the imports are there already
    pid = os.fork()
    if pid == 0:
        code = 9
        try:
            code = run()
        finally:
            os._exit(code)
    print(pid, flush=True)
    print(os.waitpid(pid, 0)[1], flush=True)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and kill -9")
def test_a_job_that_is_killed_ten_times_loses_and_repeats_nothing(tmp_path: Path) -> None:
    store = JobStore(tmp_path / "data")
    job = add(store, numbered(tmp_path / "in.csv", ROWS))
    log = tmp_path / "asked"
    chance = random.Random(20261130)
    durable: set[int] = set()
    seen, killed = 0, 0
    with subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", CHILD, str(tmp_path / "data"), job.id, str(log)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        while True:
            child.stdin.write("go\n")
            child.stdin.flush()
            pid = int(child.stdout.readline())
            if killed < KILLS:
                wanted = seen + chance.randrange(1, ROWS // KILLS)  # so many rows asked, and a moment more
                while len(asked(log)) < wanted:
                    time.sleep(0.001)
                time.sleep(chance.random() * 0.01)
                os.kill(pid, signal.SIGKILL)
                killed += 1
            status = int(child.stdout.readline())
            store.close()
            found = store.get(job.id)
            assert found is not None
            kept = set(numbers(store.each(job.id)))
            assert found.done == len(kept) == store.rows(job.id).total
            again = {int(text.split()[2]) for text in asked(log)[seen:]} & durable
            assert not again, "rows were asked again that had been kept"
            assert durable <= kept, "rows were lost that had been kept"
            durable, seen = kept, len(asked(log))
            if status == 0:
                break
            assert os.WIFSIGNALED(status), f"it ended by itself with {status}"
            assert found.state == "running"
        child.stdin.close()
    assert killed == KILLS
    assert found.state == "done"
    rows = list(store.each(job.id))
    assert numbers(rows) == list(range(ROWS))
    assert all(row.text == f"delivery number {row.number} was late" and row.answer["label"] for row in rows)
    assert (found.done, found.failed, found.total) == (ROWS, 0, ROWS)
    times = Counter(asked(log))
    assert len(times) == ROWS
    assert sum(times.values()) - ROWS <= KILLS * 9  # a group of seven, the step in hand and the next one


def asked(log: Path) -> list[str]:
    """The texts that were asked so far, by every process."""
    return log.read_text("utf-8").splitlines() if log.exists() else []
