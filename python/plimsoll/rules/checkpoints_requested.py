"""Checkpoints of PostgreSQL are asked for by the log, not by the clock.

What it finds:
    More checkpoints were requested than were started by checkpoint_timeout.
Why it matters:
    WAL usually reaches max_wal_size before checkpoint_timeout then. Each checkpoint writes all dirty pages, and the first
    change of each page after it adds a full-page image to WAL. Off on Aurora, whose server writes no data files and has no
    log device of its own.
What to do:
    Raise max_wal_size until checkpoints are started by checkpoint_timeout.
Evidence:
    `num_requested` and `num_timed` of pg_stat_checkpointer (pg_stat_bgwriter before 17).
Source:
    PostgreSQL's manual on WAL configuration.
"""

from __future__ import annotations

from plimsoll.rules._interval import Interval, cells_of
from plimsoll.rules._rule import Found, Rule

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
        return Found(reason=reason, cells=cells_of(requested, timed))
    return None


RULE = Rule(
    title="Checkpoints are requested, not timed",
    family="log configuration",
    advice="Raise max_wal_size until checkpoints come by time.",
    disproof="Somebody ran CHECKPOINT, or a backup began.",
    find=_find,
    severity="hint",
    systems=("postgresql",),
    not_on=("aurora",),
)
