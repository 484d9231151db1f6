"""Readings of the probe, one after the other, added up and held against the kernel's own counters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from plimsoll.facts import Watch, WatchedCall, WatchedDevice, WatchedIo
from plimsoll.facts.watch import WatchWord
from plimsoll.observe.block_io import BlockIo, BlockReading, RowOfFile
from plimsoll.observe.course import Course
from plimsoll.observe.device_check import Counters, Disks, Moment, but_for_lost
from plimsoll.observe.roles import IO_WORKER
from plimsoll.observe.seen_twice import SeenTwice
from plimsoll.observe.tally import Tally, Wanted
from plimsoll.ports.clock import Clock

if TYPE_CHECKING:
    # Loaded where it is asked for alone.
    from plimsoll.facts.watch import WatchedCallGroup, WatchedGroup
    from plimsoll.observe.belonging import Belonging
    from plimsoll.observe.file_calls import FileCalls

BROKEN_OFF = "the probe could not be read to the end"


class Readings(Protocol):
    """What reads the probe: `BlockWatch`, and what tests have in its place."""

    def begin(self) -> None:
        """Looks for what has to be known before rows are counted."""
        ...

    def cut(self) -> None:
        """Ends what the next reading gives, in no time to speak of."""
        ...

    def read(self) -> BlockReading:
        """What was added until the last cut, since the one before."""
        ...


class Namer(Protocol):
    """What names relations: `Relations`, and what tests have in its place."""

    @property
    def has_met_server(self) -> bool:
        """Whether I/O of that very server was seen."""
        ...

    @property
    def are_withheld(self) -> bool:
        """Whether there are processes of which this user may not know whether they are that server's."""
        ...

    @property
    def unknown_because(self) -> str | None:
        """Why the server is asked no more."""
        ...

    @property
    def waiting(self) -> int:
        """Files for which the server was not asked yet."""
        ...

    def named(self, rows: Sequence[RowOfFile]) -> list[RowOfFile]:
        """The same rows with the relations that are known."""
        ...

    def ask_the_rest(self) -> None:
        """For files that waited until now."""
        ...

    def relation_of(self, path: str, inode_number: int) -> tuple[str, str] | None:
        """The relation of a file, and the path of its first segment."""
        ...


@dataclass(frozen=True)
class Step:
    """What was seen since the reading before."""

    elapsed_s: float
    """Since the begin."""
    duration_s: float
    """Since the step before."""
    rows: tuple[WatchedIo, ...]
    """Those that are wanted."""
    lost_ios: int
    """Those that are in no row."""
    groups: tuple[WatchedGroup, ...] = ()
    """The rows put together by what was asked for."""


