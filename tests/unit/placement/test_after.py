"""A plan held against what was measured since it was carried out."""

from __future__ import annotations

from typing import Any

import pytest

import facts_runs
from facts_placement import inventory, item, tier
from plimsoll import results
from plimsoll.base.errors import ExitStatus
from plimsoll.facts import AfterMoves, Placement, StorageObject
from plimsoll.placement.after import held_against, is_as_predicted
from plimsoll.placement.pins import Terms
from plimsoll.placement.plan import place

TIERS = (tier("disk", 5000.0), tier("flash", 200.0))
PLANNED = (item("hot", 1e5, read_s=500.0), item("cold", 100.0, read_s=0.5))


def placed(*objects: StorageObject, must: tuple[str, ...] = (), **more: Any) -> Placement:
    return place([inventory(*objects, **more)], TIERS, Terms(must=must))


def held(*objects: StorageObject, then: Placement | None = None, **more: Any) -> AfterMoves:
    earlier = then or placed(*PLANNED, must=("cold=disk",))
    return held_against("the plan latest", earlier, placed(*objects, **more), [inventory(*objects, **more)])


def test_a_plan_that_was_right_at_another_load() -> None:
    """Twice the reads, each as long as predicted."""
    found = held(item("hot", 2e5, on="flash", read_s=41.0), item("cold", 200.0, read_s=1.0))
    assert (found.before_s, found.predicted_s, found.measured_s) == (
        pytest.approx(1001.0),
        pytest.approx(41.0),
        pytest.approx(42.0),
    )
    assert is_as_predicted(found)
    assert found.reason.startswith(
        "the plan latest was right: it was to save 16 min of the waits of now, and saves 15 min 59 s; there are 2.0 × as many"
    )


def test_a_tier_that_is_as_slow_as_before_makes_the_plan_wrong() -> None:
    found = held(item("hot", 1e5, on="flash", read_s=400.0), item("cold", 100.0, read_s=0.5))
    assert not is_as_predicted(found)
    assert found.kept_share == pytest.approx(100.0 / 480.0)
    assert (
        found.reason
        == "the plan latest was wrong: it was to save 8 min of the waits of now, and saves 1 min 40 s, 21 % of that"
    )
    slower = held(item("hot", 1e5, on="flash", read_s=600.0), item("cold", 100.0, read_s=0.5))
    assert slower.reason.endswith("of the waits of now, and costs 1 min 40 s")


def test_an_index_that_was_dropped_is_named_and_so_are_the_scans_in_its_place() -> None:
    """Its table is read instead, where it always lay: of these reads nothing was to be saved."""
    found = held(item("cold", 4e5, read_s=2000.0))
    assert found.kept_share is None
    assert found.elsewhere == ("hot",)
    assert found.reason == (
        "what the plan latest saved cannot be told: of what is read and written now, hardly anything is of what it was to save; "
        "hot does not lie where it wanted; there are 4.0 × as many I/Os per second as when it was made: look whether statements "
        "are executed by other plans now"
    )


@pytest.mark.parametrize(
    "now",
    [
        {"objects": (item("hot", 1e5, on="flash"),)},
        {"objects": (item("hot", 1e5, read_s=500.0),)},
        {"objects": (item("hot", 1e5, on="flash", read_s=20.0),), "database_id": "2/2"},
    ],
    ids=["not measured", "not moved", "another database"],
)
def test_what_cannot_be_told(now: dict[str, Any]) -> None:
    then = placed(PLANNED[0], database_id="1/1")
    found = held(*now.pop("objects"), then=then, **now)
    assert (found.compared, found.kept_share) == (0, None)
    assert found.reason.startswith(
        "what the plan latest saved cannot be told: nothing lies where it was to lie"
    )


@pytest.mark.parametrize(("read_s", "status"), [(20.0, ExitStatus.DONE), (400.0, ExitStatus.DONE_IN_PART)])
def test_a_wrong_plan_reaches_the_status(read_s: float, status: ExitStatus) -> None:
    now = item("hot", 1e5, on="flash", read_s=read_s)
    placement = placed(now).model_copy(update={"after": held(now)})
    run = facts_runs.place_run().model_copy(update={"placement": placement})
    assert results.status(run) is status
