"""The search beside others, on a made-up disk: one queue that both wait in, and the counters that the kernel would show of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from math import log
from pathlib import Path

import pytest

from facts_builder import cell
from plimsoll.base.errors import SafetyError
from plimsoll.context import Cancel
from plimsoll.facts import AtDevices, Cell, LatencyUs, Line
from plimsoll.host.safety import permit_scratch
from plimsoll.ports.clock import VirtualClock
from plimsoll.supply.gentle import STEP, find_gently
from plimsoll.supply.gentle_fill import fill_gently
from plimsoll.supply.guard import Guard
from plimsoll.supply.slo import parse_slo
from plimsoll.supply.trials import Search
from plimsoll.supply.workloads import workload
from simulated import context

SERVICE_US = 500.0
CAPACITY = 1e6 / SERVICE_US
THEIRS = 300.0
RATE_MAX = 1e6


class Disk:
    """An M/M/1 queue: mean time in it is `service / (1 - load)`. `own_trouble` multiplies others' times by their own doing."""

    def __init__(
        self, clock: VirtualClock, theirs: float, own_trouble: Callable[[float], float] = lambda s: 1.0
    ) -> None:
        self.clock, self.theirs, self.own_trouble = clock, theirs, own_trouble
        self.ours = 0.0
        self.at_s = 0.0
        self.ios = self.ms = 0.0
        self.highest_us = 0.0
        """Others' mean latency at its worst through our load, without their own trouble."""

    def mean_us(self) -> float:
        load = min(0.999, (self.theirs + self.ours) / CAPACITY)
        return SERVICE_US / (1 - load)

    def diskstats(self, path: str) -> str:
        """Counters up to this moment, in the form of /proc/diskstats."""
        passed_s = self.clock.monotonic_s() - self.at_s
        self.at_s += passed_s
        ios = (self.theirs + self.ours) * passed_s
        self.ios += ios
        self.ms += ios * self.mean_us() * self.own_trouble(self.at_s) / 1000
        if self.ours and passed_s:
            self.highest_us = max(self.highest_us, self.mean_us())
        return f"8 0 sda {int(self.ios)} 0 {int(self.ios) * 16} {int(self.ms)} 0 0 0 0 0 0 0\n"

    def measure(self, rate: float, runtime_s: float, *_: float, **__: float) -> Cell:
        self.diskstats("")
        self.ours = rate
        self.clock.sleep(runtime_s)
        self.diskstats("")
        mean = self.mean_us()
        self.ours = 0.0
        ios = int(rate * runtime_s)
        spread = LatencyUs(
            count=ios,
            mean=mean,
            min=1.0,
            max=mean * log(100),
            p50=mean * log(2),
            p90=mean * log(10),
            p99=mean * log(100),
        )
        made = cell(rate, workload("randread", 8192)).model_copy(
            update={"ios": ios, "iops": rate, "latency_us": spread}
        )
        only = made.classes[0].model_copy(update={"ios": ios, "latency_us": spread, "service_us": spread})
        moved = AtDevices(
            devices=("sda",), reads=ios, read_bytes=8192 * ios, writes=0, write_bytes=0, device_reads=ios,
            device_read_bytes=8192 * ios, device_writes=0, device_write_bytes=0,
        )  # fmt: skip
        return made.model_copy(
            update={"classes": (only,), "at_devices": moved, "errors": 0, "runtime_s": runtime_s}
        )


def searched(
    slo: str,
    theirs: float = THEIRS,
    rate_max: float = RATE_MAX,
    trouble: Callable[[float], float] = lambda s: 1.0,
) -> tuple[Line, Disk]:
    clock = VirtualClock(datetime(2026, 1, 1, tzinfo=UTC))
    disk = Disk(clock, theirs, trouble)
    guard = Guard(clock, ("sda",), ("postgresql (postgres, process 812)",), read=disk.diskstats)
    guard.look(Cancel())
    search = Search(slo=parse_slo(slo), workload=workload("randread", 8192), start_rate=20.0)
    return find_gently(search, disk.measure, guard, Cancel(), rate_max), disk


def test_the_load_ends_before_others_latency_doubles() -> None:
    """An objective far off: only the others end it."""
    line, disk = searched("p99=1s")
    alone_us = SERVICE_US / (1 - THEIRS / CAPACITY)
    assert line.outcome == "not_limited"
    assert line.shared is not None
    assert line.shared.stopped is not None
    assert "others' latency was" in line.reason
    assert 1.3 * alone_us < disk.highest_us < 2 * alone_us, (
        "it went up until it was felt, and not until it hurt"
    )
    assert line.line_iops == pytest.approx(CAPACITY - THEIRS - 1e6 / (1.4 * alone_us), rel=STEP - 1)


