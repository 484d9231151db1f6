"""What a report of a database says of itself and of how well it could be read: Statspack, AWR, ASH, ADDM and their like.

Times are the local times of the reported host, which the report prints without a zone: ISO 8601 text such as
`2016-01-31T00:00:03`. What a report does not print is None, never 0.
"""

from __future__ import annotations

from typing import Literal

from plimsoll.facts._fact import Blob, Fact, Note, Text

ReportStatus = Literal["ok", "partial", "empty", "unreadable"]


class CellCounts(Fact):
    """What became of the cells of a report's tables. `total` is the sum of the others."""

    total: int = 0
    """All cells."""
    typed: int = 0
    """Read as a number or a text of a typed view."""
    text: int = 0
    """Kept as the text that is printed."""
    blank: int = 0
    """Nothing is printed there."""
    overflow: int = 0
    """Printed as `####`: the database could not fit the number."""
    failed: int = 0
    """Should be a number and is not one."""


class NumberCounts(Fact):
    """What became of the numbers that a report prints, in tables or not. None where they were not counted."""

    printed: int | None = None
    """Of text all of them; of a page, in cells that are numbers, and outside of tables."""
    notes: int | None = None
    """In notes that explain a table."""
    unread: int | None = None
    """In no table, head, finding or note: of a report that was read whole a few at most."""


class ReportSection(Fact):
    """One table of a report."""

    title: Text
    """As printed."""
    name: str
    """The typed view that holds it, or the title as one word where there is none."""
    typed: bool = False
    """Whether a typed view holds it."""
    row_count: int
    """Rows without the heading."""
    columns: tuple[str, ...] = ()
    """Headings, as printed."""
    line: int | None = None
    """Where it begins, counted from 1."""
    cells: CellCounts = CellCounts()


class ReportProblem(Fact):
    """Something in a report that could not be read, or that cannot be right."""

    line: int | None = None
    """Where, counted from 1; None where it is about the whole."""
    section: Text | None = None
    """In which table; None where it is in none."""
    message: Text
    code: str
    """Stable."""
    loses: bool = True
    """Whether something that the report prints was not read."""
    hint: Text | None = None
    """What to do about it."""


class ReportInstance(Fact):
    """One instance of a report over several."""

    instance_number: int | None = None
    instance: str | None = None
    host: str | None = None
    release: str | None = None
    platform: str | None = None
    startup_time: str | None = None
    begin_time: str | None = None
    end_time: str | None = None
    elapsed_s: float | None = None
    db_time_s: float | None = None


class ReportPeriod(Fact):
    """One of the two periods of a report that compares them."""

    db_name: str | None = None
    db_id: int | None = None
    unique_name: str | None = None
    instance: str | None = None
    instance_number: int | None = None
    host: str | None = None
    release: str | None = None
    role: str | None = None
    edition: str | None = None
    rac: bool | None = None
    cdb: bool | None = None
    block_bytes: int | None = None
    """Size of the database's standard blocks, in bytes."""
    begin_snap: int | None = None
    end_snap: int | None = None
    begin_time: str | None = None
    end_time: str | None = None
    elapsed_s: float | None = None
    db_time_s: float | None = None
    average_active_sessions: float | None = None


class Report(Fact):
    """One report of a database: where it was found, what its header says, what is in it, and what could not be read."""

    file: Text
    """Of several reports in one file each has the file's name, or its member's, with `#` and its number behind."""
    member: Text | None = None
    """The name inside the archive `file`; a member of an archive in an archive has both names, with `/` between."""
    id: str | None = None
    """The beginning of `sha256`: names the report in every table that is written."""
    sha256: str | None = None
    """Of the bytes that were read, unpacked."""
    size_bytes: int | None = None
    """Of the bytes that were read, unpacked."""
    duplicate_of: Text | None = None
    """The file that holds the very same bytes and stands in place of this one; of one that is unreadable, it is unreadable too."""
    kind: str = "unknown"
    """statspack, awr, awr-global, awr-pdb, awr-diff, ash, addm, awr-miner, osprep, excerpt …"""
    form: str | None = None
    """text or html."""
    status: ReportStatus
    """ok: read whole. partial: something in it could not be read. empty: a known kind that holds nothing. unreadable: no report."""
    encoding: str | None = None
    """How its bytes stand for characters."""
    decimal: str | None = None
    """point or comma."""

    release: str | None = None
    db_name: str | None = None
    db_id: int | None = None
    unique_name: str | None = None
    instance: str | None = None
    instance_number: int | None = None
    host: str | None = None
    platform: str | None = None
    rac: bool | None = None
    cdb: bool | None = None
    container: str | None = None
    """The pluggable database that it is about, or `CDB$ROOT`."""
    role: str | None = None
    edition: str | None = None
    cpus: int | None = None
    """Logical CPUs of the host, as printed."""
    cores: int | None = None
    """CPU cores of the host, as printed."""
    sockets: int | None = None
    """CPU sockets of the host, as printed."""
    memory_bytes: float | None = None
    """Memory of the host, in bytes."""
    startup_time: str | None = None
    begin_snap: int | None = None
    end_snap: int | None = None
    begin_time: str | None = None
    end_time: str | None = None
    elapsed_s: float | None = None
    db_time_s: float | None = None
    db_cpu_s: float | None = None
    """CPU seconds that sessions used in calls to the database (DB CPU)."""
    sessions_begin: int | None = None
    """Sessions at the first snapshot."""
    sessions_end: int | None = None
    """Sessions at the second snapshot."""
    block_bytes: int | None = None
    """Size of the database's standard blocks, in bytes."""
    sample_count: int | None = None
    """Of ASH."""
    average_active_sessions: float | None = None
    """Of ASH."""
    instances: tuple[ReportInstance, ...] = ()
    """Of reports over several instances."""
    periods: tuple[ReportPeriod, ...] = ()
    """Of reports that compare two periods."""

    section_count: int = 0
    """How many tables it has."""
    sections: tuple[ReportSection, ...] = ()
    cells: CellCounts = CellCounts()
    numbers: NumberCounts = NumberCounts()
    """What became of the numbers that it prints."""
    problems: tuple[ReportProblem, ...] = ()
    """What could not be read, or cannot be right."""
    flags: tuple[Note, ...] = ()
    """Doubts about the interval: a restart in it, an overlap with another report of the same instance, time that runs backwards."""


class ReportTable(Fact):
    """The rows of one typed view of a stored report."""

    name: str
    """The view's name."""
    row_count: int
    """How many rows."""
    parquet: Blob
    """A Parquet file."""


class ViewColumn(Fact):
    """One column of a typed view."""

    name: str
    """Its name in every output."""
    type: str
    """text or number."""
    unit: str | None = None
    """Unit of its numbers; None for texts and counts."""
    about: str = ""
    """What it means; empty where the name says it."""


class View(Fact):
    """A typed view: the same table for every release and kind of report that prints it."""

    name: str
    """Its name in every output."""
    about: str
    """What it holds, in a line."""
    columns: tuple[ViewColumn, ...]
    """In their order."""
