"""Where a cache ends, told from the rates of working sets: level, then falling as its share of the set shrinks."""

from __future__ import annotations

import pytest

import facts_builder
from plimsoll.facts import WorkingSet
from plimsoll.supply.working_sets import Cost, default_sizes, in_words, open_of, steps_of

MIB, GIB = 1 << 20, 1 << 30


def sets(*sizes_and_rates: tuple[int, float], noise: tuple[float, ...] = (1.0, 1.0, 1.0)) -> list[WorkingSet]:
    """Sets with those rates; in each repeat the machine was so many times as fast."""
    return [
        WorkingSet(
            set_bytes=size,
            iops=rate,
            iops_repeats=tuple(rate * each for each in noise),
            latency_us_p50=1e6 / rate,
            cell=facts_builder.cell(None),
        )
        for size, rate in sizes_and_rates
    ]


def by_cache(cache_bytes: int, *sizes: int, hit_us: float = 50.0, miss_us: float = 500.0) -> list[WorkingSet]:
    """What a cache of so many bytes gives: its share of each set is answered by it."""
    shares = [min(1.0, cache_bytes / size) for size in sizes]
    rates = [1e6 / (share * hit_us + (1 - share) * miss_us) for share in shares]
    return sets(*zip(sizes, rates, strict=True))


SIZES = (16 * MIB, 64 * MIB, 256 * MIB, GIB, 4 * GIB)


@pytest.mark.parametrize(
    ("cache_mib", "low", "high"),
    [(70, 64, 256), (100, 64, 256), (250, 64, 1024), (300, 256, 1024), (2000, 1024, 4096)],
)
def test_the_interval_holds_the_size_of_the_cache(cache_mib: int, low: int, high: int) -> None:
    """It is wide where a set was neither as fast as the smaller ones nor slower by more than noise."""
    (step,) = steps_of(by_cache(cache_mib * MIB, *SIZES))
    assert (step.low_bytes, step.high_bytes) == (low * MIB, high * MIB)
    assert low <= cache_mib < high
    assert step.fast_iops > step.slow_iops


@pytest.mark.parametrize("hit_us", [50, 100, 200, 300])
@pytest.mark.parametrize("cache_mib", [17, 33, 63, 65, 90, 128, 255, 257, 700, 1023, 1025, 3000])
def test_whatever_the_cache_it_is_never_said_to_end_where_it_does_not(cache_mib: int, hit_us: float) -> None:
    for step in steps_of(by_cache(cache_mib * MIB, *SIZES, hit_us=hit_us)):
        assert step.high_bytes > cache_mib * MIB
        # A size of which the cache holds all but a tenth is as fast as the smaller ones.
        assert step.low_bytes is None or step.low_bytes * 0.85 <= cache_mib * MIB


def test_where_already_the_smallest_set_is_the_fastest_nothing_is_said_of_the_lower_end() -> None:
    (step,) = steps_of(by_cache(8 * MIB, *SIZES, hit_us=5.0))
    assert (step.low_bytes, step.high_bytes) == (None, 64 * MIB)
    words = in_words(by_cache(8 * MIB, *SIZES, hit_us=5.0), (step,))
    assert words.startswith("A cache ends below 64 MiB; sets smaller than 16 MiB would tell where")


def test_a_steep_fall_shows_that_the_set_before_it_was_held() -> None:
    """Seen on a device behind 315 MiB of page cache: memory itself is slower in larger sets, so that none is level."""
    rates = (1_240_000.0, 970_000.0, 612_000.0, 7_650.0, 4_400.0)
    (step,) = steps_of(sets(*zip((16 * MIB, 64 * MIB, 128 * MIB, 512 * MIB, GIB), rates, strict=True)))
    assert (step.low_bytes, step.high_bytes) == (128 * MIB, 512 * MIB)
    assert step.fast_iops == 612_000.0


def test_two_caches_are_two_steps() -> None:
    rates = (400_000.0, 400_000.0, 90_000.0, 90_000.0, 90_000.0, 5_000.0)
    first, second = steps_of(sets(*zip((*SIZES, 16 * GIB), rates, strict=True)))
    assert (first.low_bytes, first.high_bytes) == (64 * MIB, 256 * MIB)
    assert (second.low_bytes, second.high_bytes) == (4 * GIB, 16 * GIB)


def test_no_cache_says_within_which_sizes_none_was_seen() -> None:
    level = sets(*((size, 40_000.0) for size in SIZES))
    assert steps_of(level) == ()
    words = in_words(level, ())
    assert "No cache seen between 16 MiB and 4 GiB" in words
    assert "1.00 times as fast" in words
    assert "would not show" in words


def test_a_fall_that_one_repeat_does_not_show_is_noise() -> None:
    wobbly = sets((64 * MIB, 90_000.0), (256 * MIB, 90_000.0), (GIB, 50_000.0))
    slow_repeat = wobbly[2].model_copy(update={"iops_repeats": (50_000.0, 50_000.0, 80_000.0)})
    assert steps_of(wobbly) != ()
    assert steps_of([*wobbly[:2], slow_repeat]) == ()


def test_a_fall_that_some_repeats_show_and_others_do_not_cannot_be_told() -> None:
    level = sets((64 * MIB, 90_000.0), (256 * MIB, 90_000.0), (GIB, 90_000.0))
    apart = level[2].model_copy(update={"iops_repeats": (90_000.0, 85_000.0, 50_000.0)})
    found = [*level[:2], apart]
    assert steps_of(found) == ()
    assert open_of(found, ()) == apart
    assert in_words(found, ()) == (
        "Whether a cache ends below 1 GiB cannot be told: sets of 64 MiB were 1.00 to 1.80 times as fast, from repeat to repeat."
        " More repeats, longer ones or a quieter machine would tell."
    )
    assert open_of(level, ()) is None


def test_a_machine_that_changes_from_repeat_to_repeat_hides_no_cache() -> None:
    rates = [(one.set_bytes, one.iops) for one in by_cache(100 * MIB, *SIZES)]
    (step,) = steps_of(sets(*rates, noise=(1.0, 0.4, 1.7)))
    assert (step.low_bytes, step.high_bytes) == (64 * MIB, 256 * MIB)


def test_one_repeat_tells_nothing() -> None:
    once = sets((64 * MIB, 90_000.0), (GIB, 1_000.0), noise=(1.0,))
    assert steps_of(once) == ()
    assert in_words(once, ()) == "Too little was measured to tell a cache from chance."


def test_the_default_goes_down_from_the_whole_span_by_quarters() -> None:
    assert default_sizes(GIB) == (16 * MIB, 64 * MIB, 256 * MIB, GIB)
    assert len(default_sizes(1 << 44)) == 6
    assert default_sizes(1 << 44)[-1] == 1 << 44
    assert default_sizes(32 * MIB) == (32 * MIB,)


def test_the_cost_is_told_in_time() -> None:
    words = Cost(4, 3, 5.0, 16 * GIB).words()
    assert words.startswith("4 sizes × 3 repeats × 5 s: 1 min measured; before it 16 GiB are read in all")
    assert "17 s at 1 GB/s" in words
    assert "2 min 52 s at 100 MB/s" in words
