"""The named models: complete entries, and what the product promises of them."""

import re

import pytest

from engine.model.catalog import CATALOG, CatalogEntry, HubSource, RegistrySource


def test_the_promised_names_are_there() -> None:
    assert list(CATALOG) == ["seqgpt-560m", "smollm2-135m", "offline", "fake"]
    assert all(name == entry.name for name, entry in CATALOG.items())


@pytest.mark.parametrize("entry", CATALOG.values(), ids=CATALOG)
def test_an_entry_says_what_a_user_needs(entry: CatalogEntry) -> None:
    assert re.fullmatch(r"[^.]+\.", entry.description.replace("0.1", "")), "one sentence"
    assert entry.licence
    assert entry.context > 0
    assert entry.languages
    assert "score" in entry.capabilities
    assert (entry.source is None) == (entry.download_bytes == 0)


def test_seqgpt_is_the_authors_model_on_both_hubs() -> None:
    entry = CATALOG["seqgpt-560m"]
    assert isinstance(entry.source, HubSource)
    assert entry.source.huggingface == "DAMO-NLP/SeqGPT-560M"
    assert entry.source.modelscope == "iic/nlp_seqgpt-560m"
    assert (entry.protocol, entry.context, entry.parameters) == ("seqgpt", 1024, 559_214_592)
    assert "RAIL" in entry.licence


def test_the_registry_model_is_pinned_by_hash() -> None:
    source = CATALOG["smollm2-135m"].source
    assert isinstance(source, RegistrySource)
    assert re.fullmatch("[0-9a-f]{64}", source.wheel_sha256)
    assert re.fullmatch("[0-9a-f]{64}", source.member_sha256)
    assert source.version in source.wheel


def test_offline_is_the_same_files_as_its_model() -> None:
    offline, model = CATALOG["offline"], CATALOG["smollm2-135m"]
    assert (offline.source, offline.folder, offline.protocol) == (model.source, model.folder, model.protocol)
