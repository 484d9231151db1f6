"""Reads and writes: by function and file type, by tablespace and file."""

from __future__ import annotations

from collections.abc import Callable

from reportgen.facts import Facts, FileIo, Io
from reportgen.layout import Layout
from reportgen.model import Absent, Block, Column, Row, Table
from reportgen.printing import (
    BARE_RATE,
    COUNT,
    RATE,
    TEXT,
    VOLUME,
    Duration,
    Form,
    Number,
    Repeated,
    Suffixed,
    Value,
    fixed,
)

_MIB = float(1 << 20)
_US_PER_MS = 1000.0
_MS = fixed(1, 2, scale=_US_PER_MS, exponent=True)
_NOTES = (
    (
        "'Data' columns suffixed with M,G,T,P are in multiples of 1024\n"
        "   other columns suffixed with K,M,G,T,P are in multiples of 1000"
    ),
    "ordered by (Data Read + Write) desc",
)


def by_function(facts: Facts, layout: Layout) -> list[Block]:
    """AWR's IOStat sections from 11.1, Statspack's own shape of the first."""
    if not layout.since(11, 1):
        return []
    if layout.statspack:
        return [_statspack_functions(facts)]
    return [_functions(facts, layout), _filetypes(facts, layout), _pairs(facts, layout)]


def _rate(layout: Layout) -> Form:
    return RATE if layout.since(11, 2, 0, 4) else BARE_RATE


def _per_second(facts: Facts, layout: Layout, mib: float) -> float:
    rate = facts.per_second(mib)
    return rate * _MIB if layout.since(11, 2, 0, 4) else rate


def _traffic(layout: Layout) -> tuple[Column, ...]:
    requests = fixed(1, 2, grouped=False, exponent=True)
    return (
        Column("read_bytes", "Reads:\nData", 7, VOLUME),
        Column("read_requests_per_s", "Reqs\nper sec", 7, requests),
        Column("read_bytes_per_s", "Data\nper sec", 7, _rate(layout)),
        Column("write_bytes", "Writes:\nData", 7, VOLUME),
        Column("write_requests_per_s", "Reqs\nper sec", 7, requests),
        Column("write_bytes_per_s", "Data\nper sec", 7, _rate(layout)),
    )


def _figures(facts: Facts, layout: Layout, io: Io) -> tuple[Value, ...]:
    return (
        io.read_mib * _MIB,
        facts.per_second(io.reads),
        _per_second(facts, layout, io.read_mib),
        io.write_mib * _MIB,
        facts.per_second(io.writes),
        _per_second(facts, layout, io.write_mib),
    )


def _wait_columns(layout: Layout, width: int = 8) -> tuple[Column, ...]:
    waits = Column("waits", "Waits:\nCount", 7, Suffixed(digits=1))
    if layout.unit_waits:
        return waits, Column("avg_wait_us", "Avg\nTime", width, Duration(null="N/A"))
    return waits, Column(
        "avg_wait_us", "Avg\nTm(ms)", 7, fixed(1, 2, grouped=False, scale=_US_PER_MS, null="N/A")
    )


def _wait_figures(layout: Layout, io: Io) -> tuple[Value, ...]:
    average = io.wait_us / io.waits if io.waits else None
    return io.waits, _shown(layout, average)


def _shown(layout: Layout, us: float | None) -> float | None:
    return us if us is None or layout.unit_waits else us / _US_PER_MS


def _functions(facts: Facts, layout: Layout) -> Table:
    columns = (Column("function", "Function Name", 15, TEXT), *_traffic(layout), *_wait_columns(layout))
    rows = tuple(
        Row((io.function, *_figures(facts, layout, io), *_wait_figures(layout, io))) for io in facts.io
    )
    summary = "This table displays the IO Statistics for different functions"
    return Table(
        "IOStat by Function summary", (columns,), rows, "iostat_by_function", notes=_NOTES, summary=summary
    )


