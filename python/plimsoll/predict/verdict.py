"""The verdict: the lines of the demand's mixes beside what each asks for, in numbers and in words that a manager understands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from math import inf

from plimsoll.base.units import format_rate, format_ratio, format_share
from plimsoll.facts import (
    Check,
    ClassVerdict,
    Demand,
    Line,
    MixVerdict,
    Note,
    Objective,
    Replay,
    Trial,
    Verdict,
    Workload,
)
from plimsoll.predict.against_replay import Answer, held_against, room
from plimsoll.predict.doubts import doubt_of
from plimsoll.predict.endurance import as_long_as_driven, seen_to_carry_s
from plimsoll.predict.shared_line import beside_others, shared_of
from plimsoll.predict.smallest import Estimate, interval_of_smallest

SLACK_SAID = 0.1
"""Above it a verdict says that its mix is larger than anything that was asked for at once."""

_CARRIES, _WOULD_CARRY = (
    "This storage carries the database",
    "As measured this storage would carry the database",
)


@dataclass(frozen=True)
class Measured:
    """A mix of the demand, and what was measured at it: a line, or only that a rate held, or nothing.

    `iops` is its rate, I/Os per second, as the line's workload counts them and without the burst factor. `largest` is its
    largest interval alone, measured where a no would rest on the mix being larger than that.
    """

    workload: Workload
    iops: float
    begin_time: datetime | None = None
    intervals: int = 1
    slack: float = 0.0
    line: Line | None = None
    held_iops: float | None = None
    largest: Measured | None = None

    @property
    def outcome(self) -> str:
        """As `MixVerdict` has it."""
        if self.line is not None:
            return self.line.outcome
        return "not_measured" if self.held_iops is None else "held"

    @property
    def rate_iops(self) -> float | None:
        """The line, or the highest rate that is known to hold."""
        return self.held_iops if self.line is None else self.line.line_iops

    def headroom(self, factor: float) -> float | None:
        """Line / what is asked, at that burst factor; 0 where the objective held at no rate."""
        if self.outcome == "never_held":
            return 0.0
        return None if self.rate_iops is None else self.rate_iops / (self.iops * factor)


def judge(demand: Demand, peak_iops: float, line: Line, notes: Sequence[Note] = ()) -> Verdict:
    """Carries, does not carry, or cannot tell, with the reason, of a demand that is one mix.

    `peak_iops` is the rate of that mix, I/Os per second, counted as the line's workload counts them.
    """
    began = None if demand.peak is None else demand.peak.begin_time
    return judge_mixes(demand, (Measured(line.workload, peak_iops, began, line=line),), notes)


def judge_mixes(
    demand: Demand, mixes: Sequence[Measured], notes: Sequence[Note] = (), replay: Replay | None = None
) -> Verdict:
    """The verdict on a demand that these mixes stand for; the smallest headroom decides. At least one has a line.

    A yes needs all of them, and the replay where there is one. A no never rests on a mix's slack: then its largest interval
    decides, or it cannot be told; nor does it stand where the demand's worst stretches, driven as they were, held.
    """
    factor = demand.burst_factor or 1.0
    decides = deciding(mixes, factor)
    lines = [mix.line for mix in mixes if mix.line is not None]
    by_lines = _whole(demand, decides, mixes)
    carries, headroom, reason = held_against(replay, by_lines)
    assert decides.line is not None, "the one that decides has a line"
    carries, headroom, reason = beside_others(lines, decides.line, (carries, headroom, reason))
    shown = decides.largest if decides.largest is not None and carries is False else decides
    line = shown.line
    assert line is not None, "the one that decides has a line"
    driven_s = seen_to_carry_s(line, shown.iops * factor, replay)
    doubt = doubt_of(demand, notes, lines, headroom, driven_s) if carries else None
    if doubt is not None:
        carries, reason = None, f"{reason.replace(_CARRIES, _WOULD_CARRY, 1)} {doubt}"
    elif carries and driven_s is not None:
        reason += as_long_as_driven(demand, driven_s)
    return Verdict(
        carries=carries,
        headroom=headroom,
        driven_s=driven_s,
        headroom_ci95=_bounds(headroom, replay if headroom != by_lines[1] else None, shown, mixes, factor),
        limiting_class=line.limiting_class,
        line_iops=line.line_iops,
        demand_iops=shown.iops,
        burst_factor=demand.burst_factor,
        asked_iops=shown.iops * factor,
        moment=shown.begin_time,
        reason=reason,
        replay_headroom=None if replay is None else replay.headroom,
        resolution_s=demand.resolution_s,
        slo=line.slo.text,
        classes=_classes(line, shown.iops),
        mixes=_mixes(mixes, decides, factor),
        shared=shared_of(lines),
        notes=tuple(notes),
    )


def _bounds(
    headroom: float | None, replay: Replay | None, mix: Measured, mixes: Sequence[Measured], factor: float
) -> tuple[float, float] | None:
    """The interval of a headroom: by the lines, or between what was driven and held and what was driven and missed."""
    if headroom is None:
        return None
    if replay is None:
        return _interval(mix, mixes, factor)
    return None if replay.missed is None else (headroom, replay.missed)


def deciding(mixes: Sequence[Measured], factor: float) -> Measured:
    """The mix with a line and the smallest headroom; of lines that are not known the last one searched, if there is no other.

    Where that one is refused only by its slack, another one that is refused without it goes before.
    """
    with_line = [mix for mix in mixes if mix.line is not None]
    known = [mix for mix in with_line if mix.headroom(factor) is not None]
    if not known:
        return with_line[-1]
    least = min(known, key=lambda mix: mix.headroom(factor) or 0.0)
    if rests_on_slack(least, factor):
        sure = (mix for mix in known if _is_refused(mix, factor) and not rests_on_slack(mix, factor))
        return min(sure, key=lambda mix: mix.headroom(factor) or 0.0, default=least)
    return least


def _is_refused(mix: Measured, factor: float) -> bool:
    """Whether the line at this mix, with its interval, lies below what is asked."""
    if mix.outcome == "never_held":
        return mix.iops * factor >= _lowest(mix)
    high = _own_high(mix, factor) or mix.headroom(factor)
    return mix.outcome == "found" and high is not None and high < 1


def rests_on_slack(mix: Measured, factor: float) -> bool:
    """Whether the mix is not carried, and yet its largest interval might be."""
    headroom = mix.headroom(factor)
    if headroom is None or mix.slack <= 0:
        return False
    if mix.outcome == "never_held":
        return _lowest(mix) > mix.iops * factor / (1 + mix.slack)
    return headroom < 1 <= (_own_high(mix, factor) or headroom) * (1 + mix.slack)


def cannot_tell(demand: Demand, slo: str, why: str) -> Verdict:
    """No demand to hold against the storage; `why` is a clause."""
    peak = None if demand.peak is None else demand.peak.iops
    return Verdict(
        carries=None,
        headroom=None,
        limiting_class=None,
        line_iops=None,
        demand_iops=peak,
        burst_factor=demand.burst_factor,
        asked_iops=None if peak is None else peak * (demand.burst_factor or 1.0),
        reason=f"It cannot be told: {why}.",
        resolution_s=demand.resolution_s,
        slo=slo,
    )


def _whole(
    demand: Demand, decides: Measured, mixes: Sequence[Measured]
) -> tuple[bool | None, float | None, str]:
    """The answer by the deciding mix; a no is taken back where it rests on slack, a yes where not all mixes are known."""
    factor = demand.burst_factor or 1.0
    carries, headroom, reason = _decide(demand, decides, mixes)
    if carries is False and rests_on_slack(decides, factor):
        return _without_slack(demand, decides, mixes, headroom)
    if headroom is not None and carries is not False and (gap := _unknown(mixes, decides)) is not None:
        return None, None, gap if carries else f"{reason} {gap}"
    return carries, headroom, reason


def _without_slack(
    demand: Demand, decides: Measured, mixes: Sequence[Measured], headroom: float | None
) -> tuple[bool | None, float | None, str]:
    """A no stays one where the mix's largest interval alone is not carried."""
    largest = decides.largest
    if largest is not None and largest.line is not None:
        carries, own, reason = _decide(demand, largest, (largest,))
        if carries is False:
            return False, own, f"{reason}{_of_several(mixes)}"
        known = "alone it may be carried" if carries is None else "alone it is carried"
    else:
        known = "that one alone was not measured"
    return (
        None,
        headroom,
        (
            f"It cannot be told: a mix that stands for {decides.intervals:,} intervals is not carried, but it asks for"
            f" {format_share(decides.slack)} more than its largest one, from {_instant(decides)}, and {known}."
        ),
    )


