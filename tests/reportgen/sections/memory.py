"""Buffer pools, process memory, and what other sizes would have done."""

from __future__ import annotations

from reportgen.facts import Facts
from reportgen.layout import Layout
from reportgen.model import Block, Column, Row, Table
from reportgen.printing import COUNT, FACTOR, TEXT, Number, Suffixed, Value, fixed

_MIB = float(1 << 20)
_HIT, _OVER = "Estd PGA Cache Hit %", "Estd PGA Overalloc Count"
_SIZE = Suffixed((("K", 1024.0), ("M", _MIB), ("G", _MIB * 1024)), limit=1024, digits=0)


def pools(facts: Facts, layout: Layout) -> list[Block]:
    """Buffer pools; where a count does not fit, 9.2 prints one hash mark more than the column holds."""
    rows = tuple(
        Row(
            (
                each.name,
                each.buffers,
                each.hit_percent,
                each.gets,
                each.reads,
                each.writes,
                each.free_waits,
                each.write_waits,
                each.busy_waits,
            )
        )
        for each in facts.pools
    )
    notes = (
        "Standard block size Pools  D: default,  K: keep,  R: recycle",
        "Default Pools for other block sizes: 2k, 4k, 8k, 16k, 32k",
    )
    summary = "This table displays buffer pool statistics for different types of pools"
    return [
        Table(
            "Buffer Pool Statistics",
            (_pool_columns(layout),),
            rows,
            "buffer_pool",
            notes=notes,
            summary=summary,
        )
    ]


def _pool_columns(layout: Layout) -> tuple[Column, ...]:
    busy, pool = "Buffer\nBusy\nWaits", Column("pool", "P", 3, TEXT)
    if layout.statspack and not layout.since(10):
        return (
            pool,
            Column("buffers", "Number of\nBuffers", 10, COUNT),
            Column("hit_percent", "Cache\nHit %", 5, fixed(1)),
            Column("buffer_gets", "Buffer\nGets", 11, COUNT, spill=1),
            Column("physical_reads", "Physical\nReads", 11, COUNT),
            Column("physical_writes", "Physical\nWrites", 10, COUNT),
            Column("free_buffer_waits", "Free\nBuffer\nWaits", 7, COUNT),
            Column("write_complete_waits", "Write\nComplete\nWaits", 8, COUNT),
            Column("buffer_busy_waits", busy, 7, COUNT, spill=1, rule=6),
        )
    if layout.statspack:
        new = layout.since(11, 1)
        return (
            pool,
            Column("buffers", "Buffers", 7, Suffixed(digits=0))
            if new
            else Column("buffers", "Number of\nBuffers", 10, COUNT),
            Column("hit_percent", "Pool\nHit%", 4, COUNT),
            Column("buffer_gets", "Buffer\nGets", 14, COUNT),
            Column("physical_reads", "Physical\nReads", 12, COUNT),
            Column("physical_writes", "Physical\nWrites", 11, COUNT),
            Column(
                "free_buffer_waits",
                "Free\nBuffer\nWaits" if new else "Free\nBuff\nWait",
                7 if new else 4,
                COUNT,
            ),
            Column("write_complete_waits", "Writ\nComp\nWait", 4, COUNT),
            Column("buffer_busy_waits", busy, 10, COUNT),
        )
    count = Number(exponent=True)
    return (
        pool,
        Column("buffers", "Number of\nBuffers", 10, count),
        Column("hit_percent", "Pool\nHit%", 4, Number(null="N/A")),
        Column("buffer_gets", "Buffer\nGets", 12, count),
        Column("physical_reads", "Physical\nReads", 12, count),
        Column("physical_writes", "Physical\nWrites", 11, count),
        Column("free_buffer_waits", "Free\nBuff\nWait", 6, count),
        Column("write_complete_waits", "Writ\nComp\nWait", 6, count),
        Column("buffer_busy_waits", busy, 8, count),
    )


