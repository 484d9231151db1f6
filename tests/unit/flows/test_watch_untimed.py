"""`plimsoll watch` with made readings of I/Os whose end the kernel did not tell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from plimsoll.context import Context
from plimsoll.native.latency import latency_of_counts
from plimsoll.observe.block_io import BlockIo
from plimsoll.ports.clock import VirtualClock
from seen_io import block_io, reading
from simulated import context
from watched_io import codes, seen


@pytest.fixture
def ctx(tmp_path: Path) -> Iterator[Context]:
    with context(tmp_path / "journals") as made:
        yield replace(made, clock=VirtualClock())


def partly_timed(ios: int, untimed: int, **given: Any) -> BlockIo:
    """A row of which so many are in no latency."""
    return block_io(
        ios=ios, service_us=latency_of_counts([(100.0, ios - untimed)] * (ios > untimed)), **given
    )


@pytest.mark.parametrize(("untimed", "told"), [(1, set()), (2, {"ios-untimed"})])
def test_ios_in_no_latency_are_told_where_they_are_more_than_one_in_a_thousand(
    ctx: Context, untimed: int, told: set[str]
) -> None:
    row = partly_timed(1_000, untimed)
    found = seen(ctx, reading(untimed=5), reading(row, untimed=5 + untimed), ios=1_000)
    assert found.untimed == untimed
    assert codes(found) == told
    assert all(f"of {untimed} I/Os" in note.message for note in found.notes)


def test_ios_in_no_latency_of_one_row_do_not_hide_behind_many_of_another(ctx: Context) -> None:
    rows = (block_io(ios=99_000), partly_timed(100, 10, role="walwriter", operation="write"))
    found = seen(ctx, reading(), reading(*rows, untimed=10), ios=99_100)
    (note,) = [one for one in found.notes if one.code == "ios-untimed"]
    assert "of 10 I/Os, 10 % of those of 1 row, the" in note.message
    assert "(most: write of walwriter at sda)" in note.message


def test_a_discard_alone_whose_end_is_not_told_loses_no_run(ctx: Context) -> None:
    """As of fstrim: nothing that is held against the counts of reads and writes was seen."""
    discard = partly_timed(1, 1, operation="discard")
    found = seen(ctx, reading(), reading(discard, untimed=1), ios=0)
    assert ([row.ios for row in found.rows], found.untimed) == ([1], 1)
    assert "ios-untimed" in codes(found)