def _unknown(mixes: Sequence[Measured], decides: Measured) -> str | None:
    """What is missing for a yes, in a sentence."""
    lost = [
        mix for mix in mixes if mix is not decides and mix.rate_iops is None and mix.outcome != "never_held"
    ]
    if not lost:
        return None
    searched = next(
        (mix.line.reason for mix in lost if mix.line is not None), "the measurement was ended before"
    )
    of = f"of {len(mixes)} mixes that stand for the demand {len(lost)} could not be judged"
    return f"It cannot be told: {of}; {searched}."


def failed_ios(line: Line | None) -> Check | None:
    """That I/Os failed while the line was searched: then it lies where by chance none did, and says nothing of a capacity."""
    return None if line is None else next((check for check in line.checks if check.name == "errors"), None)


def _decide(demand: Demand, mix: Measured, mixes: Sequence[Measured]) -> Answer:
    """By the deciding mix alone; where I/Os failed it is no yes, and there is no headroom."""
    carries, headroom, reason = _by_line(demand, mix, mixes)
    if (failed := failed_ios(mix.line)) is None:
        return carries, headroom, reason
    when = _asks(demand, mix, mixes)
    facts = f"{failed.reason}. That decides, and the headroom is not known. {when[0].upper()}{when[1:]}."
    if carries is False:
        return False, None, f"This storage does not carry the database: {facts}"
    return None, None, f"It cannot be told: {facts}"


