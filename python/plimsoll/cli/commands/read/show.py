"""Reports as people read them on a terminal: a line for each, then what could not be read, with file and line."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plimsoll.base.errors import PlimsollError
from plimsoll.base.units import counted
from plimsoll.cli.data import DataTable, of_dicts, of_facts
from plimsoll.cli.output import say
from plimsoll.cli.results.report import print_reports, show_problems, to_the_minute, unread
from plimsoll.cli.tables import Shown, show_table, table
from plimsoll.facts import Report
from plimsoll.flows.read_outputs import unpacked
from plimsoll.reports.reader import FOLDER_UNOPENABLE
from plimsoll.reports.schema import GENERIC
from plimsoll.reports.tables import FROM_READER, LOCAL_TIMES, REPORTS, VIEW_COLUMNS

if TYPE_CHECKING:
    from plimsoll.flows.read import ReadOutcome

_UNKNOWN = "–"
_WRITTEN_NAMED_MAX = 5


def unreadable(outcome: ReadOutcome) -> Iterator[PlimsollError]:
    """An error for each thing that is no report."""
    yield from unread(outcome.reports)


def show_read(outcome: ReadOutcome) -> None:
    """What was read; or the rows that were asked for, and nothing else."""
    if outcome.rows:
        for name in sorted(outcome.rows):
            _show_rows(name, outcome.rows[name])
        return
    known = [report for report in outcome.reports if report.status != "unreadable"]
    folder = _common_folder(known)
    if known:
        if folder:
            say(f"in {folder}:")
        print_reports(known, folder)
    for place, report in enumerate(outcome.reports):
        show_problems(report, outcome.collection.problem_count(place), folder)
    for line in _written(outcome.written):
        say(line)
    say(_count_words(outcome))


def data_tables(outcome: ReadOutcome) -> list[DataTable]:
    """The rows that were asked for; else the reports."""
    if outcome.rows:
        return [_data_of(name, outcome.rows[name]) for name in sorted(outcome.rows)]
    return [of_facts("reports", Report, outcome.reports)]


def _data_of(name: str, parts: Sequence[bytes]) -> DataTable:
    """One table of all reports: its columns are the same in each of them."""
    first = next((row for rows in unpacked(parts) for row in rows), {})
    names = tuple(first)
    return DataTable(name, names, ([row[of] for of in names] for rows in unpacked(parts) for row in rows))


def schema_table(tables: Sequence[dict[str, Any]]) -> DataTable:
    """A row for each column of each table."""
    return of_dicts(
        "columns", [{"table": one["name"], **column} for one in tables for column in one["columns"]]
    )


def _written(paths: Sequence[Path]) -> Iterator[str]:
    """Each of a few; of many, how many and where."""
    if len(paths) > _WRITTEN_NAMED_MAX:
        yield f"written: {len(paths):,} tables in {paths[0].parent}"
    else:
        yield from (f"written: {path}" for path in paths)


def _common_folder(reports: Sequence[Report]) -> str:
    """The folder that all files lie in; nothing when there is one file only, or none is shared."""
    places = {report.file for report in reports}
    if len(places) < 2 or len({os.path.isabs(place) for place in places}) > 1:
        return ""
    return os.path.commonpath([os.path.dirname(place) for place in places])


def _count_words(outcome: ReadOutcome) -> str:
    """`35 reports: 33 read whole, 2 in part; 1 could not be read; 12 other files were passed over`."""
    # A copy of what could not be read was not read either.
    reports = [one for one in outcome.reports if one.duplicate_of is None or one.status == "unreadable"]
    counts = dict.fromkeys(("ok", "partial", "empty", "unreadable"), 0)
    for report in reports:
        counts[report.status] += 1
    words = [f"{counts['ok']:,} read whole"]
    words += [f"{counts['partial']:,} in part"] if counts["partial"] else []
    words += [f"{counts['empty']:,} without data"] if counts["empty"] else []
    parts = [", ".join(words)]
    duplicates = len(outcome.reports) - len(reports)
    if counts["unreadable"]:
        parts += [f"{counts['unreadable']:,} could not be read{_folder_words(reports)}"]
    parts += [f"{duplicates:,} of the same bytes as another"] if duplicates else []
    parts += [f"{outcome.passed_over:,} other files were passed over"] if outcome.passed_over else []
    parts += [f"{len(outcome.runs):,} in the store"] if outcome.runs else []
    parts += [_interrupted_words(outcome.unreached)] if outcome.interrupted else []
    return f"reports: {'; '.join(parts)}"


def _interrupted_words(unreached: int) -> str:
    if not unreached:
        return "interrupted when all files had been read"
    return f"interrupted before {counted(unreached, 'file')} were read, or all that is in them"


def _folder_words(reports: Sequence[Report]) -> str:
    """How many of those that could not be read stand for more than a file."""
    folders = sum(problem.code == FOLDER_UNOPENABLE for report in reports for problem in report.problems[:1])
    if not folders:
        return ""
    what = "one of them a folder" if folders == 1 else f"{folders:,} of them folders"
    return f", {what} of which nothing was seen"


def _show_rows(name: str, parts: Sequence[bytes]) -> None:
    """One table of all reports; columns that are empty throughout a report are left out there."""
    if not parts:
        say(f"{name}: no report that was read has such a table")
    for rows in unpacked(parts):
        if rows:
            if name != REPORTS:
                say(f"{name}: {_about(rows[0])}")
            show_table(_rows_table(rows))


def _about(row: dict[str, Any]) -> str:
    names = "/".join(str(row[name]) for name in ("db_name", "instance") if row.get(name))
    begin, end = row.get("begin_time"), row.get("end_time")
    interval = "" if begin is None else f", {to_the_minute(begin)} to {to_the_minute(end)}"
    return f"report {row['report']}{', ' if names else ''}{names}{interval}"


def _rows_table(rows: Sequence[dict[str, Any]]) -> Shown:
    names = list(rows[0])
    first = names.index(_PLACE[0]) if _PLACE[0] in names else 0
    shown = [name for name in names[first:] if name not in _PLACE and _has_any(rows, name)]
    numbers = [name for name in shown if all(isinstance(row[name], int | float | None) for row in rows)]
    words = [name for name in shown if name not in numbers]
    made = table(*words, *numbers, text_columns=len(words))
    for row in rows:
        made.add_row(*(_cell(name, row[name]) for name in (*words, *numbers)))
    return made


def _has_any(rows: Sequence[dict[str, Any]], name: str) -> bool:
    return any(row[name] is not None for row in rows)


def _cell(name: str, value: Any) -> str:
    if value is None:
        return _UNKNOWN
    if name in LOCAL_TIMES:
        return to_the_minute(value)
    if isinstance(value, float):
        return f"{value:,.0f}" if value == int(value) else f"{value:,.6g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def show_schema(tables: Sequence[dict[str, Any]]) -> None:
    """Every table with its columns; those that all typed views begin with are told once."""
    say("each typed view begins with these columns, unless it has one of the name itself:")
    _show_columns(
        [{"name": name, "type": kind, "unit": None, "about": about} for name, kind, about in VIEW_COLUMNS]
    )
    for one in tables:
        say()
        say(f"{one['name']}: {one['about']}")
        names = [column["name"] for column in one["columns"]]
        own = names.index(_LAST_COMMON) + 1 if _LAST_COMMON in names and one["name"] not in GENERIC else 0
        _show_columns(one["columns"][own:])


_PLACE, _LAST_COMMON = FROM_READER[:2], FROM_READER[-1]


def _show_columns(columns: Sequence[dict[str, Any]]) -> None:
    made = table("  column", "type", "unit", "meaning", text_columns=4)
    for column in columns:
        made.add_row(f"  {column['name']}", column["type"], column["unit"] or "", column["about"])
    show_table(made)
