"""Checkpoints of PostgreSQL are asked for by the log, not by the clock.

What it finds:
    More checkpoints were requested than were started by checkpoint_timeout.
Why it matters:
    WAL usually reaches max_wal_size before checkpoint_timeout then. Each checkpoint writes all dirty pages, and the first
    change of each page after it adds a full-page image to WAL. Off on Aurora, whose server writes no data files and has no
    log device of its own.
What to do:
    Raise max_wal_size until checkpoints are started by checkpoint_timeout: `ALTER SYSTEM SET max_wal_size`, then
    `SELECT pg_reload_conf()`. A checkpoint is requested when WAL since the last one reaches max_wal_size ÷ (1 +
    checkpoint_completion_target); so what is advised is WAL per second (of the busiest interval of a minute or longer) ×
    checkpoint_timeout × (1 + checkpoint_completion_target), in whole GB. The file system of WAL needs room for it, and
    recovery takes longer.
Evidence:
    `num_requested` and `num_timed` of pg_stat_checkpointer (pg_stat_bgwriter before 17).
Source:
    PostgreSQL's manual on WAL configuration, and on pg_stat_checkpointer.
"""

from __future__ import annotations

import math

from plimsoll.databases import setting_bytes, setting_seconds
from plimsoll.rules._interval import Interval, WatchedServer, cells_of
from plimsoll.rules._rule import Found, Rule

_GB = 1 << 30
_PLACES = (
    ("pg_stat_checkpointer.num_requested", "pg_stat_checkpointer.num_timed"),
    ("pg_stat_bgwriter.checkpoints_req", "pg_stat_bgwriter.checkpoints_timed"),
)


def _find(interval: Interval) -> Found | None:
    for requested_name, timed_name in _PLACES:
        requested, timed = interval.statistic(requested_name), interval.statistic(timed_name)
        if requested is None or timed is None or not requested.value or requested.value <= timed.value:
            continue
        reason = f"{requested.value:,.0f} checkpoints were requested, and {timed.value:,.0f} came by time"
        return Found(reason=reason, cells=cells_of(requested, timed), advice=_advice(interval.server))
    return None


def _advice(server: WatchedServer | None) -> str | None:
    """With a size and its command; None where the log's rate or a setting is not known, or the size is reached already."""
    if server is None or server.log_bytes_per_s_max is None:
        return None
    now_bytes = setting_bytes(server.settings.get("max_wal_size"))
    timeout_s = setting_seconds(server.settings.get("checkpoint_timeout"))
    target = server.settings.get("checkpoint_completion_target")
    if now_bytes is None or timeout_s is None or target is None:
        return None
    needed_bytes = server.log_bytes_per_s_max * timeout_s * (1 + float(target))
    if needed_bytes <= now_bytes:
        return None
    size = f"{math.ceil(needed_bytes / _GB)}GB"
    return (
        f"Raise max_wal_size from {server.settings['max_wal_size']}: from {size} on checkpoints come by time, also at the busiest."
        f" ALTER SYSTEM SET max_wal_size = '{size}'; SELECT pg_reload_conf(). See that the file system of WAL has room for it."
    )


RULE = Rule(
    title="Checkpoints are requested, not timed",
    family="log configuration",
    advice="Raise max_wal_size until checkpoints come by time: ALTER SYSTEM SET max_wal_size, SELECT pg_reload_conf().",
    disproof="Somebody ran CHECKPOINT, or a backup began.",
    find=_find,
    severity="hint",
    systems=("postgresql",),
    not_on=("aurora",),
)
