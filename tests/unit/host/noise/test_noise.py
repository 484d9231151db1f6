"""Noise: what each kind counts, that it ends when it is told to, and when nobody is there any more."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from plimsoll.base.errors import Interrupted, WorldError
from plimsoll.context import Cancel
from plimsoll.facts import Plan, PlanGroup, Stretch
from plimsoll.host.noise import Noise, NoisePlace, processes_of, was_made
from plimsoll.host.noise.kinds import Order, load, names
from plimsoll.host.noise.kinds.disk import BLOCK_BYTES
from plimsoll.host.noise.worker import Course
from plimsoll.ports.clock import SystemClock
from plimsoll.ports.own_python import OwnPython
from plimsoll.ports.processes import identity
from plimsoll.requests.host_slice_prove import NOISE_KINDS
from plimsoll.supply.workloads import workload

MIB = 1 << 20
EVERYWHERE = NoisePlace((), frozenset(os.sched_getaffinity(0)))
"""In no group of its own."""


def _plan(folder: Path) -> str:
    path = folder / "written.dat"
    path.write_bytes(os.urandom(4 * MIB))
    reads = PlanGroup.of(workload("randread", BLOCK_BYTES, None), "psync", depth=1, pin=False)
    stretch = Stretch(path=str(path), span_bytes=4 * MIB)
    return Plan(targets=(stretch,), direct=False, groups=(reads,), runtime_s=600.0).model_dump_json()


def _order(kind: str, folder: Path, seconds_max: float | None = 600.0) -> Order:
    return Order(kind, seconds_max, 32 * MIB, _plan(folder) if kind == "disk" else None)


class _After:
    """Says that it is to end at the so manieth look."""

    def __init__(self, looks: int) -> None:
        self._left = looks

    def __call__(self) -> bool:
        self._left -= 1
        return self._left < 0


def _unheard(done: float) -> None:
    pass


def test_what_can_be_asked_for_is_what_there_is() -> None:
    assert sorted(NOISE_KINDS) == names()


@pytest.mark.parametrize("kind", NOISE_KINDS)
def test_each_kind_counts_what_it_did_and_ends_when_it_is_told_to(kind: str, tmp_path: Path) -> None:
    made = Noise(_order(kind, tmp_path), 1, EVERYWHERE, SystemClock())
    with made:
        (number,) = made.process_ids
        assert identity(number) is not None
        while not made.watched.samples:
            made.look()
        seen = made.stopped()
    assert (seen.kind, seen.processes, seen.in_group, seen.samples_outside) == (kind, 1, True, 0)
    assert seen.samples > 0
    assert seen.done >= 0
    assert identity(number) is None


@pytest.mark.parametrize("kind", ["cpu", "memory"])
def test_work_that_was_done_is_counted(kind: str, tmp_path: Path) -> None:
    assert load(kind).work(_order(kind, tmp_path), _After(50), _unheard) > 0


def test_memory_is_counted_by_what_was_copied(tmp_path: Path) -> None:
    assert load("memory").work(_order("memory", tmp_path), _After(5), _unheard) == 5 * (4 * MIB)


def test_bytes_of_disks_and_networks_are_whole_pieces(tmp_path: Path) -> None:
    assert load("disk").work(_order("disk", tmp_path), _After(20), _unheard) % BLOCK_BYTES == 0
    assert load("network").work(_order("network", tmp_path), _After(200), _unheard) > 0


def test_it_ends_by_itself_after_the_longest_time(tmp_path: Path) -> None:
    with Noise(_order("cpu", tmp_path, seconds_max=0.0), 1, EVERYWHERE, SystemClock()) as made:
        seen = made.stopped()
    assert (seen.ended_early, seen.still_s, seen.done >= 0) == (1, None, True)
    assert not was_made(seen)


def test_noise_of_a_disk_that_ends_before_it_is_told_to_is_none(tmp_path: Path) -> None:
    plan = Plan.model_validate_json(_plan(tmp_path)).but(runtime_s=None, ios_max=3)
    order = Order("disk", 600.0, 32 * MIB, plan.model_dump_json())
    with Noise(order, 1, EVERYWHERE, SystemClock()) as made:
        (line,) = [one or made._heard(made._own[0]) for one in made._ended]
        made._ended = [line]
        seen = made.stopped()
    assert (seen.ended_early, seen.done) == (1, 3 * BLOCK_BYTES)
    assert not was_made(seen)


def test_it_goes_on_where_there_is_no_longest_time_and_ends_with_who_asked_for_it(tmp_path: Path) -> None:
    with Noise(_order("cpu", tmp_path, seconds_max=None), 1, EVERYWHERE, SystemClock()) as made:
        while not made.watched.samples:
            made.look()
        seen = made.stopped()
    assert (seen.ended_early, seen.still_s is None) == (0, False)
    with Noise(_order("cpu", tmp_path, seconds_max=None), 1, EVERYWHERE, SystemClock()) as made:
        made._own[0].asks.close()
        assert json.loads(made._heard(made._own[0]))["told"] is True


class _Moments:
    """A clock that says one moment after the other."""

    def __init__(self, *moments: float) -> None:
        self._left = list(moments)

    def monotonic_s(self) -> float:
        return self._left.pop(0)


def test_it_has_begun_with_the_first_that_was_done_and_what_stood_still_is_told() -> None:
    heard: list[str] = []
    course = Course(_Moments(1.0, 3.0, 10.0), lambda: heard.append("begun"))  # pyright: ignore[reportArgumentType]
    course(0.0)
    assert heard == []
    for done in (4.0, 9.0, 9.0):
        course(done)
    assert heard == ["begun"]
    assert json.loads(course.ended(9.0, is_told=True)) == {"done": 9.0, "still_s": 7.0, "told": True}


@pytest.mark.parametrize("kind", NOISE_KINDS)
def test_each_kind_tells_what_it_did_so_far(kind: str, tmp_path: Path) -> None:
    told: list[float] = []
    done = load(kind).work(_order(kind, tmp_path), lambda: len(told) > 3 and told[-1] > 0, told.append)
    assert told == sorted(told)
    assert 0 < told[-1] <= done


def test_it_ends_when_nobody_is_there_any_more(tmp_path: Path) -> None:
    with Noise(_order("cpu", tmp_path), 1, EVERYWHERE, SystemClock()) as made:
        (one,) = made._own
        one.asks.close()
        assert one.process.wait() == 0


def test_a_process_that_is_gone_is_told(tmp_path: Path) -> None:
    with Noise(_order("cpu", tmp_path), 1, EVERYWHERE, SystemClock()) as made:
        made._own[0].process.kill()
        made._own[0].process.wait()
        with pytest.raises(WorldError) as raised:
            made.stopped()
    assert raised.value.id == "noise-failed"


class _Hangs:
    """A process that the kernel does not let end."""

    def __init__(self, process: Any) -> None:
        self._process = process
        self.pid = process.pid

    def kill(self) -> None:
        pass

    def wait(self, timeout: float) -> int:
        return self._process.wait(0)


def test_one_that_does_not_end_keeps_none_of_the_others_and_is_named(tmp_path: Path) -> None:
    made = Noise(_order("cpu", tmp_path), 2, EVERYWHERE, SystemClock())
    with made:
        first, second = made._own
        made._own[0] = OwnPython(_Hangs(first.process), first.asks, first.answers)  # pyright: ignore[reportArgumentType]
        os.kill(first.process.pid, signal.SIGSTOP)
    try:
        assert made.left == [first.process.pid]
        assert second.process.returncode is not None
        assert first.asks.closed
    finally:
        first.process.kill()
        first.process.wait()


def test_a_process_that_says_nothing_is_not_waited_for_for_ever(tmp_path: Path) -> None:
    with Noise(_order("cpu", tmp_path), 1, EVERYWHERE, SystemClock()) as made:
        made.answer_s = 0.0
        with pytest.raises(WorldError) as raised:
            made._heard(made._own[0])
    assert (raised.value.id, "said nothing" in raised.value.message) == ("noise-failed", True)


def test_a_wish_to_end_reaches_whoever_waits_for_a_process(tmp_path: Path) -> None:
    cancel = Cancel()
    with Noise(_order("cpu", tmp_path), 1, EVERYWHERE, SystemClock(), cancel) as made:
        cancel.set()
        with pytest.raises(Interrupted):
            made._heard(made._own[0])


def test_cpus_and_memory_are_loaded_on_every_cpu() -> None:
    assert [processes_of(kind, 6) for kind in NOISE_KINDS] == [6, 6, 1, 1]
