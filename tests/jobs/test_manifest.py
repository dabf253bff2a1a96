"""The manifest beside an export: whole enough to do the job again, and without the rows' texts."""

import hashlib
import json
from pathlib import Path

import pytest

import engine
from engine.errors import WorkbenchError
from engine.jobs.exports.manifest import manifest, manifest_path, versions, write_manifest
from engine.jobs.types import Form, Job, JobSpec
from engine.types import FieldSpec

MODEL = {"name": "fake", "revision": "1", "protocol": "seqgpt", "device": "cpu", "precision": "fp32", "context": 1024}


def job(spec: JobSpec, **given: object) -> Job:
    made = {
        "id": "x1",
        "name": "shown.csv",
        "source": Path("data/in.csv"),
        "form": Form("csv", "gb18030", ";"),
        "spec": spec,
        "digest": "ab" * 32,
        "state": "done",
        "created": 0.0,
        "started": 1.0,
        "ended": 61.5,
        "seconds": 60.5,
        "total": 10,
        "done": 10,
        "failed": 2,
        "model": MODEL,
    }
    return Job(**(made | given))  # type: ignore[arg-type]


def test_a_classification_whole(tmp_path: Path) -> None:
    export = tmp_path / "out.csv"
    export.write_bytes(b"abc")
    spec = JobSpec("classify", ("title", "text"), "id", "gold", ("甲", "乙"), multi=True, threshold=0.4, batch_size=16)
    said = manifest(job(spec), corrected=3, export=export)
    assert said["workbench"] == engine.__version__
    assert said["job"] == {"id": "x1", "name": "shown.csv", "state": "done", "engine": "local"}
    assert said["input"] == {
        "name": "in.csv",
        "sha256": "ab" * 32,
        "form": {"kind": "csv", "encoding": "gb18030", "separator": ";"},
    }
    assert said["rows"] == {"total": 10, "done": 10, "failed": 2, "corrected": 3}
    assert said["times"] == {
        "created": "1970-01-01T00:00:00+00:00",
        "started": "1970-01-01T00:00:01+00:00",
        "ended": "1970-01-01T00:01:01+00:00",
        "seconds": 60.5,
    }
    assert said["columns"] == {"text": ["title", "text"], "id": "id", "gold": "gold"}
    assert said["labels"] == ["甲", "乙"]
    assert said["decoding"] == {"constrained": True, "free": False, "batch_size": 16, "multi": True, "threshold": 0.4}
    assert said["model"] == MODEL
    assert said["export"] == {"name": "out.csv", "sha256": hashlib.sha256(b"abc").hexdigest()}
    assert "fields" not in said
    path = write_manifest(said, export)
    assert path == manifest_path(export) == tmp_path / "out.csv.manifest.json"
    assert json.loads(path.read_text("utf-8")) == said


def test_an_extraction_whole() -> None:
    field = FieldSpec("price", ("价格",), "what it costs", "money", many=False)
    spec = JobSpec("extract", ("text",), fields=(field,), mentions="all", per_prompt=3, nested=True, free=True)
    error = WorkbenchError("model_missing")
    said = manifest(job(spec, state="paused", error=error, ended=None, more_models=({"name": "other"},)))
    assert said["fields"][0]["name"] == "price"
    assert said["fields"][0]["asked"] == ("价格",)
    assert said["decoding"]["mentions"] == "all"
    assert (said["decoding"]["per_prompt"], said["decoding"]["nested"], said["decoding"]["free"]) == (3, True, True)
    assert said["times"]["ended"] is None
    assert said["columns"] == {"text": ["text"], "id": None, "gold": None}
    assert said["more_models"] == [{"name": "other"}]
    assert said["error"]["code"] == "model_missing"
    assert "export" not in said


def test_a_copy_of_the_job_has_the_name_that_users_see() -> None:
    spec = JobSpec("classify", ("t",), labels=("a", "b"))
    assert manifest(job(spec, source=Path("jobs/x1/source.csv")))["input"]["name"] == "shown.csv"


def test_versions_are_those_of_what_computes() -> None:
    import platform

    found = versions()
    assert found["python"] == platform.python_version()
    assert {"workbench", "torch", "transformers", "tokenizers"} <= set(found)


def test_half_of_a_character_does_not_stop_it(tmp_path: Path) -> None:
    export = tmp_path / "o.csv"
    spec = JobSpec("classify", ("\ud800",), labels=("a", "b"))
    path = write_manifest(manifest(job(spec)), export)
    assert json.loads(path.read_text("utf-8"))["columns"]["text"] == ["\ud800"]


def test_what_cannot_be_read_or_written_is_told(tmp_path: Path) -> None:
    made = job(JobSpec("classify", ("t",), labels=("a", "b")))
    with pytest.raises(WorkbenchError) as caught:
        manifest(made, export=tmp_path / "none.csv")
    assert caught.value.code == "bad_file"
    with pytest.raises(WorkbenchError) as caught:
        write_manifest({}, tmp_path / "none" / "o.csv")
    assert caught.value.code == "file_not_written"
