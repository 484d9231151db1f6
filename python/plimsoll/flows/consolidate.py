"""Several databases on one storage: where all of them are refused, the largest set that is not.

It is chosen by the lines that were found (`placement/fitting`), then judged as all of them were. One that is refused rules out all
sets that ask for more than the share of it that is carried, its own lines are taken to those that are known, and the next one is
chosen.
Lines only choose, since some are rates that held and no more: where by them not even one fits, the smallest is judged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from plimsoll.base.errors import UsageError
from plimsoll.context import Context
from plimsoll.demand.summed import in_words
from plimsoll.demand.together import Together
from plimsoll.facts import Consolidation, Demand, SetVerdict, Verdict
from plimsoll.flows.replay import at_lines
from plimsoll.placement.at_least import AtLeast
from plimsoll.placement.fitting import Candidates, largest_set
from plimsoll.placement.refused import Refused, refused_by
from plimsoll.placement.solver import numpy_module, unless_unsolved
from plimsoll.predict.consolidation import Fitting, Share, consolidation
from plimsoll.predict.storage_time import AtLine, prices_of, share_of_time
from plimsoll.predict.verdict import Measured

if TYPE_CHECKING:
    import numpy as np

SETS_MAX = 3
"""Each is judged as all of them were, and takes as long."""

_NEARLY = 0.9
"""Of a load: what asks for as much at any time is nearly the same, and is not measured again."""

LOOKS_MAX = 100
"""Sets that are looked at: of databases that are nearly equal many are known by one that was judged."""

JudgeSet = Callable[[Demand], tuple[Verdict, tuple[Measured, ...]] | None]
"""The verdict on a demand, and its measured mixes; None where it is not measured."""


@dataclass(frozen=True)
class Several:
    """Databases that were named together, what each is worth, what all of them ask for, and how far one does for another."""

    together: Together
    weights: tuple[int, ...]
    whole: Demand
    at_least: AtLeast

    @property
    def factor(self) -> float:
        """The burst factor, which holds for all of them."""
        return self.whole.burst_factor or 1.0


def several_of(together: Together, weights: dict[str, int]) -> Several:
    """Each is worth 1 where nothing else is said. Raises UsageError `weight-unreadable`, `demands-bursts`; WorldError
    `extra-missing`.
    """
    # Before anything is measured: without the solver no set would be found in the end.
    numpy_module()
    for name in weights:
        if name not in together.names:
            message = f"there is no database {name} among {in_words(together.names)}"
            raise UsageError(
                "weight-unreadable", message, f"Name one of them, such as {together.names[0]}=2."
            )
    chosen = tuple(weights.get(name, 1) for name in together.names)
    return Several(together, chosen, together.sum_of(range(len(chosen))), AtLeast(together))


def carried_share(verdict: Verdict) -> float:
    """Of a load that was refused, what is carried at the most: who asks for more than that share of it is refused as well.

    Of a mix with slack it is more by that. What asks for much less is measured, however little was carried.
    """
    if verdict.headroom is None:
        return 1.0
    most = verdict.headroom if verdict.headroom_ci95 is None else verdict.headroom_ci95[1]
    slack = max((one.slack for one in verdict.mixes), default=0.0)
    return min(1.0, max(_NEARLY, verdict.headroom, most * (1 + slack)))


def told_of_others(what: Several, databases: frozenset[int], share: float) -> Iterator[Refused]:
    """What it says that these were refused, of which no more than that share is carried."""

    def stands_in(one: int, of: int) -> bool:
        return what.at_least.asks_for(frozenset({one}), share, frozenset({of}))

    return refused_by(databases, range(len(what.weights)), stands_in)


def consolidated(
    ctx: Context, what: Several, verdict: Verdict, mixes: Sequence[Measured], judge_set: JudgeSet
) -> Consolidation:
    """What is said of them together, with the sets that were judged where all of them are refused."""
    lines = at_lines(mixes)
    share = _share(what, lines) if lines else None
    if verdict.carries is not False or not lines:
        return consolidation(what.together, what.weights, Fitting(verdict.carries, share=share))
    search = _Search(ctx, what, list(lines))
    search.refuse(frozenset(range(len(what.weights))), carried_share(verdict))
    none_fits = search.run(judge_set)
    fitting = Fitting(False, tuple(search.sets), share, none_fits)
    return consolidation(what.together, what.weights, fitting)


def shares_of(what: Several, lines: Sequence[AtLine]) -> np.ndarray:
    """Shares of the storage's time by each price, with the burst factor; a database a column, a known moment a row."""
    numpy = numpy_module()
    iops = numpy.array([[part.iops or 0.0 for part in moment.parts] for moment in what.together.known])
    moved = _moved(what)
    prices = prices_of(lines)
    return what.factor * numpy.concatenate([price.io_s * iops + price.byte_s * moved for price in prices])


