"""Reports that were read: a line for each, then what could not be read, with file and line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from plimsoll.base.errors import PlimsollError, WorldError
from plimsoll.base.units import format_seconds
from plimsoll.cli.output import say
from plimsoll.cli.tables import show_table, table
from plimsoll.facts import Report
from plimsoll.reports.intervals import place_of
from plimsoll.reports.limits import READ_PROBLEMS_SHOWN_MAX, READ_UNREADABLE_SHOWN_MAX
from plimsoll.reports.reader import ENDS_READER, FOLDER_UNOPENABLE, READER_LOST, UNOPENABLE

if TYPE_CHECKING:
    from plimsoll.facts import Run

_FIRST = (ENDS_READER, READER_LOST, FOLDER_UNOPENABLE, UNOPENABLE)
_OF_ARCHIVES = "archive-"
_UNKNOWN = "–"
_REPORT_HEADINGS = (
    "report", "kind", "status", "release", "database", "instance", "begin", "end", "elapsed", "DB time", "tables", "cells",
    "failed",
)  # fmt: skip
_REPORT_WORDS = 8
"""So many of them are words, the others numbers."""
_REPORT_SPARE = (
    "cells",
    "tables",
    "release",
    "elapsed",
    "instance",
    "kind",
    "end",
    "failed",
    "DB time",
    "begin",
)


def show(run: Run) -> None:
    """A report that was kept, and the tables that are there of it."""
    assert run.report is not None, "the caller has looked"
    print_reports([run.report], "")
    show_problems(run.report, len(run.report.problems), "")
    made = table("table", "rows")
    for one in run.report_tables:
        made.add_row(one.name, f"{one.row_count:,}")
    show_table(made)


def unread(reports: Sequence[Report]) -> Iterator[PlimsollError]:
    """An error for each of them that could not be read, up to a limit, the hint once for each kind, since there may be thousands.

    Those come first that ended who read them, and then what may hold reports that nobody has seen.
    """
    found = [report for report in reports if report.status == "unreadable"]
    found.sort(key=lambda report: _rank(report.problems[0].code))
    hinted: set[str] = set()
    for report in found[:READ_UNREADABLE_SHOWN_MAX]:
        problem = report.problems[0]
        hint = None if problem.code in hinted else problem.hint
        hinted.add(problem.code)
        yield WorldError(problem.code, _named(report, problem.message), hint)
    if (more := len(found) - READ_UNREADABLE_SHOWN_MAX) > 0:
        hint = "Each is named by plimsoll read --json, with the reason."
        yield WorldError("reports-unread", f"{more:,} more could not be read", hint)


def _rank(code: str) -> int:
    if code in _FIRST:
        return _FIRST.index(code)
    return len(_FIRST) + (not code.startswith(_OF_ARCHIVES))


def _named(report: Report, message: str) -> str:
    """The message, with the file in front where it does not say it."""
    return message if report.file in message else f"{place_of(report)}: {message}"


def print_reports(reports: Sequence[Report], folder: str) -> None:
    """A line for each; names are told from `folder`, where there is one."""
    rows = [_report_row(report, folder) for report in reports]
    made = table(*_REPORT_HEADINGS, text_columns=_REPORT_WORDS, spare=_REPORT_SPARE)
    for row in rows:
        made.add_row(*row)
    show_table(made)


def _report_row(report: Report, folder: str) -> tuple[str, ...]:
    return (
        _short(report, folder),
        report.kind,
        "duplicate" if report.duplicate_of else report.status,
        *(value or _UNKNOWN for value in (report.release, report.db_name, report.instance)),
        *(to_the_minute(value) for value in (report.begin_time, report.end_time)),
        *(_seconds(value) for value in (report.elapsed_s, report.db_time_s)),
        f"{report.section_count:,}",
        f"{report.cells.total:,}",
        f"{report.cells.failed:,}",
    )


def _short(report: Report, folder: str) -> str:
    return place_of(report).removeprefix(f"{folder.rstrip('/')}/") if folder else place_of(report)


def to_the_minute(local: str | None) -> str:
    """To the minute: `2016-01-31 00:00`."""
    return _UNKNOWN if local is None else local.replace("T", " ")[:16]


def _seconds(value: float | None) -> str:
    return _UNKNOWN if value is None else format_seconds(value)


def show_problems(report: Report, count: int, folder: str) -> None:
    """What could not be read of one, the first of `count` problems."""
    name = _short(report, folder)
    if report.duplicate_of and report.status != "unreadable":
        say(f"{name}: the same bytes as {report.duplicate_of}, which was read in its place")
        return
    if report.status == "empty":
        say(f"{name}: a report of the kind {report.kind} that holds no data")
    for flag in report.flags:
        say(f"{name}: {flag.message}")
    if report.status == "unreadable":
        return  # it is an error, as each copy of it is
    for problem in report.problems[:READ_PROBLEMS_SHOWN_MAX]:
        at = f":{problem.line}" if problem.line is not None else ""
        section = f"{problem.section}: " if problem.section else ""
        say(f"{name}{at}: {section}{problem.message}")
    if count > READ_PROBLEMS_SHOWN_MAX:
        say(f"{name}: and {count - READ_PROBLEMS_SHOWN_MAX:,} more problems, which --json tells")
