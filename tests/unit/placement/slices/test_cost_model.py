"""What the kernel shares a disk by: that an I/O costs there what it was measured to take, and how far it may go."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.facts import SliceDisk
from plimsoll.placement.slices.cost_model import CostModel, cost_model, what_groups_have
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


_IOPS = st.floats(1.0, 1e7)
_MB_PER_S = st.floats(1.0, 1e6)
_SIZES = st.none() | st.integers(512, 4 << 20)


@given(_IOPS, _IOPS, _MB_PER_S, _SIZES, st.floats(1e-6, 1.0))
def test_a_share_has_each_io_cost_so_many_times_as_much(
    iops: float, sequential_iops: float, mb_per_s: float, io_bytes_max: int | None, share: float
) -> None:
    """The numbers are linear in the share, but for what the kernel has no fraction or no number of; none of them is ever 0."""
    disk = rates(
        read_iops=iops,
        sequential_read_iops=sequential_iops,
        read_mb_per_s=mb_per_s,
        io_bytes_max=io_bytes_max,
    )
    whole, part = cost_model(disk, "/dev/x"), cost_model(disk.but(rate_share=share), "/dev/x")
    for of_whole, of_part in zip(_numbers(whole), _numbers(part), strict=True):
        assert 1 <= of_part <= of_whole
        if of_whole < 10**12:
            assert of_part == pytest.approx(max(1, of_whole * share), rel=1e-6, abs=1)
        else:
            assert of_part >= round(of_whole * share)


def _numbers(model: CostModel) -> tuple[int, ...]:
    reads = (model.read_bytes_per_s, model.sequential_read_iops, model.read_iops)
    return (*reads, model.write_bytes_per_s, model.sequential_write_iops, model.write_iops)


def test_a_large_read_costs_as_many_times_as_much_as_a_small_one() -> None:
    disk = _disk(400.0, 12.0, io_bytes_max=512 << 10)
    whole, part = cost_model(disk, "/dev/x"), cost_model(disk.but(rate_share=0.5), "/dev/x")
    for io_bytes, pieces in ((PAGE, 1), (MIB, 2)):
        costs = [_costs(model, io_bytes, pieces) for model in (whole, part)]
        assert costs[1] / costs[0] == pytest.approx(2, rel=0.01)


def test_a_period_has_room_for_as_many_of_the_ios_that_the_kernel_lets_through() -> None:
    """By what it is told, and not by what the disk gives."""
    assert "rlat=250000" in cost_model(_disk(800.0, 100.0, rate_share=0.5), "/dev/x").service
    assert "rlat=125000" in cost_model(_disk(800.0, 100.0), "/dev/x").service


def test_what_groups_have_of_a_disk_is_told_as_the_kernel_has_it() -> None:
    said = what_groups_have(rates(rate_share=0.6))
    assert "together are held to 57 % of its rates (rate_share 0.6), which weights divide" in said
    assert (
        "one alone may have all of that, and no more; a cap on one slice is io.max, and this is none" in said
    )
    assert "together are held to 95 % of its rates, which" in what_groups_have(rates())
    assert "rate_share" not in what_groups_have(rates())
