"""Sessions of an order-entry run whose host was lost: nobody calls them any more, and they may be at work for some time.

What they write must not change between two looks at the data, so that they are ended before it is looked at.
"""

from __future__ import annotations

from plimsoll.context import Context
from plimsoll.databases import Session, reads_answers
from plimsoll.proof.sessions import Drove

_END_S = 10.0
"""A session that is at a commit ends with it; a checkpoint may hold that up."""
_POLL_S = 0.05
_END = """
select count(pg_terminate_backend(pid)) as there
from pg_stat_activity
where pid = any(%s::int[]) and usename = current_user and starts_with(application_name, 'plimsoll order-entry ')
"""


def end_lost(ctx: Context, session: Session, drove: Drove) -> bool:
    """Ends them in the server, each with its transaction undone or committed; whether none of them is there any more."""
    known = [track.server_process for track in drove.lost]
    processes = [process for process in known if process is not None]
    until_s = ctx.clock.monotonic_s() + _END_S
    while processes and _there(session, processes):
        if ctx.clock.monotonic_s() > until_s:
            return False
        ctx.clock.sleep(_POLL_S)
    return len(processes) == len(known)


@reads_answers
def _there(session: Session, processes: list[int]) -> bool:
    """Whether one of them was there until now."""
    return bool(session.run(_END, [processes])[0][0])
