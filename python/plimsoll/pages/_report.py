"""The answer of a report of a database that was read: which it is, and whether all of it was read."""

from __future__ import annotations

from plimsoll.base.units import format_seconds
from plimsoll.facts import Report
from plimsoll.pages._say import UNKNOWN, counted, sentence
from plimsoll.results import Answer, Tone

_TONES: dict[str, Tone] = {"ok": "plain", "partial": "unknown", "empty": "unknown", "unreadable": "no"}


def answer(report: Report, remark: str | None) -> Answer:
    """The headline says what it is; the reason, how well it was read."""
    return Answer(_TONES[report.status], headline(report), reason(report), remark)


def headline(report: Report) -> str:
    """`AWR report of ORCL/orcl1, 11.2.0.4.0`."""
    names = "/".join(name for name in (report.db_name, report.instance) if name)
    release = f", {report.release}" if report.release else ""
    read = {
        "ok": "",
        "partial": "; read in part",
        "empty": "; it holds nothing",
        "unreadable": "; it could not be read",
    }
    return f"{_kind(report)} of {names or 'an unknown database'}{release}{read[report.status]}"


def reason(report: Report) -> str:
    """How much of it was read, and what was not."""
    read = f"{counted(report.section_count, 'table')}, {counted(report.cells.total, 'cell')}"
    lost = sum(problem.loses for problem in report.problems)
    failed = (
        f"{counted(report.cells.failed, 'cell')} should be a number and is not one"
        if report.cells.failed
        else ""
    )
    words = {
        "ok": f"read whole: {read}",
        "partial": f"read in part: {read}; {counted(lost, 'thing')} could not be read",
        "empty": "it holds nothing: its tables have no rows",
        "unreadable": report.problems[0].message if report.problems else "it could not be read",
    }[report.status]
    return sentence("; ".join(part for part in (words, failed) if part))


def figures(report: Report) -> list[tuple[str, str, str]]:
    """The interval and how much the database worked in it."""
    rows = []
    if report.elapsed_s is not None:
        rows.append(("Interval", format_seconds(report.elapsed_s), _times(report)))
    if report.db_time_s is not None:
        rows.append(("DB time", format_seconds(report.db_time_s), _sessions(report)))
    if report.db_cpu_s is not None:
        rows.append(("DB CPU", format_seconds(report.db_cpu_s), "of DB time on CPUs"))
    return rows


def _kind(report: Report) -> str:
    known = {"statspack": "Statspack", "unknown": "Report"}
    name = known.get(report.kind, report.kind.upper() if len(report.kind) <= len("awr-diff") else report.kind)
    return name if name == "Report" else f"{name} report"


def _times(report: Report) -> str:
    if report.begin_time is None or report.end_time is None:
        return "when is not printed"
    return (
        f"{report.begin_time.replace('T', ' ')} to {report.end_time.replace('T', ' ')}, the host's own clock"
    )


def _sessions(report: Report) -> str:
    if not report.elapsed_s or report.db_time_s is None:
        return f"{UNKNOWN} average active sessions"
    return f"{report.db_time_s / report.elapsed_s:.3g} average active sessions"
