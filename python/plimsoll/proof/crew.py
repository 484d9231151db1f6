"""The sessions of a drive: connected, prepared, called slice by slice and ended. A drive does not know where they run.

`LocalCrew` has them in threads of this process, on this host or as one of several.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

from plimsoll.base.errors import PlimsollError
from plimsoll.context import Context
from plimsoll.databases import Connection, Session
from plimsoll.proof.slices import Slice

SLICE_S = 1.0
_US = 1_000_000
_CONNECTING_MAX = 16
"""A server that starts a process for each session would let thousands that come at once wait for longer than they do."""
_POLL_S = 0.05
_PATIENCE_S = 2 * SLICE_S
_STAGE = "prove"

Tell = Callable[[int, "tuple[int, Slice] | None"], None]
"""Called with a session's place and a slice of it, with the boundary at which that ended; with None when it ended for good."""


class Worker(Protocol):
    """What a session does. One worker serves one session, in a thread of its own."""

    name: str

    def prepare(self, session: Session) -> None:
        """Everything that must not fall into the measured time: seeds, plans, procedures compiled."""
        ...

    def work(self, session: Session, from_us: int, until_us: int, state: str) -> Slice:
        """One slice: operations from the instant `from_us` (0: at once) until `until_us` of the server's clock."""
        ...


def name_of(worker: Worker) -> str:
    """By which the server knows its session."""
    return f"plimsoll {worker.name}"


class FarWorker(Worker, Protocol):
    """One whose session may be driven from another host."""

    workload: str
    """Of which it is, as `Proof.workload` names it."""

    @property
    def told(self) -> Mapping[str, Any]:
        """What that host has to know of it, as JSON has it."""
        ...


@dataclass
class Track:
    """What became of one session: its slices in order, by the number of the boundary at which each ended."""

    name: str
    server_process: int | None = None
    slices: list[tuple[int, Slice]] = field(default_factory=list)
    error: PlimsollError | None = None
    done: bool = False
    host: str = ""
    """From which host it is driven, where several were named."""
    is_lost: bool = False
    """Its host was lost before it had ended, for the reason of `error`."""
    unheard_s: float = 0.0
    """How long it may have gone on after its host was heard of for the last time."""


class Crew(Protocol):
    """All sessions of a drive."""

    @property
    def tracks(self) -> Sequence[Track]:
        """What became of each until now."""
        ...

    @property
    def is_stopped(self) -> bool:
        """Whether they end before the drive's end, for a wish or because one broke."""
        ...

    @property
    def ahead_s(self) -> float:
        """How long before the start it has to be told, in seconds."""
        ...

    def get_ready(self) -> None:
        """Connects and prepares all of them. Raises the first failure, a defect of ours too, and Interrupted."""
        ...

    def go(self, start_us: int) -> None:
        """Has all begin at that instant of the server's clock."""
        ...

    def wait(self, is_so: Callable[[], bool]) -> bool:
        """For a moment, or until something has changed; whether it is so then."""
        ...

    def catch_up(self) -> None:
        """Takes in all that was handed in until now."""
        ...

    def stop(self) -> None:
        """Lets each end with the slice that it is at."""
        ...

    def wait_done(self) -> None:
        """Until none works any more. A wish to end is passed on, and what then lasts too long is ended."""
        ...

    def end(self) -> None:
        """Closes all; they stay open until then, because their processes are looked at in the last reading."""
        ...

    def let_go(self) -> None:
        """The same in a hurry: nothing of them is wanted any more."""
        ...


