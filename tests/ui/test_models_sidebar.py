"""The choice of a model: what is shown of it before it is loaded, in both languages, and what a page may not change."""

import html
import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import streamlit as st
from checkpoints import make_bloom, make_gguf, make_llama
from streamlit.testing.v1 import AppTest

from engine.model.about import describe
from engine.settings import load_settings
from engine.types import ModelInfo


def choice() -> None:
    """The boxes alone, as a page."""
    from ui.models import choose_model, chosen

    choose_model()
    import streamlit

    streamlit.session_state["chosen"] = chosen()


@pytest.fixture
def show(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., AppTest]]:
    """Opens the boxes with a model typed or chosen."""
    from ui.engine import workbench

    monkeypatch.setenv("WORKBENCH_MODEL", "fake")
    st.cache_resource.clear()

    def open_(model: str = "", *, language: str = "en", **boxes: str) -> AppTest:
        app = AppTest.from_function(choice, default_timeout=60)
        app.query_params["lang"] = language
        app.run()
        for name, value in boxes.items():
            app.selectbox(key=f"model_{name}").set_value(value).run()
        if model:
            box = app.selectbox(key="model_name")
            box.options.append(model)  # as typing it does
            box.set_value(model).run()
        assert not app.exception
        return app

    yield open_
    workbench().close()
    st.cache_resource.clear()


def card(app: AppTest) -> str:
    """The markup of what is known."""
    found = re.search(r'<div class="wb-about".*', "\n".join(block.proto.body for block in app.get("html")), re.S)
    assert found is not None
    return found[0]


def rows(app: AppTest) -> dict[str, str]:
    """The table of what is known."""
    found = re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", card(app), re.S)
    return {name: html.unescape(re.sub(r"</?small>", "", value)) for name, value in found}


def warnings(app: AppTest) -> list[str]:
    return [html.unescape(one) for one in re.findall(r"<p[^>]*>(.*?)</p>", card(app), re.S)]


def what(app: AppTest) -> str:
    found = re.search(r"<b>(.*?)</b><small>(.*?)</small>", card(app), re.S)
    assert found is not None
    return html.unescape(f"{found[1]}: {found[2]}")


def test_a_model_of_the_catalog_shows_all_before_it_is_fetched(show: Callable[..., AppTest]) -> None:
    assert rows(show("offline")) == {
        "Size": "86.9 MiB to fetch",
        "Memory": "about 350.0 MiB in fp32 (measured)",
        "Licence": "MIT (encoder), CC BY-SA 4.0 (head)",
        "Languages": "中文 · English",
        "Can do": "Classify · Extract · Free prompts (by smollm2-135m)",
    }
    app = show("seqgpt-560m", precision="fp32")
    assert re.fullmatch(r"about [\d.]+ GiB in fp32 \(estimated by its layers\)", rows(app)["Memory"])
    assert rows(app)["Can do"] == "Classify · Extract · Free prompts"
    assert what(app).startswith("seqgpt-560m: Model of the catalog")


def test_the_precision_and_the_device_change_the_estimate(show: Callable[..., AppTest]) -> None:
    def size(**boxes: str) -> tuple[float, str]:
        found = re.search(r"about ([\d.]+) GiB in (\w+)", rows(show("seqgpt-560m", **boxes))["Memory"])
        assert found is not None
        return float(found[1]), found[2]

    assert size(precision="int8") < size(precision="fp16") == size(precision="auto") < size(precision="fp32")
    assert size(precision="int8", device="cuda")[1] == "fp16", "int8 is for CPUs"


def test_auto_says_between_which(show: Callable[..., AppTest]) -> None:
    said = what(show("auto"))
    assert said == "seqgpt-560m: Chosen at load: this one where a model hub answers, else offline."


