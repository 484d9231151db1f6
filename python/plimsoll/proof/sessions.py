"""Drives many sessions of a database through one window: together at the start, counted by the server's own clock.

All sessions connect and prepare themselves first. Only when the last one is ready is the start set, an instant of the server's
clock a moment ahead, for which each waits inside the server. Warm-up slices come first and are left out. The server's counters
are read when every session has handed in its last slice of warm-up, and again when every session has ended: so both counts are
of the very same operations, however long one of them lasts at the window's edges.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from plimsoll.base.errors import PlimsollError
from plimsoll.context import Context
from plimsoll.databases import Connection, Session
from plimsoll.facts import Snapshot
from plimsoll.proof.slices import Slice

SLICE_S = 1.0
_US = 1_000_000
_START_AHEAD_S = 0.25
"""Enough for every thread to send its first call; each waits for the instant inside the server."""
_CONNECTING_MAX = 16
"""A server that starts a process for each session would let thousands that come at once wait for longer than they do."""
_POLL_S = 0.05
_PATIENCE_S = 2 * SLICE_S
_STAGE = "prove"


class Worker(Protocol):
    """What a session does. One worker serves one session, in a thread of its own."""

    name: str

    def prepare(self, session: Session) -> None:
        """Everything that must not fall into the measured time: seeds, plans, procedures compiled."""
        ...

    def work(self, session: Session, from_us: int, until_us: int, state: str) -> Slice:
        """One slice: operations from the instant `from_us` (0: at once) until `until_us` of the server's clock."""
        ...


@dataclass(frozen=True)
class Schedule:
    """How long to warm up and how long to measure, in seconds; whole slices."""

    warm_up_s: float
    run_s: float

    @property
    def warm_up_slices(self) -> int:
        """Slices that are left out; without any, the window opens as the sessions start."""
        return round(self.warm_up_s / SLICE_S)

    @property
    def slices(self) -> int:
        """All slices, warm-up too."""
        return self.warm_up_slices + max(1, round(self.run_s / SLICE_S))


@dataclass
class Track:
    """What became of one session: its slices in order, by the number of the boundary at which each ended."""

    name: str
    server_process: int | None = None
    slices: list[tuple[int, Slice]] = field(default_factory=list)
    error: PlimsollError | None = None
    done: bool = False


@dataclass(frozen=True)
class Drove:
    """A finished drive. The window is an interval of the server's clock, in µs since 1970."""

    tracks: tuple[Track, ...]
    schedule: Schedule
    start_us: int
    """When the first slice of warm-up began."""
    before: Snapshot
    """When all sessions were ready and none had begun."""
    snapshots: tuple[Snapshot, ...]
    """At the window's opening, each second in it, and after its end; fewer than two when it never opened or the server went."""
    edge_clean: bool
    """The first snapshot was taken before any session handed in a slice of the window."""
    interrupted: bool
    failure: PlimsollError | None

    @property
    def opens_us(self) -> int:
        """When the warm-up was over."""
        return self.start_us + round(self.schedule.warm_up_slices * SLICE_S * _US)

    @property
    def closes_us(self) -> int:
        """Until when sessions begin operations."""
        return self.start_us + round(self.schedule.slices * SLICE_S * _US)

    def counted_slices(self, track: Track) -> list[Slice]:
        """A session's slices of the window."""
        return [piece for number, piece in track.slices if number > self.schedule.warm_up_slices]


AtReading = Callable[[Sequence[int | None]], None]
"""Called at the moment of each snapshot, with the ids of the processes that serve the sessions."""


def drive(
    ctx: Context,
    connection: Connection,
    workers: Sequence[Worker],
    schedule: Schedule,
    at_reading: AtReading = lambda processes: None,
    settle: Callable[[], None] = lambda: None,
) -> Drove:
    """Runs all workers through the window; an interrupted or broken one gives what was counted until then.

    `settle` is called when all sessions are ready and none has begun. Raises what connecting, preparing and it raise.
    """
    return _Drive(ctx, connection, workers, schedule, at_reading, settle).run()


