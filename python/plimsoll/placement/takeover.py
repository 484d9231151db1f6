"""Which surviving node takes which database of a node that is lost: of all arrangements the one that leaves most headroom.

A node has headroom where in each moment the shares of its storage's time that its databases take are less than all of it. The
largest share on any node is made as small as it can be; HiGHS proves that no arrangement has a smaller one, where its search ends.
Limits of single moments are added as they are broken, as in `fitting`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plimsoll.placement.refused import Refused
from plimsoll.placement.solver import Impossible, Problem, Solution, infinity, numpy_module, solve

if TYPE_CHECKING:
    import numpy as np

_TOLERANCE = 1e-8
"""Of a share: what the solver may be off by."""
_PROVED = 1e-6
"""A bound nearer than this is reached."""


@dataclass(frozen=True)
class Takeover:
    """What can be arranged. `shares` has a column for each database, a row for each moment, 1 for all of a storage's time."""

    shares: np.ndarray
    weights: Sequence[int]
    """How much each database is worth, above 0."""
    lost: Sequence[int]
    """Databases of the node that is lost, by number."""
    own: Sequence[Sequence[int]]
    """Of each node that is left those that run there already; one node at least."""
    refused: Sequence[Refused] = ()
    """What is known not to fit on a node, and with it all that holds it."""

    def sets_of(self, arrangement: Arrangement) -> tuple[frozenset[int], ...]:
        """What then runs on each node that is left."""
        return tuple(
            frozenset(own) | {one for one, to in zip(self.lost, arrangement.to, strict=True) if to == node}
            for node, own in enumerate(self.own)
        )

    def share_of(self, chosen: Sequence[int] | frozenset[int]) -> float:
        """The most that these take of a storage's time in any moment."""
        return float(self.shares[:, sorted(chosen)].sum(axis=1).max(initial=0.0))


@dataclass(frozen=True)
class Arrangement:
    """Where each lost database goes, by the number of the node that is left; None: it finds no place."""

    to: tuple[int | None, ...]
    is_proved: bool = True
    """Whether no other arrangement is better; else the search was too large to be ended."""


def with_all(of: Takeover) -> Arrangement:
    """The arrangement of all lost databases with the most headroom, however little that is, whatever was refused.

    Raises WorldError `extra-missing`.
    """
    return _widest(of, [_Row(row, 1.0, 1.0) for row in _places(of)], infinity())


def with_all_unrefused(of: Takeover) -> Arrangement:
    """The same of those in which no node has all of a set that was refused.

    Raises `Impossible` where there is none; WorldError `extra-missing`.
    """
    return _widest(of, [*(_Row(row, 1.0, 1.0) for row in _places(of)), *_refusals(of)], infinity())


def within(of: Takeover) -> Arrangement:
    """The databases with the most weight that find a place, arranged with the most headroom.

    Raises `Impossible` where a node that is left is refused as it is; WorldError `extra-missing`.
    """
    rows = [*(_Row(row, 0.0, 1.0) for row in _places(of)), *_refusals(of)]
    most = max(1.0, _least_share(of))
    if not of.lost:
        return Arrangement(())
    worth = _weights(of)
    placed, is_proved = _solved(of, rows, worth, (most, most))
    weight = float(worth @ (placed.values > 0.5))
    found = _widest(of, [*rows, _Row(worth, weight - 0.5, infinity())], most)
    return Arrangement(found.to, is_proved and found.is_proved)


@dataclass(frozen=True)
class _Row:
    """A limit: what the unknowns weigh, and the bounds of the sum."""

    values: np.ndarray
    low: float
    high: float


def _widest(of: Takeover, rows: Sequence[_Row], most: float) -> Arrangement:
    """The smallest largest share within these limits. The last unknown is that share, the others say where each database goes."""
    if not of.lost:
        return Arrangement(())
    gain = _nothing(of)
    gain[-1] = -1.0
    solution, is_proved = _solved(of, rows, gain, (_least_share(of), most))
    return Arrangement(_places_in(of, solution), is_proved)


