"""The sessions of an order-entry run: who commits, and what of it is known to the client.

A `ServerWorker`'s transactions run in a procedure that commits each of them; the client hears of them once a second. A
`ClientWorker` calls the server for each transaction, which costs a round trip and tells of each one whether it was committed.
What the server has acknowledged to a session stands in the slices that it handed in, which outlive a broken session.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from plimsoll.base.errors import PlimsollError
from plimsoll.databases import Session, reads_answers
from plimsoll.ports.clock import Clock
from plimsoll.proof.order_entry.settings import KINDS, NEW_ORDER, Options, Scale, terminal
from plimsoll.proof.slices import COMMIT, Counted, Slice, bucket_of, slice_of

_WORK = "call plimsoll_orders.work(%s, %s, %s::jsonb, %s::jsonb, null)"
_WORK_ONCE = "call plimsoll_orders.work_once(%s::jsonb, null)"
_WAIT_UNTIL = "select pg_sleep(greatest(0, (%s::bigint - plimsoll_orders.now_us()) / 1e6))"
_HAND_IN = "select plimsoll_orders.hand_in()"
WORKLOAD = "order_entry"
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

    @classmethod
    def of(cls, session_id: int, pieces: Iterable[Slice]) -> Acknowledged:
        """By all slices that a session handed in, in their order."""
        found = cls(session_id)
        for piece in pieces:
            for kind, counted in piece.counted.items():
                if kind != COMMIT:
                    found.add(kind, counted.operations)
            found.order_lines = json.loads(piece.state)["order_lines"]
        return found


@dataclass(frozen=True)
class Seat:
    """Who a session is: its number from 0, the seed of what it asks for, and its `plimsoll_orders.terminal` as JSON."""

    session_id: int
    seed: float
    """Between -1 and 1, as setseed wants it."""
    terminal: str

    @classmethod
    def at(cls, scale: Scale, options: Options, session_id: int) -> Seat:
        """Of one of the sessions of a run."""
        return cls(session_id, _seed(options, session_id), terminal(scale, options, session_id))

    @property
    def name(self) -> str:
        """As the server and results show it."""
        return f"order-entry {self.session_id + 1}"

    def told(self, *, client_commits: bool) -> Mapping[str, Any]:
        """What another host has to know of its session."""
        return {
            "workload": WORKLOAD,
            "session_id": self.session_id,
            "seed": self.seed,
            "terminal": self.terminal,
            "client_commits": client_commits,
        }


class ServerWorker:
    """A session whose loop runs inside the server."""

    workload = WORKLOAD

    def __init__(self, seat: Seat) -> None:
        self._seat = seat
        self.name: str = seat.name

    @property
    def told(self) -> Mapping[str, Any]:
        """See `plimsoll.proof.crew.FarWorker`."""
        return self._seat.told(client_commits=False)

    def prepare(self, session: Session) -> None:
        """Seeds the session's random numbers and has its procedures compiled."""
        _begin(session, self._seat.seed)
        session.run(_WORK, [0, 0, "{}", self._seat.terminal])

    @reads_answers
    def work(self, session: Session, from_us: int, until_us: int, state: str) -> Slice:
        """See `plimsoll.proof.sessions.Worker`."""
        return slice_of(session.run(_WORK, [from_us, until_us, state, self._seat.terminal])[0][0])

    @staticmethod
    def calls_committed(piece: Slice) -> int:
        """Transactions that the server counts as committed besides the operations: the call's own, in which it hands in."""
        return 1


class ClientWorker:
    """A session that calls the server for each transaction. Latencies are the client's: the round trip is in them."""

    workload = WORKLOAD

    def __init__(self, seat: Seat, clock: Clock) -> None:
        self._seat, self._clock = seat, clock
        self.name: str = seat.name
        self._broken: PlimsollError | None = None
        self._reached_us = 0
        self._order_lines = 0

    @property
    def told(self) -> Mapping[str, Any]:
        """See `plimsoll.proof.crew.FarWorker`."""
        return self._seat.told(client_commits=True)

    def prepare(self, session: Session) -> None:
        """Seeds the session's random numbers."""
        _begin(session, self._seat.seed)

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
        return tally.slice(self._order_lines)

    @reads_answers
    def _one(self, session: Session, tally: _Tally) -> None:
        """One transaction. Its end by the server's clock is its beginning there and how long it took here, the way there too."""
        sent_s = self._clock.monotonic_s()
        number, began_us, order_lines = json.loads(session.run(_WORK_ONCE, [self._seat.terminal])[0][0])
        took_us = round((self._clock.monotonic_s() - sent_s) * 1e6)
        kind = KINDS[number]
        tally.add(kind, began_us, took_us, committed=order_lines is not None)
        self._order_lines += order_lines or 0

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

    def slice(self, order_lines: int) -> Slice:
        """All of it, as a session of the server's would have answered; `order_lines` are those of the session until now."""
        counted = {
            kind: Counted(self.operations[kind], 0, self.failed[kind], self.latencies.get(kind, {}))
            for kind in KINDS
            if self.operations[kind] or self.failed[kind]
        }
        state = json.dumps({"order_lines": order_lines})
        return Slice(self.began_us, self.reached_us if self.counted else None, counted, state=state)


OrderWorker = ServerWorker | ClientWorker


def workers(scale: Scale, options: Options, clock: Clock) -> list[OrderWorker]:
    """One for each session."""
    seats = (Seat.at(scale, options, number) for number in range(options.sessions))
    return [_worker(seat, clock, client_commits=options.client_commits) for seat in seats]


def worker_of(told: Mapping[str, Any], clock: Clock) -> OrderWorker:
    """As another host was told. Raises KeyError, TypeError, ValueError."""
    seat = Seat(int(told["session_id"]), float(told["seed"]), str(told["terminal"]))
    return _worker(seat, clock, client_commits=bool(told["client_commits"]))


def _worker(seat: Seat, clock: Clock, *, client_commits: bool) -> OrderWorker:
    return ClientWorker(seat, clock) if client_commits else ServerWorker(seat)


def _seed(options: Options, session_id: int) -> float:
    mixed = (options.seed * _SEED_STEP + (session_id + 1) * _SESSION_STEP) % _SEED_RANGE
    return 2 * mixed / _SEED_RANGE - 1


def _begin(session: Session, seed: float) -> None:
    """The isolation for which the order of locks was made, and the session's own random numbers."""
    session.run("set default_transaction_isolation = 'read committed'")
    session.run("select setseed(%s)", [seed])
