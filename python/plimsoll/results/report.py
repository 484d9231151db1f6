"""A report of a database that was read."""

from __future__ import annotations

from plimsoll.base.errors import ExitStatus
from plimsoll.facts import Report, ReportSection, Run
from plimsoll.results._kind import ResultKind, RunColumn


def _answer(report: Report) -> str:
    whole = "read whole" if report.status == "ok" else report.status
    return f"{whole}: {report.section_count:,} tables, {report.cells.total:,} cells"


def _status(run: Run) -> ExitStatus:
    return ExitStatus.DONE if run.results["report"].status == "ok" else ExitStatus.DONE_IN_PART


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
)
