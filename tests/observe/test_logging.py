"""The log: one line a line, JSON that parses, texts only where asked for, and the last lines for the pages."""

import io
import json
import logging
import threading
import warnings
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import pytest
from doubles import WAIT
from hypothesis import given
from hypothesis import strategies as st
from observe.records import record

from engine.errors import WorkbenchError
from engine.model.fake import FakeBackend
from engine.observe.log import JsonLines, Ring, TextLines, log_lines, log_request, setup_log, visible
from engine.observe.types import LogLine
from engine.run.workbench import Workbench
from engine.settings import Settings
from engine.types import ClassifyRequest

ENGINE = logging.getLogger("engine.test")
NAMES = (
    "",
    "engine",
    "transformers",
    "huggingface_hub",
    "streamlit",
    "ray",
    "httpx",
    "httpcore",
    "filelock",
    "urllib3",
)
FIELDS = [
    *("time", "level", "logger", "message", "request", "task", "batch", "characters", "prompt_tokens", "output_tokens"),
    *("latency_ms", "queue_ms", "cached", "together", "error"),
]


@pytest.fixture(autouse=True)
def log() -> Iterator[None]:
    """Every logger as it was, afterwards."""
    before = {name: (logging.getLogger(name).handlers[:], logging.getLogger(name).level) for name in NAMES}
    propagate = logging.getLogger("transformers").propagate
    shown = warnings.showwarning
    yield
    logging.captureWarnings(False)
    warnings.showwarning = shown
    for name, (handlers, level) in before.items():
        logging.getLogger(name).handlers[:] = handlers
        logging.getLogger(name).setLevel(level)
    logging.getLogger("transformers").propagate = propagate


def set_up(**given: Any) -> io.StringIO:
    stream = io.StringIO()
    setup_log(Settings(**given), stream)
    return stream


def last() -> LogLine:
    return log_lines("DEBUG")[-1]


def made(message: str, *arguments: object, **fields: object) -> logging.LogRecord:
    one = logging.LogRecord("engine.x", logging.INFO, "f.py", 1, message, arguments, None)
    one.__dict__.update(fields)
    return one


# Lines of text.


def test_a_line_has_its_level_and_logger() -> None:
    stream = set_up()
    ENGINE.warning("memory is %s", "short")
    assert stream.getvalue() == "WARNING engine.test: memory is short\n"


@pytest.mark.parametrize("ending", ["\n", "\r", "\r\n", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029"])
def test_a_message_cannot_forge_a_line(ending: str) -> None:
    for json_lines in (False, True):
        stream = set_up(log_json=json_lines)
        ENGINE.warning("read %s", f"x{ending}ERROR engine.run: all is lost")
        assert len(stream.getvalue().splitlines()) == 1
    assert last().text.count("\n") == 0
    assert len(last().text.splitlines()) == 1


@pytest.mark.parametrize("hidden", ["\x1b[2J", "\x00", "\x07", "\x7f", "\x9b31m", "\u202e", "\u2066"])
def test_control_characters_are_seen_and_not_obeyed(hidden: str) -> None:
    stream = set_up()
    ENGINE.warning("a%sb", hidden)
    assert hidden[0] not in stream.getvalue()
    assert "\\" in stream.getvalue()


@given(st.text())
def test_any_text_is_one_line(text: str) -> None:
    shown = visible(text)
    assert len(shown.splitlines()) <= 1
    assert len(shown.encode()) >= len(text)
    line = JsonLines().format(made("%s", text))
    assert len(line.splitlines()) == 1
    assert json.loads(line)["message"] == text


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_categories=("Cc", "Cf", "Zl", "Zp", "Cs"))))
def test_plain_text_stays_as_it_is(text: str) -> None:
    assert visible(text) == text


def test_half_of_a_character_is_no_error() -> None:
    for json_lines in (False, True):
        stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
        setup_log(Settings(log_json=json_lines), stream)
        ENGINE.warning("half \ud83d of one")
        stream.flush()
        assert b"half" in stream.buffer.getvalue()


