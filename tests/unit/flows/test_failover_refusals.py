"""What one refusal proves of other sets of databases when a node is lost, by judges that say what a storage carries."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pytest

from facts_builder import verdict, workload
from judged_demands import DAY, named, second, with_peak
from plimsoll.base.errors import WorldError
from plimsoll.context import Context
from plimsoll.demand.together import together as aligned
from plimsoll.facts import Demand, NodeLoss, Verdict
from plimsoll.flows.consolidate import several_of
from plimsoll.flows.failover import nodes_of, on_nodes
from plimsoll.placement.takeover import Arrangement, Takeover
from plimsoll.predict.failover import in_short
from plimsoll.predict.verdict import Measured
from simulated import context


@pytest.fixture
def ctx(tmp_path: Path) -> Iterator[Context]:
    with context(tmp_path / "journals") as made:
        yield made


@dataclass(frozen=True)
class Judgement:
    verdict: Verdict
    mixes: tuple[Measured, ...]


class Judges:
    """Says of each set what a storage of `line` carries; of mixes it knows no more than that a rate held, some of it."""

    def __init__(self, line: float, held: float = 1.0, unknown: Sequence[set[str]] = ()) -> None:
        self.line, self.held, self.unknown = line, held, unknown
        self.asked: list[set[str]] = []

    def __call__(self, demand: Demand) -> Judgement:
        names = set(demand.database.name.split(" + "))
        self.asked.append(names)
        iops = max(one.iops or 0.0 for one in demand.intervals)
        carries = None if names in self.unknown else iops < self.line
        line = self.line if self.held == 1.0 else min(self.line, iops) * self.held
        mix = Measured(workload(), iops, held_iops=line)
        return Judgement(verdict(carries, self.line / iops, iops), (mix,))


def lost(ctx: Context, judge: Judges, peaks: dict[str, float], **nodes: Sequence[str]) -> dict[str, NodeLoss]:
    """What becomes of each node; all databases have their peaks at once."""
    several = several_of(aligned([with_peak(name, 10.0, high, 0, 5) for name, high in peaks.items()]), {})
    found = on_nodes(ctx, nodes_of(several, nodes), judge)
    return {one.node: one for one in found.failover.losses}


def test_lower_bounds_of_lines_refuse_nothing(ctx: Context) -> None:
    """By the rates that held, a and b beside c and d take more than all; only one arrangement of four does."""
    judge = Judges(1000.0, held=0.5)
    peaks = {"a": 300.0, "b": 290.0, "c": 600.0, "d": 400.0}
    found = lost(ctx, judge, peaks, n1=["a", "b"], n2=["c"], n3=["d"])["n1"]
    assert found.survives is True
    assert found.headroom == pytest.approx(1000 / 900, rel=0.05)


def test_a_loss_is_not_survived_where_each_arrangement_holds_what_was_refused(ctx: Context) -> None:
    judge = Judges(1000.0)
    peaks = {"a": 700.0, "b": 100.0, "c": 600.0, "d": 500.0}
    found = lost(ctx, judge, peaks, n1=["a", "b"], n2=["c"], n3=["d"])["n1"]
    assert found.survives is False
    assert found.unplaced == ("a",)
    # What a and c ask for is more than what a and d do, and these were refused.
    assert any({"a", "d"} <= one for one in judge.asked)
    assert all("a" not in one.databases for one in found.nodes)


def test_what_a_node_carries_is_no_proof_against_itself(ctx: Context) -> None:
    """By itself a is refused, as a measurement may say once; beside b, on its own node, it was carried before."""

    class Noisy(Judges):
        def __call__(self, demand: Demand) -> Judgement:
            found = super().__call__(demand)
            is_alone = demand.database.name == "a"
            return found if not is_alone else Judgement(verdict(False, 0.99, 1_000.0), found.mixes)

    peaks = {"a": 480.0, "b": 470.0, "c": 100.0, "d": 90.0}
    found = lost(ctx, Noisy(1000.0), peaks, n1=["a", "b"], n2=["c", "d"], n3=[])
    assert {name: one.survives for name, one in found.items()}["n3"] is True
    assert all(one.reason for one in found.values() if one.survives is None)


@pytest.mark.parametrize("seed", range(6))
def test_of_nearly_equal_databases_one_refusal_proves_enough(ctx: Context, seed: int) -> None:
    """Six of some 260, of which each second is another one: whichever three go to a node, they are too many."""
    rng, judge = random.Random(seed), Judges(1000.0)
    demands = [
        named(name, [second(n, (high if n < 5 else 10.0) * rng.uniform(0.99, 1.01)) for n in range(DAY)])
        for name, high in ({f"a{n}": 260.0 + n for n in range(6)} | {"c": 300.0, "d": 290.0}).items()
    ]
    several = several_of(aligned(demands), {})
    nodes = nodes_of(several, {"n1": [f"a{n}" for n in range(6)], "n2": ["c"], "n3": ["d"]})
    found = on_nodes(ctx, nodes, judge).failover.losses[0]
    assert found.survives is False
    assert found.unplaced is not None
    assert len(found.unplaced) == 2
    assert len(judge.asked) < 16


def test_one_refusal_proves_nothing(ctx: Context) -> None:
    """Of databases that are busy at times of their own; what the lines say is not measured for ever."""
    rng, judge = random.Random(0), Judges(1300.0)
    names = [*(f"a{n}" for n in range(5)), "c", "d"]
    demands = [named(name, [second(n, rng.uniform(100.0, 500.0)) for n in range(DAY)]) for name in names]
    nodes = {"n1": names[:5], "n2": ["c"], "n3": ["d"]}
    several = several_of(aligned(demands), {})
    found = on_nodes(ctx, nodes_of(several, nodes), judge).failover.losses[0]
    assert len(judge.asked) < 20
    assert (found.survives, found.headroom, found.unplaced) == (None, None, None)
    assert found.reason == (
        "Whether the loss of n1 is survived cannot be told: 4 arrangements were not carried, and others, with less headroom by the"
        " lines, were not measured."
    )


def test_of_equal_databases_one_refusal_proves_enough(ctx: Context) -> None:
    """The same six, all of 260: whichever three go to a node, they are too many; two find a place on each."""
    judge = Judges(1000.0)
    peaks = {f"a{n}": 260.0 for n in range(6)} | {"c": 300.0, "d": 290.0}
    found = lost(ctx, judge, peaks, n1=[f"a{n}" for n in range(6)], n2=["c"], n3=["d"])["n1"]
    assert found.survives is False
    assert found.unplaced is not None
    assert len(found.unplaced) == 2
    assert len(judge.asked) < 12


@pytest.mark.parametrize("seed", range(12))
def test_losses_of_equal_databases_are_what_an_exhaustive_search_says(ctx: Context, seed: int) -> None:
    """Of one size each answer is the right one; of two sizes it is the right one, or it cannot be told."""
    rng = random.Random(seed)
    sizes = [rng.uniform(150.0, 450.0) for _ in range(1 + seed % 2)]
    while True:
        peaks = {f"db{n}": rng.choice(sizes) for n in range(rng.randint(4, 7))}
        on = {name: rng.randrange(3) for name in peaks}
        sums = [sum(peaks[name] for name in peaks if on[name] == node) for node in range(3)]
        if min(sums) > 0 and max(sums) < 1000:
            break
    nodes = {f"n{node}": [name for name in peaks if on[name] == node] for node in range(3)}
    for node, loss in lost(ctx, Judges(1000.0), peaks, **nodes).items():
        left = [sum(peaks[name] for name in names) for other, names in nodes.items() if other != node]
        fits = any(
            max(own + sum(peaks[name] for name, at in zip(nodes[node], to, strict=True) if at == place)
                for place, own in enumerate(left)) < 1000
            for to in product(range(2), repeat=len(nodes[node]))
        )  # fmt: skip
        assert loss.survives is fits or (len(sizes) > 1 and loss.survives is None)


def nothing_of(demand: Demand, begin: int, end: int) -> Demand:
    """The same, restarted for these seconds."""
    nothing = {"classes": {}, "iops": None, "mb_per_s": None, "gap": "it was restarted"}
    found = [
        one.model_copy(update=nothing) if begin <= n < end else one for n, one in enumerate(demand.intervals)
    ]
    return demand.model_copy(update={"intervals": tuple(found)})


def test_a_node_takes_what_it_takes_also_where_another_one_is_not_known(ctx: Context) -> None:
    """Nothing is known of hr, on the other node, while the shop is at its peak; and of the two together not of that time."""
    shop, hr = with_peak("shop", 100.0, 800.0, 5, 10), nothing_of(with_peak("hr", 10.0, 20.0, 20, 25), 5, 10)
    several = several_of(aligned([shop, hr]), {})
    found = on_nodes(ctx, nodes_of(several, {"n1": ["shop"], "n2": ["hr"]}), Judges(1000.0)).failover
    first, second_ = found.nodes
    assert first.storage_share_max == pytest.approx(0.8)
    assert (first.unknown_share, second_.unknown_share) == (0.0, pytest.approx(5 / DAY))
    both = found.losses[0].nodes[0]
    assert both.unknown_share == pytest.approx(5 / DAY)
    assert "of the time of hr is not known" in found.reason
    assert "of the time of hr is not known" in in_short(found)


def test_a_search_that_is_too_large_loses_nothing(ctx: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    def gives_up(of: Takeover) -> Arrangement:
        raise WorldError("placement-unsolved", "the solver ended without a placement", "Pin some objects.")

    monkeypatch.setattr("plimsoll.flows.failover.with_all_unrefused", gives_up)
    found = lost(ctx, Judges(1000.0), {"a": 700.0, "c": 600.0}, n1=["a"], n2=["c"])["n1"]
    assert found.survives is None
    assert found.reason.endswith("the search for an arrangement of its databases was too large to be ended.")
    assert [one.carries for one in found.nodes] == [True]


def test_what_was_not_measured_together_is_said_by_what_was_refused(ctx: Context) -> None:
    """That c and d are too much together was found when n2 was lost; so n3 cannot take both when n1 is lost with a and d."""
    judge = Judges(1000.0)
    peaks = {"a": 100.0, "b": 800.0, "c": 700.0}
    found = lost(ctx, judge, peaks, n1=["a", "b"], n2=["c"])
    assert (found["n1"].survives, found["n2"].survives) == (False, False)
    assert found["n1"].limited_by is not None
    assert found["n1"].limited_by.databases == ("a", "b", "c")
    assert judge.asked.count({"a", "b", "c"}) == 1