def _solved(
    of: Takeover, rows: Sequence[_Row], gain: np.ndarray, share: tuple[float, float]
) -> tuple[Solution, bool]:
    """The best within the limits and those of all moments, and whether it is proved to be."""
    limits, seen = list(rows), set[tuple[int, int]]()
    while True:
        solution = solve(_problem(of, limits, gain, share))
        broken = [one for one in _broken(of, solution) if one not in seen]
        if not broken:
            return solution, solution.bound - float(gain @ solution.values) <= _PROVED
        seen.update(broken)
        limits += [_moment(of, node, moment) for node, moment in broken]


def _problem(of: Takeover, rows: Sequence[_Row], gain: np.ndarray, share: tuple[float, float]) -> Problem:
    numpy = numpy_module()
    matrix = numpy.array([row.values for row in rows])
    row, column = numpy.nonzero(matrix)
    low, high, whole = _nothing(of), _nothing(of) + 1.0, numpy.ones(len(gain), dtype=bool)
    low[-1], high[-1], whole[-1] = *share, False
    return Problem(
        gain=gain,
        low=low,
        high=high,
        row=row,
        column=column,
        value=matrix[row, column],
        row_low=numpy.array([one.low for one in rows]),
        row_high=numpy.array([one.high for one in rows]),
        whole=whole,
    )


def _broken(of: Takeover, solution: Solution) -> Iterator[tuple[int, int]]:
    """On each node the moment that takes most, where that is more than the share that was found."""
    arrangement = Arrangement(_places_in(of, solution))
    for node, chosen in enumerate(of.sets_of(arrangement)):
        taken = of.shares[:, sorted(chosen)].sum(axis=1)
        if len(taken) and taken.max() > solution.values[-1] + _TOLERANCE:
            yield node, int(taken.argmax())


def _moment(of: Takeover, node: int, moment: int) -> _Row:
    """What lost databases take of that node in that moment, beside its own, is no more than the largest share."""
    values = _nothing(of)
    values[node : -1 : len(of.own)] = of.shares[moment, list(of.lost)]
    values[-1] = -1.0
    return _Row(values, -infinity(), -float(of.shares[moment, list(of.own[node])].sum()))


def _refusals(of: Takeover) -> Iterator[_Row]:
    """On no node what was refused, what runs there already being a part of it."""
    for node, own in enumerate(map(frozenset, of.own)):
        for refused in of.refused:
            if refused.is_in(own):
                raise Impossible
            if refused.is_in(own.union(of.lost)):
                yield _refusal(of, node, own, refused)


def _refusal(of: Takeover, node: int, own: frozenset[int], refused: Refused) -> _Row:
    values = _nothing(of)
    for number, one in enumerate(of.lost):
        weight = (one in refused.of) + refused.spare * (one in refused.beside)
        values[number * len(of.own) + node] = float(weight)
    missing = len(refused.beside - own)
    return _Row(
        values, -infinity(), float(refused.many - 1 - len(refused.of & own) + refused.spare * missing)
    )


def _places(of: Takeover) -> Iterator[np.ndarray]:
    """For each lost database all nodes that it could go to."""
    for number in range(len(of.lost)):
        values = _nothing(of)
        values[number * len(of.own) : (number + 1) * len(of.own)] = 1.0
        yield values


def _weights(of: Takeover) -> np.ndarray:
    numpy = numpy_module()
    worth = _nothing(of)
    worth[:-1] = numpy.repeat([float(of.weights[one]) for one in of.lost], len(of.own))
    return worth


def _nothing(of: Takeover) -> np.ndarray:
    """A zero for each lost database on each node, and for the largest share."""
    return numpy_module().zeros(len(of.lost) * len(of.own) + 1)


def _least_share(of: Takeover) -> float:
    """What is taken already where most is."""
    return max(of.share_of(own) for own in of.own)


def _places_in(of: Takeover, solution: Solution) -> tuple[int | None, ...]:
    taken = solution.values[:-1].reshape(len(of.lost), len(of.own)) > 0.5
    return tuple(int(row.argmax()) if row.any() else None for row in taken)
