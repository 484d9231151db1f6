"""Databases on several nodes, each with a storage like the target of its own: each node judged, and the loss of each.

What runs on a node is judged as several databases on one storage are. Where the databases of a lost node go is chosen by the lines
that were found (`placement/takeover`), and what then runs on each node is judged in turn. A set that is refused rules out all sets
that ask for more than the share of it that is carried, its own lines are taken to those that are known, and the next arrangement
is chosen.
Lines only choose, since some are rates that held and no more: a loss is survived where an arrangement was judged and is carried,
and it is not where each arrangement there is holds a set that was refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from plimsoll.base.errors import UsageError
from plimsoll.context import Context
from plimsoll.demand.summed import in_words
from plimsoll.facts import Demand, Failover, NodeLoad, NodeLoss, Verdict
from plimsoll.flows.consolidate import (
    LOOKS_MAX,
    Asked,
    Several,
    asked_of,
    carried_share,
    share_max,
    shares_of,
    told_of_others,
)
from plimsoll.flows.replay import at_lines
from plimsoll.placement.refused import Refused
from plimsoll.placement.solver import Impossible, unless_unsolved
from plimsoll.placement.takeover import Arrangement, Takeover, with_all, with_all_unrefused, within
from plimsoll.predict.failover import (
    all_carry,
    failover,
    node_load,
    node_loss,
    refused_load,
    tightest_of,
)
from plimsoll.predict.storage_time import AtLine
from plimsoll.predict.verdict import Measured

if TYPE_CHECKING:
    import numpy as np

ARRANGEMENTS_MAX = 4
"""Of all databases of a lost node, and again of some of them: each set in one is judged as all are, and takes as long."""


class Judged(Protocol):
    """What judging a demand gives."""

    @property
    def verdict(self) -> Verdict: ...
    @property
    def mixes(self) -> tuple[Measured, ...]: ...


Found = TypeVar("Found", bound=Judged)


@dataclass(frozen=True)
class Nodes:
    """Which of several databases run on which node, by their numbers; on some none may."""

    several: Several
    on: Mapping[str, tuple[int, ...]]

    def names(self, chosen: Sequence[int] | frozenset[int]) -> tuple[str, ...]:
        """Of the databases of these numbers, in the order in which they were given."""
        return tuple(self.several.together.names[number] for number in sorted(chosen))


def nodes_of(several: Several, named: Mapping[str, Sequence[str]]) -> Nodes:
    """The nodes that were named. Raises UsageError `node-databases`: each database runs on one node."""
    names = several.together.names
    places: dict[str, str] = {}
    for node, databases in named.items():
        for name in databases:
            _check_known(node, name, names)
            if name in places:
                twice = "twice" if places[name] == node else f"on {places[name]} and on {node}"
                message = f"the database {name} runs {twice}"
                raise UsageError("node-databases", message, "Name each database once, on one node.")
            places[name] = node
    left = [name for name in names if name not in places]
    if left:
        message = f"{in_words(left)} {'runs' if len(left) == 1 else 'run'} on no node"
        node = next(iter(named))
        hint = f"Name the node of each database, such as --node {node}={','.join([*named[node], left[0]])}."
        raise UsageError("node-databases", message, hint)
    return Nodes(
        several, {node: tuple(sorted(map(names.index, databases))) for node, databases in named.items()}
    )


def _check_known(node: str, name: str, names: Sequence[str]) -> None:
    if name not in names:
        message = f"there is no database {name} among {in_words(names)}, which is to run on {node}"
        raise UsageError(
            "node-databases", message, f"Name them as they are called there, such as {names[0]}."
        )


@dataclass(frozen=True)
class OnNodes(Generic[Found]):
    """What is said of the nodes, and the judgement on the one with the least headroom; None where none was judged."""

    failover: Failover
    demand: Demand
    tightest: Found | None


def on_nodes(ctx: Context, nodes: Nodes, judge: Callable[[Demand], Found | None]) -> OnNodes[Found]:
    """Judges each node in normal work, then the loss of each. `judge` gives None where there is no more measuring."""
    search = _Search(ctx, nodes, judge)
    normal = search.normal()
    found = failover(normal, [search.loss(node, normal) for node in nodes.on])
    tightest = tightest_of(normal)
    if tightest is None:
        return OnNodes(found, nodes.several.whole, None)
    chosen = nodes.on[tightest.node]
    return OnNodes(found, nodes.several.together.sum_of(chosen), search.known[frozenset(chosen)])


@dataclass
class _Search(Generic[Found]):
    ctx: Context
    nodes: Nodes
    judge: Callable[[Demand], Found | None]
    known: dict[frozenset[int], Found | None] = field(default_factory=dict)
    """What was judged, by the databases in it."""
    lines: list[AtLine] = field(default_factory=list)
    refused: dict[frozenset[int], frozenset[int]] = field(
        default_factory=dict[frozenset[int], frozenset[int]]
    )
    """Sets that were refused, or that ask for more than is carried of one that was, each with that one."""
    carried: dict[frozenset[int], float] = field(default_factory=dict[frozenset[int], float])
    """Of those that were refused the share that is carried at the most."""
    asked: dict[frozenset[int], Asked] = field(default_factory=dict[frozenset[int], Asked])
    """What sets ask for, each by itself: also where another database is not known."""
    by_lines: tuple[int, np.ndarray | None] = (0, None)
    """Of how many lines, and the shares by these."""

    def normal(self) -> list[NodeLoad]:
        """Each node with its own databases."""
        for node, chosen in self.nodes.on.items():
            self._judged(frozenset(chosen), f"whether {node} carries")
        return [self._load(node, frozenset(chosen)) for node, chosen in self.nodes.on.items()]

    def loss(self, lost: str, normal: Sequence[NodeLoad]) -> NodeLoss:
        """That node lost: where its databases go, and whether the others carry them."""
        databases = self.nodes.names(self.nodes.on[lost])
        rest = [one for one in normal if one.node != lost]
        if all_carry(rest) is not True:
            return node_loss(lost, databases, all_carry(rest), (), rest, None, _not_even_alone(lost, rest))
        if not databases:
            return node_loss(lost, (), True, rest, rest, ())
        if not self.lines:
            why = f"Whether the loss of {lost} is survived cannot be told: no line was found."
            return node_loss(lost, databases, None, (), rest, None, why)
        return self._with_lines(lost, databases, rest)

    def _with_lines(self, lost: str, databases: Sequence[str], rest: Sequence[NodeLoad]) -> NodeLoss:
        """Arrangements of all its databases, those with the most headroom first, until one is not refused or none is left."""
        judged: list[list[NodeLoad]] = []
        measured = 0
        while True:
            of = self._takeover(lost, rest)
            try:
                chosen = unless_unsolved(with_all_unrefused, of)
            except Impossible:
                first = judged[0] if judged else self._refused_loads(of, rest)
                return self._with_fewer(lost, databases, rest, first)
            if chosen is None or measured == ARRANGEMENTS_MAX or len(judged) == LOOKS_MAX:
                why = _NOT_FOUND if chosen is None else _NOT_MEASURED
                told = f"Whether the loss of {lost} is survived cannot be told: {why}."
                first = judged[0] if judged else []
                return node_loss(lost, databases, None, first, first or rest, None, told)
            known = len(self.known)
            loads = self._arranged(lost, of, chosen, rest)
            judged.append(loads)
            measured += len(self.known) > known
            carries = all_carry(loads)
            if carries is not False:
                return node_loss(lost, databases, carries, loads, loads, () if carries else None)

    def _refused_loads(self, of: Takeover, rest: Sequence[NodeLoad]) -> list[NodeLoad]:
        """What is known of the arrangement with the most headroom, where each one was refused before."""
        chosen = unless_unsolved(with_all, of)
        return [] if chosen is None else self._loads(of, chosen, rest)

    def _with_fewer(
        self, lost: str, databases: Sequence[str], rest: Sequence[NodeLoad], first: Sequence[NodeLoad]
    ) -> NodeLoss:
        """Not all of them can be carried: those of most weight that seem to fit."""
        for _ in range(ARRANGEMENTS_MAX):
            of = self._takeover(lost, rest)
            try:
                chosen = unless_unsolved(within, of)
            except Impossible:
                break
            if chosen is None:
                break
            nowhere = [one for one, to in zip(of.lost, chosen.to, strict=True) if to is None]
            if len(nowhere) == len(of.lost) and not self._none_fits(of):
                break
            loads = self._arranged(lost, of, chosen, rest)
            carries = all_carry(loads)
            if carries is None:
                break
            if carries:
                return node_loss(lost, databases, False, first, loads, self.nodes.names(nowhere))
        return node_loss(lost, databases, False, first, first or rest, None)

    def _none_fits(self, of: Takeover) -> bool:
        """Whether each database of the lost node was refused on each that is left, alone beside what runs there."""
        sets = [frozenset({*own, one}) for own in of.own for one in of.lost]
        return all(self._refusing(chosen) is not None for chosen in sets)

    def _takeover(self, lost: str, rest: Sequence[NodeLoad]) -> Takeover:
        own = [self.nodes.on[one.node] for one in rest]
        refused = tuple(self._told(list(map(frozenset, own))))
        weights = self.nodes.several.weights
        return Takeover(self._shares(), weights, self.nodes.on[lost], own, refused)

    def _told(self, own: Sequence[frozenset[int]]) -> Iterator[Refused]:
        """What the refusals say, but for what a node carries as it is: two measurements are not one."""
        for databases in self.refused:
            share = self.carried.get(databases, 1.0)
            told = (Refused.whole(databases), *told_of_others(self.nodes.several, databases, share))
            yield from (one for one in told if not any(map(one.is_in, own)))

    def _shares(self) -> np.ndarray:
        """By all lines that are known so far."""
        count, shares = self.by_lines
        if shares is None or count != len(self.lines):
            shares = shares_of(self.nodes.several, self.lines)
            self.by_lines = len(self.lines), shares
        return shares

    def _arranged(
        self, lost: str, of: Takeover, arrangement: Arrangement, rest: Sequence[NodeLoad]
    ) -> list[NodeLoad]:
        """Each node that is left with what then runs on it, judged from the fullest on, until one is refused."""
        sets = of.sets_of(arrangement)
        for number in sorted(range(len(sets)), key=lambda number: -of.share_of(sets[number])):
            found = self._judged(sets[number], f"{lost} is lost; whether {rest[number].node} carries")
            if found is not None and found.verdict.carries is False:
                break
        return self._loads(of, arrangement, rest)

    def _loads(self, of: Takeover, arrangement: Arrangement, rest: Sequence[NodeLoad]) -> list[NodeLoad]:
        """The same by what was judged so far."""
        sets = of.sets_of(arrangement)
        return [self._load(one.node, chosen, one) for one, chosen in zip(rest, sets, strict=True)]

    def _judged(self, chosen: frozenset[int], whether: str) -> Found | None:
        """The judgement on a set, once, or on a smaller one that is refused; its lines are kept for the next choice."""
        if not chosen or chosen in self.known:
            return self.known.get(chosen)
        smaller = self._refusing(chosen)
        if smaller is not None:
            self.refused[chosen] = smaller
            return self.known[smaller]
        self.ctx.remark("line", f"{whether} {in_words(self.nodes.names(chosen))}")
        demand = self.nodes.several.together.sum_of(sorted(chosen))
        self.asked[chosen] = asked_of(demand)
        found = self.known[chosen] = self.judge(demand)
        if found is not None:
            self.lines += at_lines(found.mixes)
            if found.verdict.carries is False:
                self.refused[chosen] = chosen
                self.carried[chosen] = carried_share(found.verdict)
        return found

    def _refusing(self, chosen: frozenset[int]) -> frozenset[int] | None:
        """A set that was refused within it, or of which it asks for more than is carried; or itself."""
        within = next((one for one in self.refused if one <= chosen), None)
        if within is not None:
            return self.refused[within]
        asks_for = self.nodes.several.at_least.asks_for
        shares = ((one, of, self.carried.get(one, 1.0)) for one, of in self.refused.items())
        return next((of for one, of, share in shares if asks_for(chosen, share, one)), None)

    def _load(self, node: str, chosen: frozenset[int], before: NodeLoad | None = None) -> NodeLoad:
        if not chosen:
            return node_load(node, (), None, None)
        asked = self._asked(chosen)
        share = share_max(self.nodes.several, self.lines, asked) if self.lines else None
        return self._judged_load(node, chosen, share, before).but(unknown_share=asked.unknown_share)

    def _asked(self, chosen: frozenset[int]) -> Asked:
        if chosen not in self.asked:
            self.asked[chosen] = asked_of(self.nodes.several.together.sum_of(sorted(chosen)))
        return self.asked[chosen]

    def _judged_load(
        self, node: str, chosen: frozenset[int], share: float | None, before: NodeLoad | None
    ) -> NodeLoad:
        smaller, names = self._refusing(chosen), self.nodes.names(chosen)
        if smaller is not None and chosen not in self.known:
            return refused_load(node, names, share, self.nodes.names(smaller))
        found = self.known.get(chosen)
        return node_load(node, names, None if found is None else found.verdict, share, before)


_NOT_MEASURED = f"{ARRANGEMENTS_MAX} arrangements were not carried, and others, with less headroom by the lines, were not measured"
_NOT_FOUND = "the search for an arrangement of its databases was too large to be ended"


def _not_even_alone(lost: str, rest: Sequence[NodeLoad]) -> str:
    """Why no arrangement was looked for."""
    refused = [one.node for one in rest if one.carries is False]
    if refused:
        do = "do not carry even their own" if len(refused) > 1 else "does not carry even its own"
        return f"The loss of {lost} is not survived: {in_words(refused)} {do} databases."
    unknown = in_words([one.node for one in rest if one.carries is None])
    return f"Whether the loss of {lost} is survived cannot be told, as it cannot be of what runs on {unknown} already."
