"""The uses side by side, and which of them saves most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plimsoll.base.units import format_bytes, format_seconds, format_share
from plimsoll.facts import FlashUse, FlashUses, Inventory, Placement, Tier
from plimsoll.facts.placement import GainLimit, PlacementAnswer
from plimsoll.placement.flash import uses
from plimsoll.placement.flash.basis import Basis, Offer, basis_of
from plimsoll.placement.flash.split import IN_TURN, PREFERRED
from plimsoll.placement.intervals import mean
from plimsoll.placement.pins import Terms
from plimsoll.placement.plan import GAIN_SHARE_MIN, place


def compared(
    inventories: Sequence[Inventory], tiers: Sequence[Tier], flash: int, offer: Offer
) -> tuple[FlashUses, Placement]:
    """Every use, and the plan of the use in parts. Raises what the optimiser raises."""
    basis = basis_of(inventories, tiers, flash, offer)
    plan = _plan_of_parts(basis, inventories)
    found = (
        uses.whole(basis),
        uses.parts(basis, plan),
        uses.mirror(basis, "mirror, preferred read", PREFERRED),
        uses.mirror(basis, "mirror, reads in turn", IN_TURN),
        uses.storage_cache(basis),
        uses.database_cache(basis),
        uses.memory(basis),
    )
    return _answer(basis, found), plan


def _plan_of_parts(basis: Basis, inventories: Sequence[Inventory]) -> Placement:
    """The best plan between the tiers of today and so much room on flash."""
    layout = basis.asked.layout
    used = {*layout.homes, basis.flash}
    held = layout.bytes_on(layout.homes)[basis.flash]
    room = {"capacity_bytes": held + basis.offer.flash_bytes}
    setup = basis.offer.setup
    tiers = [
        tier.model_copy(update=room) if number == basis.flash else tier
        for number, tier in enumerate(layout.tiers)
        if number in used
    ]
    return place(inventories, tiers, Terms(dialect=setup.dialect, server=setup.server))


def _answer(basis: Basis, found: Sequence[FlashUse]) -> FlashUses:
    best = _best(found)
    answer, reason = _in_words(basis, found, best)
    inventories = basis.asked.found.inventories
    return FlashUses(
        answer=answer,
        best=best.use if best is not None and answer == "move" else None,
        reason=reason,
        flash=basis.flash_tier.name,
        flash_bytes=basis.offer.flash_bytes,
        uses=tuple(found),
        hits=basis.offer.hits,
        limited_by=_limited_by(basis, best),
        interval_s=basis.interval_s,
        db_time_s=basis.db_time_s,
        foreground_io_wait_s=mean([one.foreground_io_wait_s for one in inventories]),
        cpu_busy_share=basis.busy_share,
        reasons=tuple(_rests_on(basis)),
        source=", ".join(one.source for one in inventories),
        notes=tuple(dict.fromkeys(note for one in inventories for note in one.notes)),
    )


def _best(found: Sequence[FlashUse]) -> FlashUse | None:
    """Most saved at least, and of equals the one that takes least flash; None where of none that is possible it is known."""
    known = [one for one in found if one.possible and one.gain_s is not None]
    return max(known, key=lambda one: (round(one.gain_s or 0.0, 6), -(one.flash_bytes or 0)), default=None)


def _in_words(basis: Basis, found: Sequence[FlashUse], best: FlashUse | None) -> tuple[PlacementAnswer, str]:
    flash = format_bytes(basis.offer.flash_bytes)
    least = 0.0 if best is None or best.gain_s is None else best.gain_s
    worth = GAIN_SHARE_MIN * (basis.db_time_s or basis.interval_s or 0.0)
    if best is not None and least > 0 and least >= worth:
        share = "" if best.gain_share is None else f", {format_share(best.gain_share)} of DB time"
        said = f"{flash} of flash save most as {best.use}: {format_seconds(least)}{share}"
        return "move", said + _might(found, best)
    most = _most_s(found)
    if most is not None and (most <= 0 or most < worth):
        return (
            "nothing to gain",
            f"{flash} of flash save at most {format_seconds(max(most, 0.0))}, in whatever use",
        )
    if best is None:
        return "cannot tell", f"of no use of {flash} of flash is it known what it saves"
    known = f"at least {_seconds(least)} are saved by {flash} of flash, as {best.use}"
    return "cannot tell", known + _might(found, best)


def _most_s(found: Sequence[FlashUse]) -> float | None:
    """What no use of flash saves more than: the whole database on it, and whichever use there may be room for."""
    open_uses = [one for one in found if one.possible is not False and one.use != "memory instead"]
    each = [None if one.gain_s is None else one.gain_s_max for one in open_uses]
    most = None if None in each else max((one or 0.0 for one in each), default=0.0)
    whole = next(one.gain_s_max for one in found if one.use == "whole database")
    return min((one for one in (whole, most) if one is not None), default=None)


def _might(found: Sequence[FlashUse], best: FlashUse) -> str:
    """Uses that may save more, since they are only bounded."""
    least = best.gain_s or 0.0
    more = [
        one.use
        for one in found
        if one is not best
        and one.possible is not False
        and one.gain_s is not None
        and (one.gain_s_max is None or one.gain_s_max > max(least, best.gain_s_max or least) + 1e-6)
    ]
    return f"; more is possible as {', '.join(more)}" if more else ""


def _seconds(seconds: float) -> str:
    return f"-{format_seconds(-seconds)}" if seconds < 0 else format_seconds(seconds)


def _limited_by(basis: Basis, best: FlashUse | None) -> GainLimit:
    headroom = None
    if basis.db_time_s is not None and basis.busy_share is not None:
        headroom = basis.db_time_s * max(0.0, 1.0 - basis.busy_share)
    if headroom is not None and best is not None and best.gain_s is not None and best.gain_s >= headroom:
        return "cpu"
    return basis.limited_by


def _rests_on(basis: Basis) -> Iterator[str]:
    yield (
        "every figure is an estimate from counts, latencies and hit curves as given; a cache that is empty, or whose "
        "work changes, saves less"
    )
    curve = basis.offer.hits
    if curve is not None:
        ends = f"{format_bytes(curve.points[0].cache_bytes)} to {format_bytes(curve.points[-1].cache_bytes)}"
        yield f"caches by {curve.source}, {ends} of {curve.of}; beyond its end they are only bounded"
    if basis.asked.unseen is None:
        yield "what share of all I/Os belongs to none of these objects is not known"
    else:
        yield f"{format_share(basis.asked.unseen)} of all I/Os belong to none of these objects, and nothing is said of them"
    layout = basis.asked.layout
    if layout.left_out:
        names = ", ".join(layout.objects[index].name for index in layout.left_out[:3])
        yield f"size or present tier of {len(layout.left_out):,} objects is not known, such as {names}"
