"""The verdict: the line beside the highest demand, in numbers and in words that a manager understands."""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll.base.limits import HEADROOM_RESOLUTION_S_MAX
from plimsoll.base.units import format_rate, format_seconds
from plimsoll.demand.held_back import held_back
from plimsoll.facts import ClassVerdict, Demand, Line, Note, Objective, Trial, Verdict
from plimsoll.facts.demand import LOWER_BOUND


def judge(demand: Demand, peak_iops: float, line: Line, notes: Sequence[Note] = ()) -> Verdict:
    """Carries, does not carry, or cannot tell, with the reason.

    `peak_iops` is the rate of the busiest interval's mix, I/Os per second, counted as the line's workload counts them.
    """
    asked = peak_iops * (demand.burst_factor or 1.0)
    carries, headroom, reason = _decide(line, asked)
    doubt = _resolution_doubt(demand) or _class_doubt(notes) or _part_doubt(demand) or _line_doubt(line)
    doubt = doubt or _held_back_doubt(demand, headroom)
    if doubt is not None and carries:
        carries, reason = None, f"{reason} {doubt}"
    return Verdict(
        carries=carries,
        headroom=headroom,
        headroom_ci95=_interval(line, asked),
        limiting_class=line.limiting_class,
        line_iops=line.line_iops,
        demand_iops=asked,
        reason=reason,
        resolution_s=demand.resolution_s,
        slo=line.slo.text,
        classes=_classes(line, asked),
        notes=tuple(notes),
    )


def cannot_tell(demand: Demand, slo: str, why: str) -> Verdict:
    """No demand to hold against the storage; `why` is a clause."""
    return Verdict(
        carries=None,
        headroom=None,
        limiting_class=None,
        line_iops=None,
        demand_iops=None if demand.peak is None else demand.peak.iops,
        reason=f"It cannot be told: {why}.",
        resolution_s=demand.resolution_s,
        slo=slo,
    )


def _decide(line: Line, asked: float) -> tuple[bool | None, float | None, str]:
    rate = format_rate(asked)
    if line.outcome == "never_held":
        return _never_held(line, asked)
    if line.outcome in ("unsteady", "failed", "interrupted") or line.line_iops is None:
        return None, None, f"It cannot be told: {line.reason}."
    headroom = line.line_iops / asked
    most = format_rate(line.line_iops)
    if line.outcome == "not_limited":
        return _not_limited(line, headroom, rate, most)
    interval = line.ci95 or (line.line_iops, line.line_iops)
    if interval[0] < asked <= interval[1]:
        reason = (
            f"It is too close to call: at its busiest the database asks for {rate} I/Os per second, and the storage's line"
            f" lies between {format_rate(interval[0])} and {format_rate(interval[1])}."
        )
        return None, headroom, reason
    return headroom >= 1, headroom, _plainly(headroom, rate, most, line)


def _never_held(line: Line, asked: float) -> tuple[bool | None, float | None, str]:
    """No rate held the objective: a no, unless the demand lies below even the lowest rate that was tried."""
    lowest = min(trial.rate for trial in line.trials)
    reason = f"{line.reason[0].upper()}{line.reason[1:]}."
    if asked < lowest:
        return None, None, f"It cannot be told: {line.reason}, and the database asks for less than that."
    return False, None, f"This storage does not carry the database. {reason}"


def _not_limited(line: Line, headroom: float, rate: str, most: str) -> tuple[bool | None, float | None, str]:
    if headroom >= 1:
        return (
            True,
            headroom,
            (
                f"This storage carries the database: at its busiest it asks for {rate} I/Os per second, and {line.slo.words} still"
                f" held at {most}, the most that could be tried. The headroom is at least {headroom:.1f} times."
            ),
        )
    return None, None, f"It cannot be told: {line.reason}, which is below the demand of {rate}."


def _plainly(headroom: float, rate: str, most: str, line: Line) -> str:
    facts = f"At its busiest the database asks for {rate} I/Os per second; the storage keeps {line.slo.words} up to {most} a second"
    if headroom >= 1:
        return f"This storage carries the database, {headroom:.1f} times over. {facts}."
    return f"This storage does not carry the database: it can take {min(headroom, 0.99):.0%} of the load. {facts}."


def _resolution_doubt(demand: Demand) -> str | None:
    if demand.resolution_s <= HEADROOM_RESOLUTION_S_MAX or demand.burst_factor is not None:
        return None
    return (
        f"But the demand is only known as averages over {format_seconds(demand.resolution_s)}, which hide bursts; give a"
        " --burst-factor, so the answer stays open."
    )


def _class_doubt(notes: Sequence[Note]) -> str | None:
    """A yes that leaves a class of the demand out is no yes."""
    unknown = next((note.message for note in notes if note.code == "class-unknown"), None)
    return (
        None
        if unknown is None
        else f"But a part of the demand could not be measured, so the answer stays open: {unknown}."
    )


def _part_doubt(demand: Demand) -> str | None:
    """Nor is one about a demand that was counted in part only."""
    part = any(note.code == LOWER_BOUND for note in demand.notes)
    return "But only a part of the demand was counted, so the answer stays open." if part else None


def _line_doubt(line: Line) -> str | None:
    """A yes that rests on a line which is not the storage's is none."""
    if not line.checks:
        return None
    return f"But the line is not the storage's, so the answer stays open: {line.checks[0].reason}."


def _held_back_doubt(demand: Demand, headroom: float | None) -> str | None:
    """Nor is one about a database that would ask for more of a faster storage. A no holds for a lower bound as well."""
    held = demand.held_back or held_back(demand.intervals)
    if held.is_held_back is None:
        return f"But whether its own storage held the database back is not known, so the answer stays open: {held.reason}."
    if not held.is_held_back:
        return None
    most = "" if headroom is None else f" The headroom is at most {headroom:.1f} times."
    return f"But this demand was held back by its own storage, so the answer stays open: {held.reason}.{most}"


def _interval(line: Line, asked: float) -> tuple[float, float] | None:
    if line.ci95 is None or line.outcome != "found":
        return None
    return line.ci95[0] / asked, line.ci95[1] / asked


def _classes(line: Line, asked: float) -> tuple[ClassVerdict, ...]:
    """Each class of the workload: its demand at the peak, and its p99 in the held trial nearest the line."""
    total = sum(io.weight for io in line.workload.classes)
    trial = _nearest_held(line)
    return tuple(
        ClassVerdict(
            name=io.name,
            demand_iops=asked * io.weight / total,
            share=io.weight / total,
            latency_us_p99=_p99(trial, io.name),
            limit_us=_limit(line.slo.objectives, io.name),
        )
        for io in line.workload.classes
    )


def _nearest_held(line: Line) -> Trial | None:
    held = [trial for trial in line.trials if trial.held]
    return min(held, key=lambda trial: abs(trial.rate - (line.line_iops or 0)), default=None)


def _p99(trial: Trial | None, name: str) -> float | None:
    if trial is None:
        return None
    return next((result.latency_us.p99 for result in trial.cell.classes if result.name == name), None)


def _limit(objectives: Sequence[Objective], name: str) -> float | None:
    limits = [objective.limit_us for objective in objectives if objective.io_class == name]
    return min(limits, default=None)
