"""What runs in each of Ray's workers: a workbench of its own, which answers the rows that it is given.

It imports no Ray, so that a machine without the extra can read it; Ray Data makes one object a worker and calls it.
"""

from typing import Any

from engine import __version__
from engine.contracts import model_json
from engine.errors import WorkbenchError
from engine.jobs.ray_data.rows import pack_result, unpack_source
from engine.jobs.requests import request_of, result_of
from engine.jobs.store.stored_form import pack, pack_error, unpack_spec
from engine.jobs.types import JobSpec, RowResult, SourceRow
from engine.run.workbench import Workbench
from engine.settings import Settings

OUT = ("number", "result", "model", "fatal")
"""Columns of what a worker gives: the row's number and result, the model that answered as JSON (empty where none did),
and why nothing can be answered at all, as JSON."""


class RowWorker:
    """Answers rows with a model of its own, which is loaded once."""

    def __init__(self, settings: dict[str, Any], spec: str, version: str) -> None:
        """Begin to load.

        settings: as `Settings` takes them. spec: as `pack_spec` writes it. version: of the workbench that asks.
        """
        self._spec: JobSpec = unpack_spec(spec)
        self._fatal = "" if version == __version__ else _other_version(version)
        self._workbench = Workbench(Settings(**settings))

    def __call__(self, batch: dict[str, Any]) -> dict[str, list[Any]]:
        """Answer the rows of a block; errors are their results, and nothing is raised."""
        rows = [unpack_source(number, body) for number, body in zip(batch["number"], batch["row"], strict=True)]
        out: dict[str, list[Any]] = {name: [] for name in OUT}
        if not self._fatal:
            try:
                for result, model in self._answers(rows):
                    _add(out, result.number, pack_result(result), model)
            except WorkbenchError as error:
                self._fatal = pack_error(error) or ""
        if self._fatal:
            _add(out, -1, "", "", self._fatal)
        return out

    def _answers(self, rows: list[SourceRow]) -> list[tuple[RowResult, str]]:
        asked, answered = [], []
        for row in rows:
            request = request_of(self._spec, row)
            if isinstance(request, WorkbenchError):
                answered.append((result_of(self._spec, row, request), ""))
            else:
                asked.append((row, request))
        self._workbench.load().result()  # of a model that cannot be loaded, say it for the job, not for a row
        requests = [request for _, request in asked]
        for done in self._workbench.many(requests, batch_size=self._spec.batch_size):
            row, answer = asked[done.number][0], done.answer
            model = "" if isinstance(answer, WorkbenchError) else pack(model_json(answer.model))
            answered.append((result_of(self._spec, row, answer), model))
        return answered


def _add(out: dict[str, list[Any]], number: int, result: str, model: str, fatal: str = "") -> None:
    for name, value in zip(OUT, (number, result, model, fatal), strict=True):
        out[name].append(value)


def _other_version(asking: str) -> str:
    return pack_error(WorkbenchError("ray_other_version", here=asking, there=__version__)) or ""
