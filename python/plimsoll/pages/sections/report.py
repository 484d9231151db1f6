"""A report of a database that was read: its head, its tables, and what could not be read."""

from __future__ import annotations

from plimsoll.base.units import format_bytes
from plimsoll.charts import Subject, Table
from plimsoll.facts import Report, ReportProblem
from plimsoll.pages._say import counted, sentence
from plimsoll.pages._section import Section
from plimsoll.results import Block, Grid, Pairs, Words

_PROBLEMS_MAX = 200
"""Rows of the table of problems; `plimsoll read --json` has all of them."""
_HEAD = (
    ("file", "file"), ("member", "member of the archive"), ("kind", "kind"), ("form", "form"), ("release", "release"),
    ("db_name", "database"), ("unique_name", "unique name"), ("container", "container"), ("instance", "instance"),
    ("host", "host"), ("platform", "platform"), ("cpus", "CPUs"), ("cores", "cores"), ("sockets", "sockets"),
    ("begin_snap", "begin snapshot"), ("end_snap", "end snapshot"), ("begin_time", "begin"), ("end_time", "end"),
    ("startup_time", "started"), ("sessions_begin", "sessions at the begin"), ("sessions_end", "sessions at the end"),
    ("encoding", "encoding"), ("sha256", "SHA-256"),
)  # fmt: skip
"""Fields of the head that are shown as they are printed, with their names for people."""


def applies(subject: Subject) -> bool:
    """Whether a report was read."""
    return subject.run.report is not None


def blocks(subject: Subject) -> list[Block]:
    """The head, doubts and problems first, then every table with its rows."""
    report = subject.run.report
    assert report is not None, "applies() has looked"
    shown: list[Block] = [Pairs("The head", tuple(_head(report)))]
    shown += [Words(sentence(flag.message)) for flag in report.flags]
    if report.problems:
        left_out = len(report.problems) - _PROBLEMS_MAX
        more = f"; {left_out:,} more are left out here" if left_out > 0 else ""
        shown.append(Grid(f"{counted(len(report.problems), 'problem')}{more}", _problems(report)))
    shown.append(Grid(f"{counted(report.section_count, 'table')}", _tables(report)))
    return shown


def _head(report: Report) -> list[tuple[str, str]]:
    rows = [
        (name, str(value).replace("T", " ") if name in ("begin", "end", "started") else str(value))
        for field, name in _HEAD
        if (value := getattr(report, field)) is not None
    ]
    sizes = (("memory", report.memory_bytes), ("block size", report.block_bytes), ("size", report.size_bytes))
    return rows + [(name, format_bytes(size)) for name, size in sizes if size is not None]


def _problems(report: Report) -> Table:
    rows = tuple(_problem(problem) for problem in report.problems[:_PROBLEMS_MAX])
    return Table(("line", "table", "problem", "lost"), rows, (True, False, False, False))


def _problem(problem: ReportProblem) -> tuple[str, ...]:
    line = "" if problem.line is None else f"{problem.line:,}"
    return (line, problem.section or "", problem.message, "yes" if problem.loses else "no")


def _tables(report: Report) -> Table:
    rows = tuple(
        (
            section.title,
            section.name if section.typed else "as printed",
            f"{section.row_count:,}",
            "" if section.line is None else f"{section.line:,}",
        )
        for section in report.sections
    )
    return Table(("table", "view", "rows", "line"), rows, (False, False, True, True))


SECTION = Section(
    "The report", "What a report says of itself, its tables, and what could not be read.", 27, applies, blocks
)
