"""Intervals of one database beside each other: what changed, and what one of them says about another.

Where a report prints the first few waits alone, the log's own write may be missing among them; a neighbour on the same storage
prints it.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby

from plimsoll.facts import PrintedCell
from plimsoll.facts.advice import Change, EvidenceCell, Finding, IntervalVerdict, StatementChange
from plimsoll.predict.faster_storage import LOG_WRITES_PER_COMMIT
from plimsoll.rules._commits import IO_SHARE_MIN, LOG_WRITE, SYNC
from plimsoll.rules._events import COMMITS, CONCURRENCY, LOCKS, LOGS, part_of
from plimsoll.rules._interval import Interval, Wait
from plimsoll.rules._judge import evidence
from plimsoll.rules._statements import RememberedStatement, statements_of
from plimsoll.rules.redo_logs_too_small import EVENT as CHECKPOINT_INCOMPLETE

Cells = tuple[EvidenceCell, ...]
CPU_TIME = "CPU"
CHANGE_SHARE_MIN = 0.05
"""Of DB time: smaller changes are not told."""
STATEMENTS_MAX = 3
REMEMBERED_SHARE_MIN = 0.005
_MEANS = {CHECKPOINT_INCOMPLETE: "redo logs too small"}
_MEANS_OF_PART = {
    LOGS: "the log's configuration",
    COMMITS: "commits",
    LOCKS: "sessions wait for each other's locks",
    CONCURRENCY: "contention for blocks and latches",
}


@dataclass(frozen=True)
class RememberedWait:
    """A wait in numbers."""

    seconds: float
    mean_us: float | None
    cells: tuple[PrintedCell, ...]


@dataclass(frozen=True)
class Remembered:
    """What is kept of an interval for its neighbours."""

    foreground: dict[str, RememberedWait] = field(default_factory=dict[str, RememberedWait])
    """Waits of sessions, and their time on CPUs."""
    background: dict[str, RememberedWait] = field(default_factory=dict[str, RememberedWait])
    db_time_s: float | None = None
    elapsed_s: float | None = None
    statements: dict[str, RememberedStatement] = field(default_factory=dict[str, RememberedStatement])
    container: str | None = None
    """The pluggable database that it is about; None where it is about all of the instance."""
    is_spoilt: bool = False
    """Whether its counts are of no use."""


@dataclass(frozen=True)
class Advised:
    """One interval, advised on by itself, and what is remembered of it for its neighbours."""

    verdict: IntervalVerdict
    findings: tuple[Finding, ...]
    waits: Remembered


def remembered(interval: Interval) -> Remembered:
    """The waits of an interval in numbers."""
    db_time_s = None if interval.db_time is None else interval.db_time.value
    least_s = REMEMBERED_SHARE_MIN * (db_time_s or 0.0)
    foreground = _in_numbers(
        wait for wait in interval.foreground.values() if wait.seconds >= least_s or wait.event == SYNC
    )
    background = _in_numbers(wait for wait in interval.background.values() if wait.event == LOG_WRITE)
    if (cpu := interval.db_cpu) is not None:
        foreground[CPU_TIME] = RememberedWait(cpu.value, None, cpu.cells)
    return Remembered(
        foreground,
        background,
        db_time_s,
        interval.elapsed_s,
        statements_of(interval),
        interval.container,
        interval.spoilt is not None,
    )


def _in_numbers(waits: Iterable[Wait]) -> dict[str, RememberedWait]:
    return {wait.event: RememberedWait(wait.seconds, wait.mean_us, wait.cells) for wait in waits}


def beside_each_other(advised: Sequence[Advised]) -> Iterator[tuple[Advised, Change | None]]:
    """In order, each with what its neighbours say about it, and the wait that changed most since the interval before.

    What began anew in its interval is passed over where changes are looked for. Of thousands, each is asked for a few times only,
    and let go.
    """
    for places in _series(advised):
        before: Advised | None = None
        tells = _FirstThatTells(advised, places)
        for place in places:
            one = _beside(advised[place], tells)
            change = None if before is None or one.waits.is_spoilt else _change(before, one)
            yield one, change
            before = before if one.waits.is_spoilt else one


def _series(advised: Sequence[Advised]) -> Sequence[Sequence[int]]:
    """The places of those of one database, instance and container, in order of time; excerpts, which name none, in the order in
    which they were named.
    """
    keys = [(_key(one), one.verdict.begin_time or "") for one in advised]
    known = sorted(range(len(keys)), key=keys.__getitem__)
    return [array("L", several) for _, several in groupby(known, key=lambda place: keys[place][0])]


class _FirstThatTells:
    """The first interval of a series that prints what a write of the log took; looked for when it is asked for."""

    def __init__(self, advised: Sequence[Advised], places: Sequence[int]) -> None:
        self._advised, self._places = advised, places

    @cached_property
    def found(self) -> Advised | None:
        """None where no interval does."""
        several = (self._advised[place] for place in self._places)
        return next((one for one in several if _log_write_us(one) is not None), None)


def _log_write_us(one: Advised) -> float | None:
    write = one.waits.background.get(LOG_WRITE)
    return None if write is None else write.mean_us


def _key(one: Advised) -> tuple[str, int, str, str]:
    verdict = one.verdict
    return verdict.db_name or "", verdict.db_id or 0, verdict.instance or "", one.waits.container or ""


def _beside(one: Advised, tells: _FirstThatTells) -> Advised:
    """Commits whose log write is not printed, by the log write of a neighbour."""
    sync = one.waits.foreground.get(SYNC)
    if sync is None or LOG_WRITE in one.waits.background or one.verdict.verdict != "commit-bound":
        return one
    other = tells.found if sync.mean_us else None
    write_us = None if other is None else _log_write_us(other)
    if other is None or write_us is None or not sync.mean_us:
        return one
    cells = evidence(other.verdict.file, other.waits.background[LOG_WRITE].cells)
    return _told_by(one, other.verdict.file, sync.mean_us, write_us, cells)


def _told_by(one: Advised, other: str, sync_us: float, write_us: float, cells: Cells) -> Advised:
    """The verdict, with what `other` says of a write of the log."""
    io_share = min(1.0, LOG_WRITES_PER_COMMIT[1] * write_us / sync_us)
    cause = "I/O" if io_share >= IO_SHARE_MIN else "scheduling or CPU"
    words = "disk" if cause == "I/O" else "scheduling or CPU, not disk"
    times = (
        f"a write of the log took {write_us / 1000:,.1f} ms there, and a commit {sync_us / 1000:,.1f} ms here"
    )
    reason = f"{one.verdict.reason}. Beside {other}: {times}: {words}"
    cells = (*one.verdict.evidence, *cells)
    changed = {"cause": cause, "reason": reason, "evidence": tuple(dict.fromkeys(cells))}
    return replace(one, verdict=one.verdict.model_copy(update=changed))


def _change(before: Advised, after: Advised) -> Change | None:
    """Seconds in the length of the later interval, where both lengths are known."""
    factor = _factor(before.waits, after.waits)
    events = {**before.waits.foreground, **after.waits.foreground}
    by = {event: _seconds(after, event) - factor * _seconds(before, event) for event in events}
    event = max(by, key=lambda name: abs(by[name]), default=None)
    least_s = CHANGE_SHARE_MIN * max(before.waits.db_time_s or 0.0, after.waits.db_time_s or 0.0)
    if event is None or abs(by[event]) < least_s or by[event] == 0.0:
        return None
    statements = _statement_changes(before.waits, after.waits, factor, least_s)
    return Change(
        before=before.verdict.file,
        after=after.verdict.file,
        event=event,
        before_s=_seconds(before, event),
        after_s=_seconds(after, event),
        reason=_words(event, _seconds(before, event), _seconds(after, event), by[event] > 0.0),
        statements=tuple(statements),
        evidence=(
            *_cells(before, event),
            *_cells(after, event),
            *(cell for one in statements for cell in _cells_of_statement(before, after, one.statement)),
        ),
    )


def _words(event: str, then_s: float, now_s: float, grew: bool) -> str:
    means = _MEANS.get(event) or _MEANS_OF_PART.get(part_of(event))
    told = f": {means}" if means else ""
    name = "CPU time" if event == CPU_TIME else f"'{event}'"
    return f"{name} {'grew' if grew else 'fell'} from {then_s:,.0f} s to {now_s:,.0f} s{told}"


def _statement_changes(
    before: Remembered, after: Remembered, factor: float, least_s: float
) -> list[StatementChange]:
    """Of statements that both print, those that changed most, and those that run with another plan."""
    both = [name for name in after.statements if name in before.statements]
    changes = [_statement_change(name, before.statements[name], after.statements[name]) for name in both]
    told = [
        one
        for one in changes
        if abs(one.after_s - factor * one.before_s) >= least_s or one.plan_before != one.plan_after
    ]
    most = sorted(told, key=lambda one: -abs(one.after_s - factor * one.before_s))
    return most[:STATEMENTS_MAX]


def _statement_change(name: str, before: RememberedStatement, after: RememberedStatement) -> StatementChange:
    """Plans are compared where both intervals name some, and none of them is the same."""
    differ = before.plans and after.plans and not set(before.plans) & set(after.plans)
    then, now = (before.plans[0], after.plans[0]) if differ else (None, None)
    same = None if differ else next((plan for plan in after.plans if plan in before.plans), None)
    return StatementChange(
        statement=name,
        before_s=before.elapsed_s,
        after_s=after.elapsed_s,
        plan_before=then or same,
        plan_after=now or same,
    )


def _cells_of_statement(before: Advised, after: Advised, name: str) -> Iterator[EvidenceCell]:
    for one in (before, after):
        yield from evidence(one.verdict.file, one.waits.statements[name].cells)


def _factor(before: Remembered, after: Remembered) -> float:
    return after.elapsed_s / before.elapsed_s if before.elapsed_s and after.elapsed_s else 1.0


def _seconds(one: Advised, event: str) -> float:
    found = one.waits.foreground.get(event)
    return 0.0 if found is None else found.seconds


def _cells(one: Advised, event: str) -> Cells:
    found = one.waits.foreground.get(event)
    return () if found is None else evidence(one.verdict.file, found.cells)
