"""The rows of a stored report's typed views; they lie beside the report, which speaks for the run."""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll.facts import ReportTable
from plimsoll.results._kind import ResultKind


def _answer(tables: Sequence[ReportTable]) -> str:
    return f"{len(tables):,} tables of a report"


RESULT = ResultKind(fact=tuple[ReportTable, ...], rank=910, answer=_answer)
