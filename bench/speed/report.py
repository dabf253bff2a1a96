"""A run's JSON document as Markdown: times, times over the floor, times against the official script, and notes."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from bench.speed.engines import KINDS
from bench.speed.results import BASELINES, OFFICIAL, STEP

_COLUMNS = ("prefill", STEP, *KINDS[1:])
_TITLES = {"prefill": "prefill", STEP: "ms a step", "relabel": "label edit"}


def markdown(document: Mapping[str, Any]) -> str:
    """The whole report."""
    engines = [one for one in document["engines"] if one["works"] or one["start"]]
    work = document["work"]
    parts = [
        f"{document['machine']['processor']}, {document['threads']} threads, {document['repeats']} repeats after a "
        f"warm-up; {document['checkpoint']['name']}, a text of {work['text_tokens']} tokens, {work['labels']} labels, "
        f"{work['fields']} fields, a batch of {work['batch']} texts. Seconds: median (least–most).",
        _table(("engine", *map(_title, _COLUMNS), "start", "peak memory"), map(_times, engines)),
        "Times the floor of its precision:",
        _table(("engine", *map(_title, _COLUMNS)), (_ratios(one, "over_floor") for one in engines)),
    ]
    if any(one["name"] == OFFICIAL for one in engines):
        parts.append(f"Times as fast as {OFFICIAL}:")
        columns = [column for column in _COLUMNS if column != "batch"]
        rows = (_ratios(one, "times_official", columns) for one in engines if one["name"] != OFFICIAL)
        parts.append(_table(("engine", *map(_title, columns)), rows))
    return "\n\n".join([*parts, "\n".join(f"- {note}" for note in _notes(document, engines))]) + "\n"


def _title(column: str) -> str:
    return _TITLES.get(column, column)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _times(engine: Mapping[str, Any]) -> list[str]:
    cells = [_cell(engine["works"].get(column), 1e3 if column == STEP else 1) for column in _COLUMNS]
    peak = engine["peak_bytes"]
    return [engine["name"], *cells, _cell(engine["start"]), f"{peak / 2**30:.2f} GB" if peak else ""]


def _cell(figure: Mapping[str, Any] | None, scale: float = 1) -> str:
    if figure is None:
        return ""
    middle, least, most = (figure[name] * scale for name in ("median", "min", "max"))
    about = "~" if figure.get("extrapolated") or figure.get("derived") else ""
    spread = f" ({_short(least)}–{_short(most)})" if most > least else ""
    return f"{about}{_short(middle)}{spread}"


def _short(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def _ratios(engine: Mapping[str, Any], name: str, columns: Sequence[str] = _COLUMNS) -> list[str]:
    def cell(column: str) -> str:
        ratio = engine["works"].get(column, {}).get(name)
        return "" if ratio is None else _short(ratio)

    return [engine["name"], *map(cell, columns)]


def _notes(document: Mapping[str, Any], engines: Sequence[Mapping[str, Any]]) -> Iterable[str]:
    rates = document["floor"]["rates"]
    multiplied = ", ".join(f"{name} {rate / 1e9:.0f} G" for name, rate in rates["multiply"].items())
    yield (
        f"The floor: reading {rates['read'] / 1e9:.1f} GB/s, operations a second {multiplied}; attention and the head "
        "are not counted."
    )
    if any(figure.get("extrapolated") for one in engines for figure in one["works"].values()):
        yield "~ of article-a: worked out from the first and the last token."
    if any(figure.get("derived") for one in engines for figure in one["works"].values()):
        yield "~ of a step: the answer's time beyond the prefill, by its tokens; our steps are timed one by one."
    yield from _against_peers(engines)
    for one in engines:
        if one["works"]:
            yield f"{one['name']} ({one['precision']}): {one['how']}."
        for kind, reason in one["failed"].items():
            yield f"{one['name']} did not do {kind}: {reason}"
    for one in document["engines"]:
        if one["skipped"]:
            yield f"{one['name']} was left out: {one['skipped']}"
        peaks = [start["peak_bytes"] for start in (one["start"] or {"raw": []})["raw"] if start["peak_bytes"]]
        if peaks:
            yield f"{one['name']}, a process with this one request: {max(peaks) / 2**30:.2f} GB at most."
    if len(document["groups"]) > 1:
        groups = "; ".join(", ".join(group) for group in document["groups"])
        yield f"Not all fit into memory at once; side by side were: {groups}."


def _against_peers(engines: Sequence[Mapping[str, Any]]) -> Iterable[str]:
    """Our engines against the fastest other runtime, and an edited label set against the first one."""
    ours = [one for one in engines if one["name"].startswith("ours-")]
    peers = [one for one in engines if one not in ours and one["name"] not in BASELINES]
    speed: Callable[[Mapping[str, Any], str], float | None] = lambda one, kind: (  # noqa: E731 - a short look-up
        one["works"].get(kind, {}).get("median")
    )
    for one in ours:
        said = []
        for kind in ("classify", "extract"):
            rivals = [(seconds, peer["name"]) for peer in peers if (seconds := speed(peer, kind)) is not None]
            own = speed(one, kind)
            if rivals and own:
                seconds, name = min(rivals)
                said.append(f"{kind} {_short(seconds / own)} times as fast as {name}")
        first, edited = speed(one, "classify"), speed(one, "relabel")
        if first and edited:
            said.append(f"a label edit {_short(first / edited)} times as fast as the first run")
        if said:
            yield f"{one['name']}: {'; '.join(said)}."
