"""An Excel workbook (xlsx) as the parts that a table needs: sheets, formats of cells, shared texts.

The parts are read from the package itself, because openpyxl keeps all shared texts and something of each row, and gives
a formula or its value but not both. What is read is bounded, however small the package was packed.
"""

import errno
import lzma
import re
import tempfile
import zipfile
import zlib
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, Literal
from xml.etree import ElementTree

from engine.jobs.tables.table import unreadable
from engine.messages import Phrase

LARGEST = 8 * 2**30
"""Bytes of a package's parts together when unpacked."""
_LARGEST_PART = 64 * 2**20
"""Bytes of a part that is read at once."""
_IN_MEMORY = 64 * 2**20
"""Bytes of shared texts, as XML, that are held in memory; more lie in a temporary file."""
_ESCAPE = re.compile("_x([0-9A-Fa-f]{4})_")
Show = Literal["", "date", "time", "datetime", "duration"] | int
"""How numbers of a format show; an int: with so many digits at least."""


@dataclass(frozen=True)
class Sheet:
    """A worksheet: its name, whether it is seen, and its part of the package."""

    name: str
    visible: bool
    part: str


@dataclass(frozen=True)
class Book:
    """A workbook's sheets in their order, how numbers of each style show, and the part with the shared texts."""

    sheets: tuple[Sheet, ...]
    shows: tuple[Show, ...] = ()
    from_1904: bool = False
    texts: str = ""


@dataclass
class Texts:
    """Shared texts by number: a list, or one after the other in a temporary file."""

    held: list[str] = field(default_factory=list)
    file: IO[bytes] | None = None
    ends: "array[int]" = field(default_factory=lambda: array("Q", [0]))

    def __getitem__(self, number: int) -> str:
        """The text of that number."""
        if number < 0:
            raise IndexError(number)
        if self.file is None:
            return self.held[number]
        start, end = self.ends[number], self.ends[number + 1]
        self.file.seek(start)
        return self.file.read(end - start).decode("utf-8", "surrogatepass")

    def add(self, text: str) -> None:
        """One more at the end."""
        if self.file is None:
            self.held.append(text)
        else:
            self.ends.append(self.ends[-1] + self.file.write(text.encode("utf-8", "surrogatepass")))


@contextmanager
def package(path: Path) -> Iterator[zipfile.ZipFile]:
    """The package of a workbook.

    Raises:
        WorkbenchError: `table_unreadable`: it is damaged, no workbook, or too large when unpacked, seen here or later
            within the context.
    """
    try:
        with zipfile.ZipFile(path) as opened:
            size = sum(one.file_size for one in opened.infolist())
            if size > LARGEST:
                raise unreadable(path, Phrase("excel_too_large", size=size, limit=LARGEST))
            yield opened
    except (zipfile.BadZipFile, zipfile.LargeZipFile, ElementTree.ParseError, EOFError, LookupError) as error:
        raise unreadable(path, Phrase("table_damaged", said=str(error) or type(error).__name__)) from None
    except OSError as error:
        if error.errno not in {None, errno.EINVAL}:  # a place before the file's beginning, as a damaged list has
            raise
        raise unreadable(path, Phrase("table_damaged", said=str(error))) from None
    except (zlib.error, lzma.LZMAError, NotImplementedError, RuntimeError, ValueError, OverflowError) as error:
        raise unreadable(path, Phrase("table_damaged", said=str(error) or type(error).__name__)) from None


def read_book(path: Path, opened: zipfile.ZipFile) -> Book:
    """What the workbook part and the styles say."""
    names = set(opened.namelist())
    main = _main_part(opened, names)
    if main not in names:
        raise unreadable(path, Phrase("excel_no_workbook"))
    targets = _relations(opened, main, names)
    root = _tree(opened, main)
    sheets, from_1904 = [], False
    for element in root.iter():
        kind = tag(element)
        if kind == "workbookPr":
            from_1904 = element.get("date1904", "0") in {"1", "true"}
        elif kind == "sheet":
            reference = next((value for name, value in element.attrib.items() if name.endswith("}id")), "")
            relation, part = targets.get(reference, ("", ""))
            if relation == "worksheet" and part in names:
                sheets.append(Sheet(element.get("name", ""), element.get("state", "visible") == "visible", part))
    parts = dict(targets.values())
    styles = parts.get("styles", "")
    texts = parts.get("sharedStrings", "")
    shows = _shows(_tree(opened, styles)) if styles in names else ()
    return Book(tuple(sheets), shows, from_1904, texts if texts in names else "")


