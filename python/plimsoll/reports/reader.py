"""From bytes to facts and tables: the extension reads, and its answer becomes a Report with a status.

One report that makes the extension fail is our defect, but no reason to lose the others: it is told in that report's place.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, TypeAdapter

from plimsoll.base.errors import PlimsollError
from plimsoll.base.packing import Packed, Packer
from plimsoll.facts import (
    CellCounts,
    NumberCounts,
    Report,
    ReportInstance,
    ReportPeriod,
    ReportProblem,
    ReportSection,
    View,
    ViewColumn,
)
from plimsoll.facts.report import ReportStatus
from plimsoll.native import reports as native
from plimsoll.reports.sources import Source
from plimsoll.reports.spool import KIND
from plimsoll.reports.spool.lines import decoded, is_spool

if TYPE_CHECKING:
    from plimsoll.reports.spool.intervals import SpoolInterval

UNKNOWN = "unknown"
EXCERPT = "excerpt"
MINER = "awr-miner"
"""Tables of a report without its head."""
NOT_READ = {
    "awr-sql": "a report of one statement (awrsqrpt)",
    "sql-monitor": "a page of the SQL monitor",
    "tkprof": "a trace formatted by tkprof",
    "statspack-sql": "a report of one statement (sprepsql)",
    "addm-diff": "two periods compared by ADDM",
    "active-report": "a page of Enterprise Manager that draws itself",
    "awr-info": "what AWR itself holds (awrinfo)",
    "estat": "a report of utlestat, from before Statspack",
    "sql-tuning": "advice of the SQL Tuning Advisor",
    "sql-access": "advice of the SQL Access Advisor",
    "sqlt": "a page of SQLTXPLAIN about one statement",
    "exachk": "a health check of a machine (exachk, orachk)",
    "edb360": "a page of eDB360",
    "trace": "a raw trace",
    "alert-log": "the log of an instance",
}
"""Kinds that the extension knows by name and does not read."""
ENDED = ("statspack", "awr", "awr-global", "awr-pdb", "awr-diff", "ash")
"""Kinds whose scripts end with the words "End of Report", so that a copy that was cut off can be told."""
STOPPED = "page-unlikely"
"""The extension's code for a report that it stopped reading, since no real one makes so much of memory."""
MISSING = "report-missing"
"""Nothing of that name is there."""
ENDS_READER = "report-ends-reader"
"""Twice a process ended while it read it; see `fleet`."""
READER_LOST = "report-reader-lost"
"""The process that was to read it ended, and no other started; see `fleet`."""
UNOPENABLE = "report-unopenable"
"""The system did not let us open or read it."""
FOLDER_UNOPENABLE = "report-folder-unopenable"
"""A folder of which nothing was seen."""
_END = b"endofreport"
_END_BYTES = 4096
_WHITE = b" \t\r\n\f\0"
"""Lines may be wrapped within the words, and in UTF-16 every other byte is zero."""
ID_LENGTH = 16
"""Hexadecimal digits of the SHA-256 that name a report: two of ten million meet with a chance of one in three hundred thousand."""

_WHOLE_NUMBERS = (
    "db_id",
    "instance_number",
    "cpus",
    "cores",
    "sockets",
    "begin_snap",
    "end_snap",
    "sessions_begin",
    "sessions_end",
    "block_bytes",
    "sample_count",
)
_FIELDS = frozenset(Report.model_fields)
"""To ask the class for each name of each report took a twentieth of all that reading takes."""
_SECTIONS = TypeAdapter(tuple[ReportSection, ...])
NO_SECTIONS = Packer().packed(b"[]", "none")
_TYPES = {"utf8": "text", "float64": "number"}
_UNKNOWN_HINT = (
    "Name a Statspack, AWR, ASH or ADDM report as text or HTML, as the database's script wrote it."
)
_DEFECT_HINT = "Please report this, with the file if you may."


class Summary(BaseModel):
    """What the extension says about one report, but for its list of tables."""

    kind: str
    form: str
    encoding: str
    decimal: str
    header: dict[str, Any]
    first_line: int = 1
    """Of its file."""
    others: int = 0
    """Reports that stand in the file besides it."""
    numbers: NumberCounts = NumberCounts()
    section_count: int
    cells: CellCounts
    problems: tuple[ReportProblem, ...]


@dataclass(frozen=True)
class Part:
    """One report of a file: the whole file's bytes, and the report's number in it, from 1 on.

    Of a spool of the collector it is the page of one interval, and how many lines of the spool stand before that.
    """

    data: bytes
    number: int = 1
    lines_before: int = 0

    def read(self) -> native.Report:
        """What the extension makes of it."""
        first = native.read_report(b"\n" * self.lines_before + self.data)
        return (first, *first.take_others())[self.number - 1] if self.number > 1 else first


