"""What is said of nodes and their losses."""

from __future__ import annotations

import pytest

from facts_builder import verdict
from plimsoll.facts import NodeLoad, NodeLoss
from plimsoll.predict.failover import (
    all_carry,
    failover,
    in_short,
    limiting,
    node_load,
    node_loss,
    refused_load,
    tightest_of,
)


def load(node: str, *databases: str, carries: bool | None = True, headroom: float | None = 2.0) -> NodeLoad:
    found = verdict(carries, headroom)
    return node_load(node, databases, found, None)


def loss(node: str, survives: bool | None) -> NodeLoss:
    carries = load("other", "a", "b", carries=survives)
    return node_loss(node, ["a"], survives, [carries], [carries], None)


def test_after_a_loss_a_node_has_no_more_headroom_than_before() -> None:
    """By chance a trial of more load may end higher."""
    before = load("n1", "a", headroom=1.3)
    assert node_load("n1", ("a", "b"), verdict(True, 1.32), None, before).headroom == 1.3
    assert node_load("n1", ("a", "b"), verdict(True, 1.1), None, before).headroom == 1.1
    assert node_load("n1", ("a", "b"), verdict(None, None), None, before).headroom is None


def test_a_node_without_databases_carries_them_and_limits_nothing() -> None:
    idle = node_load("spare", (), None, None)
    assert (idle.carries, idle.headroom) == (True, None)
    busy = load("n1", "a", headroom=1.5)
    assert limiting([idle, busy]) == busy
    assert limiting([idle]) is None
    assert tightest_of([idle]) is None


def test_what_was_not_measured_is_not_known() -> None:
    unknown = node_load("n2", ("b",), None, None)
    assert (unknown.carries, unknown.headroom) == (None, None)
    assert all_carry([load("n1", "a"), unknown]) is None
    assert all_carry([load("n1", "a", carries=False), unknown]) is False
    assert limiting([load("n1", "a", headroom=1.5), unknown]) is None
    refused = load("n1", "a", carries=False, headroom=0.5)
    assert limiting([refused, unknown]) == refused


def test_the_tightest_is_refused_before_unknown_before_carried() -> None:
    yes, wide = load("yes", "a", headroom=1.1), load("wide", "b", headroom=3.0)
    unknown, no = load("open", "c", carries=None, headroom=None), load("no", "d", carries=False, headroom=0.9)
    for nodes, name in (([wide, yes], "yes"), ([yes, unknown], "open"), ([unknown, no, yes], "no")):
        found = tightest_of(nodes)
        assert found is not None
        assert found.node == name


@pytest.mark.parametrize(
    ("survive", "words", "survives", "answer"),
    [
        ((True, True), "survives the loss of any one node", True, True),
        ((False, False), "survives the loss of no node", False, False),
        ((None, None), "cannot tell whether the loss of a node is survived", None, None),
        ((True, False), "survives the loss of n0, not of n1", False, False),
        ((True, None), "survives the loss of n0; whether that of n1 cannot be told", None, None),
        ((False, None), "does not survive the loss of n0; whether that of n1 cannot be told", False, False),
        (
            (True, False, None),
            "survives the loss of n0, not of n1; whether that of n2 cannot be told",
            False,
            False,
        ),
    ],
)
def test_losses_in_short(
    survive: tuple[bool | None, ...], words: str, survives: bool | None, answer: bool | None
) -> None:
    nodes = [load(f"n{n}", f"db{n}") for n in range(len(survive))]
    found = failover(nodes, [loss(f"n{n}", one) for n, one in enumerate(survive)])
    assert in_short(found) == words
    assert (found.survives, found.answer) == (survives, answer)


def test_a_node_that_is_refused_in_normal_work_is_said_first() -> None:
    found = failover(
        [load("n1", "a", carries=False, headroom=0.8), load("n2", "b")], [loss("n1", True), loss("n2", False)]
    )
    assert in_short(found) == "n1 does not carry what runs there; survives the loss of n1, not of n2"
    assert found.answer is False
    assert found.reason.startswith("In normal work n1 does not carry its databases.")


def test_a_loss_in_words() -> None:
    n2, n3 = load("n2", "c", headroom=2.0), load("n3", "d", headroom=1.8)
    full = load("n2", "a", "c", carries=False, headroom=0.83)
    placed = load("n3", "b", "d", headroom=1.2)
    kept = node_loss("n1", ["b"], True, [n2, placed], [n2, placed], [])
    assert kept.reason == "The loss of n1 is survived, with b on n3; the headroom is then 1.20."
    assert (kept.headroom, kept.unplaced) == (1.2, ())
    part = node_loss("n1", ["a", "b"], False, [full, placed], [n2, placed], ["a"])
    assert part.reason == (
        "The loss of n1 is not survived: n2 could take 83 % of the load of a and c at 2025-03-14 09:27:22. Without"
        " a the others are carried, with b on n3; the headroom is then 1.20."
    )
    assert (part.headroom, part.limited_by) == (0.83, full)
    none = node_loss("n1", ["a"], False, [full, n3], [n2, n3], ["a"])
    assert none.reason.endswith(". a finds no place.")
    refused = refused_load("n2", ("a", "b", "c"), 1.4, ("a", "c"))
    assert refused.reason == "It was not measured: a and c alone are too much."
    like = refused_load("n1", ("b", "d"), None, ("a", "c"))
    assert (
        like.reason
        == "It was not measured: a and c are too much, and these ask for more than is carried of that."
    )
    too_much = node_loss("n1", ["a", "b"], False, [refused, n3], [refused, n3], None)
    assert too_much.headroom is None
    assert too_much.reason == (
        "The loss of n1 is not survived: a, b and c are too much for n2. Which of its databases find a place is not known."
    )
    open_ = load("n2", "a", "c", carries=None, headroom=None)
    unknown = node_loss("n1", ["a"], None, [open_, n3], [open_, n3], None)
    assert unknown.reason == (
        f"Whether the loss of n1 is survived cannot be told, with a on n2. Of n2: {open_.reason}"
    )


def test_of_a_loss_that_cannot_be_told_nothing_is_known_by_what_was_refused() -> None:
    full, n3 = load("n2", "a", "c", carries=False, headroom=0.83), load("n3", "d", headroom=1.8)
    found = node_loss("n1", ["a"], None, [full, n3], [full, n3], None, "Others were not measured.")
    assert (found.headroom, found.limited_by, found.is_at_least) == (None, None, False)


def test_of_lower_bounds_none_is_said_to_be_the_least() -> None:
    """What the other node has was found; of the one whose bound is lower it may be more."""
    bound = load("n1", "a", headroom=1.5).but(is_at_least=True)
    found = failover([bound, load("n2", "b", headroom=1.8)], [])
    assert "each of 2 nodes carries its databases, with a headroom of at least 1.50." in found.reason
