"""Whole pages make up most of what PostgreSQL writes to its log.

What it finds:
    More than half of the bytes of WAL are full-page images, and sessions wait for WAL for 2 % of DB time or more.
Why it matters:
    The first change of a page after each checkpoint writes the whole page to WAL (full_page_writes). The more frequent the
    checkpoints, the more changes are first ones, and a commit waits for 8 KiB where some hundred bytes would do.
What to do:
    Make checkpoints less frequent (max_wal_size, checkpoint_timeout); wal_compression makes the images smaller.
Evidence:
    `wal_fpi` of pg_stat_wal × the page size, as a share of `wal_bytes`. An image leaves out the free space of its page, so
    that the share is capped at one. The seconds are the part of the waits for WAL that grows with the size of a write, by a
    straight line through the time and mean size of a write in each second. Without the images a write is still taken to be
    one page. Where that part cannot be determined, or is less than half, this is a hint.
Source:
    PostgreSQL's manual on full_page_writes and WAL configuration.
"""

from __future__ import annotations

from plimsoll.rules._commits import FLUSH, SHARE_MIN
from plimsoll.rules._interval import Interval, cells_of, cells_of_waits
from plimsoll.rules._rule import Found, Rule

_PAGE_BYTES = 8192
_IMAGES_MIN = 0.5
_BYTES_SHARE_MIN = 0.5
"""Of the time of a write: with less of it the device's latency counts, and not its bytes."""


def _find(interval: Interval) -> Found | None:
    images, written = interval.statistic("pg_stat_wal.wal_fpi"), interval.statistic("pg_stat_wal.wal_bytes")
    wait, each = interval.wait(FLUSH), interval.log_write_bytes
    if images is None or written is None or not written.value or wait is None or each is None:
        return None
    share = min(1.0, images.value * _PAGE_BYTES / written.value)
    if share < _IMAGES_MIN or (interval.share(wait.seconds) or 0.0) < SHARE_MIN:
        return None
    by_bytes = interval.log_bytes_share
    saved_share = min(share, max(0.0, 1 - _PAGE_BYTES / each.value))
    return Found(
        reason=f"{100 * share:.0f} % of the log's bytes are images of whole pages, {images.value:,.0f} of them; "
        f"one write of the log is {each.value / 1024:,.0f} KiB, and sessions waited {wait.seconds:,.0f} s for them",
        cells=cells_of(images, written, each) + cells_of_waits([wait]),
        db_time_s=None if by_bytes is None else wait.seconds * saved_share * by_bytes,
        events=(FLUSH,),
        is_hint=by_bytes is None or by_bytes < _BYTES_SHARE_MIN,
    )


RULE = Rule(
    title="Full-page images make up most of WAL",
    family="log configuration",
    advice="Let checkpoints come less often (max_wal_size, checkpoint_timeout), or compress the images (wal_compression).",
    disproof="Commits take as long when the last checkpoint is long ago.",
    find=_find,
    systems=("postgresql",),
)
