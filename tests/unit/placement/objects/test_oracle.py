"""What a DBA's runs of objects.sql say: intervals between samples, instances together, segments with what they asked for."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from oracle_objects import sample, segment
from plimsoll.base.errors import UsageError
from plimsoll.facts import Inventory, StorageObject
from plimsoll.placement.objects.oracle import inventories
from plimsoll.placement.objects.oracle_samples import is_sample, read_sample

ORDERS, KEY = ("SHOP", "ORDERS", ""), ("SHOP", "ORDERS_PK", "")
PART, CODES = ("SHOP", "LINES", "Y2024"), ("SHOP", "CODES", "")
DICTIONARY, UNDO = ("SYS", "OBJ$", ""), ("SYS", "_SYSSMU1$", "")
TEN, ELEVEN = "2024-05-01T10:00:00", "2024-05-01T11:00:00"
STATISTICS = {
    "physical reads": 1_000_000,
    "physical read total IO requests": 109_900,
    "physical read total multi block requests": 9_000,
    "physical read total bytes": (100_900 + 9_000 * 100) * 8192,
    "physical reads direct temporary tablespace": 50_000,
    "redo writes": 40_000,
    "redo size": 3e9,
}


def first(instance: int = 1, **more: object) -> str:
    """The sample of ten o'clock: nothing has happened yet."""
    return sample({}, instance=instance, taken=TEN, statistics=dict.fromkeys(STATISTICS, 0.0), **more)  # type: ignore[arg-type]


def second(instance: int = 1, **more: object) -> str:
    """The sample an hour later."""
    segments = {
        ORDERS: segment(logical=3_000_000, blocks=900_000, requests=9_000, scans=12),
        KEY: segment(logical=500_000, blocks=40_000, requests=40_000, written=900, write_requests=300),
        PART: segment(logical=20_000, blocks=10_000, requests=10_000, written=5_000, write_requests=100, written_direct=5_000),
        CODES: segment(logical=9_000_000, blocks=100, requests=100),
        DICTIONARY: segment(logical=100, blocks=50, requests=50),
        UNDO: segment(blocks=5, requests=5, written=7_000, write_requests=2_000),
    }  # fmt: skip
    known = {
        "statistics": STATISTICS,
        "waits": {
            "db file sequential read": (50_000, 250.0),
            "direct path read": (9_000, 90.0),
            "log file sync": (20_000, 40.0),
            "direct path read temp": (700, 7.0),
        },
        "times_s": {"DB time": 1_000.0, "DB CPU": 500.0},
        "host": {"BUSY_TIME": 25, "IDLE_TIME": 75, "NUM_CPUS": 8},
        "temp_files": (1_000, 500, 8, 500, 300, 200, 3, 200),
    }
    return sample(segments, instance=instance, taken=ELEVEN, **(known | more))  # type: ignore[arg-type]


def made(*texts: str) -> list[Inventory]:
    """The inventories of these files."""
    return inventories([read_sample(text, f"{number}.txt") for number, text in enumerate(texts, start=1)])


def named(inventory: Inventory) -> dict[str, StorageObject]:
    """Its objects by name."""
    return {one.name: one for one in inventory.objects}


def test_two_samples_are_an_interval() -> None:
    (found,) = made(first(), second())
    assert is_sample(first())
    assert (found.interval_s, found.db_time_s, found.cpu_busy_share, found.cpus) == (3600, 1000, 0.25, 8)
    assert found.foreground_io_wait_s == pytest.approx(387)
    assert found.cache_bytes == 8 << 30
    assert found.clustered is False
    assert found.notes[-1].code == "dictionary-left-out"
    assert set(named(found)) == {
        "SHOP.ORDERS", "SHOP.ORDERS_PK", "SHOP.LINES.Y2024", "SHOP.CODES", "temporary tablespace TEMP",
        "tablespace UNDOTBS1", "redo log",
    }  # fmt: skip


def test_scans_and_single_blocks_are_told_apart() -> None:
    (found,) = made(first(), second())
    orders, key = named(found)["SHOP.ORDERS"], named(found)["SHOP.ORDERS_PK"]
    assert orders.large_reads == pytest.approx(9_000)
    assert orders.large_read_bytes_mean == pytest.approx(100 * 8192)
    assert orders.small_reads == pytest.approx(0, abs=1)
    assert orders.read_s == pytest.approx(90, rel=0.01)
    assert (key.small_reads, key.large_reads) == (40_000, 0)
    assert key.read_s == pytest.approx(200)
    assert key.hit_share == pytest.approx(0.92)
    assert orders.size_bytes == 80 << 30
    assert orders.tier == "USERS"


def test_direct_writes_are_waited_for_and_others_are_not() -> None:
    (found,) = made(first(), second())
    key, part = named(found)["SHOP.ORDERS_PK"], named(found)["SHOP.LINES.Y2024"]
    assert (key.small_writes, key.background_writes) == (0, 300)
    bounds = {bound.count: (bound.low, bound.high) for bound in part.bounds}
    assert bounds["small_writes"] == (pytest.approx(5_000 / 128), 100)
    assert bounds["background_writes"] == (0, pytest.approx(100 - 5_000 / 128))
    assert (part.kind, part.parent) == ("partition", "SHOP.LINES")


def test_what_the_cache_holds_gains_nothing() -> None:
    (found,) = made(first(), second())
    codes = named(found)["SHOP.CODES"]
    assert codes.lives_in_cache is True
    assert "0.012 % of the buffer cache" in codes.evidence


