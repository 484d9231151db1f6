"""The tables of an interval, as reports print them: titles and headings are those by which the reader knows its typed views.

Requests by type of file are printed by second, since reports do so. Megabytes are counted whole, so that rates of them have
only the digits that are certain. Counters that say how things are at the moment, such as sessions that are connected, are no
amounts of an interval and are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from math import floor, log10

from plimsoll.reports.spool.gains import Gain, gains, own_gains, states
from plimsoll.reports.spool.snapshots import Snapshot

_MOMENTARY = frozenset(
    (
        "logons current", "opened cursors current", "session cursor cache count", "workarea memory allocated",
        "session uga memory", "session uga memory max", "session pga memory", "session pga memory max",
        "java session heap live size", "java session heap used size", "enqueue conversions pending",
    )
)  # fmt: skip
_MIB_UNSURE = 2.0
"""Small and large ones are counted in whole megabytes each, at both snapshots."""
_TITLES_OF_SEGMENTS = {"physical reads": "Physical Reads", "physical writes": "Physical Writes"}
_CUMULATIVE = "YES"

Cell = str
Line = tuple[int, tuple[Cell, ...]]


@dataclass(frozen=True)
class PrintedTable:
    """Rows stand on lines that ascend."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[Line, ...]


@dataclass(frozen=True)
class Interval:
    """Two snapshots of the same lives of the same instances."""

    first: Snapshot
    last: Snapshot
    elapsed_s: float

    @property
    def is_clustered(self) -> bool:
        """Whether several instances counted."""
        return len(self.last.instances) > 1


def tables_of(interval: Interval) -> list[PrintedTable]:
    """All tables that have rows, in the order of their lines."""
    made = [
        *_counters(interval),
        *_io(interval),
        *_spaces(interval),
        _histogram(interval),
        *_segments(interval),
        *_estimates(interval),
    ]
    return sorted((one for one in made if one.rows), key=lambda one: one.rows[0][0])


def _counters(interval: Interval) -> Iterator[PrintedTable]:
    first, last = interval.first, interval.last
    activity = gains(first, last, "S")
    yield PrintedTable(
        "Instance Activity Stats",
        ("Statistic", "Total"),
        tuple(
            (one.line, (name, _whole(one.values[0])))
            for (name,), one in activity.items()
            if name not in _MOMENTARY
        ),
    )
    for letter, title in (("W", "Foreground Wait Events"), ("B", "Background Wait Events")):
        yield PrintedTable(
            title,
            ("Event", "Waits", "Total Wait Time (s)", "Wait Class"),
            tuple(
                (one.line, (event, _whole(one.values[0]), _seconds(one.values[1]), wait_class))
                for (event, wait_class), one in gains(first, last, letter).items()
            ),
        )
    yield PrintedTable(
        "Time Model Statistics",
        ("Statistic Name", "Time (s)"),
        tuple((one.line, (*key, _seconds(one.values[0]))) for key, one in gains(first, last, "J").items()),
    )
    yield PrintedTable("Operating System Statistics", ("Statistic", "Value"), tuple(_host(interval)))
    yield PrintedTable(
        "Instance Activity by Container",
        ("Con Id", "Container", "Statistic", "Total"),
        tuple(
            (one.line, (con, last.containers.get(con, ""), name, _whole(one.values[0])))
            for (con, name), one in gains(first, last, "K").items()
        ),
    )


def _host(interval: Interval) -> Iterator[Line]:
    """Counters are gains; the number of CPUs is what it is, added up over hosts."""
    found = gains(interval.first, interval.last, "O")
    cpus: dict[str, list[tuple[int, Decimal | None]]] = {}
    for _, (name, cumulative), row in states(interval.last, "O"):
        if cumulative != _CUMULATIVE:
            cpus.setdefault(name, []).append((row.line, row.values[0]))
    rows = [
        (one.line, (name, _whole(one.values[0])))
        for (name, kind), one in found.items()
        if kind == _CUMULATIVE
    ]
    for name, values in cpus.items():
        known = [value for _, value in values if value is not None]
        if len(known) == len(interval.last.instances):
            rows.append((max(line for line, _ in values), (name, _whole(sum(known, Decimal(0))))))
    yield from sorted(rows)


