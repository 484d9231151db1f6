"""One interval as rules see it: DB time, CPU, waits and counts, each with the cells that it is printed in.

What makes it of a report is in `_oracle.py`. What is not printed is None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from plimsoll.facts import IoCounters, Note, PrintedCell, RelationCounters, ReportedDoubt, ServerRows
from plimsoll.predict.faster_storage import TIERS, Then, Tier
from plimsoll.reports.figures.evidence import Evidence, Row
from plimsoll.reports.figures.quantity import Quantity
from plimsoll.rules._events import (
    COMMITS,
    CPU,
    LOGS,
    NO_CPU,
    NOT_PRINTED,
    STORAGE_PARTS,
    UNACCOUNTED,
    UNSAMPLED,
    part_of,
)

System = Literal["oracle", "postgresql", "mariadb"]
WATCHED: tuple[System, ...] = ("postgresql", "mariadb")
"""Servers whose sessions are looked at once a second, where others tell of an interval in a report."""
Platform = Literal["exadata", "aurora"]
"""Storage that does more than a device: it answers from its own caches, and takes work off the server."""
_SPOILT = ("instance-restart", "interval-negative")
_FLASH = TIERS["flash"]
_MAY_BE_IO = (*STORAGE_PARTS, COMMITS, LOGS, NOT_PRINTED, NO_CPU, UNSAMPLED)


@dataclass(frozen=True)
class Storage:
    """What is known of the storage, and what is thought of in its place."""

    now: Tier | None = None
    then: Then = Then("flash", _FLASH.read_us, _FLASH.log_us, _FLASH.source)
    spindles: int | None = None


UNKNOWN = Storage()


@dataclass(frozen=True)
class Printed:
    """The figures of a wait, with their cells."""

    total: Quantity
    waits: Quantity | None = None
    mean: Quantity | None = None


@dataclass(frozen=True)
class Wait:
    """What was waited for, how often and how long."""

    event: str
    seconds: float
    """In all."""
    look: Callable[[], Printed]
    """Finds its cells, which takes longer than to read its seconds, and is asked of few waits."""
    doubt: str | None = None
    """Why its seconds may be others; None where nothing says so."""

    @cached_property
    def printed(self) -> Printed:
        """Its figures with their cells."""
        return self.look()

    @property
    def total(self) -> Quantity:
        """Seconds."""
        return self.printed.total

    @property
    def waits(self) -> Quantity | None:
        """How often."""
        return self.printed.waits

    @property
    def mean(self) -> Quantity | None:
        """As printed, in microseconds."""
        return self.printed.mean

    @property
    def mean_us(self) -> float | None:
        """One wait: time ÷ waits, which says it more exactly than the printed average where that is in milliseconds."""
        if self.waits is not None and self.waits.value and self.total.looseness < self._printed_looseness:
            return 1e6 * self.total.value / self.waits.value
        return None if self.mean is None else self.mean.value

    @property
    def _printed_looseness(self) -> float:
        return float("inf") if self.mean is None else self.mean.looseness

    @property
    def cells(self) -> tuple[PrintedCell, ...]:
        """Where it is printed."""
        return cells_of(self.waits, self.total, self.mean)


@dataclass(frozen=True)
class WatchedServer:
    """Settings and further counts of a server that was watched."""

    settings: Mapping[str, str]
    is_timed: bool | None
    """Whether it times its I/O; None where that is not known."""
    block_bytes: int
    counted_s: float
    """Seconds in which it counted what is in `statistic` and `io`."""
    io: tuple[IoCounters, ...] = ()
    """Its I/O by who, on what and why; empty where it does not count that."""
    log_bytes_per_s_max: float | None = None
    """WAL that it generated, in the busiest interval of a minute or longer; where there is none so long, on average."""
    rows: ServerRows | None = None
    """What it counted row by row; None where that was not kept."""

    def setting(self, name: str) -> Quantity | None:
        """That a setting is as it is: a figure of no value, for its cell. None where it is not known."""
        value = self.settings.get(name)
        if value is None:
            return None
        cell = PrintedCell(section="pg_settings", row=name, column="setting", value=value)
        return Quantity(0.0, 0.0, "pg_settings", (cell,))

    def io_sum(self, column: str, backend: str | None = None, context: str | None = None) -> Quantity | None:
        """A column of pg_stat_io, of data files: of one kind of backend, one context, or all. None where it is not counted."""
        rows = [
            row
            for row in self.io
            if row.object == "relation" and backend in (None, row.backend) and context in (None, row.context)
        ]
        if not self.io:
            return None
        value = float(sum(getattr(row, column) or 0 for row in rows))
        whose = f"{backend or 'all'} / relation / {context or 'all'}"
        cell = PrintedCell(section="pg_stat_io", row=whose, column=column, value=f"{value:,.0f}")
        return Quantity(value, 0.0, "pg_stat_io", (cell,))


@dataclass(frozen=True)
class Interval:
    """What a database did between two snapshots."""

    file: str
    system: System = "oracle"
    elapsed_s: float | None = None
    db_time: Quantity | None = None
    """Seconds."""
    db_time_of_head_s: float | None = None
    """The same as the head of a report prints it; None where it does not."""
    db_cpu: Quantity | None = None
    """Seconds of the sessions."""
    cpus: float | None = None
    busy: Quantity | None = None
    """Share of the host's CPU time that was used, 0 to 1."""
    cpu_queue: Quantity | None = None
    """Seconds that processes waited for a CPU; None where the host does not count them."""
    busy_time: Quantity | None = None
    """Seconds of CPU used on the host; of a server that was watched, by its own processes, whose queue is the one above then."""
    foreground: Mapping[str, Wait] = field(default_factory=dict[str, Wait])
    """Waits of sessions, idle ones left out, by name."""
    background: Mapping[str, Wait] = field(default_factory=dict[str, Wait])
    is_complete: bool = True
    """Whether all waits are printed, not the first few alone."""
    is_sampled: bool = True
    """Of a server that was watched: whether anybody looked at what its sessions waited for."""
    is_cpu_listed: bool = False
    """Whether the first few alone are printed, of a list that CPU time can be in: it took no longer than the last of them."""
    least_printed: Quantity | None = None
    """Seconds of the last of the first few: what is not among them took no longer."""
    statistic: Callable[[str], Quantity | None] = lambda name: None
    """A count of the whole interval."""
    log_writes: Quantity | None = None
    """Writes of the log, whoever made them."""
    log_write_bytes: Quantity | None = None
    """Mean bytes of one of them."""
    log_bytes_share: float | None = None
    """What of the time of one grows with its bytes, 0 to 1; None where that cannot be told."""
    tables: Sequence[RelationCounters] = ()
    """What each table gained, most blocks read first."""
    evidence: Evidence | None = None
    storage: Storage = UNKNOWN
    platform: Platform | None = None
    container: str | None = None
    """The pluggable database that it is about; None where it is about all of the instance."""
    uptime_s: float | None = None
    """For how long the instance had been up when the interval began."""
    server: WatchedServer | None = None
    """What a server that was watched tells beyond that; None of a report."""
    flags: tuple[Note, ...] = ()
    doubts: tuple[ReportedDoubt, ...] = ()
    """Where sections disagree about the time of a read."""

    @property
    def spoilt(self) -> Note | None:
        """Why its counts are of no use; None where they are."""
        return next((flag for flag in self.flags if flag.code in _SPOILT), None)

    def per_second(self, name: str) -> float | None:
        """A count over the elapsed time."""
        found = self.statistic(name)
        return None if found is None or not self.elapsed_s else found.value / self.elapsed_s

    def rows(self, view: str) -> Sequence[Row]:
        """Of a typed view; none where it is not printed."""
        return () if self.evidence is None else self.evidence.rows(view)

    def number(self, view: str, row: Row, column: str) -> Quantity | None:
        """A number of a row, with its cell."""
        return None if self.evidence is None else self.evidence.number(view, row, column)

    def cell(self, view: str, row: Row, column: str) -> PrintedCell | None:
        """Where a value of a row is printed."""
        return None if self.evidence is None else self.evidence.cell(view, row, column)

    def find(self, view: str, key: str, label: str, column: str) -> Quantity | None:
        """A number of the first row of that label."""
        return None if self.evidence is None else self.evidence.find(view, key, label, column)

    def wait(self, *events: str) -> Wait | None:
        """The first of them that sessions waited for."""
        return next((self.foreground[event] for event in events if event in self.foreground), None)

    def behind(self, *events: str) -> Wait | None:
        """The first of them that background processes waited for."""
        return next((self.background[event] for event in events if event in self.background), None)

    def waits_of(self, *parts: str) -> list[Wait]:
        """What sessions waited for of these parts of DB time, longest first."""
        found = [wait for event, wait in self.foreground.items() if part_of(event) in parts]
        return sorted(found, key=lambda wait: -wait.seconds)

    def share(self, seconds: float | None) -> float | None:
        """Seconds as a share of DB time."""
        return (
            None
            if seconds is None or self.db_time is None or not self.db_time.value
            else seconds / self.db_time.value
        )

    @property
    def sessions(self) -> float | None:
        """Average active sessions."""
        return None if self.db_time is None or not self.elapsed_s else self.db_time.value / self.elapsed_s

    @cached_property
    def parts(self) -> dict[str, float]:
        """Seconds of DB time by part, most first."""
        found: dict[str, float] = {} if self.db_cpu is None else {CPU: self.db_cpu.value}
        for event, wait in self.foreground.items():
            part = part_of(event)
            found[part] = found.get(part, 0.0) + wait.seconds
        found |= self._unaccounted(sum(found.values()))
        return dict(sorted(((part, s) for part, s in found.items() if s > 0.0), key=lambda one: -one[1]))

    @property
    def io_waited_s(self) -> float | None:
        """Seconds that sessions waited for I/O, at most: waits that are not printed may be for it too. None: no wait is printed."""
        if not self.foreground:
            return None
        return sum(self.parts.get(part, 0.0) for part in _MAY_BE_IO)

    def _unaccounted(self, known_s: float) -> dict[str, float]:
        """What is left of DB time, by what it may be."""
        if self.db_time is None:
            return {}
        if self.system in WATCHED and not self.is_sampled:
            return {UNSAMPLED: max(0.0, self.db_time.value - known_s)}
        if self.db_cpu is None and self.system in WATCHED:
            return {}
        may_be_cpu = self.db_cpu is None and not self.is_cpu_listed
        rest = NO_CPU if may_be_cpu else UNACCOUNTED if self.is_complete else NOT_PRINTED
        return {rest: max(0.0, self.db_time.value - known_s)}


def cells_of(*quantities: Quantity | None) -> tuple[PrintedCell, ...]:
    """The cells of all that is known, each once."""
    return tuple(dict.fromkeys(cell for one in quantities if one is not None for cell in one.cells))


def cells_of_waits(waits: Iterable[Wait]) -> tuple[PrintedCell, ...]:
    """The cells of several waits."""
    return tuple(dict.fromkeys(cell for wait in waits for cell in wait.cells))


def total_s(waits: Iterable[Wait]) -> float:
    """Seconds of several waits."""
    return sum(wait.seconds for wait in waits)


def named(waits: Iterable[Wait], most: int = 3) -> Iterator[str]:
    """The first few waits in words."""
    for wait in list(waits)[:most]:
        yield f"'{wait.event}' {wait.seconds:,.0f} s"
