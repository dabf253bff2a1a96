"""When two requests have the same answer: the same request, to the same model, by the same code.

A key is a digest over all of it. What cannot be told apart for certain has another key.
"""

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import engine
from engine.run.result_form import Request, canonical
from engine.types import ModelInfo, PromptRequest

FORMAT = 2
"""Raised when answers are written in another form, or when older ones must not be given again."""

_LIBRARIES = ("torch", "transformers", "tokenizers", "llguidance", "jsonschema", "regex", "cn2an", "phonenumberslite")
"""What computes answers, or says what typed values mean."""
_UNPINNED = {"", "local", "main", "master"}
"""Revisions that name a place: its files may be others tomorrow."""


@dataclass(frozen=True)
class ModelIdentity:
    """The model that answers. `writer`: the one that writes in its place, for free prompts.

    load: which load of this process it is, for models whose files may have changed since an earlier one.
    """

    model: ModelInfo
    writer: ModelInfo | None = None
    load: int = 0


@dataclass(frozen=True)
class ResultKey:
    """`digest`: 32 bytes. `lasting`: whether it means the same in another process."""

    digest: bytes
    lasting: bool


def result_key(request: Request, identity: ModelIdentity) -> ResultKey:
    """The key of a request to a model: every field of both counts, and the code and libraries that answer."""
    writer = identity.writer if isinstance(request, PromptRequest) else None
    models = [identity.model] if writer is None else [identity.model, writer]
    lasting = all(one.revision not in _UNPINNED for one in models)
    whole = canonical(
        {
            "code": _code(),
            "task": type(request).__name__,
            "request": request,
            "models": models,
            "load": None if lasting else identity.load,
        }
    )
    return ResultKey(hashlib.sha256(whole.encode("ascii")).digest(), lasting)


@cache
def _code() -> list[str]:
    """What answers: the form of an answer, this package's version and its very sources, the libraries' versions."""
    root = Path(engine.__file__).parent
    sources = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        sources.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return [str(FORMAT), engine.__version__, sources.hexdigest(), *map(_version, _LIBRARIES)]


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return ""
