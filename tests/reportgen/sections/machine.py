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
    name_width = 35 if layout.statspack else 42
    heading = "Statistic" if layout.statspack else "Statistic Name"
    percent = "% of DB\nTime" if layout.since(12, 1) and not layout.statspack else "% of DB Time"
    width = 7 if "\n" in percent else 12
    if layout.statspack and layout.since(10, 2):
        percent, width = "% DB time", 9
    time = Column("time_s", "Time (s)", 20 if layout.statspack else 18, fixed(1, 2))
    share = Column("db_time_percent", percent, width, fixed(1, 2, bare=layout.statspack))
    columns = (Column("statistic", heading, name_width, TEXT), time, share)
    rows: list[tuple[Value, ...]] = []
    for name, seconds in sorted(facts.time_model, key=lambda each: -each[1]):
        rows.append((name, seconds, facts.of_db_time(seconds)))
    rows.append(("DB time", facts.db_time_s, None))
    rows.append(("background elapsed time", facts.db_time_s / 8, None))
    title = "Time Model System Stats" if layout.statspack else "Time Model Statistics"
    notes = ("Ordered by % of DB time desc, Statistic name",)
    summary = "This table displays different time model statistics. For each statistic, time and % of DB time are displayed"
    return [Table(title, (columns,), of_rows(rows), "time_model", notes=notes, summary=summary)]


def os_statistics(facts: Facts, layout: Layout) -> list[Block]:
    """Counters of the operating system, with the end value where it differs."""
    if not layout.since(10, 1):
        return []
    ends = not layout.statspack and layout.since(11, 1)
    value = Column("value", "Value" if ends else "Total", 22, COUNT)
    columns = (Column("statistic", "Statistic", 25, TEXT), value)
    if ends:
        columns = (*columns, Column("end_value", "End Value", 16, COUNT))
    rows = tuple(Row((each.name, each.value, each.end)[: len(columns)]) for each in facts.os)
    title = "OS Statistics" if layout.statspack else "Operating System Statistics"
    notes = ("ordered by statistic type (CPU Use, Virtual Memory, Hardware Config), Name",)
    summary = "This table displays operating systems statistics"
    return [Table(title, (columns,), rows, "os_statistics", notes=notes, summary=summary)]