def _filetypes(facts: Facts, layout: Layout) -> Table:
    times: Form = (
        Duration(null="N/A")
        if layout.unit_waits
        else fixed(1, 2, grouped=False, scale=_US_PER_MS, null="N/A")
    )
    width = 8 if layout.unit_waits else 7
    columns = (
        Column("filetype", "Filetype Name", 14 if layout.unit_waits else 15, TEXT),
        *_traffic(layout),
        Column("small_read_us", "Small\nRead", width, times),
        Column("large_read_us", "Large\nRead", width, times),
    )
    rows = tuple(
        Row(
            (
                io.filetype,
                *_figures(facts, layout, io),
                _shown(layout, io.small_read_us),
                _shown(layout, io.large_read_us),
            )
        )
        for io in _summed(facts, lambda io: io.filetype)
    )
    summary = "This table displays IO Statistics for different file types"
    return Table(
        "IOStat by Filetype summary", (columns,), rows, "iostat_by_filetype", notes=_NOTES, summary=summary
    )


def _summed(facts: Facts, key: Callable[[Io], str]) -> list[Io]:
    made: dict[str, Io] = {}
    for io in facts.io:
        before = made.get(key(io))
        made[key(io)] = io if before is None else _added(before, io)
    return list(made.values())


def _added(one: Io, two: Io) -> Io:
    return Io(
        one.function,
        one.filetype,
        one.reads + two.reads,
        one.read_mib + two.read_mib,
        one.writes + two.writes,
        one.write_mib + two.write_mib,
        one.waits + two.waits,
        one.wait_us + two.wait_us,
        one.small_read_us,
        one.large_read_us,
    )


def _pairs(facts: Facts, layout: Layout) -> Table:
    traffic, waits = _traffic(layout), _wait_columns(layout, width=10)
    name = Column("function_filetype", "", 40, TEXT, html="Function/File Name")
    rows: list[Row] = []
    for io in facts.io:
        figures = (*_figures(facts, layout, io), *_wait_figures(layout, io))
        whole, part = Row((io.function, *figures)), Row((f" {io.function} ({io.filetype})", *figures))
        rows += [part, whole] if layout.unit_waits else [whole, part]
    summary = "IOStat by Function/Filetype summary"
    lines = ((name,), (*traffic, *waits))
    return Table(
        summary, lines, tuple(rows), "iostat_by_function_filetype", notes=_NOTES, summary=summary, indent=1
    )


def _statspack_functions(facts: Facts) -> Table:
    volume = Suffixed(VOLUME.steps, limit=10_000, digits=0)
    rate = Suffixed(VOLUME.steps, limit=10_000, first_digits=1, trimmed=False)
    per_second = fixed(1, bare=True)
    columns = (
        Column("function", "Function", 15, TEXT),
        Column("read_bytes", "Data\nVolume", 6, volume),
        Column("read_requests_per_s", "Requests\n/sec", 8, per_second),
        Column("read_bytes_per_s", "Data\nVol/sec", 8, rate),
        Column("write_bytes", "Data\nVolume", 6, volume),
        Column("write_requests_per_s", "Requests\n/sec", 8, per_second),
        Column("write_bytes_per_s", "Data\nVol/sec", 8, rate),
        Column("waits", "\nCount", 6, Suffixed(digits=0)),
        Column("avg_wait_us", "Avg\nTm(ms)", 6, fixed(1, scale=_US_PER_MS)),
    )
    rows: list[Row] = []
    for io in facts.io:
        read: tuple[Value, ...] = (
            io.read_mib * _MIB,
            facts.per_second(io.reads),
            facts.per_second(io.read_mib) * _MIB,
        )
        wrote: tuple[Value, ...] = (
            io.write_mib * _MIB,
            facts.per_second(io.writes),
            facts.per_second(io.write_mib) * _MIB,
        )
        average = io.wait_us / io.waits / _US_PER_MS if io.waits else None
        none: tuple[Value, ...] = (None, None, None)
        rows.append(
            Row(
                (
                    io.function,
                    *(read if io.reads else none),
                    *(wrote if io.writes else none),
                    io.waits or None,
                    average,
                )
            )
        )
    over = ("               ---------- Read --------- --------- Write -------- --- Wait ----",)
    notes = ("Data Volume values suffixed with   M,G,T,P are in multiples of 1024",)
    return Table(
        "IO Stat by Function - summary", (columns,), tuple(rows), "iostat_by_function", notes=notes, over=over
    )


