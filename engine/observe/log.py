"""The log of the process: lines of text or JSON on a stream, and the last ones for the pages.

A line is one line whatever its message holds: line breaks and control characters are written as escapes; the lines of
a traceback are set off below it. Texts of requests are in it only where the setting `log_texts` asks for them.
"""

import json
import logging
import re
import sys
import threading
import traceback
from collections import deque
from datetime import UTC, datetime
from typing import Any, TextIO, cast

from engine.observe.totals import outcome_of
from engine.observe.types import LogLine, RequestRecord
from engine.settings import Settings

KEPT = 1000
"""Lines that the pages can see."""

_SEEN = "_kept_by"
"""Where a record says which ring has it."""
_requests = logging.getLogger("engine.requests")
_CHATTY = ("httpx", "httpcore", "filelock", "urllib3")
_APART = ("transformers", "huggingface_hub", "streamlit", "ray")
"""Loggers that hand nothing on to the root, some from later on: the last lines are gathered from them too."""
_LONGEST_TEXT = 2000
"""Characters of a request's text in a line."""
_BIDI = {code: f"\\u{code:04x}" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x2028, 0x2029)}
"""What turns the order of a line's characters around, or ends a line to some readers."""
_HIDDEN = {code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0))} | _BIDI
_HIDDEN |= {ord("\n"): "\\n", ord("\r"): "\\r", ord("\t"): "\\t"}
_ODD = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""What JSON writes as it is, but a line should not hold, and halves of characters."""


def setup_log(settings: Settings, stream: TextIO | None = None) -> None:
    """Send the log to a stream in the form of the settings, and keep its last lines. Again: the settings change.

    Of the workbench's own rooms lines from `log_level` on are written, of all others warnings and worse. Rows of a
    batch have lines in JSON and at the level debug only: a long file's would push out all others.
    stream: None is whatever standard error is at the moment.
    """
    level = logging.getLevelNamesMapping()[settings.log_level.upper()]
    others = max(level, logging.WARNING)
    root = logging.getLogger()
    for handler in [one for one in root.handlers if _is(one, _Stream)]:
        root.removeHandler(handler)
    shown = _Stream(stream)
    shown.setLevel(level)
    shown.setFormatter(_lines(settings, shown.stream))
    if not settings.log_json and level > logging.DEBUG:
        shown.addFilter(_is_no_row)
    root.addHandler(shown)
    ring = _ring()
    ring.setFormatter(TextLines(settings.log_texts, bare=True))
    ring.rows = level <= logging.DEBUG
    root.setLevel(others)
    logging.getLogger("engine").setLevel(min(level, logging.INFO))  # the pages can show what the stream does not
    for name in _CHATTY:
        logging.getLogger(name).setLevel(others)
    for logger in _apart():
        for handler in [one for one in logger.handlers if _is(one, Ring)]:
            logger.removeHandler(handler)
        logger.addHandler(ring)
    if not sys.warnoptions:
        logging.captureWarnings(True)


def log_request(record: RequestRecord, text: str | None = None) -> None:
    """Write the line of a request that is over. text: its own, shown only where the settings ask for texts."""
    _requests.info("%s", _sentence(record), extra={"request": record, "request_text": text})


def log_lines(level: str = "INFO", after: int = 0) -> tuple[LogLine, ...]:
    """The last lines of this level or worse, oldest first, whose numbers are above `after`."""
    return _ring().lines(level, after)


class TextLines(logging.Formatter):
    """Lines for people: level, logger, message.

    texts: whether texts of requests are shown. bare: the message alone.
    """

    def __init__(self, texts: bool = False, *, bare: bool = False) -> None:
        super().__init__()
        self._texts, self._bare = texts, bare

    def format(self, record: logging.LogRecord) -> str:
        """One line, and the lines of a traceback set off below it."""
        words = visible(_message(record))
        if self._texts and (text := getattr(record, "request_text", None)):
            words += f': "{visible(_cut(text))}"'
        if not self._bare:
            words = f"{record.levelname} {record.name}: {words}"
        return "\n".join([words, *(f"    {visible(line)}" for line in _trace(record, self._texts))])


class JsonLines(logging.Formatter):
    """One JSON object a line; a request's line has its figures as fields.

    texts: whether texts of requests are fields too. plain: ASCII alone, for a stream that takes no more.
    """

    def __init__(self, texts: bool = False, *, plain: bool = False) -> None:
        super().__init__()
        self._texts, self._plain = texts, plain

    def format(self, record: logging.LogRecord) -> str:
        """The object: time (ISO 8601, UTC), level, logger, message, and where there are any a request's figures."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": _message(record),
        }
        request = getattr(record, "request", None)
        if isinstance(request, RequestRecord):
            line |= _fields(request)
            if self._texts and (text := getattr(record, "request_text", None)):
                line["text"] = _cut(text)
        if trace := _trace(record, self._texts):
            line["traceback"] = "\n".join(trace)
        return _ODD.sub(_escape, json.dumps(line, ensure_ascii=self._plain, default=str))


