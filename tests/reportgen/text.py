"""Sets a document as text: titles, stacked headings over dashed rulers, rows of fixed columns, pages that repeat their headings."""

from __future__ import annotations

from reportgen.facts import Facts
from reportgen.layout import Damage, Layout
from reportgen.model import Absent, Block, Column, Pairs, Profile, Prose, Row, Style, Table, cells
from reportgen.printing import Medium, Printed, Value

_STATSPACK_END = " " * 10 + "-" * 61
_AWR_END = " " * 26 + "-" * 54
_TITLE_WIDTH = 79
_PAGE_WIDTH = 80
_ROOM_FOR_A_SECTION = 12


class _Pages:
    """Lines with a form feed where a page is full."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.lines: list[str] = []
        self.used = 0

    def add(self, *lines: str) -> None:
        """Lines as they come; what is too long for a page runs on."""
        for line in lines:
            self.lines.append(line.rstrip())
            self.used += 1

    def section(self) -> None:
        """Starts a section: on a new page where little is left of this one."""
        if self._left() < _ROOM_FOR_A_SECTION:
            self.turn()
        elif self.lines and self.lines[-1]:
            self.add("")

    def rows(self, heading: list[str], *lines: str) -> None:
        """Lines of a row, under the repeated heading where the page is full."""
        if self._left() < 1:
            self.turn()
            self.add(*heading)
        self.add(*lines)

    def turn(self) -> None:
        """Turns the page; what follows stands right after the form feed."""
        self.used = 0
        if Damage.NO_FORM_FEEDS in self.layout.damage:
            return
        self.lines.append("\f")

    def whole(self) -> str:
        """All pages."""
        return "\n".join(self.lines).replace("\f\n", "\f") + "\n"

    def _left(self) -> int:
        return self.layout.page_length - self.used if self.layout.page_length else 1 << 30


def render(parts: tuple[list[Block], ...], facts: Facts, layout: Layout) -> str:
    """The report."""
    pages = _Pages(layout)
    for part in parts:
        for block in part:
            _set(pages, block, facts, layout)
    pages.section()
    pages.add("End of Report ( report.lst )" if layout.statspack and layout.since(10) else "End of Report")
    return pages.whole()


def _set(pages: _Pages, block: Block, facts: Facts, layout: Layout) -> None:
    match block:
        case Prose():
            pages.add(*block.text)
        case Table():
            _table(pages, block, facts, layout)
        case Profile():
            _profile(pages, block, layout)
        case Pairs():
            _pairs(pages, block, layout)
        case Absent():
            pages.section()
            pages.add(
                _title(block.title, facts, layout),
                "",
                f"{'':18}No data exists for this section of the report.",
                _end(layout),
            )


def _end(layout: Layout) -> str:
    return _STATSPACK_END if layout.statspack else _AWR_END


def _title(title: str, facts: Facts, layout: Layout, table: Table | None = None) -> str:
    header, name = facts.header, facts.first.name
    begin, end = header.begin_snap, header.end_snap
    old = layout.statspack and not layout.since(10)
    if old or (table is not None and table.old_title and layout.statspack):
        return f"{title} for DB: {header.db_name}  Instance: {name}  Snaps: {begin} -{end}"[:_PAGE_WIDTH]
    which = f"DB/Inst: {header.db_name}/{name}"
    if table is not None and table.end_snapshot_only:
        which = f"{which}  {'End ' if layout.statspack else ''}Snap: {end}"
    elif layout.statspack and not layout.since(10, 2):
        which = f"{which}  Snaps: {begin:>9}-{end:>9}"
    else:
        which = f"{which}  Snaps: {begin}-{end}"
    if layout.statspack:
        return f"{title}  {which}"
    return f"{title}{which.rjust(_TITLE_WIDTH - len(title))}"[:_PAGE_WIDTH]


def _table(pages: _Pages, table: Table, facts: Facts, layout: Layout) -> None:
    heading = _heading(table, facts, layout)
    if table.title:
        pages.section()
    pages.add(*heading)
    for number, (row, pairs) in enumerate(cells(table)):
        lines = [line.rstrip() for line in _row_lines(table, tuple(pairs), layout)]
        _add_row(pages, table, heading, [*lines, *row.after], number, layout)
    if table.closing:
        pages.add(_end(layout))


def _add_row(
    pages: _Pages, table: Table, heading: list[str], lines: list[str], number: int, layout: Layout
) -> None:
    # A second table of a section has no title that a new page could repeat.
    if not table.title or number == 0:
        pages.add(*lines)
    elif Damage.SPLIT_ROWS in layout.damage:
        for line in lines:
            pages.rows(heading, line)
    else:
        pages.rows(heading, *lines)


def _heading(table: Table, facts: Facts, layout: Layout) -> list[str]:
    columns = [
        line
        for number, shown in enumerate(table.lines)
        for line in _columns_heading(shown, table.indent if number or len(table.lines) == 1 else 0)
    ]
    if table.beside:
        columns[0] = f"{columns[0]} {table.beside}"
    if table.style is Style.BARE:
        return [*table.over, *columns]
    if table.style is Style.TILDES:
        return ["", table.title, "~" * len(table.title), *table.over, *columns]
    if table.style is Style.OVERLAID:
        return ["", *_overlaid(table.title, columns)]
    notes = [line for note in table.notes for line in _note(note, layout)]
    blank = [""] if notes or not layout.statspack else []
    title = [_title(table.title, facts, layout, table)] if table.title else [""]
    return [*title, *notes, *blank, *table.over, *columns]


def _note(note: str, layout: Layout) -> list[str]:
    first, *rest = note.split("\n")
    return [f"-> {first}", *rest]


def _overlaid(title: str, columns: list[str]) -> list[str]:
    """The title and its tildes on the upper lines of the headings, where those are three or two lines."""
    *upper, names, rulers = columns
    upper = [""] * (2 - len(upper)) + upper
    lines = [text + line[len(text) :] for text, line in zip((title, "~" * len(title)), upper, strict=True)]
    return [*lines, names, rulers]


def _columns_heading(columns: tuple[Column, ...], indent: int) -> list[str]:
    if not any(column.heading for column in columns):
        return []
    stacks = [column.heading.split("\n") for column in columns]
    height = max(len(stack) for stack in stacks)
    lines: list[str] = []
    for level in range(height):
        words = [
            stack[level - (height - len(stack))] if level >= height - len(stack) else "" for stack in stacks
        ]
        lines.append(
            " " * indent
            + " ".join(_aligned(word, column) for word, column in zip(words, columns, strict=True)).rstrip()
        )
    rulers = " " * indent + " ".join(column.ruler for column in columns)
    return [*(line.rstrip() for line in lines), rulers]


def _aligned(text: str, column: Column) -> str:
    return text.ljust(column.width) if column.left else text.rjust(column.width)


def _row_lines(table: Table, pairs: tuple[tuple[Column, Value], ...], layout: Layout) -> list[str]:
    lines: list[str] = []
    values = iter(pairs)
    for number, columns in enumerate(table.lines):
        indent = table.indent if number or len(table.lines) == 1 else 0
        lines.append(_line([next(values) for _ in columns], indent, layout))
    return lines


def _line(pairs: list[tuple[Column, Value]], indent: int, layout: Layout) -> str:
    line = " " * indent
    for place, (column, value) in enumerate(pairs):
        printed = column.form.printed(value, medium(column, layout))
        spill = column.spill if printed.overflow else 0
        text = _aligned(printed.text, column)
        line = line[: len(line) - spill] + "#" * spill + text if spill else line + text
        if place + 1 < len(pairs):
            line += " "
    return line


def medium(column: Column, layout: Layout) -> Medium:
    """Where the column's values are printed."""
    return Medium(html=layout.html, comma=layout.comma, width=None if layout.html else column.width)


