"""Bins become distributions that the core reads, with the same counts at the same places."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll import _core
from plimsoll.dialects.fio.bins import hdr


def test_counts_and_places_are_kept() -> None:
    made = hdr({1: 5, 2047: 1, 2048: 1, 20_096: 90, 950_272: 3})
    assert _core.hdr_summary(made)["count"] == 100
    assert _core.hdr_quantiles(made, [0.05, 0.5, 0.97, 1.0]) == pytest.approx(
        [0.001, 20.1, 20.1, 950.272], rel=0.001
    )


def test_bins_merge_with_each_other() -> None:
    merged = _core.hdr_merge([hdr({1000: 1}), hdr({1000: 2, 3_000_000: 1})])
    assert _core.hdr_summary(merged)["count"] == 4


def test_no_bins_are_an_empty_distribution() -> None:
    assert _core.hdr_summary(hdr({}))["count"] == 0
    assert _core.hdr_summary(hdr({5: 0}))["count"] == 0


@given(st.dictionaries(st.integers(0, 4 * 10**12), st.integers(0, 2**40), min_size=1, max_size=30))
def test_any_bins_keep_their_number_and_their_ends(counts: dict[int, int]) -> None:
    made = hdr(counts)
    found = _core.hdr_summary(made)
    assert found["count"] == sum(counts.values())
    seen = [min(max(ns, 1), 3_600 * 10**9) for ns, count in counts.items() if count]
    if seen:
        assert found["max_us"] is not None
        assert found["max_us"] * 1000 == pytest.approx(max(seen), rel=0.001, abs=1)
        assert _core.hdr_quantiles(made, [0.0])[0] * 1000 == pytest.approx(min(seen), rel=0.001, abs=1)
