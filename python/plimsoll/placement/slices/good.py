"""A good plan, slice by slice, the largest first; then each is taken out and put back while that makes the plan better.

It is often the best there is, which a bound proves at once, and else it tells how far the search for a better one has to look.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from random import Random

from plimsoll.placement.slices.costs import SHARED_COST, Alone, Costs
from plimsoll.placement.slices.given import Given
from plimsoll.placement.slices.machine import Machine

_ORDERS = 20
"""In which slices are tried where the first leaves one without a place."""
_ROUNDS = 4
_LESS = 1e-9


def good_plan(
    machine: Machine, choices: Sequence[Choice], barred: tuple[int, int] | None = None
) -> list[Given] | None:
    """What each is given, with one of them `barred` from a home where that is named; None: no order gives each a place."""
    orders = Random(1)
    order = sorted(range(len(choices)), key=lambda at: -_size(machine, choices[at].costs))
    for _ in range(_ORDERS):
        plan = _Plan(machine, choices, barred)
        if all(plan.add(at) for at in order):
            plan.improve(in_pairs=barred is None)
            return plan.given()
        orders.shuffle(order)
    return None


def improved_plan(
    machine: Machine, choices: Sequence[Choice], taken: Sequence[tuple[Mapping[int, int], Mapping[int, int]]]
) -> list[Given] | None:
    """What a plan that was made with no thought of what is near becomes; None: a slice has no home in it."""
    plan = _Plan(machine, choices, None)
    for at, (cores, units) in enumerate(taken):
        if not plan.take(at, cores, units):
            return None
    plan.improve(in_pairs=True)
    return plan.given()


def _size(machine: Machine, costs: Costs) -> float:
    """The share of the host that it asks for, of what it asks most; what must lie on one node is hardest to place."""
    cores = sum(len(pool.cores) for pool in machine.pools) or 1
    memory = sum(node.memory_bytes for node in machine.nodes) or 1
    wanted = costs.item.wanted
    return max(wanted.cores / cores, wanted.memory_bytes / memory) + (1.0 if wanted.one_node else 0.0)


@dataclass(frozen=True)
class _Priced:
    """What may be had at a home, the cheapest first."""

    pools: tuple[tuple[float, tuple[int, ...]], ...]
    """Pools of equal cost together."""
    nodes: tuple[int, ...]


class Choice:
    """The homes of an item, the cheapest first, and what may be had at each."""

    def __init__(self, costs: Costs, alone: Mapping[int, Alone]) -> None:
        self.costs, self._alone = costs, alone
        self.weight = costs.item.weight
        sign = 1 if costs.item.purpose == "database" else -1
        self.homes = sorted(alone, key=lambda home: (alone[home].cost, sign * home))
        self._priced: dict[int, _Priced] = {}

    def least(self, home: int) -> float:
        """What it costs there at least."""
        return self.weight * self._alone[home].cost

    def priced(self, home: int) -> _Priced:
        """Looked up once."""
        if home not in self._priced:
            by_cost = sorted((self.costs.of_core(home, pool), pool) for pool in self.costs.pools(home))
            groups = groupby(by_cost, key=lambda one: one[0])
            nodes = sorted(
                self.costs.memory_nodes(home), key=lambda node: (self.costs.of_unit(home, node), node)
            )
            self._priced[home] = _Priced(
                tuple((cost, tuple(pool for _, pool in members)) for cost, members in groups), tuple(nodes)
            )
        return self._priced[home]


class _Plan:
    """What was given so far, and what is left."""

    def __init__(self, machine: Machine, choices: Sequence[Choice], barred: tuple[int, int] | None) -> None:
        self._choices, self._barred = choices, barred
        self._given: dict[int, Given] = {}
        self._cores = [len(pool.cores) for pool in machine.pools]
        self._bytes = [node.memory_bytes for node in machine.nodes]
        self._machine = machine
        self._users = list(machine.users)
        """By cache domain."""

    def given(self) -> list[Given]:
        """In the order of the items."""
        return [self._given[at] for at in range(len(self._choices))]

    def add(self, at: int) -> bool:
        """Gives an item the best that is left; False: nothing that is left is enough."""
        best = min(self._ways(at), key=lambda one: one[0], default=None)
        if best is None:
            return False
        self._change(at, best[1], 1)
        self._given[at] = best[1]
        return True

    def take(self, at: int, cores: Mapping[int, int], units: Mapping[int, int]) -> bool:
        """Gives an item what is said, at the home where that costs least; False: at none of them it may have that."""
        costs = self._choices[at].costs
        fitting = [
            Given(home, cores, units, costs.of(home, cores, units))
            for home in self._choices[at].homes
            if set(cores) <= set(costs.pools(home)) and set(units) <= set(costs.memory_nodes(home))
        ]
        if not fitting:
            return False
        self._given[at] = min(fitting, key=lambda one: one.cost)
        self._change(at, self._given[at], 1)
        return True

    def improve(self, in_pairs: bool) -> None:
        """Takes out each, and each with another, as long as that helps; pairs take longest."""
        for _ in range(_ROUNDS):
            before = self._cost(range(len(self._choices)))
            for one in range(len(self._choices)):
                self._again((one,))
                if in_pairs and self._is_dear(one):
                    for other in range(len(self._choices)):
                        if other != one and self._is_dear(one):
                            self._again((one, other))
            if self._cost(range(len(self._choices))) > before - _LESS:
                return

    def _is_dear(self, at: int) -> bool:
        """Whether it costs more than it would alone."""
        choice = self._choices[at]
        return choice.weight * self._given[at].cost > choice.least(choice.homes[0]) + _LESS

    def _again(self, items: Sequence[int]) -> None:
        """Takes items out and puts them back one after the other, if the plan is better then."""
        before = {at: self._given[at] for at in items}
        cost = self._cost(items)
        for at in items:
            self._change(at, self._given.pop(at), -1)
        is_better = all(self.add(at) for at in items) and self._cost(items) < cost - _LESS
        if not is_better:
            for at in items:
                if at in self._given:
                    self._change(at, self._given.pop(at), -1)
            for at, given in before.items():
                self._change(at, given, 1)
                self._given[at] = given

    def _cost(self, items: Sequence[int]) -> float:
        """Of these, and of all shared domains."""
        own = sum(self._choices[at].weight * self._given[at].cost for at in items if at in self._given)
        return own + SHARED_COST * sum(max(0, users - 1) for users in self._users)

    def _change(self, at: int, given: Given, sign: int) -> None:
        for pool, count in given.cores.items():
            self._cores[pool] -= sign * count
        for domain in self._machine.in_domains(given.cores):
            self._users[domain] += sign
        unit_bytes = self._choices[at].costs.item.wanted.unit_bytes
        for node, units in given.units.items():
            self._bytes[node] -= sign * units * unit_bytes

    def _ways(self, at: int) -> Iterator[tuple[float, Given]]:
        """What it can be given at each home that may be better than those before, with what that adds to the plan."""
        choice, least = self._choices[at], float("inf")
        for home in choice.homes:
            if choice.least(home) >= least - _LESS:
                return
            if (at, home) != self._barred and (given := self._at_home(choice, home)) is not None:
                beside = sum(self._users[domain] > 0 for domain in self._machine.in_domains(given.cores))
                cost = choice.weight * given.cost + SHARED_COST * beside
                least = min(least, cost)
                yield cost, given

    def _at_home(self, choice: Choice, home: int) -> Given | None:
        priced, wanted = choice.priced(home), choice.costs.item.wanted
        cores, units = dict[int, int](), dict[int, int]()
        missing = wanted.cores
        for _, pools in priced.pools:
            free = {pool: self._cores[pool] for pool in pools if self._cores[pool]}
            while missing and free:
                pool = self._fitting(free, missing)
                cores[pool] = min(free.pop(pool), missing)
                missing -= cores[pool]
        short = wanted.units
        for node in priced.nodes:
            taken = min(short, self._bytes[node] // wanted.unit_bytes)
            if taken:
                units[node] = taken
                short -= taken
        if missing or short:
            return None
        return Given(home, cores, units, choice.costs.of(home, cores, units))

    def _fitting(self, free: Mapping[int, int], missing: int) -> int:
        """The smallest pool that is enough, one of a domain that nobody has cores of first; else the largest."""

        def is_used(pool: int) -> bool:
            return self._users[self._machine.domains[pool]] > 0

        enough = [pool for pool, count in free.items() if count >= missing]
        if enough:
            return min(enough, key=lambda pool: (is_used(pool), free[pool], pool))
        return min(free, key=lambda pool: (-free[pool], is_used(pool), pool))
