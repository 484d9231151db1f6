"""`plimsoll store list`: which of the stored runs are wanted."""

from __future__ import annotations

from datetime import timedelta

from plimsoll.context import Context, RunFilter
from plimsoll.flows.remove import AGE_S_MAX
from plimsoll.requests.shared import tags_of
from plimsoll.requests.store import ListRequest


def wanted_runs(ctx: Context, asked: ListRequest) -> RunFilter:
    """The filter that was asked for. Raises UsageError `tag-unreadable`."""
    since = None
    if asked.since_s is not None:
        since = ctx.clock.now() - timedelta(seconds=min(asked.since_s, AGE_S_MAX))
    return RunFilter(kind=asked.kind, target=asked.target, tags=tags_of(asked.tags), since=since)
