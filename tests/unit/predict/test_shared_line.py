"""What a verdict says of a storage that others used while it was measured."""

from __future__ import annotations

from facts_builder import line
from plimsoll.facts import Line, Shared
from plimsoll.predict.shared_line import beside_others

YES, NO = "This storage carries the database.", "This storage does not carry the database."


def beside(iops: float | None, mb_per_s: float | None = 0.1) -> Line:
    return line().model_copy(
        update={
            "line_iops": 1000.0,
            "shared": Shared(devices=("vda",), others_iops=iops, others_mb_per_s=mb_per_s),
        }
    )


def test_a_line_of_nobody_else_changes_nothing() -> None:
    alone = line()
    assert beside_others([alone], alone, (False, 0.5, NO)) == (False, 0.5, NO)


def test_a_yes_says_that_it_was_shared() -> None:
    shared = beside(50.0)
    carries, headroom, reason = beside_others([shared], shared, (True, 2.0, YES))
    assert (carries, headroom) == (True, 2.0)
    assert "room beside others" in reason
    assert "vda" in reason


def test_a_no_that_others_may_explain_is_none() -> None:
    shared = beside(200.0)
    carries, headroom, reason = beside_others([shared], shared, (False, 0.5, NO))
    assert (carries, headroom) == (None, 0.5)
    assert "cannot be told" in reason


def test_a_no_that_they_cannot_explain_stays() -> None:
    shared = beside(5.0)
    carries, _, reason = beside_others([shared], shared, (False, 0.5, NO))
    assert carries is False
    assert "too little to explain" in reason


def test_unknown_others_may_explain_any_no() -> None:
    shared = beside(None, None)
    assert beside_others([shared], shared, (False, 0.1, NO))[0] is None


def test_others_bytes_count_too() -> None:
    shared = beside(1.0, mb_per_s=50.0)
    assert beside_others([shared], shared, (False, 0.5, NO))[0] is None
