"""What the Monitor draws of made observations, GPUs included; the sharing between pages; the sidebar's chip."""

import json
import threading
from typing import Any

import pytest

from engine.messages import Phrase
from engine.observe.types import Effect, GpuReading, Marker, Missing, RequestRecord, Sample
from ui.memory_chip import chip_html
from ui.monitor.actions import effect_html
from ui.monitor.charts import POINTS, gpu_plot, load_plot, memory_plot, queue_plot
from ui.monitor.figures import live_figures
from ui.monitor.latency import POINTS as REQUESTS
from ui.monitor.latency import latency_plot
from ui.monitor.view import Kept, View

MIB, GIB = 2**20, 2**30
NOW = 10_000.0
GONE = Missing(Phrase("gpu_lost"))


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no session whose language could be asked for."""
    monkeypatch.setattr("ui.i18n.language", lambda: "en")


def sample(time: float, rss: int = GIB, **given: Any) -> Sample:
    fields: dict[str, Any] = {"peak": rss, "cpu": 50.0, "system_used": 8 * GIB, "system_total": 16 * GIB}
    return Sample(time=time, rss=rss, **(fields | {"system_cpu": 30.0, "waiting": 0} | given))


def gpu(index: int = 0, **given: Any) -> GpuReading:
    fields: dict[str, Any] = {"name": "Test", "allocated": GIB, "reserved": 2 * GIB, "used": 3 * GIB, "total": 24 * GIB}
    return GpuReading(index, **(fields | {"others": GIB, "utilisation": 40.0, "temperature": 60.0} | given))


def request(time: float, ms: float = 20.0, **given: Any) -> RequestRecord:
    fields: dict[str, Any] = {"task": "classify", "batch": False, "characters": 10, "prompt_tokens": 5}
    fields |= {"output_tokens": 1, "latency_ms": ms, "share_ms": ms, "queue_ms": 1.0}
    return RequestRecord("r", time, **(fields | given))


def view(
    samples: list[Sample], requests: list[RequestRecord] | None = None, markers: list[Marker] | None = None
) -> View:
    return View(NOW, 300, tuple(samples), tuple(requests or ()), tuple(markers or ()))


def traces(plot: str) -> dict[str, dict[str, Any]]:
    """By name."""
    return {one["name"]: one for one in json.loads(plot)["data"] if "name" in one}


def test_a_line_has_few_points_and_none_of_its_peaks_is_lost() -> None:
    many = [sample(NOW - 1800 + second, 40 * GIB if second == 1000 else GIB) for second in range(1, 1801)]
    long = View(NOW, 1800, tuple(many), (), ())
    held = traces(memory_plot(long, 0.0, None))["This process"]
    assert len(held["y"]) <= POINTS + 1
    assert max(held["y"]) == 40


def test_points_stay_where_they_are_while_time_goes_on() -> None:
    many = [sample(NOW - 400 + second, (1 + second % 7) * MIB) for second in range(400)]
    early = View(NOW - 5, 300, tuple(many[:395]), (), ())
    late = View(NOW, 300, tuple(many), (), ())
    one, other = (traces(memory_plot(seen, 0.0, None))["This process"] for seen in (early, late))
    before = dict(zip(one["x"], one["y"], strict=True))
    after = dict(zip(other["x"], other["y"], strict=True))
    shared = sorted(set(before) & set(after))[1:-1]
    assert len(shared) > 100
    assert [before[at] for at in shared] == [after[at] for at in shared]


def test_the_limit_is_a_line_and_changes_of_the_model_are_marked_as_text() -> None:
    markers = [Marker(NOW - 10, "load", {"model": "<img src=x> fp32 cpu"}), Marker(NOW - 5, "batch_size", {"size": 8})]
    drawn = json.loads(memory_plot(view([sample(NOW - 20), sample(NOW)], markers=markers), 3600.0, GIB))
    assert [one["text"] for one in drawn["layout"]["annotations"]] == ["model &lt;img src=x&gt; fp…", "batch size 8"]
    assert [one["x0"] for one in drawn["layout"]["shapes"]] == [(NOW - 10 + 3600) * 1e3, (NOW - 5 + 3600) * 1e3]
    assert next(one for one in drawn["data"] if one["name"] == "memory limit")["y"] == [1024, 1024]


def test_a_gpu_draws_what_it_tells_and_nothing_else() -> None:
    seen = view([sample(NOW - 1, gpus=(gpu(0, others=GONE), gpu(1, used=GONE, utilisation=GONE)))])
    assert set(traces(gpu_plot(seen, 0.0, 0))) == {"in tensors", "reserved by torch", "used by all"}
    assert set(traces(gpu_plot(seen, 0.0, 1))) == {"in tensors", "reserved by torch", "other processes"}
    assert set(traces(load_plot(seen, 0.0, 2))) == {"this process", "all processes", "GPU 0", "GPU 0 °C", "GPU 1 °C"}
    assert traces(load_plot(seen, 0.0, 2))["this process"]["y"] == [25.0]


def test_figures_of_gpus_say_why_one_is_missing() -> None:
    seen = view([sample(NOW - 1, gpus=(gpu(0), gpu(1, used=GONE, utilisation=GONE, temperature=GONE)))])
    shown = {one.name: (one.value, one.context) for one in live_figures(seen, 2, None)}
    assert shown["GPU 0 memory"] == ("3.0 GiB", "of 24.0 GiB")
    assert shown["GPU 0 load"] == ("40 %", "60 °C")
    assert shown["GPU 1 memory"] == ("–", str(GONE.reason))
    assert shown["GPU 1 load"] == ("–", str(GONE.reason))


def test_latency_is_drawn_by_task_and_length_without_kept_answers() -> None:
    asked = [request(NOW - 2, 1.0, cached=True), request(NOW - 3, warm=False), request(NOW - 4, characters=500)]
    asked += [request(NOW - 5, task="extract", characters=5000), request(NOW - 6, error="out_of_memory")]
    shown = traces(latency_plot(view([sample(NOW)], asked), 0.0))
    assert {name: one["marker"]["symbol"] for name, one in shown.items()} == {
        "Classify": ["diamond", "circle-open"],
        "Extract": ["triangle-up"],
        "failed": "x",
    }
    many = [request(NOW - 200 + number / 10) for number in range(1500)]
    drawn = json.loads(latency_plot(view([sample(NOW)], many), 0.0))["data"]
    assert len(drawn[0]["x"]) == REQUESTS
    assert [text for one in drawn[1:] for text in one["text"] if text] == ["P50 20.0 ms", "P95 20.0 ms", "P99 20.0 ms"]


def test_the_queue_shows_its_depth_and_the_waits_of_single_requests() -> None:
    asked = [request(NOW - 2, queue_ms=70.0), request(NOW - 2, queue_ms=9e9, batch=True)]
    shown = traces(queue_plot(view([sample(NOW - 1, waiting=12)], asked), 0.0))
    assert shown["requests waiting"]["y"] == [12]
    assert shown["wait of a request (ms)"]["y"] == [70.0]


def test_nothing_observed_draws_nothing_and_fails_nowhere() -> None:
    for plot in (memory_plot(view([]), 0.0, None), queue_plot(view([]), 0.0), load_plot(view([]), 0.0, 2)):
        assert not any(one["x"] for one in json.loads(plot)["data"])
    assert live_figures(view([]), 2, None) == []


def test_an_effect_tells_the_difference_of_the_process_and_of_each_gpu() -> None:
    shown = effect_html(
        Effect("unload", sample(NOW, 3 * GIB, gpus=(gpu(),)), sample(NOW, GIB, gpus=(gpu(reserved=0),)))
    )
    assert "3.0 GiB → 1.0 GiB <b>(−2.0 GiB)</b>" in shown
    assert "2.0 GiB → 0 B <b>(−2.0 GiB)</b>" in shown
    lost = effect_html(Effect("collect", sample(NOW, gpus=(gpu(),)), sample(NOW, gpus=(gpu(reserved=GONE),))))
    assert "(±0 B)" in lost
    assert "GPU" not in lost


def test_ten_pages_make_a_thing_once_a_moment() -> None:
    kept, made = Kept(2), []

    def make() -> int:
        made.append(1)
        return len(made)

    pages = [threading.Thread(target=lambda: kept.get("plot", 1.0, make)) for _ in range(10)]
    for page in pages:
        page.start()
    for page in pages:
        page.join()
    assert kept.get("plot", 1.0, make) == 1
    assert kept.get("plot", 2.0, make) == 2
    kept.get("a", 1.0, make)
    kept.get("b", 1.0, make)
    assert kept.get("plot", 2.0, make) == 5, "no more are kept than that"


def test_the_chip_tells_the_share_of_the_limit_or_of_the_machine() -> None:
    free = chip_html(sample(NOW, 4 * GIB), None)
    assert "25% of this machine&#x27;s 16.0 GiB" in free
    assert 'class=""' in free
    assert 'class="wb-full"' in chip_html(sample(NOW, 4 * GIB), 4 * GIB)
    assert 'class="wb-high"' in chip_html(sample(NOW, 4 * GIB), 5 * GIB)
    assert "80% of the limit of 5.0 GiB" in chip_html(sample(NOW, 4 * GIB), 5 * GIB)


def test_on_a_gpu_the_limit_is_the_gpus() -> None:
    shown = chip_html(sample(NOW, 4 * GIB, gpus=(gpu(), gpu(1, reserved=GONE))), 4 * GIB, 'said "so"')
    assert "25% of this machine&#x27;s" in shown
    assert "50% of the limit of 4.0 GiB" in shown
    assert "GPU 1" not in shown
    assert 'title="said &quot;so&quot;"' in shown
