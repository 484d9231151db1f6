"""Several databases on one storage: where all of them are refused, the largest set that is not.

It is chosen by the lines that were found (`placement/fitting`), then judged as all of them were. One that is refused rules out all
sets that hold it, its own lines are taken to those that are known, and the next one is chosen.
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
from plimsoll.placement.solver import numpy_module, unless_unsolved
from plimsoll.predict.consolidation import Fitting, Share, consolidation
from plimsoll.predict.storage_time import AtLine, prices_of, share_of_time
from plimsoll.predict.verdict import Measured

if TYPE_CHECKING:
    import numpy as np

SETS_MAX = 3
"""Each is judged as all of them were, and takes as long."""

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
    search = _Search(ctx, what, list(lines), [frozenset(range(len(what.weights)))])
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
    refused: list[frozenset[int]]
    sets: list[SetVerdict] = field(default_factory=list)

    def run(self, judge_set: JudgeSet) -> bool:
        """Judges sets until one is not refused; whether it ended as not even one database fits."""
        while len(self.sets) < SETS_MAX:
            chosen = unless_unsolved(largest_set, self._candidates())
            if chosen is None:
                return False
            if not chosen:
                return True
            names = in_words([self.what.together.names[number] for number in chosen])
            self.ctx.remark("line", f"not all fit together; whether {names} do")
            found = judge_set(self.what.together.sum_of(chosen))
            self.sets.append(self._told(chosen, None if found is None else found[0]))
            if found is None or found[0].carries is not False:
                return False
            self.refused.append(frozenset(chosen))
            self.lines += at_lines(found[1])
        return False

    def _candidates(self) -> Candidates:
        numpy = numpy_module()
        lengths = numpy.array([moment.duration_s for moment in self.what.together.known])
        return Candidates(
            shares_of(self.what, self.lines),
            self.what.weights,
            tuple(lengths @ _moved(self.what)),
            tuple(self.refused),
        )

    def _told(self, chosen: Sequence[int], verdict: Verdict | None) -> SetVerdict:
        return SetVerdict(
            databases=tuple(self.what.together.names[number] for number in chosen),
            weight=sum(self.what.weights[number] for number in chosen),
            carries=None if verdict is None else verdict.carries,
            headroom=None if verdict is None else verdict.headroom,
            reason="it was not measured" if verdict is None else verdict.reason,
        )
