"""What trials with and without noise amount to: ratios of figures within each round, with intervals, and the answer.

Slices are there to keep noise off, so what decides is by how much noise raises p99 in them over by how much it does without them.
What the slices cost the measurement alone, as a cap on its disk does, is told beside it and decides nothing. A change of less than
5 % is called none.

Trials of a round are near to each other in time, so that what slowly changes is in both figures of a ratio. Ratios are taken by
their logarithms, whose mean has Student's interval; no interval is told of fewer than three rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from math import exp, log
from statistics import fmean

from plimsoll.facts import IsolationEffect, IsolationTrial, PolicyEffect, Ratio
from plimsoll.facts.isolation import IsolationAnswer, MemoryPolicy, NoiseKind, Stand
from plimsoll.native.statistics import mean_interval

ROUNDS_MIN = 3
_MISSES = 0.05
"""An interval misses what it is of so often; that of all kinds of noise together may miss no more."""
_MATTERS = 1.05
"""A ratio nearer to 1 than this makes no difference."""
Figure = Callable[[IsolationTrial], float | None]
Key = tuple[Stand, NoiseKind | None, MemoryPolicy | None]


def p99_us(trial: IsolationTrial) -> float | None:
    """Of all its I/Os; None where none ended, or some failed: then it is another work that was timed."""
    return None if trial.errors else trial.latency_us.p99


def iops(trial: IsolationTrial) -> float | None:
    """I/Os per second, or operations of a server, as above."""
    return None if trial.errors else trial.rate_per_s


def key_of(trial: IsolationTrial) -> Key:
    """Which trial of a round it is."""
    return trial.stand, None if trial.noise is None else trial.noise.kind, trial.policy


def ratio_of(trials: Sequence[IsolationTrial], of: Key, over: Key, figure: Figure) -> Ratio:
    """Within each round that has both."""
    return _ratio(_logs(trials, of, over, figure).values())


def _logs(trials: Sequence[IsolationTrial], of: Key, over: Key, figure: Figure) -> dict[int, float]:
    """The logarithm of the ratio in each round that has both."""
    above, below = _by_round(trials, of, figure), _by_round(trials, over, figure)
    return {number: log(above[number] / below[number]) for number in sorted(above.keys() & below.keys())}


def _ratio(logs: Collection[float], misses: float = _MISSES) -> Ratio:
    if not logs:
        return Ratio(ratio=None)
    ci95 = None
    if len(logs) >= ROUNDS_MIN:
        low, high = mean_interval(tuple(logs), misses)
        ci95 = exp(low), exp(high)
    return Ratio(ratio=exp(fmean(logs)), ci95=ci95, rounds=len(logs))


def _by_round(trials: Iterable[IsolationTrial], key: Key, figure: Figure) -> dict[int, float]:
    found = {one.round_number: figure(one) for one in trials if key_of(one) == key}
    return {number: value for number, value in found.items() if value is not None and value > 0}


def effect_of(
    trials: Sequence[IsolationTrial], noise: NoiseKind, is_claimed: bool, kinds: int = 1
) -> IsolationEffect:
    """Of one kind of noise, of so many. Where nothing may be claimed, the ratios stand, and the answer is that nobody can tell."""
    bare: tuple[Key, Key] = ("unsliced", noise, None), ("unsliced", None, None)
    within: tuple[Key, Key] = ("sliced", noise, None), ("sliced", None, None)
    without, inside = _logs(trials, *bare, p99_us), _logs(trials, *within, p99_us)
    kept_off = [inside[number] - without[number] for number in sorted(inside.keys() & without.keys())]
    sure = _MISSES / kinds
    return IsolationEffect(
        noise=noise,
        p99_unsliced=_ratio(without.values()),
        p99_sliced=_ratio(inside.values()),
        iops_unsliced=ratio_of(trials, *bare, iops),
        iops_sliced=ratio_of(trials, *within, iops),
        p99_helped=ratio_of(trials, within[0], bare[0], p99_us),
        p99_kept_off=_ratio(kept_off),
        iops_helped=ratio_of(trials, within[0], bare[0], iops),
        answer=_answer(_ratio(without.values(), sure), _ratio(kept_off, sure))
        if is_claimed
        else "cannot tell",
    )


def _answer(noise: Ratio, kept_off: Ratio) -> IsolationAnswer:
    """Of what noise does without slices, and of what it does in them over that."""
    if noise.ci95 is None or kept_off.ci95 is None or kept_off.ratio is None:
        return "cannot tell"
    if kept_off.ci95[0] >= _MATTERS:
        return "slices do not help"
    if noise.ci95[1] < _MATTERS:
        return "the noise did nothing"
    if not matters(noise) or noise.told == "less":
        return "cannot tell"
    if kept_off.told == "less" and matters(kept_off):
        return "slices help"
    return "slices do not help" if kept_off.ci95[0] > 1 / _MATTERS else "cannot tell"


def matters(ratio: Ratio) -> bool:
    """Whether a ratio is known to lie on one side of 1, and is not next to it."""
    if ratio.ratio is None or ratio.told == "unknown":
        return False
    return not 1 / _MATTERS < ratio.ratio < _MATTERS


def policy_effect(trials: Sequence[IsolationTrial], policy: MemoryPolicy) -> PolicyEffect:
    """Of one memory policy against none."""
    of: Key = ("unsliced", None, policy)
    none: Key = ("unsliced", None, "off")
    return PolicyEffect(
        policy=policy, p99=ratio_of(trials, of, none, p99_us), iops=ratio_of(trials, of, none, iops)
    )


def answer_of(effects: Sequence[IsolationEffect]) -> IsolationAnswer:
    """A kind of noise against which slices do not help says no; else one of which it is not known leaves it open."""
    answers = {one.answer for one in effects}
    if "slices do not help" in answers:
        return "slices do not help"
    return "slices help" if answers == {"slices help"} else "cannot tell"
