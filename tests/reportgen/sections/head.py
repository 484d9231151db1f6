"""The head of a report: database, instance, host, interval."""

from __future__ import annotations

from datetime import datetime

from reportgen.facts import Facts
from reportgen.layout import Damage, Layout
from reportgen.model import Block, Column, Prose, Row, Style, Table
from reportgen.printing import COUNT, PLAIN, TEXT, Medium, Value, fixed

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_GIB = 1 << 30


def moment(time: datetime, pattern: str = "%d-{}-%y %H:%M:%S") -> str:
    """A time as reports print it, with English months whatever the locale of the process."""
    return time.strftime(pattern.format(_MONTHS[time.month - 1]))


def blocks(facts: Facts, layout: Layout) -> list[Block]:
    """The blocks from the title to the interval."""
    made: list[Block] = [
        Prose(text=("", _title(layout), ""), html=f'<h1 class="awr">\n{_title(layout)}\n\n</h1>\n<p />')
    ]
    made += [*_database(facts, layout), *_interval(facts, layout)]
    return made


def _title(layout: Layout) -> str:
    if layout.statspack:
        return "STATSPACK report for"
    return (
        "WORKLOAD REPOSITORY PDB report (root snapshots)"
        if layout.kind == "awr-pdb"
        else "WORKLOAD REPOSITORY report for"
    )


def _database(facts: Facts, layout: Layout) -> list[Block]:
    if not layout.since(10, 2) or (not layout.since(11, 1) and not layout.statspack):
        return [_old_database(facts, layout)]
    if layout.statspack:
        return _statspack_database(facts, layout)
    if layout.since(12, 2):
        return _split_database(facts, layout)
    return [_awr_database(facts, layout), Prose(text=("",)), _host(facts, layout)]


def _bare(columns: list[tuple[str, int, object]], values: list[Value], summary: str = "") -> Table:
    made = tuple(Column(None, heading, width, form) for heading, width, form in columns)  # pyright: ignore[reportArgumentType]
    return Table("", (made,), (Row(tuple(values)),), style=Style.BARE, closing=False, summary=summary)


def _startup(facts: Facts) -> str:
    return moment(facts.first.startup, "%d-{}-%y %H:%M")


def _yes(answer: bool) -> str:
    return "YES" if answer else "NO"


def _old_database(facts: Facts, layout: Layout) -> Block:
    cluster = ("OPS", 3) if not layout.since(9) else ("Cluster", 7) if not layout.since(10) else ("RAC", 3)
    host_width = 16 if layout.since(10) else 12
    header, first = facts.header, facts.first
    columns = [
        ("DB Name", 12, TEXT),
        ("DB Id", 11, PLAIN),
        ("Instance", 12, TEXT),
        ("Inst Num", 8, PLAIN),
        ("Release", 11, TEXT),
        (*cluster, TEXT),
        ("Host", host_width, TEXT),
    ]
    values = [
        header.db_name,
        header.db_id,
        first.name,
        first.number,
        layout.full_release,
        _yes(header.rac),
        first.host,
    ]
    table = _bare(columns, values, "This table displays database instance information")
    rest = first.host[host_width:]
    indent = sum(column.width + 1 for column in table.columns[:-1])
    after = (" " * indent + rest,) if rest and not layout.html else ()
    return Table(
        "", table.lines, (Row(tuple(values), after),), style=Style.BARE, closing=False, summary=table.summary
    )


def _awr_database(facts: Facts, layout: Layout) -> Block:
    columns = [
        ("DB Name", 12, TEXT),
        ("DB Id", 11, PLAIN),
        ("Instance", 12, TEXT),
        ("Inst Num" if not layout.html else "Inst num", 8, PLAIN),
        ("Startup Time", 15, TEXT),
        ("Release", 11, TEXT),
        ("RAC", 3, TEXT),
    ]
    header, first = facts.header, facts.first
    values = [
        header.db_name,
        header.db_id,
        first.name,
        first.number,
        _startup(facts),
        layout.full_release,
        _yes(header.rac),
    ]
    return _bare(columns, values, "This table displays database instance information")