@dataclass(frozen=True)
class Reading:
    """One source, read. `report` lacks its sections: there are hundreds, and mostly nobody looks at them.

    It may cross to another process, which reads `part` again once it asks for `content`.
    """

    report: Report
    part: Part | None = None
    """None when there is nothing to read."""
    sections: Packed | None = None
    """Its list of sections; None where nobody has asked for it, with `listed`."""
    weight_bytes: int = 0
    unopened: bool = False
    passed_over: bool = False

    @cached_property
    def content(self) -> native.Report | None:
        """What the extension holds of it; None when there is nothing."""
        return None if self.part is None else self.part.read()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "content"}

    @property
    def missing(self) -> bool:
        """Named on the command line, and nothing is there."""
        return self.unopened and any(problem.code == MISSING for problem in self.report.problems)

    def without_content(self, report: Report) -> Reading:
        """With that in place of the report, and nothing else: little enough to be kept of tens of thousands."""
        return replace(self, report=report, part=None, sections=None)

    def listed(self, packer: Packer) -> Reading:
        """The same with its list of sections; `packer` is that of all that are kept together."""
        made = replace(self, sections=self._list(packer))
        made.__dict__["content"] = self.content  # it was read already
        return made

    def _list(self, packer: Packer) -> Packed:
        report = self.report
        if self.content is None:
            assert not report.section_count, "its list was not asked for while it was there"
            return NO_SECTIONS
        return packer.packed(self.content.table_list(), f"{report.kind} {report.form} {report.release}")

    def whole(self) -> Report:
        """The report with its sections."""
        packed = self.sections or self._list(Packer())
        return self.report.model_copy(update={"sections": unpack_sections(packed)})


def unpack_sections(packed: Packed) -> tuple[ReportSection, ...]:
    """The sections again."""
    return _SECTIONS.validate_json(packed.whole())


def read_source(source: Source) -> Reading:
    """The report of a source that holds one, or the first of several; see `read_all`."""
    return read_all(source)[0]


def read_all(source: Source) -> tuple[Reading, ...]:
    """The reports of a source, whatever it holds: what cannot be read is an unreadable report with the reason.

    Of several in one file each has the file's name with its number behind: `monday.lst#2`.
    """
    if source.passed_over:
        return (Reading(_unreadable(source, ()), weight_bytes=source.weight_bytes, passed_over=True),)
    try:
        data = source.take()
    except PlimsollError as error:
        problem = ReportProblem(code=error.id, message=error.message, hint=error.hint)
        report = _unreadable(source, (problem,))
        return (Reading(report, weight_bytes=source.weight_bytes, unopened=source.unopened),)
    return tuple(_of_spool(source, data) if is_spool(data) else _read(source, data))


def views() -> tuple[View, ...]:
    """Every typed view that the extension knows, in its order."""
    return tuple(
        View(
            name=view["name"],
            about=view["about"],
            columns=tuple(_column(column) for column in view["columns"]),
        )
        for view in native.report_sections()
    )


def _column(column: dict[str, Any]) -> ViewColumn:
    """Types as people say them, whatever Arrow calls them."""
    kind: str = column["type"]
    return ViewColumn(
        name=column["name"],
        type=_TYPES.get(kind, kind),
        unit=column.get("unit") or None,
        about=column.get("about") or "",
    )


def _unreadable(source: Source, problems: tuple[ReportProblem, ...]) -> Report:
    return Report(file=source.file, member=source.member, status="unreadable", problems=problems)


def _read(source: Source, data: bytes) -> Iterator[Reading]:
    try:
        content = native.read_report(data)
        summary = _summary(content)
    except BaseException as error:
        # A panic of the extension is no Exception, and has no class that could be named here.
        if type(error).__name__ != "PanicException":
            raise
        problem = ReportProblem(code="reader-defect", message=f"our own defect: {error}", hint=_DEFECT_HINT)
        report = _unreadable(source, (problem,)).model_copy(update=_identity(data))
        yield Reading(report, weight_bytes=source.weight_bytes)
        return
    if not summary.others:
        yield _reading(source, Part(data), data, content, summary)
        return
    for number, one in enumerate((content, *content.take_others()), start=1):
        own = one.own_bytes()
        text = data if own is None else own
        yield _reading(source.part(number), Part(data, number), text, one, _summary(one))


def _of_spool(source: Source, data: bytes) -> Iterator[Reading]:
    """A report for each interval between two snapshots of the collector, or one without data that says why there is none."""
    from plimsoll.reports.spool.intervals import (
        intervals_of,
    )  # the facts that they need take their time to load
    from plimsoll.reports.spool.snapshots import read_spool

    text, encoding = decoded(data)
    found = intervals_of(read_spool(text))
    for number, one in enumerate(found, start=1):
        place = source if len(found) == 1 else source.part(number)
        yield _of_interval(place, one, encoding, data)