def test_it_steps_up_from_little() -> None:
    line, _ = searched("p99=1s")
    rates = [trial.rate for trial in line.trials]
    assert rates[0] <= 0.1 * THEIRS
    beyond = [later / earlier for earlier, later in pairwise(rates) if earlier > 0.25 * THEIRS]
    assert max(beyond) <= STEP + 1e-9


def test_an_objective_that_is_missed_first_gives_a_line() -> None:
    line, disk = searched("p99=3ms")
    truth = CAPACITY - THEIRS - log(100) / 3e-3
    assert line.outcome == "found"
    assert line.ci95 is not None
    assert line.ci95[0] <= truth <= line.ci95[1]
    assert line.shared is not None
    assert line.shared.stopped is None
    assert disk.highest_us < 2 * SERVICE_US / (1 - THEIRS / CAPACITY)


def test_no_more_is_tried_than_matters() -> None:
    line, _ = searched("p99=1s", rate_max=100.0)
    assert (line.outcome, line.line_iops) == ("not_limited", 100.0)
    assert max(trial.rate for trial in line.trials) == 100.0


def test_a_rise_of_their_own_does_not_end_it() -> None:
    """For ten seconds of every thirty their latency is three times as high, with our load and without."""
    line, _ = searched("p99=3ms", trouble=lambda at_s: 3.0 if at_s % 30 > 20 else 1.0)
    assert line.outcome == "found"


def test_idle_others_are_guarded_by_our_own_latency() -> None:
    line, disk = searched("p99=1s", theirs=0.0)
    assert line.outcome == "not_limited"
    assert disk.highest_us < 2 * SERVICE_US


def test_a_user_who_ends_it_keeps_what_held() -> None:
    clock = VirtualClock(datetime(2026, 1, 1, tzinfo=UTC))
    disk, cancel = Disk(clock, THEIRS), Cancel()
    guard = Guard(clock, ("sda",), read=disk.diskstats)
    search = Search(slo=parse_slo("p99=1s"), workload=workload("randread", 8192), start_rate=20.0)

    def once(rate: float, runtime_s: float, *_: float, **__: float) -> Cell:
        if rate > 60:
            cancel.set()
        return disk.measure(rate, runtime_s)

    line = find_gently(search, once, guard, cancel, RATE_MAX)
    assert line.outcome == "interrupted"
    assert line.line_iops is not None
    assert "interrupted" in line.reason


def test_an_alarm_cuts_a_step_short() -> None:
    """All I/Os of a moment far above what was usual; the user's own wish counts too."""
    clock = VirtualClock(datetime(2026, 1, 1, tzinfo=UTC))
    disk, user = Disk(clock, THEIRS), Cancel()
    guard = Guard(clock, ("sda",), read=disk.diskstats)
    guard.look(user)
    guard.begin()
    step = guard.watched(user)
    clock.sleep(1.0)
    assert not step.is_set
    disk.ours = CAPACITY
    clock.sleep(1.0)
    assert step.is_set
    disk.ours = 0.0
    guard.begin()
    assert not guard.watched(user).is_set
    user.set()
    assert guard.watched(user).is_set


def test_a_fill_waits_for_others_and_gives_up(tmp_path: Path) -> None:
    """`others-slowed`: they do not get back to how they were."""
    clock = VirtualClock(datetime(2026, 1, 1, tzinfo=UTC))
    disk = Disk(clock, THEIRS, lambda at_s: 3.0 if at_s > 6 else 1.0)
    guard = Guard(clock, ("sda",), read=disk.diskstats)
    guard.look(Cancel())
    with context(tmp_path / "journal") as made:
        ctx = replace(made, clock=clock)
        path = ctx.scratch.new_file(tmp_path, "scratch", ".dat")
        permit = permit_scratch(path, ctx.scratch)
        with pytest.raises(SafetyError) as caught:
            fill_gently(ctx, path, 64 << 20, permit, False, guard)
    assert caught.value.id == "others-slowed"
    assert path.exists() is False, "what was written of it is gone"


def test_a_gentle_fill_writes_all_of_it(tmp_path: Path) -> None:
    clock = VirtualClock(datetime(2026, 1, 1, tzinfo=UTC))
    disk = Disk(clock, THEIRS)
    guard = Guard(clock, ("sda",), read=disk.diskstats)
    guard.look(Cancel())
    with context(tmp_path / "journal") as made:
        ctx = replace(made, clock=clock)
        path = ctx.scratch.new_file(tmp_path, "scratch", ".dat")
        fill_gently(ctx, path, 10 << 20, permit_scratch(path, ctx.scratch), False, guard)
        content = path.read_bytes()
    pieces = {content[at : at + 4096] for at in range(0, len(content), 4 << 20)}
    assert len(content) == 10 << 20
    assert len(pieces) == 3, "no piece is a copy of another"
