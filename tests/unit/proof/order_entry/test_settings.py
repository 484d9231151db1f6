"""What an order-entry run may be asked to do."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.base.errors import UsageError
from plimsoll.proof.order_entry import Options, Scale
from plimsoll.proof.order_entry.settings import MIX, terminal


def test_the_mix_is_the_specifications() -> None:
    assert MIX == {
        "new_order": 0.45,
        "payment": 0.43,
        "order_status": 0.04,
        "delivery": 0.04,
        "stock_level": 0.04,
    }
    assert Options().mix_ends() == pytest.approx([0.45, 0.88, 0.92, 0.96])


def test_a_mix_of_some_kinds_leaves_no_share_to_the_others() -> None:
    assert Options(mix={"payment": 0.25, "delivery": 0.75}).mix_ends() == [0.0, 0.25, 0.25, 1.0]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"mix": {"new_order": 0.5, "payment": 0.4}}, "add up to 1: new_order 0.5, payment 0.4"),
        ({"mix": {"new_order": 1.5, "payment": -0.5}}, "add up to 1"),
        ({"mix": {}}, "add up to 1"),
        ({"mix": {"refund": 1.0}}, "'refund'"),
        ({"sessions": 0}, "sessions 0"),
        ({"run_s": 0.5}, "run time 0.5"),
        ({"warm_up_s": -1}, "warm-up -1"),
        ({"think_factor": -0.1}, "think factor -0.1"),
        ({"think_factor": 1.0, "client_commits": True}, "no think times"),
    ],
)
def test_options_that_cannot_be(changes: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError) as caught:
        Options(**changes)
    assert caught.value.id == "proof-options"
    assert says in caught.value.message
    assert (caught.value.hint or "").endswith(".")


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"warehouses": 0}, "warehouses 0"),
        ({"items": 99}, "items 99"),
        ({"customers_per_district": 9}, "customers per district 9"),
        ({"seed": -1}, "seed -1"),
    ],
)
def test_scales_that_cannot_be(changes: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError) as caught:
        Scale(**changes)
    assert says in caught.value.message


def test_only_the_specifications_cardinalities_are_specified() -> None:
    assert Scale(warehouses=7).is_specified
    assert not Scale(items=99_999).is_specified
    assert not Scale(customers_per_district=300).is_specified


@given(st.integers(0, 2**31 - 1))
def test_constants_of_last_names_are_as_far_apart_as_they_must_be(seed: int) -> None:
    """Clause 2.1.6.1 of the specification."""
    scale = Scale(seed=seed)
    apart = abs(scale.c_last_run - scale.c_last_load)
    assert 65 <= apart <= 119
    assert apart not in (96, 112)
    assert 0 <= scale.c_last_load <= 255
    assert 0 <= scale.c_last_run <= 255


@given(
    st.builds(
        Scale,
        st.integers(1, 1000),
        st.integers(100, 100_000),
        st.integers(10, 3000),
        st.integers(0, 2**31 - 1),
    )
)
def test_a_scale_comes_back_from_its_numbers(scale: Scale) -> None:
    assert Scale.of(json.loads(json.dumps(scale.numbers()))) == scale


def test_sessions_go_round_the_warehouses_and_then_round_the_districts() -> None:
    scale, options = Scale(warehouses=3), Options(sessions=32)
    places = [json.loads(terminal(scale, options, number)) for number in range(31)]
    assert [place["warehouse"] for place in places[:4]] == [1, 2, 3, 1]
    assert [place["district"] for place in places[:4]] == [1, 1, 1, 2]
    assert len({(place["warehouse"], place["district"]) for place in places[:30]}) == 30
    assert (places[30]["warehouse"], places[30]["district"]) == (1, 1)
