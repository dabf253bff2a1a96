"""The Monitor page without a browser: figures, pause, actions, advice, snapshots, the log, and tuning."""

import html
import re
import time
from collections.abc import Callable
from typing import Any

import pytest
from page_driver import captions, markup, settle
from streamlit.testing.v1 import AppTest

from engine.observe.monitor import Monitor
from engine.observe.types import LogLine
from engine.types import ClassifyRequest, Note

Open = Callable[..., AppTest]
MARKUP = "<b>x</b> $1 :smile:"


def open_monitor(open_app: Open, panel: str = "live", **link: Any) -> AppTest:
    """The page, once the model is there and the first sample is taken."""
    from ui.engine import workbench

    app = open_app(**link).switch_page("pages/monitor.py")
    workbench().ensure_loaded().result(30)
    end = time.monotonic() + 10
    while not workbench().monitor.samples(60) and time.monotonic() < end:
        time.sleep(0.02)
    return turn_to(app, panel)


def turn_to(app: AppTest, panel: str) -> AppTest:
    """Another part of the page."""
    app.run()
    app.segmented_control(key="monitor_panel").set_value(panel).run()
    assert not app.exception
    return app


def ask(*texts: str) -> None:
    """Requests of somebody else in the same process."""
    from ui.engine import workbench

    for text in texts:
        workbench().classify(ClassifyRequest(text, ("sports", "finance")), cache=False).result(30)


def again(app: AppTest) -> AppTest:
    """The page a tick later."""
    from ui.monitor.view import TICK

    time.sleep(TICK)
    return app.run()


def figures(app: AppTest) -> dict[str, str]:
    return {one.label: one.value for one in app.metric}


def test_it_shows_the_figures_of_now_and_says_what_is_not_there(open_app: Open) -> None:
    app = open_monitor(open_app)
    shown = figures(app)
    assert re.fullmatch(r"[\d.]+ [MG]iB", shown["This process"])
    assert set(shown) > {"System memory", "CPU", "Requests / s", "Tokens / s", "Queue", "Kept answers"}
    assert shown["P95 latency"] == shown["Grounded"] == "–", "nothing is made up before there was a request"
    assert sum("No GPU is watched: " in one for one in captions(app)) == 1
    assert "Nothing to advise" in " ".join(captions(app))
    assert any("No request was computed in the last 5 min" in box.value for box in app.info)
    assert "known after the first request" in markup(app)


def test_requests_are_counted_timed_and_kept_apart_where_they_are_first(open_app: Open) -> None:
    app = open_monitor(open_app, delay=0.002)
    ask("one", "two " * 100, "three " * 400)
    app = again(app)
    shown = figures(app)
    assert shown["P95 latency"].endswith(" ms")
    assert float(shown["Requests / s"]) > 0
    table = re.search(r'data-testid="latency-table".*?</table>', markup(app), re.S)
    assert table is not None
    rows = dict(re.findall(r'<th scope="row">(.*?)</th><td>(\d+)</td>', table[0]))
    assert rows == {"Classify": "2", "medium": "1", "long": "1", "Classify (first after a load)": "1"}
    assert "known after the first request" not in markup(app)


def test_a_paused_page_stands_still_and_goes_on_afterwards(open_app: Open) -> None:
    app = open_monitor(open_app)
    ask("one")
    app = again(app)
    app.toggle(key="monitor_paused").set_value(True).run()
    before = figures(app), markup(app)
    ask("two", "three")
    app = again(app)
    assert (figures(app), markup(app)) == before
    assert any(one.startswith("Stands at ") for one in captions(app))
    app.segmented_control(key="monitor_span").set_value(60).run()
    assert figures(app)["Requests / s"] == before[0]["Requests / s"], "another span of the same moment"
    app.toggle(key="monitor_paused").set_value(False).run()
    app = again(app)
    assert figures(app)["Requests / s"] != before[0]["Requests / s"]


