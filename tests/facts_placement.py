"""Plausible objects, tiers and placements for tests. Nothing here is a measurement."""

from __future__ import annotations

from typing import Any

from plimsoll.facts import (
    CurvePoint,
    FlashSetting,
    FlashUse,
    FlashUses,
    HitCurve,
    HitPoint,
    Inventory,
    MoveCost,
    Placement,
    PlanRow,
    StorageObject,
    Tier,
    TierLatency,
    TierUse,
)
from plimsoll.placement.move_cost import totals

GIB = 1 << 30


def flat(latency_us: float) -> tuple[TierLatency, ...]:
    """A latency that does not depend on load."""
    return (TierLatency(load_per_s=0.0, latency_us=latency_us),)


def curved(*points: tuple[float, float]) -> tuple[TierLatency, ...]:
    """A latency over load."""
    return tuple(TierLatency(load_per_s=load, latency_us=us) for load, us in points)


def tier(
    name: str, us: float | tuple[TierLatency, ...], capacity_bytes: int | None = None, **more: Any
) -> Tier:
    """A tier that serves every class in the same latency."""
    points = flat(us) if isinstance(us, float | int) else us
    fields = {"small_read_us": points, "large_read_us": points, "small_write_us": points, **more}
    return Tier(name=name, capacity_bytes=capacity_bytes, **fields)


def item(
    name: str,
    small_reads: float | None = 0.0,
    size_bytes: int | None = GIB,
    on: str | None = "disk",
    **more: Any,
) -> StorageObject:
    """An object that is read block by block."""
    fields = {"large_reads": 0.0, "small_writes": 0.0, "kind": "table", **more}
    return StorageObject(name=name, size_bytes=size_bytes, tier=on, small_reads=small_reads, **fields)


def inventory(*objects: StorageObject, **more: Any) -> Inventory:
    """An hour of them."""
    return Inventory.model_validate(
        {"objects": objects, "interval_s": 3600.0, "source": "objects.csv", **more}
    )


def placement(answer: str = "move") -> Placement:
    """Three objects of which one moves; or where nothing is to be gained."""
    moves = answer == "move"
    tiers = (
        tier("disk", 5000.0, price_per_tb_month=20.0),
        tier(
            "flash",
            200.0,
            200 * GIB,
            price_per_tb_month=180.0,
            rated_write_bytes=7e15,
            shared=True,
            hot_swap=True,
        ),
    )
    cost = MoveCost(
        read_bytes=3 * GIB, written_bytes=3 * GIB, log_bytes=3 * GIB, is_least=True, meanwhile="writes wait",
        how="REBUILD reads the index; ONLINE it may read its table instead",
    )  # fmt: skip
    rows = (
        PlanRow(
            object="SALES.ORDERS_PK", kind="index", parent="SALES.ORDERS", from_tier="disk", tier="flash" if moves else "disk",
            bytes=3 * GIB, gain_s=1200.0 if moves else 0.0, gain_s_max=1440.0 if moves else 0.0, wait_s=1250.0, ios_per_s=69.4,
            reason="mostly small reads: 5 ms each now, 200 µs there" if moves else "stays: 99.9 % of its reads are cache hits",
            evidence="V$SEGMENT_STATISTICS, 173 to 174", move_cost=cost if moves else None,
        ),
        PlanRow(
            object="SALES.ARCHIVE", kind="table", from_tier="disk", tier="disk", bytes=800 * GIB, gain_s=0.0, gain_s_max=0.0,
            wait_s=113.0, ios_per_s=2.8, reason="stays: a move would gain 1 min 40 s, and room or budget gains more elsewhere",
        ),
        PlanRow(
            object="temp", kind="temp", from_tier="disk", tier="disk", bytes=None, gain_s=0.0, gain_s_max=None, wait_s=0.0,
            reason="stays: its size is not known",
        ),
    )  # fmt: skip
    curve = tuple(
        CurvePoint(bytes=count * GIB, gain_s=gain, price_per_month=0.17 * count, object=name)
        for count, gain, name in (
            (0, 0.0, None),
            (3, 1200.0, "SALES.ORDERS_PK"),
            (43, 1290.0, "SALES.ORDERS"),
            (143, 1300.0, "SALES.LINES"),
        )
    )
    uses = (
        TierUse(
            tier="disk", capacity_bytes=None, bytes_before=846 * GIB, bytes_after=843 * GIB if moves else 846 * GIB,
            ios_per_s_before=72.2, ios_per_s_after=2.8 if moves else 72.2, small_read_us_before=5000.0,
            small_read_us_after=5000.0, price_per_month=18.1, endurance_years=None,
        ),
        TierUse(
            tier="flash", capacity_bytes=200 * GIB, bytes_before=0, bytes_after=3 * GIB if moves else 0, ios_per_s_before=0.0,
            ios_per_s_after=69.4 if moves else 0.0, small_read_us_before=200.0, small_read_us_after=200.0, price_per_month=0.58,
            endurance_years=88.4,
        ),
    )  # fmt: skip
    reason = (
        "moving 1 of 3 objects, 3 GiB of 803 GiB (0.4 %), saves 20 min of waits for I/O, 22 % of DB time"
        if moves
        else "99.9 % of all reads are cache hits: hardly any reaches storage, and no tier makes those faster"
    )
    return Placement.model_validate(
        {
            "answer": answer, "reason": reason, "plan": rows, "gain_s": 1200.0 if moves else 0.0, "gain_s_max": None,
            "gain_share": 0.222 if moves else 0.0, "raw_gain_s": 1200.0 if moves else 0.0, "limited_by": "nothing",
            "bound_s": 1200.0 if moves else 0.0, "gap": 0.0, "greedy_s": 1190.0 if moves else 0.0,
            "lp_bound_s": 1204.0 if moves else 0.0, "rounds": 1, "settled": True, "moved_bytes": 3 * GIB if moves else 0,
            "total_bytes": 803 * GIB, "interval_s": 3600.0, "db_time_s": 5400.0, "foreground_io_wait_s": 1500.0,
            "cpu_busy_share": 0.31, "curve": curve if moves else curve[:1], "knee_bytes": 3 * GIB if moves else None,
            "knee_gain_s": 1200.0 if moves else None, "unseen_share": 0.2, "tiers": tiers, "tier_uses": uses,
            "reasons": (("20 % of all I/Os belong to none of these objects; they are spread over none, and nothing is "
            "said of them"),),
            "source": "objects.csv", "move_cost": totals(rows),
        }
    )  # fmt: skip


