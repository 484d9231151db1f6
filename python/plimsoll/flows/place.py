"""`plimsoll place`: which objects belong on which tier, planned from plain files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from plimsoll.base.errors import UsageError
from plimsoll.base.units import format_bytes
from plimsoll.context import Context
from plimsoll.facts import AccessCount, Inventory, Run, UnseenShare
from plimsoll.flows.record import record
from plimsoll.flows.report import write_report
from plimsoll.placement import tiers as tier_numbers
from plimsoll.placement.object_file import read_objects
from plimsoll.placement.pins import Terms
from plimsoll.placement.plan import overfull, place
from plimsoll.placement.tier_file import TierFile, read_tiers
from plimsoll.requests.place import PlaceRequest

_CLASSES: tuple[AccessCount, ...] = ("small_reads", "large_reads", "small_writes")


def place_objects(ctx: Context, asked: PlaceRequest) -> Run:
    """Plans, stores and returns the run. Raises UsageError for whatever is off in the files or the pins."""
    started_at = ctx.clock.now()
    tiers = read_tiers(asked.tiers)
    inventories = inventories_of(asked, tiers)
    check_tiers(inventories, tiers)
    found = place(inventories, tiers.tiers, terms_of(asked))
    title = f"placement of {len(found.plan):,} objects on {len(tiers.tiers)} tiers"
    run = record(ctx, "place", title, started_at, placement=found, notes=found.notes)
    if asked.out is not None:
        write_report(run, Path(asked.out))
    return run


def terms_of(asked: PlaceRequest) -> Terms:
    """What is asked of the plan itself."""
    return Terms(
        must=asked.must,
        must_not=asked.must_not,
        together=tuple(tuple(filter(None, map(str.strip, word.split(",")))) for word in asked.together),
        budget_bytes=asked.budget_bytes,
        budget_per_month=asked.budget_per_month,
        gain_s_min=asked.gain_s_min,
        hysteresis=asked.hysteresis,
        memory_price_per_tb_month=asked.memory_price_per_tb_month,
    )


def inventories_of(asked: PlaceRequest, tiers: TierFile) -> list[Inventory]:
    """Each file of objects as an inventory, with what the request says of the intervals."""
    if not asked.objects:
        raise UsageError(
            "nothing-named", "no file of objects was named", "Name one for each interval with --objects FILE."
        )
    names = [tier.name for tier in tiers.tiers]
    if asked.on is not None and asked.on not in names:
        raise UsageError(
            "tier-unknown", f"--on: there is no tier {asked.on}", f"The tiers are {', '.join(names)}."
        )
    return [_stated(read_objects(path, names, asked.on), asked) for path in asked.objects]


def _stated(found: Inventory, asked: PlaceRequest) -> Inventory:
    unseen: tuple[UnseenShare, ...] = ()
    if asked.unseen_share is not None:
        unseen = tuple(UnseenShare(count=name, share=asked.unseen_share) for name in _CLASSES)
    return found.model_copy(
        update={
            "interval_s": asked.interval_s,
            "db_time_s": asked.db_time_s,
            "foreground_io_wait_s": asked.io_wait_s,
            "cpu_busy_share": asked.cpu_busy_share,
            "cache_bytes": asked.cache_bytes,
            "clustered": asked.clustered,
            "unseen": unseen,
        }
    )


def check_tiers(inventories: Sequence[Inventory], tiers: TierFile) -> None:
    """Raises UsageError where what lies on the tiers today cannot be, or rates are needed and the length of an interval is not
    known."""
    full = overfull(inventories, tiers.tiers)
    if full is not None:
        number, held = full
        tier = tiers.tiers[number]
        most = format_bytes(tier.capacity_bytes or 0)
        message = (
            f"{tiers.where(number, 'capacity_bytes')}: {format_bytes(held)} lie on {tier.name} today, and its "
            f"capacity is {most}"
        )
        raise UsageError(
            "tier-overfull",
            message,
            "Correct the capacity, the sizes of the objects, or the tier that they lie on.",
        )
    for number, tier in enumerate(tiers.tiers):
        needs = tier_numbers.load_max_per_s(tier) is not None
        if needs and any(one.interval_s is None for one in inventories):
            key = "iops_max" if tier.iops_max is not None else "small_read_us"
            message = f"{tiers.where(number, key)}: {tier.name} depends on its load, and the length of the interval is not known"
            raise UsageError(
                "interval-missing", message, "Say how long the interval of the counts was: --interval 1h."
            )
