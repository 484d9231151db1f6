"""The shared_buffers of PostgreSQL are small for what is read.

What it finds:
    Fewer than 95 % of the blocks that were asked for were found in shared_buffers, and as many blocks were read into them as
    would fill them once in five minutes or less.
Why it matters:
    A block that was pushed out is read again: from the system's cache at best, from the storage at worst. A hit ratio by itself
    proves nothing; that the cache is replaced within minutes says that what is in use does not fit.
What to do:
    Double shared_buffers and compare; a quarter of the memory is the manual's starting point. `ALTER SYSTEM SET
    shared_buffers`, then restart the server.
Evidence:
    `blks_hit` and `blks_read` of pg_stat_database; from 16 on `hits` and `read_bytes` of pg_stat_io in the context normal, which
    leaves out scans through rings, as they push nothing out. `buffers_alloc` of pg_stat_bgwriter, and shared_buffers.
Source:
    PostgreSQL's manual on shared_buffers, and on pg_stat_io.
"""

from __future__ import annotations

from plimsoll.base.units import format_seconds
from plimsoll.databases import setting_bytes
from plimsoll.reports.figures.quantity import Quantity
from plimsoll.rules._interval import Interval, WatchedServer, cells_of
from plimsoll.rules._rule import Found, Rule

_HIT_SHARE_MIN = 0.95
_FILLED_S_MAX = 300.0


def _find(interval: Interval) -> Found | None:
    server, taken = interval.server, interval.statistic("pg_stat_bgwriter.buffers_alloc")
    if server is None or taken is None:
        return None
    hits, reads = _asked(interval, server)
    size_bytes = setting_bytes(server.settings.get("shared_buffers"))
    if hits is None or reads is None or size_bytes is None or not taken.value or not reads.value:
        return None
    share = hits.value / (hits.value + reads.value)
    filled_s = size_bytes / server.block_bytes / taken.value * server.counted_s
    if share >= _HIT_SHARE_MIN or filled_s > _FILLED_S_MAX:
        return None
    reason = (
        f"{100 * share:.0f} % of blocks were found in shared_buffers of {server.settings['shared_buffers']}, whose pages are all"
        f" replaced once in {format_seconds(filled_s)}"
    )
    doubled = f"{2 * size_bytes >> 20}MB"
    return Found(
        reason=reason,
        cells=cells_of(hits, reads, taken, server.setting("shared_buffers")),
        advice=f"Double shared_buffers, as far as memory allows, and compare: ALTER SYSTEM SET shared_buffers = '{doubled}', and"
        " restart. A quarter of the memory is the manual's starting point.",
    )


def _asked(interval: Interval, server: WatchedServer) -> tuple[Quantity | None, Quantity | None]:
    """Blocks found in the cache, and read."""
    if server.io:
        read = server.io_sum("read_bytes", None, "normal")
        blocks = None if read is None else read.times(1 / server.block_bytes, "÷ the size of a block")
        return server.io_sum("hits", None, "normal"), blocks
    return interval.statistic("pg_stat_database.blks_hit"), interval.statistic("pg_stat_database.blks_read")


RULE = Rule(
    title="shared_buffers are small for what is read",
    family="cache",
    advice="Double shared_buffers, as far as memory allows, and compare. A quarter of the memory is the manual's starting point.",
    disproof="The blocks are read once and never again, or the operating system's cache answers them as fast.",
    find=_find,
    severity="hint",
    systems=("postgresql",),
)
