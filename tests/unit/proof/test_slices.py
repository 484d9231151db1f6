"""Buckets and answers of sessions."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from plimsoll.proof.slices import (
    Counted,
    Slice,
    added,
    bucket_of,
    latency_counts,
    middle_us,
    slice_of,
    text_of,
)

MICROSECONDS = st.integers(0, 2**32 - 1)


@given(MICROSECONDS)
def test_a_bucket_knows_its_value_within_a_percent(us: int) -> None:
    assert abs(middle_us(bucket_of(us)) - us) <= us * 0.004


@given(st.integers(0, 255))
def test_short_latencies_are_exact(us: int) -> None:
    assert middle_us(bucket_of(us)) == us


@given(st.tuples(MICROSECONDS, MICROSECONDS).map(sorted))
def test_buckets_keep_the_order(pair: list[int]) -> None:
    assert bucket_of(pair[0]) <= bucket_of(pair[1])


def test_an_answer_is_read_as_it_is_meant() -> None:
    answer = {
        "began": 5, "ended": 9, "late": 2, "done": True, "state": {"left": 3},
        "ops": {"select": [2, 128, 0, [[100, 1], [bucket_of(1000), 1]]], "update": [0, 0, 1, None]},
    }  # fmt: skip
    found = slice_of(json.dumps(answer))
    assert (found.began_us, found.ended_us, found.late_us, found.done) == (5, 9, 2, True)
    assert json.loads(found.state) == {"left": 3}
    assert found.operations == 2
    assert found.counted["select"].blocks == 128
    assert [count for _, count in latency_counts(found.counted["select"].latencies)] == [1, 1]
    assert found.counted["update"].failed == 1


def test_a_slice_without_operations_has_no_instants() -> None:
    found = slice_of('{"began": null, "ended": null, "ops": {"select": [0, 0, 0, null]}}')
    assert found.began_us is None
    assert found.operations == 0


def test_a_commit_is_part_of_an_operation() -> None:
    found = slice_of(
        '{"began": 1, "ended": 2, "ops": {"update": [3, 9, 0, null], "commit": [3, 0, 0, null]}}'
    )
    assert found.operations == 3


def test_parts_add_up_by_operation() -> None:
    one, other = Counted(1, 10, 0, {5: 1}), Counted(2, 20, 1, {5: 1, 7: 1})
    assert added([{"a": one}, {"a": other, "b": one}]) == {"a": Counted(3, 30, 1, {5: 2, 7: 1}), "b": one}


def test_a_slice_that_is_told_to_another_host_is_read_as_it_was() -> None:
    counted = {"select": Counted(2, 128, 1, {100: 1, bucket_of(1000): 1}), "commit": Counted(2, 0, 0, {})}
    for one in (Slice(5, 9, counted, 2, True, '{"left": 3}'), Slice(None, None, {})):
        assert slice_of(text_of(one)) == one