@pytest.mark.parametrize("json_lines", [False, True])
def test_a_stream_of_few_characters_gets_escapes(json_lines: bool) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    setup_log(Settings(log_json=json_lines), stream)
    ENGINE.warning("体育 %s", "é")
    stream.flush()
    written = stream.buffer.getvalue().decode()
    assert json.loads(written)["message"] == "体育 é" if json_lines else "\\u4f53" in written


def test_a_traceback_is_set_off_below_its_line() -> None:
    stream = set_up()
    try:
        raise ValueError("a\nERROR engine.run: forged")
    except ValueError:
        ENGINE.exception("a request failed")
    first, *rest = stream.getvalue().splitlines()
    assert first == "ERROR engine.test: a request failed"
    assert rest
    assert all(line.startswith("    ") for line in rest)


def test_a_message_that_does_not_fit_its_arguments_is_still_a_line() -> None:
    assert TextLines().format(made("%d and %d", "one")) == "INFO engine.x: %d and %d"
    assert json.loads(JsonLines().format(made("%d and %d", "one")))["message"] == "%d and %d"


# JSON.


def test_json_lines_have_time_level_logger_and_message() -> None:
    stream = set_up(log_json=True)
    ENGINE.info("loaded %s", "模型")
    line = json.loads(stream.getvalue())
    assert list(line) == ["time", "level", "logger", "message"]
    assert (line["level"], line["logger"], line["message"]) == ("INFO", "engine.test", "loaded 模型")
    assert datetime.fromisoformat(line["time"]).utcoffset() is not None


def test_json_lines_of_requests_have_their_figures() -> None:
    stream = set_up(log_json=True)
    log_request(record(id="ab12", latency_ms=12.34567, queue_ms=3.0, error="out_of_memory", together=4))
    line = json.loads(stream.getvalue())
    assert list(line) == FIELDS
    assert (line["logger"], line["level"]) == ("engine.requests", "INFO")
    assert (line["request"], line["task"], line["characters"]) == ("ab12", "classify", 100)
    assert (line["latency_ms"], line["queue_ms"], line["error"], line["together"]) == (12.346, 3.0, "out_of_memory", 4)


def test_a_traceback_is_a_field() -> None:
    stream = set_up(log_json=True)
    try:
        raise ValueError("x\ny")
    except ValueError:
        ENGINE.exception("failed")
    line = json.loads(stream.getvalue())
    assert line["traceback"].startswith("Traceback")
    assert "ValueError: x\ny" in line["traceback"]


# Texts of requests.


@pytest.mark.parametrize("json_lines", [False, True])
def test_texts_are_in_the_log_only_where_the_settings_ask(json_lines: bool) -> None:
    stream = set_up(log_json=json_lines)
    log_request(record(), "my secret")
    assert "secret" not in stream.getvalue()
    assert "secret" not in last().text
    stream = set_up(log_json=json_lines, log_texts=True)
    log_request(record(), "my secret\n")
    assert "my secret" in stream.getvalue()
    assert "my secret" in last().text
    assert len(stream.getvalue().splitlines()) == 1
    stream = set_up(log_json=json_lines)
    log_request(record(), "my secret")
    assert "secret" not in stream.getvalue()
    assert "secret" not in last().text


def test_a_long_text_is_cut() -> None:
    stream = set_up(log_texts=True, log_json=True)
    log_request(record(), "字" * 100_000)
    assert json.loads(stream.getvalue())["text"] == "字" * 2000 + "…"


def test_a_request_is_one_line_of_words() -> None:
    set_up()
    log_request(record(id="ab", latency_ms=12.4, queue_ms=1.2, together=3))
    assert last().text == "classify ab answered in 12 ms, waited 1 ms, 100 characters, 40 + 1 tokens, 3 together"
    log_request(record(id="ab", cached=True, latency_ms=0.1))
    assert "ab kept in 0 ms" in last().text
    log_request(record(id="ab", error="text_empty"))
    assert "ab failed (text_empty)" in last().text
    log_request(record(id="ab", error="cancelled"))
    assert "ab cancelled" in last().text


