"""A report of a database that was read."""

from __future__ import annotations

from collections.abc import Iterator

from plimsoll.base.errors import ExitStatus
from plimsoll.facts import Report, ReportSection, Run
from plimsoll.results._compared import Compared, Quantity
from plimsoll.results._kind import ResultKind, RunColumn


def _answer(report: Report) -> str:
    whole = "read whole" if report.status == "ok" else report.status
    return f"{whole}: {report.section_count:,} tables, {report.cells.total:,} cells"


def _status(run: Run) -> ExitStatus:
    return ExitStatus.DONE if run.results["report"].status == "ok" else ExitStatus.DONE_IN_PART


def _figures(run: Run) -> list[Quantity]:
    """What it says of its interval. More DB time is more work or slower work: it is not said which."""
    report: Report = run.results["report"]
    elapsed = report.elapsed_s

    def busy(seconds: float | None) -> float | None:
        return seconds / elapsed if seconds is not None and elapsed else None

    return [
        Quantity("report.db_time_s", "DB time", "s", report.db_time_s, None),
        Quantity("report.db_cpu_s", "DB CPU", "s", report.db_cpu_s, None),
        Quantity("report.elapsed_s", "interval", "s", elapsed, None),
        Quantity("report.db_time_s_per_s", "average active sessions", "times", busy(report.db_time_s), None),
        Quantity("report.db_cpu_s_per_s", "CPUs busy", "times", busy(report.db_cpu_s), None),
        Quantity("report.sessions_end", "sessions at the end", "count", report.sessions_end, None),
    ]


def _work(run: Run) -> dict[str, str]:
    report: Report = run.results["report"]
    said = {
        "database": report.db_name,
        "instance": report.instance,
        "from": report.begin_time,
        "to": report.end_time,
    }
    return {word: value or "unknown" for word, value in said.items()}


def _doubts(run: Run) -> Iterator[str]:
    report: Report = run.results["report"]
    if report.status != "ok":
        yield f"the report was not read whole: {report.status}"
    yield from (flag.message for flag in report.flags)


_COMPARED = Compared(
    figures=_figures, work=_work, doubts=_doubts, subject=lambda run: run.results["report"].kind
)

RESULT = ResultKind(
    fact=Report,
    rows=(ReportSection,),
    rank=130,
    answer=_answer,
    status=_status,
    columns=(
        RunColumn("report_db_name", "text", lambda run: run.report and run.report.db_name),
        RunColumn("report_begin_time", "text", lambda run: run.report and run.report.begin_time),
    ),
    compared=_COMPARED,
)
