"""The device's own counters say whether what we did is what it did."""

from __future__ import annotations

from typing import Any

import pytest

import facts_builder
from plimsoll.facts import Arrivals, AtDevices, Check, IoClass, Workload
from plimsoll.supply.checks import others, reached
from simulated_cells import reads

MB = 1_000_000
SAME = AtDevices(
    devices=("sda",), reads=10_000, read_bytes=80 * MB, writes=1_000, write_bytes=8 * MB,
    device_reads=10_000, device_read_bytes=80 * MB, device_writes=1_000, device_write_bytes=8 * MB,
)  # fmt: skip


def judged(check: Any, found: AtDevices | None, **changes: Any) -> Check | None:
    base = {"at_devices": found, "direct": True, "runtime_s": 10.0, "warm_up_s": 0.0}
    cell = facts_builder.cell(None, reads()).model_copy(update=base | changes)
    verdict = check.judge(cell, facts_builder.target())
    assert verdict is None or isinstance(verdict, Check)
    return verdict


def passed(check: Any, **counted: Any) -> bool | None:
    verdict = judged(check, SAME.model_copy(update=counted))
    assert verdict is not None
    return verdict.passed


def test_what_the_device_counted_is_said_beside_what_we_did() -> None:
    verdict = judged(reached.CHECK, SAME)
    assert verdict is not None
    assert verdict.passed is True
    assert verdict.reason == "sda counted 11,000 I/Os and 88.0 MB, we 11,000 and 88.0 MB"
    assert verdict.figures == {"ios": 11_000, "bytes": 88 * MB, "device_ios": 11_000, "device_bytes": 88 * MB}


@pytest.mark.parametrize("kind", ["read", "write"])
def test_fewer_ios_for_the_same_bytes_were_merged_and_that_decides(kind: str) -> None:
    assert reached.CHECK.decides
    merged = SAME.model_copy(update={f"device_{kind}s": 700})
    verdict = judged(reached.CHECK, merged)
    assert verdict is not None
    assert verdict.passed is False
    assert verdict.reason.endswith("the kernel made one I/O of neighbouring ones")
    allowed = judged(reached.CHECK, merged, merge=True)
    assert allowed is not None
    assert allowed.passed is True
    assert "--merge" in allowed.reason


def test_at_a_mount_bytes_alone_decide() -> None:
    """Some requests of a client are in no count of its own, as READ_PLUS or what goes to another server."""
    assert passed(reached.CHECK, device_reads=0, of_mounts=True) is True
    assert passed(reached.CHECK, device_reads=0, device_read_bytes=0, of_mounts=True) is False


@pytest.mark.parametrize("kind", ["read", "write"])
def test_fewer_bytes_were_answered_above_the_device(kind: str) -> None:
    ours = SAME.read_bytes if kind == "read" else SAME.write_bytes
    assert passed(reached.CHECK, **{f"device_{kind}_bytes": round(0.981 * ours)}) is True
    assert passed(reached.CHECK, **{f"device_{kind}_bytes": round(0.979 * ours)}) is False


def test_others_and_parts_of_split_ios_make_the_device_count_more() -> None:
    assert passed(reached.CHECK, device_reads=50_000, device_writes=9_000) is True
    assert passed(others.CHECK, device_reads=50_000, device_writes=9_000) is True
    assert passed(reached.CHECK, device_read_bytes=500 * MB) is True


def test_more_ios_of_the_same_bytes_have_a_cause() -> None:
    doubled = judged(reached.CHECK, SAME.model_copy(update={"device_writes": 2_000}))
    assert doubled is not None
    assert doubled.passed is True
    assert doubled.reason.endswith("of one that is too large for the device, and of a durable write")
    beside = judged(
        reached.CHECK, SAME.model_copy(update={"device_writes": 2_000, "device_write_bytes": 16 * MB})
    )
    assert beside is not None
    assert beside.reason.endswith("we 11,000 and 88.0 MB"), "others, whose own check tells of them"


