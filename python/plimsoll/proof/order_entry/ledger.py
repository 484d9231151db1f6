"""What a run wrote, counted twice: by its sessions, and in the data that is there afterwards.

At the beginning the highest order of each district is noted, so that the orders which the run entered can be counted alone. With a
ledger each session also writes its own count in every transaction. After a crash the ledger must hold at least what the server had
acknowledged to the session, and the rows of the data exactly what the ledger says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from plimsoll.databases import Session, reads_answers
from plimsoll.facts import Condition
from plimsoll.proof.order_entry import queries
from plimsoll.proof.order_entry.worker import Acknowledged

_SESSIONS_NAMED_MAX = 3


@dataclass(frozen=True)
class Gained:
    """Rows that a run added."""

    orders: int
    order_lines: int
    payments: int


def begin(session: Session, sessions: int) -> None:
    """Notes where the data stands, and starts the ledger anew for so many sessions: on disk, whatever the run's own commits do."""
    session.run("set synchronous_commit = on")
    session.run(queries.text("run_start"))
    session.run(
        "insert into plimsoll_orders.ledger select n, 0, 0, 0, 0, 0 from generate_series(0, %s::int - 1) n",
        [sessions],
    )
    session.run("reset synchronous_commit")


@reads_answers
def began(session: Session) -> str | None:
    """When the ledger that is there began, by the server's clock in UTC and to the microsecond; None where no run began one."""
    return session.run(_BEGAN)[0][0]


@reads_answers
def gained(session: Session) -> Gained:
    """What the run that began last has added until now."""
    return Gained(*session.run(queries.text("gained"))[0])


def check(session: Session, acknowledged: Sequence[Acknowledged]) -> tuple[Condition, ...]:
    """Whether all that was acknowledged is there, and whether all that is there is in the ledger."""
    return (_nothing_lost(session, acknowledged), _nothing_in_part(session))


@reads_answers
def _nothing_lost(session: Session, acknowledged: Sequence[Acknowledged]) -> Condition:
    kept = {row[0]: row[1:] for row in session.run(_LEDGER)}
    lost = [one for one in acknowledged if not _covers(kept.get(one.session_id, (0, 0)), one)]
    told = sum(one.transactions for one in acknowledged)
    there = sum(row[0] for row in kept.values())
    return Condition(
        name="no-acknowledged-commit-lost",
        help="Each session's ledger holds at least the transactions and orders that the server had acknowledged to it.",
        holds=not lost if told else None,
        reason=_missing(lost, kept) if lost else _all_there(told, there),
    )


def _all_there(told: int, there: int) -> str:
    if not told:
        return f"no commit had been acknowledged, so none can be missing; {there:,} are in the ledger"
    return f"{told:,} commits were acknowledged, {there:,} are in the ledger"


def _missing(lost: Sequence[Acknowledged], kept: dict[int, tuple[int, ...]]) -> str:
    """How much is missing of whom."""
    gone = sum(max(0, one.transactions - kept.get(one.session_id, (0, 0))[0]) for one in lost)
    of_each = []
    for one in lost[:_SESSIONS_NAMED_MAX]:
        transactions, orders = kept.get(one.session_id, (0, 0))
        of_each.append(
            f"session {one.session_id + 1}: {one.transactions} transactions with {one.orders} orders were acknowledged, "
            f"{transactions} with {orders} are there"
        )
    more = len(lost) - _SESSIONS_NAMED_MAX
    rest = f"; and of {more} more sessions" if more > 0 else ""
    many = "1 acknowledged commit is" if gone == 1 else f"{gone:,} acknowledged commits are"
    return f"{many} missing: {'; '.join(of_each)}{rest}"


def _covers(kept: tuple[int, ...], told: Acknowledged) -> bool:
    return kept[0] >= told.transactions and kept[1] >= told.orders


@reads_answers
def _nothing_in_part(session: Session) -> Condition:
    """A transaction is there with all that it wrote, or not at all."""
    there = gained(session)
    orders, order_lines, payments = session.run(_LEDGER_SUMS)[0]
    written = Gained(int(orders), int(order_lines), int(payments))
    return Condition(
        name="no-transaction-in-part",
        help="The orders, order lines and payments that the run added are exactly those of the ledger.",
        holds=there == written,
        reason=f"added: {_told(there)}; in the ledger: {_told(written)}",
    )


def _told(of: Gained) -> str:
    return f"{of.orders:,} orders, {of.order_lines:,} order lines, {of.payments:,} payments"


_LEDGER = "select session_id, transactions, orders from plimsoll_orders.ledger order by session_id"
_LEDGER_SUMS = """
select
    coalesce(sum(orders), 0) as orders,
    coalesce(sum(order_lines), 0) as order_lines,
    coalesce(sum(payments), 0) as payments
from plimsoll_orders.ledger
"""
_BEGAN = """
select to_char(min(started_at) at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')
from plimsoll_orders.run_start
"""
