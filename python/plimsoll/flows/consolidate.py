"""Several databases on one storage: where all of them are refused, the largest set that is not.

It is chosen by the lines that were found (`placement/fitting`), then judged as all of them were. One that is refused rules out all
sets that hold it, or one that asks for the same, its own lines are taken to those that are known, and the next one is chosen.
Lines only choose, since some are rates that held and no more: where by them not even one fits, the smallest is judged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from plimsoll.base.errors import UsageError
from plimsoll.context import Context
from plimsoll.demand.summed import in_words
from plimsoll.demand.together import Together
from plimsoll.facts import Consolidation, Demand, SetVerdict, Verdict
from plimsoll.flows.replay import at_lines
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

LOOKS_MAX = 100
"""Sets that are looked at: of equal databases many are known by one that was judged."""

JudgeSet = Callable[[Demand], tuple[Verdict, tuple[Measured, ...]] | None]
"""The verdict on a demand, and its measured mixes; None where it is not measured."""


@dataclass(frozen=True)
class Several:
    """Databases that were named together, what each is worth, and what all of them ask for."""

    together: Together
    weights: tuple[int, ...]
    whole: Demand

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
    return Several(together, chosen, together.sum_of(range(len(chosen))))


def consolidated(
    ctx: Context, what: Several, verdict: Verdict, mixes: Sequence[Measured], judge_set: JudgeSet
) -> Consolidation:
    """What is said of them together, with the sets that were judged where all of them are refused."""
    lines = at_lines(mixes)
    share = _share(what, lines) if lines else None
    if verdict.carries is not False or not lines:
        return consolidation(what.together, what.weights, Fitting(verdict.carries, share=share))
    search = _Search(ctx, what, list(lines))
    search.refuse(frozenset(range(len(what.weights))))
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
    refused: list[frozenset[int]] = field(default_factory=list)
    told: list[Refused] = field(default_factory=list)
    """What these say of others."""

    def refuse(self, databases: frozenset[int]) -> None:
        """Takes these, and what asks for the same, out of what can be chosen."""
        self.refused.append(databases)
        self.told += refused_by(databases, self.what.together.groups)

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
        """Whether what asks for the same, or for a part of it, was refused."""
        return any(self.what.together.is_like(chosen, one) for one in self.refused)

    def _is_refused(self, chosen: tuple[int, ...], judge_set: JudgeSet) -> bool:
        names = in_words([self.what.together.names[number] for number in chosen])
        self.ctx.remark(
            "line", f"not all fit together; whether {names} {'do' if len(chosen) > 1 else 'does'}"
        )
        found = judge_set(self.what.together.sum_of(chosen))
        self.sets.append(self._told(chosen, None if found is None else found[0]))
        if found is None or found[0].carries is not False:
            return False
        self.refuse(frozenset(chosen))
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
