"""Sorts what happened in an interval into classes of I/O, by the counters that PostgreSQL's version has.

| class | 18 | 16 and 17 | 14 and 15 |
|---|---|---|---|
| small_read | pg_stat_io relation and log, less than 64 KiB each | relation, normal | pg_stat_database.blks_read, all reads |
| large_read | the same, 64 KiB or more each | other contexts, bytes only | not told apart |
| small_write | relation with extensions, new log files, less than 64 KiB each | relation, normal | pg_stat_bgwriter |
| large_write | the same, 64 KiB or more each | other contexts, bytes only | not told apart |
| redo_write | pg_stat_io wal, context normal | pg_stat_wal | pg_stat_wal |
| temp_read, temp_write | temp relation; temporary files as far as counted | the same | temporary files as far as counted |

18 counts requests and their bytes, so what an I/O moves decides and not why it was made: a scan through a ring buffer (bulkread)
may read single blocks between cached ones, and a bitmap scan (normal) a dozen at a time. A row is a kind of process, an object and
a context; its mean decides for all of its I/Os in the interval. 16 and 17 count blocks of 8 KiB, however many one request moved,
so there the context has to do, and the size of a large request is unknown. Source: PostgreSQL manual, monitoring-stats; commit
f92c854 of PostgreSQL for the change in 18.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from plimsoll.demand.amounts import UNKNOWN, Amount, Rate, mean_us, plus, times
from plimsoll.demand.deltas import TIMES, Delta
from plimsoll.facts import ClassDemand, Database, IoCounters, Note
from plimsoll.facts.demand import DemandClassName

LARGE_BYTES_MIN = 64 * 1024
"""From here on an I/O costs a storage its bytes rather than a seek; io_combine_limit makes them 128 KiB at most by default."""
_DATA_TIMES = ("pg_stat_database.blk_read_time", "pg_stat_database.blk_write_time")
_LOG_TIMES = ("pg_stat_wal.wal_write_time", "pg_stat_wal.wal_sync_time")
_NO_TIMES: dict[str, None] = dict.fromkeys(TIMES)


def by_class(delta: Delta, database: Database) -> dict[DemandClassName, ClassDemand]:
    """Every class, with None where this server does not count it."""
    major = database.version_number // 10000
    if major >= 16:
        return _from_pg_stat_io(delta, database, major)
    return _from_totals(delta, database)


def notes(database: Database, temp_bytes: float) -> Iterator[Note]:
    """What a reader must know of the classes on this version. `temp_bytes` went to temporary files in the whole span."""
    major = database.version_number // 10000
    if database.direct_io is not True:
        yield Note(
            code="page-cache",
            message="the database reads and writes through the operating system's cache, which may have answered some "
            "reads and merged some writes: what reached the device is at most this",
        )
    if major < 16:
        yield Note(
            code="sizes-not-told",
            message=f"postgresql {major} does not tell small from large I/O: all of it is counted as small, in blocks",
        )
    elif major < 18:
        yield Note(
            code="large-size-unknown",
            message=f"postgresql {major} counts blocks, not requests: the rate of large I/Os is unknown, their bytes are known",
        )
    if major < 18:
        yield Note(
            code="redo-bytes-generated",
            message="bytes of the log are those generated; what is written is rounded up to whole pages",
        )
    if temp_bytes > 0:
        yield Note(
            code="temp-files",
            message="temporary files are counted when they are deleted, by how long they are: writes are taken as one block each "
            "and are at least these, as a sort that merges several times writes its blocks anew; reads of them are unknown",
        )
    if database.settings.get("fsync") == "off":
        yield Note(code="fsync-off", message="fsync is off: the server forces nothing to stable storage")


def commits(delta: Delta) -> float | None:
    """Transactions that committed, those that only read too."""
    return delta.totals.get("pg_stat_database.xact_commit")


def cache_hits(delta: Delta) -> float | None:
    """Blocks found in the server's own cache."""
    return delta.totals.get("pg_stat_database.blks_hit")


def temp_bytes(delta: Delta) -> float:
    """What went to temporary files that were deleted in the interval."""
    return delta.totals.get("pg_stat_database.temp_bytes") or 0.0


def told(delta: Delta, database: Database) -> Delta:
    """Without the times of I/O where it took none (track_io_timing, track_wal_io_timing): they are 0 then."""
    is_log_timed = database.settings.get("track_wal_io_timing") == "on"
    untimed = (*(() if database.io_timing else _DATA_TIMES), *(() if is_log_timed else _LOG_TIMES))
    io = tuple(
        row
        if (is_log_timed if row.object == "wal" else database.io_timing)
        else row.model_copy(update=_NO_TIMES)
        for row in delta.io
    )
    return replace(delta, totals=delta.totals | dict.fromkeys(untimed), io=io)


def _from_pg_stat_io(delta: Delta, database: Database, major: int) -> dict[DemandClassName, ClassDemand]:
    relation = [row for row in delta.io if row.object == "relation"]
    log = [row for row in delta.io if row.object == "wal"]
    new_log_files = [row for row in log if row.context == "init"]
    temp = [row for row in delta.io if row.object == "temp relation"]
    if major < 18:
        small = [row for row in relation if row.context == "normal"]
        large = [row for row in relation if row.context != "normal"]
        small_read, small_write = _reads(small), _writes(small)
        large_read, large_write = _size_unknown(_reads(large)), _size_unknown(_writes(large))
    else:
        small_read, large_read = _by_size(map(_reads_of, (*relation, *log)))
        small_write, large_write = _by_size(map(_writes_of, (*relation, *new_log_files)))
    said = "pg_stat_io: relation, by bytes of an I/O" if major >= 18 else "pg_stat_io: relation, normal"
    said_large = said if major >= 18 else "pg_stat_io: relation, bulkread, bulkwrite and vacuum"
    files_written, files_read = _temp_files(delta, database)
    rate = Rate(delta.duration_s, database)
    return {
        "small_read": rate.demand(small_read, said),
        "large_read": rate.demand(large_read, said_large),
        "small_write": rate.demand(small_write, said),
        "large_write": rate.demand(large_write, said_large),
        "redo_write": _redo_of_io(log, rate) if major >= 18 else _redo_of_pg_stat_wal(delta, rate),
        "temp_read": rate.demand(_reads(temp) + files_read, "pg_stat_io: temp relation"),
        "temp_write": rate.demand(
            _writes(temp) + files_written, "pg_stat_io: temp relation; pg_stat_database.temp_bytes"
        ),
    }


