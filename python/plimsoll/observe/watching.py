"""Readings of the probe, one after the other, added up and held against the kernel's own counters."""

from __future__ import annotations

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


@dataclass(frozen=True)
class Step:
    """What was seen since the reading before."""

    elapsed_s: float
    """Since the begin."""
    duration_s: float
    rows: tuple[WatchedIo, ...]
    """Those that are wanted."""


@dataclass
class Watching:
    """What was seen so far: `begin` once, `step` as often as wanted, `end` once."""

    readings: Readings
    clock: Clock
    wanted: Wanted = Wanted()
    counters: Counters = Counters()
    tally: Tally = field(default_factory=Tally)
    _disks: Disks = field(default_factory=Disks)
    _begin: Moment | None = None
    _first: BlockReading | None = None
    _began_s: float = 0.0
    _read_s: float = 0.0

    def begin(self) -> None:
        """What was seen before is left out. Raises `probe-unread`."""
        under_way, before = self.counters.in_flight(), self.counters.read()
        self._first = self.readings.read()
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
        return Step(now_s - self._began_s, duration_s, of_step.rows(duration_s))

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
        )

    def _take(self, reading: BlockReading) -> list[BlockIo]:
        """Of what was read, the rows that are wanted."""
        self._disks.add(reading.rows)
        rows = [row for row in reading.rows if self.wanted.has(row)]
        self.tally.add(rows)
        return rows
