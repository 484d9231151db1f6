"""What a database asked of storage."""

from __future__ import annotations

from plimsoll.base.errors import ExitStatus
from plimsoll.base.units import format_rate
from plimsoll.facts import Demand, DemandInterval, Run
from plimsoll.results._kind import ResultKind, RunColumn


def _answer(demand: Demand) -> str:
    peak = demand.peak
    if peak is None:
        return "no demand seen"
    volume = "" if peak.mb_per_s is None else f", {peak.mb_per_s:,.3g} MB/s"
    return f"peak {'at least ' if demand.is_lower_bound else ''}{format_rate(peak.iops)} IOPS{volume}"


def _status(run: Run) -> ExitStatus:
    """5 where nothing is known of some of its time, or of all."""
    demand: Demand = run.results["demand"]
    if run.interrupted:
        return ExitStatus.INTERRUPTED
    gaps = any(interval.gap for interval in demand.intervals)
    return ExitStatus.DONE_IN_PART if gaps or demand.peak is None else ExitStatus.DONE


RESULT = ResultKind(
    fact=Demand,
    rows=(DemandInterval,),
    rank=120,
    answer=_answer,
    status=_status,
    columns=(
        RunColumn("demand_iops", "real", lambda run: run.demand and run.demand.peak and run.demand.peak.iops),
    ),
)
