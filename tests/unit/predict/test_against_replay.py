"""Where the lines leave it open, what was driven decides, if it is clear."""

from __future__ import annotations

from typing import Any

import pytest

import facts_builder
from plimsoll.facts import Note, Replay, ReplayTrial
from plimsoll.facts.replay import REPLAY_LEFT_OUT
from plimsoll.predict.against_replay import held_against
from plimsoll.predict.verdict import Measured, judge_mixes

OPEN = (None, 1.4, "It is too close to call: the storage's line lies between 593 and 1,360.")
LIMIT_US = 1000.0


def missed(ratio: float, seconds_beyond: int, duration_s: float = 10.0) -> ReplayTrial:
    """Missed so far in the first ten seconds, in so many of them."""
    trial = facts_builder.replay_trial(False, duration_s=duration_s)
    first = trial.windows[0].model_copy(update={"worst_ratio": ratio, "held": False})
    seconds = tuple(
        one.model_copy(update={"latency_us_p99": LIMIT_US * (ratio if number < seconds_beyond else 0.5)})
        for number, one in enumerate(trial.seconds)
    )
    return trial.model_copy(update={"windows": (first, *trial.windows[1:]), "seconds": seconds})


def driven(*trials: ReplayTrial, headroom: float | None, beyond: float | None = None, **more: Any) -> Replay:
    return facts_builder.replay(trials, headroom, beyond, **more)


@pytest.mark.parametrize(
    ("trial", "carries"),
    [
        (missed(2.1, 6), False),
        (missed(1.9, 10), None),
        (missed(30.0, 5), None),
        (missed(2.1, 5, 5.0), None),
        (missed(2.1, 6, 60.0), False),
        (missed(2.1, 6).model_copy(update={"held": None}), None),
        (missed(2.1, 6).model_copy(update={"factor": 1.2}), None),
    ],
)
def test_a_clear_miss_as_it_was_is_a_no(trial: ReplayTrial, carries: bool | None) -> None:
    """Twice the limit, in most of ten seconds, at the demand's own rates; a pause of some seconds is none."""
    found, headroom, reason = held_against(driven(trial, headroom=None, beyond=1.0), OPEN)
    assert found is carries
    assert headroom == (None if found is False else 1.4)
    assert reason.startswith(
        "It is too close" if found is None else "This storage does not carry the database. Driven as they"
    )
    unknown = (None, None, "It cannot be told: the search was unsteady.")
    assert held_against(driven(trial, headroom=None, beyond=1.0), unknown)[0] is carries


@pytest.mark.parametrize(
    ("trial", "carries"),
    [
        (missed(1.15, 10), None),
        (missed(1.16, 10), False),
        (missed(1.1, 10).model_copy(update={"errors": 1}), False),
        (facts_builder.replay_trial(True).model_copy(update={"held": False, "backlog_ios": 900}), False),
    ],
)
def test_a_miss_by_a_hair_is_too_close_to_call(trial: ReplayTrial, carries: bool | None) -> None:
    """Chance puts the p99 of ten seconds beyond a limit that the storage holds in the long run."""
    replay = driven(trial, headroom=0.95, beyond=1.0)
    found, headroom, reason = held_against(replay, (True, 1.06, "This storage carries the database."))
    assert (found, headroom) == (carries, 0.95)
    assert "By its lines it could take 1.06 times the load." in reason
    assert ("It is too close to call. Driven as they were" in reason) == (carries is None)


HELD = facts_builder.replay_trial(True, duration_s=60.0)
LEFT_OUT = Note(code=REPLAY_LEFT_OUT, message="the 10 s from 12:00:00 were not replayed")


@pytest.mark.parametrize(
    ("by_lines", "replay", "carries"),
    [
        (1.4, driven(HELD, headroom=1.45, beyond=1.5), True),
        (1.15, driven(HELD, headroom=1.15), True),
        (1.14, driven(HELD, headroom=1.45), None),
        (1.4, driven(HELD, headroom=1.14, beyond=1.2), None),
        (1.4, driven(HELD, facts_builder.replay_trial(None), headroom=1.45), None),
        (1.4, driven(facts_builder.replay_trial(None), HELD, headroom=1.45), True),
        (1.4, driven(facts_builder.replay_trial(duration_s=5.0), headroom=1.45), None),
        (1.4, driven(HELD, headroom=1.45, notes=(LEFT_OUT,)), None),
        (None, driven(HELD, headroom=1.45), None),
    ],
)
def test_room_by_lines_and_by_what_was_driven_is_a_yes(
    by_lines: float | None, replay: Replay, carries: bool | None
) -> None:
    found, headroom, reason = held_against(replay, (None, by_lines, OPEN[2]))
    assert found is carries
    assert headroom == (replay.headroom if carries else by_lines)
    assert not carries or "By its lines alone it is too close to call" in reason


def test_a_storage_that_fails_ios_at_any_factor_is_not_said_to_carry_it() -> None:
    """A device that went away while it was driven faster: what held before is no yes."""
    gone = facts_builder.replay_trial(False, 3.4, 10.0).model_copy(update={"errors": 12})
    replay = driven(HELD, gone, headroom=3.3, beyond=3.4)
    for by_lines in ((True, 3.5, "This storage carries it."), (None, 1.4, OPEN[2])):
        found, _, reason = held_against(replay, by_lines)
        assert found is None
        assert by_lines[0] is None or "12 I/Os failed when it was driven at 3.4 times" in reason
    found, _, reason = held_against(replay, (False, 0.5, "This storage does not carry the database."))
    assert found is None, "lines and replay disagree"
    # The no is the lines' alone, so that it does not contradict the answer.
    assert ". By its lines alone this storage does not carry the database. Yet " in reason


def test_a_no_tells_the_factor_of_its_line_from_one_that_was_driven() -> None:
    no = "This storage does not carry the database: it can take 57 % of the load. At its busiest."
    replay = driven(missed(3.0, 9), headroom=0.635, beyond=0.7)
    carries, headroom, reason = held_against(replay, (False, 0.57, no))
    assert (carries, headroom) == (False, 0.57)
    assert "does not carry the database: by its line it can take 57 % of the load." in reason
    less = driven(missed(3.0, 9), headroom=0.5, beyond=0.7)
    assert held_against(less, (False, 0.57, no))[2].startswith(no)


def test_its_interval_is_that_of_what_was_driven() -> None:
    """A line of 593 to 1,360 beside 1,000 that is asked for, and a replay that held at 1.45 times."""
    line = facts_builder.line().model_copy(update={"line_iops": 1_200.0, "ci95": (593.0, 1_360.0)})
    mixes = (Measured(line.workload, 1_000.0, line=line),)
    verdict = judge_mixes(facts_builder.demand(), mixes, replay=driven(HELD, headroom=1.45, beyond=1.5))
    assert (verdict.carries, verdict.headroom, verdict.headroom_ci95) == (True, 1.45, (1.45, 1.5))
    assert (verdict.is_by_replay, verdict.is_at_least) == (True, False)
    least = judge_mixes(facts_builder.demand(), mixes, replay=driven(HELD, headroom=1.45))
    assert (least.carries, least.headroom_ci95, least.is_at_least) == (True, None, True)
    lost = Measured(line.workload, 900.0)
    unknown = judge_mixes(facts_builder.demand(), (*mixes, lost), replay=driven(HELD, headroom=1.45))
    assert unknown.carries is None, "a mix that was not judged may be the one that misses"
    coarse = facts_builder.demand().model_copy(update={"resolution_s": 600.0})
    assert judge_mixes(coarse, mixes, replay=driven(HELD, headroom=1.45)).carries is None
