"""Time model and the operating system."""

from __future__ import annotations

from reportgen.facts import Facts
from reportgen.layout import Layout
from reportgen.model import Block, Column, Row, Table, of_rows
from reportgen.printing import COUNT, TEXT, Value, fixed


def time_model(facts: Facts, layout: Layout) -> list[Block]:
    """Where the database time went; then the totals, which are no part of it."""
    if not layout.since(10, 1):
        return []
    columns = _time_model_columns(layout)
    rows: list[tuple[Value, ...]] = []
    for name, seconds in sorted(facts.time_model, key=lambda each: -each[1]):
        of_cpu = 97.5 if name == "DB CPU" else None
        rows.append((name, seconds, facts.of_db_time(seconds), of_cpu))
    rows.append(("DB time", facts.db_time_s, None, None))
    rows.append(("background elapsed time", facts.db_time_s / 8, None, None))
    title = "Time Model System Stats" if layout.statspack else "Time Model Statistics"
    notes = ("Ordered by % of DB time desc, Statistic name",)
    summary = "This table displays different time model statistics. For each statistic, time and % of DB time are displayed"
    made = of_rows([row[: len(columns)] for row in rows])
    return [Table(title, (columns,), made, "time_model", notes=notes, summary=summary)]


def _time_model_columns(layout: Layout) -> tuple[Column, ...]:
    name = (
        Column("statistic", "Statistic", 35, TEXT)
        if layout.statspack
        else Column("statistic", "Statistic Name", 42, TEXT)
    )
    time = Column("time_s", "Time (s)", 20 if layout.statspack else 18, fixed(1, 2))
    if layout.statspack and layout.since(10, 2):
        return name, time, Column("db_time_percent", "% DB time", 9, fixed(1, bare=True))
    if layout.statspack or not layout.since(12, 1):
        return name, time, Column("db_time_percent", "% of DB Time", 12, fixed(1, 2))
    share = Column("db_time_percent", "% of\nDB Time", 7, fixed(1, 2))
    return name, time, share, Column("total_cpu_percent", "% of Total\nCPU Time", 10, fixed(1, 2))


def os_statistics(facts: Facts, layout: Layout) -> list[Block]:
    """Counters of the operating system, with the end value where it differs."""
    if not layout.since(10, 1):
        return []
    ends = not layout.statspack and layout.since(11, 1)
    value = Column("value", "Value" if ends else "Total", 22, COUNT)
    columns = (Column("statistic", "Statistic", 25, TEXT), value)
    if ends:
        columns = (*columns, Column("end_value", "End Value", 16, COUNT))
    elif layout.statspack and not layout.since(10, 2):
        columns = (*columns, Column("per_second", "per Second", 18, COUNT))
        rated = tuple(Row((each.name, each.value, facts.per_second(each.value))) for each in facts.os)
        return [Table("OS Statistics", (columns,), rated, "os_statistics")]
    rows = tuple(Row((each.name, each.value, each.end)[: len(columns)]) for each in facts.os)
    title = "OS Statistics" if layout.statspack else "Operating System Statistics"
    notes = ("ordered by statistic type (CPU Use, Virtual Memory, Hardware Config), Name",)
    summary = "This table displays operating systems statistics"
    return [Table(title, (columns,), rows, "os_statistics", notes=notes, summary=summary)]
