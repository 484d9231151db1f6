"""What MariaDB or MySQL counted between two snapshots, in the words that all databases share.

Commits are InnoDB's own: transactions that wrote and transactions that only read, less those rolled back, which InnoDB counts among
both. `Com_commit` misses whatever commits by itself, and `Handler_commit` counts each statement of a longer transaction too.
"""

from __future__ import annotations

from plimsoll.databases._kind import ServerCounts
from plimsoll.facts import Snapshot

_ENDED = ("trx_rw_commits", "trx_ro_commits", "trx_nl_ro_commits")
_MS_PER_S = 1000.0


def counted(before: Snapshot, after: Snapshot) -> ServerCounts:
    """The differences. How long the log's writes took is counted nowhere."""
    read, asked = (
        _status(before, after, "innodb_pages_read"),
        _status(before, after, "innodb_buffer_pool_read_requests"),
    )
    read_ms = _grown(before, after, "file_summary.data_file_read_time_ms")
    return ServerCounts(
        commits=_commits(before, after),
        block_reads=read,
        block_hits=None if read is None or asked is None else max(0.0, asked - read),
        block_read_s=None if read_ms is None else read_ms / _MS_PER_S,
        log_bytes=_status(before, after, "innodb_os_log_written"),
        log_writes=_status(before, after, "innodb_log_writes"),
        log_syncs=_status(before, after, "innodb_os_log_fsyncs"),
        calls_commit=False,
    )  # fmt: skip


def _commits(before: Snapshot, after: Snapshot) -> float | None:
    ended = [_grown(before, after, f"innodb_metrics.{name}") for name in _ENDED]
    rolled_back = _grown(before, after, "innodb_metrics.trx_rollbacks")
    known = [count for count in ended if count is not None]
    return None if len(known) < len(ended) or rolled_back is None else sum(known) - rolled_back


def _status(before: Snapshot, after: Snapshot, name: str) -> float | None:
    return _grown(before, after, f"global_status.{name}")


def _grown(before: Snapshot, after: Snapshot, name: str) -> float | None:
    first, last = before.totals.get(name), after.totals.get(name)
    return None if first is None or last is None else last - first
