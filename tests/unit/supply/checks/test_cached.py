"""A cache is found by each of its traces, by scripted devices; one without is let off, and no verdict is made of scraps."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import facts_builder
from plimsoll.facts import Check, Target, Workload
from plimsoll.supply.checks.cached import CHECK
from simulated_cells import Asked, Scripted, reads, write_class

DISK_US, CACHE_US = 400.0, 4.0


def judged(probe: Scripted) -> Check:
    check = CHECK.judge(probe)
    assert check is not None
    return check


def buffered() -> Scripted:
    cell = facts_builder.cell(None, reads()).model_copy(update={"direct": False})
    return Scripted(disk, cell)


def disk(asked: Asked) -> float:
    """No cache: every call alike, but for a machine that is up to 20 % slower at times."""
    return DISK_US * (1.0, 1.2, 0.9)[asked.number % 3]


def read_cache() -> Callable[[Asked], float]:
    """Holds every block since it was first read."""
    seen: set[tuple[int, int]] = set()

    def answer(asked: Asked) -> float:
        key = (asked.seed, asked.span_bytes)
        hit = key in seen
        seen.add(key)
        return CACHE_US if hit else DISK_US

    return answer


def small_cache(asked: Asked) -> float:
    """Holds a sixteenth of the span, and that well."""
    whole = facts_builder.target().span_bytes
    return CACHE_US if asked.span_bytes <= whole // 16 else DISK_US


def page_cache(asked: Asked) -> float:
    """Holds all, for whoever does not go past it."""
    return DISK_US if asked.direct else CACHE_US


def test_a_disk_without_a_cache_is_let_off_with_the_limit_of_the_method() -> None:
    check = judged(Scripted(disk))
    assert check.passed is True
    assert check.reason.startswith("no cache")
    assert "holds all 1 GiB would not show" in check.reason
    assert set(check.figures) == {"reread_speedup", "part_64_speedup", "part_8_speedup"}


def test_a_cache_that_fills_as_it_is_read_shows_on_the_second_pass() -> None:
    check = judged(Scripted(read_cache()))
    assert check.passed is False
    assert "reading the same blocks again was 100.0 times as fast" in check.reason


def test_a_cache_that_holds_a_part_shows_on_the_ladder() -> None:
    check = judged(Scripted(small_cache))
    assert check.passed is False
    assert check.figures["part_64_speedup"] == pytest.approx(100)
    assert check.figures["part_8_speedup"] == pytest.approx(1)


def test_a_page_cache_that_holds_all_shows_against_direct_reads() -> None:
    probe = buffered()
    probe.latency_us = page_cache
    check = judged(probe)
    assert check.passed is False
    assert check.figures["page_cache_speedup"] == pytest.approx(100)
    assert check.figures["reread_speedup"] == pytest.approx(1)


def test_a_cold_page_cache_is_no_cache() -> None:
    probe = buffered()
    assert judged(probe).passed is True
    assert any(asked.direct for asked in probe.asked)


def test_a_cell_that_went_past_the_page_cache_never_goes_through_it() -> None:
    probe = Scripted(disk)
    judged(probe)
    assert all(asked.direct for asked in probe.asked)


def test_without_direct_io_the_other_tests_decide() -> None:
    probe = buffered()
    probe.target = facts_builder.target().model_copy(update={"direct_alignment_bytes": None})
    assert judged(probe).passed is True
    assert not any(asked.direct for asked in probe.asked)


def test_the_second_pass_reads_the_same_blocks_as_the_first() -> None:
    probe = Scripted(disk)
    judged(probe)
    first, again = probe.asked[0], probe.asked[1]
    assert (again.seed, again.span_bytes, again.depth) == (first.seed, first.span_bytes, 1)
    assert again.ios_max == 1000
    assert first.ios_max is None
    assert probe.asked[2].seed != first.seed


def test_one_slow_moment_is_no_cache() -> None:
    """The machine stalls during two of the three first passes; the third says otherwise."""
    stalled = Scripted(lambda asked: 5 * DISK_US if asked.number in (0, 2) else DISK_US)
    assert judged(stalled).passed is True


def test_a_block_size_of_the_cell_and_reads_alone_are_used() -> None:
    mix = Workload(name="mix", classes=(*reads(65536).classes, write_class(block_bytes=65536)))
    probe = Scripted(disk, facts_builder.cell(None, mix))
    judged(probe)
    assert {io.block_bytes for asked in probe.asked for io in asked.workload.classes} == {65536}
    assert {io.op for asked in probe.asked for io in asked.workload.classes} == {"read"}


def test_rungs_of_few_blocks_are_left_out() -> None:
    small: Target = facts_builder.target().model_copy(update={"span_bytes": 64 << 20})
    big_blocks = Scripted(disk, facts_builder.cell(None, reads(1 << 20)), small)
    assert set(judged(big_blocks).figures) == {"reread_speedup"}


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"errors": 3}, "3 reads failed"),
        ({"ended_early": "stopped"}, "cut short (stopped)"),
        ({"ios": 19}, "19 reads"),
    ],
)
def test_of_scraps_no_verdict_is_made(changes: dict[str, object], word: str) -> None:
    check = judged(Scripted(disk, changes=changes))
    assert check.passed is None
    assert word in check.reason


def test_a_workload_that_only_writes_is_sent_to_the_steady_state() -> None:
    probe = Scripted(disk, facts_builder.cell(None, Workload(name="w", classes=(write_class(),))))
    check = judged(probe)
    assert check.passed is None
    assert "--check steady" in check.reason
    assert probe.asked == []


def test_the_engine_that_does_nothing_has_no_cache() -> None:
    idle = facts_builder.cell(None, reads()).model_copy(update={"engine": "null"})
    assert CHECK.judge(Scripted(disk, idle)) is None