def flash_uses(answer: str = "move") -> FlashUses:
    """Uses of 200 GiB, with and without a curve of hits."""
    tells = answer == "move"
    parts = FlashUse(
        use="parts", possible=True, reason="moving 1 of 3 objects, 3 GiB of 803 GiB (0.4 %), saves 20 min of waits for I/O",
        gain_s=1200.0, gain_s_max=1440.0, gain_share=0.222, flash_bytes=3 * GIB, price_per_month=0.52,
        small_read_us=412.0, small_write_us=5000.0, small_write_us_max=5000.0, endurance_years=88.4,
    )  # fmt: skip
    mirror = FlashUse(
        use="mirror, preferred read", possible=False, reason="a copy of the data, 803 GiB, does not fit into 200 GiB",
        gain_s=1300.0, gain_s_max=1310.0, gain_share=0.24, flash_bytes=803 * GIB, price_per_month=155.2,
        small_read_us=200.0, small_write_us=5000.0, small_write_us_max=5085.0,
        costs=("each write goes to both sides and ends with the later one, so that writes of data become no faster",),
        settings=(FlashSetting(program="Linux LVM", statement="lvchange --writemostly <DISK>:y <VG>/<LV>", remark="in use"),),
    )  # fmt: skip
    cache = FlashUse(
        use="storage cache", possible=True, reason="it answers 57 % to 80 % of the small reads that reach storage today",
        gain_s=684.0 if tells else None, gain_s_max=960.0 if tells else None, flash_bytes=200 * GIB, price_per_month=38.7,
        hit_share=0.57 if tells else None, hit_share_max=0.8 if tells else None,
    )  # fmt: skip
    curve = HitCurve(
        of="buffer cache",
        points=(HitPoint(cache_bytes=GIB, miss_share=0.1), HitPoint(cache_bytes=300 * GIB, miss_share=0.01)),
        source="hits.csv",
    )
    return FlashUses.model_validate(
        {
            "answer": answer, "best": "parts" if tells else None,
            "reason": "200 GiB of flash save most as parts: 20 min, 22 % of DB time" if tells
            else "of no use of 200 GiB of flash is it known what it saves",
            "flash": "flash", "flash_bytes": 200 * GIB, "uses": (parts, mirror, cache) if tells else (cache,),
            "hits": curve if tells else None, "interval_s": 3600.0, "db_time_s": 5400.0,
            "reasons": ("every figure is an estimate from counts, latencies and hit curves as given",), "source": "objects.csv",
        }
    )  # fmt: skip
