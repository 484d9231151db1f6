"""PostgreSQL writes many bytes to temporary files.

What it finds:
    Temporary files make up 5 % or more of the bytes of reads of data files and of temporary files together.
Why it matters:
    A sort, hash join or hash aggregate that needs more than work_mem (× hash_mem_multiplier) writes its rows to a file and
    reads them back.
What to do:
    Find the statements (`ALTER SYSTEM SET log_temp_files = '10MB'`, or `temp_blks_written` of pg_stat_statements), tune
    them, and raise work_mem for those alone: `ALTER ROLE … SET work_mem`. Each node of each running statement may take so
    much. In memory the same rows need more room than in the file.
Evidence:
    `temp_files` and `temp_bytes` of pg_stat_database, which count a file when it is removed; `blks_read` × the size of a block;
    work_mem.
Source:
    PostgreSQL's manual on work_mem and hash_mem_multiplier, on log_temp_files, and on pg_stat_database.
"""

from __future__ import annotations

from plimsoll.base.units import format_bytes
from plimsoll.rules._interval import Interval, cells_of
from plimsoll.rules._rule import Found, Rule

SHARE_MIN = 0.05


def _find(interval: Interval) -> Found | None:
    server = interval.server
    files, written = (interval.statistic(f"pg_stat_database.{name}") for name in ("temp_files", "temp_bytes"))
    read = interval.statistic("pg_stat_database.blks_read")
    if server is None or files is None or written is None or read is None or not written.value:
        return None
    share = written.value / (written.value + read.value * server.block_bytes)
    if share < SHARE_MIN:
        return None
    each = f", {format_bytes(written.value / files.value)} each" if files.value else ""
    return Found(
        reason=f"{files.value:,.0f} temporary files of {format_bytes(written.value)} in all{each}, "
        f"{100 * share:.0f} % of the bytes of reads and of temporary files",
        cells=cells_of(
            files, written, read, server.setting("work_mem"), server.setting("hash_mem_multiplier")
        ),
    )


RULE = Rule(
    title="Many bytes go to temporary files",
    family="temporary I/O",
    advice="Find the statements with ALTER SYSTEM SET log_temp_files = '10MB'; SELECT pg_reload_conf(). Then raise work_mem for "
    "those alone (ALTER ROLE … SET work_mem), or tune them.",
    disproof="They are of work that nobody waits for, such as CREATE INDEX at night.",
    find=_find,
    severity="hint",
    systems=("postgresql",),
)
