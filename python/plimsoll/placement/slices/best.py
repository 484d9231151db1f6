"""The plan of least cost, proved: whole cores and pieces of memory for each slice, by HiGHS.

Most of what a slice could be given is far from any good plan. What it costs at least to give it is known beforehand, so that only
what could be part of a plan within an allowance above the least conceivable cost is handed to the solver: what a good plan takes. A
plan within the allowance is the best of all; where none is, the allowance becomes what the plan found takes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from plimsoll.placement.slices.costs import DOMAIN_COST, SHARED_COST, Alone, Costs, Item, fewest
from plimsoll.placement.slices.given import Given, shared_count
from plimsoll.placement.slices.good import Choice, good_plan, improved_plan
from plimsoll.placement.slices.machine import Machine
from plimsoll.placement.slices.shortfall import Taken
from plimsoll.placement.slices.unknowns import NotKnown, Unknowns
from plimsoll.placement.solver import Impossible

TIE = 1e-5
"""Of plans that cost the same, databases take low nodes in their order, and what is set aside high ones: at most so much each."""
PROVED = 1e-6
"""Of a distance: what sums are off by."""
_ALLOWANCE = 0.5
"""To begin with where no good plan was found, in distance."""
_UNKNOWNS_MAX = 1_000
"""More take the solver minutes: then a good plan is taken with the bound that is known, and says how good it is at least; without
one nothing is known."""
_WIDER = 8.0
_WIDEST = 1e4
"""Beyond it everything is handed over."""


@dataclass(frozen=True)
class Best:
    """A plan, its cost, and what no plan costs less than."""

    given: tuple[Given, ...]
    cost: float
    cost_min: float


class Search:
    """For the best plan of a machine, and for the best that is unlike another."""

    def __init__(self, machine: Machine, items: Sequence[Item]) -> None:
        self._machine = machine
        self._costs = [Costs(machine, item) for item in items]
        self._alone = [
            {home: found for home in one.homes() if (found := one.alone(home))} for one in self._costs
        ]
        self._choices = [Choice(one, at) for one, at in zip(self._costs, self._alone, strict=True)]
        self._least = sum(choice.least(choice.homes[0]) for choice in self._choices if choice.homes)
        self._least += SHARED_COST * _shared_least(machine, self._costs)
        self.good = self._good(None) if all(self._alone) else None
        """A plan that may be the best, as if it was; None: none was found, which does not say that there is none."""

    def start_from(self, taken: Sequence[Taken]) -> None:
        """What is known to fit, where no good plan was found: the search has something to begin with."""
        given = improved_plan(self._machine, self._choices, taken)
        self.good = None if given is None else priced(self._machine, self._costs, given)

    def best(self) -> Best:
        """The best plan. Raises `Impossible`, `NotKnown`."""
        return self._best(self.good, (), self._least)

    def second(self, best: Best) -> Best:
        """The best plan in which at least one database has another home than in the best. Raises `Impossible`, `NotKnown`."""
        databases = [at for at, one in enumerate(self._costs) if one.item.purpose == "database"]
        good: Best | None = None
        for at in databases:
            found = self._good((at, best.given[at].home))
            if found is not None and (good is None or found.cost < good.cost):
                good = found
            if good is not None and good.cost <= best.cost + PROVED:
                break
        return self._best(good, best.given, max(self._least, best.cost_min))

    def _good(self, barred: tuple[int, int] | None) -> Best | None:
        given = good_plan(self._machine, self._choices, barred)
        return None if given is None else priced(self._machine, self._costs, given)

    def _best(self, good: Best | None, other_than: Sequence[Given], floor: float) -> Best:
        """The best, which may be a good one that is known; none costs less than `floor`."""
        if not all(self._alone):
            raise Impossible
        if good is not None and good.cost - floor <= PROVED:
            return good
        slack = len(self._costs) * TIE
        allowance = _ALLOWANCE if good is None else good.cost - self._least + slack
        while True:
            try:
                found = _Model(self._machine, self._costs, self._alone, allowance, other_than).best()
            except NotKnown:
                if good is None:
                    raise
                return replace(good, cost_min=floor)
            except Impossible:
                if allowance == float("inf"):
                    raise
                allowance = allowance * _WIDER if allowance < _WIDEST else float("inf")
                continue
            if good is not None and good.cost <= found.cost:
                return replace(good, cost_min=min(good.cost, max(floor, found.cost_min)))
            if found.cost - self._least <= allowance:
                return replace(found, cost_min=min(found.cost, max(floor, found.cost_min)))
            allowance = found.cost - self._least + slack


def priced(machine: Machine, costs: Sequence[Costs], given: Sequence[Given]) -> Best:
    """What a plan costs, as if it was the best."""
    cost = SHARED_COST * shared_count(machine, given) + sum(
        one.item.weight * what.cost for one, what in zip(costs, given, strict=True)
    )
    return Best(tuple(given), cost, cost)


def _domains_least(machine: Machine, costs: Costs) -> int:
    """How many cache domains an item has cores of at least."""
    pools = dict.fromkeys(pool for home in costs.homes() for pool in costs.pools(home))
    return fewest(costs.item.wanted.cores, machine.domain_sizes(pools).values())


def _shared_least(machine: Machine, costs: Sequence[Costs]) -> int:
    """How many slices have cores of a domain beside another at least: there are no more domains that nobody has cores of."""
    sizes = machine.domain_sizes(range(len(machine.pools)))
    unused = sum(size > 0 and not machine.users[domain] for domain, size in sizes.items())
    return max(0, sum(_domains_least(machine, one) for one in costs) - unused)


@dataclass
class _Places:
    """Where in a problem the unknowns of an item are."""

    homes: dict[int, int] = field(default_factory=dict)
    cores: dict[tuple[int, int], int] = field(default_factory=dict)
    """By home and pool."""
    units: dict[tuple[int, int], int] = field(default_factory=dict)
    """By home and node."""
    domains: dict[int, int] = field(default_factory=dict)


class _Model:
    """The problem of all items within an allowance. Another constraint is another function, called in `__init__`."""

    def __init__(
        self,
        machine: Machine,
        costs: Sequence[Costs],
        alone: Sequence[Mapping[int, Alone]],
        allowance: float,
        other_than: Sequence[Given],
    ) -> None:
        """Raises `NotKnown` where there are more unknowns than there is room for."""
        self._machine, self._costs = machine, costs
        self._unknowns = Unknowns()
        self._items = [self._added(number, by_home, allowance) for number, by_home in enumerate(alone)]
        self._have_one_home()
        self._have_what_they_ask_for()
        self._take_no_more_cores_than_there_are()
        self._take_no_more_memory_than_there_is()
        self._count_domains()
        self._have_no_fewer_domains_than_they_fill()
        self._count_shared_domains()
        self._differ(other_than)

    def best(self) -> Best:
        """Raises `Impossible`, `NotKnown`."""
        values, cost_min = self._unknowns.least()
        given = tuple(
            self._given(cost, places, values) for cost, places in zip(self._costs, self._items, strict=True)
        )
        found = priced(self._machine, self._costs, given)
        return replace(found, cost_min=min(found.cost, cost_min))

    def _added(self, number: int, alone: Mapping[int, Alone], allowance: float) -> _Places:
        """The unknowns of an item: what could be part of a plan within the allowance above the least conceivable cost."""
        costs, places = self._costs[number], _Places()
        weight = costs.item.weight
        least = min(one.cost for one in alone.values())
        for home, at in alone.items():
            if self._unknowns.count > _UNKNOWNS_MAX:
                raise NotKnown
            left = allowance / weight - (at.cost - least)
            if left < 0:
                continue
            places.homes[home] = self._unknowns.add(1, weight * costs.of_home(home) + self._tie(number, home))
            for pool in costs.pools(home):
                cost = costs.of_core(home, pool)
                if cost - at.core_cost_max <= left:
                    high = min(costs.item.wanted.cores, len(self._machine.pools[pool].cores))
                    places.cores[home, pool] = self._unknowns.add(high, weight * cost)
            for node in costs.memory_nodes(home):
                cost = costs.of_unit(home, node)
                if cost - at.unit_cost_max <= left:
                    high = min(costs.item.wanted.units, costs.room(node))
                    places.units[home, node] = self._unknowns.add(high, weight * cost)
        for domain in sorted(self._machine.in_domains(pool for _, pool in places.cores)):
            places.domains[domain] = self._unknowns.add(1, weight * DOMAIN_COST)
        return places

    def _tie(self, number: int, home: int) -> float:
        """Databases have low nodes in their order, what is set aside has high ones."""
        share = home / len(self._machine.nodes)
        is_database = self._costs[number].item.purpose == "database"
        return TIE * (share * (1 - number / len(self._costs)) if is_database else 1 - share)

    def _have_one_home(self) -> None:
        for places in self._items:
            self._unknowns.equal(1, dict.fromkeys(places.homes.values(), 1))

    def _have_what_they_ask_for(self) -> None:
        for costs, places in zip(self._costs, self._items, strict=True):
            for home, chosen in places.homes.items():
                for wanted, unknowns in (
                    (costs.item.wanted.cores, places.cores),
                    (costs.item.wanted.units, places.units),
                ):
                    own = {one: 1.0 for (at, _), one in unknowns.items() if at == home}
                    self._unknowns.equal(0, {**own, chosen: -wanted})

    def _take_no_more_cores_than_there_are(self) -> None:
        for pool, one in enumerate(self._machine.pools):
            taken = {
                unknown: 1.0
                for places in self._items
                for (_, at), unknown in places.cores.items()
                if at == pool
            }
            self._unknowns.at_most(len(one.cores), taken)

    def _take_no_more_memory_than_there_is(self) -> None:
        largest = max((costs.item.wanted.unit_bytes for costs in self._costs), default=1)
        for node, one in enumerate(self._machine.nodes):
            taken = {
                unknown: costs.item.wanted.unit_bytes / largest
                for costs, places in zip(self._costs, self._items, strict=True)
                for (_, at), unknown in places.units.items()
                if at == node
            }
            self._unknowns.at_most(one.memory_bytes / largest, taken)

    def _count_domains(self) -> None:
        """Cores of a pool are had only with its domain; each pool by itself tells the solver more than their sum does."""
        for costs, places in zip(self._costs, self._items, strict=True):
            for pool in dict.fromkeys(pool for _, pool in places.cores):
                used = places.domains[self._machine.domains[pool]]
                high = min(costs.item.wanted.cores, len(self._machine.pools[pool].cores))
                own = {one: 1.0 for (_, at), one in places.cores.items() if at == pool}
                self._unknowns.at_most(0, {**own, used: -high})

    def _have_no_fewer_domains_than_they_fill(self) -> None:
        """This follows from the others in whole numbers, and tells the solver what parts of numbers do not."""
        for costs, places in zip(self._costs, self._items, strict=True):
            least = _domains_least(self._machine, costs)
            self._unknowns.at_most(-least, dict.fromkeys(places.domains.values(), -1))

    def _count_shared_domains(self) -> None:
        for domain, before in enumerate(self._machine.users):
            users = {places.domains[domain]: 1.0 for places in self._items if domain in places.domains}
            if len(users) + before > 1:
                beside = self._unknowns.add(len(users), SHARED_COST)
                self._unknowns.at_most(1 - before, {**users, beside: -1})

    def _differ(self, other_than: Sequence[Given]) -> None:
        """From a plan: not all databases have the home that they have there."""
        if other_than:
            same = [
                places.homes.get(given.home)
                for costs, places, given in zip(self._costs, self._items, other_than, strict=True)
                if costs.item.purpose == "database"
            ]
            if None not in same:
                self._unknowns.at_most(len(same) - 1, {one: 1.0 for one in same if one is not None})

    def _given(self, costs: Costs, places: _Places, values: Sequence[int]) -> Given:
        home = next(home for home, unknown in places.homes.items() if values[unknown])
        cores = {pool: values[one] for (at, pool), one in places.cores.items() if at == home and values[one]}
        units = {node: values[one] for (at, node), one in places.units.items() if at == home and values[one]}
        return Given(home, cores, units, costs.of(home, cores, units))
