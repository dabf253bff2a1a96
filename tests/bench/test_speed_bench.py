"""The speed bench on its tiny checkpoint: that engines do the same work, and what a run reports. No time is judged."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from doubles import RecordingBackend

from bench.speed import run as runner
from bench.speed import texts
from bench.speed.checkpoint import FULL, TINY, make_checkpoint, shape_of
from bench.speed.engines import KINDS, REGISTRY, Engine, Timed, engine_class
from bench.speed.engines.hf import ArticleA
from bench.speed.engines.ours import OursFp32
from bench.speed.floor import WEIGHT_BYTES, Rates, floor_seconds
from bench.speed.report import markdown
from bench.speed.results import EngineRun, figures, floors
from bench.speed.start import Started
from bench.speed.vocabulary import SPECIALS, Vocabulary
from bench.speed.work import Work, make_work, read_work
from bench.speed.workers import CannotError, Worker, WorkerError
from engine.errors import WorkbenchError
from engine.model.loader import load_backend
from engine.settings import load_settings

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_checkpoint(tmp_path_factory.mktemp("bench") / "bloom-tiny", tiny=True)


@pytest.fixture(scope="module")
def tokenizer(checkpoint: Path) -> Any:
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(checkpoint)


@pytest.fixture(scope="module")
def work(checkpoint: Path) -> Work:
    return make_work(checkpoint, tokens=64)


def loaded(name: str, checkpoint: Path, scratch: Path) -> Engine:
    made = engine_class(name)()
    made.load(checkpoint, 1, scratch)
    return made


def test_the_checkpoint_is_a_seqgpt_for_the_loader(checkpoint: Path) -> None:
    backend: Any = load_backend(load_settings(model=str(checkpoint), device="cpu"), lambda _: None, print, Event())
    assert backend.info.protocol == "seqgpt"
    assert backend.info.context == 2048
    assert backend.encode_answer("体育")[-1] == backend.encode_answer("财经")[-1]
    assert shape_of(checkpoint) == TINY


def test_a_whole_checkpoint_is_used_again_and_a_cut_one_is_not(checkpoint: Path, tmp_path: Path) -> None:
    weights = checkpoint / "model.safetensors"
    first, written = weights.read_bytes(), weights.stat().st_mtime_ns
    make_checkpoint(checkpoint, tiny=True)
    assert weights.stat().st_mtime_ns == written
    again = make_checkpoint(tmp_path / "again", tiny=True)
    (again / "model.safetensors").write_bytes(first[:1000])
    assert (make_checkpoint(again, tiny=True) / "model.safetensors").read_bytes() == first, "seeded"


def test_the_full_shape_is_bloom_560m() -> None:
    parameters = FULL.rows * FULL.hidden + FULL.weights
    assert 558e6 < parameters < 560e6
    assert 2 * FULL.weights == pytest.approx(0.604e9, rel=1e-3)


def test_the_vocabulary_has_its_size_and_is_made_of_itself() -> None:
    ids, merges = Vocabulary(30_000).tables()
    assert len(ids) == 30_000
    assert [ids[token] for token in SPECIALS] == [0, 1, 2, 3]
    made = {token for token, number in ids.items() if 4 <= number < 260}
    for left, right in merges:
        assert {left, right} <= made
        made.add(left + right)
    assert made | set(SPECIALS) == set(ids)


def test_the_tokenizer_gives_back_what_it_was_given(tokenizer: Any) -> None:
    for text in (*texts.passages(), "Zebras, quoll & ünïcode\t天空很蓝，数字 2024。", "a\n\nb  c"):
        assert tokenizer.decode(tokenizer.encode(text)) == text
    assert len(tokenizer.encode("[GEN]")) == 1
    assert [len(tokenizer.encode(word)) for word in ("科技", "公司", " city", " the")] == [1, 1, 1, 1]
    assert (tokenizer.bos_token_id, tokenizer.eos_token_id, tokenizer.pad_token_id) == (1, 2, 3)
    assert len(tokenizer.encode(texts.news())) < 0.7 * len(texts.news())


def test_the_work_is_what_it_says(work: Work, tokenizer: Any) -> None:
    assert read_work(json.loads(json.dumps(work.as_json()))) == work
    assert len(tokenizer.encode(work.text)) == 64
    assert len(work.labels) == len(work.label_names) == 8
    assert {len(label) for label in work.labels} == {2, 3, 4, 5, 6}
    assert len(work.relabel_labels) == 9
    assert len(set(work.relabel_names) - set(work.label_names)) == 2
    assert tokenizer.decode(work.prompt).startswith(f"输入: {work.text}\n分类: {work.label_names[0]}，")
    assert tokenizer.decode(work.extract_prompt).endswith("[GEN]")
    assert tokenizer.decode(work.extract_answer) == work.answer
    assert 40 <= len(work.extract_answer) <= 48
    assert 0 < work.extract_passes < len(work.extract_answer), "forced tokens are read with others"
    values = [line.partition(": ")[2] for line in work.answer.splitlines()]
    assert len(values) == len(work.fields) == 6
    assert all(value in work.text for value in values)
    assert len(work.batch) == len(work.texts) == 8
    assert max(map(len, work.batch)) > 2 * min(map(len, work.batch))


@pytest.mark.parametrize("name", ["official", "hf-greedy", "ours-fp32"])
def test_engines_do_all_their_work(name: str, work: Work, checkpoint: Path, tmp_path: Path) -> None:
    engine = loaded(name, checkpoint, tmp_path)
    counts = {}
    for kind in KINDS:
        try:
            timed = engine.timed(kind, work)
        except NotImplementedError:
            continue
        counts[kind] = timed.tokens
        assert timed.seconds > 0
        assert not timed.extrapolated
    generated = {"classify": 6, "relabel": 6, "extract": len(work.extract_answer)}
    scored = {
        "classify": len({label[:end] for label in work.labels for end in range(1, 7)} - {()}),
        "relabel": len({label[:end] for label in work.relabel_labels for end in range(1, 7)}),
        "extract": len(work.extract_answer),
    }
    expected = scored if name == "ours-fp32" else generated
    if name != "official":
        expected["batch"] = 8 * expected["classify"]
    assert counts == {"prefill": 0} | expected
    assert engine.how
    assert engine.precision in WEIGHT_BYTES


def test_without_a_cache_the_whole_is_worked_out_from_two_tokens(
    work: Work, checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = loaded("article-a", checkpoint, tmp_path)
    assert engine.classify(work) == 6
    assert not engine.timed("prefill", work).extrapolated
    run: list[int] = []
    monkeypatch.setattr(ArticleA, "_seconds", lambda _, ids: run.append(len(ids)) or float(len(run)))
    timed = engine.timed("extract", work)
    count = len(work.extract_answer)
    assert run == [len(work.extract_prompt), len(work.extract_prompt) + count - 1]
    assert timed == Timed(1.5 * count, count, extrapolated=True, step_seconds=1.5)
    with pytest.raises(NotImplementedError):
        engine.timed("batch", work)


def test_our_answer_is_the_right_one_and_its_steps_are_timed(work: Work, checkpoint: Path, tmp_path: Path) -> None:
    engine = loaded("ours-fp32", checkpoint, tmp_path)
    timed = engine.timed("extract", work)
    assert timed.step_seconds is not None
    assert 0 < timed.step_seconds < timed.seconds
    with pytest.raises(ValueError, match="does not allow"):
        engine.extract(replace(work, answer="谁: 谁\n"))


def test_we_forget_before_all_work_but_a_label_edit(work: Work) -> None:
    calls: list[str] = []
    backend: Any = RecordingBackend()
    engine = OursFp32()
    engine._backend, engine._last = backend, ""
    backend.forget = lambda: calls.append("forget")
    engine.classify = lambda _: calls.append("classify") or 0  # type: ignore[method-assign, func-returns-value]
    for kind in ("prefill", "classify", "relabel", "extract"):
        engine.prepare(kind, work)
    assert calls == ["forget"] * 3
    engine.prepare("relabel", work)
    assert calls[3:] == ["forget", "classify"], "the text is read first where it was not just now"


def test_floors_follow_rates_and_bandwidth(work: Work) -> None:
    slow_read = Rates(1, read=1e6, multiply={"fp32": 1e15, "fp16": 1e15, "int8": 1e15})
    step = {name: floor_seconds("step", name, work, TINY, slow_read) for name in WEIGHT_BYTES}
    assert step == {name: TINY.weights * size / 1e6 for name, size in WEIGHT_BYTES.items()}
    assert floor_seconds("extract", "int8", work, TINY, slow_read) == pytest.approx(
        step["int8"] * (1 + work.extract_passes)
    )
    slow_sums = Rates(1, read=1e15, multiply={"fp32": 1e9, "fp16": 1e9, "int8": 2e9})
    token = 2 * TINY.weights / 1e9
    assert floor_seconds("prefill", "fp32", work, TINY, slow_sums) == pytest.approx(token * len(work.prompt))
    assert floor_seconds("prefill", "q8_0", work, TINY, slow_sums) == pytest.approx(token / 2 * len(work.prompt))
    edit, first = (floor_seconds(kind, "fp32", work, TINY, slow_sums) for kind in ("relabel", "classify"))
    assert edit < first
    assert floor_seconds("batch", "fp32", work, TINY, slow_sums) > first


def test_medians_and_ratios(work: Work) -> None:
    rates = Rates(1, read=1e9, multiply={"fp32": 1e9, "fp16": 1e9, "int8": 1e9})
    least = floors(work, TINY, rates)
    official = EngineRun("official", "fp32", "beams", times={"classify": [Timed(8, 6), Timed(6, 6), Timed(9, 6)]})
    ours = EngineRun(
        "ours-int8",
        "int8",
        "scores",
        peak_bytes=2**30,
        times={"classify": [Timed(2, 28), Timed(4, 28)], "relabel": [Timed(1, 30)]},
        starts=[Started(5.0, 2**30)],
    )
    peer = EngineRun(
        "ctranslate2-int8",
        "int8",
        "greedy",
        times={"classify": [Timed(6, 6)], "prefill": [Timed(1, 0)], "extract": [Timed(5, 40)]},
    )
    gone = EngineRun("openvino-int8", skipped="not installed")
    by_name = {one["name"]: one for one in figures([official, ours, peer, gone], least)}
    classify = by_name["ours-int8"]["works"]["classify"]
    assert (classify["median"], classify["min"], classify["max"]) == (3, 2, 4)
    assert classify["times_official"] == pytest.approx(8 / 3)
    assert classify["over_floor"] == pytest.approx(3 / least["int8"]["classify"])
    assert by_name["ctranslate2-int8"]["works"]["step"]["median"] == pytest.approx(0.1)
    assert by_name["ctranslate2-int8"]["works"]["step"]["derived"]
    assert by_name["openvino-int8"]["works"] == {}
    document = {
        "machine": {"processor": "a machine"},
        "threads": 1,
        "repeats": 3,
        "checkpoint": {"name": "tiny"},
        "work": {"text_tokens": 64, "labels": 8, "fields": 6, "batch": 16},
        "floor": {"rates": {"read": 1e9, "multiply": {"fp32": 1e9}}},
        "groups": [["official"], ["ours-int8"]],
        "engines": list(by_name.values()),
    }
    shown = markdown(document)
    assert "| ours-int8 |  |  | 3 (2–4) | 1 |  |  | 5 | 1.00 GB |" in shown
    assert "ours-int8: classify 2 times as fast as ctranslate2-int8; a label edit 3 times as fast" in shown
    assert "openvino-int8 was left out: not installed" in shown
    assert "side by side were: official; ours-int8" in shown


def test_groups_fit_into_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    names = list(REGISTRY)
    monkeypatch.setattr(runner, "_gigabytes", lambda _: 3.0)
    monkeypatch.setattr(runner, "_MOST_GIGABYTES", 7.0)
    groups = runner._groups(names)
    assert sorted(name for group in groups for name in group) == sorted(names)
    assert max(map(len, groups)) <= 2
    assert set(groups[0]) <= {"official", "ours-int8"}


@pytest.mark.parametrize("engines", ["ours-int9", "official,nobody", ""])
def test_unknown_engines_are_named(engines: str) -> None:
    with pytest.raises(WorkbenchError, match="engines"):
        runner.measure(engines=engines, tiny=True)


def test_a_side_process_tells_its_failures(checkpoint: Path, work: Work, tmp_path: Path) -> None:
    with Worker(1, tmp_path / "log") as worker:
        options: dict[str, Any] = {"threads": 1, "scratch": str(tmp_path / "own"), "work": work.as_json()}
        with pytest.raises(WorkerError, match="nowhere"):
            worker.ask("load", engine="official", checkpoint=str(tmp_path / "nowhere"), **options)
        assert worker.ask("load", engine="official", checkpoint=str(checkpoint), **options)["missing"] == ""
        with pytest.raises(CannotError):
            worker.ask("time", kind="batch")
        assert Timed(**worker.ask("time", kind="classify")).tokens == 6
        assert worker.ask("peak") > 2**26
        with pytest.raises(WorkerError, match="its process ended"):
            worker.ask("no_such_command")


def test_a_run_from_end_to_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "run.json"
    runner.measure(repeats=1, engines="hf-greedy,ours-fp32", tiny=True, threads=1, tokens=48, json_file=file)
    document = json.loads(file.read_text("utf-8"))
    assert {
        "bench", "version", "command", "started", "machine", "load_average_after", "packages", "threads", "repeats",
        "checkpoint", "work", "floor", "groups", "engines",
    } == set(document)  # fmt: skip
    assert document["packages"]["torch"]
    assert document["floor"]["rates"]["read"] > 0
    assert [one["name"] for one in document["engines"]] == ["hf-greedy", "ours-fp32"]
    for one in document["engines"]:
        assert not one["failed"]
        assert set(one["works"]) == {*KINDS, "step"}
        assert all(len(one["works"][kind]["raw"]) == 1 for kind in KINDS)
        assert all(figure["over_floor"] > 0 for figure in one["works"].values())
        assert one["peak_bytes"] > 2**26
    start = document["engines"][1]["start"]
    assert start["raw"][0]["seconds"] > 0
    out = capsys.readouterr().out
    rows: Callable[[str], int] = lambda name: sum(line.startswith(f"| {name} |") for line in out.splitlines())  # noqa: E731
    assert rows("engine") == rows("hf-greedy") == rows("ours-fp32") == 2
