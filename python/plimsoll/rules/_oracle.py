"""An interval of a Statspack or AWR report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from plimsoll.facts import Note, Report
from plimsoll.native import reports as native
from plimsoll.reports.figures.counters import Counters
from plimsoll.reports.figures.evidence import Evidence, Row
from plimsoll.reports.figures.latencies import latency_doubts
from plimsoll.reports.figures.quantity import Quantity, added, less, ratio
from plimsoll.reports.intervals import RESTART, place_of
from plimsoll.reports.tables import local_time
from plimsoll.rules._events import is_background, is_cut_of, is_idle, may_be_cut, whole_name
from plimsoll.rules._interval import UNKNOWN, Interval, Printed, Storage, Wait

KINDS = ("statspack", "awr", "awr-global", "awr-pdb", "excerpt")
"""Kinds of reports that print waits of an interval."""
_CLUSTER = "awr-global"
_WHOLE_NAMES = "html"
"""The form of reports that cut no names."""
_SHARES_OF_DB_TIME = ("awr", "awr-pdb")
_ALL = ("*", "Sum")
_CPU = ("DB CPU", "CPU time")
_CPU_COUNTED = "CPU used by this session"
_NO_WAITS = (*_CPU, "background cpu time")
_TABLES_OF_WAITS = ("foreground wait events", "foreground_waits", "wait events", "wait_events")
"""As problems name them: by title, or by what they are read into."""
_CENTISECONDS = 0.01
_REST = "all − background"
_BUSY = "buffer busy waits"
_OF_READS = (
    "before 10g it includes waits for a block that another session reads, so that it may be for storage"
)
_RELEASE_MIN = 10
"""Reads by other sessions have a name of their own from here on."""
_CUT_ALIKE = "of events whose names are cut alike"
_BOTH = 2


def interval_of(report: Report, content: native.Report, storage: Storage = UNKNOWN) -> Interval:
    """What rules see of a report."""
    evidence = Evidence(content, report.decimal)
    counters = Counters(evidence, report.elapsed_s, report.kind == _CLUSTER)
    found = _Printed(evidence, counters, report)
    foreground, is_whole = found.foreground()
    is_complete = is_whole and not _has_lost(report)
    background = found.background()
    return Interval(
        file=place_of(report),
        elapsed_s=report.elapsed_s,
        db_time=found.db_time(report),
        db_time_of_head_s=report.db_time_s,
        db_cpu=found.db_cpu(),
        cpus=_cpus(report, evidence),
        busy=found.busy(),
        cpu_queue=found.host("OS_CPU_WAIT_TIME"),
        busy_time=found.host("BUSY_TIME"),
        foreground=foreground,
        background=background,
        is_complete=is_complete,
        is_cpu_listed=found.is_cpu_listed,
        least_printed=_least(foreground, background) if found.has_first_few_alone else None,
        statistic=counters.activity_total,
        evidence=evidence,
        storage=storage,
        platform="exadata" if any(event.startswith("cell ") for event in foreground) else None,
        container=report.container,
        uptime_s=_uptime_s(report),
        flags=(*report.flags, *_spoilt(report)),
        doubts=tuple(latency_doubts(counters)),
    )


class _Printed:
    """Finds what several kinds of reports print in several places."""

    def __init__(self, evidence: Evidence, counters: Counters, report: Report) -> None:
        self._evidence = evidence
        self._counters = counters
        self._kind = report.kind
        self._is_clustered = report.kind == _CLUSTER
        self._release = _major(report.release)
        self._cuts_names = report.form != _WHOLE_NAMES

    def foreground(self) -> tuple[dict[str, Wait], bool]:
        """What sessions waited for, and whether that is all of it.

        A wait of the first few that the long table lacks, since its row could not be read, is taken from there.
        """
        first = {event: wait for event, wait in self._first(behind=False).items() if not is_background(event)}
        every = self._foreground_table()
        known = {**every, **self._waits("background_waits")}
        lost = {event: wait for event, wait in first.items() if not _has(known, event)}
        counted = self._counted()
        found = {
            event: wait
            for event, wait in (*every.items(), *lost.items())
            if event in counted or not is_idle(event)
        }
        return found, bool(every) and not lost.keys() & found.keys()

    @property
    def has_first_few_alone(self) -> bool:
        """Whether no table of all waits is there."""
        return not self._foreground_table()

    @property
    def is_cpu_listed(self) -> bool:
        """Whether CPU time that is not among the first few took no longer than the last of them."""
        rows = [row for row in self._evidence.rows("top_events") if not _is_behind(row)]
        return self.has_first_few_alone and bool(rows) and not any(map(_is_of_waits, rows))

    def _foreground_table(self) -> Mapping[str, Wait]:
        """As the tables of all waits have it; nothing where there are none."""
        every = self._waits("wait_events")
        return self._waits("foreground_waits") or _without(every, self._waits("background_waits"))

    def _counted(self) -> frozenset[str]:
        """Events of which the report prints a share of DB time, whatever their names say.

        Statspack and reports on clusters print a share of idle ones too.
        """
        if self._kind not in _SHARES_OF_DB_TIME:
            return frozenset()
        rows = (*self._evidence.rows("foreground_waits"), *self._evidence.rows("top_events"))
        return frozenset(
            whole_name(row["event"])
            for row in rows
            if row["event"] is not None and row["db_time_percent"] is not None
        )

    def background(self) -> dict[str, Wait]:
        """What background processes waited for."""
        found = {event: wait for event, wait in self._first(behind=False).items() if is_background(event)}
        found |= self._first(behind=True)
        every = {event: wait for event, wait in self._waits("wait_events").items() if is_background(event)}
        return found | every | self._waits("background_waits")

    def db_time(self, report: Report) -> Quantity | None:
        """As the time model says it; else all that the first events are a share of."""
        printed = self._total("time_model", "statistic", "DB time", "time_s")
        if printed is not None:
            return printed
        rate = self._evidence.find("load_profile", "statistic", "DB Time(s)", "per_second")
        if report.db_time_s is not None:
            cells = () if rate is None else rate.cells
            return Quantity(report.db_time_s, 0.0, "the report's head", cells)
        return self._of_shares()

    def db_cpu(self) -> Quantity | None:
        """CPU seconds of sessions."""
        printed = self._total("time_model", "statistic", "DB CPU", "time_s")
        if printed is not None:
            return printed
        found = (self._total("top_events", "event", name, "total_wait_s") for name in _CPU)
        return next((one for one in found if one is not None), self._cpu_counted())

    def _cpu_counted(self) -> Quantity | None:
        """By Instance Activity, where the first events are waits alone, as before 9i."""
        if not any(_is_of_waits(row) for row in self._evidence.rows("top_events")):
            return None
        spent = self._counters.activity_total(_CPU_COUNTED)
        return None if spent is None else spent.times(_CENTISECONDS, "hundredths of a second")

    def host(self, name: str) -> Quantity | None:
        """A count of the host's time, in seconds."""
        found = self._total("os_statistics", "statistic", name, "value")
        return None if found is None else found.times(_CENTISECONDS, "hundredths of a second")

    def busy(self) -> Quantity | None:
        """Share of the host's CPU time that was used."""
        used, idle = self.host("BUSY_TIME"), self.host("IDLE_TIME")
        if used is not None and idle is not None:
            return ratio(
                used, replace(used, value=used.value + idle.value, cells=idle.cells), "busy ÷ (busy + idle)"
            )
        for row in self._evidence.rows("host_cpu"):
            if (found := self._busy_of(row)) is not None:
                return found
        return None

    def _busy_of(self, row: Row) -> Quantity | None:
        if self._is_clustered and row.get("aggregate") not in _ALL:
            return None
        used = self._evidence.number("host_cpu", row, "busy_time_s")
        every = self._evidence.number("host_cpu", row, "total_time_s")
        if used is not None and every is not None:
            return ratio(used, every, "busy ÷ total")
        idle = self._evidence.number("host_cpu", row, "idle_percent")
        return (
            None
            if idle is None
            else replace(idle.times(0.01, "100 % − idle"), value=1.0 - idle.value / 100.0)
        )

    def _of_shares(self) -> Quantity | None:
        """What the first event is a share of: DB time, or before 9i all waits, to which CPU time must be added."""
        for row in self._evidence.rows("top_events"):
            if _is_behind(row):
                continue
            seconds = self._evidence.number("top_events", row, "total_wait_s")
            percent = self._evidence.number("top_events", row, "db_time_percent")
            if seconds is not None and percent is not None and percent.value:
                every = ratio(seconds, percent.times(0.01, "percent"), "time ÷ its share")
                return self._beside_cpu(every) if _is_of_waits(row) else every
        return None

    def _beside_cpu(self, waited: Quantity | None) -> Quantity | None:
        cpu = self._cpu_counted()
        return None if waited is None or cpu is None else added([waited, cpu], "waits + CPU time")

    def _total(self, view: str, key: str, label: str, column: str) -> Quantity | None:
        """Over all instances."""
        rows = list(self._evidence.labelled(view, key, label))
        if self._is_clustered:
            rows = [row for row in rows if row.get("aggregate") in _ALL] or [
                row for row in rows if row["instance_number"] is not None
            ]
        numbers = [number for row in rows if (number := self._evidence.number(view, row, column)) is not None]
        if not numbers:
            return None
        of_instances = self._is_clustered and all(row.get("aggregate") not in _ALL for row in rows)
        return added(numbers, "of all instances") if of_instances else numbers[0]

    def _first(self, *, behind: bool) -> dict[str, Wait]:
        """The first few, of the list for background processes or of the others."""
        rows = self._evidence.rows("top_events")
        return self._of_rows("top_events", [row for row in rows if _is_behind(row) == behind])

    def _waits(self, view: str) -> dict[str, Wait]:
        return self._of_rows(view, self._evidence.rows(view))

    def _of_rows(self, view: str, rows: Sequence[Row]) -> dict[str, Wait]:
        """By event, over all instances where there are several; of an event in several lists as the first has it."""
        found: dict[str, Wait] = {}
        lists: dict[str, str | None] = {}
        for row in rows:
            if row["event"] in _NO_WAITS or row["event"] is None:
                continue
            if row["instance_number"] is not None and self._is_clustered:
                continue
            wait = self._wait(view, row)
            if wait is None or lists.setdefault(wait.event, row.get("list")) != row.get("list"):
                continue
            before = found.get(wait.event)
            found[wait.event] = wait if before is None else self._again(before, wait, row["event"])
        return found

    def _again(self, before: Wait, wait: Wait, name: str) -> Wait:
        """An event whose name comes twice: printed again, several whose names are cut alike, or nobody knows which is right."""
        if wait.seconds == before.seconds:
            return before
        if self._cuts_names and may_be_cut(name):
            return _sum(before, wait)
        both = f"{before.seconds:,.0f} s and {wait.seconds:,.0f} s"
        return replace(
            before, doubt=f"'{before.event}' is printed twice, with {both}, and the first is taken"
        )

    def _wait(self, view: str, row: Row) -> Wait | None:
        """None where its time is not printed, or went backwards."""
        seconds = row["total_wait_s"]
        if seconds is None or seconds < 0.0:
            return None

        def look() -> Printed:
            total = self._evidence.number(view, row, "total_wait_s")
            assert total is not None, "its time is printed"
            waits = self._evidence.number(view, row, "waits", exact=True)
            return Printed(total, waits, self._evidence.number(view, row, "avg_wait_us"))

        event = whole_name(row["event"])
        return Wait(event, seconds, look, self._doubt(event))

    def _doubt(self, event: str) -> str | None:
        is_old = self._release is not None and self._release < _RELEASE_MIN
        return f"'{event}' is not what it is called: {_OF_READS}" if is_old and event == _BUSY else None


