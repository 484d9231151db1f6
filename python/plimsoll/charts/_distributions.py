"""Which latency distributions of a run are worth a picture, and what a reader should call them."""

from __future__ import annotations

from plimsoll.base.units import format_rate
from plimsoll.charts._values import focus, telling_trials, trial_latency, trial_state
from plimsoll.facts import Cell, LatencyUs, Line, Run


def distribution_sources(run: Run) -> dict[str, bytes]:
    """HdrHistogram V2 bytes by label: what `report.build` takes as buckets, once somebody who may has decoded them.

    Of a line: up to three trials, near the demand, at the line and beyond it. Of a single cell: all its I/Os, each class
    where there are several, and, where a rate was asked for, the time that the storage alone took.
    """
    return {label: latency.hdr for label, latency in latencies(run).items() if latency.hdr and latency.count}


def latencies(run: Run) -> dict[str, LatencyUs]:
    """The facts of those distributions, by the same labels: a bucket is as wide as it is drawn, they are what was measured."""
    if run.line is not None:
        found = _of_line(run.line, run.verdict.load_iops if run.verdict else None)
    else:
        found = _of_cell(run.cell) if run.cell is not None else {}
    return {label: latency for label, latency in found.items() if latency is not None}


def _of_line(line: Line, demand_iops: float | None) -> dict[str, LatencyUs | None]:
    objective = focus(line)
    return {
        f"{trial_state(trial)} at {format_rate(trial.rate)}/s": trial_latency(trial, objective)
        for trial in telling_trials(line, demand_iops)
    }


def _of_cell(cell: Cell) -> dict[str, LatencyUs | None]:
    found: dict[str, LatencyUs | None] = {"all I/Os": cell.latency_us}
    if len(cell.classes) > 1:
        found |= {result.name: result.latency_us for result in cell.classes}
    if cell.arrivals.kind != "closed":
        found["storage alone"] = cell.service_us
    return found