def _io(interval: Interval) -> Iterator[PrintedTable]:
    first, last, elapsed_s = interval.first, interval.last, Decimal(str(interval.elapsed_s))
    digits = max(0, floor(log10(max(1.0, interval.elapsed_s / (2.0 * _MIB_UNSURE)))))
    yield PrintedTable(
        "IOStat by Filetype summary",
        (
            "Filetype Name", "Reads: Data", "Reqs per sec", "Data per sec", "Writes: Data", "Reqs per sec", "Data per sec",
            "Small Read", "Large Read",
        ),
        tuple(
            (one.line, (*key, *_of_filetype(one.values, elapsed_s, digits)))
            for key, one in gains(first, last, "F").items()
        ),
    )  # fmt: skip
    sizes = ("Small {} Reqs", "Large {} Reqs", "Small Data {}", "Large Data {}")
    read = tuple(f"Read {words.format('Read')}" for words in sizes)
    write = tuple(f"Write {words.format('Write' if 'Reqs' in words else 'Writn')}" for words in sizes)
    yield PrintedTable(
        "IOStat by Function - detail",
        ("Function", *read, *write),
        tuple((one.line, (*key, *_of_function(one.values))) for key, one in gains(first, last, "U").items()),
    )


def _of_filetype(values: tuple[Decimal | None, ...], elapsed_s: Decimal, digits: int) -> Iterator[Cell]:
    small_reads, large_reads, small_read_mib, large_read_mib = values[:4]
    small_writes, large_writes, small_write_mib, large_write_mib, small_ms, large_ms = values[4:]
    for requests, data in (
        (_sum(small_reads, large_reads), _sum(small_read_mib, large_read_mib)),
        (_sum(small_writes, large_writes), _sum(small_write_mib, large_write_mib)),
    ):
        yield _mib(data)
        yield _fraction(_ratio(requests, elapsed_s), 6)
        rate = _fraction(_ratio(data, elapsed_s), digits)
        yield f"{rate}M" if rate else ""
    yield _fraction(_ratio(small_ms, small_reads), 6)
    yield _fraction(_ratio(large_ms, large_reads), 6)


def _of_function(values: tuple[Decimal | None, ...]) -> Iterator[Cell]:
    for at in (0, 4):
        yield from (_whole(values[at]), _whole(values[at + 1]), _mib(values[at + 2]), _mib(values[at + 3]))


def _spaces(interval: Interval) -> Iterator[PrintedTable]:
    """Data files, and temporary ones, by tablespace; times are in hundredths of a second."""
    elapsed_s = Decimal(str(interval.elapsed_s))
    for letter in ("X", "Y"):
        rows: list[Line] = []
        for (con, name), one in gains(interval.first, interval.last, letter).items():
            reads, blocks, read_cs, single, single_cs, writes, write_cs = one.values
            rows.append(
                (
                    one.line,
                    (
                        name, _whole(reads), _fraction(_ratio(reads, elapsed_s), 6), _milliseconds(read_cs, reads),
                        _fraction(_ratio(blocks, reads), 3), _fraction(_ratio(single, elapsed_s), 6),
                        _milliseconds(single_cs, single), _whole(writes), _fraction(_ratio(writes, elapsed_s), 6),
                        _milliseconds(write_cs, writes), interval.last.containers.get(con, ""),
                    ),
                )
            )  # fmt: skip
        columns = (
            "Tablespace", "Reads", "Av Rds/s", "Av Rd(ms)", "Av Blks/Rd", "1-bk Rds/s", "Av 1-bk Rd(ms)", "Writes",
            "Writes avg/s", "Av Writes(ms)", "PDB Name",
        )  # fmt: skip
        yield PrintedTable("Tablespace IO Stats", columns, tuple(rows))


def _histogram(interval: Interval) -> PrintedTable:
    """A row for each event: waits by the bucket that they ended in."""
    events: dict[str, dict[int, Gain]] = {}
    for (event, end_us), one in gains(interval.first, interval.last, "H").items():
        if end_us.isdigit():
            events.setdefault(event, {})[int(end_us)] = one
    ends = sorted({end_us for found in events.values() for end_us in found})
    is_whole = interval.first.table("H").is_whole and interval.last.table("H").is_whole
    rows: list[Line] = []
    for event, found in events.items() if is_whole else ():
        counts = {end_us: one.values[0] for end_us, one in found.items()}
        if None not in counts.values():
            total = sum((count for count in counts.values() if count is not None), Decimal(0))
            cells = (_whole(counts.get(end_us)) for end_us in ends)
            rows.append((max(one.line for one in found.values()), (event, _whole(total), *cells)))
    return PrintedTable(
        "Wait Event Histogram",
        ("Event", "Total Waits", *(f"<{end_us}us" for end_us in ends)),
        tuple(sorted(rows)),
    )