@dataclass
class Watching:
    """What was seen so far: `begin` once, `look` often, `step` as often as wanted, `end` once.

    Between two looks the kernel has room for some thousand rows.
    """

    readings: Readings
    clock: Clock
    wanted: Wanted = Wanted()
    counters: Counters = Counters()
    relations: Namer | None = None
    calls: FileCalls | None = None
    """Calls of files beside it, where they are asked for."""
    by: tuple[WatchWord, ...] = ()
    """What rows are put together by, beside the rows themselves."""
    belonging: Belonging | None = None
    """What tells the databases, tablespaces and control groups of rows, where they are asked for."""
    unknown: Counter[WatchWord] = field(default_factory=Counter)
    """Reads and writes of which that is not known, whatever is wanted."""
    tally: Tally = field(default_factory=Tally)
    course: Course = field(default_factory=Course)
    roles: set[str] = field(default_factory=set)
    """All that were seen, whatever is wanted."""
    workers_ios: int = 0
    """Those of AIO workers at the disks that are wanted, where it is not known who asked for them."""
    refused: int = 0
    """Processes at whose open files we may not look."""
    _met: set[str] = field(default_factory=set)
    _told_lost_ios: int = 0
    _disks: Disks = field(default_factory=Disks)
    _twice: SeenTwice = field(init=False)
    _of_step: Tally = field(default_factory=Tally)
    _begin: Moment | None = None
    _first: BlockReading | None = None
    _last: BlockReading | None = None
    _began_s: float = 0.0
    _cut_s: float = 0.0
    _read_s: float = 0.0
    """Until when rows were read."""
    _told_s: float = 0.0

    def __post_init__(self) -> None:
        self._twice = SeenTwice(self.wanted.of_some_owners, self.wanted.of_some_files)

    @property
    def first(self) -> BlockReading:
        """The reading that began it."""
        assert self._first is not None, "it was begun"
        return self._first

    @property
    def unasked(self) -> tuple[int, tuple[str, ...]]:
        """I/Os of workers since the begin for whom could not be read, and why others of workers are not told either."""
        assert self._last is not None, "it was begun"
        return self._last.unasked - self.first.unasked, self._last.unasked_because

    @property
    def _lost_ios(self) -> int:
        """Since the begin."""
        return 0 if self._last is None else self._last.lost_ios - self.first.lost_ios

    def begin(self) -> None:
        """What was seen before is left out. Raises `probe-unread`."""
        self.readings.begin()
        under_way = self.counters.in_flight()
        self._begin = replace(self._cut(), in_flight=under_way)
        self._began_s = self._read_s = self._told_s = self._cut_s
        self._first = self._last = self.readings.read()
        if self.calls is not None:
            self.calls.begin()

    def look(self) -> None:
        """Reads and adds up. Raises `probe-unread`."""
        self._cut()
        self._take()

    def step(self, *, is_rest: bool = False) -> Step:
        """What the looks since the step before found; a rest is what the end finds behind the last."""
        duration_s, self._told_s = self._read_s - self._told_s, self._read_s
        rows, self._of_step = self._of_step.rows(duration_s, self._twice), Tally()
        lost_ios, self._told_lost_ios = self._lost_ios - self._told_lost_ios, self._lost_ios
        self.course.add(self._read_s - duration_s - self._began_s, duration_s, rows, is_rest)
        return Step(self._read_s - self._began_s, duration_s, rows, lost_ios, self._groups(rows, duration_s))

    def end(self) -> Watch:
        """The last reading, and all of them held against the counters; the notes are the caller's. Raises `probe-unread`."""
        assert self._begin is not None, "it was begun"
        end = self._cut()
        self._take()
        found = self._disks.held_against(self._begin, end, self.counters.sysfs)
        return self._watch(tuple(but_for_lost(one, self._lost_ios) for one in found))

    def broken_off(self, reason: str) -> Watch:
        """What was read so far, where the probe cannot be read any more: nothing can be held against that."""
        assert self._begin is not None, "it was begun"
        found = self._disks.held_against(self._begin, Moment({}, {}), self.counters.sysfs)
        devices = tuple(one.but(reason=BROKEN_OFF) for one in found)
        return self._watch(devices, reason)

    def _cut(self) -> Moment:
        """The kernel's counters right before and right after."""
        before = self.counters.read()
        self.readings.cut()
        if self.calls is not None:
            self.calls.cut()
        self._cut_s = self.clock.monotonic_s()
        return Moment(before, self.counters.read())

    def _take(self) -> None:
        self._last = reading = self.readings.read()
        self._read_s = self._cut_s
        self._disks.add(reading)
        self.refused = max(self.refused, reading.refused)
        seen = reading.rows if self.belonging is None else self.belonging.told(reading.rows, self.unknown)
        rows = self._wanted_of(seen)
        self._twice.add(rows)
        self.tally.add(rows)
        self._of_step.add(rows)
        if self.calls is not None:
            self.calls.look(list if self.relations is None else self.relations.named, reading.rows)
            self.roles |= self.calls.roles
            self._met |= self.calls.met

    @property
    def _unknown_because(self) -> str | None:
        """Why the database is asked no more, for relations or for names of databases."""
        names = None if self.belonging is None else self.belonging.names
        told = (None if one is None else one.unknown_because for one in (self.relations, names))
        return next((reason for reason in told if reason is not None), None)

    def _groups(self, rows: Sequence[WatchedIo], duration_s: float) -> tuple[WatchedGroup, ...]:
        if not self.by:
            return ()
        from plimsoll.observe.groups import groups_of

        return groups_of(rows, self.by, duration_s)

    def _call_groups(self, calls: Sequence[WatchedCall], duration_s: float) -> tuple[WatchedCallGroup, ...]:
        if not self.by:
            return ()
        from plimsoll.observe.groups import call_groups_of

        return call_groups_of(calls, self.by, duration_s)

    def _wanted_of(self, seen: Sequence[BlockIo]) -> list[BlockIo]:
        rows = [row for row in seen if self.wanted.has(row)]
        self.roles.update(row.role for row in seen)
        self.workers_ios += sum(row.ios for row in self._at_disks(seen) if row.role == IO_WORKER)
        self._met.update(words for row in rows for words in self.wanted.met_by(row))
        return rows if self.relations is None else self.relations.named(rows)

    def _at_disks(self, seen: Sequence[BlockIo]) -> list[BlockIo]:
        """Those of all owners at the disks that are wanted, each once."""
        rows = [row for row in seen if not self.wanted.devices or row.device in self.wanted.devices]
        disks = {row.device for row in rows}
        return [row for row in rows if disks.isdisjoint(row.above)]

    def _watch(self, devices: tuple[WatchedDevice, ...], broken_off: str | None = None) -> Watch:
        assert self._last is not None, "it was begun"
        if self.relations is not None:
            self.relations.ask_the_rest()
            self.tally.name_relations(self.relations.relation_of)
            if self.calls is not None:
                self.calls.name_relations(self.relations.relation_of)
        duration_s = self._read_s - self._began_s
        if self._read_s > self._told_s:
            self.step(is_rest=True)
        are_whole = broken_off is None and not self._lost_ios
        rows = self.tally.rows(duration_s, self._twice)
        calls = None if self.calls is None else self.calls.facts(duration_s, are_whole)
        return Watch(
            duration_s=duration_s,
            by=self.by,
            groups=self._groups(rows, duration_s),
            rows=rows,
            broken_off=broken_off,
            calls=calls,
            call_groups=self._call_groups(calls or (), duration_s),
            lost_calls=None if self.calls is None else self.calls.lost,
            devices=devices,
            course=self.course.facts(),
            lost_ios=self._lost_ios,
            unbegun=self._last.unbegun - self.first.unbegun,
            requeued=self._last.requeued - self.first.requeued,
            merged=self._last.merged - self.first.merged,
            untimed=self._last.untimed - self.first.untimed,
            relations_unknown_because=self._unknown_because,
        )

    @property
    def unmet(self) -> tuple[str, ...]:
        """What was asked for, in words, and was true of no I/O and no call."""
        return tuple(words for words in self.wanted.words if words not in self._met)
