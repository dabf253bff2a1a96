"""What advice is drawn from."""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.observe.types import Marker, RequestRecord, Sample


@dataclass(frozen=True)
class Seen:
    """Samples, requests and markers of the last while, each the oldest first.

    budget: bytes that the process, or torch on its GPU, may take; None: no limit is set.
    batch_size: texts in a step of a batch; None: the usual number.
    """

    samples: Sequence[Sample]
    requests: Sequence[RequestRecord]
    markers: Sequence[Marker] = ()
    budget: int | None = None
    batch_size: int | None = None