def _segments(interval: Interval) -> Iterator[PrintedTable]:
    """Those that both snapshots list: what another gained is not known."""
    rows: dict[str, list[Line]] = {}
    for instance, key, one in own_gains(interval.first, interval.last, "G"):
        statistic, con, owner, name, part, kind, space = key
        cells = (owner, space, name, part, kind, _whole(one.values[0]), interval.last.containers.get(con, ""))
        rows.setdefault(statistic, []).append((one.line, _of_instance(interval, instance, cells)))
    for statistic, title in _TITLES_OF_SEGMENTS.items():
        columns = (
            "Owner",
            "Tablespace Name",
            "Object Name",
            "Subobject Name",
            "Obj. Type",
            title,
            "PDB Name",
        )
        yield _by_instance(interval, f"Segments by {title}", columns, sorted(rows.get(statistic, ())))


def _estimates(interval: Interval) -> Iterator[PrintedTable]:
    """What the second snapshot says of other sizes, and of the minute before it."""
    last = interval.last
    sga = [
        (row.line, _of_instance(interval, instance, (*key, *map(_plain, row.values))))
        for instance, key, row in states(last, "A")
    ]
    columns = (
        "SGA Target Size (M)",
        "SGA Size Factor",
        "Est DB Time (s)",
        "Est DB Time Factor",
        "Est Physical Reads",
    )
    yield _by_instance(interval, "SGA Target Advisory", columns, sga)
    cache = [
        (row.line, _of_instance(interval, instance, (pool, block, size, *map(_plain, row.values))))
        for instance, (pool, block, size), row in states(last, "P")
    ]
    columns = (
        "P", "Block Bytes", "Size for Est (M)", "Size Factor", "Buffers For Estimate", "Est Phys Read Factor",
        "Estimated Physical Reads",
    )  # fmt: skip
    yield _by_instance(interval, "Buffer Pool Advisory", columns, cache)
    metrics = [
        (row.line, _of_instance(interval, instance, (name, _plain(row.values[0]), unit)))
        for instance, (name, unit), row in states(last, "M")
    ]
    yield _by_instance(interval, "System Metrics", ("Metric Name", "Value", "Metric Unit"), metrics)


def _of_instance(interval: Interval, instance: int, cells: tuple[Cell, ...]) -> tuple[Cell, ...]:
    return (str(instance), *cells) if interval.is_clustered else cells


def _by_instance(interval: Interval, title: str, columns: tuple[str, ...], rows: list[Line]) -> PrintedTable:
    """Of a cluster it is no table that the reader knows: there it has rows of each instance, which cannot be added up."""
    if interval.is_clustered:
        title, columns = f"By Instance: {title}", ("I#", *columns)
    return PrintedTable(title, columns, tuple(rows))


def _plain(value: Decimal | None) -> Cell:
    return "" if value is None else f"{value:f}"


def _whole(value: Decimal | None) -> Cell:
    return "" if value is None else f"{value:.0f}"


def _fraction(value: Decimal | None, digits: int) -> Cell:
    return "" if value is None else f"{value:.{digits}f}"


def _seconds(us: Decimal | None) -> Cell:
    return "" if us is None else f"{us / 1_000_000:.6f}"


def _mib(value: Decimal | None) -> Cell:
    return "" if value is None else f"{value:.0f}M"


def _sum(one: Decimal | None, other: Decimal | None) -> Decimal | None:
    return None if one is None or other is None else one + other


def _ratio(one: Decimal | None, other: Decimal | None) -> Decimal | None:
    return None if one is None or not other else one / other


def _milliseconds(hundredths_s: Decimal | None, count: Decimal | None) -> Cell:
    """Of one; nothing where times of the database were too coarse to see any."""
    mean = _ratio(hundredths_s, count)
    return _fraction(mean * 10, 6) if mean else ""
