"""From a finished drive to the facts of a proof: rates, latencies, sessions, and two counts of the same beside each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from plimsoll.databases import Connection, ServerCounts
from plimsoll.facts import (
    Agreement,
    Condition,
    LatencyUs,
    Note,
    OperationResult,
    OperationSlice,
    Proof,
    ProofSession,
    ProofWindow,
)
from plimsoll.proof.order_entry.ledger import Gained
from plimsoll.proof.order_entry.settings import KINDS
from plimsoll.proof.order_entry.worker import OrderWorker
from plimsoll.proof.sessions import SLICE_S, Drove, Track
from plimsoll.proof.slices import COMMIT, Counted, added, latency_counts

ToLatency = Callable[[Sequence[tuple[float, int]]], LatencyUs]
"""From microseconds, each with how often it was seen, to a distribution."""
LIMIT_SHARE = 0.02
COMMITS_TELLING = 1_000
"""With fewer, a few transactions of others, of autovacuum for one, weigh more than the two counts may differ."""
_US = 1_000_000


@dataclass(frozen=True)
class Ran:
    """A run that is over: how it was driven, and what was found in the data afterwards."""

    drove: Drove
    workers: Sequence[OrderWorker]
    gained: Gained | None
    conditions: tuple[Condition, ...]
    settings: dict[str, str]
    notes: tuple[Note, ...]
    has_pauses: bool


def proof_of(ran: Ran, connection: Connection, to_latency: ToLatency) -> Proof:
    """All of it as one fact."""
    drove = ran.drove
    window = window_of(drove)
    counts = server_counts(drove, connection)
    by_kind = added(piece.counted for track in drove.tracks for piece in drove.counted_slices(track))
    duration_s = window.duration_s if window else 0.0
    sessions = tuple(_session(drove, track) for track in drove.tracks)
    agreements = tuple(_agreements(ran, counts))
    doubts = tuple(_doubts(ran, sessions, agreements))
    return Proof(
        workload="order_entry",
        database=connection.database,
        settings=ran.settings,
        holds=not doubts,
        doubts=doubts,
        window=window,
        operations_per_s=_operations(by_kind) / duration_s if duration_s else None,
        operations=tuple(_results(by_kind, duration_s, to_latency)) if duration_s else (),
        sessions=sessions,
        slices=tuple(_slices(drove, to_latency)),
        agreements=agreements,
        lateness_us_max=_lateness_us(drove) if ran.has_pauses else None,
        conditions=ran.conditions,
        notes=ran.notes,
        **_server_rates(drove, counts),
    )


def window_of(drove: Drove) -> ProofWindow | None:
    """From when warm-up was over until the last operation ended; None when nothing was done in it."""
    ends = [
        piece.ended_us for track in drove.tracks for piece in drove.counted_slices(track) if piece.ended_us
    ]
    if not ends:
        return None
    return ProofWindow(
        start=instant(drove.opens_us),
        end=instant(max(ends)),
        duration_s=(max(ends) - drove.opens_us) / _US,
        excluded_warm_up_s=(drove.opens_us - drove.start_us) / _US,
    )


def instant(us: int) -> datetime:
    """Of microseconds since 1970."""
    return datetime.fromtimestamp(us / _US, UTC)


def server_counts(drove: Drove, connection: Connection) -> ServerCounts | None:
    """What the server counted from the window's opening to its end; None when one of the two readings is missing."""
    if len(drove.snapshots) < 2:
        return None
    return connection.counts(drove.snapshots[0], drove.snapshots[-1])


def _operations(counted: Mapping[str, Counted]) -> int:
    return sum(one.operations for name, one in counted.items() if name != COMMIT)


def _results(
    by_kind: Mapping[str, Counted], duration_s: float, to_latency: ToLatency
) -> Iterator[OperationResult]:
    for name in (*KINDS, COMMIT):
        if name in by_kind:
            counted = by_kind[name]
            yield OperationResult(
                name=name,
                operations=counted.operations,
                operations_per_s=counted.operations / duration_s,
                failed=counted.failed,
                latency_us=to_latency(latency_counts(counted.latencies)),
            )


def _slices(drove: Drove, to_latency: ToLatency) -> Iterator[OperationSlice]:
    """By second of the window and kind, all sessions together."""
    warm_up = drove.schedule.warm_up_slices
    by_number: dict[int, list[Mapping[str, Counted]]] = {}
    for track in drove.tracks:
        for number, piece in track.slices:
            by_number.setdefault(number, []).append(piece.counted)
    for number in sorted(number for number in by_number if number > warm_up):
        for name, counted in sorted(added(by_number[number]).items()):
            latency = to_latency(latency_counts(counted.latencies))
            yield OperationSlice(
                operation=name,
                start_s=(number - warm_up - 1) * SLICE_S,
                duration_s=SLICE_S,
                operations=counted.operations,
                latency_us_p50=latency.p50,
                latency_us_p99=latency.p99,
                latency_us_p999=latency.p999,
                latency_us_max=latency.max,
            )


