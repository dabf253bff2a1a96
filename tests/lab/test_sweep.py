"""Sweeps over backends whose speed and memory are known: what is measured, stops, failures, and what is left behind."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from doubles import WAIT, Load
from understanding import ByText

from engine.errors import WorkbenchError
from engine.lab import experiment
from engine.lab.experiment import Experiment
from engine.lab.passes import distinct, how_it_pads
from engine.lab.sample_texts import NEWS, sample_request, sample_texts
from engine.lab.sweep import Plan, SweepJob, adopt, start_sweep, thread_counts
from engine.model.fake import FakeBackend
from engine.model.loader import load_backend
from engine.run.batch import CHARACTERS
from engine.run.workbench import Workbench
from engine.types import ClassifyRequest, ExtractRequest, FieldSpec, ModelInfo

Make = Callable[..., Workbench]
ASK = ClassifyRequest("", ("财经", "体育"))
TEXTS = sample_texts("zh", mixed=True, count=16)


class Clock:
    """Time that passes where a test says so: what the machine does beside does not count."""

    monotonic = staticmethod(time.monotonic)

    def __init__(self) -> None:
        self.now = 0.0

    def perf_counter(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


class Timed(ByText):
    """Each step takes `step` seconds, and `each` for every text; it has memory for `most` texts."""

    def __init__(self, step: float = 0.004, each: float = 0.0002, most: int | None = None, clock: Any = time) -> None:
        super().__init__(most)
        self._step, self._each, self._clock = step, each, clock
        self.forgotten = 0
        self.began = threading.Event()

    def forget(self) -> None:
        self.forgotten += 1

    def weigh_labels(self, texts: Sequence[str], labels: Sequence[str], stop: Any = None) -> Any:
        self.began.set()
        answers = super().weigh_labels(texts, labels, stop)
        self._clock.sleep(self._step + self._each * len(texts))
        return answers


@pytest.fixture(autouse=True)
def over() -> Iterator[None]:
    """The next test's sweep is the only one."""
    yield
    last = experiment.latest()
    if last is not None:
        last.cancel()
        assert last.wait(WAIT)


def loaded(make: Make, backend: Any, **flags: Any) -> Workbench:
    workbench = make(lambda *_: backend, **flags)
    workbench.load().result(WAIT)
    return workbench


def ended(job: SweepJob) -> SweepJob:
    assert job.wait(WAIT)
    return job


# Over texts in a step.


