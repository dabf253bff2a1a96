"""Server-sent events, as the WHATWG HTML standard writes them (section 9.2.6): only their data."""


class EventReader:
    """Takes bytes as they come, in pieces cut anywhere, and gives whole events' data."""

    def __init__(self) -> None:
        self._rest = b""
        self._data: list[bytes] = []

    def feed(self, chunk: bytes) -> list[bytes]:
        """The data of events that end in this chunk; comments and other fields are left out."""
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        events = []
        for line in lines:
            line = line.removesuffix(b"\r")  # noqa: PLW2901 - the same line
            if line.startswith(b"data:"):
                self._data.append(line[5:].removeprefix(b" "))
            elif not line and self._data:
                events.append(b"\n".join(self._data))
                self._data = []
        return events

    def end(self) -> list[bytes]:
        """The data of a last event that no blank line ends."""
        return [*self.feed(b"\n\n")]
