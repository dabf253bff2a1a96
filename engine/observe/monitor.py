"""What the process does and holds, in one object: what pages, the API and the engine hold of this room."""

import logging
import threading
import time
import weakref
from collections.abc import Callable

from engine.messages import Phrase
from engine.observe.advice import advise
from engine.observe.figures import ModelLife
from engine.observe.log import log_lines, log_request
from engine.observe.peak import PEAKS, PeakWatch
from engine.observe.sampler import SAMPLER, Reading, Sampler
from engine.observe.seen import Seen
from engine.observe.series import WINDOW_SECONDS, markers_ring, requests_ring, samples_ring
from engine.observe.snapshots import REQUEST_COUNTS, Snapshots
from engine.observe.totals import Counts, Totals
from engine.observe.types import Figures, LogLine, Marker, MarkerKind, RequestRecord, Sample, Snapshot, Task
from engine.settings import Settings
from engine.types import Note

_log = logging.getLogger(__name__)

Kept = Callable[[], tuple[int | None, int | None]]
"""Bytes of memory for answers that are kept, and for texts that a model has read."""


class Monitor:
    """Samples, requests, markers, snapshots, figures and advice. Every call is safe from any thread.

    waiting: how many requests are in the queue. kept: bytes of kept answers and texts, where somebody can tell.
    """

    def __init__(
        self,
        settings: Settings,
        waiting: Callable[[], int],
        kept: Kept | None = None,
        *,
        sampler: Sampler = SAMPLER,
    ) -> None:
        self._settings = settings
        self._waiting, self._kept, self._sampler = waiting, kept, sampler
        self._lock = threading.Lock()
        self._number: int | None = None
        self._samples, self._requests, self._markers = samples_ring(), requests_ring(), markers_ring()
        self._snapshots = Snapshots()
        self._life = ModelLife()
        self._counts = Counts()
        self._answered = 0
        self._batch_size = settings.batch_size
        self._advice: tuple[object, tuple[Note, ...]] | None = None

    # Looking.

    def start(self) -> None:
        """Begin to look every `settings.sample_seconds`; doing so twice is no error."""
        with self._lock:
            if self._number is None:
                self._number = self._sampler.join(_taken_by(self), self._settings.sample_seconds)

    def close(self) -> None:
        """Look no more. What was seen stays; `start` goes on."""
        with self._lock:
            number, self._number = self._number, None
        if number is not None:
            self._sampler.leave(number)

    def now(self) -> Sample:
        """A look at this moment, on the caller's thread; it is not among `samples`.

        Its percents are over the time since the last of `samples`.

        Raises:
            OSError, psutil.Error: the system does not tell.
        """
        return self._sample(self._sampler.read())

    def samples(self, seconds: float) -> tuple[Sample, ...]:
        """Those of the last `seconds`, the oldest first; 30 minutes are kept, more where they are taken less often."""
        return self._samples.last(seconds)

    @property
    def gpu_reason(self) -> Phrase | None:
        """Why the driver's library lists no GPU; None where it lists one."""
        return self._sampler.gpu_reason

    def watch_peak(self) -> PeakWatch:
        """A block's peak of memory: `with monitor.watch_peak() as watch: ...`, then `watch.peak`, in bytes."""
        return PEAKS.watch()

    # Requests.

    def record(self, record: RequestRecord, text: str | None = None) -> None:
        """Take note of a request that is over, and log it. text: logged only where the settings ask for it."""
        self._requests.add(record)
        self._counts.add(record)
        first = self._life.add(record)
        log_request(record, text)
        if record.error:
            return
        with self._lock:
            self._answered += 1
            answered = self._answered
        if first:
            self._snap("snapshot_warm", requests=answered)
        if answered in REQUEST_COUNTS:
            self._snap("snapshot_requests", requests=answered)

    def requests(self, seconds: float) -> tuple[RequestRecord, ...]:
        """Those that ended within the last `seconds`, the oldest first; the last 20,000 are kept."""
        return self._requests.last(seconds)

    def is_warm(self, task: Task) -> bool:
        """Whether the model that is loaded has answered a request of this task."""
        return self._life.is_warm(task)

    def totals(self) -> Totals:
        """Counts since the process began."""
        return self._counts.read()

    # Models and settings.

    def loaded(self, model: str) -> None:
        """A model was loaded, "name precision device": figures begin anew."""
        sample = self._look()
        self._life.begin(model, sample)
        self.mark("load", model=model)
        self._snap("snapshot_load", sample)

    def unloaded(self) -> None:
        """The model was let go; no error where none was there."""
        model = self._life.model
        self._life.begin("", None)
        if model:
            self.mark("unload", model=model)

    def released(self, after: Sample) -> None:
        """What was kept between requests was let go; `after`: the sample right after."""
        self.mark("release")
        self._snap("snapshot_release", after)

    def mark(self, kind: MarkerKind, **details: object) -> None:
        """Put a marker here."""
        self._markers.add(Marker(time.time(), kind, details))
        size = details.get("size")
        if kind == "batch_size" and (size is None or isinstance(size, int)):
            self._batch_size = size

    def markers(self, seconds: float) -> tuple[Marker, ...]:
        """Those of the last `seconds`, the oldest first."""
        return self._markers.last(seconds)

    def figures(self) -> Figures:
        """After the load, first peak, steady: of the model that is loaded."""
        return self._life.figures()

    # Snapshots.

    def snapshot(self, tag: str) -> Snapshot:
        """Keep a look at this moment under a name.

        Raises:
            OSError, psutil.Error: the system does not tell.
        """
        return self._keep(tag, self.now(), automatic=False)

    def snapshots(self) -> tuple[Snapshot, ...]:
        """Those that are kept, the oldest first."""
        return self._snapshots.all()

    def forget_snapshot(self, number: int) -> None:
        """Let one go."""
        self._snapshots.forget(number)

    # In words.

    def advice(self) -> tuple[Note, ...]:
        """What is odd of the last 30 minutes, and what to do; the most urgent first.

        However many ask, it is thought about once for what was seen.
        """
        advice = self._advice
        known = (self._samples.added, self._requests.added, self._markers.added)
        if advice is None or advice[0] != known:
            seen = Seen(
                self._samples.last(WINDOW_SECONDS),
                self._requests.last(WINDOW_SECONDS),
                self._markers.last(WINDOW_SECONDS),
                self._settings.max_memory,
                self._batch_size,
            )
            self._advice = advice = (known, advise(seen))
        return advice[1]

    def log(self, level: str = "INFO", after: int = 0) -> tuple[LogLine, ...]:
        """Lines of the process's log of this level and above, later than the one with the number `after`."""
        return log_lines(level, after)

    def take(self, reading: Reading) -> None:
        """For the sampler: a reading, which becomes one of `samples`."""
        sample = self._sample(reading)
        self._samples.add(sample)
        self._life.see(sample)

    def _sample(self, reading: Reading) -> Sample:
        machine = reading.machine
        answers, texts = self._sizes()
        return Sample(
            time=reading.time,
            rss=machine.rss,
            peak=machine.peak,
            cpu=machine.cpu,
            system_used=machine.system_used,
            system_total=machine.system_total,
            system_cpu=machine.system_cpu,
            waiting=self._waiting(),
            gpus=reading.gpus,
            mapped=machine.mapped,
            answers=answers,
            texts=texts,
        )

    def _sizes(self) -> tuple[int | None, int | None]:
        """Bytes of kept answers and texts, where they can be told."""
        try:
            return (None, None) if self._kept is None else self._kept()
        except Exception:
            _log.debug("the size of what is kept cannot be told", exc_info=True)
            return None, None

    def _look(self) -> Sample | None:
        """A sample, where the system tells: a load does not fail because its memory cannot be told."""
        try:
            return self.now()
        except Exception:
            _log.warning("memory and load cannot be read", exc_info=True)
            return None

    def _snap(self, tag: str, sample: Sample | None = None, requests: int | None = None) -> None:
        """requests: how many were answered; others may be answered while the system is asked."""
        sample = sample or self._look()
        if sample is not None:
            self._keep(tag, sample, automatic=True, requests=requests)

    def _keep(self, tag: str, sample: Sample, *, automatic: bool, requests: int | None = None) -> Snapshot:
        answered = self._answered if requests is None else requests
        return self._snapshots.add(tag, sample, automatic=automatic, requests=answered, model=self._life.model)


def _taken_by(monitor: Monitor) -> Callable[[Reading], bool]:
    """Hands readings on without keeping a Monitor alive, nor the model that it knows of, that nobody closed."""
    there = weakref.ref(monitor)

    def take(reading: Reading) -> bool:
        found = there()
        if found is not None:
            found.take(reading)
        return found is not None

    return take