def test_more_bytes_than_ours_are_others_or_our_own_that_multiplied() -> None:
    assert passed(others.CHECK, device_write_bytes=9 * MB) is True
    assert passed(others.CHECK, device_write_bytes=20 * MB) is None
    busy = judged(
        others.CHECK, SAME.model_copy(update={"device_write_bytes": 20 * MB, "others_bytes_per_s": 1.1 * MB})
    )
    quiet = judged(
        others.CHECK, SAME.model_copy(update={"device_write_bytes": 20 * MB, "others_bytes_per_s": 0.0})
    )
    assert busy is not None
    assert quiet is not None
    assert (busy.passed, quiet.passed) == (False, False)
    assert "others are at work there, 1.1 MB/s" in busy.reason
    assert "makes more than itself" in quiet.reason


@pytest.mark.parametrize(("kind", "told"), [("file", True), ("scratch", True), ("device", False)])
def test_only_file_systems_make_more_of_an_io_than_itself(kind: str, told: bool) -> None:
    """On a raw device it was said of a neighbour that came and left."""
    more = SAME.model_copy(update={"device_write_bytes": 20 * MB, "others_bytes_per_s": 0.0})
    made = facts_builder.cell(None, reads()).model_copy(update={"at_devices": more, "direct": True})
    check = others.CHECK.judge(made, facts_builder.target().model_copy(update={"kind": kind}))
    assert check is not None
    assert check.passed is False
    assert "may have been a neighbour that has left" in check.reason
    assert ("makes more than itself" in check.reason) is told


@pytest.mark.parametrize(("failed", "passed"), [(1_500, None), (100, False)])
def test_our_own_ios_that_failed_are_no_neighbour(failed: int, passed: bool | None) -> None:
    """The device counts what it was asked for, and we what we were given."""
    more = SAME.model_copy(update={"device_read_bytes": SAME.read_bytes + 12 * MB, "others_bytes_per_s": 0.0})
    made = facts_builder.cell(None, reads())
    (io,) = made.classes
    classes = (io.model_copy(update={"errors": failed, "block_bytes": 8192}),)
    made = made.model_copy(update={"at_devices": more, "direct": True, "classes": classes})
    check = others.CHECK.judge(made, facts_builder.target())
    assert check is not None
    assert check.passed is passed
    assert (
        f"our own {failed:,} I/Os that failed asked for {failed * 8192 / 1e6:,.1f} MB of it at most"
        in check.reason
    )


@pytest.mark.parametrize("check", [reached.CHECK, others.CHECK])
def test_without_counters_and_through_the_page_cache_there_is_no_verdict(check: Any) -> None:
    assert judged(check, None) is None
    assert judged(check, SAME, direct=False) is None
    assert judged(check, SAME.model_copy(update={"reads": 0, "writes": 0})) is None


@pytest.mark.parametrize(
    ("arrivals", "scans", "right"),
    [("poisson", 600, True), ("poisson", 300, False), ("closed", 600, False)],
)
def test_scans_within_a_mix_at_a_rate_may_be_merged_among_themselves(
    arrivals: str, scans: int, right: bool
) -> None:
    """Of 10,000 reads 500 are lacking: as many as the scans can account for, or more."""
    mix = Workload(
        name="demand",
        classes=(
            IoClass(name="small_read", op="read", block_bytes=8192, weight=9),
            IoClass(name="large_read", op="read", pattern="sequential", block_bytes=131072, weight=1),
        ),
    )
    one = facts_builder.cell(None, mix)
    classes = tuple(
        result.model_copy(update={"ios": scans if result.name == "large_read" else 10_000 - scans})
        for result in one.classes
    )
    at = Arrivals() if arrivals == "closed" else Arrivals(kind="poisson", rate_per_s=1000.0)
    cell = one.model_copy(
        update={
            "at_devices": SAME.model_copy(update={"device_reads": 9_500}),
            "direct": True,
            "arrivals": at,
            "workload": mix,
            "classes": classes,
        }
    )
    verdict = reached.CHECK.judge(cell, facts_builder.target())
    assert isinstance(verdict, Check)
    assert verdict.passed is right
    alone = Workload(name="scan", classes=mix.classes[1:])
    strict = reached.CHECK.judge(cell.model_copy(update={"workload": alone}), facts_builder.target())
    assert isinstance(strict, Check)
    assert not strict.passed