def pool_advice(facts: Facts, layout: Layout) -> list[Block]:
    """What other sizes of the buffer cache would read."""
    if not layout.since(9):
        return []
    if not layout.since(10):
        columns = (
            Column("pool", "P", 3, TEXT),
            Column("size_bytes", "Size for\nEstimate (M)", 12, Number(scale=_MIB)),
            Column("size_factor", "Size\nFactr", 5, FACTOR),
            Column("buffers", "Buffers for\nEstimate", 16, COUNT),
            Column("read_factor", "Est Physical\nRead Factor", 13, fixed(2)),
            Column("physical_reads", "Estimated\nPhysical Reads", 18, COUNT),
        )
        rows = tuple(
            Row(
                (
                    each.pool,
                    each.size_mib,
                    each.factor,
                    *each.estimates[:1],
                    each.estimates[1],
                    each.estimates[2],
                )
            )
            for each in facts.pool_advice
        )
    else:
        factor = "Size\nFactr" if layout.statspack else "Size\nFactor"
        share = ("Est\n% dbtime\nfor Rds", 8) if layout.statspack else ("Est\n%DBtime\nfor Rds", 7)
        columns = (
            Column("pool", "P", 3, TEXT),
            Column("size_bytes", "Size for\nEst (M)", 8, Number(scale=_MIB)),
            Column("size_factor", factor, 5 if layout.statspack else 6, FACTOR),
            Column("buffers", "Buffers\n(thousands)", 12, Number(scale=1000)),
            Column("read_factor", "Est\nPhys\nRead\nFactor", 6, fixed(1, 2)),
            Column("physical_reads", "Estimated\nPhys Reads\n(thousands)", 14, Number(scale=1000)),
            Column("read_time_s", "Est Phys\nRead Time", 12, COUNT),
            Column(
                "db_time_percent",
                *share,
                fixed(1, 2, grouped=False, exponent=not layout.statspack),
            ),
        )
        rows = tuple(
            Row((each.pool, each.size_mib, each.factor, *each.estimates)) for each in facts.pool_advice
        )
    notes = (
        "Only rows with estimated physical reads >0 are displayed",
        "ordered by Block Size, Buffers For Estimate",
    )
    summary = "This table displays MTTR advisory. It displays size for estimate, size factor, buffers"
    return [
        Table(
            "Buffer Pool Advisory",
            (columns,),
            rows,
            "buffer_pool_advisory",
            notes=notes,
            summary=summary,
            end_snapshot_only=True,
        )
    ]


def pga(facts: Facts, layout: Layout) -> list[Block]:
    """Memory of processes: what went through it, its targets, work areas by size, and other targets."""
    if not layout.since(9):
        return []
    return [
        _pga_summary(facts, layout),
        _pga_targets(facts, layout),
        _pga_histogram(facts, layout),
        _pga_advice(facts, layout),
    ]


def _pga_summary(facts: Facts, layout: Layout) -> Table:
    widths = (15, 16, 25) if layout.statspack else (15, 18, 26)
    columns = (
        Column("cache_hit_percent", "PGA Cache Hit %", widths[0], fixed(1, 2)),
        Column("processed_bytes", "W/A MB Processed", widths[1], Number(scale=_MIB)),
        Column("extra_bytes", "Extra W/A MB Read/Written", widths[2], Number(scale=_MIB)),
    )
    title = "PGA Aggr Target Stats" if layout.statspack else "PGA Aggr Summary"
    notes = ("PGA cache hit % - percentage of W/A (WorkArea) data processed only in-memory",)
    summary = "This table displays PGA aggregate summary. It includes PGA cache hit percentage"
    row = Row((facts.pga.hit_percent, facts.pga.processed_mib, facts.pga.extra_mib))
    return Table(
        title, (columns,), (row,), "pga_summary", notes=notes, summary=summary, closing=not layout.statspack
    )


