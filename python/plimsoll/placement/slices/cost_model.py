"""What the kernel shares a disk by: `io.cost.model` and `io.cost.qos`, made of what the disk was measured to give.

The kernel takes an I/O to cost so much by itself, more at a random place than in sequence, and so much for each page of 4 KiB
(Documentation/admin-guide/cgroup-v2.rst, "IO Interface Files"; block/blk-iocost.c, `calc_lcoefs`): the cost of an I/O of 4 KiB is
1 ÷ its rate, and that of a page is 4 KiB ÷ `rbps`. A large I/O so costs its pages and what it costs by itself, for each piece that
the kernel cuts it into. `rbps` is therefore that which has 1 MiB cost what it was measured to take, not the MB/s themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from plimsoll.base.units import format_share
from plimsoll.facts import SliceDisk
from plimsoll.placement.slices.disk_tables import RATES

_BYTES_PER_MB = 1e6
_PAGE_BYTES, LARGE_BYTES = 4 << 10, 1 << 20
_PAGES = LARGE_BYTES // _PAGE_BYTES
_BYTES_PER_S_MAX = 10**12
"""A disk that takes as long for 1 MiB as for 4 KiB has no cost by the page, which the kernel has no number for."""
_COSTS_PER_PERIOD, _US = 100, 1_000_000
_LATENCY_US_MIN, _LATENCY_US_MAX = 25_000, 500_000
"""What the kernel takes itself for flash is the former; its longest period, of 1 s, is twice the latter (blk-iocost.c, `autop`,
MAX_PERIOD)."""
SHARE_MIN, SHARE_MAX = 50, 95
"""In percent of the measured rates, by which the kernel may go."""


@dataclass(frozen=True)
class CostModel:
    """Rates at which a disk is busy all the time, reads and writes apart."""

    device: str
    read_bytes_per_s: int
    sequential_read_iops: int
    read_iops: int
    write_bytes_per_s: int
    sequential_write_iops: int
    write_iops: int
    rate_share: float = 1.0
    """How much of what the disk gives these are."""

    @property
    def model(self) -> str:
        """As `io.cost.model` takes it, behind the disk's number."""
        reads = (
            f"rbps={self.read_bytes_per_s} rseqiops={self.sequential_read_iops} rrandiops={self.read_iops}"
        )
        writes = (
            f"wbps={self.write_bytes_per_s} wseqiops={self.sequential_write_iops} wrandiops={self.write_iops}"
        )
        return f"ctrl=user model=linear {reads} {writes}"

    @property
    def service(self) -> str:
        """As `io.cost.qos` takes it.

        No latency is aimed at (`rpct=0`); but twice that which stands there is the period in which the kernel looks after what it
        shares, and a group keeps no more of its share for later than half a period (blk-iocost.c, `ioc_refresh_period_us`,
        `margins`). A period has to have room for many I/Os, or what groups lose is lost to the disk. The kernel may not go by all
        of the measured rates: what comes as fast as the disk works waits in the disk, where no weight counts.
        """
        latency_us = self._latency_us
        latencies = f"rpct=0 rlat={latency_us} wpct=0 wlat={latency_us}"
        return f"enable=1 ctrl=user {latencies} min={SHARE_MIN}.00 max={SHARE_MAX}.00"

    @property
    def about(self) -> str:
        """What a reader of the numbers is told of them; empty where they are what the disk gives."""
        if self.rate_share == 1:
            return ""
        return f"These rates are {format_share(self.rate_share)} of what the disk gives (rate_share in slices.toml)."

    @property
    def _latency_us(self) -> int:
        cost_us = _US / min(self.read_iops, self.write_iops)
        return round(min(max(_COSTS_PER_PERIOD * cost_us, _LATENCY_US_MIN), _LATENCY_US_MAX))


def what_groups_have(disk: SliceDisk) -> str:
    """What the kernel lets all control groups together have of a disk, for whoever reads the plan; without its full stop.

    Also a group that is alone at work is held to it; what is in no group, at the top, is not (blk-iocost.c, `ioc_rqos_throttle`).
    """
    most = format_share(disk.rate_share * SHARE_MAX / 100)
    of = "" if disk.rate_share == 1 else f" (rate_share {disk.rate_share:g})"
    return (
        f"control groups of version 2 together are held to {most} of its rates{of}, which weights divide among those at work:"
        " one alone may have all of that, and no more; a cap on one slice is io.max, and this is none"
    )


COST_OFF = "enable=0"
"""What takes a disk out of `io.cost.qos`."""


def cost_model(disk: SliceDisk, path: str) -> CostModel:
    """Of a disk that programs find by that path: what I/O costs there, as if the disk gave no more than its `rate_share`."""
    told = {key: getattr(disk, key) * disk.rate_share for key in RATES}
    pieces = 1 if disk.io_bytes_max is None else min(ceil(LARGE_BYTES / disk.io_bytes_max), _PAGES)
    return CostModel(
        device=path,
        read_bytes_per_s=_bytes_per_s(told["read_mb_per_s"], told["sequential_read_iops"], pieces),
        sequential_read_iops=_whole(told["sequential_read_iops"]),
        read_iops=_whole(told["read_iops"]),
        write_bytes_per_s=_bytes_per_s(told["write_mb_per_s"], told["sequential_write_iops"], pieces),
        sequential_write_iops=_whole(told["sequential_write_iops"]),
        write_iops=_whole(told["write_iops"]),
        rate_share=disk.rate_share,
    )


def _whole(rate: float) -> int:
    """Never 0, of which the kernel makes an I/O that costs nothing by itself."""
    return max(1, round(rate))


def _bytes_per_s(mb_per_s: float, iops: float, pieces: int) -> int:
    """With which 1 MiB in so many pieces, in sequence, costs what it takes at that rate.

    A piece costs 1 ÷ iops, one page of it among that; the other pages are what is left of the whole.
    """
    whole_s, first_s = LARGE_BYTES / (mb_per_s * _BYTES_PER_MB), 1 / iops
    page_s = (whole_s - pieces * first_s) / max(_PAGES - pieces, 1)
    if page_s >= first_s:
        # The kernel then takes an I/O to cost nothing by itself.
        page_s = whole_s / _PAGES
    return _BYTES_PER_S_MAX if page_s <= 0 else min(_whole(_PAGE_BYTES / page_s), _BYTES_PER_S_MAX)
