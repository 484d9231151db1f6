"""What the planner makes of figures that only databases and reports give: what the cache holds, bounds, TOAST."""

from __future__ import annotations

from typing import Any

import pytest

from plimsoll.facts import CountBound, Inventory, StorageObject, Tier, TierLatency
from plimsoll.placement.pins import Terms
from plimsoll.placement.plan import place

GIB = 1 << 30


def one(name: str, **known: Any) -> StorageObject:
    """An object of a gigabyte on disk without any I/O but what is given."""
    bare = {
        "size_bytes": GIB,
        "tier": "disk",
        "small_reads": 0.0,
        "large_reads": 0.0,
        "small_writes": 0.0,
        "cached_share": 0.0,
    }
    return StorageObject.model_validate({"name": name, **bare, **known})


def tier(name: str, us: float, capacity_bytes: int | None = None) -> Tier:
    """A tier of one latency."""
    flat = (TierLatency(load_per_s=0.0, latency_us=us),)
    return Tier(
        name=name, capacity_bytes=capacity_bytes, small_read_us=flat, large_read_us=flat, small_write_us=flat
    )


def planned(*objects: StorageObject, capacity_bytes: int | None = None) -> Any:
    """The plan on a disk of 5 ms and flash of 0.1 ms."""
    inventory = Inventory(
        objects=objects, interval_s=3600.0, db_time_s=10_000.0, cache_bytes=GIB, source="made"
    )
    return place([inventory], [tier("disk", 5_000.0), tier("flash", 100.0, capacity_bytes)], Terms())


def tiers_of(found: Any) -> dict[str, str]:
    """Where each object belongs."""
    return {row.object: row.tier for row in found.plan}


def test_what_lives_in_the_cache_stays_and_is_named() -> None:
    found = planned(
        one("hot", small_reads=1e6, lives_in_cache=True), one("cold", small_reads=1e6, lives_in_cache=False)
    )
    assert tiers_of(found) == {"hot": "disk", "cold": "flash"}
    assert found.keep_in_memory == ("hot",)


def test_a_toast_table_moves_with_its_table() -> None:
    table = one("shop.t", kind="table", small_reads=1e6)
    toast = one("pg_toast.pg_toast_1", kind="toast", parent="shop.t", small_reads=10.0)
    assert tiers_of(planned(table, toast)) == {"shop.t": "flash", "pg_toast.pg_toast_1": "flash"}
    idle = toast.model_copy(update={"small_reads": 0.0})
    (row,) = [row for row in planned(table, idle).plan if row.object == toast.name]
    assert (row.tier, row.gain_s, row.reason) == ("flash", 0.0, "moves with its table")
    assert set(tiers_of(planned(table, toast, capacity_bytes=GIB)).values()) == {"disk"}


def test_the_likeliest_is_planned_and_the_upper_end_is_the_most() -> None:
    bounds = (CountBound(count="small_reads", low=0.0, high=3e5),)
    found = planned(one("t", small_reads=1e5, bounds=bounds))
    assert found.gain_s == pytest.approx(1e5 * 0.0049)
    assert found.gain_s_max == pytest.approx(3e5 * 0.0049)
