"""Load profile, instance efficiency, IO profile, host CPU and ADDM's findings: the first page of a report."""

from __future__ import annotations

from reportgen.facts import Facts, Load
from reportgen.layout import Layout
from reportgen.model import Block, Column, Pairs, Profile, Prose, Row, Style, Table
from reportgen.printing import ONE, TEXT, TWO, Value, fixed
from reportgen.sections.head import moment

_MIB = 1 << 20
# What each line of the load profile counts, with its name in Statspack and AWR up to 11.2.0.3, and in AWR from 11.2.0.4.
_LINES = (
    ("redo_bytes", "Redo size", "Redo size (bytes)"),
    ("logical_reads", "Logical reads", "Logical read (blocks)"),
    ("block_changes", "Block changes", "Block changes"),
    ("physical_reads", "Physical reads", "Physical read (blocks)"),
    ("physical_writes", "Physical writes", "Physical write (blocks)"),
    ("read_requests", "", "Read IO requests"),
    ("write_requests", "", "Write IO requests"),
    ("user_calls", "User calls", "User calls"),
    ("parses", "Parses", "Parses (SQL)"),
    ("hard_parses", "Hard parses", "Hard parses (SQL)"),
    ("sorts", "Sorts", ""),
    ("workarea_bytes", "W/A MB processed", "SQL Work Area (MB)"),
    ("logons", "Logons", "Logons"),
    ("executes", "Executes", "Executes (SQL)"),
    ("rollbacks", "Rollbacks", "Rollbacks"),
    ("transactions", "Transactions", "Transactions"),
)


def load_profile(facts: Facts, layout: Layout) -> list[Block]:
    """Per second and per transaction; from 11g also per execution and per call."""
    wide = layout.since(11, 1)
    form = ONE if wide else TWO
    if wide and not layout.statspack and layout.since(11, 2, 0, 4):
        label_width, widths, dashes = 24, (18, 18, 10, 10), (15, 15, 9, 9)
    elif wide:
        label_width, widths, dashes = 17, (19, 19, 12, 12), (18, 17, 11, 11)
    else:
        label_width, widths, dashes = 28, (22, 22), (15, 15)
    headings = (
        ("per_second", "Per Second"),
        ("per_transaction", "Per Transaction"),
        ("per_exec", "Per Exec"),
        ("per_call", "Per Call"),
    )
    columns = tuple(
        Column(name, heading, width, form if place < 2 else TWO)
        for place, ((name, heading), width) in enumerate(zip(headings, widths, strict=False))
    )
    return [
        Profile(
            "Load Profile",
            label_width,
            columns,
            tuple(_load_rows(facts, layout, len(columns))),
            view="load_profile",
            dashes=dashes,
            beside=wide,
            summary="This table displays load profile",
        )
    ]


def _load_rows(facts: Facts, layout: Layout, width: int) -> list[tuple[str, tuple[Value, ...]]]:
    load = facts.load
    rows: list[tuple[str, tuple[Value, ...]]] = []
    if layout.since(11, 1):
        cpu = "DB CPU(s)"
        for label, seconds in (
            ("DB time(s)" if layout.statspack else "DB Time(s)", facts.db_time_s),
            (cpu, facts.first.db_cpu_s),
        ):
            figures = (
                facts.per_second(seconds),
                facts.per_transaction(seconds),
                seconds / load.executes,
                seconds / load.user_calls,
            )
            rows.append((label, figures))
    for key, old, new in _LINES:
        label = new if not layout.statspack and layout.since(11, 2, 0, 4) else old
        if (
            not label
            or (key in ("workarea_bytes", "rollbacks") and not layout.since(11, 1))
            or (key == "sorts" and layout.since(11, 1))
        ):
            continue
        total = getattr(load, key) / (_MIB if key == "workarea_bytes" else 1)
        per_transaction = None if key == "transactions" else facts.per_transaction(total)
        rows.append((label, (facts.per_second(total), per_transaction, None, None)[:width]))
    return rows


def efficiency(facts: Facts, layout: Layout) -> list[Block]:
    """Percentages, two by two."""
    new = layout.statspack and layout.since(10, 2)
    renamed = [
        ("Optimal W/A Exec %" if new and name == "In-memory Sort %" else name, value)
        for name, value in facts.efficiency
    ]
    title = (
        "Instance Efficiency Indicators"
        if new and layout.since(11, 1)
        else "Instance Efficiency Percentages (Target 100%)"
    )
    pairs = tuple(tuple(renamed[place : place + 2]) for place in range(0, len(renamed), 2))
    summary = "This table displays instance efficiency percentages"
    return [Pairs(title, pairs, TWO, view="instance_efficiency", summary=summary)]


def io_profile(facts: Facts, layout: Layout) -> list[Block]:
    """AWR's own sum of all reads and writes, from 11.2.0.4."""
    if layout.statspack or not layout.since(11, 2, 0, 4):
        return []
    columns = (
        Column("read_write_per_s", "Read+Write/Second", 18, ONE, html="Read+Write Per Second"),
        Column("read_per_s", "Read/Second", 16, ONE, html="Read per Second"),
        Column("write_per_s", "Write/Second", 16, ONE, html="Write Per Second"),
    )
    rows = tuple(
        (label, _both(facts, reads, writes))
        for label, reads, writes in io_totals(facts.load, facts.header.block_bytes)
    )
    return [
        Profile(
            "IO Profile",
            27,
            columns,
            rows,
            view="io_profile",
            dashes=(17, 15, 15),
            summary="This table displays IO profile",
        )
    ]