def _major(release: str | None) -> int | None:
    """The 19 of 19.24.0.0.0."""
    number = (release or "").partition(".")[0]
    return int(number) if number.isdigit() else None


def _sum(one: Wait, other: Wait) -> Wait:
    def look() -> Printed:
        total = added([one.total, other.total], _CUT_ALIKE)
        assert total is not None, "both are there"
        counts = [wait.waits for wait in (one, other) if wait.waits is not None]
        return Printed(total, added(counts, _CUT_ALIKE) if len(counts) == _BOTH else None)

    return Wait(one.event, one.seconds + other.seconds, look, one.doubt)


def _is_of_waits(row: Row) -> bool:
    """Whether its list has waits alone, and shares of their sum."""
    return "wait events" in (row["list"] or "").lower()


def _is_behind(row: Row) -> bool:
    return "background" in (row["list"] or "").lower()


def _has(waits: Mapping[str, Wait], event: str) -> bool:
    """Whether it is among them, by a name that either table may cut."""
    return event in waits or any(is_cut_of(one, event) or is_cut_of(event, one) for one in waits)


def _without(every: Mapping[str, Wait], background: Mapping[str, Wait]) -> dict[str, Wait]:
    """All waits less those of background processes: what sessions waited for."""
    return {event: wait for event, wait in _rests(every, background) if not is_background(event)}


