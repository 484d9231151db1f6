"""Listings of plans by object in the form that the Tier Zero articles print: pages, wrapped names, several files."""

from __future__ import annotations

import pytest

from plimsoll.facts import CountBound
from plimsoll.placement.objects.oracle_listing import Access, inventory, is_listing, read_listing

PAGE = """
                          Table/Index Access TPCH
OBJECT_NAME                      OPERATION     OPTIONS                                 FTS_MEG
-------------------------------- ------------- ------------------------------ ----------------
H_LINEITEM                       TABLE ACCESS  BY INDEX ROWID                   4,216,320.00
H_LINEITEM                       TABLE ACCESS  FULL                               812,544.50
H_NATION                         TABLE ACCESS  FULL                                     2.25
LINEITEM_IDX2                    INDEX         RANGE SCAN                       2,103,400.00
LINEITEM_IDX2                    INDEX         FAST FULL SCAN                     100,000.00
"""
WRAPPED = """
OBJECT_NAME                      OPERATION     OPTIONS                                 FTS_MEG
-------------------------------- ------------- ------------------------------ ----------------
A_TABLE_WITH_A_NAME_THAT_IS_LONG TABLE ACCESS  FULL                                    10.00
ER_THAN_ITS_COLUMN
H_NATION                         TABLE ACCESS  FULL                                     0.75

3 rows selected.
"""


def test_every_page_is_read() -> None:
    assert is_listing(PAGE)
    assert not is_listing("OBJECT_NAME only")
    accesses = read_listing(PAGE + "\f" + PAGE.replace("H_NATION", "H_REGION"))
    assert len(accesses) == 10
    assert accesses[0] == Access("H_LINEITEM", "TABLE ACCESS", "BY INDEX ROWID", 4_216_320.0)
    assert {one.object for one in accesses} == {"H_LINEITEM", "H_NATION", "H_REGION", "LINEITEM_IDX2"}


def test_a_name_that_was_wrapped_is_one() -> None:
    assert [one.object for one in read_listing(WRAPPED)] == [
        "A_TABLE_WITH_A_NAME_THAT_IS_LONGER_THAN_ITS_COLUMN",
        "H_NATION",
    ]


def test_objects_stand_by_what_full_scans_would_read() -> None:
    found = inventory({"access.lst": read_listing(PAGE)}, {"H_LINEITEM": 90 << 30})
    assert [one.name for one in found.objects] == ["H_LINEITEM", "LINEITEM_IDX2", "H_NATION"]
    assert [one.kind for one in found.objects] == ["table", "index", "table"]
    table, index, nation = found.objects
    assert table.size_bytes == 90 << 30
    assert table.bounds == (
        CountBound(count="small_reads", low=0, high=None),
        CountBound(count="large_reads", low=0, high=812_544.5),
    )
    assert CountBound(count="size_bytes", low=0, high=None) in index.bounds
    assert nation.small_reads == 0
    assert "TABLE ACCESS FULL 2.25 MB" in nation.evidence
    assert found.interval_s is None
    assert {note.code for note in found.notes} == {"plans-alone", "sizes-unknown"}


def test_two_instances_are_added_up() -> None:
    found = inventory({"node1.lst": read_listing(PAGE), "node2.lst": read_listing(WRAPPED)}, {})
    nation = next(one for one in found.objects if one.name == "H_NATION")
    bound = next(bound for bound in nation.bounds if bound.count == "large_reads")
    assert bound.high == pytest.approx(3.0)
    assert found.source == "plans by object of node1.lst, node2.lst"
