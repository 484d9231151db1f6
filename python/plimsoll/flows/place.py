"""`plimsoll place`: which objects belong on which tier, by plain files, a live database, or what a database printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from plimsoll.base.errors import UsageError
from plimsoll.base.units import format_bytes
from plimsoll.context import Context
from plimsoll.databases import AskPassword
from plimsoll.facts import AccessCount, AfterMoves, Inventory, Placement, Run, UnseenShare
from plimsoll.flows.place_objects import Gathered, objects_of_database, objects_of_files
from plimsoll.flows.place_plan import plan_of
from plimsoll.flows.record import record
from plimsoll.flows.report import write_report
from plimsoll.placement import tiers as tier_numbers
from plimsoll.placement.after import held_against, is_as_predicted
from plimsoll.placement.flash.curve_file import read_cache_curve
from plimsoll.placement.measured import measured
from plimsoll.placement.object_file import read_objects
from plimsoll.placement.objects.sizes import read_sizes
from plimsoll.placement.pins import Terms
from plimsoll.placement.plan import overfull, place
from plimsoll.placement.scripts.oracle import Server, release_of
from plimsoll.placement.tier_file import TierFile, read_tiers
from plimsoll.requests.place import ObjectsRequest, PlaceRequest

_CLASSES: tuple[AccessCount, ...] = ("small_reads", "large_reads", "small_writes")


def place_objects(ctx: Context, asked: PlaceRequest, ask_password: AskPassword | None = None) -> Run:
    """Plans, stores and returns the run. Raises UsageError `tiers-missing`, and for whatever is off in files or pins."""
    started_at = ctx.clock.now()
    earlier = None if asked.after is None else plan_of(ctx, asked.after)
    gathered, tiers = inventories_and_tiers(ctx, asked, ask_password)
    inventories = list(gathered.inventories)
    found = place(inventories, tiers.tiers, terms_of(asked))
    if earlier is not None:
        found = _with_earlier(found, held_against(f"the plan {asked.after}", earlier, found, inventories))
    title = f"placement of {len(found.plan):,} objects on {len(tiers.tiers)} tiers"
    run = record(ctx, "place", title, started_at, placement=found, notes=(*gathered.notes, *found.notes))
    if asked.out is not None:
        write_report(run, Path(asked.out))
    return run


def _with_earlier(found: Placement, after: AfterMoves) -> Placement:
    """The placement with what became of an earlier plan; in its sentence, where that was not as predicted."""
    reason = found.reason if is_as_predicted(after) else f"{found.reason}; {after.reason}"
    return found.model_copy(update={"after": after, "reason": reason})


def inventories_and_tiers(
    ctx: Context, asked: ObjectsRequest, ask_password: AskPassword | None
) -> tuple[Gathered, TierFile]:
    """What is planned and with what. Raises UsageError `tiers-missing`, and for whatever is off in files."""
    if asked.tiers is None:
        raise UsageError("tiers-missing", "no file of tiers was named", "Name one with --tiers FILE.")
    tiers = read_tiers(asked.tiers, lambda names: measured([ctx.store.load(name) for name in names]))
    gathered = _gathered(ctx, asked, tiers, ask_password)
    ctx.cancel.check()
    check_tiers(gathered.inventories, tiers)
    return gathered, tiers


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
        hits=None if asked.hit_curve is None else read_cache_curve(asked.hit_curve),
        dialect=asked.database_dialect,
        server=Server(release_of(asked.release), asked.edition),
    )


def _gathered(
    ctx: Context, asked: ObjectsRequest, tiers: TierFile, ask_password: AskPassword | None
) -> Gathered:
    """The inventories of whatever was named, each object on a tier where that is known."""
    if asked.database is None and not asked.paths:
        return Gathered(tuple(inventories_of(asked, tiers)))
    names = _tier_names(asked, tiers)
    tier_of = _tier_of(asked, names)
    if asked.database is not None:
        found = Gathered((objects_of_database(ctx, asked.database, asked.watched_s, ask_password),))
    else:
        sizes = {} if asked.sizes is None else read_sizes(asked.sizes)
        found = objects_of_files(ctx, asked.paths, sizes)
    placed = (_on_tiers(one, names, tier_of, asked.on) for one in found.inventories)
    return replace(found, inventories=tuple(_overruled(one, asked) for one in placed))


def _tier_of(asked: ObjectsRequest, names: Sequence[str]) -> dict[str, str]:
    """Tiers by tablespace. Raises UsageError `tier-of-unreadable`, `tier-unknown`."""
    found: dict[str, str] = {}
    for word in asked.tier_of:
        space, mark, tier = word.rpartition("=")
        if not mark or not space:
            hint = "Write TABLESPACE=TIER, such as pg_default=disk."
            raise UsageError("tier-of-unreadable", f"--tier-of: '{word}' names no tablespace and tier", hint)
        check_tier("--tier-of", tier, names)
        found[space] = tier
    return found


def _on_tiers(
    found: Inventory, names: Sequence[str], tier_of: Mapping[str, str], on: str | None
) -> Inventory:
    """Objects lie on tiers in place of tablespaces; one whose tablespace is no tier on that of `on`, or nobody knows where."""
    objects = (
        one.model_copy(update={"tier": tier_of.get(one.tier or "", one.tier if one.tier in names else on)})
        for one in found.objects
    )
    return found.model_copy(update={"objects": tuple(objects)})


def _overruled(found: Inventory, asked: ObjectsRequest) -> Inventory:
    """What was stated comes before what was found."""
    stated = _known_of(asked)
    # A stated 0 seconds of waits is known, and 0 equals False.
    is_silent = {name: value is None or value is False or value == () for name, value in stated.items()}
    return found.model_copy(update={name: value for name, value in stated.items() if not is_silent[name]})


def inventories_of(asked: ObjectsRequest, tiers: TierFile) -> list[Inventory]:
    """Each file of objects as an inventory, with what the request says of the intervals."""
    if not asked.objects:
        raise UsageError(
            "nothing-named",
            "no objects were named",
            "Name a database with --database, reports, or files with --objects FILE.",
        )
    names = _tier_names(asked, tiers)
    return [_stated(read_objects(path, names, asked.on), asked) for path in asked.objects]


def _tier_names(asked: ObjectsRequest, tiers: TierFile) -> list[str]:
    names = [tier.name for tier in tiers.tiers]
    if asked.on is not None:
        check_tier("--on", asked.on, names)
    return names


def check_tier(option: str, tier: str, names: Sequence[str]) -> None:
    """Raises UsageError `tier-unknown`."""
    if tier not in names:
        raise UsageError(
            "tier-unknown", f"{option}: there is no tier {tier}", f"The tiers are {', '.join(names)}."
        )


def _stated(found: Inventory, asked: ObjectsRequest) -> Inventory:
    return found.model_copy(update=_known_of(asked))


def _known_of(asked: ObjectsRequest) -> dict[str, Any]:
    """What the request says of the interval."""
    unseen: tuple[UnseenShare, ...] = ()
    if asked.unseen_share is not None:
        unseen = tuple(UnseenShare(count=name, share=asked.unseen_share) for name in _CLASSES)
    return {
        "interval_s": asked.interval_s,
        "db_time_s": asked.db_time_s,
        "foreground_io_wait_s": asked.io_wait_s,
        "cpu_busy_share": asked.cpu_busy_share,
        "cache_bytes": asked.cache_bytes,
        "clustered": asked.clustered,
        "unseen": unseen,
    }


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