# What the stream shows, and what the pages see.


def test_levels_of_the_stream_and_of_the_pages() -> None:
    stream = set_up(log_level="warning")
    ENGINE.debug("fine")
    ENGINE.info("usual")
    ENGINE.warning("odd")
    assert stream.getvalue() == "WARNING engine.test: odd\n"
    assert [one.text for one in log_lines("INFO")[-2:]] == ["usual", "odd"]
    assert log_lines("WARNING")[-1].text == "odd"
    assert "usual" not in [one.text for one in log_lines("warning")]
    assert "fine" not in [one.text for one in log_lines("DEBUG")]
    stream = set_up(log_level="debug")
    ENGINE.debug("finer")
    assert "finer" in stream.getvalue()
    assert last().text == "finer"


def test_others_are_heard_from_warnings_on() -> None:
    stream = set_up(log_level="debug")
    other = logging.getLogger("some.library")
    other.info("connected")
    other.warning("deprecated")
    logging.getLogger("engineering").info("not ours")
    assert stream.getvalue() == "WARNING some.library: deprecated\n"
    assert last().text == "deprecated"


def test_a_library_that_hands_nothing_on_is_heard_once() -> None:
    set_up()
    logger = logging.getLogger("transformers")
    before = last().number if log_lines("DEBUG") else 0
    logger.propagate = False
    logger.warning("the weights are odd")
    logger.propagate = True
    logging.getLogger("transformers.models").warning("the config is odd")
    new = log_lines("WARNING", before)
    assert [(one.source, one.text) for one in new] == [
        ("transformers", "the weights are odd"),
        ("transformers.models", "the config is odd"),
    ]


def test_a_module_that_hands_nothing_on_is_heard() -> None:
    logger = logging.getLogger("streamlit.some.module")
    logger.propagate = False
    try:
        set_up()
        logger.error("a page failed")
        assert (last().source, last().text) == ("streamlit.some.module", "a page failed")
        set_up()
        logger.error("again")
        assert [one.text for one in log_lines()].count("again") == 1
    finally:
        logger.propagate = True
        logger.handlers.clear()


def test_warnings_of_python_are_in_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.warnoptions", [])
    stream = set_up()
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        logging.captureWarnings(False)
        logging.captureWarnings(True)
        warnings.warn("this goes away\nsoon", stacklevel=1)
    logging.captureWarnings(False)
    assert "this goes away\\nsoon" in stream.getvalue()
    assert len(stream.getvalue().splitlines()) == 1
    assert last().source == "py.warnings"


def test_setting_up_again_changes_and_does_not_double() -> None:
    set_up()
    stream = set_up()
    ENGINE.warning("once")
    assert stream.getvalue().count("once") == 1
    assert [one.text for one in log_lines()].count("once") == 1
    set_up(log_json=True)
    assert [one.text for one in log_lines()].count("once") == 1, "what was said stays"


def test_without_a_stream_lines_go_to_standard_error_of_the_moment(capsys: pytest.CaptureFixture[str]) -> None:
    setup_log(Settings())
    ENGINE.warning("here")
    assert capsys.readouterr().err == "WARNING engine.test: here\n"


# The ring.


def filled(size: int, count: int) -> Ring:
    ring = Ring(size)
    ring.setFormatter(TextLines(bare=True))
    for number in range(count):
        ring.handle(made("line %d", number))
    return ring


def test_the_ring_keeps_the_last_lines() -> None:
    lines = filled(5, 12).lines()
    assert [one.number for one in lines] == [8, 9, 10, 11, 12]
    assert [one.text for one in lines] == [f"line {number}" for number in range(7, 12)]


@pytest.mark.parametrize(("after", "count"), [(0, 5), (8, 4), (12, 0), (99, 0), (-1, 5)])
def test_only_later_lines_are_given(after: int, count: int) -> None:
    assert len(filled(5, 12).lines(after=after)) == count


def test_an_unknown_level_is_the_usual_one() -> None:
    assert len(filled(5, 3).lines("loud")) == 3