def _pga_targets(facts: Facts, layout: Layout) -> Table:
    widths = (9, 9, 10) if layout.statspack else (10, 10, 10)
    percent = fixed(1, 2, bare=True)
    columns = (
        Column("snapshot", "", 1, TEXT),
        Column("target_bytes", "PGA Aggr\nTarget(M)", widths[0], Number(scale=_MIB)),
        Column("auto_target_bytes", "Auto PGA\nTarget(M)", widths[1], Number(scale=_MIB)),
        Column("allocated_bytes", "PGA Mem\nAlloc(M)", widths[2], fixed(1, 2, scale=_MIB)),
        Column("workarea_bytes", "W/A PGA\nUsed(M)", 10, fixed(1, 2, scale=_MIB)),
        Column("workarea_percent", "%PGA\nW/A\nMem", 6, percent),
        Column("auto_percent", "%Auto\nW/A\nMem", 6, percent),
        Column("manual_percent", "%Man\nW/A\nMem", 6, percent),
        Column("global_bound_bytes", "Global Mem\nBound(K)", 10, Number(scale=1024)),
    )
    rows: list[Row] = []
    for name, values in zip("BE", facts.pga.targets, strict=True):
        shown: tuple[Value, ...] = (name, *values)
        rows.append(Row(shown))
    title = "" if layout.statspack else "PGA Aggr Target Stats"
    summary = "This table displays PGA aggregate target statistics for begin and end snapshots"
    return Table(title, (columns,), tuple(rows), "pga_targets", summary=summary)


def _pga_histogram(facts: Facts, layout: Layout) -> Table:
    wide = 0 if layout.statspack else 1
    columns = (
        Column("low_bytes", "Low\nOptimal", 7, _SIZE),
        Column("high_bytes", "High\nOptimal", 7, _SIZE),
        Column("executions", "Total Execs", 14, COUNT),
        Column("optimal_executions", "Optimal Execs", 13 + wide, COUNT),
        Column("one_pass_executions", "1-Pass Execs", 12, COUNT),
        Column("multi_pass_executions", "M-Pass Execs", 12, COUNT),
    )
    rows = tuple(
        Row(
            (
                each.low_bytes,
                each.high_bytes,
                each.total,
                each.total - each.one_pass - each.multi_pass,
                each.one_pass,
                each.multi_pass,
            )
        )
        for each in facts.pga_histogram
    )
    notes = ("Optimal Executions are purely in-memory operations",)
    return Table(
        "PGA Aggr Target Histogram",
        (columns,),
        rows,
        "pga_histogram",
        notes=notes,
        summary="This table displays PGA aggregate target histograms",
    )


def _pga_advice(facts: Facts, layout: Layout) -> Table:
    columns = _pga_advice_columns(layout)
    rows: list[Row] = []
    for each in facts.pga_advice:
        processed, extra, overallocations, time_s, _ = each.estimates
        front: tuple[Value, ...] = (each.size_mib, each.factor, processed, extra)
        if layout.statspack and layout.since(11, 1):
            rows.append(Row((*front, time_s, 97.0, overallocations)))
        else:
            rows.append(Row((*front, 97.0, overallocations, time_s)[: len(columns)]))
    summary = "This table displays PGA memory advisory for different estimates"
    notes = (
        "When using Auto Memory Mgmt, minimally choose a pga_aggregate_target value\n   where Estd PGA Overalloc Count is 0",
    )
    view = "pga_advisory"
    return Table(
        "PGA Memory Advisory",
        (columns,),
        tuple(rows),
        view,
        notes=notes,
        summary=summary,
        end_snapshot_only=True,
    )


def _pga_advice_columns(layout: Layout) -> tuple[Column, ...]:
    if layout.statspack and layout.since(11, 1):
        return (
            Column("target_bytes", "PGA Aggr\nTarget\nEst (MB)", 10, Number(scale=_MIB)),
            Column("size_factor", "Size\nFactr", 6, fixed(1)),
            Column("processed_bytes", "W/A MB\nProcessed", 14, Number(scale=_MIB)),
            Column("extra_bytes", "Estd Extra\nW/A MB\nRead/Written\nto Disk", 14, Number(scale=_MIB)),
            Column("time_s", "Estd Time\nto Process\nBytes (s)", 10, fixed(1)),
            Column("cache_hit_percent", "Estd\nPGA\nCache\nHit %", 6, fixed(1)),
            Column("overallocations", "Estd PGA\nOveralloc\nCount", 10, COUNT),
        )
    new = not layout.statspack and layout.since(11, 1)
    columns = (
        Column("target_bytes", "PGA Target\nEst (MB)", 10, Number(scale=_MIB)),
        Column("size_factor", "Size\nFactr", 7, fixed(1, 2)),
        Column("processed_bytes", "W/A MB\nProcessed", 16, fixed(1, 2, scale=_MIB)),
        Column("extra_bytes", "Estd Extra\nW/A MB Read/\nWritten to Disk", 16, fixed(1, 2, scale=_MIB)),
        Column(
            "cache_hit_percent",
            "Estd P\nCache\nHit %" if new else "Estd PGA\nCache\nHit %",
            6 if new else 8,
            fixed(1, 2),
            html=_HIT,
        ),
        Column(
            "overallocations",
            "Estd PGA\nOverallo\nCount" if new else "Estd PGA\nOveralloc\nCount",
            8 if new else 10,
            COUNT,
            html=_OVER,
        ),
    )
    return (*columns, Column(None, "Estd\nTime", 7, COUNT)) if new else columns


