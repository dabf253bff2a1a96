"""Answers kept for requests that come again: in memory, and where that is wanted on disk as well.

Only whole answers are kept: nothing that was stopped or that ran out of time. Any thread may ask. It runs no model and
never fails a request.
"""

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import replace

from engine.messages import Phrase
from engine.run.result_file import ENTRY_BYTES, CacheSize, ResultFile
from engine.run.result_form import Answer, Request, Result, read, write
from engine.run.result_key import ModelIdentity, ResultKey, result_key
from engine.settings import Settings
from engine.types import ExtractResult, FieldAnswer, Note, PromptRequest

DISK_SHARE = 16
"""So many times the bytes in memory may be kept on disk."""

_log = logging.getLogger(__name__)
_STOPPED = {"stopped_early", "stopped_free"}
_SEARCH_MS = 2000.0
"""An extraction that took so long may have given up the search for a user's pattern, and would not say so."""


class ResultCache:
    """Keeps answers. `limit`: bytes in memory, 0 for none. `file`: where they are kept on disk."""

    def __init__(self, limit: int, file: ResultFile | None = None) -> None:
        self._limit = limit
        self._file = file
        self._kept: OrderedDict[bytes, bytes] = OrderedDict()
        """Answers as they are written, so that their size is known; the least recently used first."""
        self._bytes = 0
        self._lock = threading.Lock()

    def find(
        self, request: Request, identity: ModelIdentity, kind: type[Answer], queue_ms: float = 0.0
    ) -> Answer | None:
        """The answer that is kept, marked as such; None where there is none.

        queue_ms: how long the request has waited.
        """
        if (not self._limit and self._file is None) or varies(request):
            return None
        started = time.perf_counter()
        key = result_key(request, identity)
        raw = self._look_up(key)
        if raw is None:
            return None
        try:
            found = read(kind, raw)
        except (ValueError, LookupError, TypeError) as error:
            _log.warning("a kept answer cannot be read and is dropped: %s", type(error).__name__)
            self._drop(key)
            return None
        first = found.usage.latency_ms
        took = (time.perf_counter() - started) * 1e3
        return replace(found, usage=replace(found.usage, latency_ms=took, queue_ms=queue_ms, computed_ms=first))

    def keep(self, request: Request, identity: ModelIdentity, result: Result) -> None:
        """Keep an answer, unless it is not whole, or larger than everything that may be kept."""
        if (not self._limit and self._file is None) or varies(request) or not is_whole(result):
            return
        key = result_key(request, identity)
        try:
            raw = write(result)
        except (TypeError, ValueError) as error:
            _log.warning("an answer cannot be kept: %s", error)
            return
        self._remember(key.digest, raw)
        if self._file is not None and key.lasting:
            self._file.put(key.digest, raw)

    def answer(
        self,
        request: Request,
        identity: ModelIdentity,
        kind: type[Answer],
        compute: Callable[[], Answer],
        queue_ms: float = 0.0,
    ) -> Answer:
        """The answer that is kept, else a new one, which is kept from then on."""
        found = self.find(request, identity, kind, queue_ms)
        if found is None:
            found = compute()
            self.keep(request, identity, found)
        return found

    def size(self) -> CacheSize:
        """How much is kept. An answer in memory and on disk is one answer, and takes bytes in both."""
        with self._lock:
            memory = CacheSize(len(self._kept), self._bytes)
        disk = CacheSize() if self._file is None else self._file.size()
        return CacheSize(max(memory.answers, disk.answers), memory.bytes + disk.bytes)

    @property
    def memory_bytes(self) -> int:
        """Bytes that the answers in memory take."""
        return self._bytes

    def clear(self) -> None:
        """Let go of every answer.

        Raises:
            WorkbenchError: `file_not_written`: those on disk are still there.
        """
        self.shed()
        if self._file is not None:
            self._file.clear()

    def shed(self) -> None:
        """Let go of the answers in memory; those on disk stay."""
        with self._lock:
            self._kept.clear()
            self._bytes = 0

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            self._file.close()

    def _look_up(self, key: ResultKey) -> bytes | None:
        with self._lock:
            raw = self._kept.get(key.digest)
            if raw is not None:
                self._kept.move_to_end(key.digest)
        if raw is None and self._file is not None and key.lasting:
            raw = self._file.get(key.digest)
            if raw is not None:
                self._remember(key.digest, raw)
        return raw

    def _remember(self, digest: bytes, raw: bytes) -> None:
        if len(raw) + ENTRY_BYTES > self._limit:
            return
        with self._lock:
            self._forget(digest)
            self._kept[digest] = raw
            self._bytes += len(raw) + ENTRY_BYTES
            while self._bytes > self._limit:
                self._forget(next(iter(self._kept)))

    def _forget(self, digest: bytes) -> None:
        raw = self._kept.pop(digest, None)
        if raw is not None:
            self._bytes -= len(raw) + ENTRY_BYTES

    def _drop(self, key: ResultKey) -> None:
        with self._lock:
            self._forget(key.digest)
        if self._file is not None and key.lasting:
            self._file.drop(key.digest)


def open_cache(settings: Settings, *, memory: bool = True) -> ResultCache:
    """The cache of the settings. memory: whether answers are kept in memory too, for a process that answers many."""
    limit = settings.result_cache
    file = ResultFile(settings.data_dir, limit * DISK_SHARE) if limit and settings.result_cache_disk else None
    return ResultCache(limit if memory else 0, file)


def varies(request: Request) -> bool:
    """Whether the same request is to be answered anew each time, as it is drawn by chance."""
    return isinstance(request, PromptRequest) and request.writing.varies


def is_whole(result: Result) -> bool:
    """Whether it is what the same request would be answered again: nothing stopped it, no time ran out."""
    if any(note.code in _STOPPED for note in _notes(result)):
        return False
    return not isinstance(result, ExtractResult) or not _ran_out_of_time(result)


def _notes(result: Result) -> Iterator[Note]:
    yield from result.notes
    free = getattr(result, "free", None)
    if free is not None:
        yield from free.notes


def _ran_out_of_time(result: ExtractResult) -> bool:
    """A user's pattern may take for ever and is given up after a while, sooner on a busy machine."""
    if any(map(_has_bad_pattern, (*result.fields, *(result.free.fields if result.free else ())))):
        return True
    searched = not result.prompts and any(one.field.type == "regex" for one in result.fields)
    return searched and result.usage.latency_ms >= _SEARCH_MS


def _has_bad_pattern(answer: FieldAnswer) -> bool:
    problems = (value.typed.problem for value in answer.values if value.typed is not None)
    return any(isinstance(problem, Phrase) and problem.code == "bad_pattern" for problem in problems)
