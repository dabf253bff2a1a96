"""Answers kept for requests that come again: when two requests are the same, what is kept, and for how long."""

import os
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from doubles import WritingBackend
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import engine
from engine.errors import WorkbenchError
from engine.messages import Phrase
from engine.model.fake import FakeBackend
from engine.phrases import PHRASES
from engine.run import result_cache, result_file, result_key
from engine.run.classify import Classifier
from engine.run.extract import Extractor
from engine.run.prompt import Prompter
from engine.run.result_cache import ResultCache, is_whole, open_cache
from engine.run.result_file import ENTRY_BYTES, CacheSize, ResultFile
from engine.run.result_form import read, write
from engine.run.result_key import ModelIdentity
from engine.settings import load_settings
from engine.types import (
    ClassifyRequest,
    ClassifyResult,
    ExtractRequest,
    ExtractResult,
    FieldSpec,
    FreeAnswer,
    ModelInfo,
    Note,
    PromptRequest,
    PromptResult,
    TypedValue,
    Writing,
)

ROOT = Path(__file__).parents[2]
BACKEND = FakeBackend(delay=0)
MODEL = ModelIdentity(BACKEND.info)
TEXT = "甲方：A公司，金额：3.5万元，日期：去年，电话：bad，名：\ud800x"
FIELDS = (
    FieldSpec("甲方", required=True),
    FieldSpec("总价", asked=("金额",), type="money"),
    FieldSpec("日期", type="date"),
    FieldSpec("电话", type="phone"),
    FieldSpec("名"),
    FieldSpec("缺", required=True),
)
CLASSIFY = ClassifyRequest("今天的体育新闻", ("财经", "体育"))
EXTRACT = ExtractRequest(TEXT, FIELDS, free=True)


def key(request: Any, identity: ModelIdentity = MODEL) -> bytes:
    return result_key.result_key(request, identity).digest


def classified(text: str = CLASSIFY.text, **options: Any) -> tuple[ClassifyRequest, ClassifyResult]:
    request = replace(CLASSIFY, text=text, **options)
    return request, Classifier(BACKEND)(request)


def as_computed(result: Any) -> Any:
    """Without the mark of a kept answer, and without times."""
    return replace(result, usage=replace(result.usage, latency_ms=0.0, computed_ms=None))


# Keys.

_texts = st.text(max_size=6)
_scalars = _texts | st.integers(-5, 5) | st.booleans() | st.floats(allow_nan=False)
_phrases = st.sampled_from([code for code, text in PHRASES.items() if "{" not in text]).map(Phrase)
_notes = st.builds(Note, _texts, st.dictionaries(_texts, _scalars | _phrases, max_size=2))


