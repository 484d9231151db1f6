"""What a read of a PostgreSQL server takes, by the rows of pg_stat_io: scans through a ring of buffers apart from all others.

A scan of a table that is larger than a quarter of the buffer cache goes through a ring, and its reads are those of the rows called
bulkread (16 and later; src/backend/access/heap/heapam.c, initscan). 18 counts requests, so that the mean size of a scan's reads is
known, and with it how many blocks of the other rows came in large reads: of B blocks in R requests these are
(B - R) × size ÷ (size - 1). There a request takes what all of them take on the mean, large or small: they go to and fro, and on a
disk the way is most of the time. A scan does not.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from plimsoll.facts import IoCounters

RING_SHARE_OF_CACHE = 0.25
"""A table that is larger is scanned through a ring of buffers."""
_RING = "bulkread"


@dataclass(frozen=True)
class Reads:
    """Of some rows of pg_stat_io: blocks, requests, and seconds of those that waited for them."""

    blocks: float
    requests: float
    seconds: float

    @property
    def block_s(self) -> float | None:
        """Seconds for a block; None: nothing was read."""
        return self.seconds / self.blocks if self.blocks else None


@dataclass(frozen=True)
class ReadRows:
    """What was read through rings, and all else."""

    ring: Reads
    other: Reads

    @property
    def blocks(self) -> float:
        """All of them."""
        return self.ring.blocks + self.other.blocks

    @property
    def seconds(self) -> float:
        """All of them."""
        return self.ring.seconds + self.other.seconds

    def large_blocks(self, least: float) -> float | None:
        """Mean blocks of a scan's read where requests were counted; None where no scan of at least so many blocks was."""
        if not self.ring.requests or self.ring.blocks < least:
            return None
        mean = self.ring.blocks / self.ring.requests
        return mean if mean >= 2.0 else None


def read_rows(rows: Iterable[IoCounters], block_bytes: int) -> ReadRows:
    """These rows."""
    kept = list(rows)
    return ReadRows(
        _together([row for row in kept if row.context == _RING], block_bytes),
        _together([row for row in kept if row.context != _RING], block_bytes),
    )


def blocks_in_large_reads(reads: Reads, size: float) -> float:
    """Of reads in requests of one block and of `size` blocks, those of the latter."""
    return min(reads.blocks, max(0.0, reads.blocks - reads.requests) * size / (size - 1.0))


@dataclass(frozen=True)
class ReadTimes:
    """Seconds that reads take: a block through a ring, and a request of any other kind."""

    ring_block_s: float
    other_request_s: float
    size: float | None
    """Blocks of a large read, where requests are counted."""

    def seconds(self, single: float, through_ring: float, large: float) -> float:
        """Of so many blocks read one by one, through a ring, and in other large reads."""
        requests = single + (large if self.size is None else large / self.size)
        return through_ring * self.ring_block_s + requests * self.other_request_s


def read_times(rows: ReadRows, size: float | None) -> ReadTimes | None:
    """From both kinds of rows, `size` blocks in a large read, None where requests are not counted.

    None where all blocks count alike: nothing was read but through rings, or nothing else and requests are not counted.
    """
    ring_s, other = rows.ring.block_s, rows.other
    if not other.blocks or not other.requests or (ring_s is None and size is None):
        return None
    return ReadTimes(ring_s or 0.0, other.seconds / (other.blocks if size is None else other.requests), size)


def _together(rows: Iterable[IoCounters], block_bytes: int) -> Reads:
    kept = list(rows)
    return Reads(
        sum(row.read_bytes or 0 for row in kept) / block_bytes,
        float(sum(row.reads or 0 for row in kept)),
        sum(row.read_time_ms or 0.0 for row in kept) / 1000,
    )
