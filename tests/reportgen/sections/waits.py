"""Waits: top events, classes, foreground and background events, histograms."""

from __future__ import annotations

from collections import defaultdict

from reportgen.facts import Facts, Wait
from reportgen.layout import Layout
from reportgen.model import Block, Column, Row, Style, Table
from reportgen.printing import (
    BARE_ONE,
    COUNT,
    ONE,
    PLAIN,
    TEXT,
    TWO,
    Duration,
    Form,
    Number,
    Suffixed,
    Value,
    fixed,
)

_US_PER_MS = 1000.0
_MS = Number(grouped=False, scale=_US_PER_MS)
_MS_TWO = Number(digits=2, grouped=False, scale=_US_PER_MS)
_TRIMMED = Number(digits=1, grouped=False, bare=True, trimmed=True)
_IDLE = "Idle"
_TOP = 5


def _shown_us(layout: Layout, avg_us: float | None) -> Value:
    """An average wait in the unit of its column: µs where the print carries the unit, else ms."""
    return avg_us if avg_us is None or layout.unit_waits else avg_us / _US_PER_MS


def _avg_form(layout: Layout) -> Form:
    if layout.unit_waits:
        return Duration()
    return _MS_TWO if layout.since(12, 1) and not layout.statspack else _MS


def _busy(facts: Facts) -> list[Wait]:
    return sorted((wait for wait in facts.waits if wait.wait_class != _IDLE), key=lambda wait: -wait.total_us)


def top_events(facts: Facts, layout: Layout) -> list[Block]:
    """The events with the most time, and the processors among them."""
    count = 10 if not layout.statspack and layout.since(11, 2, 0, 4) else 5
    made: list[tuple[float, tuple[Value, ...]]] = []
    for wait in _busy(facts):
        seconds = wait.total_us / 1e6
        made.append(
            (
                seconds,
                (
                    wait.event,
                    wait.waits,
                    _top_time(layout, seconds),
                    _shown_us(layout, wait.avg_us),
                    wait.wait_class,
                ),
            )
        )
    cpu = "DB CPU" if not layout.statspack and layout.since(11, 1) else "CPU time"
    if layout.since(9):
        made.append((facts.first.db_cpu_s, (cpu, None, _top_time(layout, facts.first.db_cpu_s), None, None)))
    made.sort(key=lambda each: -each[0])
    rows = [(*values[:4], facts.of_db_time(seconds), values[4]) for seconds, values in made[:count]]
    return [_top_table(layout, rows)]


def _top_time(layout: Layout, seconds: float) -> float:
    return seconds if layout.since(9) else seconds * 100


def _top_table(layout: Layout, rows: list[tuple[Value, ...]]) -> Table:
    columns, title, summary = _top_columns(layout)
    keep = [place for place, column in enumerate(columns) if column is not None]
    shown = tuple(column for column in columns if column is not None)
    style = Style.OVERLAID if layout.statspack or not layout.since(11, 1) else Style.TILDES
    made = tuple(Row(tuple(row[place] for place in keep)) for row in rows)
    return Table(title, (shown,), made, "top_events", style=style, closing=layout.statspack, summary=summary)


def _top_columns(layout: Layout) -> tuple[tuple[Column | None, ...], str, str]:
    """Columns event, waits, time, average, share and class, None where the layout has none."""
    if not layout.since(10, 2):
        return _old_top_columns(layout)
    if layout.statspack:
        columns = (
            Column("event", "Event", 41, TEXT),
            Column("waits", "Waits", 12, COUNT),
            Column("total_wait_s", "Time (s)", 11, COUNT),
            Column("avg_wait_us", "Avg\nwait\n(ms)", 6, _MS),
            Column("db_time_percent", "%Total\nCall\nTime", 6, fixed(1, bare=True)),
            None,
        )
        return columns, "Top 5 Timed Events", ""
    if not layout.since(11, 1):
        columns = (
            Column("event", "Event", 30, TEXT),
            Column("waits", "Waits", 12, COUNT),
            Column("total_wait_s", "Time (s)" if not layout.html else "Time(s)", 11, COUNT),
            Column("avg_wait_us", "Avg\nwait\n(ms)", 6, _MS, html="Avg Wait(ms)"),
            Column("db_time_percent", "%Total\nCall\nTime", 6, BARE_ONE, html="% Total Call Time"),
            Column("wait_class", "Wait Class", 10, TEXT),
        )
        return columns, "Top 5 Timed Events", "Top 5 Timed Events"
    if not layout.since(11, 2, 0, 4):
        columns = (
            Column("event", "Event", 30, TEXT),
            Column("waits", "Waits", 12, COUNT),
            Column("total_wait_s", "Time(s)", 11, COUNT),
            Column("avg_wait_us", "Avg\nwait\n(ms)", 6, _MS),
            Column("db_time_percent", "% DB\ntime", 6, fixed(1, 2)),
            Column("wait_class", "Wait Class", 10, TEXT),
        )
        return columns, "Top 5 Timed Foreground Events", "Top 5 Timed Foreground Events"
    return (
        _new_top_columns(layout),
        "Top 10 Foreground Events by Total Wait Time",
        "This table displays top 10 wait events by total wait time",
    )