def _split_database(facts: Facts, layout: Layout) -> list[Block]:
    header, first = facts.header, facts.first
    role = "DB Role" if not layout.html else "Role"
    columns = [
        ("DB Name", 12, TEXT),
        ("DB Id", 11, PLAIN),
        ("Unique Name", 11, TEXT),
        (role, 16, TEXT),
        ("Edition", 7, TEXT),
        ("Release", 10, TEXT),
        ("RAC", 3, TEXT),
        ("CDB", 3, TEXT),
    ]
    values: list[Value] = [header.db_name, header.db_id, header.unique_name, header.role, header.edition]
    values += [layout.full_release, _yes(header.rac), _yes(_is_cdb(facts, layout))]
    database = _bare(columns, values, "This table displays database instance information")
    more = [("User Name", 12, TEXT), ("System Data Visible", 19, TEXT)] if layout.since(19) else []
    seen: list[Value] = ["SYS", "YES"] if layout.since(19) else []
    instance = _bare(
        [("Instance", 12, TEXT), ("Inst Num", 8, PLAIN), ("Startup Time", 15, TEXT), *more],
        [first.name, first.number, _startup(facts), *seen],
        "This table displays database instance information",
    )
    made: list[Block] = [database, Prose(text=("",)), instance, Prose(text=("",))]
    if layout.kind == "awr-pdb":
        made += [_container(facts), Prose(text=("",))]
    return [*made, _host(facts, layout)]


def _is_cdb(facts: Facts, layout: Layout) -> bool:
    return facts.header.cdb or layout.kind == "awr-pdb"


