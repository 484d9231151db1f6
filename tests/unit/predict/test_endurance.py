"""A demand that lasts much longer than anything that was driven gets a note."""

from __future__ import annotations

import facts_builder
from plimsoll.predict.endurance import endurance_note
from plimsoll.predict.verdict import Measured


def test_what_was_driven_for_less_than_half_the_time_is_said() -> None:
    demand, line = facts_builder.demand(), facts_builder.line()
    mixes = (Measured(line.workload, 28_000.0, line=line),)
    half = facts_builder.replay((facts_builder.replay_trial(duration_s=30.0),))
    assert endurance_note(demand, mixes, half) is None
    less = endurance_note(demand, mixes, facts_builder.replay((facts_builder.replay_trial(duration_s=29.0),)))
    assert less is not None
    assert less.code == "endurance"
    assert "lasts 1 min, and nothing was driven for longer than 29 s" in less.message
    gaps = demand.model_copy(update={"intervals": demand.intervals[:30]})
    assert (
        endurance_note(gaps, mixes, facts_builder.replay((facts_builder.replay_trial(duration_s=29.0),)))
        is None
    )
    assert endurance_note(demand, (), None) is None, "nothing was driven at all, which is said elsewhere"
