"""How much was visited, by the law of draws with replacement, and what follows from it."""

from __future__ import annotations

import random
from typing import Any

import pytest

import facts_builder
from plimsoll.facts import Check
from plimsoll.supply.checks import coverage
from plimsoll.supply.workloads import workload

BLOCK = 8192


@pytest.fixture(autouse=True)
def _machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coverage, "memory_bytes", lambda: 64 << 30)


def judged(
    ios: int, blocks: int, distinct: int | None = None, rw: str = "randread", **changes: Any
) -> Check | None:
    cell = facts_builder.cell(None, workload(rw, BLOCK))
    counted = {"ios": ios, "distinct_blocks": distinct, "space_blocks": distinct and blocks}
    classes = tuple(result.model_copy(update=counted) for result in cell.classes)
    target = facts_builder.target().model_copy(update={"span_bytes": blocks * BLOCK})
    return coverage.CHECK.judge(cell.model_copy(update={"classes": classes, **changes}), target)


@pytest.mark.parametrize(("blocks", "draws"), [(1000, 100), (1000, 1000), (1000, 5000), (7, 3)])
def test_the_law_of_distinct_blocks(blocks: int, draws: int) -> None:
    chance = random.Random(1)
    seen = [len({chance.randrange(blocks) for _ in range(draws)}) for _ in range(200)]
    assert coverage.expected_distinct(blocks, draws) == pytest.approx(sum(seen) / 200, rel=0.03)


def test_one_block_is_visited_once_at_most() -> None:
    assert coverage.expected_distinct(1, 0) == 0
    assert coverage.expected_distinct(1, 9) == 1


def test_blocks_visited_once_pass() -> None:
    check = judged(ios=1000, blocks=1_000_000)
    assert check is not None
    assert check.passed is True
    assert check.figures["visits_per_block"] == pytest.approx(1.0, abs=0.01)
    assert " visited about " in check.reason, "a sketch counts them"
    assert "each block about 1.0 times" in check.reason
    assert check.figures["visited_share"] == pytest.approx(0.001, rel=0.01)


def test_a_small_span_read_again_and_again_is_open_when_direct_and_failed_through_the_page_cache() -> None:
    direct, buffered = judged(10_000, 1000), judged(10_000, 1000, direct=False)
    assert direct is not None
    assert buffered is not None
    assert direct.passed is None
    assert buffered.passed is False
    assert "page cache" in buffered.reason


def test_more_than_memory_and_caches_hold_passes_however_often() -> None:
    blocks = (100 << 30) // BLOCK
    for direct in (True, False):
        check = judged(5 * blocks, blocks, direct=direct)
        assert check is not None
        assert check.passed is True


def test_what_the_engine_counted_goes_before_what_chance_gives() -> None:
    few, enough = judged(10_000, 100_000, distinct=5_000), judged(10_000, 100_000, distinct=9_400)
    assert few is not None
    assert enough is not None
    assert few.passed is False
    assert "the same again and again" in few.reason
    assert few.figures["visits_per_block"] == pytest.approx(2)
    assert enough.passed is True


def test_a_scan_that_comes_round_is_open_as_well() -> None:
    once, thrice = judged(1000, 1000, 1000, "read"), judged(3000, 1000, 1000, "read")
    assert once is not None
    assert thrice is not None
    assert (once.passed, thrice.passed) == (True, None)


@pytest.mark.parametrize(
    "asked",
    [
        {"engine": "sim"},
        {"ios": 0},
        {"rw": "read"},
        {"rw": "log-write", "distinct": 10},
    ],
    ids=["virtual", "nothing-done", "uncounted-scan", "log"],
)
def test_nothing_is_said(asked: dict[str, Any]) -> None:
    given: dict[str, Any] = {"ios": 100, "blocks": 1000} | asked
    assert judged(**given) is None
