"""Reports about a whole cluster (`awrgrpt`, HTML only): rows per instance and, under `*`, their sum."""

from __future__ import annotations

from reportgen.facts import Facts, Instance, Wait
from reportgen.layout import Layout
from reportgen.model import Block, Column, Prose, Row, Style, Table, of_rows
from reportgen.printing import (
    COUNT,
    IDENTIFIER,
    MEMBER,
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
from reportgen.sections.head import moment
from reportgen.sections.profile import io_totals

_MIB = float(1 << 20)
_ALL = 0
_IDLE = "Idle"
_TOP = 5
_CUT = 30


def head(facts: Facts, layout: Layout) -> list[Block]:
    """Title, database and instances."""
    title = "WORKLOAD REPOSITORY REPORT (RAC)"
    return [
        Prose(html=f'<h1 class="awr">\n{title}\n\n</h1>\n<p />'),
        _database(facts, layout),
        _instances(facts, layout),
    ]


def _database(facts: Facts, layout: Layout) -> Table:
    header, count = facts.header, len(facts.instances)
    more = layout.since(12, 2)
    columns = [_plain("Id", PLAIN), _plain("Name", TEXT)]
    values: list[Value] = [header.db_id, header.db_name]
    if more:
        columns += [_plain("Unique Name", TEXT), _plain("Role", TEXT), _plain("Edition", TEXT)]
        values += [header.unique_name, header.role, header.edition]
    columns.append(_plain("RAC", TEXT))
    values.append("YES" if header.rac else "NO")
    if more:
        columns.append(_plain("CDB", TEXT))
        values.append("YES" if header.cdb else "NO")
    columns.append(_plain("Block Size", PLAIN))
    groups = (
        ("Database", len(columns)),
        ("Snapshot Ids", 2),
        ("Number of Instances", 2),
        ("Number of Hosts", 2),
        ("Report Total (minutes)", 2),
    )
    columns += [_plain(word, PLAIN) for word in ("Begin", "End", "In Report", "Total", "In Report", "Total")]
    columns += [_plain("DB time", TWO), _plain("Elapsed time", TWO)]
    db_time = sum(instance.db_time_s for instance in facts.instances)
    values += [
        header.block_bytes,
        header.begin_snap,
        header.end_snap,
        count,
        count,
        count,
        count,
        db_time / 60,
        facts.elapsed_s / 60,
    ]
    return Table(
        "Database Summary",
        (tuple(columns),),
        (Row(tuple(values)),),
        groups=groups,
        style=Style.TILDES,
        summary="Database Summary",
    )


def _plain(heading: str, form: Form) -> Column:
    return Column(None, heading, 12, form)


def _instances(facts: Facts, layout: Layout) -> Table:
    columns = (
        _plain("I#", PLAIN),
        _plain("Instance", TEXT),
        _plain("Host", TEXT),
        _plain("Startup", TEXT),
        _plain("Begin Snap Time", TEXT),
        _plain("End Snap Time", TEXT),
        _plain("Release", TEXT),
        _plain("Elapsed Time(min)", TWO),
        _plain("DB time(min)", TWO),
        _plain("Up Time(hrs)", TWO),
        _plain("Avg Active Sessions", TWO),
        _plain("Platform", TEXT),
    )
    rows: list[tuple[Value, ...]] = []
    for each in facts.instances:
        times = [moment(time, "%d-{}-%y %H:%M") for time in (each.startup, each.begin, each.end)]
        up_hours = (each.end - each.startup).total_seconds() / 3600
        figures = (each.elapsed_s / 60, each.db_time_s / 60, up_hours, each.db_time_s / each.elapsed_s)
        rows.append(
            (each.number, each.name, each.host, *times, layout.full_release, *figures, facts.header.platform)
        )
    summary = "Database Instances Included In Report. . Listed in order of instance number, I#"
    return Table(
        "Database Instances Included In Report",
        (columns,),
        of_rows(rows),
        style=Style.TILDES,
        summary=summary,
    )


def _number(instance: Instance | None) -> Value:
    return _ALL if instance is None else instance.number


def top_events(facts: Facts, layout: Layout) -> list[Block]:
    """Top timed foreground events, of all instances and of each."""
    return [_events(facts, layout, "Top Timed Foreground Events", "top_events", by_instance=True)]


def foreground(facts: Facts, layout: Layout) -> list[Block]:
    """All foreground events of the cluster, from 12.2."""
    if not layout.since(12, 2):
        return []
    return [_events(facts, layout, "Foreground Wait Events (Global)", "foreground_waits", by_instance=False)]


def _events(facts: Facts, layout: Layout, title: str, view: str, by_instance: bool) -> Table:
    columns = _event_columns(layout, by_instance)
    rows: list[tuple[Value, ...]] = []
    for instance in (None, *facts.instances) if by_instance else (None,):
        front: tuple[Value, ...] = (_number(instance),) if by_instance else ()
        rows += [(*front, *each) for each in _event_rows(facts, layout, instance, by_instance)]
    groups = (("", 1),) if by_instance else ()
    kind = "Wait Time" if layout.unit_waits else "Wait Time (ms)"
    groups = (
        *groups,
        ("Wait", 2),
        ("Event", 2),
        ("Wait Time", 3),
        (f"Summary Avg {kind}", 5 if by_instance else 4),
    )
    notes = ("Instance '*' - cluster wide summary",)
    return Table(title, (columns,), of_rows(rows), view, notes=notes, groups=groups, summary=title)


def _event_columns(layout: Layout, by_instance: bool) -> tuple[Column, ...]:
    average: Form = Duration() if layout.unit_waits else Number(digits=2, scale=1000.0)
    first = (Column("instance_number", "I#", 3, MEMBER),) if by_instance else ()
    return (
        *first,
        Column("wait_class", "Class", 10, TEXT),
        Column("event", "Event", 30, TEXT),
        Column("waits", "Waits", 12, COUNT),
        Column("timeouts_percent", "%Timeouts", 9, TWO),
        Column("total_wait_s", "Total(s)", 12, TWO),
        Column("avg_wait_us", "Avg Wait" if layout.unit_waits else "Avg(ms)", 9, average),
        Column("db_time_percent", "%DB time", 9, TWO),
        *(Column(None, heading, 9, average) for heading in ("Avg", "Min", "Max", "Std Dev")),
        *((Column(None, "Cnt", 3, COUNT),) if by_instance else ()),
    )


def _event_rows(
    facts: Facts, layout: Layout, instance: Instance | None, counted: bool
) -> list[tuple[Value, ...]]:
    busy = sorted(
        (wait for wait in facts.waits if wait.wait_class != _IDLE), key=lambda wait: -wait.total_us
    )[:_TOP]
    db_time_s = sum(each.db_time_s for each in facts.instances) if instance is None else instance.db_time_s
    rows: list[tuple[Value, ...]] = []
    count: tuple[Value, ...] = (
        (len(facts.instances),) if counted and instance is None else (None,) if counted else ()
    )
    for wait in busy:
        waits, us = _part(facts, wait, instance)
        if not waits:
            continue
        average = us / waits if layout.unit_waits else us / waits / 1000
        seconds = us / 1e6
        outs = wait.timeouts / wait.waits * 100
        rows.append(
            (
                wait.wait_class,
                wait.event,
                waits,
                outs,
                seconds,
                average,
                seconds / db_time_s * 100,
                *(average,) * 3,
                0.0,
                *count,
            )
        )
    return rows


def _part(facts: Facts, wait: Wait, instance: Instance | None) -> tuple[int, float]:
    """What fell to one instance: an equal share, the first has the rest."""
    if instance is None:
        return wait.waits, wait.total_us
    count = len(facts.instances)
    rest = wait.waits % count if instance.number == 1 else 0
    waits = wait.waits // count + rest
    return waits, wait.total_us * waits / wait.waits


def io_profile(facts: Facts, layout: Layout) -> list[Block]:
    """The IO profile of all instances, from 12.2."""
    if not layout.since(12, 2):
        return []
    columns = (
        Column("statistic", "Statistic", 30, TEXT),
        Column("read_write_per_s", "Read+Write/s", 14, TWO),
        Column("read_per_s", "Reads/s", 14, TWO),
        Column("write_per_s", "Writes/s", 14, TWO),
    )
    rows: list[tuple[Value, ...]] = []
    for name, reads, writes in io_totals(facts.load, facts.header.block_bytes):
        rows.append(
            (name, facts.per_second(reads + writes), facts.per_second(reads), facts.per_second(writes))
        )
    return [
        Table("IO Profile (Global)", (columns,), of_rows(rows), "io_profile", summary="IO Profile (Global)")
    ]


def io_functions(facts: Facts, layout: Layout) -> list[Block]:
    """Reads and writes by function, from 12.2 one line per function and instance."""
    if not layout.since(12, 2):
        return []
    columns = (
        Column("instance_number", "I#", 3, MEMBER),
        Column("function", "Function Name", 30, TEXT),
        Column(None, "Total", 12, COUNT),
        Column(None, "IOs/s", 12, TWO),
        Column("read_requests_per_s", "Reads/s", 12, TWO),
        Column("write_requests_per_s", "Writes/s", 12, TWO),
        Column(None, "Total", 12, COUNT),
        Column(None, "IO MB/s", 12, TWO),
        Column("read_bytes_per_s", "Read MB/s", 12, fixed(2, scale=_MIB)),
        Column("write_bytes_per_s", "Write MB/s", 12, fixed(2, scale=_MIB)),
        Column("waits", "Waits: Count", 12, Suffixed()),
        Column("avg_wait_us", "Avg Time", 12, Duration()),
    )
    rows: list[tuple[Value, ...]] = []
    for number in (_ALL, *(each.number for each in facts.instances)):
        for io in facts.io:
            requests, mib = io.reads + io.writes, io.read_mib + io.write_mib
            front = (
                number,
                io.function,
                requests,
                facts.per_second(requests),
                facts.per_second(io.reads),
                facts.per_second(io.writes),
            )
            moved = (
                mib,
                facts.per_second(mib),
                facts.per_second(io.read_mib),
                facts.per_second(io.write_mib),
            )
            rows.append((*front, *moved, io.waits, io.wait_us / io.waits if io.waits else None))
    groups = (("", 1), ("", 1), ("Requests", 4), ("MB", 4), ("", 1), ("", 1))
    return [
        Table(
            "IOStat by Function",
            (columns,),
            of_rows(rows),
            "iostat_by_function",
            groups=groups,
            summary="IOStat by Function",
        )
    ]


def segments(facts: Facts, layout: Layout) -> list[Block]:
    """All lists of segments in one table."""
    columns = (
        Column("statistic", "Statistic", 30, TEXT),
        Column("owner", "Owner", 20, TEXT),
        Column("tablespace", "Tablespace Name", 20, TEXT),
        Column("object_name", "Object Name", 30, TEXT),
        Column("subobject_name", "Subobject Name", 30, TEXT),
        Column("object_type", "Obj. Type", 20, TEXT),
        Column("object_number", "Obj#", 10, IDENTIFIER),
        Column("data_object_number", "Dataobj#", 10, IDENTIFIER),
        Column("value", "Value", 14, COUNT),
        Column(None, "%Total", 8, TWO),
        Column(None, "%Capture", 8, TWO),
    )
    rows: list[tuple[Value, ...]] = []
    for name in ("db block changes", "logical reads", "physical reads"):
        for each in facts.segments:
            place = (
                each.owner,
                each.tablespace,
                each.name,
                each.subobject,
                each.kind,
                each.object_number,
                each.data_object_number,
            )
            rows.append((name, *place, each.value, None, 12.5))
    return [
        Table(
            "Segment Statistics (Global)",
            (columns,),
            of_rows(rows),
            "segments",
            summary="Segment Statistics (Global)",
        )
    ]


def sql(facts: Facts, layout: Layout) -> list[Block]:
    """Statements by elapsed time: totals, per execution, shares."""
    totals = (
        Column("elapsed_s", "Elapsed (s)", 12, TWO),
        Column("cpu_s", "CPU (s)", 12, TWO),
        Column("io_wait_s", "IOWait (s)", 12, TWO),
        Column("buffer_gets", "Gets", 12, COUNT),
        Column("physical_reads", "Reads", 12, COUNT),
        Column("rows_processed", "Rows", 12, COUNT),
        Column("cluster_wait_s", "Cluster (s)", 12, TWO),
    )
    each_execution = tuple(Column(None, column.heading, 12, TWO) for column in totals)
    shares = tuple(
        Column(None, word, 8, TWO)
        for word in ("DB time", "DB CPU", "IO Wait", "Gets", "Reads", "Cluster", "Execs")
    )
    executions = Column("executions", "Execs", 12, COUNT)
    columns = (
        Column("sql_id", "SQL Id", 13, TEXT),
        *totals,
        executions,
        *each_execution,
        *shares,
        Column("text_start", "SQL Text", 40, TEXT),
    )
    rows: list[tuple[Value, ...]] = []
    for each in sorted(facts.sql, key=lambda each: -each.elapsed_s):
        figures = (each.elapsed_s, each.cpu_s, each.io_s, each.gets, each.reads, each.rows, each.cluster_s)
        per = tuple(figure / each.executions if each.executions else None for figure in figures)
        percent = (facts.of_db_time(each.elapsed_s), *(12.5,) * 6)
        rows.append((each.sql_id, *figures, each.executions, *per, *percent, each.text[:_CUT] + "..."))
    title = "SQL ordered by Elapsed Time (Global)"
    groups = (("", 1), ("Total", 8), ("Per Execution", 7), ("Percentage of Total", 7), ("", 1))
    ordered = {"ordered_by": "elapsed time"}
    return [Table(title, (columns,), of_rows(rows), "sql", ordered, groups=groups, summary=title)]


def statistics(facts: Facts, layout: Layout) -> list[Block]:
    """Statistics over all instances."""
    columns = (
        Column("statistic", "Statistic", 40, TEXT),
        Column("total", "Total", 18, COUNT),
        Column("per_second", "per Second", 14, TWO),
        Column("per_transaction", "per Trans", 14, TWO),
        *(Column(None, heading, 14, TWO) for heading in ("Average", "Std Dev", "Min", "Max")),
    )
    rows: list[tuple[Value, ...]] = []
    for each in facts.statistics:
        if not each.absolute:
            rate = facts.per_second(each.total)
            rows.append(
                (
                    each.name,
                    each.total,
                    rate,
                    facts.per_transaction(each.total),
                    rate / 2,
                    None,
                    rate / 2,
                    rate / 2,
                )
            )
    groups = (("", 1), ("", 1), ("", 1), ("", 1), ("per Second", 4))
    title = "System Statistics (Global)"
    return [
        Table(
            title,
            (columns,),
            of_rows(rows),
            "instance_activity",
            groups=groups,
            summary=f"{title}. . per Second Average",
        )
    ]


def parameters(facts: Facts, layout: Layout) -> list[Block]:
    """Settings, `*` where all instances have the same."""
    columns = (
        Column("parameter", "Parameter Name", 30, TEXT),
        Column("instance_number", "I#", 3, MEMBER),
        Column("begin_value", "Begin value", 40, TEXT),
        Column("end_value", "End value (if different)", 40, TEXT),
    )
    rows = of_rows([(each.name, _ALL, each.begin, each.end) for each in facts.parameters])
    return [
        Table(
            "init.ora Parameters",
            (columns,),
            rows,
            "parameters",
            summary="This table displays values for init.ora parameters",
        )
    ]