def shared_pool(facts: Facts, layout: Layout) -> list[Block]:
    """What other sizes of the shared pool would save."""
    if not layout.since(10, 1):
        return []
    last = ("Est LC\nMem Obj\nHits", 11, 1) if layout.statspack else ("Est LC\nMem Obj\nHits (K)", 12, 1000)
    columns = (
        Column(
            "size_bytes",
            "Shared\nPool\nSize (M)" if layout.statspack else "Shared\nPool\nSize(M)",
            10 if layout.statspack else 8,
            Number(scale=_MIB),
        ),
        Column("size_factor", "SP\nSize\nFactr", 5, FACTOR),
        Column("library_cache_bytes", "Est LC\nSize\n(M)", 8, Number(scale=_MIB)),
        Column("library_cache_objects", "Est LC\nMem Obj", 12, COUNT),
        Column("time_saved_s", "Est LC\nTime\nSaved\n(s)", 7 if layout.statspack else 8, COUNT),
        Column("time_saved_factor", "Est LC\nTime\nSaved\nFactr", 6, FACTOR),
        Column("load_time_s", "Est LC\nLoad\nTime\n(s)", 7, COUNT),
        Column("load_time_factor", "Est LC\nLoad\nTime\nFactr", 6, FACTOR),
        Column("object_hits", last[0], last[1], Number(scale=last[2])),
    )
    rows = tuple(Row((each.size_mib, each.factor, *each.estimates)) for each in facts.shared_pool_advice)
    summary = "This table displays shared pool advisory. Size factor, estimated library cache size"
    notes = ("SP: Shared Pool     Est LC: Estimated Library Cache   Factr: Factor",)
    return [
        Table(
            "Shared Pool Advisory",
            (columns,),
            rows,
            "shared_pool_advisory",
            notes=notes,
            summary=summary,
            end_snapshot_only=True,
        )
    ]


def sga(facts: Facts, layout: Layout) -> list[Block]:
    """What other targets of the SGA would do, from 10.2."""
    if not layout.since(10, 2):
        return []
    columns = (
        Column("target_bytes", "SGA Target\nSize (M)", 10, Number(scale=_MIB)),
        Column(
            "size_factor",
            "SGA Size\nFactor",
            8 if layout.statspack else 10,
            fixed(1, 2, bare=layout.statspack),
        ),
        Column("db_time_s", "Est DB\nTime (s)", 8 if layout.statspack else 12, COUNT),
        Column("physical_reads", "Est Physical\nReads", 14 if layout.statspack else 16, COUNT),
    )
    if layout.statspack:
        factor = Column(None, "Est DB\nTime Factor", 11, fixed(1, bare=True))
        columns = (*columns[:3], factor, columns[3])
    rows = tuple(
        Row(
            (
                each.size_mib,
                each.factor,
                each.estimates[0],
                *([1.0] if layout.statspack else []),
                each.estimates[1],
            )
        )
        for each in facts.sga_advice
    )
    summary = "This table displays SGA target advisory for different SGA target sizes"
    return [
        Table(
            "SGA Target Advisory", (columns,), rows, "sga_advisory", summary=summary, end_snapshot_only=True
        )
    ]
