"""What a `--model` value means: a named model, a folder, a hub id, a server, or the choice that is made for the user.

It decides and says why; it fetches nothing. The network is asked only for `auto`, and for 3 seconds at most.
"""

import re
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from engine.errors import WorkbenchError
from engine.messages import Phrase
from engine.model import hub_cache
from engine.model.cache import model_folder, read_manifest
from engine.model.catalog import CATALOG, CatalogEntry, HubSource
from engine.model.gguf.files import SUFFIX
from engine.model.remote.address import Address, is_address, parse_address
from engine.settings import Settings
from engine.types import Note, ProtocolName

PROBE_SECONDS = 3.0
FALLBACK = "offline"
"""What `auto` takes where SeqGPT cannot be had."""
_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+")
_MODELSCOPE = "https://www.modelscope.cn"

Probe = Callable[[str, float], bool]


@dataclass(frozen=True)
class Resolved:
    """A model that was decided on: exactly one of `entry`, `folder`, `hub_id` and `server` is set.

    name: what to call it. folder: or a GGUF file. reason: why this one, a clause without a full stop. note: the same
    for the user, where the choice was not his own.
    """

    name: str
    reason: str
    entry: CatalogEntry | None = None
    folder: Path | None = None
    hub_id: str | None = None
    server: Address | None = None

    note: Note | None = None

    @property
    def protocol(self) -> ProtocolName | None:
        """The prompt protocol, where the catalog knows it."""
        return self.entry.protocol if self.entry else None

    @property
    def context(self) -> int | None:
        """Tokens that the model may be given, where the catalog knows it."""
        return self.entry.context if self.entry else None

    def revision(self, folder: Path) -> str:
        """The commit or version of what lies in `folder`, the one that `fetch.ensure` gave; "local" for a
        folder.
        """
        manifest = read_manifest(folder)
        if manifest is not None:
            return manifest.revision
        if folder.parent.name == "snapshots":  # the hub's cache names it after the commit
            return folder.name
        return "local" if self.entry is None else self.entry.revision


def answers(url: str, seconds: float) -> bool:
    """Whether anything answers a HEAD request to `url` within `seconds` in all, name lookup included."""
    outcome: list[bool] = []

    def ask() -> None:
        import httpx

        try:
            response = httpx.head(url, timeout=seconds, follow_redirects=True)
        except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError):
            return
        # a proxy that refuses answers with 403 or 407; a mirror may know no such page or no HEAD
        outcome.append(response.is_success or response.status_code in {404, 405})

    # a stalled name lookup obeys no timeout, so the answer is awaited from outside
    thread = threading.Thread(target=ask, name="hub-probe", daemon=True)
    thread.start()
    thread.join(seconds)
    return bool(outcome and outcome[0])


def resolve(name: str, settings: Settings, probe: Probe = answers) -> Resolved:
    """Decide what `name` means.

    probe: whether an address answers within some seconds.

    Raises:
        WorkbenchError: `unknown_model`, `remote_address`.
    """
    name = name.strip()
    if name == "auto":
        return _choose(settings, probe)
    if is_address(name):
        server = parse_address(name)
        return Resolved(server.model or server.url, f"the server {server.url}", server=server)
    if name in CATALOG:
        return Resolved(name, "asked for by name", entry=CATALOG[name])
    if name.startswith((".", "/", "~")) or (name and Path(name).is_dir()) or name.lower().endswith(SUFFIX):
        return _local(name)
    if _HUB_ID.fullmatch(name):
        named = next((entry for entry in CATALOG.values() if _is_at(entry, name)), None)
        if named is not None:  # fetched and prompted as the named model that it is
            return Resolved(named.name, f"the hub id {name}", entry=named)
        return Resolved(name, f"the hub id {name}", hub_id=name)
    raise _unknown(name)


def _local(name: str) -> Resolved:
    """A folder, or a GGUF file."""
    path = Path(name).expanduser()
    if name.lower().endswith(SUFFIX) and path.is_file():
        return Resolved(path.stem, f"the file {path}", folder=path.resolve())
    if not path.is_dir():
        raise _unknown(name)
    return Resolved(path.resolve().name, f"the folder {path}", folder=path.resolve())


def on_disk(entry: CatalogEntry, settings: Settings) -> bool:
    """Whether a named model can be loaded without the network."""
    if entry.source is None or read_manifest(model_folder(settings.cache_dir, entry.folder)) is not None:
        return True
    if isinstance(entry.source, HubSource):
        return hub_cache.cached(entry.source.huggingface, entry.source.revision, settings.cache_dir) is not None
    return False


def _choose(settings: Settings, probe: Probe) -> Resolved:
    wanted, fallback = CATALOG["seqgpt-560m"], CATALOG[FALLBACK]
    if on_disk(wanted, settings):
        return _noted(wanted, Phrase("on_disk"))
    if hub_cache.forbidden(settings):
        return _noted(fallback, Phrase("hub_forbidden", wanted=wanted.name))
    url = _MODELSCOPE if settings.hub == "modelscope" else hub_cache.endpoint()
    if probe(url, PROBE_SECONDS):
        return _noted(wanted, Phrase("hub_answers", url=url))
    return _noted(fallback, Phrase("hub_silent", wanted=wanted.name, url=url))


def _noted(entry: CatalogEntry, reason: str) -> Resolved:
    return Resolved(entry.name, reason, entry=entry, note=Note("choice_reason", {"name": entry.name, "reason": reason}))


def _is_at(entry: CatalogEntry, hub_id: str) -> bool:
    source = entry.source
    return isinstance(source, HubSource) and hub_id.lower() in {
        place.lower() for place in (source.huggingface, source.modelscope) if place
    }


def _unknown(name: str) -> WorkbenchError:
    known = ", ".join(["auto", *(known for known in CATALOG if known != "fake")])
    return WorkbenchError("unknown_model", name=name, known=known)
