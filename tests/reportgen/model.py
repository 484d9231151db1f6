"""What a report consists of before it is text or HTML: blocks, most of them tables whose columns know how they are printed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from reportgen.printing import Form, Text, Value


@dataclass(frozen=True)
class Column:
    """One column: its name in the typed view or None, its heading with a line break per stacked line, its width in text.

    `html` is its heading in HTML where that is not just the stacked lines in a row. Where a number does not fit, hash marks may
    `spill` over the gap into the column before. `rule` is the number of its dashes where those are fewer than it is wide.
    A column of a histogram is a `bucket` from one time to another, in µs; each of its cells becomes a row of the typed view.
    """

    name: str | None
    heading: str
    width: int
    form: Form
    html: str | None = None
    spill: int = 0
    rule: int | None = None
    bucket: tuple[float | None, float | None] | None = None

    @property
    def ruler(self) -> str:
        """Its dashes, as wide as the column; fewer where Oracle's own are."""
        return ("-" * (self.rule or self.width)).rjust(self.width)

    @property
    def left(self) -> bool:
        """Whether it is set flush left."""
        return isinstance(self.form, Text)

    @property
    def html_heading(self) -> str:
        """Its heading in one cell."""
        return self.html if self.html is not None else " ".join(self.heading.split())


class Style(StrEnum):
    """How a text sets a table's title: as a section with database and snapshots, over tildes that headings may share, or not."""

    SECTION = "section"
    TILDES = "tildes"
    OVERLAID = "overlaid"
    BARE = "bare"


@dataclass(frozen=True)
class Row:
    """One row: a value for each column, then lines of prose that follow it in text (a statement under its figures).

    `told` is what those lines say, by the names of the typed view.
    """

    values: tuple[Value, ...]
    after: tuple[str, ...] = ()
    told: tuple[tuple[str, Value], ...] = ()


@dataclass(frozen=True)
class Table:
    """A table under its own heading, or further down under the same one where `title` is empty.

    `lines` are the physical lines of one row in text, each with its own heading and ruler; HTML has them in one row.
    `view` is the typed section that should hold it, `constants` what each of its rows should hold beside the columns.
    `over` stands above the headings in text, `beside` at the end of their first line, `groups` (heading, columns spanned) in HTML.
    """

    title: str
    lines: tuple[tuple[Column, ...], ...]
    rows: tuple[Row, ...]
    view: str | None = None
    constants: Mapping[str, Value] = field(default_factory=dict[str, Value])
    notes: tuple[str, ...] = ()
    over: tuple[str, ...] = ()
    beside: str = ""
    groups: tuple[tuple[str, int], ...] = ()
    summary: str = ""
    style: Style = Style.SECTION
    indent: int = 0
    end_snapshot_only: bool = False
    old_title: bool = False
    closing: bool = True

    @property
    def columns(self) -> tuple[Column, ...]:
        """All columns, in the order of the values of a row."""
        return tuple(column for line in self.lines for column in line)


@dataclass(frozen=True)
class Profile:
    """A block of `label: figures` lines, such as the load profile; text sets the labels flush right before a colon.

    Text has the columns' headings beside the title and dashes beside the tildes, or both one line further down.
    `label_width` counts the colon, a column's width the gap before it; `dashes` are the lengths of the rulers.
    """

    title: str
    label_width: int
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, tuple[Value, ...]], ...]
    view: str | None = None
    dashes: tuple[int, ...] = ()
    beside: bool = True
    without_colon: frozenset[str] = frozenset()
    label_name: str = "name"
    summary: str = ""


@dataclass(frozen=True)
class Pairs:
    """Two labelled percentages per line, as in the instance efficiency."""

    title: str
    rows: tuple[tuple[tuple[str, Value], ...], ...]
    form: Form
    view: str | None = None
    names: tuple[str, str] = ("name", "value_percent")
    widths: tuple[int, int, int, int] = (28, 8, 21, 8)
    summary: str = ""


@dataclass(frozen=True)
class Prose:
    """Lines as they stand: in text, and where given in HTML."""

    text: tuple[str, ...] = ()
    html: str = ""


@dataclass(frozen=True)
class Absent:
    """A section that says that it has no data."""

    title: str


Block = Table | Profile | Pairs | Prose | Absent


def of_rows(rows: list[tuple[Value, ...]] | tuple[tuple[Value, ...], ...]) -> tuple[Row, ...]:
    """Rows of bare values."""
    return tuple(Row(values) for values in rows)


def cells(table: Table) -> Iterator[tuple[Row, tuple[tuple[Column, Value], ...]]]:
    """Each row with its values beside their columns."""
    for row in table.rows:
        yield row, tuple(zip(table.columns, row.values, strict=True))
