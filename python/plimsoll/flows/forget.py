"""`plimsoll store forget`: takes series of snapshots out of the store whose collectors have ended, or says which it would take."""

from __future__ import annotations

from datetime import timedelta

from plimsoll.base import limits
from plimsoll.base.errors import SafetyError
from plimsoll.base.units import format_seconds
from plimsoll.context import Context
from plimsoll.facts import SnapshotSeries
from plimsoll.flows.snapshots import kept_series
from plimsoll.requests.store import ForgetRequest

_STEPS = 2
"""Of the series: a collector may have missed one."""
_ALL_KEPT = timedelta(seconds=2 * limits.INTERVALS_KEPT_S)
"""Behind the last snapshot: so much later nothing of a series is needed any more."""


def forget(ctx: Context, asked: ForgetRequest) -> list[SnapshotSeries]:
    """The named series as they were, none of them removed where one is refused.

    Raises UsageError `series-unknown`, `series-ambiguous`; SafetyError `series-running`.
    """
    named = {kept_series(ctx, name) for name in asked.series}
    found = [one for one in ctx.store.snapshot_series() if one.series in named]
    for one in found:
        _check_ended(ctx, one)
    for one in [] if asked.dry_run else found:
        ctx.store.forget_snapshots(one.series, one.last_at + _ALL_KEPT)
    return found


def _check_ended(ctx: Context, one: SnapshotSeries) -> None:
    """By its newest snapshot: what still keeps snapshots would begin the series anew, without what was before."""
    step_s = (one.last_at - one.first_at).total_seconds() / max(1, one.snapshots - 1)
    least_s = max(limits.SERIES_ENDED_S, _STEPS * step_s)
    passed_s = (ctx.clock.now() - one.last_at).total_seconds()
    if passed_s >= least_s:
        return
    when = f"{format_seconds(passed_s)} ago" if passed_s >= 0 else "later than our clock shows"
    message = f"the newest snapshot of {one.series} was taken {when}: its collector may still run"
    hint = (
        f"End the collector, and remove the series {format_seconds(least_s)} after its last snapshot; what is old goes at once with"
        " `plimsoll store thin --keep-for TIME`."
    )
    raise SafetyError("series-running", message, hint)