def _from_totals(delta: Delta, database: Database) -> dict[DemandClassName, ClassDemand]:
    """Before 16 small and large are not told apart: all of it is in the small classes, and there are no large ones."""
    block = database.block_bytes or 8192
    reads = delta.totals.get("pg_stat_database.blks_read")
    writers = ("buffers_checkpoint", "buffers_clean", "buffers_backend")
    written: float | None = 0.0
    for name in writers:
        written = plus(written, delta.totals.get(f"pg_stat_bgwriter.{name}"))
    files_written, files_read = _temp_files(delta, database)
    rate = Rate(delta.duration_s, database)
    return {
        "small_read": rate.demand(
            Amount(reads, times(reads, block), delta.totals.get("pg_stat_database.blk_read_time")),
            "pg_stat_database.blks_read",
        ),
        "small_write": rate.demand(
            Amount(written, times(written, block), None), "pg_stat_bgwriter: checkpoint, clean and backend"
        ),
        "redo_write": _redo_of_pg_stat_wal(delta, rate),
        "temp_read": rate.demand(
            files_read, "pg_stat_database.temp_bytes; temporary tables count as small_read"
        ),
        "temp_write": rate.demand(files_written, "pg_stat_database.temp_bytes"),
    }


def _redo(
    rate: Rate, writes: Amount, syncs: float | None, sync_time_ms: float | None, source: str
) -> ClassDemand:
    """`wal_sync_method` open_sync and open_datasync force each write, and count no sync."""
    settings = rate.database.settings
    forced = settings.get("wal_sync_method", "").startswith("open_") and settings.get("fsync") != "off"
    timed = settings.get("track_wal_io_timing") == "on"
    return ClassDemand(
        ops_per_s=rate.per_s(writes.ops),
        bytes_per_s=rate.per_s(writes.bytes),
        latency_us_mean=mean_us(writes.time_ms, writes.ops) if timed else None,
        syncs_per_s=rate.per_s(writes.ops if forced else syncs),
        sync_latency_us_mean=mean_us(sync_time_ms, syncs) if timed and not forced else None,
        is_forced=forced,
        source=source,
    )


def _redo_of_io(log: list[IoCounters], rate: Rate) -> ClassDemand:
    rows = [row for row in log if row.context == "normal"]
    syncs = sum(row.fsyncs or 0 for row in rows)
    sync_time_ms = sum(row.fsync_time_ms or 0 for row in rows)
    return _redo(rate, _writes(rows), syncs, sync_time_ms, "pg_stat_io: wal, normal")


def _redo_of_pg_stat_wal(delta: Delta, rate: Rate) -> ClassDemand:
    def wal(column: str) -> float | None:
        return delta.totals.get(f"pg_stat_wal.{column}")

    writes = Amount(wal("wal_write"), wal("wal_bytes"), wal("wal_write_time"))
    return _redo(rate, writes, wal("wal_sync"), wal("wal_sync_time"), "pg_stat_wal")


_Sums = tuple[float, float, float]
"""I/Os, bytes and milliseconds. None in a row means that this combination does no such I/O, so it adds nothing."""


def _reads_of(row: IoCounters) -> _Sums:
    return row.reads or 0, row.read_bytes or 0, row.read_time_ms or 0


def _writes_of(row: IoCounters) -> _Sums:
    """Writes of pages that were there, and extensions of a file by new ones."""
    return (
        (row.writes or 0) + (row.extends or 0),
        (row.write_bytes or 0) + (row.extend_bytes or 0),
        (row.write_time_ms or 0) + (row.extend_time_ms or 0),
    )


def _reads(rows: Iterable[IoCounters]) -> Amount:
    return _total(map(_reads_of, rows))


def _writes(rows: Iterable[IoCounters]) -> Amount:
    return _total(map(_writes_of, rows))


def _total(rows: Iterable[_Sums]) -> Amount:
    return Amount(*(float(sum(column)) for column in zip((0, 0, 0), *rows, strict=True)))


def _by_size(rows: Iterable[_Sums]) -> tuple[Amount, Amount]:
    """Small and large, by what the mean I/O of each moves."""
    small, large = list[_Sums](), list[_Sums]()
    for one in rows:
        ops, size_bytes, _ = one
        (large if ops and size_bytes / ops >= LARGE_BYTES_MIN else small).append(one)
    return _total(small), _total(large)


def _size_unknown(amount: Amount) -> Amount:
    """Bytes without a number of requests; nothing at all is still a number."""
    return amount if amount.bytes == 0 else Amount(None, amount.bytes, None)


def _temp_files(delta: Delta, database: Database) -> tuple[Amount, Amount]:
    """Written: whole blocks, as the server's buffered files do it. Read: unknown as soon as there was any."""
    count = delta.totals.get("pg_stat_database.temp_bytes")
    if count is None:
        return UNKNOWN, UNKNOWN
    if count == 0:
        return Amount(), Amount()
    return Amount(count / (database.block_bytes or 8192), count, None), UNKNOWN