def test_a_sweep_measures_every_size_and_advises_one(make_workbench: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    for module in ("lab.passes", "run.batch", "run.queue"):
        monkeypatch.setattr(f"engine.{module}.time", clock)
    backend = Timed(clock=clock)
    job = ended(start_sweep(loaded(make_workbench, backend), "batch", Plan(TEXTS, ASK, sizes=(4, 1, 16))))
    assert (job.state, job.error, job.progress) == ("done", None, (6, 6))
    assert job.result is not None
    rows = job.result.rows
    assert job.rows == rows
    assert [row.setting for row in rows] == [1, 4, 16]
    steps = {1: 16, 4: 4, 16: 1}
    for row in rows:
        assert not row.error
        rate = 16 / (steps[row.setting] * 0.004 + 16 * 0.0002)
        assert (*row.spread, row.texts_per_second) == pytest.approx((rate, rate, rate))
        felt = 4 + 0.2 * row.setting
        assert (row.p50_ms, row.p95_ms) == pytest.approx((felt, felt)), "who is in a larger step waits for all of it"
        assert row.peak > 10 * 2**20
    assert (job.result.best, job.result.knee) == (16, 16)


@pytest.mark.parametrize(("step", "each", "advised"), [(0, 0.001, 1), (0.001, 0.05, 1), (0.01, 0.02, 16), (1, 0, 16)])
def test_the_advice_follows_what_a_step_costs(
    make_workbench: Make, monkeypatch: pytest.MonkeyPatch, step: float, each: float, advised: int
) -> None:
    clock = Clock()
    for module in ("lab.passes", "run.batch", "run.queue"):
        monkeypatch.setattr(f"engine.{module}.time", clock)
    workbench = loaded(make_workbench, Timed(step, each, clock=clock))
    job = ended(start_sweep(workbench, "batch", Plan(TEXTS, ASK, sizes=(1, 2, 4, 16))))
    assert job.result is not None
    assert job.result.knee == advised


def test_the_passes_are_interleaved_after_a_warm_up_of_each(make_workbench: Make) -> None:
    backend = Timed(0, 0)
    texts = TEXTS[:8]
    ended(start_sweep(loaded(make_workbench, backend), "batch", Plan(texts, ASK, sizes=(1, 4), repeats=3)))
    asked = [len(call) for call in backend.calls if not set(call).isdisjoint(texts)]
    one, four = [1] * 8, [4, 4]
    assert asked == [1, *one, 4, *four, *(one + four) * 2]
    apart = [call for call in backend.calls if set(call).isdisjoint(texts)]
    assert [len(call) for call in apart] == [1] * 8, "before every pass another text is read, for the labels"
    assert backend.forgotten == 8, "and what was read is forgotten"


def test_steps_are_not_cut_by_characters(make_workbench: Make) -> None:
    backend = Timed(0, 0)
    texts = tuple(f"{number}" + "字" * (CHARACTERS * 3 // 4) for number in range(4))
    ended(start_sweep(loaded(make_workbench, backend), "batch", Plan(texts, ASK, sizes=(4,), repeats=1)))
    assert max(map(len, backend.calls)) == 4


def test_padding_is_what_the_steps_would_have(make_workbench: Make) -> None:
    texts = ("一" * 10, "二" * 10, "三" * 30, "四" * 50)
    plan = Plan(texts, ASK, sizes=(1, 2, 4), repeats=1)
    job = ended(start_sweep(loaded(make_workbench, Timed(0, 0)), "batch", plan))
    assert [row.padding for row in job.rows] == pytest.approx([0, 1 - 100 / 120, 1 - 100 / 200])


def test_kept_answers_play_no_part(make_workbench: Make) -> None:
    backend = Timed(0, 0)
    workbench = loaded(make_workbench, backend)
    for text in TEXTS[:4]:
        workbench.classify(replace(ASK, text=text)).result(WAIT)
    kept = workbench.cache_size()
    backend.calls.clear()
    ended(start_sweep(workbench, "batch", Plan(TEXTS[:4], ASK, sizes=(4,), repeats=2)))
    assert [len(call) for call in backend.calls if TEXTS[0] in call] == [4, 4, 4]
    assert workbench.cache_size() == kept, "and they are still there"


@pytest.mark.usefixtures("one_thread")
@pytest.mark.parametrize("task", ["classify", "extract"])
def test_prompts_that_were_read_play_no_part(
    make_workbench: Make, folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch, task: Any
) -> None:
    from engine.model.kv_cache import Prefixes

    find, found = Prefixes.find, list[bool]()

    def watched(kept: Prefixes, prompt: Any, cache: Any) -> Any:
        length, last = find(kept, prompt, cache)
        found.append(last is not None)
        return length, last

    workbench = make_workbench(load_backend, model=str(folders["bloom"]), device="cpu", precision="fp32")
    request = replace(sample_request("en", task), text="The home side won.")
    workbench.load().result(WAIT)
    monkeypatch.setattr(Prefixes, "find", watched)
    for _ in range(2):
        list(workbench.many([request]))
    assert found[-1], "it would be found"
    found.clear()
    plan = Plan((request.text, "Ann Lee moved to Leeds."), sample_request("en", task), sizes=(1, 2))
    assert ended(start_sweep(workbench, "batch", plan)).error is None
    assert found
    assert not any(found)


@pytest.mark.parametrize("task", ["classify", "extract"])
def test_both_tasks_over_the_built_in_texts(make_workbench: Make, task: Any) -> None:
    plan = Plan(sample_texts("en", mixed=False, count=8), sample_request("en", task), sizes=(1, 8), repeats=1)
    job = ended(start_sweep(loaded(make_workbench, FakeBackend(delay=0)), "batch", plan))
    assert (job.state, [row.error for row in job.rows]) == ("done", ["", ""])
    assert job.result is not None
    alone = "steps_of_one" if task == "classify" else None  # labels are scored after one prompt at a time
    assert (job.result.remark and job.result.remark.code) == alone


def test_out_of_memory_is_recorded_and_larger_sizes_are_not_tried(make_workbench: Make) -> None:
    backend = Timed(0, 0, most=4)
    plan = Plan(TEXTS, ASK, sizes=(2, 4, 8, 16), repeats=2)
    job = ended(start_sweep(loaded(make_workbench, backend), "batch", plan))
    assert job.state == "done"
    assert [row.error for row in job.rows] == ["", "", "out_of_memory", "sweep_skipped"]
    assert [row.problem.code for row in job.rows if row.problem] == ["out_of_memory", "sweep_skipped"]
    assert job.progress == (8, 8)
    assert job.result is not None
    assert job.result.knee in (2, 4)
    assert max(map(len, backend.calls)) == 8, "16 was not tried"


def test_steps_that_a_budget_makes_smaller_are_no_measurement(
    make_workbench: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.run.executor.held_bytes", lambda _: 900)
    workbench = loaded(make_workbench, Timed(0, 0), max_memory=1000)
    job = ended(start_sweep(workbench, "batch", Plan(TEXTS, ASK, sizes=(1, 8), repeats=1)))
    assert [row.error for row in job.rows] == ["", "memory_budget"]


def test_the_budget_marks_what_is_advised(make_workbench: Make) -> None:
    job = ended(
        start_sweep(loaded(make_workbench, Timed()), "batch", Plan(TEXTS, ASK, sizes=(1, 4), repeats=1, budget=1))
    )
    assert job.result is not None
    assert (job.result.best, job.result.knee, job.result.budget) == (None, None, 1)


def test_the_peak_is_that_of_the_first_pass(make_workbench: Make) -> None:
    """What a larger size took before a repeat is not held against a smaller one."""
    kept: list[bytes] = []

    class Leaking(Timed):
        def weigh_labels(self, texts: Sequence[str], labels: Sequence[str], stop: Any = None) -> Any:
            if len(texts) == 16:
                kept.append(b"x" * (64 << 20))
            return super().weigh_labels(texts, labels, stop)

    job = ended(start_sweep(loaded(make_workbench, Leaking()), "batch", Plan(TEXTS, ASK, sizes=(1, 16), repeats=3)))
    small, large = (row.peak for row in job.rows)
    assert large > small + (100 << 20)


def test_a_text_that_cannot_be_answered_fails_the_sweep(make_workbench: Make) -> None:
    class Refusing(Timed):
        def weigh_labels(self, texts: Sequence[str], labels: Sequence[str], stop: Any = None) -> Any:
            raise WorkbenchError("labels_too_long", count=2, tokens=9, limit=3, context=4)

    job = ended(start_sweep(loaded(make_workbench, Refusing()), "batch", Plan(TEXTS, ASK)))
    assert (job.state, job.error and job.error.code, job.result) == ("failed", "labels_too_long", None)


def test_a_model_that_does_not_load_fails_the_sweep(make_workbench: Make) -> None:
    def broken() -> Any:
        raise WorkbenchError("memory_short", name="m", needed="2", precision="fp32", limit="1")

    job = ended(start_sweep(make_workbench(Load(broken)), "batch", Plan(TEXTS, ASK)))
    assert (job.state, job.error and job.error.code) == ("failed", "memory_short")


def test_another_model_meanwhile_fails_the_sweep(make_workbench: Make) -> None:
    first = Timed(0.02)
    second = Timed()
    second.info = replace(second.info, name="another")
    workbench = make_workbench(Load(lambda: first, lambda: second))
    workbench.load().result(WAIT)
    job = start_sweep(workbench, "batch", Plan(TEXTS, ASK))
    assert first.began.wait(WAIT)
    workbench.load(model="another").result(WAIT)
    assert (ended(job).state, job.error and job.error.code) == ("failed", "experiment_disturbed")


# One at a time, stops.


def test_one_at_a_time_and_a_stop_keeps_what_is_measured(make_workbench: Make) -> None:
    backend = Timed(0.01)
    workbench = loaded(make_workbench, backend)
    job = start_sweep(workbench, "batch", Plan(TEXTS, ASK, sizes=(16, 1), repeats=50))
    with pytest.raises(WorkbenchError) as refused:
        start_sweep(workbench, "batch", Plan(TEXTS, ASK))
    assert refused.value.code == "experiment_running"
    deadline = time.monotonic() + WAIT
    while not job.rows:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert experiment.latest() is job
    job.cancel()
    assert (ended(job).state, job.result, job.error) == ("cancelled", None, None)
    assert {row.setting for row in job.rows} <= {1, 16}
    assert job.rows
    done, total = job.progress
    assert 0 < done < total
    assert ended(start_sweep(workbench, "batch", Plan(TEXTS, ASK, sizes=(16,), repeats=1))).state == "done"


def test_a_stop_does_not_wait_for_a_long_step(make_workbench: Make) -> None:
    gate = threading.Semaphore(0)
    backend = ByText(gate=gate)
    job = start_sweep(loaded(make_workbench, backend), "batch", Plan(TEXTS, ASK, sizes=(16,)))
    assert backend.begun.acquire(timeout=WAIT)
    gate.release()  # the text for the labels
    assert backend.begun.acquire(timeout=WAIT)
    job.cancel()
    assert ended(job).state == "cancelled"


def test_others_pass_between_its_steps(make_workbench: Make) -> None:
    backend = Timed(0.01)
    workbench = loaded(make_workbench, backend)
    job = start_sweep(workbench, "batch", Plan(TEXTS, ASK, sizes=(1,), repeats=50))
    assert backend.began.wait(WAIT)
    assert workbench.classify(replace(ASK, text="体育")).result(WAIT).chosen
    assert job.state == "running"


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"texts": ()}, "sweep_without_texts"),
        ({"texts": (" ", "\n")}, "sweep_without_texts"),
        ({"template": ClassifyRequest("", ())}, "labels_empty"),
        ({"template": ExtractRequest("", ())}, "fields_empty"),
        ({"sizes": ()}, "bad_setting"),
        ({"sizes": (0, 1)}, "bad_setting"),
        ({"threads": (-1,)}, "bad_setting"),
        ({"repeats": 0}, "bad_setting"),
    ],
)
def test_a_plan_that_cannot_be_measured_is_refused_at_once(
    make_workbench: Make, changes: dict[str, Any], code: str
) -> None:
    workbench = make_workbench(load := Load())
    with pytest.raises(WorkbenchError) as refused:
        start_sweep(workbench, "batch", replace(Plan(TEXTS, ASK), **changes))
    assert (refused.value.code, load.calls) == (code, [])


