"""Excel workbooks written by hand: what programs write beyond what openpyxl does, and what is wrong in some."""

import zipfile
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import quoteattr

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
REL = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
STYLES = (
    f'<styleSheet xmlns="{MAIN}"><numFmts count="4"><numFmt numFmtId="164" formatCode="000"/>'
    '<numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/><numFmt numFmtId="166" formatCode="[h]:mm"/>'
    '<numFmt numFmtId="167" formatCode="0.00%"/></numFmts><cellXfs count="6"><xf numFmtId="0"/><xf numFmtId="14"/>'
    '<xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="166"/><xf numFmtId="167"/></cellXfs></styleSheet>'
)
"""Styles by number: 0 general, 1 a date, 2 three digits, 3 date and time, 4 hours, 5 a percentage."""


def workbook(
    path: Path,
    *sheets: tuple[str, str, str],
    shared: Sequence[str] = (),
    dimension: str = "A1",
    from_1904: bool = False,
    extra: dict[str, bytes] | None = None,
) -> Path:
    """Write a workbook. sheets: name, state (visible, hidden) and the XML of the rows. shared: the XML of texts."""
    listed, relations = "", ""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for number, (name, state, rows) in enumerate(sheets, 1):
            listed += f'<sheet name={quoteattr(name)} sheetId="{number}" state="{state}" r:id="rId{number}"/>'
            relations += (
                f'<Relationship Id="rId{number}" Type="{REL}/worksheet" Target="worksheets/sheet{number}.xml"/>'
            )
            body = f'<dimension ref="{dimension}"/><sheetData>{rows}</sheetData>'
            out.writestr(f"xl/worksheets/sheet{number}.xml", f'<worksheet xmlns="{MAIN}">{body}</worksheet>')
        relations += f'<Relationship Id="s1" Type="{REL}/styles" Target="/xl/styles.xml"/>'
        out.writestr("xl/styles.xml", STYLES)
        if shared:
            relations += f'<Relationship Id="s2" Type="{REL}/sharedStrings" Target="sharedStrings.xml"/>'
            out.writestr("xl/sharedStrings.xml", f'<sst xmlns="{MAIN}">{"".join(shared)}</sst>')
        properties = '<workbookPr date1904="1"/>' if from_1904 else ""
        out.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{MAIN}" xmlns:r="{REL}">{properties}<sheets>{listed}</sheets></workbook>',
        )
        out.writestr("xl/_rels/workbook.xml.rels", f'<Relationships xmlns="p">{relations}</Relationships>')
        out.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="p"><Relationship Id="r" Type="{REL}/officeDocument" Target="xl/workbook.xml"/>'
            "</Relationships>",
        )
        for name, content in (extra or {}).items():
            out.writestr(name, content)
    return path


def row(*cells: str, number: int | None = None) -> str:
    """A row of a sheet."""
    return f"<row{_at(number)}>{''.join(cells)}</row>"


def text(value: str, place: str = "") -> str:
    """A cell with an inline text."""
    return f'<c{_at(place)} t="inlineStr"><is><t xml:space="preserve">{value}</t></is></c>'


def number(value: str, style: int = 0, place: str = "") -> str:
    """A cell with a number."""
    return f'<c{_at(place)} s="{style}"><v>{value}</v></c>'


def _at(place: object) -> str:
    return f" r={quoteattr(str(place))}" if place else ""
