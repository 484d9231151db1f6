"""Sessions of PostgreSQL write many of the changed pages themselves.

What it finds:
    Client backends wrote a fifth or more of all pages of data files that were written, and at least one a second.
Why it matters:
    A session that needs a buffer writes the changed page in it first, and waits for that. The background writer should have
    written it before. What a session writes through a ring of its own (bulkwrite, bulkread, vacuum) is meant to be so, and is
    left out; so are extensions of files, which before 16 are counted with it: the rule is for 16 and later. Off on Aurora,
    whose server writes no data files.
What to do:
    Let the background writer write more: `ALTER SYSTEM SET bgwriter_lru_maxpages`, `ALTER SYSTEM SET
    bgwriter_lru_multiplier`, then `SELECT pg_reload_conf()`. Or raise shared_buffers.
Evidence:
    `write_bytes` of pg_stat_io (`writes` × `op_bytes` before 18), object relation, context normal, of client backends and of
    all; and the time of these writes.
Source:
    PostgreSQL's manual on the background writer, and on pg_stat_io.
"""

from __future__ import annotations

from plimsoll.rules._interval import Interval, cells_of
from plimsoll.rules._rule import Found, Rule

_SHARE_MIN, _PER_S_MIN = 0.2, 1.0
_SESSIONS = "client backend"


def _find(interval: Interval) -> Found | None:
    server = interval.server
    if server is None or not server.counted_s:
        return None
    own, every = (
        server.io_sum("write_bytes", _SESSIONS, "normal"),
        server.io_sum("write_bytes", None, "normal"),
    )
    if own is None or every is None or not every.value:
        return None
    share, pages = own.value / every.value, own.value / server.block_bytes
    if share < _SHARE_MIN or pages / server.counted_s < _PER_S_MIN:
        return None
    spent = server.io_sum("write_time_ms", _SESSIONS, "normal") if server.is_timed else None
    waited = "" if spent is None else f", and waited {spent.value / 1000:,.0f} s for it"
    return Found(
        reason=f"sessions wrote {pages:,.0f} pages themselves, {100 * share:.0f} % of all that were written{waited}",
        cells=cells_of(own, every, spent),
        db_time_s=None if spent is None else spent.value / 1000,
    )


RULE = Rule(
    title="Backends write many pages themselves",
    family="writes",
    advice="Let the background writer write more: ALTER SYSTEM SET bgwriter_lru_maxpages = 1000; "
    "ALTER SYSTEM SET bgwriter_lru_multiplier = 4; SELECT pg_reload_conf(). Or give shared_buffers more room.",
    disproof="Their share stays as it is when the background writer writes more.",
    find=_find,
    severity="hint",
    systems=("postgresql",),
    not_on=("aurora",),
)
