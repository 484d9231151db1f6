"""Sorts what InnoDB did in an interval into classes of I/O, by the totals of MariaDB and MySQL.

| class | counters |
|---|---|
| small_read | Innodb_data_reads and its bytes: pages, one to a request, those read ahead too |
| small_write | Innodb_pages_written: pages at their own places |
| large_write | Innodb_dblwr_writes: batches of pages to the doublewrite buffer |
| redo_write | Innodb_log_writes, Innodb_os_log_written, and Innodb_os_log_fsyncs where there is one |
| temp_read, temp_write | nothing while no temporary table went to disk and no sort was merged, else unknown |

Seen on MariaDB 10.11 with direct I/O: the reads so counted are the kernel's count of what the process fetched, to the page
(`/proc/PID/io`), and pages written and doublewritten make up Innodb_data_written.
Source: MariaDB knowledge base, "InnoDB status variables".
"""

from __future__ import annotations

from collections.abc import Iterator

from plimsoll.databases import _mariadb_counts
from plimsoll.demand.amounts import UNKNOWN, Amount, Rate, times
from plimsoll.demand.deltas import Delta
from plimsoll.facts import ClassDemand, Database, Note
from plimsoll.facts.demand import DemandClassName


def by_class(delta: Delta, database: Database) -> dict[DemandClassName, ClassDemand]:
    """Small and large differ by what the server asks for: it reads page by page, so there are no large reads."""
    page_bytes = database.block_bytes or 16384
    rate = Rate(delta.duration_s, database)
    written, batched = _status(delta, "innodb_pages_written"), _status(delta, "innodb_dblwr_pages_written")
    batches = _status(delta, "innodb_dblwr_writes")
    temporary = _temporary(delta)
    return {
        "small_read": rate.demand(_reads(delta), "Innodb_data_reads, Innodb_data_read"),
        "small_write": rate.demand(Amount(written, times(written, page_bytes), None), "Innodb_pages_written"),
        "large_write": rate.demand(
            Amount(batches, times(batched, page_bytes), None),
            "Innodb_dblwr_writes, Innodb_dblwr_pages_written",
        ),
        "redo_write": _redo(delta, rate),
        "temp_read": rate.demand(temporary, "Created_tmp_disk_tables, Sort_merge_passes"),
        "temp_write": rate.demand(temporary, "Created_tmp_disk_tables, Sort_merge_passes"),
    }


def commits(delta: Delta) -> float | None:
    """Transactions that ended without a rollback."""
    return _mariadb_counts.commits(delta.totals)


def cache_hits(delta: Delta) -> float | None:
    """Pages asked for that needed no read."""
    return _mariadb_counts.cache_hits(delta.totals)


def temp_bytes(delta: Delta) -> float:
    """Nobody counts them."""
    return 0.0


def told(delta: Delta, database: Database) -> Delta:
    """Its totals are no times that could be switched off."""
    return delta


def notes(database: Database, temp_bytes: float) -> Iterator[Note]:
    """What a reader must know of the classes."""
    if database.direct_io is not True:
        yield Note(
            code="page-cache",
            message="the database reads and writes through the operating system's cache, which may have answered some "
            "reads and merged some writes: what reached the device is at most this",
        )
    yield Note(
        code="reads-by-page",
        message="InnoDB reads one page to a request, also when it reads ahead; the kernel may have merged neighbours",
    )
    yield Note(
        code="redo-bytes-generated",
        message="bytes of the log are those generated; what is written is rounded up to whole blocks",
    )
    if database.settings.get("log_bin") == "ON":
        yield Note(
            code="binlog-uncounted",
            message="the binary log is on: its writes and syncs are not among these, since the server counts none of them",
        )
    yield Note(
        code="engines-uncounted",
        message="tables of engines other than InnoDB are not among these",
    )


def _reads(delta: Delta) -> Amount:
    """How long they took is known only while none was read ahead: of those the wait for them is not in the server's time."""
    ahead = _status(delta, "innodb_buffer_pool_read_ahead")
    time_ms = delta.totals.get("file_summary.data_file_read_time_ms") if ahead == 0 else None
    return Amount(_status(delta, "innodb_data_reads"), _status(delta, "innodb_data_read"), time_ms)


def _redo(delta: Delta, rate: Rate) -> ClassDemand:
    return ClassDemand(
        ops_per_s=rate.per_s(_status(delta, "innodb_log_writes")),
        bytes_per_s=rate.per_s(_status(delta, "innodb_os_log_written")),
        syncs_per_s=rate.per_s(_status(delta, "innodb_os_log_fsyncs")),
        source="Innodb_log_writes, Innodb_os_log_written",
    )


def _temporary(delta: Delta) -> Amount:
    spilled = [_status(delta, name) for name in ("created_tmp_disk_tables", "sort_merge_passes")]
    return Amount() if all(count == 0 for count in spilled) else UNKNOWN


def _status(delta: Delta, name: str) -> float | None:
    return delta.totals.get(f"global_status.{name}")
