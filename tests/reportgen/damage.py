"""What happens to reports on their way: to their tables before they are set, to their text and bytes after."""

from __future__ import annotations

import re
from dataclasses import replace

from reportgen.facts import Facts
from reportgen.layout import Damage, Layout, fits
from reportgen.model import Block, Column, Profile, Prose, Table
from reportgen.printing import Blank, Hashes, Number

_WRAP = 132
_EVERY = 5
# SQL*Plus's and the server's own messages, as they land between sections.
_ERROR_BETWEEN = (
    "",
    "truncate table STATS$TEMP_SQLSTATS",
    "               *",
    "ERROR at line 1:",
    "ORA-00942: table or view does not exist",
    "",
    "",
)
_ERROR_WITHIN = (
    "",
    "Error encountered in special section 99995",
    "ORA-13605: The specified task or object named does not exist for the current user.",
    "",
)


def facts(told: Facts, layout: Layout) -> Facts:
    """The facts with characters in a statement that the encoding can show."""
    note = {
        Damage.GBK: "/* 货物清单 */ ",
        Damage.WINDOWS_1252: "/* Größe für Zoll */ ",
        Damage.UTF16: "/* Größe 货物 */ ",
    }
    words = next((text for damage, text in note.items() if damage in layout.damage), "")
    return replace(told, sql=tuple(replace(sql, text=words + sql.text) for sql in told.sql))


def document(
    head: list[Block], summary: list[Block], body: list[Block], layout: Layout
) -> tuple[list[Block], list[Block], list[Block]]:
    """The parts of the report with columns blanked or overflowing and errors in between."""
    if Damage.BLANK_COLUMNS in layout.damage:
        summary, body = [_blanked(block) for block in summary], [_blanked(block) for block in body]
    if Damage.OVERFLOW in layout.damage:
        body = [_overflowing(block, place) for place, block in enumerate(body)]
    if Damage.ORACLE_ERRORS in layout.damage:
        lines = _ERROR_BETWEEN if layout.statspack else _ERROR_WITHIN
        error = Prose(text=lines, html="<br />".join(lines))
        body = [*body[:3], error, *body[3:]]
    return head, summary, body


def _blanked(block: Block) -> Block:
    """Figures per second are blank where the interval is not known."""

    def blank(column: Column) -> Column:
        rate = column.name is not None and (column.name.endswith("per_s") or "per_second" in column.name)
        return replace(column, form=Blank()) if rate else column

    if isinstance(block, Table):
        return replace(block, lines=tuple(tuple(map(blank, line)) for line in block.lines))
    return replace(block, columns=tuple(map(blank, block.columns))) if isinstance(block, Profile) else block


def _overflowing(block: Block, place: int) -> Block:
    if not isinstance(block, Table):
        return block
    numbers = [column for column in block.columns if isinstance(column.form, Number)]
    if not numbers:
        return block
    victim = numbers[place % len(numbers)]

    def fill(column: Column) -> Column:
        return replace(column, form=Hashes()) if column is victim else column

    return replace(block, lines=tuple(tuple(map(fill, line)) for line in block.lines))


def text(report: str, layout: Layout) -> str:
    """The set report, its characters damaged."""
    steps = {
        Damage.NO_SUMMARIES: _without_summaries,
        Damage.EMPTY_HEADINGS: _with_empty_headings,
        Damage.NO_END_TAGS: lambda html: re.sub(r"</t[drh]>", "", html),
        Damage.UPPER_CASE_TAGS: _upper_case,
        Damage.HARD_WRAP: _wrapped,
        Damage.DOUBLED_QUOTES: _through_csv,
        Damage.CRLF: lambda lines: lines.replace("\n", "\r\n"),
    }
    for damage, step in steps.items():
        if damage in layout.damage and fits(damage, layout.form):
            report = step(report)
    return report


def encoded(report: str, layout: Layout) -> bytes:
    """The report's bytes."""
    return report.encode(layout.encoding, errors="replace")


def _without_summaries(html: str) -> str:
    return re.sub(r' summary="[^"]*"', "", html)


def _with_empty_headings(html: str) -> str:
    count = 0

    def emptied(match: re.Match[str]) -> str:
        nonlocal count
        count += 1
        return match[0] if count % _EVERY else f"{match[1]}</th>"

    return re.sub(r"(<th\b[^>]*>)[^<]*</th>", emptied, html)


def _upper_case(html: str) -> str:
    """As a browser saves a page: tags in upper case, attributes without quotes where they are one word, one cell per line."""

    def tag(match: re.Match[str]) -> str:
        attributes = re.sub(r"""=["']([\w#%]+)["']""", r"=\1", match[3])
        return f"<{match[1]}{match[2].upper()}{attributes.replace(' /', '')}>"

    upper = re.sub(r"<(/?)(\w+)([^<>]*)>", tag, html)
    return re.sub(r"(</T[DHR]>)\s*(<T)", r"\1\n\2", upper)


def _through_csv(html: str) -> str:
    """As a spreadsheet's export leaves it: every quote doubled, now and then an end tag without its bracket."""
    count = 0

    def broken(match: re.Match[str]) -> str:
        nonlocal count
        count += 1
        return match[0] if count % 97 else "/td>"

    return re.sub(r"</td>", broken, html.replace('"', '""'))


def _wrapped(html: str) -> str:
    """As SQL*Plus spools with a line size of 132: cut wherever the line ends, each line filled up with spaces."""
    lines: list[str] = []
    for line in html.split("\n"):
        pieces = [line[start : start + _WRAP] for start in range(0, len(line), _WRAP)] or [""]
        lines += [piece.ljust(_WRAP) for piece in pieces]
    return "\n".join(lines)