def _by_line(demand: Demand, mix: Measured, mixes: Sequence[Measured]) -> Answer:
    """What is asked held against the line."""
    line, factor = mix.line, demand.burst_factor or 1.0
    assert line is not None, "the one that decides has a line"
    asked = mix.iops * factor
    if line.outcome == "never_held":
        return _never_held(mix, asked)
    if line.outcome in ("unsteady", "failed", "host_lost", "interrupted") or line.line_iops is None:
        return None, None, f"It cannot be told: {line.reason}."
    headroom = line.line_iops / asked
    when = _asks(demand, mix, mixes)
    if line.outcome == "not_limited":
        return _not_limited(line, headroom, when, asked)
    low, high = _interval(mix, mixes, factor) or (headroom, headroom)
    high = max(high, _own_high(mix, factor) or headroom)
    if (headroom < 1 <= high) or (low < 1 <= headroom):
        between = f"{format_rate(low * asked)} and {format_rate(high * asked)}"
        reason = f"It is too close to call: {when}, and the storage's line lies between {between}."
        return None, headroom, f"{reason}{_beyond(mix)}"
    return headroom >= 1, headroom, f"{_plainly(headroom, when, line)}{_beyond(mix)}"


def _asks(demand: Demand, mix: Measured, mixes: Sequence[Measured]) -> str:
    """When it asks for how much, as a clause: what was measured, the factor and their product stand apart.

    Of a mix with slack no interval asked for all of it at once.
    """
    rate = format_rate(mix.iops)
    began = "" if mix.begin_time is None else f" (from {_instant(mix)})"
    when = f"at its busiest{began}" if len(mixes) < 2 else f"at the moment that decides{began}"
    asks = f"{when} the database asks for {'up to ' if mix.slack else ''}{rate} I/Os per second"
    if demand.burst_factor is None:
        return f"{asks}{_smallest(mixes)}"
    bursts = f"{format_rate(mix.iops * demand.burst_factor)} in bursts by the burst factor of {demand.burst_factor:g}"
    return f"{asks}, {bursts}{_smallest(mixes)}"


def _smallest(mixes: Sequence[Measured]) -> str:
    return "" if len(mixes) < 2 else f", the smallest headroom of {len(mixes)} mixes"


def _of_several(mixes: Sequence[Measured]) -> str:
    return "" if len(mixes) < 2 else f" That is the smallest headroom of {len(mixes)} mixes."


def _beyond(mix: Measured) -> str:
    """A mix that is much larger than anything that was asked for at once is said to be."""
    if mix.slack <= SLACK_SAID:
        return ""
    return f" The mix covers {mix.intervals:,} intervals, and asks for {format_share(mix.slack)} more than the largest of them."


def _instant(mix: Measured) -> str:
    return "an unknown time" if mix.begin_time is None else f"{mix.begin_time:%Y-%m-%d %H:%M:%S}"


def _lowest(mix: Measured) -> float:
    assert mix.line is not None, "a line that never held has trials"
    return min((trial.rate for trial in mix.line.trials), default=inf)