def test_many_threads_write_lines_with_numbers_of_their_own() -> None:
    ring = Ring(10_000)
    ring.setFormatter(TextLines(bare=True))
    threads = [threading.Thread(target=lambda: [ring.handle(made("x")) for _ in range(500)]) for _ in range(8)]
    for one in threads:
        one.start()
    while any(one.is_alive() for one in threads):
        numbers = [one.number for one in ring.lines()]
        assert numbers == sorted(numbers)
    assert [one.number for one in ring.lines()] == list(range(1, 4001))


def test_the_ring_holds_no_frames_of_errors() -> None:
    ring = Ring()
    ring.setFormatter(TextLines(bare=True))
    try:
        raise ValueError("x")
    except ValueError as error:
        one = made("failed")
        one.exc_info = (type(error), error, error.__traceback__)
        ring.handle(one)
    assert isinstance(ring.lines()[0].text, str)
    assert "ValueError: x" in ring.lines()[0].text
    assert one not in ring.__dict__.values()


@pytest.mark.parametrize("form", [{}, {"log_json": True}])
def test_an_error_that_quotes_the_text_shows_it_only_where_texts_are_asked_for(
    make_workbench: Callable[..., Workbench], form: dict[str, Any]
) -> None:
    secret = "今天的秘密新闻"  # a traceback shows lines of the program too

    class Quoting(FakeBackend):
        def score(self, *_: Any, **__: Any) -> Any:
            raise ValueError(secret)

    for texts in (False, True):
        stream = set_up(**form, log_texts=texts)
        workbench = make_workbench(lambda *_: Quoting())
        with pytest.raises(WorkbenchError):
            workbench.classify(ClassifyRequest(secret, ("财经", "体育"))).result(WAIT)
        workbench.close()
        shown = stream.getvalue() + "".join(one.text for one in log_lines())
        assert "ValueError" in shown
        assert "in score" in shown
        assert ("秘密" in shown) == texts


# Rows of a batch: a line each would push all other lines out.


def test_rows_of_a_batch_push_no_other_line_out() -> None:
    stream = set_up()
    ENGINE.warning("memory is short")
    for number in range(2000):
        log_request(record(id=str(number), batch=True, together=8))
    log_request(record(id="alone"))
    assert [line.split()[1] for line in stream.getvalue().splitlines()] == ["engine.test:", "engine.requests:"]
    assert "memory is short" in [one.text for one in log_lines()]
    assert last().text.startswith("classify alone")


def test_rows_of_a_batch_have_lines_where_they_are_asked_for() -> None:
    for asked in ({"log_level": "debug"}, {"log_json": True}):
        stream = set_up(**asked)
        log_request(record(id="ab12", batch=True))
        assert "ab12" in stream.getvalue()
        assert ("ab12" in last().text) == ("log_level" in asked)
        log_request(record(id="next"))


# A workbench that is asked.


def test_every_request_that_is_over_makes_one_line(make_workbench: Callable[..., Workbench]) -> None:
    stream = set_up(log_json=True)
    workbench = make_workbench()
    secret = "今天的秘密新闻"
    workbench.classify(ClassifyRequest(secret, ("财经", "体育"))).result(WAIT)
    workbench.classify(ClassifyRequest(secret, ("财经", "体育"))).result(WAIT)
    with pytest.raises(WorkbenchError):
        workbench.classify(ClassifyRequest(secret, ("长" * 9999, "b"))).result(WAIT)
    rows = list(workbench.many([ClassifyRequest(f"{secret}{number}", ("财经", "体育")) for number in range(3)]))
    workbench.close()
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    requests = [one for one in lines if one["logger"] == "engine.requests"]
    assert len(rows) == 3
    assert [one["cached"] for one in requests] == [False, True, False, False, False, False]
    assert [bool(one["error"]) for one in requests] == [False, False, True, False, False, False]
    assert [one["batch"] for one in requests] == [False, False, False, True, True, True]
    assert all(one["request"] and one["characters"] for one in requests)
    assert "秘密" not in stream.getvalue()
