"""The sessions of an order-entry run: who commits, and what of it is known to the client.

A `ServerWorker`'s transactions run in a procedure that commits each of them; the client hears of them once a second. A
`ClientWorker` calls the server for each transaction, which costs a round trip and tells of each one whether it was committed.
Both keep count of what the server has acknowledged, in one place that outlives a broken session.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field

from plimsoll.base.errors import PlimsollError
from plimsoll.databases import Session, reads_answers
from plimsoll.ports.clock import Clock
from plimsoll.proof.order_entry.settings import KINDS, NEW_ORDER, Options, Scale, terminal
from plimsoll.proof.slices import COMMIT, Counted, Slice, bucket_of, slice_of

_WORK = "call plimsoll_orders.work(%s, %s, %s::jsonb, %s::jsonb, null)"
_WORK_ONCE = "call plimsoll_orders.work_once(%s::jsonb, null)"
_WAIT_UNTIL = "select pg_sleep(greatest(0, (%s::bigint - plimsoll_orders.now_us()) / 1e6))"
_HAND_IN = "select plimsoll_orders.hand_in()"
_SEED_RANGE = 2**31
_SEED_STEP, _SESSION_STEP = 2_654_435_761, 1_640_531_527
"""Odd and large, so that neighbouring seeds and sessions lie far apart (Knuth's multiplicative hashing)."""


@dataclass
class Acknowledged:
    """What the server has told a session to be committed, warm-up too."""

    session_id: int
    transactions: int = 0
    order_lines: int = 0
    by_kind: dict[str, int] = field(default_factory=dict)

    def add(self, kind: str, operations: int) -> None:
        """Some transactions of a kind more."""
        self.by_kind[kind] = self.by_kind.get(kind, 0) + operations
        self.transactions += operations

    @property
    def orders(self) -> int:
        """New orders that were entered."""
        return self.by_kind.get(NEW_ORDER, 0)


class ServerWorker:
    """A session whose loop runs inside the server."""

    def __init__(self, scale: Scale, options: Options, session_id: int) -> None:
        self.name: str = _name(session_id)
        self.acknowledged: Acknowledged = Acknowledged(session_id)
        self._seed = _seed(options, session_id)
        self._terminal = terminal(scale, options, session_id)

    def prepare(self, session: Session) -> None:
        """Seeds the session's random numbers and has its procedures compiled."""
        _begin(session, self._seed)
        session.run(_WORK, [0, 0, "{}", self._terminal])

    @reads_answers
    def work(self, session: Session, from_us: int, until_us: int, state: str) -> Slice:
        """See `plimsoll.proof.sessions.Worker`."""
        piece = slice_of(session.run(_WORK, [from_us, until_us, state, self._terminal])[0][0])
        for kind, counted in piece.counted.items():
            if kind != COMMIT:
                self.acknowledged.add(kind, counted.operations)
        self.acknowledged.order_lines = json.loads(piece.state)["order_lines"]
        return piece

    @staticmethod
    def calls_committed(piece: Slice) -> int:
        """Transactions that the server counts as committed besides the operations: the call's own, in which it hands in."""
        return 1


class ClientWorker:
    """A session that calls the server for each transaction. Latencies are the client's: the round trip is in them."""

    def __init__(self, scale: Scale, options: Options, session_id: int, clock: Clock) -> None:
        self.name: str = _name(session_id)
        self.acknowledged: Acknowledged = Acknowledged(session_id)
        self._clock = clock
        self._seed = _seed(options, session_id)
        self._terminal = terminal(scale, options, session_id)
        self._broken: PlimsollError | None = None
        self._reached_us = 0

    def prepare(self, session: Session) -> None:
        """Seeds the session's random numbers."""
        _begin(session, self._seed)

    def work(self, session: Session, from_us: int, until_us: int, state: str) -> Slice:
        """See `plimsoll.proof.sessions.Worker`. What came before an error is handed in, then the error raised."""
        if self._broken is not None:
            raise self._broken
        tally = _Tally(self._reached_us)
        try:
            if from_us:
                session.run(_WAIT_UNTIL, [from_us])
            while tally.reached_us < until_us:
                self._one(session, tally)
            session.run(_HAND_IN)
        except PlimsollError as error:
            if not tally.counted:
                raise
            self._broken = error
        self._reached_us = tally.reached_us
        return tally.slice()

    @reads_answers
    def _one(self, session: Session, tally: _Tally) -> None:
        """One transaction. Its end by the server's clock is its beginning there and how long it took here, the way there too."""
        sent_s = self._clock.monotonic_s()
        number, began_us, order_lines = json.loads(session.run(_WORK_ONCE, [self._terminal])[0][0])
        took_us = round((self._clock.monotonic_s() - sent_s) * 1e6)
        kind = KINDS[number]
        tally.add(kind, began_us, took_us, committed=order_lines is not None)
        if order_lines is not None:
            self.acknowledged.add(kind, 1)
            self.acknowledged.order_lines += order_lines

    @staticmethod
    def calls_committed(piece: Slice) -> int:
        """A call that rolled back ends with a commit of nothing, and one more hands in."""
        return 1 + sum(counted.failed for counted in piece.counted.values())


@dataclass
class _Tally:
    """Counts of a slice, by the client. It begins no sooner than the one before had ended, which is told late by the way there."""

    after_us: int = 0
    began_us: int | None = None
    reached_us: int = 0
    operations: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    latencies: dict[str, Counter[int]] = field(default_factory=dict)

    @property
    def counted(self) -> bool:
        """Whether there is anything to hand in."""
        return self.began_us is not None

    def add(self, kind: str, began_us: int, took_us: int, committed: bool) -> None:
        """One transaction more."""
        self.began_us = max(began_us, self.after_us) if self.began_us is None else self.began_us
        self.reached_us = began_us + took_us
        if not committed:
            self.failed[kind] += 1
            return
        self.operations[kind] += 1
        self.latencies.setdefault(kind, Counter())[bucket_of(took_us)] += 1

    def slice(self) -> Slice:
        """All of it, as a session of the server's would have answered."""
        counted = {
            kind: Counted(self.operations[kind], 0, self.failed[kind], self.latencies.get(kind, {}))
            for kind in KINDS
            if self.operations[kind] or self.failed[kind]
        }
        return Slice(self.began_us, self.reached_us if self.counted else None, counted)


OrderWorker = ServerWorker | ClientWorker


def workers(scale: Scale, options: Options, clock: Clock) -> list[OrderWorker]:
    """One for each session."""
    if options.client_commits:
        return [ClientWorker(scale, options, number, clock) for number in range(options.sessions)]
    return [ServerWorker(scale, options, number) for number in range(options.sessions)]


def _name(session_id: int) -> str:
    return f"order-entry {session_id + 1}"


def _seed(options: Options, session_id: int) -> float:
    """Between -1 and 1, as setseed wants it."""
    mixed = (options.seed * _SEED_STEP + (session_id + 1) * _SESSION_STEP) % _SEED_RANGE
    return 2 * mixed / _SEED_RANGE - 1


def _begin(session: Session, seed: float) -> None:
    """The isolation for which the order of locks was made, and the session's own random numbers."""
    session.run("set default_transaction_isolation = 'read committed'")
    session.run("select setseed(%s)", [seed])
