"""What the kernel shares a disk by: that an I/O costs there what it was measured to take, and how far it may go."""

from __future__ import annotations

import pytest

from plimsoll.facts import SliceDisk
from plimsoll.placement.slices.cost_model import CostModel, cost_model
from sliced_hosts import rates

MIB, PAGE = 1 << 20, 4096


def _disk(iops: float, mb_per_s: float, **more: object) -> SliceDisk:
    names = ("read_iops", "sequential_read_iops", "write_iops", "sequential_write_iops")
    return rates(
        **dict.fromkeys(names, iops), **dict.fromkeys(("read_mb_per_s", "write_mb_per_s"), mb_per_s), **more
    )


def _costs(model: CostModel, io_bytes: int, pieces: int = 1) -> float:
    """Seconds of reads in sequence, as blk-iocost.c has it (`calc_lcoefs`, `calc_vtime_cost_builtin`)."""
    page_s = PAGE / model.read_bytes_per_s
    first_s = max(1 / model.sequential_read_iops - page_s, 0.0)
    return pieces * first_s + io_bytes / PAGE * page_s


@pytest.mark.parametrize(
    ("iops", "mb_per_s", "io_bytes_max", "pieces"),
    [
        (120_000.0, 2_000.0, None, 1),
        (3_000.0, 125.0, MIB, 1),
        (3_000.0, 125.0, 256 << 10, 4),
        (400.0, 12.0, 512 << 10, 2),
        (400.0, 200.0, 512 << 10, 2),
        (150.0, 90.0, 1280 << 10, 1),
        (40_000.0, 120.0, 128 << 10, 8),
    ],
)
def test_small_and_large_reads_cost_what_they_were_measured_to_take(
    iops: float, mb_per_s: float, io_bytes_max: int | None, pieces: int
) -> None:
    model = cost_model(_disk(iops, mb_per_s, io_bytes_max=io_bytes_max), "/dev/x")
    large_s = MIB / (mb_per_s * 1e6)
    assert _costs(model, MIB, pieces) == pytest.approx(large_s, rel=0.01)
    if PAGE / (mb_per_s * 1e6) < 1 / iops:
        assert _costs(model, PAGE) == pytest.approx(1 / iops, rel=0.01)


def test_megabytes_as_they_are_would_charge_a_large_read_its_own_cost_twice() -> None:
    """A volume of 3,000 I/Os and 125 MB per second then gives 120; one of 400 I/Os of any size, half of what it can."""
    for iops, mb_per_s, charged in ((3_000, 125.0, 1.04), (400, 400 * MIB / 1e6, 2.0)):
        plain = CostModel("/dev/x", round(mb_per_s * 1e6), iops, iops, round(mb_per_s * 1e6), iops, iops)
        assert _costs(plain, MIB) * mb_per_s * 1e6 / MIB == pytest.approx(charged, rel=0.01)


def test_a_disk_that_takes_as_long_whatever_the_size_has_no_cost_by_the_page() -> None:
    model = cost_model(_disk(400, 400 * MIB / 1e6), "/dev/x")
    assert model.read_bytes_per_s == model.write_bytes_per_s == 10**12
    assert _costs(model, MIB) == pytest.approx(1 / 400, rel=0.01)


@pytest.mark.parametrize(
    ("iops", "latency_us"),
    [(90_000, 25_000), (4_000, 25_000), (1_000, 100_000), (400, 250_000), (80, 500_000)],
)
def test_the_kernel_looks_after_it_as_seldom_as_the_disk_is_slow(iops: int, latency_us: int) -> None:
    service = cost_model(_disk(iops, 100.0), "/dev/x").service
    told = dict(word.split("=") for word in service.split())
    assert (told["enable"], told["ctrl"], told["rpct"], told["wpct"]) == ("1", "user", "0", "0")
    assert told["rlat"] == told["wlat"] == str(latency_us)
    assert (told["min"], told["max"]) == ("50.00", "95.00")
