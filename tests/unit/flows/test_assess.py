"""From a demand to its verdict on simulated storage: all of the demand is judged, and not its busiest second alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from demand_snapshots import START, database
from judged_demands import judged, second, verdict_of, with_scan
from plimsoll.base.errors import PlimsollError
from plimsoll.context import Context
from plimsoll.demand import intervals
from plimsoll.facts import Demand, DemandInterval, Event, Run, Verdict
from plimsoll.flows.assess import assess
from plimsoll.flows.demand import write_demand
from plimsoll.flows.mixes import TRIALS_HELD
from plimsoll.requests.assess import AssessRequest
from simulated import context

DISK_18_MB = "sim:law=constant,mean=20us,us_per_mib=58ms"
"""It moves 1 MiB in 58 ms, whatever the size of its I/Os."""
DISK_200_MB = "sim:law=constant,mean=20us,us_per_mib=5200us"


@pytest.fixture
def ctx(tmp_path: Path) -> Iterator[Context]:
    with context(tmp_path / "journals") as made:
        yield made


def gap(number: int) -> DemandInterval:
    changes = {"gap": "the server was restarted", "classes": {}, "iops": None, "mb_per_s": None}
    return second(number, 0.0).model_copy(update=changes)


def said(event: Event) -> str:
    return getattr(event, "message", "")


def of_line(event: Event) -> bool:
    return getattr(event, "stage", "") == "line"


_made: list[tuple[Run, list[Event]]] = []


def on_the_faster_disk(folder: Path) -> tuple[Run, list[Event]]:
    """What is said of the demand with a scan on it, and what was told meanwhile; made once, as it is the same each time."""
    if not _made:
        told: list[Event] = []
        with context(folder / "faster", told.append) as ctx:
            _made.append((judged(ctx, with_scan(), DISK_200_MB, folder), told))
    return _made[0]


def test_a_scan_in_seconds_with_fewer_ios_is_refused(ctx: Context, tmp_path: Path) -> None:
    """The second with the most I/Os moves 11 MB, which the disk carries; a scanning one moves 33."""
    run = judged(ctx, with_scan(), DISK_18_MB, tmp_path)
    verdict = verdict_of(run)
    assert verdict.carries is False
    assert verdict.headroom is not None
    assert verdict.headroom < 0.6
    assert verdict.moment is not None
    assert verdict.moment >= START + timedelta(seconds=30)
    scanning, calm = verdict.mixes
    assert (scanning.intervals, calm.intervals) == (30, 30)
    assert scanning.demand_mb_per_s > 33 > 18 > calm.demand_mb_per_s
    assert scanning.demand_iops < calm.demand_iops
    assert run.line is not None
    assert verdict.line_iops == run.line.line_iops
    assert run.line.workload == scanning.workload


def test_the_reads_alone_are_carried_by_that_disk(ctx: Context, tmp_path: Path) -> None:
    run = judged(ctx, with_scan()[:30], DISK_18_MB, tmp_path)
    verdict = verdict_of(run)
    assert verdict.carries is True
    assert len(verdict.mixes) == 1
    assert "endurance" not in {note.code for note in run.notes}


def test_a_demand_that_lasts_longer_than_what_was_driven_gets_a_note(ctx: Context, tmp_path: Path) -> None:
    run = judged(ctx, [second(n, 200.0) for n in range(60)], DISK_200_MB, tmp_path, trial_s=2.0, replay=False)
    notes = (run.notes, verdict_of(run).notes)
    assert all("endurance" in {note.code for note in some} for some in notes)


def test_a_faster_disk_carries_both_halves(tmp_path: Path) -> None:
    verdict = verdict_of(on_the_faster_disk(tmp_path)[0])
    assert verdict.carries is True
    assert (verdict.headroom or 0) > 2
    scanning, calm = verdict.mixes
    assert (scanning.outcome, calm.outcome) == ("found", "held")
    assert (calm.headroom or 0) == pytest.approx(1.1 * (scanning.headroom or 0))
    assert verdict.moment == scanning.begin_time
    assert "the smallest headroom of 2 mixes" in verdict.reason


def test_a_mix_that_does_not_decide_costs_a_few_trials(tmp_path: Path) -> None:
    run, told = on_the_faster_disk(tmp_path)
    assert run.line is not None
    trials = [event for event in told if of_line(event) and said(event).endswith((" held", " missed"))]
    assert len(trials) == len(run.line.trials) + TRIALS_HELD


def test_a_mix_hardly_above_the_deciding_one_needs_no_search_either(ctx: Context, tmp_path: Path) -> None:
    """A device that minds only how many I/Os there are: the mixes' lines are the same, and what they ask for is 7 % apart."""
    found = [second(0, 1070.0), second(1, 600.0, 400.0 * 131_072)]
    decides, other = verdict_of(judged(ctx, found, "sim:law=constant,mean=100us", tmp_path)).mixes
    assert (decides.outcome, other.outcome) == ("found", "held")
    assert (other.headroom or 0) == pytest.approx(1.04 * (decides.headroom or 0))


