"""Uses of the same flash, by arithmetic: what each saves, when it is not possible, and what is not known of it."""

from __future__ import annotations

from typing import Any

import pytest

from facts_placement import GIB, curved, inventory, item, tier
from plimsoll.facts import CountBound, FlashUse, FlashUses, HitCurve, HitPoint, StorageObject, Tier
from plimsoll.placement.flash.answer import compared
from plimsoll.placement.flash.basis import Offer
from plimsoll.placement.flash.settings import Setup
from plimsoll.placement.pins import Terms
from plimsoll.placement.plan import place
from plimsoll.placement.scripts.oracle import Server

DISK, FLASH = tier("disk", 5000.0, price_per_tb_month=20.0), tier("flash", 200.0, price_per_tb_month=180.0)
HOT = item("hot", 1_000_000.0, 4 * GIB)
WARM = item("warm", 400_000.0, 7 * GIB, small_writes=1000.0)
REDO = item("redo", 0.0, GIB, kind="redo", small_writes=100_000.0)
ORACLE = Setup("oracle", Server((19, 0), "enterprise", "oracle-linux"), clustered=False)
CURVE = HitCurve(
    of="buffer cache",
    points=tuple(
        HitPoint(cache_bytes=size * GIB, miss_share=left) for size, left in ((1, 1.0), (2, 0.5), (9, 0.1))
    ),
    source="made",
)


def offer(gib: float, setup: Setup = ORACLE, **more: Any) -> Offer:
    terms = {"hits": None, "block_bytes": 8192, "memory_price_per_tb_month": None, "setup": setup, **more}
    return Offer(flash_bytes=int(gib * GIB), **terms)


def found(
    *objects: StorageObject, of: Offer, tiers: tuple[Tier, ...] = (DISK, FLASH), flash: int = 1, **more: Any
) -> FlashUses:
    return compared([inventory(*objects, **more)], tiers, flash, of)[0]


def use(of: FlashUses, name: str) -> FlashUse:
    return next(one for one in of.uses if one.use == name)


def test_the_whole_database_saves_what_a_plan_that_moves_all_saves() -> None:
    said = use(found(HOT, WARM, REDO, of=offer(12)), "whole database")
    plan = place([inventory(HOT, WARM, REDO)], [DISK, FLASH], Terms())
    assert said.possible is True
    assert said.gain_s == said.gain_s_max == pytest.approx(plan.raw_gain_s)
    assert said.flash_bytes == 12 * GIB
    assert said.price_per_month == pytest.approx(12 * GIB * 160.0 / 1e12)
    assert said.small_read_us == pytest.approx(200.0)


def test_what_does_not_fit_is_not_possible_and_never_the_best() -> None:
    said = found(HOT, WARM, REDO, of=offer(5))
    whole = use(said, "whole database")
    assert whole.possible is False
    assert "does not fit into 5 GiB" in whole.reason
    assert said.best == "parts"


def test_parts_are_the_plan_with_so_much_room() -> None:
    said, plan = compared([inventory(HOT, WARM, REDO)], (DISK, FLASH), 1, offer(5))
    parts = use(said, "parts")
    assert {row.object for row in plan.plan if row.tier == "flash"} == {"hot", "redo"}
    assert (parts.gain_s, parts.flash_bytes) == (pytest.approx(5280.0), 5 * GIB)
    assert said.reason.startswith("5 GiB of flash save most as parts: 1 h 28 min")


def test_a_preferred_mirror_reads_fast_and_writes_as_the_slow_side() -> None:
    said = use(found(HOT, WARM, of=offer(11)), "mirror, preferred read")
    assert said.possible is True
    reads_s = 1_400_000 * 4800e-6
    # A write takes 5 ms at least, as today, and at most 5.2 ms, the sum of both sides.
    assert said.gain_s == pytest.approx(reads_s - 1000 * 200e-6)
    assert said.gain_s_max == pytest.approx(reads_s)
    assert (said.small_read_us, said.small_write_us, said.small_write_us_max) == pytest.approx(
        (200, 5000, 5200)
    )
    assert said.price_per_month == pytest.approx(11 * GIB * 180.0 / 1e12), "the disk keeps its copy"


def test_a_mirror_that_reads_in_turn_saves_half_of_the_reads_time() -> None:
    said = use(found(HOT, of=offer(4)), "mirror, reads in turn")
    assert said.gain_s == pytest.approx(1_000_000 * 4800e-6 / 2)
    assert said.small_read_us == pytest.approx(2600.0)
    assert said.settings == ()


def test_a_mirror_takes_reads_off_the_disk_and_leaves_its_writes_there() -> None:
    slowed = tier("disk", curved((0, 4000.0), (1000, 8000.0)))
    busy = item("busy", 3_600_000 / 2, GIB, small_writes=3_600_000 / 4)
    said = use(found(busy, of=offer(1), tiers=(slowed, FLASH)), "mirror, preferred read")
    # 750 I/Os a second at 7 ms today; then the 250 writes at 5 ms.
    assert said.small_write_us == pytest.approx(5000.0)
    assert said.gain_s_max == pytest.approx(1_800_000 * (7000 - 200) * 1e-6 + 900_000 * (7000 - 5000) * 1e-6)


