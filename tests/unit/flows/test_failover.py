"""Databases on nodes with simulated storage of known capacity: normal work, and each node lost."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from judged_demands import DAY, DISK, LINE, named, second, verdict_of, with_peak
from plimsoll.base.errors import ExitStatus, UsageError
from plimsoll.context import Context
from plimsoll.facts import Demand, Failover, NodeLoss, Run
from plimsoll.flows.assess import assess
from plimsoll.flows.demand import write_demand
from plimsoll.requests.assess import AssessRequest
from plimsoll.results import answer, kinds, status
from simulated import context


@pytest.fixture
def ctx(tmp_path: Path) -> Iterator[Context]:
    with context(tmp_path / "journals") as made:
        yield made


def judged(ctx: Context, folder: Path, demands: Sequence[Demand], *nodes: str, **asked: Any) -> Run:
    places = []
    for demand in demands:
        place = folder / f"{demand.database.name}.json"
        write_demand(demand, place)
        places.append(str(place))
    words = {"target": DISK, "demand": places, "slo": "p99=5ms", "trial": 4.0, "seed": 1, "replay": False}
    return assess(ctx, AssessRequest.of_words({**words, "node": list(nodes), **asked}))


def found_in(run: Run) -> Failover:
    assert run.failover is not None
    return run.failover


def loss_of(run: Run, node: str) -> NodeLoss:
    return next(one for one in found_in(run).losses if one.node == node)


def where(loss: NodeLoss) -> dict[str, tuple[str, ...]]:
    return {one.node: one.databases for one in loss.nodes}


SHOP = with_peak("shop", 500.0, 4000.0, 0, 10)
CRM = with_peak("crm", 500.0, 4000.0, 10, 20)
HR = with_peak("hr", 100.0, 2500.0, 0, 10)
DWH = with_peak("dwh", 100.0, 5000.0, 0, 10)


def test_peaks_at_other_times_make_a_loss_survivable(ctx: Context, tmp_path: Path) -> None:
    """Together 4,500 at once, and 8,000 by the sum of peaks."""
    run = judged(ctx, tmp_path, [SHOP, CRM], "n1=shop", "n2=crm")
    found = found_in(run)
    assert (found.carries, found.survives) == (True, True)
    assert [where(one) for one in found.losses] == [{"n2": ("shop", "crm")}, {"n1": ("shop", "crm")}]
    assert [one.headroom for one in found.losses] == pytest.approx([LINE / 4500] * 2, rel=0.05)
    assert [one.unplaced for one in found.losses] == [(), ()]
    assert status(run) is ExitStatus.DONE
    assert answer(run).endswith("survives the loss of any one node")
    assert run.consolidation is None
    data = kinds()["verdict"].data(run, "verdict")
    assert data["failover"]["survives"] is True
    assert "node-resources" in {note.code for note in run.notes}


def test_the_verdict_is_that_on_the_tightest_node(ctx: Context, tmp_path: Path) -> None:
    run = judged(ctx, tmp_path, [SHOP, CRM], "n1=shop", "n2=crm")
    crowded = judged(ctx, tmp_path, [SHOP, HR, CRM], "n1=shop,hr", "n2=crm")
    assert found_in(crowded).tightest == "n1"
    verdict = verdict_of(crowded)
    assert verdict.headroom == pytest.approx(LINE / 6500, rel=0.05)
    assert verdict.reason.startswith("On n1, the tightest node: This storage carries the databases together")
    assert "carries the database," in verdict_of(run).reason


def test_each_goes_where_it_leaves_most_headroom(ctx: Context, tmp_path: Path) -> None:
    """Both lost databases would fit on the spare node, with 6,500 at once; hr beside crm leaves more."""
    run = judged(ctx, tmp_path, [SHOP, HR, CRM], "n1=shop,hr", "n2=crm", "spare=")
    loss = loss_of(run, "n1")
    assert where(loss) == {"n2": ("hr", "crm"), "spare": ("shop",)}
    assert loss.headroom == pytest.approx(LINE / 4100, rel=0.05)
    assert loss_of(run, "spare").survives is True


def test_what_finds_no_place_is_named_and_how_much_is_missing(ctx: Context, tmp_path: Path) -> None:
    """The warehouse beside shop asks for 9,000 at once; crm has its peak at another time."""
    run = judged(ctx, tmp_path, [SHOP, CRM, DWH], "n1=dwh,crm", "n2=shop")
    loss = loss_of(run, "n1")
    assert loss.survives is False
    assert loss.unplaced == ("dwh",)
    assert loss.headroom == pytest.approx(LINE / 9500, rel=0.05)
    assert loss.limited_by is not None
    assert loss.limited_by.databases == ("shop", "crm", "dwh")
    assert where(loss) == {"n2": ("shop", "crm")}
    assert "Without dwh the others are carried, with crm on n2" in loss.reason
    assert found_in(run).carries is True
    assert verdict_of(run).carries is True
    assert status(run) is ExitStatus.ANSWER_IS_NO
    assert answer(run).endswith("survives the loss of no node")


def test_weights_choose_what_is_left(ctx: Context, tmp_path: Path) -> None:
    """On the node that is left either fits beside shop, and not both."""
    demands = [with_peak("shop", 100.0, 3500.0, 0, 10), with_peak("a", 100.0, 3500.0, 0, 10)]
    demands.append(with_peak("b", 100.0, 3600.0, 0, 10))
    equal = judged(ctx, tmp_path, demands, "n1=a,b", "n2=shop")
    assert loss_of(equal, "n1").unplaced == ("b",)
    weighted = judged(ctx, tmp_path, demands, "n1=a,b", "n2=shop", weight="b=2")
    assert loss_of(weighted, "n1").unplaced == ("a",)


def test_a_node_that_is_too_small_as_it_is_survives_no_loss_of_others(ctx: Context, tmp_path: Path) -> None:
    run = judged(ctx, tmp_path, [SHOP, DWH, CRM], "n1=shop,dwh", "n2=crm")
    found = found_in(run)
    assert found.carries is False
    assert verdict_of(run).carries is False
    assert loss_of(run, "n2").survives is False
    assert "n1 does not carry even its own databases" in loss_of(run, "n2").reason
    assert status(run) is ExitStatus.ANSWER_IS_NO
    assert "n1 does not carry what runs there" in answer(run)


def test_a_gap_is_no_yes(ctx: Context, tmp_path: Path) -> None:
    """Of half of the time nothing is known of crm: nothing that rests on it is a yes."""
    nothing = {"classes": {}, "iops": None, "mb_per_s": None, "gap": "it was restarted"}
    found = [
        one if n < 3 or 10 <= n < 20 or n > 27 else one.model_copy(update=nothing)
        for n, one in enumerate(CRM.intervals)
    ]
    open_ = CRM.model_copy(update={"intervals": tuple(found)})
    run = judged(ctx, tmp_path, [SHOP, open_], "n1=shop", "n2=crm")
    assert all(one.survives is None for one in found_in(run).losses)
    assert found_in(run).carries is None
    assert status(run) is ExitStatus.DONE_IN_PART


def test_a_peak_in_a_gap_of_another_is_no_yes(ctx: Context, tmp_path: Path) -> None:
    """Where crm is not known the shop asks for more than all together ever do."""
    nothing = {"classes": {}, "iops": None, "mb_per_s": None, "gap": "it was restarted"}
    shop = with_peak("shop", 100.0, 6000.0, 28, 30)
    crm = with_peak("crm", 100.0, 900.0, 0, 10)
    found = [one if n < 28 else one.model_copy(update=nothing) for n, one in enumerate(crm.intervals)]
    run = judged(
        ctx, tmp_path, [shop, crm.model_copy(update={"intervals": tuple(found)})], "n1=shop", "n2=crm"
    )
    assert all(one.survives is not True for one in found_in(run).losses)
    assert status(run) is not ExitStatus.DONE


def test_peaks_that_coincide_in_a_gap_of_another_node_are_seen(ctx: Context, tmp_path: Path) -> None:
    """Nothing is known of hr while the shop and crm, which run on another node, ask for 9,000 together."""
    nothing = {"classes": {}, "iops": None, "mb_per_s": None, "gap": "it was restarted"}
    shop = named("shop", [second(n, 4500.0 if n >= 28 else 6000.0 if n < 10 else 100.0) for n in range(DAY)])
    crm = with_peak("crm", 100.0, 4500.0, 28, 30)
    hr = with_peak("hr", 100.0, 200.0, 0, 10)
    found = [one if n < 28 else one.model_copy(update=nothing) for n, one in enumerate(hr.intervals)]
    demands = [shop, crm, hr.model_copy(update={"intervals": tuple(found)})]
    run = judged(ctx, tmp_path, demands, "n1=shop,crm", "n2=hr")
    assert found_in(run).carries is False
    assert verdict_of(run).headroom == pytest.approx(LINE / 9000, rel=0.05)
    assert status(run) is ExitStatus.ANSWER_IS_NO


def test_what_the_objective_does_not_name_on_a_node_is_not_told(ctx: Context, tmp_path: Path) -> None:
    """The databases on one node write nothing."""
    shop = named("shop", [second(n, 100.0, writes=500.0) for n in range(DAY)])
    run = judged(ctx, tmp_path, [shop, CRM], "n1=shop", "n2=crm", slo="small_write.p99=5ms")
    assert [one.carries for one in found_in(run).nodes] == [True, None]
    assert found_in(run).carries is None
    assert status(run) is ExitStatus.DONE_IN_PART


def test_long_intervals_need_a_burst_factor(ctx: Context, tmp_path: Path) -> None:
    hours = [
        one.model_copy(update={"resolution_s": 3600.0})
        for one in (with_peak("shop", 100.0, 200.0, 0, 10), with_peak("crm", 100.0, 200.0, 0, 10))
    ]
    run = judged(ctx, tmp_path, hours, "n1=shop", "n2=crm")
    assert (found_in(run).carries, found_in(run).survives) == (None, None)
    assert status(run) is ExitStatus.DONE_IN_PART
    assert found_in(judged(ctx, tmp_path, hours, "n1=shop", "n2=crm", burst_factor=3.0)).survives is True


def test_where_nothing_was_asked_for_it_cannot_be_told(ctx: Context, tmp_path: Path) -> None:
    idle = [with_peak(name, 0.0, 0.0, 0, 1) for name in ("shop", "crm")]
    run = judged(ctx, tmp_path, idle, "n1=shop", "n2=crm")
    assert (found_in(run).carries, found_in(run).survives) == (None, None)
    assert status(run) is ExitStatus.DONE_IN_PART


def test_what_is_ended_by_the_user_is_not_known(ctx: Context, tmp_path: Path) -> None:
    """Nothing was measured, and the run says so instead of a no."""
    ctx.cancel.set()
    run = judged(ctx, tmp_path, [SHOP, CRM], "n1=shop", "n2=crm")
    found = found_in(run)
    assert (found.carries, found.survives, found.tightest) == (None, None, None)
    assert verdict_of(run).carries is None
    assert run.interrupted
    assert status(run) is ExitStatus.INTERRUPTED


def test_what_was_ended_between_two_losses_leaves_the_rest_open(ctx: Context, tmp_path: Path) -> None:
    """Three nodes in normal work, then no more."""
    seen: list[str] = []

    def after_the_third(event: Any) -> None:
        words = getattr(event, "message", "")
        seen.append(words)
        if "is lost; whether" in words:
            ctx.cancel.set()

    heard = replace(ctx, events=after_the_third)
    run = judged(heard, tmp_path, [SHOP, CRM], "n1=shop", "n2=crm")
    found = found_in(run)
    assert any("n1 is lost; whether n2 carries shop and crm" in words for words in seen)
    assert found.carries is True
    assert all(one.survives is None for one in found.losses)
    assert status(run) is ExitStatus.INTERRUPTED


@pytest.mark.parametrize("seed", range(4))
def test_the_losses_are_what_the_capacity_says(tmp_path: Path, seed: int) -> None:
    """Random peaks, none of whose sums lies near the line: survived where any arrangement of all stays below it."""
    rng = random.Random(seed)
    demands, on = away_from_the_line(rng)
    names = [[f"db{n}" for n in range(5) if on[n] == node] for node in range(3)]
    with context(tmp_path / "journals") as ctx:
        run = judged(ctx, tmp_path, demands, *(f"n{node}={','.join(names[node])}" for node in range(3)))
    for node in range(3):
        loss = loss_of(run, f"n{node}")
        lost = [n for n in range(5) if on[n] == node]
        placed = {to: most_of(demands, [*on_node(on, lost, to)]) for to in arrangements(on, node)}
        assert loss.survives is (min(placed.values()) < LINE)
        if loss.survives:
            assert loss.headroom == pytest.approx(LINE / min(placed.values()), rel=0.06)
        for one in loss.nodes:
            before = next(own for own in found_in(run).nodes if own.node == one.node)
            assert set(before.databases) <= set(one.databases)
            assert one.headroom is None or before.headroom is None or one.headroom <= before.headroom


def arrangements(on: Sequence[int], node: int) -> Iterator[tuple[int, ...]]:
    """Nodes that the databases of this one could go to."""
    return product([one for one in range(3) if one != node], repeat=list(on).count(node))


def on_node(on: Sequence[int], lost: Sequence[int], to: Sequence[int]) -> Iterator[list[int]]:
    """What then runs on each node."""
    after = [*on]
    for one, place in zip(lost, to, strict=True):
        after[one] = place
    for node in set(after):
        yield [n for n in range(len(on)) if after[n] == node]


def most_of(demands: Sequence[Demand], sets: Sequence[Sequence[int]]) -> float:
    """The most that is asked for at once of any node."""
    return max(sum(demands[n].intervals[at].iops or 0.0 for n in own) for own in sets for at in range(DAY))


def away_from_the_line(rng: random.Random) -> tuple[list[Demand], list[int]]:
    """Five demands on three nodes, each of which carries its own, with no sum of any of them near the line."""
    while True:
        demands = []
        for number in range(5):
            high, begin = rng.choice([2000.0, 3000.0, 5000.0]) * rng.uniform(0.9, 1.1), 5 * rng.randrange(3)
            demands.append(with_peak(f"db{number}", 50.0, high, begin, begin + 5))
        on = [rng.randrange(3) for _ in range(5)]
        sums = [most_of(demands, [[n for n in range(5) if of & 1 << n]]) for of in range(1, 2**5)]
        is_near = any(0.9 * LINE < peak < 1.1 * LINE for peak in sums)
        own = [[n for n in range(5) if on[n] == node] for node in range(3)]
        if not is_near and all(own) and most_of(demands, own) < LINE:
            return demands, on


@pytest.mark.parametrize(
    ("nodes", "error", "message"),
    [
        (
            ("n1=shop", "n2=crn"),
            "node-databases",
            "no database crn among shop and crm, which is to run on n2",
        ),
        (("n1=shop", "n2="), "node-databases", "crm runs on no node"),
        (("n1=shop,crm", "n2=crm"), "node-databases", "the database crm runs on n1 and on n2"),
        (("n1=shop,shop", "n2=crm"), "node-databases", "the database shop runs twice"),
        (("n1", "n2=crm"), "node-unreadable", "'n1' is no node with its databases"),
        (("=shop", "n2=crm"), "node-unreadable", "'=shop' is no node"),
        (("n1=shop", "n1=crm"), "node-unreadable", "the node n1 was named twice"),
        (("n1=shop,crm",), "node-unreadable", "n1 is the only node"),
    ],
)
def test_nodes_are_checked(
    ctx: Context, tmp_path: Path, nodes: tuple[str, ...], error: str, message: str
) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        judged(ctx, tmp_path, [SHOP, CRM], *nodes)
    assert caught.value.id == error


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"backup": "1g"}, "--backup would have no effect with --node"),
        ({"while_in_use": True}, "--node would have no effect with --while-in-use"),
    ],
)
def test_what_nodes_leave_no_room_for(ctx: Context, tmp_path: Path, asked: dict[str, Any], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        judged(ctx, tmp_path, [SHOP, CRM], "n1=shop", "n2=crm", **asked)
    with pytest.raises(UsageError, match="--node would have no effect without several demands"):
        judged(ctx, tmp_path, [SHOP], "n1=shop", "n2=")
