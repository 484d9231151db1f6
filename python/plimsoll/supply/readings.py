"""What a measured cell says of an objective: how far beyond its limit it was, which class, and whether the host was to blame."""

from __future__ import annotations

from math import inf

from plimsoll.base.limits import HOPELESS_FACTOR, OTHERS_PROCESSORS_MAX, WAITING_SHARE_MAX
from plimsoll.base.units import format_share, format_us
from plimsoll.facts import Cell, CellOnHost, ClassResult, LatencyUs, Objective, Slo
from plimsoll.native.engine import blocks, runs_in_virtual_time
from plimsoll.native.latency import ios_above, quantile_us

_BACKLOG_SLACK = 2.0
"""Arrivals come in bunches: while we are late, up to so many times as many are due as on average."""


def disturbance(slo: Slo, cell: Cell) -> str | None:
    """What this host did to our own threads, so that I/Os came late through no fault of the storage; None for nothing.

    Two things: other programs had the CPUs while our threads waited for one; or our threads were held up although
    they had one, as in a virtual machine whose host runs something else, and the storage answered in time what they asked.
    What our own I/Os cost belongs to the storage's way of working, and a time without a connection to a server is the server's.
    """
    if cell.was_away:
        return None
    for part in cell.hosts or (cell,):
        # Threads of psync wait for each other: there is one for each I/O.
        waited = 0.0 if blocks(part.engine) else part.processor_wait_share or 0.0
        if waited > WAITING_SHARE_MAX and others_processors(part) > OTHERS_PROCESSORS_MAX:
            where = f" on {part.name}" if isinstance(part, CellOnHost) else ""
            return f"the measuring threads{where} waited for a CPU {format_share(waited)} of the time"
    objective, _ = worst(slo, cell)
    if _late_of_ourselves(objective, part_of(objective, cell)):
        late, where = format_us(part_of(objective, cell).lateness_us_max), objective.host or "this host"
        return (
            f"{where} held the measuring threads up by as much as {late}, while the storage answered in time"
        )
    return None


def part_of(objective: Objective, cell: Cell) -> Cell | CellOnHost:
    """Where the objective is about one host's I/Os, what that host did; else all of it."""
    if objective.host is None:
        return cell
    return next(part for part in cell.hosts if part.name == objective.host)


def _late_of_ourselves(objective: Objective, cell: Cell | CellOnHost) -> bool:
    """Whether the objective was missed only because we started I/Os late although slots were free for them.

    It would have held from submission on, and no more arrivals were waiting at once than come while we were late.
    """
    service = _service_of(objective.io_class, cell)
    late_us, rate = cell.lateness_us_max or 0.0, _rate_per_s(cell)
    if service is None or rate is None or late_us < objective.limit_us / 2:
        return False
    answered_us = quantile_us(service, objective.quantile) or service.max
    backlog_of_ours = _BACKLOG_SLACK * rate * late_us / 1e6 + 1
    return (
        answered_us is not None
        and answered_us <= objective.limit_us
        and (cell.backlog_ios_max or 0) <= backlog_of_ours
    )


def _rate_per_s(cell: Cell | CellOnHost) -> float | None:
    """What was due per second; of a series the mean."""
    if cell.arrivals.kind != "series" or not cell.runtime_s:
        return cell.arrivals.rate_per_s
    return (cell.offered_ios or 0) / cell.runtime_s


def others_processors(cell: Cell | CellOnHost) -> float:
    """CPUs that other programs had in the measured window, in user mode, and those that the virtual machine's host took.

    Time in the kernel is left out: much of it works for our own I/Os. Where nobody counts it all, others had everything.
    """
    if cell.host is None or not cell.runtime_s:
        return inf
    return max(0.0, cell.host.user_s - cell.cpu_s.user + cell.host.steal_s) / cell.runtime_s


def cpu_share(cell: Cell) -> float:
    """How busy the submitting threads were, kernel work included; 0 where time is virtual, or where each I/O has its own thread.

    Of several hosts the busiest one's.
    """
    if cell.hosts:
        return max(_cpu_share(part, part.jobs) for part in cell.hosts)
    return _cpu_share(cell, sum(group.jobs for group in cell.groups) or cell.jobs)


def _cpu_share(part: Cell | CellOnHost, jobs: int) -> float:
    if runs_in_virtual_time(part.engine) or blocks(part.engine) or not part.runtime_s:
        return 0.0
    return (part.cpu_s.user + part.cpu_s.system) / (part.runtime_s * jobs)


def worst(slo: Slo, cell: Cell) -> tuple[Objective, float]:
    """The objective that the cell is furthest beyond, or closest to, and its ratio of measured quantile to limit.

    In a run that was given up all count as far beyond; of them it is the one that was furthest until then.
    """
    ratios = [(objective, _ratio(objective, cell)) for objective in slo.objectives]
    return max(ratios, key=lambda pair: (pair[1], _measured_us(pair[0], cell) / pair[0].limit_us))


def _ratio(objective: Objective, cell: Cell) -> float:
    """Measured quantile / limit. A run that was given up counts as far beyond; without enough I/Os the maximum decides."""
    measured = _measured_us(objective, cell)
    if part_of(objective, cell).ended_early == "gave_up":
        measured = max(measured, HOPELESS_FACTOR * objective.limit_us)
    return measured / objective.limit_us


def _measured_us(objective: Objective, cell: Cell) -> float:
    spread = spread_of(objective, cell)
    return quantile_us(spread, objective.quantile) or spread.max or 0.0


def _service_of(io_class: str | None, cell: Cell | CellOnHost) -> LatencyUs | None:
    """The time from submission to completion of one class, or of all I/Os together for None; None in a closed loop."""
    if io_class is None:
        return cell.service_us
    return next(result.service_us for result in cell.classes if result.name == io_class)


def spread_of(objective: Objective, cell: Cell) -> LatencyUs:
    """The latency of the I/Os that the objective is about."""
    part = part_of(objective, cell)
    if objective.io_class is None:
        return part.latency_us
    return next(result.latency_us for result in part.classes if result.name == objective.io_class)


def limiting_class(objective: Objective, cell: Cell) -> str | None:
    """The class named by the objective; for one over all I/Os, the class with the largest share of its own beyond the limit."""
    if objective.io_class is not None:
        return objective.io_class

    def share_beyond(result: ClassResult) -> float:
        return ios_above(result.latency_us, objective.limit_us) / result.ios if result.ios else 0.0

    classes = part_of(objective, cell).classes
    return max(classes, key=lambda result: (share_beyond(result), result.latency_us.p99 or 0.0)).name
