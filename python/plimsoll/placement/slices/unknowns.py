"""A linear problem in whole numbers, put together unknown by unknown and row by row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from plimsoll.placement.solver import Enough, Problem, infinity, numpy_module, solve, unless_unsolved

_EFFORT = 500_000
"""Unknowns times nodes of the search: what takes some ten seconds. Whoever is not done by then has a bound, which is told."""


class NotKnown(Exception):
    """The search ended before it had found anything, or that there is nothing."""


class Unknowns:
    """Finds the unknowns of least cost that satisfy all rows."""

    def __init__(self) -> None:
        self._cost: list[float] = []
        self._high: list[float] = []
        self._rows: list[tuple[float, float, dict[int, float]]] = []
        self._infinity = infinity()

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self._cost)

    def add(self, high: float, cost: float = 0.0) -> int:
        """A whole number from 0 to `high`, each of which costs so much; its place."""
        self._cost.append(cost)
        self._high.append(high)
        return len(self._cost) - 1

    def equal(self, value: float, terms: Mapping[int, float]) -> None:
        """The sum of the terms is `value`."""
        self._rows.append((value, value, dict(terms)))

    def at_most(self, value: float, terms: Mapping[int, float]) -> None:
        """The sum of the terms is `value` or less."""
        self._rows.append((-self._infinity, value, dict(terms)))

    def least(self) -> tuple[list[int], float]:
        """The unknowns, and what no choice of them costs less than. Raises `Impossible`, `NotKnown`, and what `solve` raises."""
        enough = Enough(nodes=max(1, _EFFORT // self.count))
        solution = unless_unsolved(lambda problem: solve(problem, enough), self._problem())
        if solution is None:
            raise NotKnown
        return [round(float(value)) for value in solution.values], -solution.bound

    def cost(self, values: Iterable[int]) -> float:
        """What a choice costs."""
        return sum(cost * value for cost, value in zip(self._cost, values, strict=True))

    def _problem(self) -> Problem:
        numpy = numpy_module()
        entries = [
            (number, column, value)
            for number, (_, _, terms) in enumerate(self._rows)
            for column, value in terms.items()
        ]
        row, column, value = zip(*entries, strict=True) if entries else ((), (), ())
        return Problem(
            gain=-numpy.array(self._cost, dtype=float),
            low=numpy.zeros(len(self._cost)),
            high=numpy.array(self._high, dtype=float),
            row=numpy.array(row, dtype=numpy.int64),
            column=numpy.array(column, dtype=numpy.int64),
            value=numpy.array(value, dtype=float),
            row_low=numpy.array([low for low, _, _ in self._rows], dtype=float),
            row_high=numpy.array([high for _, high, _ in self._rows], dtype=float),
            whole=numpy.ones(len(self._cost), dtype=bool),
        )