@dataclass(frozen=True)
class Asked:
    """What databases ask for together in each moment in which all of them are known: I/Os, and bytes, per second."""

    iops: np.ndarray
    moved: np.ndarray
    unknown_share: float
    """Of the time that they have in common, how much is none of these moments."""


def asked_of(demand: Demand) -> Asked:
    """Of the sum of their demands."""
    numpy = numpy_module()
    known = [one for one in demand.intervals if one.gap is None]
    whole_s = sum(one.duration_s for one in demand.intervals)
    return Asked(
        numpy.array([one.iops or 0.0 for one in known]),
        numpy.array([1e6 * (one.mb_per_s or 0.0) for one in known]),
        1 - sum(one.duration_s for one in known) / whole_s if whole_s else 0.0,
    )


def share_max(what: Several, lines: Sequence[AtLine], asked: Asked) -> float | None:
    """The largest share of the storage's time that is taken in any of these moments, with the burst factor; None: there is none."""
    if not len(asked.iops):
        return None
    prices = prices_of(lines)
    return what.factor * max(
        float((one.io_s * asked.iops + one.byte_s * asked.moved).max()) for one in prices
    )


def _moved(what: Several) -> np.ndarray:
    """Bytes per second of each database in each known moment."""
    return numpy_module().array(
        [[1e6 * (part.mb_per_s or 0.0) for part in moment.parts] for moment in what.together.known]
    )


def _share(what: Several, lines: Sequence[AtLine]) -> Share:
    """Of the storage's time, with the burst factor."""
    share = share_of_time(lines)
    return lambda interval: what.factor * share(interval)


@dataclass
class _Search:
    ctx: Context
    what: Several
    lines: list[AtLine]
    sets: list[SetVerdict] = field(default_factory=list)
    refused: dict[frozenset[int], float] = field(default_factory=dict[frozenset[int], float])
    """Each with the share of it that is carried at the most."""
    told: list[Refused] = field(default_factory=list)
    """What these say of others."""

    def refuse(self, databases: frozenset[int], share: float = 1.0) -> None:
        """Takes these, and what asks for more than that share of them, out of what can be chosen."""
        self.refused[databases] = share
        self.told += told_of_others(self.what, databases, share)

    def run(self, judge_set: JudgeSet) -> bool:
        """Judges sets until one is not refused; whether it ended as each database was refused alone."""
        for _ in range(LOOKS_MAX):
            chosen = unless_unsolved(largest_set, self._candidates())
            if chosen is None:
                return False
            chosen = chosen or self._smallest()
            if not chosen:
                return True
            if self._is_known(frozenset(chosen)):
                self.refuse(frozenset(chosen))
            elif len(self.sets) == SETS_MAX or not self._is_refused(chosen, judge_set):
                return False
        return False

    def _is_known(self, chosen: frozenset[int]) -> bool:
        """Whether something was refused of which these ask for more than is carried."""
        asks_for = self.what.at_least.asks_for
        return any(asks_for(chosen, share, one) for one, share in self.refused.items())

    def _is_refused(self, chosen: tuple[int, ...], judge_set: JudgeSet) -> bool:
        names = in_words([self.what.together.names[number] for number in chosen])
        self.ctx.remark(
            "line", f"not all fit together; whether {names} {'do' if len(chosen) > 1 else 'does'}"
        )
        found = judge_set(self.what.together.sum_of(chosen))
        self.sets.append(self._told(chosen, None if found is None else found[0]))
        if found is None or found[0].carries is not False:
            return False
        self.refuse(frozenset(chosen), carried_share(found[0]))
        self.lines += at_lines(found[1])
        return True

    def _smallest(self) -> tuple[int, ...]:
        """The database that takes least of the storage's time by the lines, of those that were not refused alone."""
        numbers = range(len(self.what.weights))
        left = [number for number in numbers if not self._is_known(frozenset({number}))]
        most = shares_of(self.what, self.lines).max(axis=0)
        return tuple(sorted(left, key=lambda number: (most[number], number))[:1])

    def _candidates(self) -> Candidates:
        numpy = numpy_module()
        lengths = numpy.array([moment.duration_s for moment in self.what.together.known])
        return Candidates(
            shares_of(self.what, self.lines),
            self.what.weights,
            tuple(lengths @ _moved(self.what)),
            tuple(self.told),
        )

    def _told(self, chosen: Sequence[int], verdict: Verdict | None) -> SetVerdict:
        return SetVerdict(
            databases=tuple(self.what.together.names[number] for number in chosen),
            weight=sum(self.what.weights[number] for number in chosen),
            carries=None if verdict is None else verdict.carries,
            headroom=None if verdict is None else verdict.headroom,
            reason="it was not measured" if verdict is None else verdict.reason,
        )