def _old_top_columns(layout: Layout) -> tuple[tuple[Column | None, ...], str, str]:
    event = Column("event", "Event", 44, TEXT)
    waits = Column("waits", "Waits", 12, COUNT)
    if not layout.since(9):
        hundredths = Number(scale=0.01)
        shown = (event, waits, Column("total_wait_s", "Wait\nTime (cs)", 12, hundredths))
        return (
            (*shown, None, Column("db_time_percent", "% Total\nWt Time", 7, TWO), None),
            "Top 5 Wait Events",
            "",
        )
    share = "% Total\nEla Time" if not layout.since(10) else "% Total\nCall Time"
    width = 8 if not layout.since(10) else 9
    columns = (
        event,
        waits,
        Column("total_wait_s", "Time (s)", 11, COUNT),
        None,
        Column("db_time_percent", share, width, BARE_ONE_TWO),
        None,
    )
    return columns, "Top 5 Timed Events", ""


BARE_ONE_TWO = fixed(2, bare=True)


def _new_top_columns(layout: Layout) -> tuple[Column, ...]:
    early = not layout.since(12, 1)
    time = Suffixed(limit=10_000, first_digits=1, digits=1)
    average = {
        "early": Column("avg_wait_us", "Wait\nAvg(ms)", 7, _MS),
        "ms": Column("avg_wait_us", "Wait\nAvg(ms)", 10, _MS_TWO),
        "unit": Column("avg_wait_us", "Avg\nWait", 9, Duration()),
    }["unit" if layout.unit_waits else "early" if early else "ms"]
    return (
        Column("event", "Event", 30, TEXT),
        Column("waits", "Waits", 12 if early else 11, COUNT),
        Column(
            "total_wait_s",
            "Total Wait\nTime (sec)" if not early else "Tota\nTime",
            4 if early else 10,
            time,
            html="Total Wait Time (sec)",
        ),
        average,
        Column("db_time_percent", "% DB\ntime", 6, fixed(1, bare=True, grouped=False, exponent=True)),
        Column("wait_class", "Wait Class" if early else "Wait\nClass", 10 if early else 8, TEXT),
    )


def wait_classes(facts: Facts, layout: Layout) -> list[Block]:
    """Waits by class: the summary from 11.2.0.4 and the section of foreground classes from 11.1."""
    if layout.statspack or not layout.since(11, 1):
        return []
    made: list[Block] = []
    if layout.since(11, 2, 0, 4):
        made.append(_class_summary(facts, layout))
    return made


def _by_class(facts: Facts, background: bool) -> list[tuple[str, int, int, float]]:
    sums: dict[str, list[float]] = defaultdict(lambda: [0, 0, 0.0])
    for wait in _busy(facts):
        each = sums[wait.wait_class]
        each[0] += wait.waits + (wait.background_waits if background else 0)
        each[1] += wait.timeouts
        each[2] += wait.total_us + (wait.background_us if background else 0)
    return sorted(
        ((name, int(one), int(two), us) for name, (one, two, us) in sums.items()), key=lambda each: -each[3]
    )


