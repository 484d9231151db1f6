"""`plimsoll store forget`: takes series of snapshots out of the store whose collectors have ended, or says which it would take."""

from __future__ import annotations

from plimsoll.base import limits
from plimsoll.base.errors import SafetyError, UsageError
from plimsoll.base.units import format_seconds
from plimsoll.context import Context
from plimsoll.facts import SnapshotSeries
from plimsoll.flows.snapshots import kept_series
from plimsoll.requests.store import ForgetRequest

_STEPS = 2
"""Of the series: a collector may have missed one."""
_STEPS_S_MAX = 7 * 86_400.0
"""However far its snapshots are apart, where old ones were thinned."""
_MEANWHILE = "Repeat the command when its collector has ended, and nobody thins it."


def forget(ctx: Context, asked: ForgetRequest) -> list[SnapshotSeries]:
    """The named series as they were; they are removed together, and none of them where one is refused, or is another by then.

    What is to be removed is named whole: a part that two series had is one of the other as soon as the first is gone.

    Raises UsageError `series-unknown`, `series-ambiguous`; SafetyError `series-running`.
    """
    named = {(kept_series if asked.dry_run else _whole)(ctx, name) for name in asked.series}
    found = [one for one in ctx.store.snapshot_series() if one.series in named]
    for one in found:
        _check_ended(ctx, one)
    changed = None if asked.dry_run else ctx.store.forget_series(found)
    if changed is not None:
        message = f"snapshots of {changed} were kept or removed meanwhile, and nothing was removed here"
        raise SafetyError("series-running", message, _MEANWHILE)
    return found


def _whole(ctx: Context, name: str) -> str:
    series = kept_series(ctx, name)
    if series != name:
        message = f"'{name}' is a part of the name of {series} alone"
        raise UsageError("series-ambiguous", message, "Name it whole: what is removed is gone for good.")
    return series


def _check_ended(ctx: Context, one: SnapshotSeries) -> None:
    """By its newest snapshot: what still keeps snapshots would begin the series anew, without what was before."""
    step_s = (one.last_at - one.first_at).total_seconds() / max(1, one.snapshots - 1)
    least_s = max(limits.SERIES_ENDED_S, min(_STEPS * step_s, _STEPS_S_MAX))
    newest = ctx.store.newest_snapshot(one.series)
    ahead_s = 0.0 if newest is None else newest.snapshot.clock_offset_s
    passed_s = (ctx.clock.now() - one.last_at).total_seconds() + ahead_s
    if passed_s >= least_s:
        return
    when = f"{format_seconds(passed_s)} ago" if passed_s >= 0 else "later than our clock shows"
    message = f"the newest snapshot of {one.series} was taken {when}: its collector may still run"
    hint = (
        f"End the collector, and remove the series {format_seconds(least_s)} after its last snapshot; what is old goes at once with"
        " `plimsoll store thin --keep-for TIME`."
    )
    raise SafetyError("series-running", message, hint)