def test_it_says_when_measurements_are_old(open_app: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    from ui.engine import workbench

    app = open_monitor(open_app)
    workbench().monitor.close()
    monkeypatch.setattr("ui.monitor.page._STALE", 0)
    app = again(app)
    assert any("may be out of date" in box.value for box in app.warning)
    assert figures(app)


def test_actions_show_memory_before_and_after_and_stay_shown(open_app: Open) -> None:
    app = open_monitor(open_app)
    for name in ("release", "unload"):
        app.button(key=f"monitor_{name}").click().run()
    settle(app)
    for name in ("release", "unload"):
        effect = re.search(rf'data-testid="effect-{name}".*?</div></div>|data-testid="effect-{name}".*', markup(app))
        assert effect is not None
        assert re.search(r"[\d.]+ [MG]iB → [\d.]+ [MG]iB <b>\([+−±][\d.]+ \w+\)</b>", effect[0])
    assert app.button(key="monitor_unload").disabled
    app = again(app)
    assert "known once a model is loaded" in markup(app)
    app.button(key="monitor_load").click().run()
    from ui.engine import workbench

    workbench().ensure_loaded().result(30)
    app.run()
    assert not app.button(key="monitor_unload").disabled
    assert 'data-testid="effect-unload"' in markup(app)


def test_advice_is_said_in_the_pages_language(open_app: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    failing = Note("advice_failing", {"failed": 5, "count": 20, "most": 5, "code": "out_of_memory"})
    cold = Note("advice_cold", {"count": 20, "with_cold": "900", "without": "20"})
    monkeypatch.setattr(Monitor, "advice", lambda _: (failing, cold))
    app = open_monitor(open_app, lang="zh")
    assert app.title[0].value == "监控"
    assert "out\\_of\\_memory" in app.warning[0].value
    assert "900" in app.info[0].value
    assert "暂无建议" not in " ".join(captions(app))


def test_snapshots_are_named_compared_and_deleted(open_app: Open) -> None:
    from ui.engine import workbench

    app = open_monitor(open_app, "snapshots")
    ask("one")
    app.text_input(key="monitor_tag").set_value(MARKUP)
    app.button(key="monitor_take").click().run()
    table = re.search(r'data-testid="snapshots".*?</table>', markup(app), re.S)
    assert table is not None
    assert html.escape(MARKUP) in table[0]
    assert MARKUP not in table[0]
    assert "after the load" in table[0]
    difference = re.search(r'data-testid="difference".*', markup(app), re.S)
    assert difference is not None
    assert len(re.findall(r"[+−±][\d.]+ \w+</td>", difference[0])) == 3
    assert html.escape(MARKUP) in difference[0], "the one that was just taken is what is compared"
    taken = {one.tag: one.id for one in workbench().monitor.snapshots()}
    app.multiselect(key="monitor_deleted").set_value([taken[MARKUP]]).run()
    app.button(key="monitor_delete").click().run()
    assert not app.exception
    assert html.escape(MARKUP) not in markup(app)
    assert MARKUP not in {one.tag for one in workbench().monitor.snapshots()}


def test_the_log_is_filtered_escaped_and_bounded(open_app: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [LogLine(number, 0.0, "INFO", "engine.x", f"line {number}") for number in range(1000)]
    lines += [LogLine(1000, 0.0, "ERROR", "engine.y", MARKUP)]
    monkeypatch.setattr(Monitor, "log", lambda *_: tuple(lines))
    app = open_monitor(open_app, "log")
    shown = re.findall(r"<li class=.*?</li>", markup(app), re.S)
    assert len(shown) == 400
    assert html.escape(MARKUP) in shown[-1]
    app.segmented_control(key="monitor_level").set_value("WARNING").run()
    assert len(re.findall(r"<li class=.*?</li>", markup(app), re.S)) == 1
    lines.pop()
    app.run()
    assert "No line of this level yet." in markup(app)


def tune(app: AppTest, **boxes: Any) -> AppTest:
    """Start a sweep and wait for its end."""
    from ui.monitor.tune import last_sweep

    for name, value in boxes.items():
        app.session_state[f"tune_{name}"] = value
    app.run()
    app.button(key="tune_start").click().run()
    assert not app.exception
    job = last_sweep()
    assert job is not None
    assert job.wait(30)
    return app.run()


def test_a_sweep_advises_and_one_press_adopts(open_app: Open) -> None:
    from ui.engine import workbench

    app = open_monitor(open_app, "tune")
    app = tune(app, sizes=[1, 2], repeats=1)
    table = re.search(r'data-testid="sweep".*?</table>', markup(app), re.S)
    assert table is not None
    assert len(re.findall(r'<th scope="row">', table[0])) == 2
    assert table[0].count("★ advised") == 1
    assert "Texts in a step now: the usual one" in markup(app)
    app.button(key="tune_adopt_2").click().run()
    assert workbench().batch_size == 2
    assert "Texts in a step now: 2" in markup(app)
    fresh = turn_to(open_another(), "tune")
    assert 'data-testid="sweep"' in markup(fresh), "another browser finds the same experiment"


def open_another() -> AppTest:
    """A second session of the same process."""
    from conftest import ROOT

    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
    return app.switch_page("pages/monitor.py")


def test_own_texts_are_needed_where_they_are_chosen_and_limits_mark(open_app: Open) -> None:
    app = open_monitor(open_app, "tune")
    app.segmented_control(key="tune_from").set_value("own").run()
    assert app.button(key="tune_start").disabled
    app.text_area(key="tune_texts").set_value("one\n\ntwo\n").run()
    assert "2 texts" in captions(app)
    assert not app.button(key="tune_start").disabled
    app = tune(app, sizes=[1], repeats=1, task="extract", budget=1)
    assert "over the limit" in markup(app), "a MiB is less than the process holds"
    assert any("No setting stays within the memory limit" in box.value for box in app.warning)


def test_a_stopped_sweep_keeps_what_it_measured(open_app: Open) -> None:
    from ui.monitor.tune import last_sweep

    app = open_monitor(open_app, "tune", delay=0.01)
    app.session_state["tune_repeats"] = 10
    app.run()
    app.button(key="tune_start").click().run()
    assert app.button(key="tune_start").disabled
    app.button(key="tune_cancel").click().run()
    job = last_sweep()
    assert job is not None
    assert job.wait(30)
    app.run()
    assert any("Stopped." in box.value for box in app.info)
    assert not app.button(key="tune_start").disabled


def test_a_choice_that_is_none_becomes_the_default(open_app: Open) -> None:
    app = open_monitor(open_app)
    app.session_state["monitor_span"] = 7
    app.session_state["tune_sizes"] = [3, 2]
    app.run()
    assert not app.exception
    assert app.session_state["monitor_span"] == 300
    assert app.session_state["tune_sizes"] == [2]