def test_what_a_mirror_leaves_over_takes_redo_and_temporary_space() -> None:
    temp = item("temp", 0.0, 2 * GIB, kind="temp", small_writes=1000.0)
    said = use(found(HOT, REDO, temp, of=offer(5.5)), "mirror, preferred read")
    assert said.gain_s == pytest.approx(1_000_000 * 4800e-6 + 100_000 * 4800e-6)
    assert said.reason.endswith("redo take what is left")
    assert said.flash_bytes == 5 * GIB
    assert any("redo have no copy elsewhere" in one for one in said.costs)


def test_a_cache_saves_what_its_hits_take_less() -> None:
    said = use(found(HOT, of=offer(7, hits=CURVE), cache_bytes=2 * GIB), "storage cache")
    # Misses fall from 0.5 to 0.1 with 9 GiB in one LRU, and to 0.214 with 7 GiB that hold what memory holds as well.
    low, high = 1 - (0.5 - 0.4 * 5 / 7) / 0.5, 0.8
    assert (said.hit_share, said.hit_share_max) == (pytest.approx(low), pytest.approx(high))
    assert (said.gain_s, said.gain_s_max) == (pytest.approx(4800.0 * low), pytest.approx(4800.0 * high))
    assert said.small_read_us == pytest.approx(200 * low + 5000 * (1 - low))


def test_large_reads_and_writes_pass_a_cache_by() -> None:
    scanned = item("scanned", 0.0, GIB, large_reads=1e6, small_writes=1e6)
    said = use(found(scanned, of=offer(7, hits=CURVE), cache_bytes=2 * GIB), "storage cache")
    assert (said.gain_s, said.gain_s_max) == (0.0, 0.0)


def test_flash_over_flash_gains_nothing_to_speak_of() -> None:
    near = tier("near", 190.0)
    said = found(
        HOT.model_copy(update={"tier": "flash"}),
        of=offer(7, hits=CURVE),
        tiers=(FLASH, near),
        cache_bytes=2 * GIB,
    )
    cache = use(said, "storage cache")
    assert cache.gain_s_max == pytest.approx(1_000_000 * 10e-6 * 0.8)
    assert "flash over flash: a read takes 190 µs in place of 200 µs" in cache.reason
    assert said.answer == "nothing to gain"
    assert said.best is None


def test_without_a_curve_a_cache_is_not_known() -> None:
    said = found(HOT, of=offer(7))
    for name in ("storage cache", "database cache"):
        assert use(said, name).gain_s is None
        assert "no hit curve is known" in use(said, name).reason
    assert said.hits is None
    without = use(found(HOT, of=offer(7, hits=CURVE)), "storage cache")
    assert without.gain_s is None
    assert "present size of the buffer cache is not known" in without.reason


def test_a_directory_of_the_database_s_cache_takes_memory() -> None:
    said = use(found(HOT, of=offer(7, hits=CURVE), cache_bytes=2 * GIB), "database cache")
    blocks = 7 * GIB // 8192
    assert said.possible is True
    assert said.memory_bytes == 100 * blocks
    plain = use(found(HOT, of=offer(7, hits=CURVE), cache_bytes=2 * GIB), "storage cache")
    assert said.small_read_us is not None
    assert plain.hit_share_max is not None
    assert said.hit_share_max is not None
    assert said.hit_share_max > plain.hit_share_max, "flash answers what memory no longer holds, too"
    in_cluster = Setup("oracle", ORACLE.server, clustered=True)
    clustered = found(HOT, of=offer(7, in_cluster, hits=CURVE), cache_bytes=2 * GIB, clustered=True)
    assert use(clustered, "database cache").memory_bytes == 200 * blocks
    assert use(clustered, "database cache").possible is True


@pytest.mark.parametrize(
    ("setup", "possible", "said"),
    [
        (Setup("postgres", Server(), False), False, "PostgreSQL has no cache of its own on flash"),
        (Setup("oracle", Server(), False), False, "there is none in Oracle Database 11.2, Standard Edition"),
        (Setup(None, Server(), False), None, "name the database with --dialect"),
    ],
)
def test_which_databases_have_a_cache_of_their_own(setup: Setup, possible: bool | None, said: str) -> None:
    cache = use(found(HOT, of=offer(7, setup)), "database cache")
    assert cache.possible is possible
    assert said in cache.reason


def test_memory_is_bought_with_the_price_of_the_flash() -> None:
    terms = offer(10, hits=CURVE, memory_price_per_tb_month=1800.0)
    said = use(found(HOT, of=terms, cache_bytes=GIB), "memory instead")
    assert said.memory_bytes == GIB
    assert said.gain_s == pytest.approx(5000.0 * 0.5)
    assert said.flash_bytes == 0
    unknown = use(found(HOT, of=offer(10, hits=CURVE), cache_bytes=GIB), "memory instead")
    assert (unknown.gain_s, unknown.memory_bytes) == (None, None)
    assert unknown.reason == "the price of memory (--memory-price) is not known"


