"""An interval's demand as a mix of I/O that storage can be measured with.

The rules, one per class. Sizes are whole numbers of blocks, for a device is asked for whole blocks. The mix never asks for less
than the demand, neither in I/Os nor in bytes per second: either the size is the next larger one, or it is the next smaller one at
a rate that moves the same bytes, whichever asks for less more. Where the bytes of the mix come out more than a tenth off those of
the demand for it, a note says so:

- small reads and writes: random, of their mean size in whole database blocks, at their own rate.
- large reads and writes: sequential, of their mean size in whole database blocks. Where the server does not count requests,
  `ASSUMED_LARGE_BYTES` is taken and the rate follows from the bytes.
- redo: sequential writes, each on stable storage before the next. What matters to the device is how often the log is forced,
  so the rate is that of the syncs, at most a tenth above it, and the size is what gathers between two, in whole pages of the log.
  It is forced as the server does it (PostgreSQL's wal_sync_method): `fdatasync` and `fsync` are a write and then a call that
  flushes the device's cache; the `open_` methods write with O_DSYNC, one write that bypasses the cache where the device can (FUA).
  A log that is never forced (synchronous_commit or fsync off) is plain sequential writing at the rate of its writes.
- temporary files: read and written sequentially, of their mean size.

A class whose rate is unknown cannot be asked for; each is named in a note.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal, get_args

from plimsoll.base.units import format_bytes
from plimsoll.facts import ClassDemand, Database, Demand, DemandInterval, Flush, IoClass, Note, Workload
from plimsoll.facts.demand import DemandClassName

ASSUMED_LARGE_BYTES = 128 * 1024
"""io_combine_limit of 17 and 18, and Linux's read-ahead, are 128 KiB unless set otherwise."""
LARGE_BYTES_MAX = 4 * 1024 * 1024
"""Of one request that is driven whole. PostgreSQL combines up to 1 MiB (io_combine_limit); a mean above is driven in pieces."""
SIZES_UP, REQUESTS_SPLIT = "sizes-up", "requests-split"
"""Codes of notes: on bytes that nobody counted, which make no plain no, and on requests in pieces, which make no yes."""
WAL_BLOCK, SYNC_METHOD = "wal_block_size", "wal_sync_method"
"""Settings of a `Database` that say how its log is written."""
SYNC_CALLS: dict[str, Literal["fsync", "fdatasync"]] = {"fdatasync": "fdatasync", "fsync": "fsync"}
"""Of wal_sync_method: those that are a call after the write. The others open the log with O_DSYNC or O_SYNC, taken as O_DSYNC."""
PAGE_BYTES = 8192
_BYTES_OFF_SHARE_MAX = 0.1
_IN_BLOCKS = frozenset(get_args(DemandClassName)) - {"redo_write"}
_REDO_RATE_MAX = 1.1
"""What forcing the log costs hardly depends on its bytes: rather one page more than many more forced writes."""
_ROUNDING = 1e-9
"""Of a unit: sizes come from divisions."""


@dataclass(frozen=True)
class DemandWorkload:
    """The mix; `iops` is the sum of its classes' rates, and each class's weight is its rate per second.

    `workload` is None when there is nothing to measure with, and then the last note says why.
    """

    workload: Workload | None
    iops: float | None
    notes: tuple[Note, ...]


@dataclass(frozen=True)
class _Part:
    io: IoClass | None
    note: Note | None = None


def workload_of(demand: Demand) -> DemandWorkload:
    """The mix of the demand's peak."""
    if demand.peak is None:
        reasons = (
            "; ".join(dict.fromkeys(interval.gap for interval in demand.intervals if interval.gap))
            or "; ".join(note.message for note in demand.notes if note.code == "gap")
            or "no interval"
        )
        note = Note(
            code="demand-unknown", message=f"nothing is known of what the database asked for: {reasons}"
        )
        return DemandWorkload(None, None, (note,))
    return of_interval(demand.peak, demand.database)


def of_interval(interval: DemandInterval, database: Database) -> DemandWorkload:
    """The mix of one interval."""
    parts = [_part(name, demand, database) for name, demand in interval.classes.items()]
    classes = tuple(part.io for part in parts if part.io is not None)
    notes = [part.note for part in parts if part.note is not None]
    if not classes and any(note.code == "class-unknown" for note in notes):
        message = "rate or size of everything that the database asked for is unknown"
        return DemandWorkload(None, None, (*notes, Note(code="demand-unknown", message=message)))
    if not classes:
        idle = Note(code="demand-none", message="the database asked nothing of storage while it was watched")
        return DemandWorkload(None, None, (*notes, idle))
    workload = Workload(name="demand", classes=classes)
    return DemandWorkload(
        workload,
        sum(io.weight for io in classes),
        (*notes, *_bytes_off(interval, classes)),
    )


def _bytes_off(interval: DemandInterval, classes: tuple[IoClass, ...]) -> Iterator[Note]:
    """Redo is written in whole pages indeed; what whole blocks add to other classes nobody asked for, and has a code of its own."""
    asked, mixed = _moved(interval, classes, _IN_BLOCKS)
    is_up = asked > 0 and mixed > (1 + _BYTES_OFF_SHARE_MAX) * asked
    asked, mixed = _moved(interval, classes, get_args(DemandClassName))
    if is_up or (asked > 0 and abs(mixed / asked - 1) > _BYTES_OFF_SHARE_MAX):
        message = (
            f"in whole blocks the mix moves {mixed / 1e6:.3g} MB/s where {asked / 1e6:.3g} MB/s were counted"
        )
        yield Note(code=SIZES_UP if is_up else "bytes-off", message=message)