class _Drive:
    def __init__(
        self,
        ctx: Context,
        connection: Connection,
        workers: Sequence[Worker],
        schedule: Schedule,
        at_reading: AtReading,
        settle: Callable[[], None],
    ) -> None:
        self._ctx, self._connection, self._workers, self._schedule = ctx, connection, workers, schedule
        self._at_reading, self._settle = at_reading, settle
        self._tracks = [Track(worker.name) for worker in workers]
        self._sessions: list[Session | None] = [None] * len(workers)
        self._door = threading.Semaphore(_CONNECTING_MAX)
        self._ready = threading.Semaphore(0)
        self._go = threading.Event()
        self._stop = threading.Event()
        self._closing = threading.Event()
        self._changed = threading.Condition()
        self._start_us = 0
        self._defect: Exception | None = None

    def run(self) -> Drove:
        threads = [
            threading.Thread(
                target=self._session, args=(index,), name=f"plimsoll-session-{index}", daemon=True
            )
            for index in range(len(self._workers))
        ]
        count = "1 session" if len(threads) == 1 else f"{len(threads)} sessions"
        self._ctx.progress(_STAGE, f"connecting {count}")
        for thread in threads:
            thread.start()
        try:
            self._wait_ready(len(threads))
            self._settle()
            return self._through()
        finally:
            self._end(threads)
            if self._defect is not None:
                raise self._defect

    def _wait_ready(self, count: int) -> None:
        """Until each session is ready or failed. Raises the first failure."""
        for _ in range(count):
            while not self._ready.acquire(timeout=_POLL_S):
                self._ctx.cancel.check()
        for track in self._tracks:
            if track.error is not None:
                raise track.error

    def _through(self) -> Drove:
        now = self._read()
        server_now_s = self._ctx.clock.now().timestamp() + now.clock_offset_s
        self._start_us = round((server_now_s + _START_AHEAD_S) * _US)
        warm_up = self._schedule.warm_up_slices
        snapshots: list[Snapshot] = [] if warm_up else [now]
        clean, failure = True, None
        self._go.set()
        try:
            if not warm_up or self._wait_for(warm_up):
                if warm_up:
                    snapshots.append(self._read())
                    clean = not self._any_beyond(warm_up)
                for number in range(warm_up + 1, self._schedule.slices):
                    if not self._wait_for(number) or all(track.done for track in self._tracks):
                        break
                    snapshots.append(self._read())
            self._wait_done()
            if snapshots:
                snapshots.append(self._read())
        except PlimsollError as error:
            failure = error
            self._stop.set()
        broken = next((track.error for track in self._tracks if track.error is not None), None)
        return Drove(
            tuple(self._tracks), self._schedule, self._start_us, now, tuple(snapshots), clean,
            self._ctx.cancel.is_set, broken or failure,
        )  # fmt: skip

    def _read(self) -> Snapshot:
        self._at_reading([track.server_process for track in self._tracks])
        return self._connection.snapshot()

    def _wait_for(self, number: int) -> bool:
        """Until every session has handed in the slice that ends at that boundary; False when the drive ends before."""
        with self._changed:
            while not self._stop.is_set():
                if all(self._has_passed(track, number) for track in self._tracks):
                    self._tell(number)
                    return True
                self._changed.wait(_POLL_S)
                if self._ctx.cancel.is_set:
                    self._stop.set()
        return False

    @staticmethod
    def _has_passed(track: Track, number: int) -> bool:
        return track.done or bool(track.slices and track.slices[-1][0] >= number)

    def _any_beyond(self, number: int) -> bool:
        with self._changed:
            return any(track.slices and track.slices[-1][0] > number for track in self._tracks)

    def _tell(self, number: int) -> None:
        """Live figures of the slice that has just ended."""
        total = self._schedule.slices
        rate = (
            sum(piece.operations for track in self._tracks for at, piece in track.slices if at == number)
            / SLICE_S
        )
        phase = "warming up" if number <= self._schedule.warm_up_slices else "measuring"
        left_s = (total - number) * SLICE_S
        self._ctx.progress(_STAGE, f"{phase}, {rate:,.0f} operations per second", number / total, left_s)

    def _wait_done(self) -> None:
        """Until no session works any more. A stop lets each finish its slice, then ends what lasts longer."""
        stopped_s: float | None = None
        with self._changed:
            while not all(track.done for track in self._tracks):
                self._changed.wait(_POLL_S)
                if self._ctx.cancel.is_set:
                    self._stop.set()
                if self._stop.is_set():
                    now_s = self._ctx.clock.monotonic_s()
                    stopped_s = now_s if stopped_s is None else stopped_s
                    if now_s > stopped_s + _PATIENCE_S:
                        self._cancel_all()
                        stopped_s = now_s

    def _cancel_all(self) -> None:
        for session in self._sessions:
            if session is not None:
                session.cancel()

    def _end(self, threads: Sequence[threading.Thread]) -> None:
        """Sessions stay open until the last reading, because their processes are looked at in it."""
        self._stop.set()
        self._go.set()
        self._wait_done()
        self._closing.set()
        for thread in threads:
            thread.join()

    def _session(self, index: int) -> None:
        """The life of one session, in its own thread. Whatever happens in it, nobody is left waiting for it."""
        worker, track = self._workers[index], self._tracks[index]
        opened: list[Session] = []
        with self._door:
            self._guarded(track, lambda: opened.append(self._connection.session(f"plimsoll {worker.name}")))
        for session in opened:
            self._sessions[index] = session
            track.server_process = session.server_process
            self._guarded(track, partial(worker.prepare, session))
        self._ready.release()
        self._go.wait()
        for session in opened:
            if track.error is None and self._defect is None:
                self._guarded(track, partial(self._slices, session, worker, track))
        self._note(track, None)
        self._closing.wait()
        self._sessions[index] = None
        for session in opened:
            session.close()

    def _guarded(self, track: Track, act: Callable[[], None]) -> None:
        """What goes wrong is the track's error, or a defect of ours for the thread that waits, and ends the drive."""
        try:
            act()
        except PlimsollError as error:
            ended_by_us = self._stop.is_set() and error.id == "database-cancelled"
            track.error = None if ended_by_us else error
            self._stop.set()
        except Exception as error:  # noqa: BLE001 - raised again by the thread that waits
            self._defect = error
            self._stop.set()

    def _slices(self, session: Session, worker: Worker, track: Track) -> None:
        number, state, from_us = 0, "{}", self._start_us
        while number < self._schedule.slices and not self._stop.is_set():
            number += 1
            until_us = self._start_us + round(number * SLICE_S * _US)
            piece = worker.work(session, from_us, until_us, state)
            # An operation that outlasted further boundaries has used up their slices.
            reached_us = piece.ended_us or until_us
            number = min(
                self._schedule.slices, max(number, (reached_us - self._start_us) // round(SLICE_S * _US))
            )
            self._note(track, (number, piece))
            if piece.done:
                return
            from_us, state = 0, piece.state

    def _note(self, track: Track, piece: tuple[int, Slice] | None) -> None:
        with self._changed:
            if piece is None:
                track.done = True
            else:
                track.slices.append(piece)
            self._changed.notify_all()