def profile_medium(column: Column, layout: Layout) -> Medium:
    """Where a profile's figures are printed: the column's width without the gap before it."""
    return Medium(html=layout.html, comma=layout.comma, width=None if layout.html else column.width - 1)


def _profile(pages: _Pages, block: Profile, layout: Layout) -> None:
    headings = "".join(column.heading.rjust(column.width) for column in block.columns)
    dashes = "".join(
        ("-" * length).rjust(column.width) for length, column in zip(block.dashes, block.columns, strict=True)
    )
    gap = " " * block.label_width
    upper, lower = gap + headings, gap + dashes
    tildes = "~" * min(len(block.title), block.label_width + 3)
    if block.beside:
        heading = ["", block.title + upper[len(block.title) :], tildes + lower[len(tildes) :]]
    else:
        heading = ["", block.title, tildes + upper[len(tildes) :], lower]
    pages.add(*heading)
    for label, values in block.rows:
        name = f"{label}{'' if label in block.without_colon else ':'}".rjust(block.label_width)
        figures = [
            column.form.printed(value, profile_medium(column, layout)).text.rjust(column.width)
            for column, value in zip(block.columns, values, strict=True)
        ]
        pages.add(name + "".join(figures))


def _pairs(pages: _Pages, block: Pairs, layout: Layout) -> None:
    pages.add("", block.title, "~" * len(block.title))
    for row in block.rows:
        line = ""
        for (label, value), width, value_width in zip(
            row, block.widths[::2], block.widths[1::2], strict=False
        ):
            printed = block.form.printed(value, Medium(comma=layout.comma, width=value_width - 1))
            line += f"{label}:".rjust(width) + printed.text.rjust(value_width)
        pages.add(line)


def printed_rows(table: Table, layout: Layout) -> list[tuple[Row, tuple[Printed, ...]]]:
    """Each row of a table with the prints of its cells."""
    return [
        (row, tuple(column.form.printed(value, medium(column, layout)) for column, value in pairs))
        for row, pairs in cells(table)
    ]
