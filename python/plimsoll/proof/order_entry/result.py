"""From a finished drive to the facts of a proof: rates, latencies, sessions, and two counts of the same beside each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from plimsoll.base.units import format_share
from plimsoll.databases import Connection, ServerCounts
from plimsoll.facts import Agreement, Condition, Note, OperationResult, Proof, ProofSession
from plimsoll.proof.by_host import doubts_of_lost, hosts_of, of_lost, untold
from plimsoll.proof.order_entry.ledger import Gained
from plimsoll.proof.order_entry.settings import KINDS, NEW_ORDER, ORDER_LINES_MAX
from plimsoll.proof.order_entry.worker import Acknowledged, OrderWorker
from plimsoll.proof.origin import origin
from plimsoll.proof.server import Fetched, commit_parts, counts_of, others_commits, rates
from plimsoll.proof.sessions import Drove
from plimsoll.proof.slices import COMMIT, Slice
from plimsoll.proof.surroundings import Surroundings
from plimsoll.proof.window import (
    AGREEMENT_SHARE_MAX,
    Windowed,
    agreement,
    uneven,
    unsteady,
    windowed,
)

COMMITS_TELLING = 1_000
"""With fewer, a few transactions of others, of autovacuum for one, weigh more than the two counts may differ."""


_OF_ROWS = "the sessions' count and the rows that the table gained"


@dataclass(frozen=True)
class Ran:
    """A run that is over: how it was driven, and what was found in the data afterwards."""

    drove: Drove
    workers: Sequence[OrderWorker]
    acknowledged: Sequence[Acknowledged]
    gained: Gained | None
    conditions: tuple[Condition, ...]
    settings: dict[str, str]
    notes: tuple[Note, ...]
    has_pauses: bool
    fetched: Fetched
    tended: int = 0
    """Tables that the server tended of its own accord meanwhile."""
    has_ledger: bool = False
    around: Surroundings | None = None


def proof_of(ran: Ran, connection: Connection) -> Proof:
    """All of it as one fact."""
    drove = ran.drove
    made, whole = _windowed(ran, drove), _windowed(ran, drove.without_lost)
    counts = counts_of(connection, drove)
    agreements = tuple(_agreements(ran, counts, made))
    around = ran.around
    doubts = (*_doubts(ran, whole, agreements), *(around.doubts() if around else ()))
    base = Proof(
        workload="order_entry", database=connection.database, settings=ran.settings, holds=not doubts, doubts=doubts,
        agreements=agreements, conditions=ran.conditions,
        notes=(*ran.notes, *(around.notes() if around else ())), **(around.facts(counts) if around else {}),
        sessions=_with_acknowledged(ran, made.sessions),
        hosts=hosts_of(drove, lambda part: _windowed(ran, part), is_paced=ran.has_pauses),
    )  # fmt: skip
    if not whole.operations:
        return base
    return base.model_copy(
        update={
            "window": whole.window, "operations_per_s": whole.operations_per_s, **rates(counts, whole.session_s),
            "operations": _in_order(whole), "slices": whole.slices,
            "origin": origin(counts, whole.session_s, connection.database, ran.fetched.in_window(drove)),
            "commit": commit_parts(made, counts),
            "lateness_us_max": _lateness_us(drove) if ran.has_pauses else None,
        }
    )  # fmt: skip


def _windowed(ran: Ran, drove: Drove) -> Windowed:
    return windowed(drove, ran.has_pauses, work_loop=False)


def _with_acknowledged(ran: Ran, sessions: Sequence[ProofSession]) -> tuple[ProofSession, ...]:
    """With what each of them was told to be committed, where a ledger can be held against it."""
    if not ran.has_ledger:
        return tuple(sessions)
    return tuple(
        session.model_copy(
            update={
                "acknowledged": known.transactions,
                "acknowledged_orders": known.orders,
            }
        )
        for session, known in zip(sessions, ran.acknowledged, strict=True)
    )


def _in_order(made: Windowed) -> tuple[OperationResult, ...]:
    """As the specification names them, the commit last. Rows that a transaction touches are not counted."""
    by_name = {one.name: one for one in made.operations}
    return tuple(
        by_name[name].model_copy(update={"blocks": None}) for name in (*KINDS, COMMIT) if name in by_name
    )


def _lateness_us(drove: Drove) -> float:
    """How late, at worst, a session that had thought long enough began its next operation."""
    return float(
        max((piece.late_us for track in drove.tracks for piece in drove.counted_slices(track)), default=0)
    )


def _agreements(ran: Ran, counts: ServerCounts, made: Windowed) -> Iterator[Agreement]:
    yield _commits(ran, counts, made)
    orders = sum(one.orders for one in ran.acknowledged)
    lines = sum(one.order_lines for one in ran.acknowledged)
    gained, lost = ran.gained, untold(ran.drove, _orders_of)
    yield agreement(
        "orders entered, with warm-up", orders, gained.orders if gained else None, f"{_OF_ROWS}{of_lost(lost)}", unheard=lost
    )  # fmt: skip
    lost *= ORDER_LINES_MAX
    yield agreement(
        "order lines entered, with warm-up", lines, gained.order_lines if gained else None, f"{_OF_ROWS}{of_lost(lost)}",
        unheard=lost,
    )  # fmt: skip


def _orders_of(piece: Slice) -> float:
    return float(piece.counted[NEW_ORDER].operations) if NEW_ORDER in piece.counted else 0.0


def _commits(ran: Ran, counts: ServerCounts, made: Windowed) -> Agreement:
    """Each call, and each reading of the counters between the first and the last, is a committed transaction too."""
    pieces = [
        (worker, piece)
        for worker, track in zip(ran.workers, ran.drove.tracks, strict=True)
        for piece in ran.drove.counted_slices(track)
    ]
    told = sum(piece.operations + worker.calls_committed(piece) for worker, piece in pieces)
    told += max(0, len(ran.drove.snapshots) - 1)
    others = others_commits(made.window.duration_s, ran.tended)
    lost = untold(ran.drove, lambda piece: piece.operations + ran.workers[0].calls_committed(piece))
    how = f"operations and our own calls, and xact_commit, of which up to {others:,} may be the server's own{of_lost(lost)}"
    found = agreement("commits", told, counts.commits, how, slack=others, unheard=lost)
    if found.holds is False and told < COMMITS_TELLING:
        reason = f"with only {told:,} a few transactions of others weigh more than {format_share(AGREEMENT_SHARE_MAX)}"
        return found.model_copy(update={"holds": None, "reason": reason})
    return found


def _doubts(ran: Ran, made: Windowed, agreements: Sequence[Agreement]) -> Iterator[str]:
    sessions = made.sessions
    drove = ran.drove
    lost = tuple(doubts_of_lost(drove))
    yield from lost
    if drove.failure is not None and drove.failure.message not in lost:
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
    yield from uneven(made)
    yield from unsteady(made)
    yield from _doubts_of_data(ran.conditions)


def _doubts_of_data(conditions: Sequence[Condition]) -> Iterator[str]:
    for one in conditions:
        if one.holds is False:
            yield f"{one.name} does not hold: {one.reason}"
    unknown = [one for one in conditions if one.holds is None]
    if unknown:
        yield f"{len(unknown)} conditions were not checked: {unknown[0].reason}"
