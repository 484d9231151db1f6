"""Each stream asks each query once, in the order that the specification or a seed gives it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.proof.tpch import orders


def test_the_power_run_has_its_order() -> None:
    """Stream 0 of appendix A."""
    assert orders.order_of(0, 1) == (
        14, 2, 9, 20, 6, 17, 18, 8, 21, 13, 3, 22, 16, 4, 11, 15, 1, 10, 19, 5, 7, 12
    )  # fmt: skip


@pytest.mark.parametrize("stream", range(60))
def test_each_query_comes_once(stream: int) -> None:
    assert sorted(orders.order_of(stream, 7)) == list(range(1, 23))


def test_the_specification_has_41_different_orders() -> None:
    assert len(orders.ORDERED_SETS) == 41
    assert len(set(orders.ORDERED_SETS)) == 41


@given(st.integers(41, 1000), st.integers())
def test_further_orders_depend_on_stream_and_seed_alone(stream: int, seed: int) -> None:
    order = orders.order_of(stream, seed)
    assert order == orders.order_of(stream, seed)
    assert order != orders.order_of(stream + 1, seed)
    assert order != orders.order_of(stream, seed + 1)


def test_orders_of_our_own_are_named_so() -> None:
    assert orders.source_of(40, 7) == "specification, appendix A"
    assert "seed 7" in orders.source_of(41, 7)
