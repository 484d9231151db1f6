"""A demand's worst stretches driven on simulated storage whose line is known, and what that does to the verdict."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from demand_snapshots import START
from judged_demands import judge, second, whole
from plimsoll.context import Context
from plimsoll.facts import DemandInterval, Replay, Run
from plimsoll.flows.mixes import MixSearch
from plimsoll.flows.replay import Replayed, replay
from plimsoll.predict.verdict import Measured
from plimsoll.results import status
from simulated import context

QUEUE = "sim:law=exponential,mean=500us"
"""An M/M/1 queue that serves 2,000 I/Os a second. Its p99 is ln 100 / (μ - λ), so that 5 ms hold up to 1,079 a second."""
LINE_IOPS = 2000 - math.log(100) * 200


@pytest.fixture
def ctx(tmp_path: Path) -> Iterator[Context]:
    with context(tmp_path / "journals") as made:
        yield made


def judged(
    ctx: Context, found: Sequence[DemandInterval], tmp_path: Path, bursts: float | None = None, **asked: Any
) -> Run:
    words: dict[str, Any] = {"target": QUEUE, "slo": "p99=5ms", "trial_s": 20.0, **asked}
    return judge(ctx, whole(found, bursts), tmp_path=tmp_path, **words)


def replay_of(run: Run) -> Replay:
    assert run.replay is not None
    return run.replay


@pytest.mark.parametrize("share", [0.5, 0.8])
def test_a_steady_demand_grows_as_far_as_its_line(ctx: Context, tmp_path: Path, share: float) -> None:
    run = judged(ctx, [second(n, share * LINE_IOPS) for n in range(90)], tmp_path)
    found, verdict = replay_of(run), run.verdict
    assert verdict is not None
    assert verdict.carries is True
    assert found.headroom == pytest.approx(1 / share, rel=0.1)
    assert found.headroom == pytest.approx(verdict.headroom, rel=0.1)
    assert verdict.replay_headroom == found.headroom
    assert found.missed is not None
    assert found.missed <= 1.1 * (found.headroom or 0)
    assert "driven as they were" in verdict.reason.lower()


def test_a_line_that_came_out_too_high_does_not_send_the_search_half_way_back(
    ctx: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a real storage there is time for two factors: the first missed, the second is a step below it."""

    def too_high(ctx: Context, what: Replayed, measured: Sequence[Measured]) -> Replay | None:
        return replay(ctx, replace(what, expected=2.3), measured)

    monkeypatch.setattr("plimsoll.flows.assess.replay", too_high)
    run = judged(ctx, [second(n, 0.5 * LINE_IOPS) for n in range(20)], tmp_path)
    first, second_try = [trial for trial in replay_of(run).trials if trial.factor != 1.0][:2]
    assert (first.factor, first.held) == (pytest.approx(0.95 * 2.3), False)
    assert (second_try.factor, second_try.held) == (pytest.approx(0.95 * 2.3 / 1.12), True)


def test_what_the_lines_leave_of_the_budget_is_the_replays(
    ctx: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MixSearch, "spent_s", 1.5)
    run = judged(ctx, [second(n, 200.0) for n in range(4)], tmp_path, budget_s=16.0)
    assert replay_of(run).budget_s == 14.5


def test_a_demand_beyond_its_line_misses_as_it_was(ctx: Context, tmp_path: Path) -> None:
    run = judged(ctx, [second(n, 1.2 * LINE_IOPS) for n in range(60)], tmp_path)
    found = replay_of(run)
    (trial,) = found.as_it_was
    assert trial.held is False
    assert found.headroom == pytest.approx(1 / 1.2, rel=0.1)
    assert run.verdict is not None
    assert run.verdict.carries is False
    assert "times the limit" in run.verdict.reason
    assert status(run) == 1


def test_ten_bad_seconds_are_not_hidden_in_the_minute(ctx: Context, tmp_path: Path) -> None:
    """Two seconds of a minute ask for more than the storage does, 2 % of its time; what waits is answered in the next."""
    run = judged(ctx, [second(n, 3000.0 if n in (30, 31) else 100.0) for n in range(60)], tmp_path)
    (trial,) = replay_of(run).as_it_was
    assert trial.duration_s == 60
    assert [window.held for window in trial.windows] == [True, True, True, False, True, True]
    late = trial.seconds[32]
    assert (late.latency_us_p99 or 0) > 100_000, "the backlog of two seconds is carried into the third"
    assert trial.held is False


def test_each_second_gets_what_was_asked_in_it(ctx: Context, tmp_path: Path) -> None:
    """I/Os by the engine's own count, second by second, within six deviations of a Poisson count."""
    rates = [30.0 * (1 + n % 7) for n in range(60)]
    run = judged(ctx, [second(n, rate) for n, rate in enumerate(rates)], tmp_path)
    (trial,) = replay_of(run).as_it_was
    for window, rate in zip(trial.seconds, rates, strict=True):
        assert abs(window.iops - rate) <= 6 * math.sqrt(rate)
    assert trial.mb_per_s == pytest.approx(trial.asked_mb_per_s, rel=0.05)