def test_a_no_is_measured_at_an_interval_that_really_was(ctx: Context, tmp_path: Path) -> None:
    """Two seconds share a mix that is 8 % larger than either, and that is as much as it lacks: one of them is measured alone."""
    found = [second(0, 415.0, writes=380.0), second(1, 380.0, writes=415.0)]
    run = judged(ctx, found, "sim:law=constant,mean=1ms", tmp_path, trial_s=200.0)
    verdict = verdict_of(run)
    mix, alone = verdict.mixes
    assert (mix.intervals, mix.demand_iops, alone.demand_iops) == (2, 830.0, 795.0)
    assert (mix.headroom or 0) < 1 < (mix.headroom or 0) * (1 + mix.slack)
    assert (verdict.carries, verdict.demand_iops, verdict.headroom) == (False, 795.0, alone.headroom)
    assert run.line is not None
    assert run.line.workload == alone.workload


def test_a_burst_factor_stands_apart(ctx: Context, tmp_path: Path) -> None:
    once = verdict_of(on_the_faster_disk(tmp_path)[0])
    thrice = verdict_of(judged(ctx, with_scan(), DISK_200_MB, tmp_path, burst_factor=3.0))
    assert thrice.demand_iops == once.demand_iops == once.asked_iops
    assert thrice.asked_iops == pytest.approx(3 * (once.demand_iops or 0))
    assert thrice.headroom == pytest.approx((once.headroom or 0) / 3, rel=0.02)
    assert "by the burst factor of 3" in thrice.reason
    assert [mix.asked_iops / mix.demand_iops for mix in thrice.mixes] == pytest.approx([3.0, 3.0])


def test_restarts_and_quiet_seconds_take_no_part(ctx: Context, tmp_path: Path) -> None:
    found = [*with_scan()[:10], gap(10), second(11, 0.0), *with_scan()[40:]]
    verdict = verdict_of(judged(ctx, found, DISK_200_MB, tmp_path))
    assert verdict.carries is True
    assert sorted(mix.intervals for mix in verdict.mixes) == [10, 20]


def test_one_second_is_a_demand(ctx: Context, tmp_path: Path) -> None:
    verdict = verdict_of(judged(ctx, [second(0, 500.0)], DISK_200_MB, tmp_path))
    assert (verdict.carries, len(verdict.mixes)) == (True, 1)
    assert "At its busiest (from 2025-01-02 03:04:05)" in verdict.reason


@pytest.mark.parametrize(
    ("found", "word"),
    [
        ([], "no interval"),
        ([gap(0), gap(1)], "the server was restarted"),
        ([second(0, 0.0), second(1, 0.0)], "asked nothing of storage"),
    ],
)
def test_without_a_demand_it_cannot_be_told(
    ctx: Context, tmp_path: Path, found: list[DemandInterval], word: str
) -> None:
    run = judged(ctx, found, DISK_200_MB, tmp_path)
    verdict = verdict_of(run)
    assert (verdict.carries, verdict.mixes, run.line) == (None, (), None)
    assert word in verdict.reason
    assert run.demand is not None
    assert ctx.store.load(run.id) == run


def test_writes_that_the_target_does_not_allow_are_refused_before_anything_is_measured(
    ctx: Context, tmp_path: Path
) -> None:
    (tmp_path / "data").write_bytes(bytes(range(256)) * 4 * 65536)
    with pytest.raises(PlimsollError) as refused:
        judged(ctx, [second(0, 0.0, writes=100.0)], str(tmp_path / "data"), tmp_path)
    assert "\n" not in refused.value.message
    assert refused.value.hint


def test_requests_larger_than_the_target_are_refused(ctx: Context, tmp_path: Path) -> None:
    with pytest.raises(PlimsollError) as refused:
        judged(ctx, [second(0, 10.0, scan_bytes=25e6)], "sim:size=64k", tmp_path)
    assert "\n" not in refused.value.message


def test_an_objective_of_a_class_that_only_some_mixes_have(ctx: Context, tmp_path: Path) -> None:
    """The calm half has no large reads, so nothing is asked of it; a class that none has is a slip of the pen."""
    found = [
        one.model_copy(update={"classes": {"small_read": one.classes["small_read"]}})
        for one in with_scan()[:30]
    ]
    run = judged(ctx, found + with_scan()[30:], DISK_200_MB, tmp_path, slo="large_read.p99=20ms")
    assert verdict_of(run).carries is True
    assert len(verdict_of(run).mixes) == 1
    assert "mix-without-objective" in {note.code for note in run.notes}
    with pytest.raises(PlimsollError, match="redo_write"):
        judged(ctx, found, DISK_200_MB, tmp_path, slo="redo_write.p99=20ms")