def _container(facts: Facts) -> Block:
    columns = [("Container DB Id", 15, PLAIN), ("Container Name", 14, TEXT), ("Open Time", 15, TEXT)]
    values: list[Value] = [facts.header.db_id // 2, facts.header.container, _startup(facts)]
    return _bare(columns, values, "This table displays pdb instance information")


def _host(facts: Facts, layout: Layout) -> Block:
    header = facts.header
    columns = [
        ("Host Name", 16, TEXT),
        ("Platform", 32, TEXT),
        ("CPUs", 4, PLAIN),
        ("Cores", 5, PLAIN),
        ("Sockets", 7, PLAIN),
        ("Memory(GB)" if not layout.html else "Memory (GB)", 10, fixed(2, grouped=False, bare=True)),
    ]
    values: list[Value] = [facts.first.host, header.platform, header.cpus, header.cores, header.sockets]
    return _bare(columns, [*values, header.memory_bytes / _GIB], "This table displays host information")


def _statspack_database(facts: Facts, layout: Layout) -> list[Block]:
    header, first = facts.header, facts.first
    dialect = Medium(comma=layout.comma)
    release = f"{_startup(facts)} {layout.full_release:<11} {_yes(header.rac)}"
    lines = [
        "Database    DB Id    Instance     Inst Num  Startup Time   Release     RAC",
        "~~~~~~~~ ----------- ------------ -------- --------------- ----------- ---",
        f"{'':8} {header.db_id:>11} {first.name:<12} {first.number:>8} {release}",
        "",
    ]
    memory = fixed(1).printed(header.memory_bytes / _GIB, dialect).text
    megabytes = COUNT.printed(header.memory_bytes / (1 << 20), dialect).text
    if not layout.since(11, 1):
        lines += [
            f"Host  Name:   {first.host[:16]:<16} Num CPUs: {header.cpus or '':>4}        Phys Memory (MB): {megabytes:>8}",
            "~~~~",
            "",
        ]
    else:
        counts = f"{header.cpus or '':>5} {header.cores or '':>5} {header.sockets or '':>7}"
        lines += [
            *_host_heading(layout),
            f"     {first.host[:16]:<16} {header.platform[:22]:<22} {counts} {memory:>12}",
            "",
        ]
    return [Prose(text=tuple(lines))]


def _host_heading(layout: Layout) -> list[str]:
    rulers = "~~~~ ---------------- ---------------------- ----- ----- ------- ------------"
    if Damage.WRAPPED_HOST in layout.damage:
        first = f"{'Host':<32} {'Name':<16} {'Platform':<23}{'CPUs':>4}"
        return [first, "Cores Sockets   Memory (G)", rulers]
    return ["Host Name             Platform                CPUs Cores Sockets   Memory (G)", rulers]


def _interval(facts: Facts, layout: Layout) -> list[Block]:
    return (
        [_html_interval(facts, layout)] if layout.html else [Prose(text=tuple(_text_interval(facts, layout)))]
    )


def _counts_instances(layout: Layout) -> bool:
    return not layout.statspack and layout.since(11, 2, 0, 4)


def minutes(seconds: float, layout: Layout) -> str:
    """Seconds printed as minutes with two decimals."""
    return fixed(2).printed(seconds / 60, Medium(comma=layout.comma)).text


def _text_interval(facts: Facts, layout: Layout) -> list[str]:
    header, first = facts.header, facts.first
    dialect = Medium(comma=layout.comma)
    ends = []
    counted = _counts_instances(layout) and header.rac
    members = f" {len(facts.instances):>9}" if counted else ""
    for label, snap, time, sessions, cursors in (
        ("Begin", header.begin_snap, first.begin, header.sessions_begin, header.cursors_begin),
        ("End", header.end_snap, first.end, header.sessions_end, header.cursors_end),
    ):
        each = fixed(1, bare=not layout.statspack).printed(cursors, dialect).text
        gap = "  " if not layout.statspack else " "
        snap_width = 10 if layout.statspack and layout.since(10, 2) else 9
        curs = f" {each:>9}" if layout.since(9) else ""
        ends.append(
            f"{label + ' Snap:':>11} {snap:>{snap_width}}{gap}{moment(time)} {sessions:>8}{curs}{members}"
        )
    return ["", *_interval_heading(facts, layout), *ends, *_elapsed(facts, layout), ""]


def _interval_heading(facts: Facts, layout: Layout) -> list[str]:
    if layout.statspack and layout.since(10, 2):
        return [
            "Snapshot       Snap Id     Snap Time      Sessions Curs/Sess Comment",
            "~~~~~~~~    ---------- ------------------ -------- --------- ------------------",
        ]
    if layout.statspack:
        cursors = (" Curs/Sess Comment", " --------- -------------------") if layout.since(9) else ("", "")
        return [
            f"              Snap Id     Snap Time      Sessions{cursors[0]}",
            f"            --------- ------------------ --------{cursors[1]}",
        ]
    members = (" Instances", " ---------") if _counts_instances(layout) and facts.header.rac else ("", "")
    return [
        f"              Snap Id      Snap Time      Sessions Curs/Sess{members[0]}",
        f"            --------- ------------------- -------- ---------{members[1]}",
    ]


def _elapsed(facts: Facts, layout: Layout) -> list[str]:
    elapsed, db_time = minutes(facts.elapsed_s, layout), minutes(facts.db_time_s, layout)
    if layout.statspack and layout.since(10, 2):
        active = fixed(1).printed(facts.db_time_s / facts.elapsed_s, Medium(comma=layout.comma)).text
        cpu = minutes(facts.first.db_cpu_s, layout)
        return [
            f"   Elapsed: {elapsed:>10} (mins) Av Act Sess: {active:>9}",
            f"   DB time: {db_time:>10} (mins)      DB CPU: {cpu:>10} (mins)",
        ]
    lines = [f"   Elapsed: {elapsed:>19} (mins)"]
    return lines if layout.statspack else [*lines, f"   DB Time: {db_time:>19} (mins)"]


def _html_interval(facts: Facts, layout: Layout) -> Block:
    header, first = facts.header, facts.first
    columns = (
        Column(None, "", 11, TEXT),
        Column(None, "Snap Id", 9, PLAIN),
        Column(None, "Snap Time", 19, TEXT),
        Column(None, "Sessions", 8, PLAIN),
        Column(None, "Cursors/Session", 9, fixed(1, bare=True)),
    )
    members: tuple[Value, ...] = ()
    if _counts_instances(layout) and header.rac:
        columns = (*columns, Column(None, "Instances", 9, PLAIN))
        members = (len(facts.instances),)
    blank: tuple[Value, ...] = (None,) * (2 + len(members))
    begin, end = moment(first.begin), moment(first.end)
    rows = (
        Row(("Begin Snap:", header.begin_snap, begin, header.sessions_begin, header.cursors_begin, *members)),
        Row(("End Snap:", header.end_snap, end, header.sessions_end, header.cursors_end, *members)),
        Row(("Elapsed:", None, f"{minutes(facts.elapsed_s, layout)} (mins)", *blank)),
        Row(("DB Time:", None, f"{minutes(facts.db_time_s, layout)} (mins)", *blank)),
    )
    return Table(
        "",
        (columns,),
        rows,
        style=Style.BARE,
        closing=False,
        summary="This table displays snapshot information",
    )
