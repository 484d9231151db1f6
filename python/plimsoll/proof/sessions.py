"""Drives many sessions of a database through one window: together at the start, counted by the server's own clock.

All sessions connect and prepare themselves first. Only when the last one is ready is the start set, an instant of the server's
clock a moment ahead, for which each waits inside the server. Warm-up slices come first and are left out. The server's counters
are read when every session has handed in its last slice of warm-up, and again when every session has ended: so both counts are
of the very same operations, however long one of them lasts at the window's edges.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from plimsoll.base.errors import PlimsollError
from plimsoll.context import Context
from plimsoll.databases import Connection
from plimsoll.facts import Snapshot
from plimsoll.proof.crew import SLICE_S, Crew, FarWorker, Track
from plimsoll.proof.slices import Slice

_US = 1_000_000
_STAGE = "prove"


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
    def lost(self) -> tuple[Track, ...]:
        """Sessions of hosts that were lost: what they did since their last word nobody here knows."""
        return tuple(track for track in self.tracks if track.is_lost)

    @property
    def without_lost(self) -> Drove:
        """The same of the sessions whose hosts were there to the end; of all where no host was."""
        left = tuple(track for track in self.tracks if not track.is_lost)
        return replace(self, tracks=left) if left else self

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


Hire = Callable[[Sequence[FarWorker], Schedule], Crew]
"""Has sessions driven from elsewhere."""
AtReading = Callable[[Sequence[int | None]], None]
"""Called at the moment of each snapshot, with the ids of the processes that serve the sessions."""


def drive_crew(
    ctx: Context,
    connection: Connection,
    crew: Crew,
    schedule: Schedule,
    at_reading: AtReading = lambda processes: None,
    settle: Callable[[], None] = lambda: None,
) -> Drove:
    """Takes sessions, wherever they run, through the window; an interrupted or broken drive gives what was counted until then.
    They are ended whatever happens.

    `settle` is called when all are ready and none has begun. Raises what connecting, preparing and it raise.
    """
    try:
        crew.get_ready()
        settle()
        drove = _Drive(ctx, connection, crew, schedule, at_reading).through()
    except PlimsollError:
        crew.end()
        raise
    except BaseException:
        # Whoever wants it to end at once waits for nobody.
        crew.let_go()
        raise
    crew.end()
    return drove


class _Drive:
    """One course through the window, with sessions that are ready."""

    def __init__(
        self, ctx: Context, connection: Connection, crew: Crew, schedule: Schedule, at_reading: AtReading
    ) -> None:
        self._ctx, self._connection, self._crew, self._schedule = ctx, connection, crew, schedule
        self._at_reading = at_reading

    def through(self) -> Drove:
        now = self._read()
        server_now_s = self._ctx.clock.now().timestamp() + now.clock_offset_s
        start_us = round((server_now_s + self._crew.ahead_s) * _US)
        warm_up = self._schedule.warm_up_slices
        snapshots: list[Snapshot] = [] if warm_up else [now]
        clean, failure = True, None
        self._crew.go(start_us)
        try:
            if not warm_up or self._wait_for(warm_up):
                if warm_up:
                    snapshots.append(self._read())
                    clean = not self._any_beyond(warm_up)
                self._read_on(snapshots)
            self._crew.wait_done()
            if snapshots:
                snapshots.append(self._read())
        except PlimsollError as error:
            failure = error
            self._crew.stop()
        return Drove(
            tuple(self._crew.tracks), self._schedule, start_us, now, tuple(snapshots), clean,
            self._ctx.cancel.is_set, self._broken() or failure,
        )  # fmt: skip

    def _read_on(self, snapshots: list[Snapshot]) -> None:
        """One reading at each boundary in the window; where sessions were waited for past several, one for these together."""
        number = self._schedule.warm_up_slices + 1
        while number < self._schedule.slices and self._wait_for(number):
            if all(track.done for track in self._crew.tracks):
                return
            snapshots.append(self._read())
            self._crew.catch_up()
            while number < self._schedule.slices and self._have_passed(number):
                number += 1

    def _have_passed(self, number: int) -> bool:
        return all(_has_passed(track, number) for track in self._crew.tracks)

    def _broken(self) -> PlimsollError | None:
        """Why the drive ended early: a session's own error, or that all hosts were lost."""
        tracks = self._crew.tracks
        errors = [track.error for track in tracks if track.error is not None and not track.is_lost]
        lost = [track.error for track in tracks if track.is_lost]
        return next(iter(errors), lost[0] if len(lost) == len(tracks) else None)

    def _read(self) -> Snapshot:
        self._at_reading([track.server_process for track in self._crew.tracks])
        return self._connection.snapshot()

    def _wait_for(self, number: int) -> bool:
        """Until every session has handed in the slice that ends at that boundary; False when the drive ends before."""
        while not self._crew.is_stopped:
            passed = self._crew.wait(lambda: self._have_passed(number))
            # A session that broke counts as past all boundaries, and ends the drive.
            if passed and not self._crew.is_stopped:
                self._tell(number)
                return True
            if self._ctx.cancel.is_set:
                self._crew.stop()
        return False

    def _any_beyond(self, number: int) -> bool:
        self._crew.catch_up()
        return any(track.slices and track.slices[-1][0] > number for track in self._crew.tracks)

    def _tell(self, number: int) -> None:
        """Live figures of the slice that has just ended."""
        total = self._schedule.slices
        pieces = (piece for track in self._crew.tracks for at, piece in track.slices if at == number)
        rate = sum(piece.operations for piece in pieces) / SLICE_S
        phase = "warming up" if number <= self._schedule.warm_up_slices else "measuring"
        left_s = (total - number) * SLICE_S
        self._ctx.progress(_STAGE, f"{phase}, {rate:,.0f} operations per second", number / total, left_s)


def _has_passed(track: Track, number: int) -> bool:
    return track.done or bool(track.slices and track.slices[-1][0] >= number)
