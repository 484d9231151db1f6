"""Sizes come from the newest snapshot that asked for them."""

from __future__ import annotations

from datetime import timedelta

from demand_snapshots import START
from plimsoll.demand.kept_sizes import KnownSize, latest_sizes
from plimsoll.facts import KeptRows


def part(minute: int, rows: str) -> KeptRows:
    return KeptRows(
        kind="sizes", taken_at=START + timedelta(minutes=minute), columns=("oid", "size_bytes"), rows=rows
    )


def test_the_newest_size_of_each_is_known_with_its_time() -> None:
    parts = [
        part(0, "5\t8192\n6\t0"),
        part(1, ""),
        part(2, "7\t9007199254740992\n8\t\\N"),
        part(3, "5\t16384"),
    ]
    assert latest_sizes(parts) == {
        "5": KnownSize(parts[3].taken_at, 16384),
        "6": KnownSize(parts[0].taken_at, 0),
        "7": KnownSize(parts[2].taken_at, 1 << 53),
    }
    assert latest_sizes([]) == {}