def _class_summary(facts: Facts, layout: Layout) -> Table:
    average = Column(
        "avg_wait_us",
        "Avg\nWait\n(ms)",
        8 if not layout.since(12, 1) else 11,
        _avg_form(layout),
        html="Avg Wait (ms)",
    )
    if layout.unit_waits:
        average = Column("avg_wait_us", "Avg\nWait\nTime", 10, _avg_form(layout), html="Avg Wait Time")
    columns = (
        Column("wait_class", "Wait Class", 16, TEXT),
        Column("waits", "Waits", 16, COUNT),
        Column("total_wait_s", "Total Wait\nTime (sec)", 16, COUNT),
        average,
        Column("db_time_percent", "% DB\ntime", 6, fixed(1, bare=True, grouped=False, exponent=True)),
        Column("avg_active_sessions", "Avg\nActive\nSessions", 8, ONE),
    )
    rows: list[tuple[float, tuple[Value, ...]]] = []
    for name, waits, _, us in _by_class(facts, background=True):
        seconds = us / 1e6
        average_us = us / waits if waits else None
        rows.append(
            (
                seconds,
                (
                    name,
                    waits,
                    seconds,
                    _shown_us(layout, average_us),
                    facts.of_db_time(seconds),
                    facts.per_second(seconds),
                ),
            )
        )
    cpu = facts.first.db_cpu_s
    rows.append((cpu, ("DB CPU", None, cpu, None, facts.of_db_time(cpu), facts.per_second(cpu))))
    rows.sort(key=lambda each: -each[0])
    made = tuple(Row(values) for _, values in rows)
    summary = "This table displays wait class statistics ordered by total wait time"
    return Table(
        "Wait Classes by Total Wait Time",
        (columns,),
        made,
        "wait_classes",
        style=Style.TILDES,
        closing=False,
        summary=summary,
    )


def foreground_classes(facts: Facts, layout: Layout) -> list[Block]:
    """AWR's section of foreground wait classes, from 11.1."""
    if layout.statspack or not layout.since(11, 1):
        return []
    modern = layout.since(12, 1)
    average = Column("avg_wait_us", "Avg\nwait\n(ms)", 8, _avg_form(layout), html="Avg wait (ms)")
    if modern:
        heading = "Avg wait" if layout.unit_waits else "Avg\nwait (ms)"
        average = Column("avg_wait_us", heading, 10 if layout.unit_waits else 11, _avg_form(layout))
    columns = (
        Column("wait_class", "Wait Class", 20, TEXT),
        Column("waits", "Waits", 15 if modern else 16, COUNT),
        Column("timeouts_percent", "%Time\n-outs", 5, PLAIN),
        Column("total_wait_s", "Total Wait\nTime (s)", 15 if modern else 16, COUNT),
        average,
        Column("db_time_percent", "%DB time", 9, fixed(1, 2)),
    )
    rows: list[tuple[float, tuple[Value, ...]]] = []
    for name, waits, timeouts, us in _by_class(facts, background=False):
        seconds = us / 1e6
        rows.append(
            (
                seconds,
                (
                    name,
                    waits,
                    _share(timeouts, waits),
                    seconds,
                    _shown_us(layout, us / waits),
                    facts.of_db_time(seconds),
                ),
            )
        )
    cpu = facts.first.db_cpu_s
    rows.append((cpu, ("DB CPU", None, None, cpu, None, facts.of_db_time(cpu))))
    rows.sort(key=lambda each: -each[0])
    notes = ("s  - second, ms - millisecond -    1000th of a second", "ordered by wait time desc, waits desc")
    summary = "This table displays foreground wait class statistics"
    return [
        Table(
            "Foreground Wait Class",
            (columns,),
            tuple(Row(values) for _, values in rows),
            "wait_classes",
            notes=notes,
            summary=summary,
        )
    ]


def _share(part: float, whole: float) -> float | None:
    return part / whole * 100 if whole and part else None


def events(facts: Facts, layout: Layout) -> list[Block]:
    """All events: of foregrounds and backgrounds apart, or of both, as the layout has them."""
    both = not layout.since(11, 1)
    made: list[Block] = []
    if both or layout.statspack:
        title = "Wait Events (fg and bg)" if layout.statspack and layout.since(11, 1) else "Wait Events"
        made.append(_events(facts, layout, title, "wait_events"))
    if not both:
        made.insert(0, _events(facts, layout, "Foreground Wait Events", "foreground_waits"))
    made.insert(
        len(made) if both else 1, _events(facts, layout, "Background Wait Events", "background_waits")
    )
    return made


