"""What MariaDB or MySQL counted between two snapshots, in the words that all databases share.

Commits are InnoDB's: transactions that wrote and transactions that only read, less those rolled back, which InnoDB counts among
both. All sessions add to the same counter without a lock, so that on a busy server some are lost (0.1 to 1.5 % were seen), but
`Com_commit` misses whatever commits by itself, and `Handler_commit` counts each statement of a longer transaction too. Where
sessions are known to commit by statement, as those of a proof, `Com_commit` is the better witness: each has its own counter there.
"""

from __future__ import annotations

from collections.abc import Mapping

from plimsoll.databases._kind import ServerCounts
from plimsoll.facts import Snapshot

_ENDED = ("trx_rw_commits", "trx_ro_commits", "trx_nl_ro_commits")
_MS_PER_S = 1000.0


def counted(before: Snapshot, after: Snapshot) -> ServerCounts:
    """The differences. How long the log's writes took is counted nowhere."""
    grown = {name: _less(value, before.totals.get(name)) for name, value in after.totals.items()}
    read_ms = grown.get("file_summary.data_file_read_time_ms")
    return ServerCounts(
        commits=commits(grown),
        commit_statements=grown.get("global_status.com_commit"),
        block_reads=grown.get("global_status.innodb_pages_read"),
        block_hits=cache_hits(grown),
        block_read_s=None if read_ms is None else read_ms / _MS_PER_S,
        log_bytes=grown.get("global_status.innodb_os_log_written"),
        log_writes=grown.get("global_status.innodb_log_writes"),
        log_syncs=grown.get("global_status.innodb_os_log_fsyncs"),
        calls_commit=False,
        counts_at_return=False,
    )


def commits(grown: Mapping[str, float | None]) -> float | None:
    """Transactions that ended without a rollback, of what the totals have grown by; InnoDB counts those among all that ended."""
    rolled_back = grown.get("innodb_metrics.trx_rollbacks")
    ended = [grown.get(f"innodb_metrics.{name}") for name in _ENDED]
    known = [count for count in ended if count is not None]
    return None if rolled_back is None or len(known) < len(ended) else sum(known) - rolled_back


def cache_hits(grown: Mapping[str, float | None]) -> float | None:
    """Pages asked for, less those read; never less than none, since more may be read ahead than is asked for."""
    asked = grown.get("global_status.innodb_buffer_pool_read_requests")
    read = grown.get("global_status.innodb_pages_read")
    return None if asked is None or read is None else max(0.0, asked - read)


def _less(after: float | None, before: float | None) -> float | None:
    return None if after is None or before is None else after - before
