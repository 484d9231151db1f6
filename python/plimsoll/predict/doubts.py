"""Why a yes to a demand stays open: what was not counted, hides bursts, or was held back. A no needs none of it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from plimsoll.base.limits import HEADROOM_RESOLUTION_S_MAX
from plimsoll.base.units import format_ratio, format_seconds, format_share
from plimsoll.demand.held_back import held_back
from plimsoll.demand.workload import REQUESTS_SPLIT, SIZES_UP
from plimsoll.facts import Demand, Line, Note, Verdict
from plimsoll.facts.demand import LOWER_BOUND, SEVERAL

GAPS_SHARE_MAX = 0.25
"""Of a demand's time: in so much of it the database may have asked for more than anything that is known."""
SUM_GAPS_SHARE_MAX = 0.1
"""The same of a sum, in which peaks may meet that are each known: two hours a day are as long as a nightly batch."""
_OVERLAP_MAX = 0.1
"""Of the shorter one of two intervals: clocks and rounding make as much."""
_COUNTED_TWICE = ("interval-overlap", "interval-twice")
"""Codes of notes on reports of one database that tell of the same time."""
_CARRIES_NOT, _WOULD_NOT_CARRY = (
    "This storage does not carry the database",
    "As measured this storage would not carry the database",
)


def doubt_of(
    demand: Demand,
    notes: Sequence[Note],
    lines: Sequence[Line],
    headroom: float | None,
    driven_s: float | None,
) -> str | None:
    """The first that applies, as a sentence; None where the yes stands. `driven_s`: how long what is asked was seen to hold."""
    return (
        _resolution_doubt(demand)
        or _class_doubt(notes)
        or _part_doubt(demand)
        or _gap_doubt(demand)
        or _overlap_doubt(demand)
        or _line_doubt(lines)
        or _undriven_doubt(driven_s)
        or _held_back_doubt(demand, headroom)
    )


def without_bytes_of_ours(verdict: Verdict, notes: Sequence[Note]) -> Verdict:
    """A no that may rest on bytes which whole blocks added to those that were counted is none."""
    more = next((note.message for note in notes if note.code == SIZES_UP), None)
    if verdict.carries is not False or more is None:
        return verdict
    no = verdict.reason.replace(_CARRIES_NOT, _WOULD_NOT_CARRY, 1)
    return verdict.model_copy(update={"carries": None, "reason": f"It cannot be told: {more}. {no}"})


def _resolution_doubt(demand: Demand) -> str | None:
    """One long interval among short ones hides bursts as well: the longest counts."""
    known_s = (one.duration_s for one in demand.intervals if one.gap is None)
    longest_s = max([demand.resolution_s, *known_s])
    if longest_s <= HEADROOM_RESOLUTION_S_MAX or demand.burst_factor is not None:
        return None
    what = "the demand" if demand.resolution_s > HEADROOM_RESOLUTION_S_MAX else "a part of the demand"
    return (
        f"But {what} is only known as averages over {format_seconds(longest_s)}, which hide bursts; give a --burst-factor, so the"
        " answer stays open."
    )


def _class_doubt(notes: Sequence[Note]) -> str | None:
    """A yes that leaves a class of the demand out is no yes."""
    unknown = next((note.message for note in notes if note.code in ("class-unknown", REQUESTS_SPLIT)), None)
    return (
        None
        if unknown is None
        else f"But a part of the demand could not be measured, so the answer stays open: {unknown}."
    )


def _part_doubt(demand: Demand) -> str | None:
    """Nor is one about a demand that was counted in part only."""
    part = any(note.code == LOWER_BOUND for note in demand.notes)
    return "But only a part of the demand was counted, so the answer stays open." if part else None


def _gap_doubt(demand: Demand) -> str | None:
    """Nor is one about a demand that is unknown for much of its time."""
    whole_s = sum(one.duration_s for one in demand.intervals)
    unknown_s = sum(one.duration_s for one in demand.intervals if one.gap is not None)
    share_max = SUM_GAPS_SHARE_MAX if demand.database.kind == SEVERAL else GAPS_SHARE_MAX
    if unknown_s <= share_max * whole_s:
        return None
    return (
        f"But nothing is known of {format_share(unknown_s / whole_s)} of the time of the demand, so the answer stays open:"
        f" {next(one.gap for one in demand.intervals if one.gap is not None)}."
    )


def _overlap_doubt(demand: Demand) -> str | None:
    """Nor one about intervals at the same time, as of two servers: what they ask for together is not known."""
    if any(note.code in _COUNTED_TWICE for note in demand.notes):
        return None
    known = sorted((one for one in demand.intervals if one.gap is None), key=lambda one: one.begin_time)
    for one, other in pairwise(known):
        shared_s = (min(one.end_time, other.end_time) - other.begin_time).total_seconds()
        if shared_s > _OVERLAP_MAX * min(one.duration_s, other.duration_s):
            return (
                f"But intervals of the demand overlap, from {other.begin_time:%Y-%m-%d %H:%M:%S}, as if they were of two"
                " servers; what they ask for together is not known, so the answer stays open."
            )
    return None


def _line_doubt(lines: Sequence[Line]) -> str | None:
    """A yes that rests on a line which is not valid is none."""
    check = next((check for line in lines for check in line.checks), None)
    if check is None:
        return None
    return f"But the line is not valid, so the verdict stays open: {check.reason}."


def _undriven_doubt(driven_s: float | None) -> str | None:
    """A yes is seen, and never taken from a curve alone."""
    return (
        None
        if driven_s is not None
        else "But no trial that asked for so much held, so the answer stays open."
    )


def _held_back_doubt(demand: Demand, headroom: float | None) -> str | None:
    """Nor is one about a database that would ask for more of a faster storage. A no holds for a lower bound as well."""
    held = demand.held_back or held_back(demand.intervals)
    if held.is_held_back is None:
        return f"But whether its own storage held the database back is not known, so the answer stays open: {held.reason}."
    if not held.is_held_back:
        return None
    most = "" if headroom is None else f" The headroom is at most {format_ratio(headroom)} times."
    return f"But this demand was held back by its own storage, so the answer stays open: {held.reason}.{most}"
