"""Waits for blocks, enqueues, undo, latches and the caches of the shared pool."""

from __future__ import annotations

from reportgen.facts import Facts
from reportgen.layout import Layout
from reportgen.model import Block, Column, Row, Table
from reportgen.printing import COUNT, TEXT, Number, fixed
from reportgen.sections.head import moment

_US_PER_MS = 1000.0
_MISS = fixed(1, 2)
_MISS_NA = fixed(1, 2, null="N/A")


def buffer_waits(facts: Facts, layout: Layout) -> list[Block]:
    """Waits for blocks by class; Statspack puts the class on a line of its own from 12.1."""
    block_class = Column("block_class", "Class", 18, TEXT)
    waits = Column("waits", "Waits", 11, COUNT)
    if layout.statspack and not layout.since(11, 1):
        lines = (
            (
                block_class,
                waits,
                Column("total_wait_s", "Tot Wait\nTime (s)", 10, COUNT),
                _average("Avg\nTime (ms)", 9),
            ),
        )
    elif layout.statspack and layout.since(12, 1):
        wide = Column("block_class", "Class", 80, TEXT)
        lines = (
            (wide,),
            (waits, Column("total_wait_s", "Total Wait Time (s)", 19, COUNT), _average("Avg Time (ms)", 13)),
        )
    else:
        name = Column("block_class", "Class", 22, TEXT) if layout.statspack else block_class
        average = _average("Avg Time (ms)", 13 if layout.statspack else 14)
        lines = ((name, waits, Column("total_wait_s", "Total Wait Time (s)", 19, COUNT), average),)
    rows = tuple(
        Row((each.block_class, each.waits, each.wait_us / 1e6, each.wait_us / each.waits / _US_PER_MS))
        for each in sorted(facts.buffer_waits, key=lambda each: -each.wait_us)
        if each.waits
    )
    title = "Buffer wait Statistics" if layout.statspack else "Buffer Wait Statistics"
    summary = "This table displays buffer wait statistics. Statistics includes class of wait, number of waits"
    return [
        Table(
            title,
            lines,
            rows,
            "buffer_waits",
            notes=("ordered by wait time desc, waits desc",),
            summary=summary,
        )
    ]


def _average(heading: str, width: int) -> Column:
    return Column("avg_wait_us", heading, width, Number(scale=_US_PER_MS))


def enqueues(facts: Facts, layout: Layout) -> list[Block]:
    """Enqueues: by two letters up to 9.2, by type and reason on a line of its own from 10.1."""
    counts = (
        Column("requests", "Requests", 12, COUNT),
        Column("successes", "Succ Gets", 12, COUNT),
        Column("failures", "Failed Gets", 11, COUNT),
        Column("waits", "Waits", 11, COUNT),
    )
    figures = [(each.requests, each.successes, each.failures, each.waits) for each in facts.enqueues]
    averages = [each.wait_us / each.waits / _US_PER_MS if each.waits else None for each in facts.enqueues]
    seconds = [each.wait_us / 1e6 for each in facts.enqueues]
    average = fixed(2, bare=not layout.html, scale=_US_PER_MS, null="" if layout.statspack else "N/A")
    rows: tuple[Row, ...]
    if layout.since(10, 1):
        time = Column("total_wait_s", "Wt Time (s)", 12, COUNT)
        kind = Column("enqueue", "Enqueue Type (Request Reason)", 78, TEXT)
        lines = ((kind,), (*counts, time, Column("avg_wait_us", "Av Wt Time(ms)", 14, average)))
        rows = tuple(
            Row((each.name, *figure, second, mean))
            for each, figure, second, mean in zip(facts.enqueues, figures, seconds, averages, strict=True)
        )
    else:
        tail = (
            Column("avg_wait_us", "Avg Wt\nTime (ms)", 13, average),
            Column("total_wait_s", "Wait\nTime (s)", 12, COUNT),
        )
        lines = ((Column("enqueue", "Eq", 2, TEXT), *counts, *tail),)
        rows = tuple(
            Row((each.short, *figure, mean, second))
            for each, figure, second, mean in zip(facts.enqueues, figures, seconds, averages, strict=True)
        )
    title = "Enqueue activity" if layout.statspack else "Enqueue Activity"
    notes = ("only enqueues with waits are shown", "ordered by Wait Time desc, Waits desc")
    summary = "This table displays enqueue activity statistics. Requests, successful gets, failed gets, waits"
    return [Table(title, lines, rows, "enqueues", notes=notes, summary=summary)]


def undo(facts: Facts, layout: Layout) -> list[Block]:
    """Undo, ten minutes at a time."""
    if not layout.since(9):
        return []
    columns = (Column("end_time", "End Time", 12, TEXT), *_undo_columns(layout))
    rows: list[Row] = []
    for each in facts.undo:
        front = (_end(each.end), each.blocks, each.transactions, each.longest_query_s, each.concurrency)
        rest = (each.retention_min, "0/0") if layout.since(10, 2) else (0, 0)
        rows.append(Row((*front, *rest, "0/0/0/0/0/0")))
    notes = ("Most recent 35 Undostat rows, ordered by Time desc",)
    summary = "This table displays the 35 most recent Undostat rows"
    return [Table("Undo Segment Stats", (columns,), tuple(rows), "undo", notes=notes, summary=summary)]


