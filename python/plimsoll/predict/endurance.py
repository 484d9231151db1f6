"""For how long a demand was seen to be carried, and whether it lasts longer: a storage may tire after what was seen of it."""

from __future__ import annotations

from plimsoll.base.units import format_seconds
from plimsoll.facts import Demand, Line, Note, Replay

LONGER_MAX = 2.0
"""What holds for a minute holds for two, if anything can be said at all."""
_ROUNDING_S = 1e-3


def seen_to_carry_s(line: Line, asked_iops: float, replay: Replay | None) -> float | None:
    """How long the longest run was that held at what is asked or more, by its line or as the demand was; None: there was none."""
    by_line = [trial.cell.runtime_s for trial in line.trials if trial.held and trial.rate >= asked_iops]
    trials = () if replay is None else replay.trials
    as_it_was = [trial.duration_s for trial in trials if trial.held and trial.factor >= 1]
    return max((*by_line, *as_it_was), default=None)


def as_long_as_driven(demand: Demand, driven_s: float) -> str:
    """What a yes says where the demand lasts longer, as a sentence after others; else nothing."""
    lasts_s = _lasts_s(demand)
    if lasts_s <= driven_s + _ROUNDING_S:
        return ""
    return f" So much was seen to hold for {format_seconds(driven_s)}; the demand lasts {format_seconds(lasts_s)}."


def endurance_note(demand: Demand, driven_s: float | None) -> Note | None:
    """The note on a demand that lasts longer than `LONGER_MAX` times the longest run; None where it does not."""
    lasts_s = _lasts_s(demand)
    if driven_s is None or lasts_s <= LONGER_MAX * driven_s:
        return None
    message = (
        f"the demand lasts {format_seconds(lasts_s)}, and what it asks for was not seen to hold for longer than"
        f" {format_seconds(driven_s)}: a write cache that fills, burst credit that runs out or a slower part of the storage may"
        " show only later"
    )
    return Note(code="endurance", message=message)


def _lasts_s(demand: Demand) -> float:
    return sum(one.duration_s for one in demand.intervals if one.gap is None)
