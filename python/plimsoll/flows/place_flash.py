"""`plimsoll place flash`: what the same flash saves in each use."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from plimsoll.base.errors import UsageError
from plimsoll.context import Context
from plimsoll.databases import AskPassword
from plimsoll.facts import HitCurve, Inventory, Run, Tier
from plimsoll.flows.place import check_tier, inventories_and_tiers
from plimsoll.flows.record import record
from plimsoll.flows.report import write_report
from plimsoll.placement.flash.answer import compared
from plimsoll.placement.flash.basis import Offer
from plimsoll.placement.flash.curve_file import read_curve
from plimsoll.placement.flash.hits import advised
from plimsoll.placement.flash.settings import Setup
from plimsoll.placement.gain import latencies_at, size_of
from plimsoll.placement.intervals import merged
from plimsoll.placement.scripts.oracle import Server, release_of
from plimsoll.requests.place_flash import PlaceFlashRequest


def compare_uses(ctx: Context, asked: PlaceFlashRequest, ask_password: AskPassword | None = None) -> Run:
    """Compares, stores and returns the run, with the plan of the use in parts beside it.

    Raises UsageError `flash-missing`, `flash-bytes-missing`, and what a placement raises for what is off in files.
    """
    started_at = ctx.clock.now()
    gathered, tiers = inventories_and_tiers(ctx, asked, ask_password)
    flash = _flash(tiers.tiers, asked.flash)
    offer = _offer(asked, gathered.inventories, tiers.tiers[flash])
    found, plan = compared(gathered.inventories, tiers.tiers, flash, offer)
    title = f"uses of flash for {len(plan.plan):,} objects"
    run = record(
        ctx,
        "place",
        title,
        started_at,
        flash_uses=found,
        placement=plan,
        notes=(*gathered.notes, *found.notes),
    )
    if asked.out is not None:
        write_report(run, Path(asked.out))
    return run


def _flash(tiers: Sequence[Tier], name: str | None) -> int:
    """The place of the tier of flash. Raises UsageError `tier-unknown`, `flash-missing`."""
    if name is not None:
        check_tier("--flash", name, [tier.name for tier in tiers])
        return next(number for number, tier in enumerate(tiers) if tier.name == name)
    if len(tiers) < 2:
        raise UsageError(
            "flash-missing",
            f"there is no tier but {tiers[0].name}, and flash is to be used beside it",
            "Write a second [[tier]] for the flash.",
        )
    return min(range(len(tiers)), key=lambda number: latencies_at(tiers[number], 0.0)[0])


def _offer(asked: PlaceFlashRequest, inventories: Sequence[Inventory], flash: Tier) -> Offer:
    clustered = any(one.clustered for one in inventories)
    server = Server(release_of(asked.release), asked.edition, asked.platform)
    return Offer(
        flash_bytes=_flash_bytes(asked.flash_bytes, inventories, flash),
        hits=_curve(asked.hit_curve, inventories),
        block_bytes=asked.block_bytes,
        memory_price_per_tb_month=asked.memory_price_per_tb_month,
        setup=Setup(asked.database_dialect, server, clustered),
    )


def _flash_bytes(asked: int | None, inventories: Sequence[Inventory], flash: Tier) -> int:
    if asked is not None:
        return asked
    held = sum(size_of(one) or 0 for one in merged(inventories).objects if one.tier == flash.name)
    free = None if flash.capacity_bytes is None else flash.capacity_bytes - held
    if not free:
        what = "its capacity is not known" if free is None else "nothing of it is free"
        raise UsageError(
            "flash-bytes-missing",
            f"how much of {flash.name} there is to use is not said, and {what}",
            "Say it with --flash-bytes 200g, or give the tier capacity_bytes.",
        )
    return free


def _curve(path: str | None, inventories: Sequence[Inventory]) -> HitCurve | None:
    return advised(inventories[-1]) if path is None else read_curve(path)
