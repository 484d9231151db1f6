"""Sessions of an order-entry run that nobody calls any more, as their host or their connection was lost, and that may be at work.

What they write must not change between two looks at the data, so that they are ended before it is looked at. They are known by the
names that they gave the server, which no others have in a database whose run holds its lock: a pooler on the way, which gives
clients ids of its own, passes on names.
"""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll.context import Context
from plimsoll.databases import Session, reads_answers
from plimsoll.proof.crew import Worker, name_of
from plimsoll.proof.sessions import Drove

_END_S = 10.0
"""A session that is at a commit ends with it; a checkpoint may hold that up."""
_POLL_S = 0.05
_END = """
select count(pg_terminate_backend(pid)) as there
from pg_stat_activity
where application_name = any(%s::text[]) and datname = current_database() and usename = current_user
"""


def end_lost(ctx: Context, session: Session, drove: Drove, workers: Sequence[Worker]) -> bool:
    """Ends them in the server, each with its transaction undone or committed; whether none of them is there any more."""
    lost = [
        name_of(worker)
        for worker, track in zip(workers, drove.tracks, strict=True)
        if track.error is not None
    ]
    until_s = ctx.clock.monotonic_s() + _END_S
    while lost and _there(session, lost):
        if ctx.clock.monotonic_s() > until_s:
            return False
        ctx.clock.sleep(_POLL_S)
    return True


@reads_answers
def _there(session: Session, names: list[str]) -> bool:
    """Whether one of them was there until now."""
    return bool(session.run(_END, [names])[0][0])
