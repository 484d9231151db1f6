"""Gain for all budgets in one go, and the knee.

Beginning at today's layout, whatever gains most for each byte that moves is added, as long as it fits: each point is a plan
that can be had
for its bytes. Of few objects each point is then replaced by the best plan for its bytes, exactly. The last point is the plan
itself,
where no budget kept it short.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from plimsoll.placement import optimise
from plimsoll.placement.exact import Options
from plimsoll.placement.solver import numpy_module

if TYPE_CHECKING:
    import numpy as np

_POINTS_MAX = 200
_EXACT_OPTIONS_MAX = 150
_EXACT_POINTS_MAX = 24
_WORTH_POINTS_MAX = 40
_KNEE_MIN = 0.02
"""So far above the straight line, as a share of all gain, a bend is one."""


@dataclass(frozen=True)
class Step:
    """A point: bytes that moved, what they gain, what they cost more in a month, and the unit that was added last."""

    bytes: int
    gain_s: float
    per_month: float | None
    unit: int | None


def steps(
    options: Options,
    money: np.ndarray | None,
    plan: np.ndarray | None,
    worth: Callable[[np.ndarray], float] | None = None,
) -> list[Step]:
    """The points, fewest bytes first. `money` is what each option costs more in a month; `worth` what a choice gains, where
    that is not the
    sum of its options' gains, since latencies depend on load.

    Empty where something has to move before there is a layout to begin at.
    """
    if not len(options.home) or (options.home < 0).any():
        return []
    every = 1 if worth is None else 1 + len(options.home) // _WORTH_POINTS_MAX
    found = [
        _worth(step, chosen, worth)
        for index, (step, chosen) in enumerate(path(options, money))
        if index % every == 0
    ]
    if len(options.gain) <= _EXACT_OPTIONS_MAX:
        found = [_exact(options, money, one, worth) for one in _thinned(found, _EXACT_POINTS_MAX)]
    if plan is not None:
        found.append(_worth(_step(options, money, plan, None), plan, worth))
    return _thinned(_rising(found), _POINTS_MAX)


def _worth(step: Step, chosen: np.ndarray, worth: Callable[[np.ndarray], float] | None) -> Step:
    return step if worth is None else replace(step, gain_s=worth(chosen))


def knee(points: Sequence[Step]) -> Step | None:
    """The point farthest above the straight line from nothing to everything: there a further byte gains what bytes gain on
    average."""
    if len(points) < 3 or points[-1].gain_s <= 0 or points[-1].bytes <= 0:
        return None
    last = points[-1]
    above = [one.gain_s / last.gain_s - one.bytes / last.bytes for one in points]
    best = max(range(len(points)), key=lambda index: above[index])
    return points[best] if above[best] >= _KNEE_MIN else None


def _step(options: Options, money: np.ndarray | None, chosen: np.ndarray, unit: int | None) -> Step:
    per_month = None if money is None else float(money[chosen].sum())
    moved, gained = float(options.weights[0, chosen].sum()), float(options.gain[chosen].sum())
    return Step(round(moved), gained, per_month, unit)


def path(options: Options, money: np.ndarray | None) -> Iterator[tuple[Step, np.ndarray]]:
    """Rounds over what still gains, most for each byte first. What did not fit does so later only where another move made room."""
    chosen = options.home.copy()
    step = _step(options, money, chosen, None)
    yield step, chosen
    used = options.weights[:, chosen].sum(axis=1)
    changed = True
    while changed:
        changed = False
        for option in _promising(options, chosen):
            unit = options.unit[option]
            before = int(chosen[unit])
            after = used - options.weights[:, before] + options.weights[:, option]
            if options.gain[option] > options.gain[before] and (after <= options.most * (1 + 1e-12)).all():
                chosen[unit], used, changed = option, after, True
                step = _after(step, options, money, before, option)
                yield step, chosen


def _after(step: Step, options: Options, money: np.ndarray | None, before: int, option: int) -> Step:
    moved = options.weights[0, option] - options.weights[0, before]
    return Step(
        step.bytes + round(float(moved)),
        step.gain_s + float(options.gain[option] - options.gain[before]),
        None
        if money is None or step.per_month is None
        else step.per_month + float(money[option] - money[before]),
        int(options.unit[option]),
    )


def _promising(options: Options, chosen: np.ndarray) -> np.ndarray:
    """Options that gain more than what is chosen, by gain for each further byte."""
    numpy = numpy_module()
    now = chosen[options.unit]
    more = options.gain - options.gain[now]
    moved = numpy.maximum(options.weights[0] - options.weights[0, now], 1.0)
    order = numpy.argsort(-more / moved, kind="stable")
    return order[more[order] > 0]


def _exact(
    options: Options,
    money: np.ndarray | None,
    one: Step,
    worth: Callable[[np.ndarray], float] | None,
) -> Step:
    most = options.most.copy()
    most[0] = one.bytes
    found = optimise.best(replace(options, most=most))
    return _worth(_step(options, money, found.chosen, one.unit), found.chosen, worth)


def _thinned(points: Sequence[Step], count: int) -> list[Step]:
    """At most so many, the first and the last among them."""
    if len(points) <= count:
        return list(points)
    return [points[round(index * (len(points) - 1) / (count - 1))] for index in range(count)]


def _rising(points: Sequence[Step]) -> list[Step]:
    """Those that gain more than every one of fewer bytes."""
    found: list[Step] = []
    for one in sorted(points, key=lambda point: (point.bytes, -point.gain_s)):
        if not found or one.gain_s > found[-1].gain_s:
            found.append(one)
    return found
