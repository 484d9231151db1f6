"""Results, open by kind: one file a kind. `fill.py` is the kind `fill` of `Run.results`, and holds what is asked of it.

That is its class, its answer in a few words, the exit status, the data of `--json`, what people see of it on a terminal and on the
page, and the columns that the store keeps of it. A kind whose class is in `plimsoll.facts.run.RESULTS` is known there already; a
file may bring a class of its own.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from plimsoll.base import registry
from plimsoll.base.errors import ExitStatus, UsageError
from plimsoll.base.later import loaded_later
from plimsoll.facts.run import RESULTS
from plimsoll.results._blocks import (
    Answer,
    Block,
    Figure,
    Figures,
    Folded,
    Gauge,
    Grid,
    Pairs,
    Points,
    Tone,
    Words,
)
from plimsoll.results._compared import Compared, Side
from plimsoll.results._kind import ColumnKind, ResultKind, RunColumn, cells_status
from plimsoll.results._words import (
    MIX_COLUMNS,
    MIX_SPARE,
    TRIAL_COLUMNS,
    TRIAL_SPARE,
    doubt_of,
    doubts_of_trials,
    held_part_words,
    held_rate,
    of_mix,
    of_trial,
    unconfirmed_said,
)

if TYPE_CHECKING:
    from plimsoll.facts import Comparison, Demand, Run
    from plimsoll.results._line_hosts import hosts_grid, hosts_lost, hosts_said, hosts_words
    from plimsoll.results._unread_files import unread_data

_LATER = {
    **dict.fromkeys(("hosts_grid", "hosts_lost", "hosts_said", "hosts_words"), "_line_hosts"),
    "unread_data": "_unread_files",
}
"""What most kinds do not need, and where it is from."""

__all__ = [
    "MIX_COLUMNS",
    "MIX_SPARE",
    "TRIAL_COLUMNS",
    "TRIAL_SPARE",
    "Answer",
    "Block",
    "ColumnKind",
    "Compared",
    "Figure",
    "Figures",
    "Folded",
    "Gauge",
    "Grid",
    "Pairs",
    "Points",
    "ResultKind",
    "RunColumn",
    "Side",
    "Tone",
    "Words",
    "activity_blocks",
    "answer",
    "compare_runs",
    "compared_of",
    "comparison_blocks",
    "doubt_of",
    "doubts_of_trials",
    "held_part_words",
    "held_rate",
    "hosts_grid",
    "hosts_lost",
    "hosts_said",
    "hosts_words",
    "kinds",
    "kinds_of",
    "load_all",
    "main_kind",
    "of_mix",
    "of_trial",
    "status",
    "unconfirmed_said",
    "unread_data",
]


class Kinds(Mapping[str, ResultKind]):
    """Every kind by its name, loaded when it is first asked for. To go through them loads all, those that speak for a run first."""

    def __init__(self) -> None:
        self._room = sys.modules[__name__]
        self._names = frozenset(name.replace("-", "_") for name in registry.names(self._room))
        self._loaded: dict[str, ResultKind] = {}

    def __getitem__(self, name: str) -> ResultKind:
        if name not in self._names:
            raise KeyError(name)
        if name not in self._loaded:
            kind: ResultKind = registry.load(self._room, name.replace("_", "-"), "RESULT")
            RESULTS.setdefault(name, kind.fact)
            self._loaded[name] = kind
        return self._loaded[name]

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._names, key=lambda name: self[name].rank))

    def __len__(self) -> int:
        return len(self._names)


@cache
def kinds() -> Kinds:
    """The kinds that there are. Runs know one with a class of its own once it is loaded."""
    return Kinds()


def load_all() -> None:
    """Makes all kinds known to runs."""
    for name in kinds():
        kinds()[name]


def kinds_of(names: Iterable[str]) -> list[ResultKind]:
    """Those of the names that are kinds, loaded."""
    return [kinds()[name] for name in names if name in kinds()]


def main_kind(run: Run) -> str | None:
    """The kind that speaks for the run: a verdict says more than the line that it rests on. None: it has no result."""
    known = (name for name in run.results if name in kinds())
    return min(known, key=lambda name: kinds()[name].rank, default=next(iter(run.results), None))


def answer(run: Run) -> str:
    """The answer of the run in a few words."""
    name = main_kind(run)
    if name is not None and name in kinds():
        kind = kinds()[name]
        return "; ".join((kind.answer(run.results[name]), *kind.beside(run)))
    if name is not None:
        return f"a result of the kind {name}, which is not known here"
    return "interrupted before any result" if run.interrupted else "no result"


def status(run: Run) -> ExitStatus:
    """The exit status of the run."""
    kind = kinds().get(main_kind(run) or "")
    if kind is None:
        return ExitStatus.INTERRUPTED if run.interrupted else ExitStatus.DONE
    return cells_status(run, kind.cells(run)) if kind.status is None else kind.status(run)


def compared_of(run: Run) -> tuple[str, Compared]:
    """The kind that speaks for the run, and what it tells a comparison. Raises UsageError `compare-none`."""
    name = main_kind(run)
    kind = kinds().get(name or "")
    if name is None or kind is None or kind.compared is None:
        message = f"run {run.id}, of kind {run.kind}, has nothing to compare"
        if kind is not None and kind.instead:
            raise UsageError("compare-none", message, kind.instead)
        raise UsageError("compare-none", message, "Name runs with figures; see `plimsoll store list`.")
    return name, kind.compared


def compare_runs(sides: Sequence[Side]) -> Comparison:
    """Sides of runs against the first of them. Raises UsageError `compare-unlike`, `compare-none`."""
    # Imported when used, here and below: what saves or lists runs need not wait for statistics and charts.
    from plimsoll.results import _comparing

    return _comparing.compare_runs(sides)


def comparison_blocks(found: Comparison) -> list[Block]:
    """A comparison as people see it, but for its headline."""
    from plimsoll.results import _comparison_blocks

    return _comparison_blocks.comparison_blocks(found)


def activity_blocks(demand: Demand) -> list[Block]:
    """What the server counted over the span of a demand, section by section; none where nothing was counted."""
    from plimsoll.results import _activity

    return _activity.blocks(demand)


if not TYPE_CHECKING:  # or no checker of types would miss a name that is none
    __getattr__ = loaded_later(__name__, _LATER)
