"""Readings of the probe, one after the other, added up and held against the kernel's own counters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from plimsoll.facts import Watch, WatchedIo
from plimsoll.observe.block_io import BlockIo, BlockReading
from plimsoll.observe.device_check import Counters, Disks, Moment
from plimsoll.observe.tally import Tally, Wanted
from plimsoll.ports.clock import Clock


class Readings(Protocol):
    """What reads the probe: `BlockWatch`, and what tests have in its place."""

    def read(self) -> BlockReading:
        """What was added since the reading before."""
        ...


class Namer(Protocol):
    """What names relations: `Relations`, and what tests have in its place."""

    @property
    def has_met_server(self) -> bool:
        """Whether I/O of that very server was seen."""
        ...

    @property
    def unknown_because(self) -> str | None:
        """Why the server is asked no more."""
        ...

    def named(self, rows: Sequence[BlockIo]) -> list[BlockIo]:
        """The same rows with the relations that are known."""
        ...


@dataclass(frozen=True)
class Step:
    """What was seen since the reading before."""

    elapsed_s: float
    """Since the begin."""
    duration_s: float
    rows: tuple[WatchedIo, ...]
    """Those that are wanted."""
    lost_ios: int
    """Those that are in no row."""


@dataclass
class Watching:
    """What was seen so far: `begin` once, `step` as often as wanted, `end` once."""

    readings: Readings
    clock: Clock
    wanted: Wanted = Wanted()
    counters: Counters = Counters()
    relations: Namer | None = None
    tally: Tally = field(default_factory=Tally)
    roles: set[str] = field(default_factory=set)
    """All that were seen, whatever is wanted."""
    refused: int = 0
    """Processes at whose open files we may not look."""
    _met: set[str] = field(default_factory=set)
    _lost_ios: int = 0
    _disks: Disks = field(default_factory=Disks)
    _begin: Moment | None = None
    _first: BlockReading | None = None
    _began_s: float = 0.0
    _read_s: float = 0.0

    def begin(self) -> None:
        """What was seen before is left out. Raises `probe-unread`."""
        under_way, before = self.counters.in_flight(), self.counters.read()
        self._first = self.readings.read()
        self._lost_ios = self._first.lost_ios
        self._began_s = self._read_s = self.clock.monotonic_s()
        self._begin = Moment(before, self.counters.read(), under_way)

    def step(self) -> Step:
        """Reads and adds up. Raises `probe-unread`."""
        reading = self.readings.read()
        now_s = self.clock.monotonic_s()
        duration_s, self._read_s = now_s - self._read_s, now_s
        rows = self._take(reading)
        of_step = Tally()
        of_step.add(rows)
        lost_ios, self._lost_ios = reading.lost_ios - self._lost_ios, reading.lost_ios
        return Step(now_s - self._began_s, duration_s, of_step.rows(duration_s), lost_ios)

    def end(self) -> Watch:
        """The last reading, and all of them held against the counters; the notes are the caller's. Raises `probe-unread`."""
        assert self._begin is not None, "it was begun"
        assert self._first is not None, "it was begun"
        before = self.counters.read()
        reading = self.readings.read()
        duration_s = self.clock.monotonic_s() - self._began_s
        end = Moment(before, self.counters.read())
        self._take(reading)
        return Watch(
            duration_s=duration_s,
            rows=self.tally.rows(duration_s),
            devices=self._disks.held_against(self._begin, end, self.counters.sysfs),
            lost_ios=reading.lost_ios - self._first.lost_ios,
            unbegun=reading.unbegun - self._first.unbegun,
            requeued=reading.requeued - self._first.requeued,
            merged=reading.merged - self._first.merged,
            relations_unknown_because=None if self.relations is None else self.relations.unknown_because,
        )

    @property
    def unmet(self) -> tuple[str, ...]:
        """What was asked for, in words, and was true of no I/O."""
        return tuple(words for words in self.wanted.words if words not in self._met)

    def _take(self, reading: BlockReading) -> list[BlockIo]:
        """Of what was read, the rows that are wanted."""
        self._disks.add(reading.rows)
        rows = [row for row in reading.rows if self.wanted.has(row)]
        self.roles.update(row.role for row in reading.rows)
        self._met.update(words for row in rows for words in self.wanted.met_by(row))
        rows = rows if self.relations is None else self.relations.named(rows)
        self.tally.add(rows)
        self.refused = max(self.refused, reading.refused)
        return rows