def _made(kind: type, **given: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Any instance, its fields with a default too."""
    return st.builds(kind, **({one.name: ... for one in fields(kind)} | given))


MADE: dict[type, st.SearchStrategy[Any]] = {
    ClassifyRequest: _made(ClassifyRequest, threshold=st.none() | st.floats(0, 1)),
    ExtractRequest: _made(ExtractRequest, fields=st.lists(_made(FieldSpec), max_size=2).map(tuple)),
    PromptRequest: _made(PromptRequest),
    FieldSpec: _made(FieldSpec),
    ModelInfo: _made(ModelInfo, notes=st.lists(_notes, max_size=2).map(tuple)),
}
EVERY = [(kind, one.name) for kind in MADE for one in fields(kind)]


@pytest.mark.parametrize(("kind", "name"), EVERY, ids=lambda one: one if isinstance(one, str) else one.__name__)
@settings(max_examples=25)
@given(data=st.data())
def test_any_one_field_that_differs_is_another_key(kind: type, name: str, data: st.DataObject) -> None:
    one, other = data.draw(MADE[kind]), data.draw(MADE[kind])
    assume(getattr(one, name) != getattr(other, name))
    changed = replace(one, **{name: getattr(other, name)})
    if kind is FieldSpec:
        assert key(ExtractRequest("t", (one,))) != key(ExtractRequest("t", (changed,)))
    elif kind is ModelInfo:
        assert key(CLASSIFY, ModelIdentity(one)) != key(CLASSIFY, ModelIdentity(changed))
        asked = PromptRequest("x")
        assert key(asked, ModelIdentity(BACKEND.info, one)) != key(asked, ModelIdentity(BACKEND.info, changed))
    else:
        assert key(one) != key(changed)


@given(data=st.data())
def test_the_same_request_has_the_same_key(data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from([ClassifyRequest, ExtractRequest, PromptRequest]))
    request, info = data.draw(MADE[kind]), data.draw(MADE[ModelInfo])
    again = replace(request, **{one.name: getattr(request, one.name) for one in fields(kind)})
    assert key(request, ModelIdentity(info)) == key(again, ModelIdentity(replace(info)))


def test_tasks_are_told_apart_and_order_counts() -> None:
    assert len({key(CLASSIFY), key(PromptRequest(CLASSIFY.text)), key(ExtractRequest(CLASSIFY.text, ()))}) == 3
    assert key(CLASSIFY) != key(replace(CLASSIFY, labels=CLASSIFY.labels[::-1]))
    assert key(ClassifyRequest("a", ("b", "c"))) != key(ClassifyRequest("a", ("b,c",)))


def test_a_writer_counts_for_free_prompts_alone() -> None:
    beside = replace(MODEL, writer=replace(BACKEND.info, name="writer"))
    assert key(CLASSIFY) == key(CLASSIFY, beside)
    assert key(PromptRequest("x")) != key(PromptRequest("x"), beside)


@pytest.mark.parametrize("revision", ["local", "main", "master", ""])
def test_files_that_may_change_are_asked_again_after_each_load_and_never_kept_on_disk(revision: str) -> None:
    one = ModelIdentity(replace(BACKEND.info, revision=revision), load=1)
    assert key(CLASSIFY, one) != key(CLASSIFY, replace(one, load=2))
    assert not result_key.result_key(CLASSIFY, one).lasting
    assert key(CLASSIFY) == key(CLASSIFY, replace(MODEL, load=2))
    assert result_key.result_key(CLASSIFY, MODEL).lasting
    beside = ModelIdentity(BACKEND.info, one.model)
    assert result_key.result_key(CLASSIFY, beside).lasting
    assert not result_key.result_key(PromptRequest("x"), beside).lasting


def test_other_code_is_another_key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found = {key(CLASSIFY)}

    def look() -> None:
        result_key._code.cache_clear()
        found.add(key(CLASSIFY))

    with monkeypatch.context() as changed:
        changed.setattr(engine, "__version__", "0.0.0")
        look()
        changed.setattr(result_key, "FORMAT", result_key.FORMAT + 1)
        look()
        changed.setattr(result_key, "version", lambda library: "9" if library == "torch" else "1")
        look()
        (tmp_path / "run").mkdir()
        (tmp_path / "run" / "classify.py").write_text("x = 1")
        changed.setattr(engine, "__file__", str(tmp_path / "__init__.py"))
        look()
        (tmp_path / "run" / "classify.py").write_text("x = 2")
        look()
    assert len(found) == 6
    look()
    assert len(found) == 6


# The form on disk.


HUB = Note("choice_reason", {"name": "x", "reason": Phrase("hub_silent", wanted="a", url="b")})
RESULTS: dict[str, Callable[[], Any]] = {
    "classify": lambda: classified(free=True, labels=("财经", "体育", "体育"))[1],
    "notes": lambda: Classifier(BACKEND)(ClassifyRequest("an English text [GEN] \u200b", ("Спорт", "мир"), multi=True)),
    "model": lambda: replace(classified()[1], model=replace(BACKEND.info, notes=(HUB,))),
    "extract": lambda: Extractor(BACKEND)(EXTRACT),
    "parts": lambda: Extractor(BACKEND)(replace(EXTRACT, text=TEXT * 60, mentions="all")),
    "prompt": lambda: Prompter(BACKEND)(PromptRequest("Say \udfff 💹", Writing(4))),
}


@pytest.mark.parametrize("name", RESULTS)
def test_what_is_written_is_read_back_the_same(name: str) -> None:
    result = RESULTS[name]()
    again = read(type(result), write(result))
    assert again == result
    assert phrases(again) == phrases(result)


def phrases(one: Any) -> list[tuple[str, Any]]:
    """Every phrase inside, in order; a text that only reads like one is none."""
    if isinstance(one, Phrase):
        return [(one.code, one.details)]
    if hasattr(one, "__dataclass_fields__"):
        one = tuple(vars(one).values())
    if isinstance(one, dict):
        one = tuple(one.values())
    return [found for part in one for found in phrases(part)] if isinstance(one, tuple) else []


def test_the_results_above_hold_phrases_in_notes_and_values() -> None:
    found = {code for make in RESULTS.values() for code, _ in phrases(make())}
    assert found >= {"script_latin", "script_cyrillic", "not_a_phone", "hub_silent"}


@given(text=st.text(min_size=1, max_size=80), labels=st.lists(st.text(min_size=1, max_size=9), min_size=1, max_size=5))
def test_any_answer_survives(text: str, labels: list[str]) -> None:
    try:
        result = Classifier(BACKEND)(ClassifyRequest(text, tuple(labels), free=True))
    except WorkbenchError:
        return
    assert read(ClassifyResult, write(result)) == result


@given(text=st.text(min_size=1, max_size=80), names=st.lists(st.text(min_size=1, max_size=9), min_size=1, max_size=3))
def test_any_extraction_survives(text: str, names: list[str]) -> None:
    try:
        result = Extractor(BACKEND)(ExtractRequest(text, tuple(FieldSpec(one, type="number") for one in names)))
    except WorkbenchError:
        return
    assert read(ExtractResult, write(result)) == result


def test_what_would_come_back_as_something_else_is_not_kept(caplog: pytest.LogCaptureFixture) -> None:
    request, result = classified()
    cache = ResultCache(1 << 20)
    for odd in (Path("x"), ("a",), [1]):
        cache.keep(request, MODEL, replace(result, notes=(Note("one_label", {"odd": odd}),)))
        assert cache.size() == CacheSize()
    assert "cannot be kept" in caplog.text


# In memory.


def test_a_kept_answer_is_marked_and_is_the_same_otherwise() -> None:
    cache = ResultCache(1 << 20)
    request, result = classified()
    assert cache.find(request, MODEL, ClassifyResult) is None
    cache.keep(request, MODEL, result)
    found = cache.find(request, MODEL, ClassifyResult, queue_ms=7.0)
    assert found is not None
    assert as_computed(found) == as_computed(replace(result, usage=replace(result.usage, queue_ms=7.0)))
    assert (result.usage.cached, found.usage.cached) == (False, True)
    assert found.usage.computed_ms == result.usage.latency_ms
    assert found.usage.latency_ms > 0
    assert cache.find(replace(request, multi=True), MODEL, ClassifyResult) is None


def test_bytes_are_bounded_and_the_least_recently_used_goes_first() -> None:
    made = [classified(f"text {number}") for number in range(4)]
    sizes = [len(write(result)) + ENTRY_BYTES for _, result in made]
    cache = ResultCache(sum(sizes[:3]) + 50)
    for request, result in made[:3]:
        cache.keep(request, MODEL, result)
    assert cache.size() == CacheSize(3, sum(sizes[:3]))
    assert cache.find(made[0][0], MODEL, ClassifyResult)
    cache.keep(*made[2][:1], MODEL, made[2][1])  # again: nothing is counted twice
    assert cache.size() == CacheSize(3, sum(sizes[:3]))
    cache.keep(made[3][0], MODEL, made[3][1])
    kept = [cache.find(request, MODEL, ClassifyResult) is not None for request, _ in made]
    assert kept == [True, False, True, True]
    assert cache.size().bytes <= sum(sizes[:3]) + 50


def test_an_answer_larger_than_all_room_pushes_nothing_out() -> None:
    request, result = classified()
    size = len(write(result)) + ENTRY_BYTES
    cache = ResultCache(size)
    cache.keep(request, MODEL, result)
    large = classified("long " * 150)
    cache.keep(large[0], MODEL, large[1])
    assert cache.size() == CacheSize(1, size)
    cache.clear()
    assert cache.size() == CacheSize()
    assert cache.find(request, MODEL, ClassifyResult) is None


def test_nothing_is_kept_where_it_is_switched_off(tmp_path: Path) -> None:
    cache = open_cache(load_settings(result_cache="0", result_cache_disk=True, data_dir=tmp_path))
    request, result = classified()
    cache.keep(request, MODEL, result)
    assert cache.find(request, MODEL, ClassifyResult) is None
    assert cache.size() == CacheSize()
    assert list(tmp_path.iterdir()) == []


def test_only_whole_answers_are_kept() -> None:
    request, result = classified(free=True)
    assert is_whole(result)
    assert isinstance(result.free, FreeAnswer)
    stopped = [Note("stopped_early", {"done": 1, "total": 2}), Note("stopped_free")]
    for note in stopped:
        assert not is_whole(replace(result, notes=(note,)))
        assert not is_whole(replace(result, free=replace(result.free, notes=(note,))))
    cache = ResultCache(1 << 20)
    cache.keep(request, MODEL, replace(result, notes=(stopped[1],)))
    assert cache.size() == CacheSize()
    stop = threading.Event()

    class Stopping(WritingBackend):
        def generate(self, *arguments: Any, **options: Any) -> Any:
            stop.set()
            return super().generate(*arguments, **options)

    backend = Stopping(lambda grammar: "".join(f"{line.label}: 无\n" for line in grammar.lines))
    extracted = Extractor(backend)(EXTRACT, stop)
    assert "stopped_free" in {note.code for note in extracted.notes}
    assert not is_whole(extracted)


def test_what_may_have_run_out_of_time_is_not_kept() -> None:
    fine = Extractor(BACKEND)(ExtractRequest("f: aab", (FieldSpec("f", type="regex", pattern="a+b"),)))
    assert is_whole(fine)
    (answer,) = fine.fields
    for code, whole in (("not_matching", True), ("bad_pattern", False)):
        value = replace(answer.values[0], typed=TypedValue(None, Phrase(code)))
        assert is_whole(replace(fine, fields=(replace(answer, values=(value,)),))) is whole
    searched = replace(fine, prompts=(), usage=replace(fine.usage, latency_ms=result_cache._SEARCH_MS))
    assert not is_whole(searched)
    assert is_whole(replace(searched, usage=replace(fine.usage, latency_ms=30.0)))


# On disk.


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Any]:
    """Opens caches over one data folder, and closes each at the end."""
    made: list[ResultCache] = []

    def open_(limit: int = 1 << 20, memory: int = 0) -> ResultCache:
        made.append(ResultCache(memory, ResultFile(tmp_path / "data", limit)))
        return made[-1]

    yield open_
    for one in made:
        one.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "results.sqlite3"


def raw(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, isolation_level=None)


def run_sql(path: Path, *statements: str) -> list[Any]:
    """Rows of the last statement, by a connection of its own."""
    connection = raw(path)
    try:
        for one in statements:
            rows = connection.execute(one).fetchall()
        return rows
    finally:
        connection.close()


def test_another_process_finds_it(disk: Any) -> None:
    first, second = disk(), disk()
    for request, kind in ((CLASSIFY, ClassifyResult), (EXTRACT, ExtractResult), (PromptRequest("Say"), PromptResult)):
        task: Any = {ClassifyResult: Classifier, ExtractResult: Extractor, PromptResult: Prompter}[kind](BACKEND)
        result = task(request)
        first.keep(request, MODEL, result)
        found = second.find(request, MODEL, kind)
        assert as_computed(found) == as_computed(result)
        assert found.usage.computed_ms == result.usage.latency_ms
    assert first.size() == second.size()
    assert second.size().answers == 3
    second.clear()
    assert first.size() == CacheSize()
    assert first.find(CLASSIFY, MODEL, ClassifyResult) is None


def test_what_is_found_on_disk_is_in_memory_from_then_on(disk: Any, path: Path) -> None:
    request, result = classified()
    disk().keep(request, MODEL, result)
    cache = disk(memory=1 << 20)
    assert cache.find(request, MODEL, ClassifyResult)
    run_sql(path, "DELETE FROM results")
    assert cache.find(request, MODEL, ClassifyResult)
    assert disk().find(request, MODEL, ClassifyResult) is None


def test_a_model_whose_files_may_change_is_in_memory_only(disk: Any, path: Path) -> None:
    request, result = classified()
    local = ModelIdentity(replace(BACKEND.info, revision="local"))
    cache = disk(memory=1 << 20)
    cache.keep(request, local, result)
    assert cache.find(request, local, ClassifyResult)
    assert not path.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="no modes")
def test_only_the_user_may_read_it(disk: Any, path: Path) -> None:
    mask = os.umask(0)
    try:
        disk().keep(*classified()[:1], MODEL, classified()[1])
        modes = {one.name: stat.S_IMODE(one.stat().st_mode) for one in path.parent.iterdir()}
    finally:
        os.umask(mask)
    assert set(modes) >= {path.name, path.name + "-wal"}
    assert set(modes.values()) == {0o600}
    path.chmod(0o644)
    other = disk()
    other.find(CLASSIFY, MODEL, ClassifyResult)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_the_disk_is_bounded_and_the_least_recently_used_goes_first(disk: Any, path: Path) -> None:
    made = [classified(f"text {number}") for number in range(4)]
    sizes = [len(write(result)) + ENTRY_BYTES for _, result in made]
    cache = disk(limit=sum(sizes[:3]) + 50)
    for request, result in made[:3]:
        cache.keep(request, MODEL, result)
    assert cache.find(made[0][0], MODEL, ClassifyResult)
    cache.keep(made[2][0], MODEL, made[2][1])
    assert cache.size() == CacheSize(3, sum(sizes[:3]))
    cache.keep(made[3][0], MODEL, made[3][1])
    assert [cache.find(request, MODEL, ClassifyResult) is not None for request, _ in made] == [True, False, True, True]
    assert run_sql(path, "SELECT count(*), sum(bytes) FROM results") == run_sql(path, "SELECT * FROM total")
    large = classified(labels=tuple(f"label {number}" for number in range(90)))
    cache.keep(large[0], MODEL, large[1])
    assert cache.size().answers == 3


def test_what_is_cleared_is_not_in_the_file_any_more(disk: Any, path: Path) -> None:
    cache = disk(memory=1 << 20)
    request, result = classified("secret words of a user " * 30)
    cache.keep(request, MODEL, result)
    cache.find(request, MODEL, ClassifyResult)
    assert any(b"secret words" in one.read_bytes() for one in path.parent.iterdir())
    cache.clear()
    cache.close()
    assert not any(b"secret words" in one.read_bytes() for one in path.parent.iterdir())
    cache.keep(request, MODEL, result)
    assert cache.size().answers == 1


def test_clearing_what_is_not_there_makes_no_file(disk: Any, path: Path) -> None:
    cache = disk()
    cache.clear()
    assert cache.size() == CacheSize()
    assert not path.exists()


def test_the_file_says_its_version_and_an_empty_one_is_brought_up_to_it(disk: Any, path: Path) -> None:
    path.parent.mkdir()
    path.touch()
    disk().keep(*classified()[:1], MODEL, classified()[1])
    assert run_sql(path, "PRAGMA user_version") == [(len(result_file._MIGRATIONS),)]
    assert run_sql(path, "PRAGMA journal_mode") == [("wal",)]


def test_a_file_of_an_earlier_version_is_migrated_and_keeps_what_it_holds(
    disk: Any, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request, result = classified()
    disk().keep(request, MODEL, result)
    more = (*result_file._MIGRATIONS, ("ALTER TABLE total ADD COLUMN hits INTEGER NOT NULL DEFAULT 0",))
    monkeypatch.setattr(result_file, "_MIGRATIONS", more)
    assert disk().find(request, MODEL, ClassifyResult)
    assert run_sql(path, "PRAGMA user_version") == [(2,)]


def _damage_header(path: Path) -> None:
    path.write_bytes(b"nothing that a database begins with " * 100)


def _damage_middle(path: Path) -> None:
    body = bytearray(path.read_bytes())
    body[200 : len(body)] = os.urandom(len(body) - 200)
    path.write_bytes(body)


def _other_tables(path: Path) -> None:
    run_sql(path, "DROP TABLE results", "CREATE TABLE results (something TEXT)")


def _no_total(path: Path) -> None:
    run_sql(path, "DELETE FROM total")


def _later_version(path: Path) -> None:
    run_sql(path, "PRAGMA user_version = 99")


@pytest.mark.parametrize("damage", [_damage_header, _damage_middle, _other_tables, _no_total, _later_version])
def test_a_damaged_file_is_logged_and_memory_serves(
    disk: Any, path: Path, damage: Any, caplog: pytest.LogCaptureFixture
) -> None:
    request, result = classified()
    before = disk()
    before.keep(request, MODEL, result)
    before.close()
    damage(path)
    cache = disk(memory=1 << 20)
    cache.size()
    cache.find(replace(request, text="other"), MODEL, ClassifyResult)
    cache.keep(request, MODEL, result)
    assert cache.find(request, MODEL, ClassifyResult)
    assert cache.size().answers >= 1
    assert len([one for one in caplog.records if "until the result cache is cleared" in one.message]) == 1
    cache.clear()
    cache.keep(request, MODEL, result)
    assert disk().find(request, MODEL, ClassifyResult)
    assert cache.size().answers == 1


def test_a_row_that_cannot_be_read_is_dropped(disk: Any, path: Path, caplog: pytest.LogCaptureFixture) -> None:
    request, result = classified()
    noted = replace(result, notes=(Note("choice_reason", {"reason": Phrase("on_disk")}),))
    for body in (b"{", b"{}", b"[]", write(noted).replace(b'"on_disk"', b'"no_such_phrase"'), b"\xff"):
        cache = disk(memory=1 << 20)
        cache.keep(request, MODEL, result)
        connection = raw(path)
        connection.execute("UPDATE results SET body = ?", (body,))
        connection.close()
        assert disk().find(request, MODEL, ClassifyResult) is None
        assert disk().size() == CacheSize()
        assert cache.find(request, MODEL, ClassifyResult)
    assert "is dropped" in caplog.text


def test_a_locked_file_holds_nobody_up_for_long(
    disk: Any, path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(result_file, "_WAIT", 0.05)
    request, result = classified()
    disk().keep(request, MODEL, result)
    cache = disk(memory=1 << 20)
    other, late = replace(request, text="other"), replace(request, text="late")
    holder = raw(path)
    holder.execute("BEGIN EXCLUSIVE")
    assert cache.find(request, MODEL, ClassifyResult), "who writes does not keep others from reading"
    cache.keep(other, MODEL, result)
    assert cache.find(other, MODEL, ClassifyResult)
    assert "for a while" in caplog.text
    holder.execute("COMMIT")
    cache.keep(late, MODEL, result)
    assert disk().find(late, MODEL, ClassifyResult) is None, "it is left alone for a while"
    monkeypatch.setattr(cache._file, "_resumes", 0.0)
    cache.keep(late, MODEL, result)
    assert disk().find(late, MODEL, ClassifyResult)
    holder.execute("BEGIN EXCLUSIVE")
    with pytest.raises(WorkbenchError) as caught:
        cache.clear()
    assert caught.value.code == "file_not_written"
    holder.close()
    cache.clear()
    assert cache.size() == CacheSize()


def test_a_folder_that_cannot_be_written_is_no_fault(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("")
    cache = ResultCache(1 << 20, ResultFile(tmp_path / "file" / "below", 1 << 20))
    request, result = classified()
    cache.keep(request, MODEL, result)
    assert cache.find(request, MODEL, ClassifyResult)
    assert "is not used for a while" in caplog.text


def test_threads_at_once(disk: Any, path: Path) -> None:
    caches = [disk(memory=1 << 20), disk()]
    faults: list[BaseException] = []

    def client(number: int) -> None:
        try:
            for turn in range(25):
                request, result = classified(f"text {(number + turn) % 30}")
                found = caches[number % 2].answer(request, MODEL, ClassifyResult, lambda kept=result: kept)
                assert as_computed(found) == as_computed(result)
                if turn == 12 and number == 3:
                    caches[0].clear()
        except BaseException as fault:
            faults.append(fault)

    threads = [threading.Thread(target=client, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert faults == []
    assert run_sql(path, "PRAGMA integrity_check") == [("ok",)]
    assert run_sql(path, "SELECT count(*), coalesce(sum(bytes), 0) FROM results") == run_sql(
        path, "SELECT * FROM total"
    )


def test_processes_at_once(path: Path, disk: Any) -> None:
    code = (
        "import sys; sys.path.insert(0, 'tests'); from pathlib import Path\n"
        "from engine.run.result_file import ResultFile\n"
        "file = ResultFile(Path(sys.argv[1]), 1 << 20)\n"
        "for number in range(40): file.put(bytes([number]) * 32, bytes([number]) * 100)\n"
        "found = [file.get(bytes([number]) * 32) for number in range(40)]\n"
        "file.close(); print(sum(one is not None for one in found))\n"
    )
    command = [sys.executable, "-c", code, str(path.parent)]
    running = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(3)]
    done = [one.communicate(timeout=60) for one in running]
    assert [out.strip() for out, _ in done] == [b"40"] * 3, done
    assert run_sql(path, "PRAGMA integrity_check") == [("ok",)]
    assert disk().size() == CacheSize(40, 40 * (100 + ENTRY_BYTES))


def test_the_settings_say_how_much_and_where(tmp_path: Path) -> None:
    chosen = load_settings(result_cache="1m", result_cache_disk=True, data_dir=tmp_path)
    both, disk_only = open_cache(chosen), open_cache(chosen, memory=False)
    request, result = classified()
    both.keep(request, MODEL, result)
    assert disk_only.find(request, MODEL, ClassifyResult)
    both.close()
    disk_only.close()
    assert (both._limit, disk_only._limit) == (1 << 20, 0)
    assert both._file is not None
    assert both._file._limit == 16 << 20
    assert open_cache(load_settings(data_dir=tmp_path))._file is None
