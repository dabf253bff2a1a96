"""The pages over a model behind a server: what they show of it, and what they never show."""

import json
from collections.abc import Callable

import pytest
from page_driver import markup, notes, press
from remote_server import Remote, serve_remote
from streamlit.testing.v1 import AppTest

from engine.errors import WorkbenchError
from engine.types import FieldSpec
from ui.engine import workbench
from ui.fields.table import rows_of

Open = Callable[..., AppTest]


def side(app: AppTest) -> str:
    """What the sidebar says; AppTest shows it after the first run of a session only."""
    said = [block.proto.body for block in app.sidebar.get("html")]
    return "\n".join([*said, *(box.value for kind in ("caption", "error") for box in app.sidebar.get(kind))])


def test_a_server_answers_on_the_pages(open_app: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    remote = Remote(dialects=())
    with serve_remote(remote) as url:
        monkeypatch.setenv("WORKBENCH_MODEL", url)
        workbench().ensure_loaded().result(30)
        app = open_app()
        assert not app.exception
        assert "tiny" in side(app)
        assert "remote</span>" in side(app), "no dot where no precision is known"
        app.switch_page("pages/extract.py").run()
        remote.says = lambda _: json.dumps({"person": ["Tim Cook", "Bob"]})
        app.text_area(key="extract_text").set_value("Tim Cook flew.")
        app.session_state["extract_fields"] = rows_of([FieldSpec("person")])
        app.run()
        press(app)
        assert "Tim Cook" in markup(app)
        assert any("Bob" in note for note in notes(app))
        workbench().unload().result(30)


def test_what_stands_before_a_host_is_not_shown(open_app: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_MODEL", "http://me:pa55@127.0.0.1:9/v1")
    with pytest.raises(WorkbenchError) as refused:
        workbench().ensure_loaded().result(30)
    assert refused.value.code == "remote_address"
    app = open_app()
    assert app.selectbox(key="model_name").value == "http://127.0.0.1:9/v1"
    assert app.sidebar.error
    shown = [str(block.proto) for block in (*app.sidebar, *app.main) if hasattr(block, "proto")]
    assert "pa55" not in "\n".join(shown) + side(app)
