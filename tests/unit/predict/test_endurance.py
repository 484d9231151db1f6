"""A demand that lasts longer than what it asks for was driven: what a yes says of that, and a note where it is much longer."""

from __future__ import annotations

import facts_builder
from plimsoll.predict.endurance import as_long_as_driven, endurance_note, seen_to_carry_s


def test_what_was_driven_for_less_than_half_the_time_is_said() -> None:
    demand = facts_builder.demand()
    assert endurance_note(demand, 30.0) is None
    less = endurance_note(demand, 29.0)
    assert less is not None
    assert less.code == "endurance"
    assert "lasts 1 min, and what it asks for was not seen to hold for longer than 29 s" in less.message
    gaps = demand.model_copy(update={"intervals": demand.intervals[:30]})
    assert endurance_note(gaps, 29.0) is None
    assert endurance_note(demand, None) is None, "nothing was driven at all, which is said elsewhere"


def test_a_demand_that_lasts_longer_is_carried_for_as_long_as_it_was_driven() -> None:
    demand = facts_builder.demand()
    assert as_long_as_driven(demand, 59.0) == " So much was seen to hold for 59 s; the demand lasts 1 min."
    assert as_long_as_driven(demand, 60.0) == ""


def test_only_what_held_at_that_rate_or_above_was_seen_to_carry() -> None:
    line = facts_builder.line()
    held = [trial for trial in line.trials if trial.held]
    fastest = max(held, key=lambda trial: trial.rate)
    assert seen_to_carry_s(line, fastest.rate, None) == fastest.cell.runtime_s
    assert seen_to_carry_s(line, fastest.rate + 1, None) is None
    missed, slower, faster = (
        facts_builder.replay_trial(held, factor, seconds)
        for held, factor, seconds in ((False, 1.0, 60.0), (True, 0.9, 50.0), (True, 1.5, 40.0))
    )
    assert seen_to_carry_s(line, fastest.rate + 1, facts_builder.replay((missed, slower))) is None
    assert seen_to_carry_s(line, fastest.rate + 1, facts_builder.replay((missed, slower, faster))) == 40.0
