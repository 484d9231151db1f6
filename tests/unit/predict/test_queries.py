"""Queries of two runs beside each other: ratios worked by hand, honest intervals, and what cannot be compared."""

from __future__ import annotations

import random
from math import exp
from typing import Any

import pytest

import facts_proofs
from plimsoll.base.errors import UsageError
from plimsoll.facts import Proof, QueryResult
from plimsoll.predict.queries import compare_queries


def proof(times: dict[int, list[float]], **changes: Any) -> Proof:
    """Each query with its time in each power run."""
    queries = [
        QueryResult(query=query, stream=0, repeat=repeat, elapsed_s=seconds, rows=query, answer="right")
        for query, each in times.items()
        for repeat, seconds in enumerate(each, 1)
    ]
    return facts_proofs.tpch().model_copy(update={"queries": tuple(queries), "holds": True, **changes})


def test_a_ratio_worked_by_hand() -> None:
    """Twice as fast and half as fast are together neither."""
    found = compare_queries(proof({1: [2.0], 2: [1.0]}), proof({1: [1.0], 2: [2.0]}))
    assert [one.speed.ratio for one in found.changes] == pytest.approx([2.0, 0.5])
    assert found.speed.ratio == pytest.approx(1.0)
    assert found.speed.ci95 is None
    assert "only repeats tell" in found.words


def test_an_interval_worked_by_hand() -> None:
    """Logs 0 and 1 against 3 and 4: variances 0.5, error 0.7071, two degrees of freedom, t = 4.303."""
    found = compare_queries(proof({1: [exp(3.0), exp(4.0)]}), proof({1: [1.0, exp(1.0)]}))
    half = 4.302653 * 0.5**0.5
    assert found.speed.ratio == pytest.approx(exp(3.0))
    assert found.speed.ci95 == pytest.approx((exp(3 - half), exp(3 + half)), rel=1e-4)
    assert found.words.startswith("1 query: no difference can be told, 20.1 times as fast in the second run")


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    chance = random.Random(4)

    def run(factor: float) -> Proof:
        return proof({query: [factor * exp(chance.gauss(0, 0.2)) for _ in range(4)] for query in range(1, 6)})

    held = 0
    for _ in range(400):
        low, high = compare_queries(run(2.0), run(1.0)).speed.ci95 or (0.0, 0.0)
        held += low <= 2.0 <= high
    assert held / 400 == pytest.approx(0.95, abs=0.035)


def test_what_one_run_did_not_answer_is_left_out_and_named() -> None:
    found = compare_queries(proof({1: [1.0], 3: [1.0]}), proof({1: [1.0], 2: [1.0]}))
    assert [one.query for one in found.changes] == [1]
    assert found.doubts == (
        "the first run has no answer to Q2, which the other has: left out",
        "the second run has no answer to Q3, which the other has: left out",
    )


def test_other_answers_are_named() -> None:
    other = proof({1: [1.0]})
    other = other.model_copy(update={"queries": (other.queries[0].model_copy(update={"rows": 7}),)})
    assert compare_queries(proof({1: [1.0]}), other).doubts == (
        "Q1 gave 1 row in the first run and 7 rows in the second",
    )


def test_other_data_are_refused() -> None:
    with pytest.raises(UsageError) as refused:
        compare_queries(proof({1: [1.0]}), proof({1: [1.0]}, settings={"scale": "10"}))
    assert refused.value.id == "proof-unlike"
    with pytest.raises(UsageError) as refused:
        compare_queries(proof({1: [1.0]}), proof({2: [1.0]}))
    assert refused.value.id == "proof-none"


def test_caches_are_not_taken_for_storage() -> None:
    def read(size: int | None) -> Proof:
        one = proof({1: [1.0]})
        counted = one.queries[0].model_copy(update={"device_read_bytes": size})
        return one.model_copy(update={"queries": (counted,)})

    assert "caches and CPUs are compared" in compare_queries(read(0), read(0)).words
    assert "caches" not in compare_queries(read(0), read(8192)).words
    assert compare_queries(read(0), read(8192)).storage_words == "read from the device: 0 B and 8 KiB"
    assert "not known" in compare_queries(read(None), read(0)).storage_words