def tablespaces(facts: Facts, layout: Layout) -> list[Block]:
    """Reads and writes by tablespace, in one of three shapes of text; absent from 12.2."""
    title = "Tablespace IO Stats"
    if layout.since(12, 2) and not layout.statspack:
        return [Absent(title)]
    lines = ((Column("tablespace", "Tablespace", 30, TEXT),), *_shape(layout, swapped=True))
    rows = tuple(
        Row((name, *_file_values(facts, layout, io, swapped=True))) for name, io in _by_tablespace(facts)
    )
    summary = "This table displays IO Statistics for different tablespaces"
    return [
        Table(
            title,
            lines,
            rows,
            "tablespace_io",
            notes=("ordered by IOs (Reads + Writes) desc",),
            summary=summary,
        )
    ]


def files(facts: Facts, layout: Layout) -> list[Block]:
    """Reads and writes by file; the tablespace stands on its first file only, in text."""
    title = "File IO Stats"
    if layout.since(12, 2) and not layout.statspack:
        return [Absent(title)]
    names = (Column("tablespace", "Tablespace", 24, TEXT), Column("filename", "Filename", 52, TEXT))
    rows: list[Row] = []
    before = ""
    for io in sorted(facts.files, key=lambda io: (io.tablespace, io.filename)):
        tablespace = Repeated(io.tablespace) if io.tablespace == before and not layout.html else io.tablespace
        values = _file_values(facts, layout, io, swapped=False)
        if _has_bucket(layout):
            values = (*values[:3], 32, *values[3:])
        rows.append(Row((tablespace, io.filename, *values)))
        before = io.tablespace
    summary = "This table displays IO Statistics for different physical files"
    lines = (names, *(_bucketed() if _has_bucket(layout) else _shape(layout, swapped=False)))
    return [
        Table(title, lines, tuple(rows), "file_io", notes=("ordered by Tablespace, File",), summary=summary)
    ]


def _by_tablespace(facts: Facts) -> list[tuple[str, FileIo]]:
    sums: dict[str, FileIo] = {}
    for io in facts.files:
        before = sums.get(io.tablespace)
        sums[io.tablespace] = io if before is None else _together(before, io)
    return sorted(sums.items(), key=lambda each: -(each[1].reads + each[1].writes))


def _together(one: FileIo, two: FileIo) -> FileIo:
    return FileIo(
        one.tablespace,
        one.filename,
        one.reads + two.reads,
        one.blocks_read + two.blocks_read,
        one.read_us + two.read_us,
        one.single_reads + two.single_reads,
        one.single_read_us + two.single_read_us,
        one.writes + two.writes,
        one.write_us + two.write_us,
        one.buffer_waits + two.buffer_waits,
        one.buffer_wait_us + two.buffer_wait_us,
    )


def _old(layout: Layout) -> bool:
    return layout.statspack or not layout.since(11, 2, 0, 4)


def _shape(layout: Layout, swapped: bool) -> tuple[tuple[Column, ...], ...]:
    """The lines of figures. `swapped` is the order in which 11.2.0.4 prints the cells of tablespaces under the wrong headings."""
    if _old(layout):
        return (_eight(),)
    if not layout.since(12, 1):
        return (_ten(swapped),)
    count = Number(exponent=True)
    upper = (
        Column("reads", "Reads", 11, count),
        Column("reads_per_s", "Av\nRds/s", 11, count),
        Column("avg_read_us", "Av\nRd(ms)", 10, _MS),
        Column("blocks_per_read", "Av\nBlks/Rd", 10, fixed(1, 2)),
        Column("single_block_reads_per_s", "1-bk\nRds/s", 11, count),
        Column("avg_single_block_read_us", "Av 1-bk\nRd(ms)", 10, _MS),
        Column("optimized_reads_percent", "% Opt\nReads", 6, fixed(1, 2, bare=True)),
    )
    lower = (
        Column("writes", "Writes", 11, count),
        Column("writes_per_s", "Writes\navg/s", 11, count),
        Column("buffer_waits", "Buffer\nWaits", 10, count),
        Column("avg_buffer_wait_us", "Av Buf\nWt(ms)", 10, _MS),
    )
    return upper, lower