def _of_interval(source: Source, one: SpoolInterval, encoding: str, data: bytes) -> Reading:
    part = Part(one.page, lines_before=one.lines_before) if one.page else None
    content = None if part is None else part.read()
    summary = None if content is None else _summary(content)
    cells = CellCounts() if summary is None else summary.cells
    problems = one.problems if summary is None else (*one.problems, *summary.problems)
    report = Report(
        file=source.file,
        member=source.member,
        kind=KIND,
        form="text",
        status=status_of(KIND, cells, problems),
        encoding=encoding,
        decimal="point",
        **one.head,
        section_count=0 if summary is None else summary.section_count,
        cells=cells,
        problems=problems,
    ).model_copy(update=_identity(one.page or data) | {"size_bytes": len(data)})
    return Reading(report, part, weight_bytes=source.weight_bytes)


def _summary(content: native.Report) -> Summary:
    return Summary.model_validate_json(content.summary())


def _reading(source: Source, part: Part, text: bytes, content: native.Report, summary: Summary) -> Reading:
    """One report, of which this is the text."""
    if _lacks_head(summary):
        summary = summary.model_copy(update={"problems": (_headless(summary.first_line), *summary.problems)})
    if summary.kind in ENDED and not is_ended(text):
        cut = _cut(summary.first_line + text.count(b"\n"))
        summary = summary.model_copy(update={"problems": (*summary.problems, cut)})
    report = report_of(source, summary).model_copy(update=_identity(text))
    made = Reading(report, part, weight_bytes=source.weight_bytes)
    made.__dict__["content"] = content  # it was read already
    return made


def _identity(data: bytes) -> dict[str, Any]:
    sha256 = hashlib.sha256(data).hexdigest()
    return {"id": sha256[:ID_LENGTH], "sha256": sha256, "size_bytes": len(data)}


def is_ended(data: bytes) -> bool:
    """Whether the last words of a report are there, with whatever SQL*Plus wrote behind them."""
    return _END in data[-_END_BYTES:].translate(None, _WHITE).lower()


def _lacks_head(summary: Summary) -> bool:
    """Whether nothing says of which database it is: tables alone, or AWR-Miner's without its first section."""
    named = summary.header.get("db_name") or summary.header.get("release")
    return summary.kind == EXCERPT or (summary.kind == MINER and not named)


def _headless(line: int) -> ReportProblem:
    message = "the head of the report is not there: nobody knows its database and its interval"
    hint = "Name the whole report, if you have it."
    return ReportProblem(code="head-missing", line=line, message=message, hint=hint)


def _cut(line: int) -> ReportProblem:
    message = "the report is cut off: its last words, End of Report, are missing"
    return ReportProblem(code="report-cut", line=line, message=message)


def report_of(source: Source, summary: Summary) -> Report:
    """The facts of what the extension says about a source, without the sections."""
    status = status_of(summary.kind, summary.cells, summary.problems)
    problems = (_no_report(summary.kind), *summary.problems) if status == "unreadable" else summary.problems
    return Report(
        file=source.file,
        member=source.member,
        kind=summary.kind,
        form=summary.form,
        status=status,
        encoding=summary.encoding,
        decimal=summary.decimal,
        **_header(summary.header),
        section_count=summary.section_count,
        cells=summary.cells,
        numbers=summary.numbers,
        problems=problems,
    )


def status_of(kind: str, cells: CellCounts, problems: Sequence[ReportProblem]) -> ReportStatus:
    """How well a report could be read, from what is in it; see `Report.status`."""
    if kind == UNKNOWN or kind in NOT_READ:
        return "unreadable"
    if not cells.total and all(problem.code != STOPPED for problem in problems):
        return "empty"
    lost = any(problem.loses for problem in problems)
    return "partial" if cells.failed or lost else "ok"


def _no_report(kind: str) -> ReportProblem:
    """Why nothing is made of what could be read as text."""
    if kind in NOT_READ:
        message = f"it is {NOT_READ[kind]}, a kind that is not read here"
        return ReportProblem(code="kind-not-read", message=message, hint=_UNKNOWN_HINT)
    message = "it is text, but no report that is known here"
    return ReportProblem(code="report-unknown", message=message, hint=_UNKNOWN_HINT)


def _header(header: dict[str, Any]) -> dict[str, Any]:
    """The header's fields as facts take them; a whole number may come as 4.0."""
    known = {name: value for name, value in header.items() if name in _FIELDS and value is not None}
    for name in _WHOLE_NUMBERS:
        if name in known:
            known[name] = int(known[name])
    instances = tuple(
        ReportInstance(**_known_of(ReportInstance, one)) for one in header.get("instances") or ()
    )
    periods = tuple(ReportPeriod(**_known_of(ReportPeriod, one)) for one in header.get("periods") or ())
    return {**known, "instances": instances, "periods": periods}


def _known_of(fact: Any, values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name in fact.model_fields}
