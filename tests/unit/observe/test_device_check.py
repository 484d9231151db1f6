"""What the probe saw, held against the kernel's counters: the same, apart, and nothing to hold against."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from plimsoll.facts import WatchedDevice
from plimsoll.host.device_counts import DeviceCounts
from plimsoll.observe.block_io import BlockIo
from plimsoll.observe.device_check import FEW_IOS, UNCLEAR, Counters, Disks, Moment, but_for_lost
from seen_io import block_io, reading


def counts(reads: int = 0, writes: int = 0, sectors: int = 0, flushes: int | None = 0) -> DeviceCounts:
    return DeviceCounts(reads, sectors, 0, writes, 0, 0, 0, 0, flushes)


def at(now: DeviceCounts, later: DeviceCounts | None = None, **in_flight: int) -> Moment:
    return Moment({"sda": now}, {"sda": later or now}, in_flight)


def held(
    rows: list[BlockIo],
    end: Moment,
    begin: Moment | None = None,
    sysfs: Path = Path("/nowhere"),
) -> WatchedDevice:
    disks = Disks()
    disks.add(reading(*rows))
    (found,) = disks.held_against(begin or at(counts()), end, sysfs)
    return found


def reads(ios: int, **given: Any) -> BlockIo:
    return block_io(ios=ios, bytes=ios * 512, **given)


def test_counts_that_are_the_same_hold() -> None:
    found = held([reads(1_000)], at(counts(reads=1_000, sectors=1_000)))
    assert (found.held, found.ios, found.ios_counted) == (True, 1_000, 1_000)
    assert (found.bytes, found.bytes_counted) == (512_000, 512_000)


@pytest.mark.parametrize(("seen", "holds"), [(9_901, True), (9_899, False), (10_099, True), (10_102, False)])
def test_counts_may_be_a_hundredth_apart_in_either_direction(seen: int, holds: bool) -> None:
    assert held([reads(seen)], at(counts(reads=10_000, sectors=10_000))).held is holds


@pytest.mark.parametrize(("under_way", "holds"), [(0, False), (1, True)])
def test_a_few_ios_and_those_under_way_at_the_begin_say_nothing(under_way: int, holds: bool) -> None:
    begin = at(counts(), sda=under_way)
    found = held([reads(1)], at(counts(reads=FEW_IOS + 2, sectors=1)), begin)
    assert found.held is holds


def test_what_ended_while_it_was_read_is_on_either_side() -> None:
    """Rows are cut between two looks at the counters: 9,920 to 10,000 ended between both cuts."""
    begin = at(counts(reads=100), counts(reads=140))
    end = at(counts(reads=10_060, sectors=9_950), counts(reads=10_100, sectors=9_950))
    seen = [held([reads(ios)], end, begin) for ios in (9_000, 9_950, 11_000)]
    assert [one.ios_counted for one in seen] == [9_920, 9_950, 10_000]
    assert [one.held for one in seen] == [False, True, False]


def test_a_difference_may_not_hide_in_a_reading_that_took_long() -> None:
    """500 to 900 ended between both cuts: 300 of 900 may be missing, and nobody can say."""
    begin, end = (
        at(*(counts(reads=ios, sectors=ios) for ios in moment)) for moment in ((100, 300), (800, 1_000))
    )
    found = held([reads(600)], end, begin)
    assert (found.held, found.ios_counted) == (None, 600)
    assert found.reason.startswith(
        f"{UNCLEAR}: between 500 and 900 I/Os by the kernel's count; between 256,000"
    )
    assert held([reads(400)], end, begin).held is False, "that is apart whatever ended meanwhile"


def test_a_request_for_a_flush_is_a_write_to_the_kernel_and_its_own_flush_is_counted_apart() -> None:
    rows = [
        block_io(operation="flush-request", ios=100, bytes=0),
        block_io(operation="flush", ios=90, bytes=0),
    ]
    found = held(rows, at(counts(writes=100, flushes=90)))
    assert (found.held, found.ios, found.flushes, found.flushes_counted) == (True, 100, 90, 90)
    assert held(rows, at(counts(writes=100, flushes=200))).held is False
    assert held(rows, at(counts(writes=100, flushes=None))).flushes_counted is None


def test_requests_for_a_flush_that_older_kernels_do_not_tell_of_are_no_doubt_and_said() -> None:
    """Before Linux 6.5 they end without a begin; at another disk, and where every begin is told, they explain nothing."""
    end = at(counts(reads=100, writes=100, sectors=100))

    def of(unbegun: int, event: str | None, device: str = "sda") -> WatchedDevice:
        disks = Disks()
        disks.add(reading(reads(100), begin=event, unbegun_at={device: unbegun}))
        return next(
            one for one in disks.held_against(at(counts()), end, Path("/nowhere")) if one.device == "sda"
        )

    found = of(120, "block_rq_insert")
    assert (found.held, found.ios, found.ios_counted) == (True, 100, 200)
    assert "100 more, which may be requests for a flush" in found.reason
    assert of(70, None).held is False
    assert of(120, "block_io_start").held is False
    assert of(120, "block_rq_insert", device="sdb").held is False


def test_what_the_kernel_may_or_may_not_count_as_writes_is_no_doubt() -> None:
    rows = [reads(100), block_io(operation="other", ios=500, bytes=0)]
    ends = [at(counts(reads=100, writes=writes, sectors=100)) for writes in (0, 500, 600)]
    assert [held(rows, end).held for end in ends] == [True, True, False]


def test_what_is_forgiven_of_bytes_follows_from_the_size_of_the_ios() -> None:
    """All of 2,000 I/Os of 8 KiB were seen, and none of their bytes."""
    end = at(counts(reads=2_000, sectors=2_000 * 16))
    assert held([block_io(ios=2_000, bytes=0)], end).held is False
    assert held([block_io(ios=2_000, bytes=1_985 * 8_192)], end).held


def test_what_was_not_seen_at_all_is_told() -> None:
    found = held([], at(counts(reads=1_000)))
    assert found.held is False
    assert "0 I/Os were seen and the kernel counts 1,000, 100 % apart" in found.reason


def test_disks_at_which_nothing_happened_are_left_out() -> None:
    assert Disks().held_against(at(counts(reads=7)), at(counts(reads=7)), Path("/nowhere")) == ()


@pytest.mark.parametrize(
    ("begin", "end", "said"),
    [
        (Moment({}, {}), at(counts(reads=9)), "it was not there at the begin"),
        (at(counts(reads=9)), Moment({}, {}), "it was gone at the end"),
        (at(counts(reads=9)), at(counts(reads=3)), "another disk took its name meanwhile"),
    ],
)
def test_a_disk_that_came_or_went_is_neither_the_same_nor_apart(
    begin: Moment, end: Moment, said: str
) -> None:
    found = held([reads(50)], end, begin)
    assert (found.held, found.ios_counted, found.reason) == (None, None, said)


def test_a_disk_that_does_not_count_is_neither_the_same_nor_apart(tmp_path: Path) -> None:
    (tmp_path / "sda" / "queue").mkdir(parents=True)
    (tmp_path / "sda" / "queue" / "iostats").write_text("0\n")
    assert "queue/iostats" in held([reads(50)], at(counts()), sysfs=tmp_path).reason


def test_a_disk_above_others_is_not_held_against_what_is_seen_beneath(tmp_path: Path) -> None:
    (tmp_path / "sda" / "slaves" / "sdb").mkdir(parents=True)
    end = at(counts(reads=1_000))
    disks = Disks()
    assert disks.held_against(at(counts()), end, tmp_path) == ()
    assert held([reads(1)], end, sysfs=tmp_path).reason == "it lies on sdb, where its I/Os are seen"
    (tmp_path / "sda" / "mq").mkdir()
    (found,) = disks.held_against(at(counts()), end, tmp_path)
    assert found.held is False


def test_a_disk_whose_driver_makes_no_requests_is_told(tmp_path: Path) -> None:
    """Such as zram: nothing lies beneath it, so its I/Os are seen nowhere."""
    (tmp_path / "sda").mkdir()
    (found,) = Disks().held_against(at(counts()), at(counts(reads=1_000)), tmp_path)
    assert (found.held, found.ios, found.ios_counted) == (None, 0, 1_000)
    assert "I/O there is not seen" in found.reason


def test_counters_and_what_is_under_way_are_read(tmp_path: Path) -> None:
    line = " 254 0 vda 11 0 22 1 33 0 44 2 5 6 7 0 0 0 0 8 9\n"
    path = tmp_path / "diskstats"
    path.write_text(line)
    counters = Counters(str(path))
    assert counters.in_flight() == {"vda": 5}
    assert (counters.read()["vda"].reads, counters.read()["vda"].flushes) == (11, 8)
    assert Counters(str(tmp_path / "none")).read() == {}


def test_what_is_known_to_be_missing_is_no_difference() -> None:
    found = held([reads(600)], at(counts(reads=1_000, sectors=1_000)))
    assert found.held is False
    assert but_for_lost(found, 399).held is False, "one more is missing"
    lost = but_for_lost(found, 400)
    assert (lost.held, lost.reason) == (None, "400 I/Os are missing, of 400 for which the kernel had no room")


def test_one_large_io_between_two_looks_is_no_difference() -> None:
    """Many small ones, and a write of 1 MiB that the kernel had counted already."""
    rows = [
        block_io(ios=1_000, bytes=1_000 * 4_096, sizes=((4_096, 1_000),)),
        block_io(ios=9, bytes=9 << 20, sizes=((1 << 20, 9),)),
    ]
    end = at(counts(reads=1_010, sectors=(1_000 * 4_096 + (10 << 20)) // 512))
    assert held(rows, end).held
