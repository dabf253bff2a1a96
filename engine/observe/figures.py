"""The three memory figures of a loaded model: after the load, first peak, steady. And which tasks it has answered."""

import statistics
import threading
from collections import deque

from engine.observe.types import Figures, Missing, RequestRecord, Sample, Task

_STEADY_AFTER = 10
_SAMPLES = 3600


def held_bytes(sample: Sample) -> int:
    """What is held for models: torch's tensors on GPUs where there are some, else what the process holds."""
    there = sum(gpu.allocated for gpu in sample.gpus if not isinstance(gpu.allocated, Missing))
    return there or sample.rss


class ModelLife:
    """What is known of the model that is loaded. Safe from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._model = ""
        self._begin()

    def _begin(self) -> None:
        self._after_load: int | None = None
        self._first_peak: int | None = None
        self._worked = 0
        self._warm: set[Task] = set()
        self._steady: deque[int] = deque(maxlen=_SAMPLES)

    @property
    def model(self) -> str:
        """Its line; empty where none is loaded."""
        return self._model

    def begin(self, model: str, sample: Sample | None) -> None:
        """Another model, or none: nothing is known of it but the sample right after its load."""
        with self._lock:
            self._model = model
            self._begin()
            if model and sample is not None:
                self._after_load = held_bytes(sample)

    def is_warm(self, task: Task) -> bool:
        """Whether it has answered such a request."""
        return task in self._warm

    def add(self, record: RequestRecord) -> bool:
        """Take note of a request that is over; whether it is the first one that the model answered.

        Answers that were kept are not the model's work.
        """
        if record.error or record.cached:
            return False
        with self._lock:
            self._warm.add(record.task)
            self._worked += 1
            if self._worked == 1:
                self._first_peak = record.peak
            return self._worked == 1

    def see(self, sample: Sample) -> None:
        """A sample of the sampler's."""
        if self._model and self._worked >= _STEADY_AFTER:
            with self._lock:
                self._steady.append(held_bytes(sample))

    def figures(self) -> Figures:
        """Those that are known."""
        with self._lock:
            steady = int(statistics.median(self._steady)) if self._steady else None
            return Figures(self._after_load, self._first_peak, steady)