class LocalCrew:
    """Sessions in threads of this process."""

    ahead_s = 0.25
    """Enough for every thread to send its first call; each waits for the instant inside the server."""

    def __init__(
        self,
        ctx: Context,
        connection: Connection,
        workers: Sequence[Worker],
        slices: int,
        tell: Tell = lambda place, piece: None,
        patience_s: float | None = None,
    ) -> None:
        """`patience_s`: after how long statements of sessions that are to end are cancelled."""
        self._ctx, self._connection, self._workers = ctx, connection, workers
        self._slices, self._tell = slices, tell
        self._patience_s = _PATIENCE_S if patience_s is None else patience_s
        self._tracks = [Track(worker.name) for worker in workers]
        self._sessions: list[Session | None] = [None] * len(workers)
        self._threads: list[threading.Thread] = []
        self._door = threading.Semaphore(_CONNECTING_MAX)
        self._ready = threading.Semaphore(0)
        self._go = threading.Event()
        self._stop = threading.Event()
        self._closing = threading.Event()
        self._changed = threading.Condition()
        self._start_us = 0
        self._defect: Exception | None = None

    @property
    def tracks(self) -> Sequence[Track]:
        """See `Crew`."""
        return self._tracks

    @property
    def is_stopped(self) -> bool:
        """See `Crew`."""
        return self._stop.is_set()

    @property
    def defect(self) -> Exception | None:
        """What is a defect of ours in a session's thread; `end` raises it."""
        return self._defect

    def get_ready(self) -> None:
        """See `Crew`."""
        count = "1 session" if len(self._workers) == 1 else f"{len(self._workers)} sessions"
        self._ctx.progress(_STAGE, f"connecting {count}")
        for place in range(len(self._workers)):
            thread = threading.Thread(
                target=self._session, args=(place,), name=f"plimsoll-session-{place}", daemon=True
            )
            self._threads.append(thread)
            thread.start()
        for _ in self._threads:
            while not self._ready.acquire(timeout=_POLL_S):
                self._ctx.cancel.check()
        for track in self._tracks:
            if track.error is not None:
                raise track.error
        if self._defect is not None:
            raise self._defect

    def go(self, start_us: int) -> None:
        """See `Crew`."""
        self._start_us = start_us
        self._go.set()

    def wait(self, is_so: Callable[[], bool]) -> bool:
        """See `Crew`."""
        with self._changed:
            if not is_so():
                self._changed.wait(_POLL_S)
            return is_so()

    def catch_up(self) -> None:
        """What was handed in is in the tracks at once."""

    def stop(self) -> None:
        """See `Crew`."""
        self._stop.set()

    def wait_done(self) -> None:
        """See `Crew`."""
        stopped_s: float | None = None
        while not self.wait(lambda: all(track.done for track in self._tracks)):
            if self._ctx.cancel.is_set:
                self._stop.set()
            if self._stop.is_set():
                now_s = self._ctx.clock.monotonic_s()
                stopped_s = now_s if stopped_s is None else stopped_s
                if now_s > stopped_s + self._patience_s:
                    self._cancel_all()
                    stopped_s = now_s

    def end(self) -> None:
        """See `Crew`. Raises what is a defect of ours in a session's thread."""
        self._stop.set()
        self._go.set()
        if self._threads:
            self.wait_done()
        self._closing.set()
        for thread in self._threads:
            thread.join()
        if self._defect is not None:
            raise self._defect

    def let_go(self) -> None:
        """See `Crew`. Sessions of this process have to be closed whatever happens."""
        self.end()

    def _cancel_all(self) -> None:
        for session in self._sessions:
            if session is not None:
                session.cancel()

    def _session(self, place: int) -> None:
        """The life of one session, in its own thread. Whatever happens in it, nobody is left waiting for it."""
        worker, track = self._workers[place], self._tracks[place]
        opened: list[Session] = []
        with self._door:
            self._guarded(track, lambda: opened.append(self._connection.session(name_of(worker))))
        for session in opened:
            self._sessions[place] = session
            track.server_process = session.server_process
            self._guarded(track, partial(worker.prepare, session))
        self._ready.release()
        self._go.wait()
        for session in opened:
            if track.error is None and self._defect is None:
                self._guarded(track, partial(self._work, session, place))
        self._note(place, None)
        self._closing.wait()
        self._sessions[place] = None
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

    def _work(self, session: Session, place: int) -> None:
        worker, number, state, from_us = self._workers[place], 0, "{}", self._start_us
        while number < self._slices and not self._stop.is_set():
            number += 1
            until_us = self._start_us + round(number * SLICE_S * _US)
            piece = worker.work(session, from_us, until_us, state)
            # An operation that outlasted further boundaries has used up their slices.
            reached_us = piece.ended_us or until_us
            number = min(self._slices, max(number, (reached_us - self._start_us) // round(SLICE_S * _US)))
            self._note(place, (number, piece))
            if piece.done:
                return
            from_us, state = 0, piece.state

    def _note(self, place: int, piece: tuple[int, Slice] | None) -> None:
        self._tell(place, piece)
        with self._changed:
            if piece is None:
                self._tracks[place].done = True
            else:
                self._tracks[place].slices.append(piece)
            self._changed.notify_all()
