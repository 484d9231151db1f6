"""A backup or a migration beside a demand, on simulated storage whose throughput is known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from demand_snapshots import START, database
from plimsoll.base.errors import UsageError
from plimsoll.context import Context
from plimsoll.demand import intervals
from plimsoll.facts import ClassDemand, Demand, DemandInterval, Event, IoClass, Run, Workload, WorkWindow
from plimsoll.flows.assess import assess
from plimsoll.flows.demand import write_demand
from plimsoll.flows.line import LineSearch
from plimsoll.flows.work_window import work_target
from plimsoll.predict.work_window import Work
from plimsoll.requests.assess import AssessRequest
from plimsoll.requests.line import LineRequest
from plimsoll.results import answer, kinds, status
from simulated import context

DISK = "sim:law=constant,mean=20us,us_per_mib=5200us"
"""One I/O after the other: 1 MiB takes 5.22 ms, which is 200.9 MB/s. A read of 8 KiB takes 61 µs, so that 1,300 a second leave 92 %
of its time: 185 MB/s."""
ALONE_MB = 1.048576 / 5.22e-3
BESIDE_MB = 0.92 * ALONE_MB
MB = 10**6


@pytest.fixture
def ctx(tmp_path: Path) -> Iterator[Context]:
    with context(tmp_path / "journals") as made:
        yield made


def second(number: int, reads: float, writes: float = 0.0) -> DemandInterval:
    sizes = {"small_read": reads, "small_write": writes}
    classes: Any = {
        name: ClassDemand(ops_per_s=ops, bytes_per_s=ops * 8192, latency_us_mean=300.0, source="counters")
        for name, ops in sizes.items()
        if ops
    }
    begin = START + timedelta(seconds=number)
    return DemandInterval(
        begin_time=begin, end_time=begin + timedelta(seconds=1), duration_s=1.0, classes=classes,
        iops=reads + writes, mb_per_s=(reads + writes) * 8192 / 1e6,
    )  # fmt: skip


def judged(ctx: Context, tmp_path: Path, found: Sequence[DemandInterval] = (), **asked: Any) -> Run:
    found = found or [second(n, 1300.0) for n in range(20)]
    whole = Demand(
        database=database(), resolution_s=1.0, intervals=tuple(found), peak=intervals.peak(found), mean=intervals.mean(found),
    )  # fmt: skip
    write_demand(whole, tmp_path / "demand.json")
    request: dict[str, Any] = {
        "target": DISK, "demand": (str(tmp_path / "demand.json"),), "trial_s": 4.0, "seed": 1, "replay": False,
    }  # fmt: skip
    return assess(ctx, AssessRequest(**{**request, **asked}))


def window_of(run: Run) -> WorkWindow:
    assert run.work_window is not None
    return run.work_window


@pytest.mark.parametrize(("needed", "fits"), [(150.0, True), (195.0, False), (260.0, False)])
def test_a_backup_fits_as_far_as_the_storage_has_time_left(
    ctx: Context, tmp_path: Path, needed: float, fits: bool
) -> None:
    """Beside the demand; 195 MB/s it would reach alone, 260 it would not."""
    run = judged(ctx, tmp_path, backup_bytes=round(needed * MB * 3600), window_s=3600.0)
    window = window_of(run)
    assert run.verdict is not None
    assert run.verdict.carries is True
    assert window.fits is fits
    assert window.alone_mb_per_s == pytest.approx(ALONE_MB, rel=0.02)
    assert window.held_mb_per_s is not None
    assert window.missed_mb_per_s is not None
    assert window.held_mb_per_s <= 1.02 * BESIDE_MB
    assert window.missed_mb_per_s >= 0.98 * BESIDE_MB
    assert status(run) == (0 if fits else 1)
    assert ("fits into 1 h" in answer(run)) is fits
    assert ctx.store.load(run.id) == run


def test_every_rate_in_the_answer_was_driven(ctx: Context, tmp_path: Path) -> None:
    window = window_of(judged(ctx, tmp_path, backup_bytes=400_000 * MB, window_s=3600.0))
    driven = {trial.asked_mb_per_s for trial in window.trials}
    assert {window.held_mb_per_s, window.missed_mb_per_s} <= driven
    for trial in window.trials:
        if trial.asked_mb_per_s and trial.kept_up:
            assert trial.mb_per_s == pytest.approx(trial.asked_mb_per_s, rel=0.05)
    assert {trial.beside for trial in window.trials} == {"nothing", "mix", "replay"}


def test_a_tight_objective_ends_it_long_before_the_throughput(ctx: Context, tmp_path: Path) -> None:
    """A read behind 1 MiB waits up to 5.2 ms, more than 4 ms in 23 % of the cases: one in a hundred at 4 % of the throughput."""
    window = window_of(judged(ctx, tmp_path, backup_bytes=4 << 40, slo="p99=4ms"))
    assert (window.limited_by, window.limiting_class) == ("objective", "small_read")
    assert window.held_mb_per_s is not None
    assert window.held_mb_per_s < 0.08 * ALONE_MB
    assert window.carries is True
    assert window.fits is None
    assert window.beside_s == pytest.approx((4 << 40) / MB / window.held_mb_per_s)


def test_no_backup_is_carried_beside_a_demand_that_is_not(ctx: Context, tmp_path: Path) -> None:
    found = [second(n, 40_000.0) for n in range(20)]
    run = judged(ctx, tmp_path, found, backup_bytes=1 << 40)
    window = window_of(run)
    assert window.carries is False
    assert {trial.beside for trial in window.trials} == {"nothing"}
    assert "even with nothing beside it" in window.reason
    assert status(run) == 1


def test_a_migration_writes(ctx: Context, tmp_path: Path) -> None:
    """On storage whose writes take twice as long as its reads."""
    target = "sim:law=constant,mean=2ms,write_mean=4ms"
    found = [second(n, 50.0) for n in range(20)]
    run = judged(ctx, tmp_path, found, target=target, migrate_bytes=1 << 40, slo="p99=100ms")
    assert window_of(run).alone_mb_per_s == pytest.approx(1.048576 / 4e-3, rel=0.02)
    read = judged(ctx, tmp_path, found, target=target, backup_bytes=1 << 40, slo="p99=100ms")
    assert window_of(read).alone_mb_per_s == pytest.approx(1.048576 / 2e-3, rel=0.02)


def test_a_cliff_makes_the_rate_after_it_the_rate(ctx: Context, tmp_path: Path) -> None:
    target = "sim:law=constant,mean=1ms,cliff_ios=3000,cliff_mean=4ms"
    found = [second(n, 50.0) for n in range(20)]
    window = window_of(judged(ctx, tmp_path, found, target=target, migrate_bytes=1 << 40, slo="p99=100ms"))
    assert window.alone_mb_per_s == pytest.approx(1.048576 / 4e-3, rel=0.1)
    assert "until it fell" in window.trials[0].reason


def test_an_interrupt_keeps_what_was_tried_and_says_no_yes(tmp_path: Path) -> None:
    def listen(event: Event) -> None:
        if "beside the demand's mix: " in getattr(event, "message", ""):
            ctx.cancel.set()

    with context(tmp_path / "journals", listen) as ctx:
        run = judged(ctx, tmp_path, backup_bytes=150 * MB * 3600, window_s=3600.0)
    assert run.interrupted
    assert window_of(run).fits is None
    assert len(window_of(run).trials) == 2
    assert "it was interrupted" in window_of(run).reason


def test_without_a_demand_nothing_is_said_of_a_backup(ctx: Context, tmp_path: Path) -> None:
    run = judged(ctx, tmp_path, [second(0, 0.0)], backup_bytes=1 << 40)
    assert window_of(run).carries is None
    assert status(run) == 5


def test_a_file_that_is_not_ours_takes_no_migration(ctx: Context, tmp_path: Path) -> None:
    (tmp_path / "data").write_bytes(bytes(range(256)) * 4 * 65536)
    reads = Workload(
        name="reads", classes=(IoClass(name="small_read", op="read", block_bytes=8192, weight=1.0),)
    )
    wanted = LineSearch(LineRequest(target=str(tmp_path / "data")), reads)
    with work_target(ctx, wanted, Work("migrate", 1 << 40, None)) as (made, refusal):
        assert made.permit is None
        assert refusal is not None
    with work_target(ctx, wanted, Work("backup", 1 << 40, None)) as (_, refusal):
        assert refusal is None


def test_in_a_folder_a_migration_may_write_to_its_scratch_file(ctx: Context, tmp_path: Path) -> None:
    reads = Workload(
        name="reads", classes=(IoClass(name="small_read", op="read", block_bytes=8192, weight=1.0),)
    )
    wanted = LineSearch(LineRequest(target=str(tmp_path), bytes_wanted=64 << 20, direct=False), reads)
    with work_target(ctx, wanted, Work("migrate", 1 << 40, None)) as (made, refusal):
        assert made.permit is not None
        assert refusal is None


@pytest.mark.parametrize(
    ("words", "id"),
    [
        ({"window": "6h"}, "option-idle"),
        ({"backup": "4t", "migrate": "4t"}, "work-twice"),
        ({"backup": "0"}, "not-above-zero"),
        ({"backup": "-4t"}, "size-unreadable"),
        ({"backup": "4t", "window": "0"}, "not-above-zero"),
        ({"backup": "4t", "window": "3s"}, "usage"),
    ],
)
def test_words_that_make_no_window_are_refused(words: dict[str, str], id: str) -> None:
    with pytest.raises(UsageError) as refused:
        AssessRequest.of_words({"target": DISK, "demand": "x.json", **words})
    assert refused.value.id == id
    assert "\n" not in refused.value.message


def test_a_terminal_and_a_page_show_the_trials(ctx: Context, tmp_path: Path) -> None:
    run = judged(ctx, tmp_path, backup_bytes=150 * MB * 3600, window_s=3600.0)
    kind = kinds()["work_window"]
    assert kind.blocks is not None
    assert kind.on_page is not None
    shown = [*kind.blocks(run), *kind.on_page(run)]
    assert [block.kind for block in shown] == ["words", "pairs", "grid", "points", "words"]
    assert kinds()["verdict"].data(run, "verdict")["work_window"]["fits"] is True