def io_totals(load: Load, block_bytes: int) -> tuple[tuple[str, float, float], ...]:
    """Lines of the IO profile as totals of the interval: label, read, written."""
    read_mib, write_mib = load.physical_reads * block_bytes / _MIB, load.physical_writes * block_bytes / _MIB
    redo_mib = load.redo_bytes / _MIB
    return (
        ("Total Requests", load.read_requests, load.write_requests + load.redo_requests),
        ("Database Requests", load.read_requests, load.write_requests),
        ("Optimized Requests", 0, 0),
        ("Redo Requests", 0, load.redo_requests),
        ("Total (MB)", read_mib, write_mib + redo_mib),
        ("Database (MB)", read_mib, write_mib),
        ("Optimized Total (MB)", 0, 0),
        ("Redo (MB)", 0, redo_mib),
        ("Database (blocks)", load.physical_reads, load.physical_writes),
        ("Via Buffer Cache (blocks)", load.physical_reads, load.physical_writes),
        ("Direct (blocks)", 0, 0),
    )


def _both(facts: Facts, reads: float, writes: float) -> tuple[Value, ...]:
    return facts.per_second(reads + writes), facts.per_second(reads), facts.per_second(writes)


def host_cpu(facts: Facts, layout: Layout) -> list[Block]:
    """Load and percentages of the processors."""
    host, header = facts.host, facts.header
    if not layout.since(10, 2):
        return []
    counts: tuple[Value, ...] = (header.cpus, header.cores, header.sockets)
    loads = (host.load_begin, host.load_end)
    if layout.statspack:
        return [_statspack_cpu(facts)]
    whole = fixed(0, grouped=False)
    columns = (
        Column("cpus", "CPUs", 5, whole),
        Column("cores", "Cores", 5, whole),
        Column("sockets", "Sockets", 7, whole),
        Column("load_begin", "Begin", 9, TWO, html="Load Average Begin"),
        Column("load_end", "End", 9, TWO, html="Load Average End"),
        Column("user_percent", "%User", 9, ONE),
        Column("system_percent", "%System", 9, ONE),
        Column("io_wait_percent", "%WIO", 9, ONE),
        Column("idle_percent", "%Idle", 9, ONE),
    )
    values = (*counts, *loads, host.user, host.system, host.io_wait, host.idle)
    over: tuple[str, ...] = ("~~~~~~~~                  Load Average",)
    if not layout.since(11, 2, 0, 4):
        columns, values = columns[3:], values[3:]
        over = ("~~~~~~~~         Load Average",)
    summary = "This table displays system load statistics"
    table = Table(
        "",
        (columns,),
        (Row(values),),
        "host_cpu",
        style=Style.BARE,
        closing=False,
        indent=0 if layout.since(11, 2, 0, 4) else 11,
        over=over,
        summary=summary,
    )
    heading = "Host CPU" if layout.since(11, 2, 0, 4) else _counted(facts)
    if not layout.statspack and not layout.since(11, 1):
        return []
    return [Prose(text=("", heading), html=f"{heading}\n<p />"), table]


def _counted(facts: Facts) -> str:
    header = facts.header
    shown = [
        f"{count:>4}" if count is not None else "" for count in (header.cpus, header.cores, header.sockets)
    ]
    return f"Host CPU (CPUs: {shown[0]} Cores: {shown[1]} Sockets: {shown[2]})"


def _statspack_cpu(facts: Facts) -> Block:
    host, header = facts.host, facts.header
    columns = (
        Column("load_begin", "Begin", 7, TWO),
        Column("load_end", "End", 7, TWO),
        Column("user_percent", "User", 9, TWO, rule=7),
        Column("system_percent", "System", 7, TWO),
        Column("idle_percent", "Idle", 7, TWO),
        Column("io_wait_percent", "WIO", 7, TWO),
        Column(None, "WCPU", 8, TWO),
    )
    row = Row((host.load_begin, host.load_end, host.user, host.system, host.idle, host.io_wait, None))
    shown = [count if count is not None else "" for count in (header.cpus, header.cores, header.sockets)]
    title = f"Host CPU  (CPUs: {shown[0]}  Cores: {shown[1]}  Sockets: {shown[2]})"
    lines = ("", title, "~~~~~~~~              Load Average")
    return Table("", (columns,), (row,), "host_cpu", style=Style.BARE, indent=20, closing=False, over=lines)


def findings(facts: Facts, layout: Layout) -> list[Block]:
    """What ADDM found, from 12.1."""
    if layout.statspack or not layout.since(12, 1) or not facts.findings:
        return []
    columns = (
        Column("finding", "Finding Name", 40, TEXT),
        Column(
            "avg_active_sessions",
            "Avg act",
            7,
            fixed(2, grouped=False),
            html="Avg active sessions of the task",
        ),
        Column(
            "finding_percent",
            "Percen",
            6,
            fixed(2, grouped=False, exponent=True),
            html="Percent active sessions of finding",
        ),
        Column("task", "Task Name", 24, TEXT),
    )
    if layout.html:
        columns = (
            *columns,
            Column(None, "Begin Snap Time", 15, TEXT),
            Column(None, "End Snap Time", 15, TEXT),
        )
    times = [moment(time, "%d-{}-%y %H:%M") for time in (facts.first.begin, facts.first.end)]
    rows = tuple(
        Row((found.name, found.avg_sessions, found.percent, found.task, *times)[: len(columns)])
        for found in facts.findings
    )
    summary = "This table displays top ADDM findings by average active sessions"
    title = "Top ADDM Findings by Average Active Sessions"
    return [
        Table(title, (columns,), rows, "addm_findings", style=Style.TILDES, closing=False, summary=summary)
    ]
