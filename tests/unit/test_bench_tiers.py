"""The benchmark of tiers: `plimsoll place` reads its inventory, and its rules of thumb fill the bytes that they are given."""

from __future__ import annotations

from pathlib import Path

import lab_tiers
import pytest
from kit.tier_lab import Relation, write_objects

from plimsoll.facts import Inventory, StorageObject
from plimsoll.placement.object_file import read_objects

TABLE = StorageObject(
    name="s.t",
    kind="table",
    size_bytes=3 << 20,
    tier="fast",
    small_reads=5.5,
    large_reads=100.0,
    large_read_bytes_mean=131_072.0,
    small_writes=None,
    cached_share=0.0,
    read_s=0.75,
)
INDEX = StorageObject(
    name="s.i",
    kind="index",
    parent="s.t",
    size_bytes=1 << 20,
    tier="pg_default",
    small_reads=900.0,
    large_reads=0.0,
    small_writes=0.0,
)
LOG = StorageObject(
    name="WAL",
    kind="wal",
    size_bytes=None,
    tier=None,
    small_reads=0.0,
    large_reads=0.0,
    small_writes=7.0,
    write_s=0.1,
)
OBJECTS = (TABLE, INDEX, LOG)
FIGURES = (
    "name",
    "kind",
    "parent",
    "size_bytes",
    "small_reads",
    "large_reads",
    "small_writes",
    "read_s",
    "write_s",
)
INVENTORY = Inventory(objects=OBJECTS, interval_s=60.0, source="test")
RELATIONS = [
    Relation("s.t", False, 3 << 20, "slow"),
    Relation("s.i", True, 1 << 20, "slow"),
    Relation("s.unread", True, 2 << 20, "slow"),
]


def test_the_inventory_is_read_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "objects.csv"
    write_objects(path, INVENTORY)
    table, index, log = read_objects(path, ["slow", "fast"], None).objects
    assert (table.tier, index.tier, log.tier) == ("fast", "slow", "slow")
    for read, written in zip((table, index, log), OBJECTS, strict=True):
        for name in FIGURES:
            assert getattr(read, name) == getattr(written, name), name
    assert (table.large_read_bytes_mean, table.cached_share) == (131_072, 0)


@pytest.mark.parametrize(
    ("rule", "mib", "chosen"),
    [
        (lab_tiers.indexes, 4, ["s.i", "s.unread"]),
        (lab_tiers.indexes, 2, ["s.i"]),
        (lab_tiers.hottest, 4, ["s.t", "s.i"]),
        (lab_tiers.hottest, 2, ["s.i"]),
    ],
)
def test_rules_of_thumb_fill_their_bytes(rule: object, mib: int, chosen: list[str]) -> None:
    assert callable(rule)
    assert rule(RELATIONS, INVENTORY, mib << 20) == chosen
