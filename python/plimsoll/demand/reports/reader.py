"""From bytes to facts and tables: the extension reads, and its answer becomes a Report with a status.

One report that makes the extension fail is our defect, but no reason to lose the others: it is told in that report's place.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from plimsoll import _core
from plimsoll.base.errors import PlimsollError
from plimsoll.demand.reports.sources import Source
from plimsoll.facts import (
    CellCounts,
    Report,
    ReportInstance,
    ReportProblem,
    ReportSection,
    View,
    ViewColumn,
)
from plimsoll.facts.report import ReportStatus

UNKNOWN = "unknown"
NOT_READ = {
    "awr-sql": "a report of one statement (awrsqrpt)",
    "sql-monitor": "a page of the SQL monitor",
    "tkprof": "a trace formatted by tkprof",
}
"""Kinds that the extension knows by name and does not read."""
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
)
_TYPES = {"utf8": "text", "float64": "number"}
_UNKNOWN_HINT = (
    "Name a Statspack, AWR, ASH or ADDM report as text or HTML, as the database's script wrote it."
)
_DEFECT_HINT = "Please report this, with the file if you may."


@dataclass(frozen=True)
class Reading:
    """One source, read. `content` is what the extension holds of it; None when there is nothing."""

    report: Report
    content: _core.Report | None = None
    weight_bytes: int = 0
    unopened: bool = False
    passed_over: bool = False


def read_source(source: Source) -> Reading:
    """The report of a source, whatever it holds: what cannot be read is an unreadable report with the reason."""
    if source.passed_over:
        return Reading(_unreadable(source, ()), weight_bytes=source.weight_bytes, passed_over=True)
    try:
        data = source.take()
    except PlimsollError as error:
        problem = ReportProblem(code=error.id, message=error.message, hint=error.hint)
        report = _unreadable(source, (problem,))
        return Reading(report, None, source.weight_bytes, source.unopened)
    return _read(source, data)


def views() -> tuple[View, ...]:
    """Every typed view that the extension knows, in its order."""
    return tuple(
        View(
            name=view["name"],
            about=view["about"],
            columns=tuple(_column(column) for column in view["columns"]),
        )
        for view in json.loads(_core.report_sections())
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


def _read(source: Source, data: bytes) -> Reading:
    sha256 = hashlib.sha256(data).hexdigest()
    known = {"id": sha256[:ID_LENGTH], "sha256": sha256, "size_bytes": len(data)}
    try:
        content = _core.read_report(data)
        summary = json.loads(content.summary())
    except BaseException as error:
        # A panic of the extension is no Exception, and has no class that could be named here.
        if type(error).__name__ != "PanicException":
            raise
        problem = ReportProblem(code="reader-defect", message=f"our own defect: {error}", hint=_DEFECT_HINT)
        return Reading(_unreadable(source, (problem,)).model_copy(update=known), None, source.weight_bytes)
    report = report_of(source, summary).model_copy(update=known)
    return Reading(report, content, source.weight_bytes)


def report_of(source: Source, summary: dict[str, Any]) -> Report:
    """The facts of what the extension says about a source."""
    problems = tuple(_problem(problem) for problem in summary["problems"])
    sections = tuple(_section(table) for table in summary["tables"])
    counts = CellCounts(**summary["cells"])
    kind = summary["kind"]
    status = status_of(kind, sections, counts, problems)
    if status == "unreadable":
        problems = (_no_report(kind), *problems)
    return Report(
        file=source.file,
        member=source.member,
        kind=kind,
        form=summary["form"],
        status=status,
        encoding=summary["encoding"],
        decimal=summary["decimal"],
        **_header(summary["header"]),
        section_count=len(sections),
        sections=sections,
        cells=counts,
        problems=problems,
    )


def status_of(
    kind: str, sections: Sequence[ReportSection], cells: CellCounts, problems: Sequence[ReportProblem]
) -> ReportStatus:
    """How well a report could be read, from what is in it; see `Report.status`."""
    if kind == UNKNOWN or kind in NOT_READ:
        return "unreadable"
    if not any(section.row_count for section in sections):
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
    known = {
        name: value for name, value in header.items() if name in Report.model_fields and value is not None
    }
    for name in _WHOLE_NUMBERS:
        if name in known:
            known[name] = int(known[name])
    instances = tuple(
        ReportInstance(**_known_of(ReportInstance, one)) for one in header.get("instances") or ()
    )
    return {**known, "instances": instances}


def _known_of(fact: Any, values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name in fact.model_fields}


def _section(table: dict[str, Any]) -> ReportSection:
    return ReportSection(**_known_of(ReportSection, table))


def _problem(problem: dict[str, Any]) -> ReportProblem:
    return ReportProblem(**_known_of(ReportProblem, problem))