def _never_held(mix: Measured, asked: float) -> tuple[bool | None, float | None, str]:
    """No rate held the objective: a no, unless the demand lies below even the lowest rate that was tried."""
    assert mix.line is not None, "the caller has looked"
    reason = mix.line.reason
    if asked < _lowest(mix):
        return None, None, f"It cannot be told: {reason}, and the database asks for less than that."
    when = "" if mix.begin_time is None else f" The load that was tried is that from {_instant(mix)}."
    return False, None, f"This storage does not carry the database. {reason[0].upper()}{reason[1:]}.{when}"


def _not_limited(
    line: Line, headroom: float, when: str, asked: float
) -> tuple[bool | None, float | None, str]:
    if headroom < 1:
        return (
            None,
            None,
            f"It cannot be told: {line.reason}, which is below the demand of {format_rate(asked)}.",
        )
    return (
        True,
        headroom,
        (
            f"This storage carries the database: {when}, and {line.slo.words} still held at {format_rate(line.line_iops)}, the most"
            f" that could be tried. The headroom is at least {format_ratio(headroom)}."
        ),
    )


def _plainly(headroom: float, when: str, line: Line) -> str:
    facts = f"{when[0].upper()}{when[1:]}; the storage keeps {line.slo.words} up to {format_rate(line.line_iops)} a second"
    if headroom >= 1:
        return f"This storage carries the database, {room(headroom)} over. {facts}."
    return f"This storage does not carry the database: it can take {room(headroom)} of the load. {facts}."


def _interval(mix: Measured, mixes: Sequence[Measured], factor: float) -> tuple[float, float] | None:
    """Of the headroom: the line's own where there is one mix, else that of the smallest of several."""
    line = mix.line
    if line is None or line.ci95 is None or line.outcome != "found" or not line.line_iops:
        return None
    asked = mix.iops * factor
    own = Estimate(line.line_iops / asked, (line.ci95[0] / asked, line.ci95[1] / asked))
    others = [_estimate(other, own, factor) for other in mixes if other is not mix and mix in mixes]
    return interval_of_smallest([own, *(one for one in others if one is not None)])


def _own_high(mix: Measured, factor: float) -> float | None:
    """The upper end of the headroom at this mix alone: a no needs it, as others may be low by their slack."""
    if mix.line is None or mix.line.ci95 is None:
        return None
    return mix.line.ci95[1] / (mix.iops * factor)


def _estimate(other: Measured, own: Estimate, factor: float) -> Estimate | None:
    """Of another mix. A lower bound counts as if it were the line, and is as uncertain as the line that decides."""
    headroom = other.headroom(factor)
    if not headroom:
        return None
    if other.line is not None and other.line.ci95 is not None:
        asked = other.iops * factor
        return Estimate(headroom, (other.line.ci95[0] / asked, other.line.ci95[1] / asked))
    low, high = (end / own.value for end in own.ci95)
    return Estimate(headroom, (low * headroom, high * headroom))


def _mixes(mixes: Sequence[Measured], decides: Measured, factor: float) -> tuple[MixVerdict, ...]:
    """The deciding one first, and its largest interval, where that was measured alone."""
    alone = [] if decides.largest is None else [decides.largest]
    rest = [*alone, *(mix for mix in mixes if mix is not decides)]
    rest.sort(key=lambda mix: inf if (found := mix.headroom(factor)) is None else found)
    return tuple(_mix(mix, factor) for mix in (decides, *rest))


def _mix(mix: Measured, factor: float) -> MixVerdict:
    moved = sum(io.weight * io.mean_bytes for io in mix.workload.classes)
    total = sum(io.weight for io in mix.workload.classes)
    headroom = mix.headroom(factor) if failed_ios(mix.line) is None else None
    return MixVerdict(
        begin_time=mix.begin_time,
        intervals=mix.intervals,
        slack=mix.slack,
        demand_iops=mix.iops,
        demand_mb_per_s=mix.iops * moved / total / 1e6,
        asked_iops=mix.iops * factor,
        outcome=mix.outcome,  # type: ignore[arg-type]
        line_iops=mix.rate_iops,
        ci95=None if mix.line is None else mix.line.ci95,
        headroom=headroom or None,
        at_least=mix.rate_iops is not None and mix.outcome != "found",
        limiting_class=None if mix.line is None else mix.line.limiting_class,
        workload=mix.workload,
    )


def _classes(line: Line, iops: float) -> tuple[ClassVerdict, ...]:
    """Each class of the mix: its demand, and its p99 in the held trial nearest the line."""
    total = sum(io.weight for io in line.workload.classes)
    trial = _nearest_held(line)
    return tuple(
        ClassVerdict(
            name=io.name,
            demand_iops=iops * io.weight / total,
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
