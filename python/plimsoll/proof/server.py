"""What the server counted in a window, beside what the sessions did: rates, and what a commit waited for."""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll.databases import Connection, ServerCounts, Session, reads_answers
from plimsoll.facts import CommitParts
from plimsoll.host.process_reads import server_read_bytes
from plimsoll.proof.sessions import Drove
from plimsoll.proof.slices import COMMIT
from plimsoll.proof.statements import statement
from plimsoll.proof.window import Windowed

_US = 1e6
_OTHERS_COMMITS_PER_S = 2.0
_UNCOUNTED_READINGS = 1
"""A session hands in its counts once a second, so the last reading may miss the commit of the one before it."""
_COMMITS_OF_UPKEEP = 5
"""Transactions that autovacuum takes for a table and the list of tables: two to five were seen."""


class Fetched:
    """What the kernel fetched from storage for the sessions' processes: to be called with each reading of the counters."""

    def __init__(self) -> None:
        self._bytes: list[int | None] = []

    def __call__(self, processes: Sequence[int | None]) -> None:
        self._bytes.append(server_read_bytes(processes))

    def in_window(self, drove: Drove) -> int | None:
        """Between the window's opening and the last reading. With a warm-up the first reading comes before it."""
        inside = self._bytes[1:] if drove.schedule.warm_up_slices else self._bytes
        known = [value for value in inside if value is not None]
        return known[-1] - known[0] if len(known) == len(inside) >= 2 else None


def counts_of(connection: Connection, drove: Drove) -> ServerCounts:
    """What the server counted from the window's opening to its end.

    Nothing where one of the two readings is missing, or the first was late: then it says nothing of the sessions' window.
    """
    if len(drove.snapshots) < 2:
        return ServerCounts(unknown_because="its counters could not be read twice")
    if not drove.edge_clean:
        return ServerCounts(unknown_because="its counters were read after a session had begun to count")
    return connection.counts(drove.snapshots[0], drove.snapshots[-1])


@reads_answers
def upkeep(session: Session, dialect: str) -> int:
    """How many tables the server has tended of its own accord until now, such as by autovacuum."""
    return int(session.run(statement(dialect, "server", "upkeep"))[0][0])


def others_commits(seconds: float, tended: int) -> int:
    """Transactions of the server's own that it may have counted among the others while it tended so many tables."""
    return _UNCOUNTED_READINGS + round(_OTHERS_COMMITS_PER_S * seconds) + _COMMITS_OF_UPKEEP * tended


def rates(counts: ServerCounts, seconds: float) -> dict[str, float | None]:
    """The fields of a proof that come from the server alone."""

    def per_s(value: float | None) -> float | None:
        return None if value is None or not seconds else value / seconds

    reads, hits, redo = per_s(counts.block_reads), per_s(counts.block_hits), per_s(counts.log_bytes)
    return {
        "logical_reads_per_s": None if reads is None or hits is None else reads + hits,
        "physical_reads_per_s": reads,
        "cache_hits_per_s": hits,
        "redo_mb_per_s": None if redo is None else redo / 1e6,
    }


def commit_parts(made: Windowed, counts: ServerCounts) -> CommitParts | None:
    """What the commits waited for that sessions timed; None where they timed none."""
    commit = next((result for result in made.operations if result.name == COMMIT), None)
    if commit is None or not commit.operations or commit.latency_us.mean is None:
        return None
    n, mean = commit.operations, commit.latency_us.mean

    def each_us(seconds: float | None) -> float | None:
        return None if seconds is None else seconds * _US / n

    write, sync, segment = (
        each_us(counts.log_write_s),
        each_us(counts.log_sync_s),
        each_us(counts.log_segment_s),
    )
    known = None if write is None or sync is None else write + sync + (segment or 0.0)
    writes, syncs = (None if count is None else count / n for count in (counts.log_writes, counts.log_syncs))
    return CommitParts(
        commits=n, latency_us_mean=mean, log_writes=writes, log_write_us=write,
        log_syncs=syncs, log_sync_us=sync, log_segment_us=segment,
        rest_us=None if known is None else mean - known, parts_share=None if known is None else known / mean,
    )  # fmt: skip
