"""Whether a demand lasts much longer than anything that was driven: then a storage may tire after what was seen of it."""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll.base.units import format_seconds
from plimsoll.facts import Demand, Note, Replay
from plimsoll.predict.verdict import Measured

LONGER_MAX = 2.0
"""What holds for a minute holds for two, if anything can be said at all."""


def endurance_note(demand: Demand, mixes: Sequence[Measured], replay: Replay | None) -> Note | None:
    """The note on a demand that lasts longer than `LONGER_MAX` times the longest run; None where it does not."""
    lasts_s = sum(one.duration_s for one in demand.intervals if one.gap is None)
    driven_s = max(_driven_s(mixes, replay), default=0.0)
    if not driven_s or lasts_s <= LONGER_MAX * driven_s:
        return None
    message = (
        f"the demand lasts {format_seconds(lasts_s)}, and nothing was driven for longer than {format_seconds(driven_s)}: a write"
        " cache that fills, burst credit that runs out or a slower part of the storage may show only later"
    )
    return Note(code="endurance", message=message)


def _driven_s(mixes: Sequence[Measured], replay: Replay | None) -> list[float]:
    """How long each trial was, of the lines and of the replay."""
    lines = [
        one.line for mix in mixes for one in (mix, mix.largest) if one is not None and one.line is not None
    ]
    trials = [trial.cell.runtime_s for line in lines for trial in line.trials]
    return trials if replay is None else [*trials, *(trial.duration_s for trial in replay.trials)]