def _events(facts: Facts, layout: Layout, title: str, view: str) -> Table:
    rows: list[tuple[bool, float, tuple[Value, ...]]] = []
    for wait in facts.waits:
        waits, us = _counted(wait, view)
        if not waits:
            continue
        seconds, idle = us / 1e6, wait.wait_class == _IDLE
        timeouts = wait.timeouts if view != "background_waits" else 0
        outs = timeouts if _counts_timeouts(layout) else _share(timeouts, waits)
        share = None if idle else facts.of_db_time(seconds)
        figures = (
            wait.event,
            waits,
            outs,
            _time(layout, seconds),
            _shown_us(layout, us / waits),
            facts.per_transaction(waits),
            share,
        )
        rows.append((idle, -seconds, figures))
    rows.sort(key=lambda each: each[:2])
    columns = _event_columns(layout, view)
    made = tuple(Row(values[: len(columns)]) for _, _, values in rows)
    notes = ("ordered by wait time desc, waits desc (idle events last)",)
    return Table(title, (columns,), made, view, notes=notes, summary=_summary(view))


def _summary(view: str) -> str:
    if view == "foreground_waits":
        return "This table displays Foreground Wait Events and their wait statistics"
    return "This table displays background wait events statistics"


def _counted(wait: Wait, view: str) -> tuple[int, float]:
    if view == "background_waits":
        return wait.background_waits, wait.background_us
    if view == "foreground_waits":
        return wait.waits, wait.total_us
    return wait.waits + wait.background_waits, wait.total_us + wait.background_us


def _counts_timeouts(layout: Layout) -> bool:
    return layout.statspack and not layout.since(10, 2)


def _time(layout: Layout, seconds: float) -> float:
    return seconds if layout.since(9) else seconds * 100


def _event_columns(layout: Layout, view: str) -> tuple[Column, ...]:
    if layout.statspack and not layout.since(10, 2):
        old = not layout.since(9)
        return (
            Column("event", "Event", 28, TEXT),
            Column("waits", "Waits", 12, COUNT),
            Column("timeouts", "Timeouts", 10, COUNT),
            Column(
                "total_wait_s",
                "Total Wait\nTime (cs)" if old else "Total Wait\nTime (s)",
                11 if old else 10,
                Number(scale=0.01) if old else COUNT,
            ),
            Column("avg_wait_us", "Avg\nwait\n(ms)", 6, _MS),
            Column("waits_per_txn", "Waits\n/txn", 6 if old else 8, ONE),
        )
    if layout.statspack:
        return (
            Column("event", "Event", 28, TEXT),
            Column("waits", "Waits", 12, COUNT),
            Column("timeouts_percent", "%Tim\nout", 4, PLAIN),
            Column("total_wait_s", "Total Wait\nTime (s)", 10, COUNT),
            Column("avg_wait_us", "Avg\nwait\n(ms)", 6, _MS),
            Column("waits_per_txn", "Waits\n/txn", 8, ONE),
            Column("db_time_percent", "%Total\nCall\nTime", 6, fixed(1, bare=True)),
        )
    return _awr_event_columns(layout, view)


def _awr_event_columns(layout: Layout, view: str) -> tuple[Column, ...]:
    share = (
        ("bg_time_percent", "% bg\ntime") if view == "background_waits" else ("db_time_percent", "% DB\ntime")
    )
    if not layout.since(11, 1):
        return (
            Column("event", "Event", 28, TEXT),
            Column("waits", "Waits", 14, COUNT),
            Column("timeouts_percent", "%Time\n-outs", 6, fixed(1, 2, bare=True)),
            Column("total_wait_s", "Total Wait\nTime (s)", 11, COUNT),
            Column("avg_wait_us", "Avg\nwait\n(ms)", 7, _MS),
            Column("waits_per_txn", "Waits\n/txn", 9, fixed(1, 2)),
        )
    modern = layout.since(12, 1)
    heading, width = (
        ("Avg\nwait\n(ms)", 7)
        if not modern
        else ("Avg wait", 9)
        if layout.unit_waits
        else ("Avg\nwait (ms)", 10)
    )
    return (
        Column("event", "Event", 26, TEXT),
        Column("waits", "Waits", 11 if modern else 12, COUNT),
        Column("timeouts_percent", "%Time\n-outs", 5, PLAIN),
        Column(
            "total_wait_s",
            "Total\nWait\nTime (s)" if modern else "Total Wait\nTime (s)",
            8 if modern else 10,
            COUNT,
        ),
        Column("avg_wait_us", heading, width, _avg_form(layout)),
        Column("waits_per_txn", "Waits\n/txn", 8, fixed(1, 2, exponent=modern)),
        Column(share[0], share[1], 6, fixed(1, 2, bare=not layout.html)),
    )
