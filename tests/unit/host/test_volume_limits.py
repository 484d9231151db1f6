"""The log of an Amazon EBS volume, and what is no such log."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from plimsoll.host.volume_limits import LimitTimes, limit_times, times_in
from plimsoll.ports import nvme

MAGIC = 0x3C23B510


def page(*counters: int, magic: int = MAGIC) -> bytes:
    """By offset: 0 the magic number, from 8 on eleven counters of eight bytes, the times at 56, 64, 72 and 80."""
    return (struct.pack("<II", magic, 0) + b"".join(struct.pack("<Q", one) for one in counters)).ljust(
        4096, b"\0"
    )


def test_the_times_stand_behind_counts_and_bytes() -> None:
    whole = bytearray(page(*range(1, 12)))
    assert times_in(bytes(whole)) == LimitTimes(7, 8, 9, 10)
    struct.pack_into("<Q", whole, 56, 1 << 40)
    assert times_in(bytes(whole)) == LimitTimes(1 << 40, 8, 9, 10)


@pytest.mark.parametrize("other", [b"", page(1, magic=1), page(*range(11))[:80]])
def test_another_log_tells_nothing(other: bytes) -> None:
    assert times_in(other) is None


def test_the_limit_that_was_exceeded_longest_counts() -> None:
    before = LimitTimes(1_000_000, 0, 0, 200_000)
    assert LimitTimes(1_250_000, 0, 0, 900_000).share_since(before, 2.0) == pytest.approx(0.35)
    assert LimitTimes(9_000_000, 0, 0, 200_000).share_since(before, 2.0) == 1.0
    assert before.share_since(before, 2.0) == 0.0
    assert LimitTimes(0, 0, 0, 0).share_since(before, 2.0) is None, "another volume has taken its name"


def test_what_is_no_nvme_device_has_no_log(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")
    assert nvme.log_page(tmp_path / "file", 0xD0, 4096) is None
    assert nvme.log_page(tmp_path / "gone", 0xD0, 4096) is None
    assert nvme.log_page(Path("/dev/null"), 0xD0, 4096) is None


def test_storage_of_another_maker_is_not_asked(tmp_path: Path) -> None:
    assert limit_times(tmp_path) == {}