def test_auto_is_certain_where_there_is_no_network(
    show: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_OFFLINE", "1")
    app = show("auto")
    assert what(app) == "offline: Chosen at load: this one."
    assert ["offline mode allows no download" in one for one in warnings(app)] == [True]


def test_a_folder_says_what_it_is(show: Callable[..., AppTest], tmp_path: Path) -> None:
    folder = make_llama(tmp_path / "mine", weights="safetensors")
    (folder / "README.md").write_text("---\nlicense: mit\nlanguage:\n- zh\n- de\n---\n# Mine\n", "utf-8")
    app = show(str(folder))
    assert re.fullmatch(r"mine: Folder on this machine · LlamaForCausalLM · 0\.\d M", what(app))
    shown = rows(app)
    assert re.fullmatch(r"[\d.]+ KiB on this disk", shown["Size"])
    assert re.fullmatch(r"about [\d.]+ MiB in fp16 \(estimated by its files\)", shown["Memory"])
    assert (shown["Licence"], shown["Languages"]) == ("mit", "中文 · de")
    assert warnings(app) == []


def test_what_a_folder_does_not_state_is_said_so(show: Callable[..., AppTest], folders: dict[str, Path]) -> None:
    shown = rows(show(str(folders["bloom"])))
    assert shown["Licence"] == "not stated"
    assert "Languages" not in shown


@pytest.mark.parametrize(
    "readme",
    ["", "---\n[\n---\n", "---\nlicense: [a]\nlanguage: {a: b}\n---\n", "---\nlicense: 3\nlanguage: [1, null]\n---\n"],
)
def test_an_odd_readme_states_nothing(folders: dict[str, Path], tmp_path: Path, readme: str) -> None:
    folder = shutil.copytree(folders["llama"], tmp_path / "odd")
    (folder / "README.md").write_text(readme, "utf-8")
    told = describe(load_settings(model=str(folder)))
    assert (told.licence, told.languages, told.error) == ("", (), None)


def test_hostile_texts_of_a_folder_are_characters(show: Callable[..., AppTest], tmp_path: Path) -> None:
    folder = make_llama(tmp_path / "<b>x", weights="safetensors")
    (folder / "README.md").write_text('---\nlicense: "<img src=x onerror=alert(1)>"\nlanguage: "<i>"\n---\n', "utf-8")
    shown = card(show(str(folder)))
    assert "<img" not in shown
    assert "<i>" not in shown
    assert "&lt;img src=x" in shown
    assert "<b>&lt;b&gt;x</b>" in shown


def test_a_folder_that_is_no_model_says_why(show: Callable[..., AppTest], tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert "holds no config.json" in warnings(show(str(tmp_path / "empty")))[0]
    assert 'no model named "no-such' in warnings(show("no-such <b>"))[0]
    assert what(show("no-such <b>")) == "no-such <b>: Nothing that can be loaded"
    assert "no model named" in warnings(show("~nobody-has-this-name/x"))[0] or "cannot be read" in card(
        show("~nobody-has-this-name/x")
    )


def test_another_architecture_is_warned_about(show: Callable[..., AppTest], tmp_path: Path) -> None:
    folder = make_llama(tmp_path / "reader", weights="safetensors")
    config = json.loads((folder / "config.json").read_text("utf-8"))
    (folder / "config.json").write_text(json.dumps(config | {"architectures": ["BertForMaskedLM"]}), "utf-8")
    app = show(str(folder))
    assert warnings(app) == ["BertForMaskedLM is no causal language model: it will not load."]
    assert "Can do" not in rows(app)


def test_a_folder_with_code_of_its_own_names_the_flag(show: Callable[..., AppTest], tmp_path: Path) -> None:
    folder = make_llama(tmp_path / "own", weights="safetensors")
    config = json.loads((folder / "config.json").read_text("utf-8"))
    own = {"model_type": "own_kind", "auto_map": {"AutoConfig": "modeling.Own"}}
    (folder / "config.json").write_text(json.dumps(config | own), "utf-8")
    assert "--trust-remote-code" in warnings(show(str(folder)))[0]


def test_a_hub_id_is_known_only_once_it_is_here(show: Callable[..., AppTest], tmp_path: Path) -> None:
    app = show("owner/name")
    assert what(app) == "owner/name: Model of a hub"
    assert rows(app) == {"Size": "Not on this disk; the hub says the size at load"}
    snapshot = tmp_path / "cache" / "hub" / "models--owner--name" / "snapshots" / "c0ffee"
    make_bloom(snapshot, weights="safetensors")
    refs = snapshot.parents[1] / "refs"
    refs.mkdir()
    (refs / "main").write_text("c0ffee", "utf-8")
    app = show("owner/name")
    assert what(app).startswith("owner/name: Model of a hub · BloomForCausalLM")
    assert rows(app)["Size"].endswith("on this disk")


def test_offline_mode_and_a_model_that_is_not_here(
    show: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_OFFLINE", "1")
    assert "offline mode allows no download" in warnings(show("owner/name"))[0]


def test_a_gguf_file_says_what_it_is(
    show: Callable[..., AppTest], folders: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_gguf(tmp_path / "small.gguf", folders["llama"])
    for typed in (path, tmp_path):
        app = show(str(typed))
        assert re.search(r": GGUF file · llama · 0\.\d M$", what(app))
        assert re.fullmatch(r"about [\d.]+ MiB in f32 \(estimated by its files\)", rows(app)["Memory"])
        assert rows(app)["Size"].endswith("on this disk")
    monkeypatch.setattr("engine.model.memory.held_bytes", lambda _: 2**20)
    monkeypatch.setenv("WORKBENCH_MAX_MEMORY", "2m")
    st.cache_resource.clear()
    assert "1.0 MiB may be used" in warnings(show(str(path), device="cuda"))[0], "such files run on the CPU"


@pytest.mark.parametrize("content", [b"", b"GG", b"<html>" * 20, b"GGUF" + b"\xff" * 96])
def test_a_file_that_is_no_gguf_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(content)
    told = describe(load_settings(model=str(path)))
    assert told.kind == "gguf"
    assert told.error is not None
    assert told.error.code == "file_damaged"
    assert told.memory is None
    assert describe(load_settings(model=str(tmp_path / "gone.gguf"))).error is not None


def test_a_named_gguf_model_is_known_before_it_is_fetched() -> None:
    told = describe(load_settings(model="qwen2.5-7b-q4"))
    assert (told.on_disk, told.cpu_only, told.error) == (False, True, None)
    assert told.memory is not None
    assert (told.memory.basis, told.memory.bytes) == ("file_size", told.fetch_bytes)


def test_a_server_is_asked_at_load_and_not_before() -> None:
    here = describe(load_settings(model="http://127.0.0.1:9/v1#small"))
    assert (here.kind, here.name, here.sends_to, here.on_disk) == ("server", "small", "", None)
    there = describe(load_settings(model="https://models.example/v1"))
    assert (there.sends_to, there.error) == ("models.example", None)
    told = describe(load_settings(model="https://me:secret@models.example/v1"))
    assert told.error is not None
    assert "secret" not in f"{told.name} {told.error}"


def test_a_server_elsewhere_is_warned_about(show: Callable[..., AppTest]) -> None:
    assert warnings(show("https://models.example/v1")) == ["Texts are sent to models.example, another machine."]
    assert warnings(show("http://127.0.0.1:9/v1")) == []


def test_what_does_not_fit_is_warned_about(show: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_MAX_MEMORY", "500m")
    monkeypatch.setattr("engine.model.memory.held_bytes", lambda _: 400 << 20)
    assert warnings(show("offline")) == [
        "It needs about 350.0 MiB; 100.0 MiB may be used here. Choose a smaller precision or model."
    ]
    assert len(warnings(show("offline", device="cuda"))) == 1, "it runs on the CPU"
    assert len(warnings(show("seqgpt-560m", device="cpu"))) == 1
    assert warnings(show("seqgpt-560m", device="cuda")) == [], "a GPU has a memory of its own"


def test_int8_is_announced_where_only_that_fits(show: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch) -> None:
    def needed(precision: str) -> int:
        memory = describe(load_settings(model="seqgpt-560m", precision=precision)).memory
        assert memory is not None
        return memory.bytes

    monkeypatch.setattr("engine.model.memory.held_bytes", lambda _: 1000)
    monkeypatch.setenv("WORKBENCH_MAX_MEMORY", str((needed("fp16") + needed("int8")) // 2))
    assert ["int8 is taken" in one for one in warnings(show("seqgpt-560m"))] == [True]
    assert ["Choose a smaller" in one for one in warnings(show("seqgpt-560m", precision="fp16"))] == [True]
    assert warnings(show("seqgpt-560m", precision="int8")) == []
    monkeypatch.setenv("WORKBENCH_MAX_MEMORY", str(needed("int8") + 999))
    st.cache_resource.clear()
    assert ["Choose a smaller" in one for one in warnings(show("seqgpt-560m"))] == [True]


def test_the_memory_of_the_model_that_goes_counts_as_free(
    show: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("psutil.virtual_memory", lambda: type("Memory", (), {"available": 100 << 20, "total": 1 << 40}))
    assert len(warnings(show("offline"))) == 1
    loaded = ModelInfo("m", "1", "plain", "cpu", "fp32", 1, 1, memory=300 << 20)
    monkeypatch.setattr("engine.run.workbench.Workbench.state", lambda _: type("State", (), {"info": loaded}))
    assert warnings(show("offline")) == []


def test_in_chinese(show: Callable[..., AppTest]) -> None:
    app = show("offline", language="zh")
    assert rows(app)["可做"] == "分类 · 抽取 · 自由提问（由 smollm2-135m 回答）"
    assert rows(app)["大小"] == "需下载 86.9 MiB"
    assert "没有名为" in card(show("no-such", language="zh")) or "no-such" in card(show("no-such", language="zh"))
    assert "Nothing that" not in card(show("no-such", language="zh"))


def test_a_page_changes_three_settings_and_never_trust(
    show: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    app = show("offline", device="cpu", precision="fp32")
    assert app.session_state["chosen"] == {"model": "offline", "device": "cpu", "precision": "fp32"}
    monkeypatch.setenv("WORKBENCH_TRUST_REMOTE_CODE", "1")
    st.cache_resource.clear()
    trusted = show()
    assert ["--trust-remote-code" in one for one in warnings(trusted)] == [True]
    assert warnings(show("offline")) == [], "only the model that was named at the start is trusted"


def test_the_note_of_trust_is_a_loud_one(open_app: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch) -> None:
    from engine.model.fake import FakeBackend
    from engine.types import Note

    class Trusting(FakeBackend):
        def __init__(self) -> None:
            super().__init__()
            object.__setattr__(self.info, "notes", (Note("trusts_code", {"name": "fake"}),))

    monkeypatch.setattr("engine.model.loader.FakeBackend", Trusting)
    open_app()
    app = open_app()
    assert ["trust" in box.value for box in app.sidebar.warning] == [True]
