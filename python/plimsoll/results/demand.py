"""What a database asked of storage."""

from __future__ import annotations

from collections.abc import Iterator

from plimsoll.base.errors import ExitStatus
from plimsoll.base.units import format_mb, format_rate, format_seconds
from plimsoll.facts import Demand, DemandInterval, Run
from plimsoll.results._compared import Compared, Quantity
from plimsoll.results._kind import ResultKind, RunColumn


def _answer(demand: Demand) -> str:
    peak = demand.peak
    if peak is None:
        return "no demand seen"
    volume = "" if peak.mb_per_s is None else f", {format_mb(peak.mb_per_s)} MB/s"
    return f"peak {'at least ' if demand.is_lower_bound else ''}{format_rate(peak.iops)} IOPS{volume}"


def _status(run: Run) -> ExitStatus:
    """5 where nothing is known of some of its time, or of all."""
    demand: Demand = run.results["demand"]
    if run.interrupted:
        return ExitStatus.INTERRUPTED
    gaps = any(interval.gap for interval in demand.intervals)
    return ExitStatus.DONE_IN_PART if gaps or demand.peak is None else ExitStatus.DONE


def _figures(run: Run) -> list[Quantity]:
    """What was asked for is neither better nor worse for being more; how long it took is."""
    demand: Demand = run.results["demand"]
    return [*_of_interval("peak", demand.peak, demand.is_lower_bound), *_of_interval("mean", demand.mean)]


def _of_interval(which: str, interval: DemandInterval | None, is_bound: bool = False) -> Iterator[Quantity]:
    if interval is None:
        return
    at = f"demand.{which}"
    yield Quantity(f"{at}.iops", f"{which} I/Os per s", "per_s", interval.iops, None, is_bound=is_bound)
    yield Quantity(f"{at}.mb_per_s", f"{which} MB/s", "mb_per_s", interval.mb_per_s, None, is_bound=is_bound)
    for name, asked in interval.classes.items():
        who, of = name.replace("_", " "), f"{at}.classes.{name}"
        yield Quantity(f"{of}.ops_per_s", f"{which} {who}s per s", "per_s", asked.ops_per_s, None)
        yield Quantity(f"{of}.latency_us_mean", f"{which} {who} latency", "us", asked.latency_us_mean, "less")


def demand_work(demand: Demand) -> dict[str, str]:
    """Whose demand it is."""
    database = demand.database
    return {
        "database": f"{database.kind} {database.name} at {database.location}",
        "interval": format_seconds(demand.resolution_s),
    }


def _doubts(run: Run) -> list[str]:
    demand: Demand = run.results["demand"]
    return ["no demand was seen"] if demand.peak is None else []


_COMPARED = Compared(figures=_figures, work=lambda run: demand_work(run.results["demand"]), doubts=_doubts)

RESULT = ResultKind(
    fact=Demand,
    rows=(DemandInterval,),
    rank=120,
    answer=_answer,
    status=_status,
    columns=(
        RunColumn("demand_iops", "real", lambda run: run.demand and run.demand.peak and run.demand.peak.iops),
    ),
    compared=_COMPARED,
)