def test_units_that_are_no_segments() -> None:
    (found,) = made(first(), second())
    temp, undo, redo = (
        named(found)[name] for name in ("temporary tablespace TEMP", "tablespace UNDOTBS1", "redo log")
    )
    assert (temp.kind, temp.size_bytes, temp.small_reads, temp.large_reads, temp.small_writes) == (
        "temp",
        1 << 30,
        1_000,
        500,
        500,
    )
    assert temp.read_s == 7
    assert (undo.kind, undo.size_bytes, undo.background_writes) == ("undo", 2 << 30, 2_000)
    assert (redo.kind, redo.size_bytes, redo.small_writes, redo.background_writes, redo.write_s) == (
        "redo",
        3 << 30,
        20_000,
        40_000,
        40,
    )


def test_what_no_segment_stands_for_is_unseen() -> None:
    (found,) = made(first(), second())
    shares = {one.count: one.share for one in found.unseen}
    assert shares["small_reads"] == pytest.approx(1 - (950_105 + 50_000) / 1_000_000, abs=1e-3)


def test_instances_of_a_cluster_are_added_up() -> None:
    (found,) = made(
        *(
            text
            for number in (1, 2)
            for text in (first(number, parallel="YES"), second(number, parallel="YES"))
        )
    )
    assert found.clustered is True
    assert found.instance == "shop1, shop2"
    assert found.interval_s == 3600
    assert found.db_time_s == 2000
    assert found.cpus == 16
    assert named(found)["SHOP.ORDERS_PK"].small_reads == 80_000
    assert named(found)["SHOP.ORDERS_PK"].size_bytes == 4 << 30
    assert named(found)["redo log"].size_bytes == 6 << 30


def test_many_samples_are_many_intervals() -> None:
    later = second().replace(ELEVEN, "2024-05-01T12:00:00")
    found = made(later, first(), second())
    assert [one.begin_time for one in found] == [TEN, ELEVEN]
    assert named(found[1])["SHOP.ORDERS"].large_reads == 0


def test_a_single_sample_is_of_all_the_time_since_the_start() -> None:
    (found,) = made(second())
    assert found.begin_time == "2024-01-01T08:00:00"
    assert found.notes[0].code == "since-startup"
    assert "2.txt" not in found.notes[0].message


def test_a_restart_between_two_samples_is_no_interval() -> None:
    (found,) = made(first(), second(started="2024-05-01T10:30:00"))
    assert found.interval_s == 1800


def test_plans_and_the_cache_are_evidence() -> None:
    more = ["P|SHOP|ORDERS|TABLE ACCESS|FULL|3|120|890000", "C|SHOP|ORDERS_PK||524288|99"]
    (found,) = made(first(), second(more=more))
    assert "TABLE ACCESS FULL in 3 statements, 120 executions" in named(found)["SHOP.ORDERS"].evidence
    key = named(found)["SHOP.ORDERS_PK"]
    assert key.lives_in_cache is True
    assert "100 % of its blocks are in the buffer cache" in key.evidence
    assert "99 blocks in the flash cache" in key.evidence


def test_history_of_awr_is_an_interval_for_each_snapshot() -> None:
    line = "D|{snap}|{node}|2024-05-01T{hour}:00:00|2024-05-01T{hour}:59:59|SHOP|ORDERS||TABLE|USERS|1000|800|10|0|0|0|0|1|0"
    lines = [line.format(snap=snap, node=node, hour=snap) for snap in (10, 11) for node in (1, 2)]
    found = made(sample({}, more=lines))
    assert [one.source for one in found[-2:]] == ["AWR of SHOP, snapshot 10", "AWR of SHOP, snapshot 11"]
    assert named(found[-1])["SHOP.ORDERS"].evidence.startswith("1,600 blocks read in 20 requests")
    assert all(share.share is None for share in found[-1].unseen)


@pytest.mark.parametrize(
    ("text", "id", "said"),
    [
        (second().replace("E|end\n", ""), "objects-damaged", "truncated"),
        (second().replace("plimsoll-objects|1", "plimsoll-objects|9"), "objects-version", "version 9"),
        (second().replace("|8192|", "|eight|"), "objects-damaged", "line 4: cannot parse a line of type 'I'"),
        (
            second().replace("G|SHOP|ORDERS||", "G|SHOP|ORDERS|"),
            "objects-damaged",
            "cannot parse a line of type 'G'",
        ),
        ("H|plimsoll-objects|1\nE|end\n", "objects-damaged", "which database"),
    ],
)
def test_a_damaged_file_is_refused(text: str, id: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_sample(text, "node1.txt")
    assert caught.value.id == id
    assert said in caught.value.message


@pytest.mark.parametrize(
    ("texts", "id"),
    [
        ((first(), second(db="OTHER")), "objects-several"),
        ((sample({}, more=[]).replace("S|", "Z|"),), "objects-none"),
    ],
)
def test_what_makes_no_inventory(texts: Sequence[str], id: str) -> None:
    with pytest.raises(UsageError) as caught:
        made(*texts)
    assert caught.value.id == id


def test_a_bar_in_a_name_is_one() -> None:
    text = second().replace("SHOP|CODES", "SHOP|CO\\7cDES")
    (found,) = made(first(), text)
    assert "SHOP.CO|DES" in named(found)
