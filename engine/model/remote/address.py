"""A server's address as it is typed: `http://host:port/v1#model`. It asks no network."""

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from engine.errors import WorkbenchError
from engine.messages import Phrase

_SCHEME = re.compile(r"\s*https?://", re.IGNORECASE)
_USER_INFO = re.compile(r"(?P<scheme>\s*https?://).*@", re.IGNORECASE | re.DOTALL)
_PLAIN = re.compile(r"[!-~]+")
"""Printable ASCII without blanks: what an address is written in."""


@dataclass(frozen=True)
class Address:
    """url: up to the version, without a slash at its end. model: the server's name of it; empty: its only one."""

    url: str
    model: str = ""

    @property
    def loopback(self) -> bool:
        """Whether it is this machine for certain; other names are not looked up."""
        host = urlsplit(self.url).hostname or ""
        if host == "localhost":
            return True
        try:
            found = ipaddress.ip_address(host)
        except ValueError:
            return False
        return found.is_loopback


def is_address(name: str) -> bool:
    """Whether a model's name is meant as a server's address."""
    return _SCHEME.match(name) is not None


def without_user_info(name: str) -> str:
    """A model's name as it may be shown: an address without what stands before its host."""
    if not is_address(name):
        return name
    try:
        parts = urlsplit(name.strip())
        clean = "@" not in parts.netloc and (parts.port or True)
    except ValueError:
        clean = False
    return name if clean else _USER_INFO.sub(r"\g<scheme>", name)


def parse_address(name: str) -> Address:
    """Read an address; one without a path is that of version 1.

    Raises:
        WorkbenchError: `remote_address`, which never shows a name or password in it.

    >>> parse_address("http://127.0.0.1:8000/v1/#org/model")
    Address(url='http://127.0.0.1:8000/v1', model='org/model')
    """
    name = name.strip()
    place, _, model = name.partition("#")
    try:
        parts = urlsplit(place)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise _odd(name, Phrase("address_malformed")) from None
    if "@" in parts.netloc:
        raise _odd(name, Phrase("address_user_info"))
    if not host or not _PLAIN.fullmatch(place) or parts.query or port == 0:
        raise _odd(name, Phrase("address_malformed"))
    path = parts.path.rstrip("/") or "/v1"
    return Address(f"{parts.scheme.lower()}://{parts.netloc}{path}", model.strip())


def _odd(name: str, reason: Phrase) -> WorkbenchError:
    return WorkbenchError("remote_address", name=without_user_info(name), reason=reason)