class Ring(logging.Handler):
    """Keeps the last lines, with numbers that only grow: INFO and worse of our own rooms, warnings of others.

    rows: whether rows of a batch have lines.
    """

    def __init__(self, size: int = KEPT) -> None:
        super().__init__()
        self.rows = False
        self._lines: deque[tuple[int, LogLine]] = deque(maxlen=size)
        self._number = 0
        self._guard = threading.Lock()

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a line; one that comes by two ways is kept once."""
        own = record.name == "engine" or record.name.startswith("engine.")
        if (record.levelno < logging.WARNING and not own) or record.__dict__.get(_SEEN) is self:
            return
        if not (self.rows or _is_no_row(record)):
            return
        record.__dict__[_SEEN] = self
        try:
            text = self.format(record)
        except Exception:
            self.handleError(record)
            return
        with self._guard:
            self._number += 1
            line = LogLine(self._number, record.created, record.levelname, visible(record.name), text)
            self._lines.append((record.levelno, line))

    def lines(self, level: str = "INFO", after: int = 0) -> tuple[LogLine, ...]:
        """Lines of this level or worse with numbers above `after`, oldest first."""
        least = logging.getLevelNamesMapping().get(level.upper(), logging.INFO)
        with self._guard:
            return tuple(line for levelno, line in self._lines if levelno >= least and line.number > after)


class _Stream(logging.StreamHandler[TextIO]):
    """Writes lines to a stream, or to what standard error is at the moment; it takes every character."""

    def __init__(self, stream: TextIO | None) -> None:
        self._given = stream
        super().__init__(stream)

    @property
    def stream(self) -> TextIO:
        """Where lines go."""
        return self._given or sys.stderr

    @stream.setter
    def stream(self, _: TextIO) -> None:
        """Nothing: the base class sets what was given already."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, with escapes for what the stream's encoding lacks."""
        encoding = getattr(self.stream, "encoding", None) or "utf-8"
        return super().format(record).encode(encoding, "backslashreplace").decode(encoding)


def visible(text: str) -> str:
    """A text in one line: control characters as escapes, halves of characters as question marks."""
    return text.translate(_HIDDEN).encode("utf-8", "replace").decode()


def _lines(settings: Settings, stream: TextIO) -> logging.Formatter:
    if not settings.log_json:
        return TextLines(settings.log_texts)
    encoding = (getattr(stream, "encoding", None) or "utf-8").lower().replace("-", "").replace("_", "")
    return JsonLines(settings.log_texts, plain=encoding != "utf8")


def _is_no_row(record: logging.LogRecord) -> bool:
    """Whether a line is of anything but a row of a batch."""
    return not getattr(getattr(record, "request", None), "batch", False)


def _is(handler: logging.Handler, kind: type) -> bool:
    """Whether a handler is of this kind, were it made before the module was imported anew."""
    made = type(handler)
    return (made.__module__, made.__qualname__) == (kind.__module__, kind.__qualname__)


def _ring() -> Ring:
    """The process's one ring: it hangs at the root logger, where a module that is imported anew finds it."""
    root = logging.getLogger()
    for handler in root.handlers:
        if _is(handler, Ring):
            return cast("Ring", handler)
    ring = Ring()
    ring.setFormatter(TextLines(bare=True))
    root.addHandler(ring)
    return ring


def _apart() -> list[logging.Logger]:
    """Loggers whose lines the root does not get, or will not get."""
    found = {logging.getLogger(name) for name in _APART}
    for one in list(logging.root.manager.loggerDict.values()):
        if isinstance(one, logging.Logger) and not one.propagate:  # each module of Streamlit has one
            found.add(one)
    return list(found)


def _message(record: logging.LogRecord) -> str:
    try:
        return record.getMessage()
    except Exception:  # a library's own slip must not cost a line
        return str(record.msg)


def _trace(record: logging.LogRecord, texts: bool) -> list[str]:
    """The lines of a traceback. texts: else what an error says is left out where it may quote a request's text."""
    if not (record.exc_info and record.exc_info[0]):
        return []
    if texts or not getattr(record, "may_quote", False):
        return logging.Formatter().formatException(record.exc_info).splitlines()
    kind, _, frames = record.exc_info
    lines = [line for frame in traceback.format_tb(frames) for line in frame.splitlines()]
    return [*lines, f"{kind.__qualname__} (what it says may quote the text; WORKBENCH_LOG_TEXTS=1 shows it)"]


def _escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT]}…"


def _sentence(record: RequestRecord) -> str:
    outcome = outcome_of(record)
    ended = f"failed ({record.error})" if outcome == "failed" else "kept" if record.cached else outcome
    parts = [f"{record.task} {record.id} {ended} in {record.latency_ms:.0f} ms", f"waited {record.queue_ms:.0f} ms"]
    parts.append(f"{record.characters} characters, {record.prompt_tokens} + {record.output_tokens} tokens")
    if record.together > 1:
        parts.append(f"{record.together} together")
    return ", ".join(parts)


def _fields(record: RequestRecord) -> dict[str, Any]:
    return {
        "request": record.id,
        "task": record.task,
        "batch": record.batch,
        "characters": record.characters,
        "prompt_tokens": record.prompt_tokens,
        "output_tokens": record.output_tokens,
        "latency_ms": round(record.latency_ms, 3),
        "queue_ms": round(record.queue_ms, 3),
        "cached": record.cached,
        "together": record.together,
        "error": record.error or None,
    }
