"""Reads that are as large as what the kernel reads ahead, from rows of the watch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from facts_watch import row
from plimsoll.facts import BindingLimit
from plimsoll.observe.limits import LimitWatch

AHEAD = 128 << 10


def looked(root: Path, ahead_kib: int = 128, most_kib: int = 1_280, **given: Any) -> tuple[BindingLimit, ...]:
    queue = root / "sys/block/sda/queue"
    queue.mkdir(parents=True, exist_ok=True)
    (queue / "read_ahead_kb").write_text(f"{ahead_kib}\n")
    (queue / "max_sectors_kb").write_text(f"{most_kib}\n")
    read = {
        "operation": "read",
        "file_kind": "inode",
        "ios": 200,
        "size_bytes_mean": 0.95 * AHEAD,
        "role": "client backend",
    }
    limits = LimitWatch(root)
    limits.look([row(**{**read, **given})])
    return limits.binding()


def test_reads_that_are_no_larger_than_what_is_read_ahead_are_told(tmp_path: Path) -> None:
    (found,) = looked(tmp_path)
    assert (found.name, found.of, found.value, found.used_max) == (
        "read_ahead_kb",
        "sda",
        AHEAD,
        round(0.95 * AHEAD),
    )
    assert "echo 512 > /sys/block/sda/queue/read_ahead_kb" in found.advice
    assert "Reads by client backend" in found.advice
    assert "If these reads are in order" in found.advice
    assert looked(tmp_path, file_kind="device", file=None, inode_number=None), (
        "reads of the disk by its node too"
    )
    (found,) = looked(tmp_path, most_kib=256)
    assert "echo 256 >" in found.advice, "a read cannot be larger than a request"


@pytest.mark.parametrize(
    "given",
    [
        {"size_bytes_mean": 0.89 * AHEAD},
        {"operation": "write"},
        {"file_kind": "unknown"},
        {"ios": 19},
        {"most_kib": 128},
        {"ahead_kib": 0},
        {"device": "sdz"},
    ],
    ids=str,
)
def test_else_none_is(tmp_path: Path, given: dict[str, Any]) -> None:
    assert looked(tmp_path, **given) == ()


def test_the_read_ahead_of_a_disk_says_nothing_of_the_volumes_on_it(tmp_path: Path) -> None:
    part = tmp_path / "sys/block/sda/sda2"
    (part / "holders/dm-0").mkdir(parents=True)
    (part / "partition").write_text("2\n")
    assert looked(tmp_path) == ()


@pytest.mark.parametrize(("ahead_kib", "told"), [(127, 0), (128, 1)])
def test_a_small_read_ahead_was_chosen_and_reads_of_its_size_say_nothing(
    tmp_path: Path, ahead_kib: int, told: int
) -> None:
    assert len(looked(tmp_path, ahead_kib=ahead_kib, size_bytes_mean=float(ahead_kib << 10))) == told


def test_without_rows_nothing_is_told(tmp_path: Path) -> None:
    looked(tmp_path)
    limits = LimitWatch(tmp_path)
    limits.look()
    assert limits.binding() == ()