def _undo_columns(layout: Layout) -> tuple[Column, ...]:
    query = Column("max_query_s", "Max Qry\nLen (s)", 7, COUNT)
    if layout.since(10, 2):
        return (
            Column("undo_blocks", "Num Undo\nBlocks", 11, COUNT),
            Column("transactions", "Number of\nTransactions", 12, COUNT),
            query,
            Column("max_concurrency", "Max Tx\nConcy", 7, COUNT),
            Column("retention_min", "Tun Ret\n(mins)", 7, COUNT),
            Column(None, "STO/\nOOS", 5, TEXT),
            Column(None, "uS/uR/uU/\neS/eR/eU", 11 if layout.statspack else 12, TEXT),
        )
    old = not layout.since(10)
    return (
        Column("undo_blocks", "Undo\nBlocks", 12 if old else 11, COUNT),
        Column("transactions", "Num\nTrans", 8 if old else 12, COUNT),
        query,
        Column("max_concurrency", "Max Tx\nConcy", 8 if old else 7, COUNT),
        Column("snapshot_too_old", "Snap\nToo Old" if old else "Snap\nTooOld", 7 if old else 6, COUNT),
        Column("out_of_space", "Out of\nSpace" if old else "OutOf\nSpace", 6 if old else 5, COUNT),
        Column(None, "uS/uR/uU/\neS/eR/eU", 13 if old else 11, TEXT),
    )


def _end(time: object) -> str:
    return moment(time, "%d-{} %H:%M")  # pyright: ignore[reportArgumentType]


def latches(facts: Facts, layout: Layout) -> list[Block]:
    """Latches and their misses."""
    columns = (
        Column("latch", "Latch" if layout.statspack else "Latch Name", 24, TEXT),
        Column("gets", "Get\nRequests", 14, COUNT),
        Column("miss_percent", "Pct\nGet\nMiss", 6, _MISS),
        Column("sleeps_per_miss", "Avg\nSlps\n/Miss", 6, _MISS),
        Column("wait_s", "Wait\nTime\n(s)", 6, COUNT),
        Column("nowait_requests", "NoWait\nRequests", 12, COUNT),
        Column("nowait_miss_percent", "Pct\nNoWait\nMiss", 6, _MISS if layout.statspack else _MISS_NA),
    )
    rows = tuple(
        Row(
            (
                each.name,
                each.gets,
                each.miss_percent,
                each.sleeps_per_miss,
                each.wait_s,
                each.nowaits,
                each.nowait_miss_percent,
            )
        )
        for each in facts.latches
    )
    summary = "This table displays latch statistics"
    notes = (
        '"Get Requests", "Pct Get Miss" and "Avg Slps/Miss" are statistics for\n  willing-to-wait latch get requests',
    )
    return [Table("Latch Activity", (columns,), rows, "latches", notes=notes, summary=summary)]


def library_cache(facts: Facts, layout: Layout) -> list[Block]:
    """Namespaces of the library cache."""
    columns = (
        Column("namespace", "Namespace", 15, TEXT),
        Column("gets", "Get\nRequests", 12, COUNT),
        Column("get_miss_percent", "Pct\nMiss", 6, _MISS),
        Column("pins", "Pin\nRequests", 14, COUNT),
        Column("pin_miss_percent", "Pct\nMiss", 6, _MISS),
        Column("reloads", "Reloads", 10, COUNT),
        Column("invalidations", "Invali-\ndations", 8, COUNT),
    )
    rows = tuple(
        Row(
            (
                each.name,
                each.gets,
                each.miss_percent,
                each.pins,
                each.pin_miss_percent,
                each.reloads,
                each.invalidations,
            )
        )
        for each in facts.library
    )
    summary = (
        "This table displays library cache statistics. Get requests, % misses, pin request, % miss, reloads"
    )
    return [
        Table(
            "Library Cache Activity",
            (columns,),
            rows,
            "library_cache",
            notes=('"Pct Misses"  should be very low',),
            summary=summary,
        )
    ]


def dictionary_cache(facts: Facts, layout: Layout) -> list[Block]:
    """Caches of the dictionary."""
    columns = (
        Column("cache", "Cache", 25, TEXT),
        Column("gets", "Get\nRequests", 12, COUNT),
        Column("get_miss_percent", "Pct\nMiss", 6, _MISS),
        Column("scans", "Scan\nReqs", 7, COUNT),
        Column("scan_miss_percent", "Pct\nMiss", 5, _MISS if layout.statspack else _MISS_NA),
        Column("modifications", "Mod\nReqs", 8, COUNT),
        Column("usage", "Final\nUsage", 10, COUNT),
    )
    rows = tuple(
        Row(
            (
                each.name,
                each.gets,
                each.miss_percent,
                each.pins,
                each.pin_miss_percent,
                each.reloads,
                each.usage,
            )
        )
        for each in facts.dictionary
    )
    summary = "This table displays dictionary cache statistics"
    notes = ('"Pct Misses"  should be very low (< 2% in most cases)',)
    return [
        Table("Dictionary Cache Stats", (columns,), rows, "dictionary_cache", notes=notes, summary=summary)
    ]
