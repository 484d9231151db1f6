"""Plans against every other plan there is."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from every_plan import GIB, least_cost, random_items, random_machine
from plimsoll.placement.slices.best import Best, Search
from plimsoll.placement.slices.costs import Item
from plimsoll.placement.slices.machine import Machine, Node, Pool
from plimsoll.placement.slices.plan import two_best
from plimsoll.placement.slices.shortfall import Shortfall, shortfall
from plimsoll.placement.slices.unknowns import NotKnown, Unknowns
from plimsoll.placement.slices.wanted import Wanted

TIES = 1e-3
"""What the order of plans that cost the same may cost."""


def _holds(seed: int) -> bool:
    """The best plan costs what the best of all plans costs; where there is none, neither is there a plan. Whether there is one."""
    rolled = random.Random(seed)
    machine = random_machine(rolled)
    items = random_items(rolled, machine)
    wanted = least_cost(machine, items)
    short = shortfall(machine, items)
    if wanted is None:
        assert short.is_certain, seed
        assert short.short or not short.is_possible, seed
        return False
    assert short == Shortfall(taken=short.taken), seed
    assert len(short.taken) == len(items), seed
    found = Search(machine, items).best()
    assert found.cost == pytest.approx(wanted, abs=TIES), seed
    assert found.cost_min == pytest.approx(wanted, abs=TIES), seed
    return True


def test_plans_cost_what_the_best_of_all_plans_costs() -> None:
    planned = sum(_holds(seed) for seed in range(20))
    assert 5 < planned < 20


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_plans_of_hundreds_of_machines() -> None:
    planned = sum(_holds(seed) for seed in range(20, 300))
    assert 80 < planned < 270


def _machine(count: int, cores: int = 4, memory: int = 8 * GIB) -> Machine:
    nodes = tuple(Node(number, memory, 0) for number in range(count))
    pools = tuple(
        Pool(node, 0, tuple((cores * node + number,) for number in range(cores))) for node in range(count)
    )
    return Machine(
        nodes, pools, tuple(tuple(10 if a == b else 20 for b in range(count)) for a in range(count))
    )


def test_the_second_best_gives_a_database_another_home() -> None:
    """With its disk on one of two nodes the other costs half of the distance more."""
    machine, items = _machine(2), [Item(Wanted("db1", 4, GIB), devices=(1,))]
    search = Search(machine, items)
    found = search.best()
    assert (found.given[0].home, found.cost) == (1, pytest.approx(1.0))
    second = search.second(found)
    assert (second.given[0].home, second.cost) == (0, pytest.approx(6.0))


class _Unproved(Search):
    """Finds a plan that is not the best, and then a better one, which is proved only among those unlike the first."""

    def best(self) -> Best:
        return replace(super().best(), cost=9.0, cost_min=2.0)

    def second(self, best: Best) -> Best:
        return replace(super().second(best), cost=8.0, cost_min=8.0)


def test_a_second_plan_that_is_better_is_not_proved_to_be_the_best() -> None:
    items = [Item(Wanted("db1", 4, GIB), devices=(1,))]
    best, second, *_ = two_best(_Unproved(_machine(2), items), items)
    assert second is not None
    assert (best.cost, best.cost_min, second.cost) == (8.0, 2.0, 9.0)


class _Lost(Search):
    """Gives up over the second."""

    def second(self, best: Best) -> Best:
        raise NotKnown


def test_a_second_plan_that_is_not_found_does_not_lose_the_first() -> None:
    items = [Item(Wanted("db1", 4, GIB))]
    best, second, has_second = two_best(_Lost(_machine(2), items), items)
    assert (best.cost, second, has_second) == (1.0, None, None)
    one_node = _machine(1)
    assert two_best(Search(one_node, items), items)[1:] == (None, False)


def test_a_good_plan_is_kept_where_the_solver_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    def give_up(_: Unknowns) -> tuple[list[int], float]:
        raise NotKnown

    monkeypatch.setattr(Unknowns, "least", give_up)
    items = [Item(Wanted("db1", 3, 9 * GIB)), Item(Wanted("db2", 3, GIB)), Item(Wanted("db3", 2, GIB))]
    found = Search(_machine(2), items).best()
    assert found.cost_min < found.cost


def test_of_plans_that_cost_the_same_databases_take_low_nodes_in_their_order() -> None:
    items = [Item(Wanted(f"db{number}", 4, GIB)) for number in range(3)]
    items.append(Item(Wanted("housekeeping", 1, 0), "housekeeping", 0.1))
    assert [one.home for one in Search(_machine(6), items).best().given] == [0, 1, 2, 5]


def test_the_smallest_change_is_named() -> None:
    items = [
        Item(Wanted("db1", 5, GIB, one_node=True)),
        Item(Wanted("db2", 3, 10 * GIB, one_node=True)),
        Item(Wanted("db3", 1, GIB)),
    ]
    short = shortfall(_machine(2), items)
    assert (short.is_certain, short.is_least) == (True, True)
    found = [(one.item.wanted.name, one.cores, one.units) for one in short.short]
    assert found == [("db1", 1, 0), ("db2", 0, 2 * 1024)]


def test_what_is_set_aside_is_not_made_smaller() -> None:
    items = [Item(Wanted("db1", 1, GIB)), Item(Wanted("housekeeping", 4, 0), "housekeeping", 0.1)]
    assert shortfall(_machine(1), items) == Shortfall(is_possible=False)


@pytest.mark.parametrize(
    ("least", "is_certain", "is_least"), [(0.0, False, False), (0.05, True, False), (0.1, True, True)]
)
def test_a_search_that_ends_early_does_not_say_that_something_has_to_go(
    monkeypatch: pytest.MonkeyPatch, least: float, is_certain: bool, is_least: bool
) -> None:
    """One slice of ten cores on a machine of eight: one of them counts a tenth."""
    found = Unknowns.least
    monkeypatch.setattr(Unknowns, "least", lambda self: (found(self)[0], 2 * least))
    short = shortfall(_machine(2), [Item(Wanted("db1", 10, 0))])
    assert [(one.cores, one.units) for one in short.short] == [(2, 0)]
    assert (short.is_certain, short.is_least) == (is_certain, is_least)


EXACT = (5, 5, 10, 6, 6, 7, 8, 6, 7)
"""Cores of slices that fill three nodes of 20 to the last, each on one: no order of taking the first that fits does it."""


def _exact() -> tuple[Machine, list[Item]]:
    return _machine(3, cores=20), [
        Item(Wanted(f"db{at}", cores, GIB // 2, one_node=True)) for at, cores in enumerate(EXACT)
    ]


def test_a_search_begins_with_what_is_known_to_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    """So it has a plan also where there are more unknowns than the solver is given."""
    machine, items = _exact()
    search = Search(machine, items)
    assert search.good is None
    monkeypatch.setattr("plimsoll.placement.slices.best._UNKNOWNS_MAX", 0)
    with pytest.raises(NotKnown):
        search.best()
    taken = shortfall(machine, items).taken
    assert [sum(cores.values()) for cores, _ in taken] == list(EXACT)
    search.start_from(taken)
    found = search.best()
    assert (found.cost, found.cost_min) == (pytest.approx(15.0), pytest.approx(15.0))
    for node in range(3):
        assert sum(one.cores.get(node, 0) for one in found.given) == 20


def test_what_is_known_to_fit_is_made_better() -> None:
    """Each of two slices has the memory of the other's node."""
    items = [Item(Wanted(f"db{at}", 4, 8 * GIB)) for at in range(2)]
    search = Search(_machine(2), items)
    search.start_from([({0: 4}, {1: 8 * 1024}), ({1: 4}, {0: 8 * 1024})])
    assert search.good is not None
    assert search.good.cost == pytest.approx(2.0)