@pytest.mark.parametrize("when", ["a first look", "trial 1", "trial 3 of", "whether"])
def test_after_an_interrupt_it_is_never_a_yes(tmp_path: Path, when: str) -> None:
    """Before the first search, in it, and after it, when the other mix is looked at."""

    def listen(event: Event) -> None:
        if when in said(event):
            ctx.cancel.set()

    with context(tmp_path / "journals", listen) as ctx:
        run = judged(ctx, with_scan(), DISK_200_MB, tmp_path)
    assert run.interrupted
    assert verdict_of(run).carries is None
    assert len(verdict_of(run).mixes) == 2
    assert run.line is not None


def above_cache(
    ctx: Context, found: Sequence[DemandInterval], target: str, tmp_path: Path, cached: float | None
) -> Verdict:
    """The verdict on a demand of a server that reads through the system's cache, of which `cached` was answered there."""
    whole = Demand(
        database=database(direct_io=False), resolution_s=1.0, intervals=tuple(found), peak=intervals.peak(found),
        mean=intervals.mean(found), cached_read_share=cached,
    )  # fmt: skip
    write_demand(whole, tmp_path / "demand.json")
    asked = AssessRequest(
        target=target,
        demand=(str(tmp_path / "demand.json"),),
        slo="p99=20ms",
        trial_s=4.0,
        replay=False,
        seed=1,
    )
    verdict = assess(ctx, asked).verdict
    assert verdict is not None
    return verdict


def test_reads_above_the_cache_alone_make_no_no(ctx: Context, tmp_path: Path) -> None:
    """Whoever answered them: what is sure are the writes, and those are carried."""
    found = [second(n, 3000.0 + n, writes=20.0) for n in range(12)]
    disk = "sim:law=constant,mean=1ms"
    verdict = above_cache(ctx, found, disk, tmp_path, None)
    assert verdict.carries is None
    assert "upper bound" in verdict.reason
    assert above_cache(ctx, found, disk, tmp_path, 0.9).carries is None, (
        "a tenth of them reached it, and is carried"
    )


def test_what_surely_reached_the_storage_makes_a_no(ctx: Context, tmp_path: Path) -> None:
    found = [second(n, 3000.0 + n, writes=20.0) for n in range(12)]
    disk = "sim:law=constant,mean=1ms"
    verdict = above_cache(ctx, found, disk, tmp_path, 0.5)
    assert verdict.carries is False
    assert "50 %" in verdict.reason
    assert above_cache(ctx, found, disk, tmp_path, 0.02).carries is False, "next to nothing was cached"
    writing = [second(n, 3000.0 + n, writes=1500.0) for n in range(12)]
    assert above_cache(ctx, writing, disk, tmp_path, None).carries is False, "the writes alone are too many"


def test_a_yes_holds_for_all_reads_that_were_counted(ctx: Context, tmp_path: Path) -> None:
    found = [second(n, 300.0 + n, writes=20.0) for n in range(12)]
    assert above_cache(ctx, found, "sim:law=constant,mean=1ms", tmp_path, None).carries is True


def test_a_storage_that_fails_ios_has_no_headroom(ctx: Context, tmp_path: Path) -> None:
    """A headroom of 0.006 was only so few I/Os that none failed among them."""
    found = [second(n, 200.0) for n in range(20)]
    run = judged(ctx, found, "sim:mean=100us,error=0.001", tmp_path, slo="p99=5ms", trial_s=1.0)
    verdict = verdict_of(run)
    assert verdict.carries is not True
    assert (verdict.headroom, verdict.replay_headroom, verdict.mixes[0].headroom) == (None, None, None)
    assert "failed" in verdict.reason


def test_credit_that_outlasts_what_was_driven_is_carried_for_so_long_alone(
    ctx: Context, tmp_path: Path
) -> None:
    """90 s of what is asked are served fast and then ten times slower; what is driven for a minute cannot show it."""
    found = [second(n, 1000.0) for n in range(300)]
    run = judged(ctx, found, "sim:mean=2ms,burst_ios=90000,burst_mean=200us", tmp_path, slo="p99=10ms")
    verdict = verdict_of(run)
    assert verdict.carries is True
    assert verdict.driven_s is not None
    assert verdict.driven_s <= 90
    assert "So much was seen to hold for 1 min; the demand lasts 5 min." in verdict.reason