def _moved(
    interval: DemandInterval, classes: tuple[IoClass, ...], names: Collection[str]
) -> tuple[float, float]:
    """Bytes per second that were counted of these classes, and that their part of the mix moves."""
    counted = sum(demand.bytes_per_s or 0.0 for name, demand in interval.classes.items() if name in names)
    return counted, sum(io.weight * io.block_bytes for io in classes if io.name in names)


def _part(name: DemandClassName, demand: ClassDemand, database: Database) -> _Part:
    if demand.bytes_per_s is None or (demand.ops_per_s is None and not name.startswith("large")):
        what = "size" if demand.bytes_per_s is None and demand.ops_per_s is not None else "rate"
        message = f"{name} is not in the mix: its {what} is unknown ({demand.source})"
        return _Part(None, Note(code="class-unknown", message=message))
    if demand.bytes_per_s <= 0 and not demand.ops_per_s:
        return _Part(None)
    if name == "redo_write":
        return _redo(demand, database)
    if demand.bytes_per_s <= 0:
        message = f"{name} is not in the mix: its size is unknown, for {demand.ops_per_s:.3g} I/Os per second moved no bytes"
        return _Part(None, Note(code="class-unknown", message=f"{message} ({demand.source})"))
    block_bytes = database.block_bytes or PAGE_BYTES
    if not demand.ops_per_s:
        if not name.startswith("large"):
            message = f"{name} is not in the mix: bytes were counted, and no requests ({demand.source})"
            return _Part(None, Note(code="class-unknown", message=message))
        return _assumed(name, demand.bytes_per_s)
    return _sized(name, demand.ops_per_s, demand.bytes_per_s, block_bytes)


def _sized(name: DemandClassName, ops_per_s: float, bytes_per_s: float, block_bytes: int) -> _Part:
    """A class whose rate is known. Requests beyond the largest size are several of that size, each at a moment of its own."""
    size, rate = _whole(ops_per_s, bytes_per_s, block_bytes)
    return _Part(_io(name, size, rate, sync=False), _split(name, bytes_per_s / ops_per_s))


def _split(name: DemandClassName, size_bytes: float) -> Note | None:
    if size_bytes <= LARGE_BYTES_MAX:
        return None
    message = (
        f"{name} is driven as requests of {format_bytes(LARGE_BYTES_MAX)} where {format_bytes(round(size_bytes))} each were"
        " counted: how long a whole one takes is not measured"
    )
    return Note(code=REQUESTS_SPLIT, message=message)


def _assumed(name: DemandClassName, bytes_per_s: float) -> _Part:
    rate = bytes_per_s / ASSUMED_LARGE_BYTES
    message = f"{name} is taken as requests of {ASSUMED_LARGE_BYTES // 1024} KiB: the server counts their bytes only"
    return _Part(
        _io(name, ASSUMED_LARGE_BYTES, rate, sync=False), Note(code="large-size-assumed", message=message)
    )


def _redo(demand: ClassDemand, database: Database) -> _Part:
    assert demand.bytes_per_s is not None
    page_bytes = int(database.settings.get(WAL_BLOCK, PAGE_BYTES))
    rate = demand.syncs_per_s or demand.ops_per_s
    if not rate:
        return _Part(
            None, Note(code="class-unknown", message="redo_write is not in the mix: its rate is unknown")
        )
    size, rate = _whole(rate, demand.bytes_per_s, page_bytes, _REDO_RATE_MAX)
    call = SYNC_CALLS.get(database.settings.get(SYNC_METHOD, "")) if demand.syncs_per_s else None
    made = _io("redo_write", size, rate, sync=bool(demand.syncs_per_s) and call is None)
    return _Part(made if call is None else made.model_copy(update={"flush": Flush(every=1, call=call)}))


def _io(name: DemandClassName, block_bytes: int, rate: float, sync: bool) -> IoClass:
    return IoClass(
        name=name,
        op="read" if name.endswith("read") else "write",
        pattern="random" if name.startswith("small") else "sequential",
        block_bytes=block_bytes,
        weight=rate,
        sync=sync,
    )


def _whole(ops_per_s: float, bytes_per_s: float, unit: int, rate_max: float = math.inf) -> tuple[int, float]:
    """Size in whole units, and rate per second: at least as many I/Os and bytes as were asked for, and little more.

    The rate is raised to so many times itself at most. Beyond the largest size they are several.
    """
    size = min(bytes_per_s / ops_per_s, 2.0 * LARGE_BYTES_MAX)
    if size > LARGE_BYTES_MAX:
        return LARGE_BYTES_MAX, bytes_per_s / LARGE_BYTES_MAX
    larger = min(max(1, math.ceil(size / unit - _ROUNDING)) * unit, max(LARGE_BYTES_MAX, unit))
    smaller = larger - unit
    if smaller > 0 and size / smaller < min(larger / size, rate_max):
        return smaller, bytes_per_s / smaller
    return larger, max(ops_per_s, bytes_per_s / larger)
