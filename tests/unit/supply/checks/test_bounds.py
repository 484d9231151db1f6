"""What no wire, no medium and no disk can do."""

from __future__ import annotations

from typing import Any

import pytest

import facts_builder
from plimsoll.facts import Check, FileSystem, LatencyUs, Target
from plimsoll.host.links import Link
from plimsoll.supply.checks import bounds
from simulated_cells import reads as reads_

LINK = Link("PCIe 8 GT/s × 4", 3938.0)


@pytest.fixture(autouse=True)
def _machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "link_of", lambda target: None)
    monkeypatch.setattr(bounds, "copy_mb_per_s", lambda: 9000.0)


def judged(target: Target | None = None, **changes: Any) -> Check | None:
    base = {
        "iops": 50_000.0,
        "mb_per_s": 400.0,
        "latency_us": LatencyUs(count=9, p50=80.0),
        "service_us": None,
    }
    cell = facts_builder.cell(None, reads_()).model_copy(update=base | changes)
    return bounds.CHECK.judge(cell, target or facts_builder.target())


def verdict(target: Target | None = None, **changes: Any) -> tuple[bool | None, str]:
    check = judged(target, **changes)
    assert check is not None
    return check.passed, check.reason


def test_a_plausible_number_passes() -> None:
    assert verdict() == (True, "slower than memory, and than any medium")


@pytest.mark.parametrize(("p50", "passed"), [(1.9, False), (2.0, True), (None, True)])
def test_half_of_the_ios_below_two_microseconds_is_memory(p50: float | None, passed: bool) -> None:
    assert verdict(latency_us=LatencyUs(count=9, p50=p50))[0] is passed


def test_in_an_open_loop_the_service_time_counts() -> None:
    fast, slow = LatencyUs(count=9, p50=1.0), LatencyUs(count=9, p50=100.0)
    assert verdict(latency_us=slow, service_us=fast)[0] is False
    assert verdict(latency_us=fast, service_us=slow)[0] is True


@pytest.mark.parametrize(("mb_per_s", "passed"), [(3938.0, True), (4010.0, True), (4020.0, False)])
def test_more_than_the_wire_carries_is_a_cache(
    mb_per_s: float, passed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "link_of", lambda target: LINK)
    check = judged(mb_per_s=mb_per_s)
    assert check is not None
    assert check.passed is passed
    assert check.figures["link_mb_per_s"] == 3938.0
    assert LINK.words in check.reason


def mixed(reads: float, writes: float) -> dict[str, Any]:
    """Reads and writes of so many MB/s."""
    made = facts_builder.cell(None, reads_()).classes[0]
    classes = tuple(
        made.model_copy(update={"name": op, "op": op, "mb_per_s": rate})
        for op, rate in (("read", reads), ("write", writes))
    )
    return {"classes": classes, "mb_per_s": reads + writes}


@pytest.mark.parametrize(
    ("link", "reads", "writes", "passed"),
    [
        (Link("8GFC", 826.0), 800.0, 800.0, True),
        (Link("8GFC", 826.0), 900.0, 100.0, False),
        (Link("8GFC", 826.0), 100.0, 900.0, False),
        (Link("8GFC", 826.0, copies=2), 800.0, 400.0, True),
        (Link("8GFC", 826.0, copies=2), 0.0, 500.0, False),
        (Link("SATA 6.0 Gbit/s", 600.0, duplex=False), 400.0, 300.0, False),
        (Link("SATA 6.0 Gbit/s", 600.0, duplex=False), 300.0, 290.0, True),
    ],
)
def test_both_directions_are_held_against_the_link_as_it_carries_them(
    link: Link, reads: float, writes: float, passed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "link_of", lambda target: link)
    check = judged(**mixed(reads, writes))
    assert check is not None
    assert check.passed is passed, check.reason


def test_as_fast_as_memory_over_an_unknown_wire_is_open() -> None:
    assert verdict(mb_per_s=8999.0)[0] is True
    passed, reason = verdict(mb_per_s=9000.0)
    assert passed is None
    assert "9,000 MB/s" in reason


def on_tmpfs() -> Target:
    mounted = FileSystem(kind="tmpfs", mount_point="/dev/shm", options="rw", source="tmpfs")
    return facts_builder.target().model_copy(update={"file_system": mounted, "device": None})


@pytest.mark.parametrize("kind", ["ram0", "zram1"])
def test_memory_at_memory_speed_is_named(kind: str) -> None:
    device = facts_builder.target().device
    assert device is not None
    disk = facts_builder.target().model_copy(update={"device": device.model_copy(update={"name": kind})})
    for target in (on_tmpfs(), disk):
        passed, reason = verdict(target)
        assert passed is False
        assert "memory" in reason


def test_memory_that_is_held_back_is_judged_by_what_it_does() -> None:
    assert verdict(on_tmpfs(), iops=2_000.0, mb_per_s=16.0)[0] is True
    assert verdict(on_tmpfs(), iops=2_000.0, mb_per_s=1_100.0)[0] is False


@pytest.mark.parametrize("changes", [{"engine": "sim"}, {"engine": "null"}, {"ios": 0}])
def test_what_did_no_real_io_has_no_bounds(changes: dict[str, Any]) -> None:
    assert judged(**changes) is None