def _session(drove: Drove, track: Track) -> ProofSession:
    counted = drove.counted_slices(track)
    begins = [piece.began_us for piece in counted if piece.began_us]
    ends = [piece.ended_us for piece in counted if piece.ended_us]
    reason = _not_whole(drove, track)
    return ProofSession(
        name=track.name,
        start=instant(min(begins)) if begins else None,
        end=instant(max(ends)) if ends else None,
        operations=sum(piece.operations for piece in counted),
        whole=not reason,
        reason=reason,
    )


def _not_whole(drove: Drove, track: Track) -> str:
    """Why a session did not run through the window; empty when it did."""
    reached = track.slices[-1][0] if track.slices else 0
    if track.error is not None:
        return track.error.message
    if reached < drove.schedule.slices:
        measured_s = max(0, reached - drove.schedule.warm_up_slices) * SLICE_S
        return f"it ended {measured_s:g} s after the window opened"
    return ""


def _lateness_us(drove: Drove) -> float:
    """How late, at worst, a session that had thought long enough began its next operation."""
    return float(
        max((piece.late_us for track in drove.tracks for piece in drove.counted_slices(track)), default=0)
    )


def _server_rates(drove: Drove, counts: ServerCounts | None) -> dict[str, Any]:
    """Blocks and log by the server's counters, over the time between the two readings of them."""
    if counts is None:
        return {}
    seconds = (drove.snapshots[-1].taken_at - drove.snapshots[0].taken_at).total_seconds()
    reads, hits, log_bytes = counts.block_reads, counts.block_hits, counts.log_bytes
    return {
        "logical_reads_per_s": None if reads is None or hits is None else (reads + hits) / seconds,
        "physical_reads_per_s": None if reads is None else reads / seconds,
        "cache_hits_per_s": None if hits is None else hits / seconds,
        "redo_mb_per_s": None if log_bytes is None else log_bytes / seconds / 1e6,
    }


def _agreements(ran: Ran, counts: ServerCounts | None) -> Iterator[Agreement]:
    yield _commits(ran, counts)
    entered = [worker.acknowledged for worker in ran.workers]
    orders = sum(one.orders for one in entered)
    lines = sum(one.order_lines for one in entered)
    gained = ran.gained
    of_rows = "the sessions' count, warm-up too, and the rows that the table gained"
    yield agreement("orders entered", orders, gained.orders if gained else None, of_rows)
    yield agreement("order lines entered", lines, gained.order_lines if gained else None, of_rows)


def _commits(ran: Ran, counts: ServerCounts | None) -> Agreement:
    """Each call, and each reading of the counters between the first and the last, is a committed transaction too."""
    pieces = [
        (worker, piece)
        for worker, track in zip(ran.workers, ran.drove.tracks, strict=True)
        for piece in ran.drove.counted_slices(track)
    ]
    told = sum(piece.operations + worker.calls_committed(piece) for worker, piece in pieces)
    told += max(0, len(ran.drove.snapshots) - 1)
    found = agreement(
        "commits", told, counts.commits if counts else None, "operations and our own calls, and xact_commit"
    )
    if found.holds is False and told < COMMITS_TELLING:
        reason = f"with only {told:,} a few transactions of others weigh more than {LIMIT_SHARE:.0%}"
        return found.model_copy(update={"holds": None, "reason": reason})
    return found


def agreement(what: str, sessions_count: float, server_count: float | None, of: str) -> Agreement:
    """Two counts of the same, which may differ by 2 %."""
    share, holds, reason = None, None, "the server's count could not be read"
    if server_count is not None:
        apart = server_count - sessions_count
        share = apart / sessions_count if sessions_count else None
        holds = abs(apart) <= LIMIT_SHARE * sessions_count
        reason = of
    return Agreement(
        what=what,
        sessions_count=sessions_count,
        server_count=server_count,
        difference_share=share,
        limit_share=LIMIT_SHARE,
        holds=holds,
        reason=reason,
    )


def _doubts(ran: Ran, sessions: Sequence[ProofSession], agreements: Sequence[Agreement]) -> Iterator[str]:
    drove = ran.drove
    if drove.failure is not None:
        yield f"the run broke off: {drove.failure.message}"
    elif drove.interrupted:
        yield "the run was interrupted"
    if not any(session.operations for session in sessions):
        yield "nothing was done in the window"
    if not drove.edge_clean:
        yield "the server's counters were read after sessions had begun to count, so both counts are not of the same time"
    broken = [session for session in sessions if not session.whole]
    if broken:
        yield f"{len(broken)} of {len(sessions)} sessions did not run through the window, {broken[0].name}: {broken[0].reason}"
    for one in agreements:
        if one.holds is False:
            yield f"{one.what}: the sessions counted {one.sessions_count:,.0f}, the server {one.server_count:,.0f}"
    yield from _doubts_of_data(ran.conditions)


def _doubts_of_data(conditions: Sequence[Condition]) -> Iterator[str]:
    for one in conditions:
        if one.holds is False:
            yield f"{one.name} does not hold: {one.reason}"
    unknown = [one for one in conditions if one.holds is None]
    if unknown:
        yield f"{len(unknown)} conditions were not checked: {unknown[0].reason}"
