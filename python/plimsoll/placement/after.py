"""Holds a plan that was carried out against what was measured since: did the moves save what they were to save?

Loads differ from one interval to the other. So each object's I/Os of now are taken at what one of them took when it was planned,
and at what the plan foretold; the sums are what sessions would have waited without the moves, and what they were to wait with them.
Beside these stands what they waited. Only objects whose seconds were measured now take part: else latencies would be held against
themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from plimsoll.base.units import format_seconds, format_share
from plimsoll.facts import AfterMoves, Inventory, Placement, PlanRow, StorageObject
from plimsoll.placement.words import names_of

KEPT_SHARE_MIN = 0.8
"""Of what a plan was to save: one that saves less was wrong."""
MORE_IOS_MIN = 2.0
"""So many times as many I/Os per second are no longer the load that was planned for."""
_TOLD_SHARE_MIN = 0.01
"""Of the waits: of less nobody can tell whether it was saved."""


@dataclass(frozen=True)
class _Pair:
    """An object of both plans, both of which counted I/Os of it."""

    then: PlanRow
    now: PlanRow

    @property
    def times(self) -> float:
        """Its I/Os of now over those of then."""
        return (self.now.ios or 0.0) / (self.then.ios or 1.0)


def held_against(name: str, then: Placement, now: Placement, inventories: Sequence[Inventory]) -> AfterMoves:
    """What became of a plan, by one of the same database of today. `name` is how the plan was named."""
    rows = {row.object: row for row in now.plan}
    moved = [row for row in then.plan if row.tier != row.from_tier]
    elsewhere = tuple(row.object for row in moved if not _is_there(row, rows))
    pairs = list(_pairs(then, rows, inventories)) if _are_of_one_database(then, now) else []
    before_s = sum(pair.times * pair.then.wait_s for pair in pairs)
    predicted_s = sum(pair.times * (pair.then.wait_s - pair.then.gain_s) for pair in pairs)
    measured_s = sum(pair.now.wait_s for pair in pairs)
    is_enough = before_s - predicted_s > _TOLD_SHARE_MIN * before_s
    share = (before_s - measured_s) / (before_s - predicted_s) if is_enough else None
    found = AfterMoves(
        plan=name,
        in_place=len(moved) - len(elsewhere),
        elsewhere=elsewhere,
        compared=len(pairs),
        before_s=before_s,
        predicted_s=predicted_s,
        measured_s=measured_s,
        kept_share=share,
        ios_times=_ios_times(then, now),
        reason="",
    )
    return found.model_copy(update={"reason": "; ".join((_said(found), *_beside(found)))})


def is_as_predicted(found: AfterMoves) -> bool:
    """Whether it saves what it was to save; not where nobody can tell."""
    return found.kept_share is not None and found.kept_share >= KEPT_SHARE_MIN


def _are_of_one_database(then: Placement, now: Placement) -> bool:
    """As far as both say of which they are."""
    return None in (then.database_id, now.database_id) or then.database_id == now.database_id


def _is_there(row: PlanRow, rows: Mapping[str, PlanRow]) -> bool:
    return row.object in rows and rows[row.object].from_tier == row.tier


def _pairs(then: Placement, rows: Mapping[str, PlanRow], inventories: Sequence[Inventory]) -> Iterator[_Pair]:
    """What lies where it was to lie and was measured now, in every interval."""
    unmeasured = {one.name for inventory in inventories for one in inventory.objects if not _is_measured(one)}
    for row in then.plan:
        if row.ios and _is_there(row, rows) and rows[row.object].ios and row.object not in unmeasured:
            yield _Pair(row, rows[row.object])


def _is_measured(one: StorageObject) -> bool:
    return one.read_s is not None or not ((one.small_reads or 0.0) + (one.large_reads or 0.0))


def _ios_times(then: Placement, now: Placement) -> float | None:
    """I/Os per second of all objects, now over then; None where a rate is not known."""
    first, last = (
        sum(row.ios or 0.0 for row in one.plan) / one.interval_s if one.interval_s else 0.0
        for one in (then, now)
    )
    return last / first if first and last else None


def _said(found: AfterMoves) -> str:
    if found.kept_share is None:
        why = (
            "nothing lies where it was to lie of which both plans counted I/Os, in one database, and seconds were measured now"
            if not found.compared
            else "of what is read and written now, hardly anything is of what it was to save"
        )
        return f"what {found.plan} saved cannot be told: {why}"
    wanted = f"it was to save {format_seconds(found.before_s - found.predicted_s)} of the waits of now"
    saved_s = found.before_s - found.measured_s
    if is_as_predicted(found):
        return f"{found.plan} was right: {wanted}, and saves {format_seconds(saved_s)}"
    saved = (
        f"saves {format_seconds(saved_s)}, {format_share(found.kept_share)} of that"
        if saved_s >= 0
        else f"costs {format_seconds(-saved_s)}"
    )
    return f"{found.plan} was wrong: {wanted}, and {saved}"


def _beside(found: AfterMoves) -> Iterator[str]:
    if found.elsewhere:
        are = "does not lie" if len(found.elsewhere) == 1 else "do not lie"
        yield f"{names_of(found.elsewhere)} {are} where it wanted"
    if found.ios_times is not None and found.ios_times >= MORE_IOS_MIN:
        yield (
            f"there are {found.ios_times:,.1f} × as many I/Os per second as when it was made: look whether statements are "
            f"executed by other plans now"
        )