@contextmanager
def shared_texts(opened: zipfile.ZipFile, part: str) -> Iterator[Texts]:
    """The shared texts; more of them than memory should hold lie in a file for as long as the context."""
    if not part:
        yield Texts()
        return
    if opened.getinfo(part).file_size <= _IN_MEMORY:
        texts = Texts()
        _read_texts(opened, part, texts)
        yield texts
        return
    with tempfile.TemporaryFile() as file:
        texts = Texts(file=file)
        _read_texts(opened, part, texts)
        yield texts


def tag(element: ElementTree.Element) -> str:
    """An element's name without its namespace, of which there are two."""
    return element.tag.rpartition("}")[2]


def text_of(element: ElementTree.Element) -> str:
    """The text of a shared or inline string: all its runs, without their reading aids."""
    parts: list[str] = []
    for child in element:
        kind = tag(child)
        if kind == "t":
            parts.append(child.text or "")
        elif kind == "r":
            parts += [inner.text or "" for inner in child if tag(inner) == "t"]
    return unescape("".join(parts))


def unescape(text: str) -> str:
    """Characters that XML cannot hold, as Excel writes them.

    >>> unescape("a_x000D_b"), unescape("_x005F_x000D_")
    ('a\\rb', '_x000D_')
    """
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text) if "_x" in text else text


def _read_texts(opened: zipfile.ZipFile, part: str, texts: Texts) -> None:
    with opened.open(part) as source:
        root: ElementTree.Element | None = None
        for event, element in ElementTree.iterparse(source, ("start", "end")):  # noqa: S314 - see `_tree`
            if root is None:
                root = element
            elif event == "end" and tag(element) == "si":
                texts.add(text_of(element))
                root.clear()


def _tree(opened: zipfile.ZipFile, part: str) -> ElementTree.Element:
    """A small part whole; expat itself stops entities that grow without bounds."""
    if opened.getinfo(part).file_size > _LARGEST_PART:
        raise ValueError(f"{part} is too large")
    return ElementTree.fromstring(opened.read(part))  # noqa: S314


def _main_part(opened: zipfile.ZipFile, names: set[str]) -> str:
    if "_rels/.rels" not in names:
        return "xl/workbook.xml"
    for element in _tree(opened, "_rels/.rels"):
        if element.get("Type", "").endswith("/officeDocument"):
            return element.get("Target", "").lstrip("/")
    return "xl/workbook.xml"


def _relations(opened: zipfile.ZipFile, main: str, names: set[str]) -> dict[str, tuple[str, str]]:
    """By id: the kind of a part, and its name in the package."""
    folder = PurePosixPath(main).parent
    listed = str(folder / "_rels" / f"{PurePosixPath(main).name}.rels")
    if listed not in names:
        return {}
    found = {}
    for element in _tree(opened, listed):
        target = element.get("Target", "")
        part = target.lstrip("/") if target.startswith("/") else _joined(folder, target)
        found[element.get("Id", "")] = (element.get("Type", "").rpartition("/")[2], part)
    return found


def _joined(folder: PurePosixPath, target: str) -> str:
    parts: list[str] = []
    for part in (folder / target).parts:
        if part == ".." and parts:
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)


def _shows(root: ElementTree.Element) -> tuple[Show, ...]:
    """For every style of cells how its numbers show."""
    own = {one.get("numFmtId", ""): one.get("formatCode", "") for one in root.iter() if tag(one) == "numFmt"}
    cells = next((one for one in root if tag(one) == "cellXfs"), None)
    return tuple(_show(own, one.get("numFmtId", "0")) for one in cells) if cells is not None else ()


def _show(own: dict[str, str], number: str) -> Show:
    from openpyxl.styles.numbers import BUILTIN_FORMATS, is_datetime, is_timedelta_format

    code = own.get(number) or BUILTIN_FORMATS.get(int(number), "")
    if code and not code.strip("0"):
        return len(code) if len(code) > 1 else ""
    if not code:
        return "date" if 27 <= int(number) <= 36 or 50 <= int(number) <= 58 else ""  # East Asian dates
    if is_timedelta_format(code):
        return "duration"
    found: Show = is_datetime(code) or ""
    return found