def test_an_error_of_ours_is_told_as_such() -> None:
    def broken(_: Experiment[object, object]) -> object:
        raise ZeroDivisionError

    job = experiment.start("broken", broken)
    assert job.wait(WAIT)
    assert (job.state, job.error and job.error.code) == ("failed", "internal")


# Over threads.


def test_a_sweep_over_threads_loads_for_each_and_in_the_end_as_before(make_workbench: Make) -> None:
    workbench = make_workbench(load := Load(lambda: Timed(0, 0)), threads=3)
    plan = Plan(TEXTS[:2], ASK, threads=(2, 1), repeats=2)
    job = ended(start_sweep(workbench, "threads", plan))
    assert (job.state, [row.setting for row in job.rows], job.progress) == ("done", [1, 2], (4, 4))
    assert [call.threads for call in load.calls] == [3, 1, 2, 1, 2, 3]
    assert (workbench.settings.threads, workbench.state().status) == (3, "ready")


def test_a_stop_restores_the_threads_too(make_workbench: Make) -> None:
    backend = Timed(0.01)
    workbench = make_workbench(load := Load(lambda: backend))
    workbench.load().result(WAIT)
    job = start_sweep(workbench, "threads", Plan(TEXTS, ASK, threads=(1,), repeats=50))
    assert backend.began.wait(WAIT)
    job.cancel()
    assert ended(job).state == "cancelled"
    assert [call.threads for call in load.calls] == [None, 1, None]
    assert (workbench.settings.threads, workbench.state().status) == (None, "ready")


