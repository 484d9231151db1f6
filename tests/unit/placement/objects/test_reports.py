"""Objects of reports alone: segments, tablespaces, types of file and statements, each with what is unseen beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from plimsoll.facts import CountBound, Inventory, StorageObject
from plimsoll.placement.objects.reports import NoInventory, Waited, inventory
from plimsoll.reports.reader import read_all
from plimsoll.reports.sources import Source
from tiny_reports import Table, activity, awr, filetypes, waits

WAITED = Waited(db_time_s=1_000.0, io_s=400.0, busy_share=0.3, cpus=8.0)
SPACE_HEADS = (
    "Tablespace", "Reads", "Av Rds/s", "Av Rd(ms)", "Av Blks/Rd", "1-bk Rds/s", "Av 1-bk Rd(ms)", "Writes", "Writes avg/s",
)  # fmt: skip
USERS = ("USERS", "110,000", "110", "3.00", "10.0", "100", "2.00", "20,004", "20")
UNDO = ("UNDOTBS1", "10", "0", "1.00", "1.0", "0", "1.00", "5,001", "5")
TEMP = ("TEMP", "5,001", "5", "4.00", "20.0", "0", "0.00", "6,001", "6")
COUNTS = {
    "physical reads": 1_300_000,
    "physical read total IO requests": 130_000,
    "physical write IO requests": 31_006,
    "redo writes": 9_000,
    "redo size": 80_000_000,
}


def spaces(*rows: Sequence[str]) -> Table:
    """Tablespace IO Stats."""
    return "Tablespace IO Stats", SPACE_HEADS, rows


def segments(by: str, heading: str, values: Mapping[str, int], total: int) -> Table:
    """One list of segments: name, and with a dot its part."""
    heads = ("Owner", "Tablespace Name", "Object Name", "Subobject Name", "Obj. Type", heading, "%Total")
    rows = [
        ("SHOP", "USERS", *_names(name), f"{value:,}", f"{100 * value / total:.2f}")
        for name, value in values.items()
    ]
    return f"Segments by {by}", heads, rows


def _names(name: str) -> tuple[str, str, str]:
    table, _, part = name.partition(".")
    kind = "TABLE PARTITION" if part else "INDEX" if table.endswith("_PK") else "TABLE"
    return table, part, kind


def statements(rows: Sequence[tuple[str, int, str]]) -> Table:
    """SQL ordered by Reads."""
    heads = ("Physical Reads", "Executions", "Reads per Exec", "%Total", "SQL Id", "SQL Text")
    return (
        "SQL ordered by Reads",
        heads,
        [(f"{reads:,}", "1", f"{reads:,}", "1.0", name, text) for name, reads, text in rows],
    )


def read(
    *tables: Table,
    release: str = "19.0.0.0.0",
    sizes: Mapping[str, int] | None = None,
    waited: Waited = WAITED,
) -> Inventory | NoInventory:
    """What is made of an AWR report of these tables."""
    data = awr(*tables).replace(b"19.0.0.0.0", release.encode())
    reading = read_all(Source("awr.html", content=data))[0]
    return inventory(reading.report, reading.content, waited, sizes)


def made(*tables: Table, **known: object) -> dict[str, StorageObject]:
    """Its objects by name."""
    return {one.name: one for one in whole(*tables, **known).objects}


def whole(*tables: Table, **known: object) -> Inventory:
    """The inventory, which there is."""
    found = read(*tables, **known)  # type: ignore[arg-type]
    assert isinstance(found, Inventory), found
    return found


READS = segments("Physical Reads", "Physical Reads", {"ORDERS": 900_000, "LINES.Y2024": 150_000}, 1_300_000)
REQUESTS = segments(
    "Physical Read Requests", "Phys Read Requests", {"ORDERS": 9_000, "LINES.Y2024": 90_000}, 130_000
)
LOGICAL = segments("Logical Reads", "Logical Reads", {"LINES.Y2024": 1_500_000}, 9_000_000)
WRITES = segments(
    "Physical Write Requests", "Phys Write Requests", {"LINES.Y2024": 3_000, "ORDERS_PK": 1_000}, 31_006
)
COMMITS = waits(
    [("log file sync", "8,000", "16", "2.00"), ("db file sequential read", "90,000", "180", "2.00")]
)


def test_tablespaces_alone_are_the_objects() -> None:
    found = whole(spaces(USERS, UNDO, TEMP), activity(COUNTS), COMMITS)
    objects = {one.name: one for one in found.objects}
    assert set(objects) == {"tablespace USERS", "tablespace UNDOTBS1", "tablespace TEMP", "redo log"}
    users = objects["tablespace USERS"]
    assert users.small_reads == pytest.approx(100_000, rel=0.01)
    assert users.large_reads == pytest.approx(10_000, rel=0.05)
    assert users.large_read_bytes_mean == pytest.approx(100 * 8192, rel=0.05)
    assert users.read_s == pytest.approx(330)
    assert (users.small_writes, users.background_writes) == (0, 20_004)
    assert [objects[f"tablespace {name}"].kind for name in ("UNDOTBS1", "TEMP")] == ["undo", "temp"]
    assert objects["tablespace TEMP"].small_writes == 6_001
    redo = objects["redo log"]
    assert (redo.small_writes, redo.background_writes, redo.write_s) == (8_000, 9_000, 16)
    assert (found.db_time_s, found.foreground_io_wait_s, found.cpu_busy_share, found.cpus) == (
        1_000,
        400,
        0.3,
        8,
    )
    assert found.cache_bytes == 4 << 30


def test_a_rate_that_is_rounded_to_nothing_is_not_none() -> None:
    few = ("ARCHIVE", "137", "0", "3.00", "1.0", "0", "0.00", "5", "0")
    one = made(spaces(few), activity(COUNTS))["tablespace ARCHIVE"]
    assert (one.small_reads, one.large_reads) == (137, 0)


def test_a_tablespace_that_ends_in_temp_holds_tables() -> None:
    loaded = ("ODI_TEMP", *USERS[1:])
    files = [("Temp File", "78M", "10.00", ".078M", "0M", "7.00", "0M", "1.00ms", "")]
    objects = made(spaces(loaded), filetypes(files), activity(COUNTS))
    assert objects["tablespace ODI_TEMP"].kind == "other"
    assert objects["temporary files"].kind == "temp"


def test_direct_writes_of_a_segment_that_is_not_listed_are_taken_for_none() -> None:
    counts = {**COUNTS, "physical writes direct": 500}
    lines = made(spaces(USERS), READS, REQUESTS, WRITES, activity(counts))["SHOP.LINES.Y2024"]
    assert (lines.small_writes, lines.background_writes) == (0, 3_000)
    bounds = {bound.count: (bound.low, bound.high) for bound in lines.bounds}
    assert bounds["small_writes"] == (0, 500)
    assert bounds["background_writes"] == (2_500, 3_000)


def test_rates_without_a_fraction_leave_bounds() -> None:
    users = made(spaces(USERS), activity(COUNTS))["tablespace USERS"]
    bound = next(one for one in users.bounds if one.count == "small_reads")
    assert bound.low == pytest.approx(99.5 * 1000.2)
    assert bound.high == pytest.approx(100.5 * 1000.2)


@pytest.mark.parametrize("with_files", [False, True])
def test_the_swapped_columns_of_11_2_0_4_change_no_object(with_files: bool) -> None:
    def swapped(row: Sequence[str]) -> tuple[str, ...]:
        single, single_ms, writes = row[5:8]
        return (*row[:5], writes, single, single_ms, row[8])

    rows = (USERS, UNDO, TEMP)
    files: tuple[Table, ...] = ()
    if with_files:
        heads = ("Tablespace", "Filename", *SPACE_HEADS[1:])
        files = (("File IO Stats", heads, [(row[0], f"/u1/{row[0]}.dbf", *row[1:]) for row in rows]),)
    right = whole(spaces(*rows), *files, activity(COUNTS), release="12.1.0.2.0")
    wrong = whole(spaces(*(swapped(row) for row in rows)), *files, activity(COUNTS), release="11.2.0.4.0")
    assert wrong.objects == right.objects
    assert wrong.unseen == right.unseen


def test_where_no_row_proves_the_swap_files_stand_in() -> None:
    idle = ("USERS", "110,000", "110", "3.00", "10.0", "4", "100", "2.00", "0")
    heads = ("Tablespace", "Filename", *SPACE_HEADS[1:])
    files = ("File IO Stats", heads, [("USERS", "/u1/a.dbf", *USERS[1:])])
    users = made(spaces(idle), files, activity(COUNTS), release="11.2.0.4.0")["tablespace USERS"]
    assert users.background_writes == 20_004
    assert users.evidence.startswith("File IO")


def test_segments_stand_for_a_tablespace_that_they_mostly_are() -> None:
    found = whole(spaces(USERS, TEMP), READS, REQUESTS, LOGICAL, WRITES, activity(COUNTS))
    objects = {one.name: one for one in found.objects}
    assert set(objects) == {
        "SHOP.ORDERS",
        "SHOP.LINES.Y2024",
        "SHOP.ORDERS_PK",
        "tablespace TEMP",
        "redo log",
    }
    orders, lines, key = (objects[f"SHOP.{name}"] for name in ("ORDERS", "LINES.Y2024", "ORDERS_PK"))
    assert orders.large_reads == pytest.approx(9_000, rel=0.02)
    assert (lines.kind, lines.parent, key.kind) == ("partition", "SHOP.LINES", "index")
    assert lines.hit_share == pytest.approx(0.9)
    assert key.background_writes == 1_000
    share = {one.count: one.share for one in found.unseen}["small_reads"]
    assert share == pytest.approx(1 - (1_050_000 + 9_000 + 100_020) / 1_300_000, abs=0.01)


def test_a_segment_that_a_list_does_not_show_had_no_more_than_its_last() -> None:
    key = made(spaces(USERS), READS, REQUESTS, WRITES, activity(COUNTS))["SHOP.ORDERS_PK"]
    assert key.small_reads is None
    assert CountBound(count="small_reads", low=0, high=9_000) in key.bounds
    assert CountBound(count="large_reads", low=0, high=9_000) in key.bounds


def test_a_tablespace_of_which_lists_show_little_stays_one_object() -> None:
    little = segments("Physical Reads", "Physical Reads", {"ORDERS": 90_000}, 1_300_000)
    objects = made(spaces(USERS), little, activity(COUNTS))
    assert "SHOP.ORDERS" not in objects
    assert "the lists show segments of 8 % of its blocks: SHOP.ORDERS" in objects["tablespace USERS"].evidence


def test_sizes_are_asked_for_and_taken() -> None:
    found = whole(spaces(USERS), READS, REQUESTS, activity(COUNTS), sizes={"SHOP.ORDERS": 1 << 40, "OLD": 5})
    objects = {one.name: one for one in found.objects}
    assert objects["SHOP.ORDERS"].size_bytes == 1 << 40
    assert objects["SHOP.LINES.Y2024"].size_bytes is None
    assert CountBound(count="size_bytes", low=0, high=None) in objects["SHOP.LINES.Y2024"].bounds
    notes = {note.code: note.message for note in found.notes}
    assert "--sizes" in notes["sizes-unknown"]
    assert "'OLD'" in notes["sizes-unused"]


def test_a_small_object_lives_in_the_cache_where_its_reads_do_not_say_otherwise() -> None:
    few = segments("Physical Reads", "Physical Reads", {"ORDERS": 1_040_000, "CODES": 100}, 1_300_000)
    asked = segments(
        "Physical Read Requests", "Phys Read Requests", {"ORDERS": 1_040_000, "CODES": 100}, 1_300_000
    )
    objects = made(
        spaces(USERS), few, asked, activity(COUNTS), sizes={"SHOP.CODES": 8 << 20, "SHOP.ORDERS": 8 << 20}
    )
    assert objects["SHOP.CODES"].lives_in_cache is True
    assert objects["SHOP.ORDERS"].lives_in_cache is False
    assert "a pool that keeps it would spare these reads" in objects["SHOP.ORDERS"].evidence


def test_types_of_file_are_the_last_resort() -> None:
    data = ("Data File", "781.3M", "100.00", ".78M", "0M", "10.00", "0M", "2.00ms", "9.00ms")
    temp = ("Temp File", "78M", "10.00", ".078M", "0M", "7.00", "0M", "1.00ms", "")
    found = whole(filetypes([data, temp]), activity({"redo writes": 5}))
    objects = {one.name: one for one in found.objects}
    assert set(objects) == {"data files", "temporary files", "redo log"}
    assert objects["data files"].background_writes == pytest.approx(10_002)
    assert objects["temporary files"].small_writes == pytest.approx(7_001, rel=1e-3)
    assert "files-alone" in {note.code for note in found.notes}


def test_a_report_without_any_of_these_says_so() -> None:
    found = read(activity(COUNTS))
    assert found == NoInventory("the report prints no I/O of segments, tablespaces, files or types of file")


def test_tables_of_statements_are_candidates_with_bounds() -> None:
    top = statements(
        [
            ("a1", 200_000, "select * from orders, archive where x = 1"),
            ("b2", 90_000, "select * from archive"),
            ("c3", 10, "begin pay(1); end;"),
        ]
    )
    found = whole(spaces(USERS), READS, REQUESTS, top, activity(COUNTS))
    archive = next(one for one in found.objects if one.name == "ARCHIVE")
    assert "ORDERS" not in {one.name for one in found.objects}
    assert (archive.small_reads, archive.large_reads, archive.size_bytes) == (None, None, None)
    high = next(bound.high for bound in archive.bounds if bound.count == "small_reads")
    assert high == pytest.approx(1_300_000 - 1_050_000)
    assert "(a1, b2)" in archive.evidence
    assert "1 of the 3 statements" in next(
        note.message for note in found.notes if note.code == "statements-unread"
    )


def test_times_that_nobody_can_have_waited_are_not_taken() -> None:
    slow = (*USERS[:3], "3,000.00", *USERS[4:])
    assert made(spaces(slow), activity(COUNTS))["tablespace USERS"].read_s is None


def test_times_that_are_rounded_to_nothing_are_those_of_waits() -> None:
    fast = (*USERS[:3], "0.00", "10.0", "100", "0.00", *USERS[7:])
    assert made(spaces(fast), activity(COUNTS))["tablespace USERS"].read_s is None
    reads = waits(
        [("db file sequential read", "90,000", "9", "0.10"), ("direct path read", "1,000", "1", "1.00")]
    )
    one = made(spaces(fast), activity(COUNTS), reads)["tablespace USERS"]
    assert one.read_s == pytest.approx(100_020 * 100e-6 + 9_980 * 1e-3, rel=0.01)


def test_the_dictionary_moves_with_its_tablespace_alone() -> None:
    system = ("SYSTEM", *USERS[1:])
    heads, rows = READS[1], [("SYS", "SYSTEM", "OBJ$", "", "TABLE", "1,000,000", "80.0")]
    objects = made(spaces(system), ("Segments by Physical Reads", heads, rows), activity(COUNTS))
    assert set(objects) == {"tablespace SYSTEM", "redo log"}