def test_a_cluster_takes_nothing_that_one_host_alone_reaches() -> None:
    in_cluster = Setup("oracle", ORACLE.server, clustered=True)
    said = found(HOT, of=offer(12, in_cluster), clustered=True)
    assert [use(said, name).possible for name in ("whole database", "parts", "storage cache")] == [False] * 3
    assert use(said, "mirror, preferred read").possible is False
    shared = FLASH.model_copy(update={"shared": True})
    assert use(
        found(HOT, of=offer(12, in_cluster), tiers=(DISK, shared), clustered=True), "whole database"
    ).possible


def test_unknown_sizes_leave_open_whether_it_fits() -> None:
    unsized = item("unsized", 10.0, None)
    said = use(found(HOT, unsized, of=offer(12)), "whole database")
    assert (said.possible, said.flash_bytes, said.price_per_month) == (None, None, None)
    assert use(found(HOT, unsized, of=offer(3)), "whole database").possible is False


def test_open_counts_have_no_upper_end() -> None:
    bound = CountBound(count="small_reads", low=1000.0, high=None)
    said = use(found(item("open", None, bounds=(bound,)), of=offer(12)), "whole database")
    assert said.gain_s == pytest.approx(4.8)
    assert said.gain_s_max is None


def test_busy_cpus_limit_every_use() -> None:
    said = found(HOT, of=offer(12), db_time_s=10_000.0, foreground_io_wait_s=5000.0, cpu_busy_share=0.6)
    assert use(said, "whole database").gain_s == pytest.approx(4000.0)
    assert said.limited_by == "cpu"


def test_beyond_what_is_known_of_the_flash_nothing_is_said() -> None:
    small = tier("flash", 200.0, iops_max=100.0)
    said = use(found(HOT, of=offer(12), tiers=(DISK, small)), "whole database")
    assert (said.gain_s, said.small_read_us) == (None, None)
    assert "more I/Os per second than is known of it" in said.reason


def test_what_lies_on_flash_already_stays_out_of_it() -> None:
    there = item("there", 1e6, 3 * GIB, on="flash")
    said = use(found(HOT, there, of=offer(4)), "whole database")
    assert (said.possible, said.flash_bytes) == (True, 4 * GIB)
    assert said.gain_s == pytest.approx(4800.0)


def test_flash_lasts_as_long_as_it_is_written_to() -> None:
    rated = FLASH.model_copy(update={"rated_write_bytes": 1e15})
    written = HOT.model_copy(update={"write_bytes": 1e9, "background_writes": 1e5, "small_writes": 0.0})
    said = found(written, of=offer(7, hits=CURVE), tiers=(DISK, rated), cache_bytes=2 * GIB)
    hours = 1e15 / 1e9
    assert use(said, "whole database").endurance_years == pytest.approx(hours / (365.25 * 24))
    fills = use(said, "storage cache").endurance_years
    assert fills is not None
    assert fills < hours / (365.25 * 24), "what it does not hold is written into it, too"
    assert use(found(HOT, of=offer(7)), "whole database").endurance_years is None


def test_where_nothing_is_known_it_cannot_be_told() -> None:
    said = found(item("unsized", 1e6, None), of=offer(12, Setup(None, Server(), False)))
    assert (said.answer, said.best) == ("cannot tell", None)
    assert use(said, "parts").gain_s is None
    assert use(said, "parts").possible is None
    assert said.reason == "of no use of 12 GiB of flash is it known what it saves"


def test_what_even_the_whole_database_on_flash_would_not_save_no_use_does() -> None:
    said = found(item("unsized", 10.0, None), of=offer(12, Setup(None, Server(), False)))
    assert said.answer == "nothing to gain"
    assert "12 GiB of flash save at most 0.048 s, in whatever use" in said.reason


def test_a_cache_that_is_hardly_bounded_does_not_mean_that_nothing_is_to_be_gained() -> None:
    """Flash no larger than the buffer cache may answer nothing, and beyond the end of the curve all."""
    said = found(HOT.but(size_bytes=50 * GIB), of=offer(1, hits=CURVE), cache_bytes=9 * GIB)
    cache = use(said, "storage cache")
    assert (cache.hit_share, cache.hit_share_max) == pytest.approx((0.0, 1.0))
    assert said.answer == "cannot tell"
    assert said.reason.startswith("at least 0 s are saved by 1 GiB of flash")


def test_a_cache_that_may_save_more_is_said_beside_the_best() -> None:
    said = found(HOT, WARM, of=offer(4, hits=CURVE), cache_bytes=GIB)
    parts, cache = use(said, "parts"), use(said, "storage cache")
    assert parts.gain_s is not None
    assert cache.gain_s_max is not None
    assert ("more is possible as" in said.reason) == (cache.gain_s_max > parts.gain_s)
