"""Sizes of the caches and of a block, and how the shared pool is used: blocks of the first page that no typed section holds."""

from __future__ import annotations

from reportgen.facts import Facts
from reportgen.layout import Layout
from reportgen.model import Block, Column, Prose, Row, Style, Table
from reportgen.printing import COUNT, TEXT, Medium, Value

_BUFFER_MIB, _SHARED_MIB, _LOG_KIB = 1472, 816, 98_304
_EXECUTED_TWICE = ("Memory Usage %", "% SQL with executions>1", "% Memory for SQL w/exec>1")


def sizes(facts: Facts, layout: Layout) -> list[Block]:
    """Buffer cache, shared pool, block size and log buffer."""
    dialect = Medium(comma=layout.comma)
    buffer, shared, log = (COUNT.printed(size, dialect).text for size in (_BUFFER_MIB, _SHARED_MIB, _LOG_KIB))
    block = str(facts.header.block_bytes // 1024)
    if layout.html:
        return [_html(f"{buffer}M", f"{shared}M", f"{block}K", f"{log}K")]
    if not layout.since(9):
        lines = [
            "Cache Sizes",
            "~~~~~~~~~~~",
            f"           db_block_buffers: {'188416':>10}          log_buffer: {_LOG_KIB * 1024:>10}",
            f"              db_block_size: {facts.header.block_bytes:>10}    shared_pool_size: {_SHARED_MIB << 20:>10}",
        ]
    elif not layout.since(10, 2):
        lines = [
            "Cache Sizes (end)",
            "~~~~~~~~~~~~~~~~~",
            f"               Buffer Cache: {buffer + 'M':>10}      Std Block Size: {block + 'K':>10}",
            f"           Shared Pool Size: {shared + 'M':>10}          Log Buffer: {log + 'K':>10}",
        ]
    elif layout.statspack:
        lines = [
            "Cache Sizes            Begin        End",
            "~~~~~~~~~~~       ---------- ----------",
            f"    Buffer Cache: {buffer + 'M':>10}              Std Block Size: {block + 'K':>10}",
            f"     Shared Pool: {shared + 'M':>10}                  Log Buffer: {log + 'K':>10}",
        ]
    else:
        lines = [
            "Cache Sizes                       Begin        End",
            "~~~~~~~~~~~                  ---------- ----------",
            f"               Buffer Cache: {buffer + 'M':>10} {buffer + 'M':>10}  Std Block Size: {block + 'K':>10}",
            f"           Shared Pool Size: {shared + 'M':>10} {shared + 'M':>10}      Log Buffer: {log + 'K':>10}",
        ]
    return [Prose(text=("", *lines))]


def _html(buffer: str, shared: str, block: str, log: str) -> Table:
    columns = tuple(Column(None, heading, 12, TEXT) for heading in ("", "Begin", "End", " ", " "))
    rows = (
        Row(("Buffer Cache:", buffer, buffer, "Std Block Size:", block)),
        Row(("Shared Pool Size:", shared, shared, "Log Buffer:", log)),
    )
    summary = "This table displays cache sizes and other statistics for\n                     different types of cache"
    return Table("Cache Sizes", (columns,), rows, style=Style.TILDES, closing=False, summary=summary)


def shared_pool(facts: Facts, layout: Layout) -> list[Block]:
    """How much of the shared pool is in use, and how often."""
    percent = Column(None, "Begin", 6, TEXT), Column(None, "End", 6, TEXT)
    rows: list[tuple[str, tuple[Value, ...]]] = [(name, ("57.58", "79.64")) for name in _EXECUTED_TWICE]
    if layout.html:
        columns = (Column(None, "", 30, TEXT), *percent)
        made = tuple(Row((f"{name}:", *values)) for name, values in rows)
        summary = "This table displays shared pool statistics"
        return [
            Table(
                "Shared Pool Statistics", (columns,), made, style=Style.TILDES, closing=False, summary=summary
            )
        ]
    figures = [
        f"{name + ':':>28} {'57,58' if layout.comma else '57.58':>7} {'79,64' if layout.comma else '79.64':>7}"
        for name in _EXECUTED_TWICE
    ]
    return [
        Prose(text=("", " Shared Pool Statistics        Begin   End", f"{'':31}------  ------", *figures))
    ]
