"""Which of the stored runs are wanted, as `plimsoll store list` and `prune` ask for them; and moments as people type them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from plimsoll.base.errors import PlimsollError, UsageError
from plimsoll.base.nearest import did_you_mean
from plimsoll.base.units import parse_seconds
from plimsoll.context import Context, RunFilter
from plimsoll.facts.run import RUN_KINDS
from plimsoll.requests.shared import tags_of
from plimsoll.requests.store import ListRequest

_AGE_S_MAX = 1000 * 365 * 86400.0
"""Nothing was measured a thousand years ago, and the calendar has a beginning."""


def wanted_runs(ctx: Context, asked: ListRequest) -> RunFilter:
    """The filter that was asked for. Raises UsageError `tag-unreadable`, `kind-unknown`."""
    check_kind(ctx, asked.kind)
    since = None if asked.since_s is None else moment_before(ctx, asked.since_s)
    return RunFilter(kind=asked.kind, target=asked.target, tags=tags_of(asked.tags), since=since)


def moment_before(ctx: Context, age_s: float) -> datetime:
    """When what began so long ago began."""
    return ctx.clock.now() - timedelta(seconds=min(age_s, _AGE_S_MAX))


def check_kind(ctx: Context, kind: str | None) -> None:
    """Raises UsageError `kind-unknown` for a kind that no verb makes and no stored run is of: another release may know others."""
    if kind is None or kind in RUN_KINDS:
        return
    known = sorted({*RUN_KINDS, *(run.kind for run in ctx.store.summaries())})
    if kind not in known:
        meant = did_you_mean(kind, known)
        hint = f"{meant}Kinds: {', '.join(known)}."
        raise UsageError("kind-unknown", f"no run is of the kind '{kind}'", hint)


def moment_of(ctx: Context, word: str | None) -> datetime | None:
    """An age such as 7d, or a time; one without a zone is of this machine's. Raises UsageError `moment-unreadable`."""
    if word is None:
        return None
    try:
        return moment_before(ctx, parse_seconds(word))
    except PlimsollError:
        pass
    try:
        return datetime.fromisoformat(word).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        hint = "Write an age such as 7d or 12h, or a time such as 2026-11-20T09:00."
        raise UsageError("moment-unreadable", f"'{word}' is neither an age nor a time", hint) from error