@pytest.mark.parametrize("act", ["load", "unload"])
def test_who_loads_or_unloads_meanwhile_is_not_undone(make_workbench: Make, act: str) -> None:
    backend = Timed(0.01)
    workbench = make_workbench(load := Load(lambda: backend))
    workbench.load().result(WAIT)
    job = start_sweep(workbench, "threads", Plan(TEXTS, ASK, threads=(1, 2), repeats=50))
    assert backend.began.wait(WAIT)
    changed = workbench.load(model="another") if act == "load" else workbench.unload()
    changed.result(WAIT)
    assert ended(job).state == "failed"
    assert job.error is not None
    assert job.error.code in ("experiment_disturbed", "model_missing", "cancelled")
    assert load.calls[-1].model == ("another" if act == "load" else "fake")
    assert workbench.state().status == ("ready" if act == "load" else "empty")


def test_threads_of_a_server_are_not_swept(make_workbench: Make) -> None:
    backend = Timed()
    backend.info = replace(backend.info, device="remote")
    job = ended(start_sweep(loaded(make_workbench, backend), "threads", Plan(TEXTS, ASK)))
    assert (job.state, job.error and job.error.code) == ("failed", "sweep_without_threads")


@pytest.mark.parametrize(
    ("cores", "counts"), [(1, (1,)), (2, (1, 2)), (3, (1, 2, 3)), (8, (1, 2, 4, 8)), (12, (1, 2, 4, 8, 12))]
)
def test_threads_that_are_tried(cores: int, counts: tuple[int, ...]) -> None:
    assert thread_counts(cores) == counts