def _eight() -> tuple[Column, ...]:
    return (
        Column("reads", "Reads", 14, COUNT),
        Column("reads_per_s", "Av\nReads/s", 7, COUNT),
        Column("avg_read_us", "Av\nRd(ms)", 6, fixed(1, 2, scale=_US_PER_MS)),
        Column("blocks_per_read", "Av\nBlks/Rd", 7, fixed(1, 2)),
        Column("writes", "Writes", 12, COUNT),
        Column("writes_per_s", "Av\nWrites/s", 8, COUNT),
        Column("buffer_waits", "Buffer\nWaits", 10, COUNT),
        Column("avg_buffer_wait_us", "Av Buf\nWt(ms)", 6, fixed(1, 2, scale=_US_PER_MS)),
    )


def _has_bucket(layout: Layout) -> bool:
    """Whether files have the longest bucket of single block reads: Statspack from 10.1."""
    return layout.statspack and layout.since(10, 1)


def _bucketed() -> tuple[tuple[Column, ...], ...]:
    reads, rate, _, blocks, writes, write_rate, waits, _ = _eight()
    average = Column("avg_read_us", "Av\nRd\n(ms)", 5, fixed(1, scale=_US_PER_MS))
    bucket = Column(None, "Mx\nRd\nBkt", 3, COUNT)
    wait = Column("avg_buffer_wait_us", "Av\nBufWt\n(ms)", 6, fixed(1, scale=_US_PER_MS))
    return ((reads, rate, average, bucket, blocks, writes, write_rate, waits, wait),)


def _ten(swapped: bool) -> tuple[Column, ...]:
    count, rate = Number(exponent=True), fixed(1, 2, exponent=True)
    middle = (
        (
            Column("writes", "1-bk\nRds/s", 7, count),
            Column("single_block_reads_per_s", "Av 1-bk\nRd(ms)", 7, rate),
            Column("avg_single_block_read_us", "Writes", 7, Number(exponent=True, scale=_US_PER_MS)),
        )
        if swapped
        else (
            Column("single_block_reads_per_s", "1-bk\nRds/s", 7, count),
            Column("avg_single_block_read_us", "Av 1-bk\nRd(ms)", 7, _MS),
            Column("writes", "Writes", 7, count),
        )
    )
    return (
        Column("reads", "Reads", 7, count),
        Column("reads_per_s", "Av\nRds/s", 7, count),
        Column("avg_read_us", "Av\nRd(ms)", 7, _MS),
        Column("blocks_per_read", "Av\nBlks/Rd", 7, rate),
        *middle,
        Column("writes_per_s", "Writes\navg/s", 7, count),
        Column("buffer_waits", "Buffer\nWaits", 8, count),
        Column("avg_buffer_wait_us", "Av Buf\nWt(ms)", 7, _MS),
    )


def _file_values(facts: Facts, layout: Layout, io: FileIo, swapped: bool) -> tuple[Value, ...]:
    single = facts.per_second(io.single_reads), _mean(io.single_read_us, io.single_reads)
    front: tuple[Value, ...] = (
        io.reads,
        facts.per_second(io.reads),
        _mean(io.read_us, io.reads),
        io.blocks_read / io.reads if io.reads else 0.0,
    )
    back: tuple[Value, ...] = (
        facts.per_second(io.writes),
        io.buffer_waits,
        _mean(io.buffer_wait_us, io.buffer_waits),
    )
    if _old(layout):
        return (*front, io.writes, *back)
    if not layout.since(12, 1):
        return (*front, io.writes, *single, *back) if swapped else (*front, *single, io.writes, *back)
    return (*front, *single, 0.0, io.writes, *back)


def _mean(us: float, count: int) -> float:
    return us / count / _US_PER_MS if count else 0.0
