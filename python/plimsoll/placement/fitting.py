"""Which databases fit on one storage together: the set with the most weight, and of equals the one with the most bytes.

A set fits where in each moment the shares of the storage's time that its databases take are at most all of it. Limits of single
moments are added as they are broken: few of a day's seconds decide, and a choice that is best within some of the limits and breaks
none of the others is best within all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plimsoll.placement.exact import SLACK, Options
from plimsoll.placement.optimise import best
from plimsoll.placement.refused import Refused
from plimsoll.placement.solver import Impossible, numpy_module

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Candidates:
    """What can be chosen of: a column of `shares` for each database, a row for each moment, 1 for all of the storage's time."""

    shares: np.ndarray
    weights: Sequence[int]
    """How much each is worth, above 0."""
    amounts: Sequence[float]
    """Bytes that each moves, to tell sets of equal weight apart."""
    refused: Sequence[Refused] = ()
    """What is known not to fit, and with it all that holds it."""


def largest_set(of: Candidates) -> tuple[int, ...]:
    """The databases of the best set, by number; none where not one of them fits. Raises WorldError `extra-missing`."""
    numpy = numpy_module()
    weights = numpy.asarray(of.weights, dtype=float)
    heaviest = _within_all(of, weights, None)
    amounts = numpy.asarray(of.amounts, dtype=float)
    return _within_all(of, amounts, (weights, float(weights[list(heaviest)].sum())))


def _within_all(of: Candidates, gains: np.ndarray, least: tuple[np.ndarray, float] | None) -> tuple[int, ...]:
    """The set that gains most and breaks no limit; with `least`, of at least so much of those weights."""
    numpy = numpy_module()
    rows = [int(of.shares.sum(axis=1).argmax())] if len(of.shares) else []
    while True:
        chosen = _chosen(of, gains, rows, least)
        taken = of.shares[:, list(chosen)].sum(axis=1)
        broken = numpy.setdiff1d(numpy.flatnonzero(taken > 1 + SLACK), rows)
        if not len(broken):
            return chosen
        rows.append(int(broken[taken[broken].argmax()]))


def _chosen(
    of: Candidates, gains: np.ndarray, rows: Sequence[int], least: tuple[np.ndarray, float] | None
) -> tuple[int, ...]:
    """The best choice within the limits of these moments: of each database leaving it out or taking it in."""
    numpy = numpy_module()
    count = len(gains)
    limits = [(of.shares[row], 1.0) for row in rows]
    for refused in of.refused:
        held, beside = (
            numpy.isin(numpy.arange(count), list(databases)).astype(float)
            for databases in (refused.of, refused.beside)
        )
        most = refused.many - 1.0 + refused.spare * len(refused.beside)
        limits.append((held + refused.spare * beside, most))
    if least is not None:
        limits.append((-least[0], -least[1]))
    options = Options(
        unit=numpy.repeat(numpy.arange(count), 2),
        gain=_out_and_in(gains),
        weights=numpy.array([_out_and_in(weights) for weights, _ in limits]).reshape(len(limits), 2 * count),
        most=numpy.array([most for _, most in limits]),
        home=2 * numpy.arange(count),
    )
    try:
        taken = best(options).chosen % 2
    except Impossible:
        assert least is None, "the set whose weight is asked for fits"
        return ()
    return tuple(int(number) for number in numpy.flatnonzero(taken))


def _out_and_in(values: np.ndarray) -> np.ndarray:
    """Each value after a zero: what it adds to leave a database out, and to take it in."""
    numpy = numpy_module()
    return numpy.column_stack([numpy.zeros(len(values)), values]).ravel()