def _rests(every: Mapping[str, Wait], background: Mapping[str, Wait]) -> Iterator[tuple[str, Wait]]:
    for event, wait in every.items():
        behind = background.get(event)
        yield event, wait if behind is None else _rest(wait, behind)


def _rest(wait: Wait, behind: Wait) -> Wait:
    def look() -> Printed:
        waits = wait.waits
        if waits is not None and behind.waits is not None:
            waits = _not_negative(less(waits, [behind.waits], _REST))
        return Printed(_not_negative(less(wait.total, [behind.total], _REST)), waits, wait.mean)

    return Wait(wait.event, max(0.0, wait.seconds - behind.seconds), look, wait.doubt)


def _not_negative(one: Quantity) -> Quantity:
    return replace(one, value=max(0.0, one.value))


def _has_lost(report: Report) -> bool:
    """Whether a table of sessions' waits prints something that could not be read."""
    return any(
        problem.loses and (problem.section or "").split(" (")[0].lower() in _TABLES_OF_WAITS
        for problem in report.problems
    )


def _least(*waits: Mapping[str, Wait]) -> Quantity | None:
    """The least of the first few."""
    every = [wait for some in waits for wait in some.values()]
    least = min(every, key=lambda wait: wait.seconds, default=None)
    return None if least is None else least.total


def _uptime_s(report: Report) -> float | None:
    """Of the instance, or of the one of several that was started last."""
    begin = local_time(report.begin_time)
    starts = [
        local_time(one) for one in (report.startup_time, *(own.startup_time for own in report.instances))
    ]
    known = [start for start in starts if start is not None]
    if begin is None or not known or max(known) > begin:
        return None
    return (begin - max(known)).total_seconds()


def _spoilt(report: Report) -> Iterator[Note]:
    """What the report itself tells of a restart inside its interval."""
    for problem in report.problems:
        if problem.code == RESTART:
            yield Note(code=RESTART, message=problem.message)


def _cpus(report: Report, evidence: Evidence) -> float | None:
    printed = evidence.find("os_statistics", "statistic", "NUM_CPUS", "value")
    if report.kind == _CLUSTER:
        rows = [row["cpus"] for row in evidence.rows("host_cpu") if row["instance_number"] is not None]
        known = [cpus for cpus in rows if cpus is not None]
        return sum(known) if known and len(known) == len(rows) else None
    return report.cpus if printed is None else printed.value