def test_scans_are_driven_with_their_bytes(ctx: Context, tmp_path: Path) -> None:
    found = [second(n, 300.0, 20e6 if n >= 30 else 0.0) for n in range(60)]
    run = judged(ctx, found, tmp_path, target="sim:law=constant,mean=20us,us_per_mib=5200us")
    (trial,) = replay_of(run).as_it_was
    assert trial.mb_per_s == pytest.approx(10 + 300 * 8192 / 1e6, rel=0.05)
    assert trial.held is True


def test_what_comes_in_bursts_is_said_to_cost(ctx: Context, tmp_path: Path) -> None:
    """64 at once wait for each other: the last for 32 ms, on a storage that serves one in 500 µs."""
    run = judged(ctx, [second(n, 200.0) for n in range(20)], tmp_path)
    bursts = {trial.burst: trial.held for trial in replay_of(run).trials if trial.burst > 1}
    assert bursts[64] is False
    assert any("arriving 64 at a time" in note.message for note in replay_of(run).notes)
    assert run.verdict is not None
    assert run.verdict.carries is True
    assert "held the objective" in replay_of(run).reason, (
        "the bursts are an assumption, and no part of what was"
    )
    assert "missed" not in run.verdict.reason


def test_long_intervals_are_driven_as_averages_times_the_burst_factor(ctx: Context, tmp_path: Path) -> None:
    hour = second(0, 200.0).model_copy(update={"duration_s": 3600.0, "end_time": START + timedelta(hours=1)})
    run = judged(ctx, [hour], tmp_path, bursts=3.0)
    found = replay_of(run)
    assert found.as_it_was[0].duration_s == 60
    assert found.as_it_was[0].asked_iops == pytest.approx(600.0)
    assert found.headroom == pytest.approx(LINE_IOPS / 600, rel=0.1)
    assert any("averages over 1 h times the burst factor of 3" in note.message for note in found.notes)


def test_a_stretch_never_runs_across_a_gap(ctx: Context, tmp_path: Path) -> None:
    restart = {"gap": "the server was restarted", "classes": {}, "iops": None, "mb_per_s": None}
    found = [second(n, 200.0) for n in range(40)]
    found[15] = found[15].model_copy(update=restart)
    run = judged(ctx, found, tmp_path)
    assert max(trial.duration_s for trial in replay_of(run).as_it_was) == 24


def test_the_replay_can_be_left_out(ctx: Context, tmp_path: Path) -> None:
    run = judged(ctx, [second(n, 200.0) for n in range(20)], tmp_path, replay=False)
    assert run.replay is None
    assert run.verdict is not None
    assert (run.verdict.carries, run.verdict.replay_headroom) == (True, None)


@pytest.mark.slow
def test_what_a_budget_leaves_out_is_named(ctx: Context, tmp_path: Path) -> None:
    """On a real file a stretch takes as long as it took: nothing of a minute fits into ten seconds but its worst second."""
    place = tmp_path / "file"
    place.write_bytes(random.Random(1).randbytes(64 << 20))
    run = judged(
        ctx, [second(n, 50.0) for n in range(60)], tmp_path, target=str(place), budget_s=14.0, trial_s=0.2, trials_confirm=1,
        slo="p50=10s", direct=False,
    )  # fmt: skip
    if run.replay is None:
        pytest.skip("no line was found on this machine")
    assert {round(trial.duration_s) for trial in run.replay.trials} == {1}
    assert sum("too short; give a longer --budget" in note.message for note in run.replay.notes) == 2


def test_a_target_that_goes_away_while_it_is_driven_faster_is_no_yes(ctx: Context, tmp_path: Path) -> None:
    run = judged(
        ctx, [second(n, 200.0) for n in range(60)], tmp_path, trial_s=4.0, target=f"{QUEUE},gone_after=20000"
    )
    assert any(trial.errors for trial in replay_of(run).trials if trial.factor > 1)
    assert run.verdict is not None
    assert run.verdict.carries is None
    assert "I/Os failed when it was driven at" in run.verdict.reason


def test_windows_say_how_many_ios_were_late_and_how_many_may_be(ctx: Context, tmp_path: Path) -> None:
    """Close to the line the p99 of ten seconds is beyond its limit now and then by no more I/Os than chance explains."""
    run = judged(ctx, [second(n, 0.97 * LINE_IOPS) for n in range(60)], tmp_path)
    trials = replay_of(run).trials
    for window in (window for trial in trials for window in trial.windows):
        assert window.late_ios is not None
        assert window.late_ios_max is not None
        assert window.held == (window.late_ios <= window.late_ios_max)
        assert window.late_ios_max >= 0.01 * window.ios
    by_chance = [
        one for one in trials if one.held and one.worst_window and one.worst_window.is_held_by_chance
    ]
    assert by_chance, "none of the trials was beyond the limit by chance"
    for trial in by_chance:
        worst = trial.worst_window
        assert worst is not None
        late = f"times the limit ({worst.late_ios:,} late, {worst.late_ios_max:,} allowed), which is within chance"
        assert late in trial.reason
    missed = next(trial for trial in trials if trial.held is False)
    assert missed.worst_window is not None
    assert missed.reason.endswith(
        f"({missed.worst_window.late_ios:,} late, {missed.worst_window.late_ios_max:,} allowed)"
    )