# Adopting.


def test_a_size_is_adopted_for_batches_to_come(make_workbench: Make) -> None:
    backend = Timed(0, 0)
    workbench = loaded(make_workbench, backend)
    assert adopt(workbench, "batch", 3) is None
    assert workbench.batch_size == 3
    list(workbench.many([replace(ASK, text=text) for text in TEXTS[:6]]))
    assert list(map(len, backend.calls)) == [3, 3]


def test_threads_are_adopted_by_a_load(make_workbench: Make) -> None:
    workbench = make_workbench(load := Load())
    ticket = adopt(workbench, "threads", 2)
    assert ticket is not None
    ticket.result(WAIT)
    assert [call.threads for call in load.calls] == [2]
    for kind in ("batch", "threads"):
        with pytest.raises(WorkbenchError, match="0"):
            adopt(workbench, kind, 0)  # type: ignore[arg-type]


# Texts.


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("mixed", [False, True])
def test_the_built_in_texts_are_the_same_each_time_and_all_different(language: Any, mixed: bool) -> None:
    made = sample_texts(language, mixed)
    assert made == sample_texts(language, mixed)
    assert made[:10] == sample_texts(language, mixed, 10)
    assert len(set(made)) == len(made) == 64
    lengths = list(map(len, made))
    assert all(97 <= length <= 100 for length in lengths) or mixed
    assert max(lengths) - min(lengths) > 100 or not mixed
    assert len(set(sample_texts(language, mixed, 1000))) == 1000, "more than there are places to begin"
    assert sum(one[:60] in NEWS[language] * 3 for one in made) > 60


def test_few_texts_come_again_each_time_otherwise() -> None:
    made = distinct(("甲", " ", "乙", "甲"), 7)
    assert made[:2] == ("甲", "乙")
    assert len(set(made)) == 7
    assert distinct(("a", "b", "c"), 2) == ("a", "b", "c"), "all of them"
    assert distinct(("", "\t"), 3) == ()


@pytest.mark.parametrize(
    ("device", "capabilities", "code"),
    [
        ("cpu", ("understand",), "padding_groups"),
        ("cpu", ("score", "generate"), "padding_none"),
        ("remote", ("score",), "padding_elsewhere"),
    ],
)
def test_whether_a_model_pads_is_said(device: str, capabilities: Any, code: str) -> None:
    info = ModelInfo("m", "1", "plain", device, "fp32", 0, 512, capabilities)
    assert how_it_pads(info).code == code


def test_the_groups_are_those_of_the_offline_model() -> None:
    windows = pytest.importorskip("engine.model.encoder.windows")
    info = ModelInfo("m", "1", "encoder", "cpu", "fp32", 0, 512, ("understand",))
    assert f"{windows.BATCH_PIECES:,}" in how_it_pads(info)


def test_the_fields_of_the_built_in_texts() -> None:
    assert sample_request("en", "extract") == ExtractRequest("", tuple(map(FieldSpec, ("person", "place", "company"))))
