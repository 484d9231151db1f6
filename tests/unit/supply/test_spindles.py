"""The arithmetic of spindles, against the arrays that its rules of thumb were seen on."""

from __future__ import annotations

import pytest

from plimsoll.base.errors import UsageError
from plimsoll.supply.spindles import IOPS_PER_SPINDLE, RAIDS, expectation


@pytest.mark.parametrize(
    ("spindles", "disk_type", "raid", "said", "within"),
    [
        (24, "sas", "asm-normal", 5_000, 0.05),
        (400, "sata", "asm-normal", 40_000, 0.0),
        (72, "sata", "raid-dp", 5_000, 0.16),
    ],
)
def test_random_reads_of_known_arrays(
    spindles: int, disk_type: str, raid: str, said: float, within: float
) -> None:
    assert expectation(spindles, disk_type, raid).iops == pytest.approx(said, rel=within)


@pytest.mark.parametrize(
    ("raid", "penalty"),
    [
        ("raid0", 1),
        ("raid1", 2),
        ("raid10", 2),
        ("raid5", 4),
        ("raid6", 6),
        ("asm-normal", 2),
        ("asm-high", 3),
    ],
)
def test_writes_cost_what_the_raid_level_says(raid: str, penalty: float) -> None:
    assert expectation(10, "sas", raid, read_share=0.0).iops == pytest.approx(2_000 / penalty)
    mixed = expectation(10, "sas", raid, read_share=0.75)
    assert mixed.iops == pytest.approx(2_000 / (0.75 + 0.25 * penalty))
    assert mixed.write_penalty == penalty


def test_the_reason_is_the_arithmetic() -> None:
    said = expectation(8, "sas", "raid5", read_share=0.7).reason
    assert said == (
        "8 sas disks × 200 I/Os per second ÷ 1.9 for 70 % reads and 30 % writes × 4, as a write reads and writes data and parity"
    )


@pytest.mark.parametrize("disk_type", ["ssd", "nvme", "10k"])
def test_what_no_rule_of_thumb_covers_is_unknown(disk_type: str) -> None:
    found = expectation(12, disk_type)
    assert (found.iops, found.iops_per_spindle) == (None, None)
    assert disk_type in found.reason


def test_random_writes_on_raid_dp_are_unknown_and_reads_are_not() -> None:
    assert expectation(20, "sata", "raid-dp", 0.9).iops is None
    assert expectation(20, "sata", "raid-dp", 1.0).iops == 1_600


@pytest.mark.parametrize(
    ("asked", "words"),
    [((0, "sas", "raid0"), "0 disks"), ((4, "floppy", "raid0"), "floppy"), ((4, "sas", "raid7"), "raid7")],
)
def test_what_cannot_be_is_refused(asked: tuple[int, str, str], words: str) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        expectation(*asked)
    assert caught.value.id == "spindles-unfit"


def test_every_kind_of_disk_goes_with_every_raid_level() -> None:
    for disk_type in IOPS_PER_SPINDLE:
        for raid in RAIDS:
            found = expectation(4, disk_type, raid, 0.5)
            assert found.iops is None or 0 < found.iops <= 4 * (found.iops_per_spindle or 0)
