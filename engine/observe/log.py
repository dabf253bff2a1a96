"""The log of the process: lines of text or JSON on a stream, and the last ones for the pages.

A line is one line whatever its message holds: line breaks and control characters are written as escapes. Texts of requests
are in it only where the setting `log_texts` asks for them.
"""

import json
import logging
import sys
import threading
from collections import deque
from datetime import UTC, datetime
from typing import Any, TextIO

from engine.observe.types import LogLine, RequestRecord
from engine.settings import Settings

KEPT = 1000
"""Lines that the pages can see."""

_requests = logging.getLogger("engine.requests")
_CHATTY = ("httpx", "httpcore", "filelock", "urllib3")
_APART = ("transformers", "huggingface_hub", "streamlit", "ray")
"""Loggers that may hand nothing on to the root: the last lines are gathered from them too."""
_LONGEST_TEXT = 2000
"""Characters of a request's text in a line."""
_BIDI = {code: f"\\u{code:04x}" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x2028, 0x2029)}
"""What turns the order of a line's characters around, or ends a line to some readers."""
_HIDDEN = {code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0))} | _BIDI
_HIDDEN |= {ord("\n"): "\\n", ord("\r"): "\\r", ord("\t"): "\\t"}


def setup_log(settings: Settings, stream: TextIO) -> None:
    """Send the log to a stream in the form of the settings, and keep its last lines. Again: the settings change.

    Of the workbench's own rooms lines from `log_level` on are written, of all others warnings and worse.
    """
    level = logging.getLevelNamesMapping()[settings.log_level.upper()]
    root = logging.getLogger()
    for handler in [one for one in root.handlers if isinstance(one, _Stream)]:
        root.removeHandler(handler)
    shown = _Stream(stream)
    shown.setLevel(level)
    shown.setFormatter(JsonLines(settings.log_texts) if settings.log_json else TextLines(settings.log_texts))
    root.addHandler(shown)
    ring = _ring()
    ring.setFormatter(TextLines(settings.log_texts, bare=True))
    root.setLevel(max(level, logging.WARNING))
    logging.getLogger("engine").setLevel(min(level, logging.INFO))  # the pages can show what the stream does not
    for name in _CHATTY:
        logging.getLogger(name).setLevel(max(level, logging.WARNING))
    for name in _APART:
        if ring not in logging.getLogger(name).handlers:
            logging.getLogger(name).addHandler(ring)
    if not sys.warnoptions:
        logging.captureWarnings(True)


def log_request(record: RequestRecord, text: str | None = None) -> None:
    """Write the line of a request that is over. text: its own, shown only where the settings ask for texts."""
    _requests.info("%s", _sentence(record), extra={"request": record, "request_text": text})


def log_lines(level: str = "INFO", after: int = 0) -> tuple[LogLine, ...]:
    """The last lines of this level or worse, oldest first, whose numbers are above `after`."""
    return _ring().lines(level, after)


class TextLines(logging.Formatter):
    """Lines for people: level, logger, message; `bare`: the message alone. texts: whether texts of requests are shown."""

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
        return "\n".join([words, *(f"    {visible(line)}" for line in _trace(record))])


class JsonLines(logging.Formatter):
    """One JSON object a line. A request's line has its figures as fields."""

    def __init__(self, texts: bool = False) -> None:
        super().__init__()
        self._texts = texts

    def format(self, record: logging.LogRecord) -> str:
        """The object: time (ISO 8601, UTC), level, logger, message, and where there are any request fields, traceback."""
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
        if trace := _trace(record):
            line["traceback"] = "\n".join(trace)
        written = json.dumps(line, ensure_ascii=False, default=str)
        # Inside a JSON string an escape of another kind than JSON's own would change the text, so these are JSON's.
        return "".join(f"\\u{ord(char):04x}" if ord(char) in _HIDDEN else char for char in written)


class Ring(logging.Handler):
    """Keeps the last lines, with numbers that only grow."""

    def __init__(self, size: int = KEPT) -> None:
        super().__init__()
        self._lines: deque[tuple[int, LogLine]] = deque(maxlen=size)
        self._number = 0
        self._guard = threading.Lock()
        self._last: logging.LogRecord | None = None

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a line; one that comes by two ways is kept once."""
        if record.levelno < logging.INFO and not record.name.startswith("engine"):
            return
        try:
            text = self.format(record)
        except Exception:
            self.handleError(record)
            return
        with self._guard:
            if record is self._last:
                return
            self._last = record
            self._number += 1
            line = LogLine(self._number, record.created, record.levelname, visible(record.name), text)
            self._lines.append((record.levelno, line))

    def lines(self, level: str = "INFO", after: int = 0) -> tuple[LogLine, ...]:
        """Lines of this level or worse with numbers above `after`, oldest first."""
        least = logging.getLevelNamesMapping().get(level.upper(), logging.INFO)
        with self._guard:
            return tuple(line for levelno, line in self._lines if levelno >= least and line.number > after)


class _Stream(logging.StreamHandler[TextIO]):
    """Writes lines to a stream; a type of its own, so that setting up the log again finds it."""


def visible(text: str) -> str:
    """A text in one line: control characters as escapes, halves of characters as question marks."""
    return text.translate(_HIDDEN).encode("utf-8", "replace").decode()


def _ring() -> Ring:
    """The process's one ring: it hangs at the root logger, where a module that is imported anew finds it."""
    root = logging.getLogger()
    for handler in root.handlers:
        if type(handler).__qualname__ == "Ring" and type(handler).__module__ == __name__:
            return handler  # type: ignore[return-value]
    ring = Ring()
    ring.setFormatter(TextLines(bare=True))
    root.addHandler(ring)
    return ring


def _message(record: logging.LogRecord) -> str:
    try:
        return record.getMessage()
    except Exception:  # a library's own slip must not cost a line
        return str(record.msg)


def _trace(record: logging.LogRecord) -> list[str]:
    if not (record.exc_info and record.exc_info[0]):
        return []
    return logging.Formatter().formatException(record.exc_info).splitlines()


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT]}…"


def _sentence(record: RequestRecord) -> str:
    ended = f"failed ({record.error})" if record.error else "kept" if record.cached else "answered"
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
