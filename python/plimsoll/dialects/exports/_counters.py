"""Counters as rates: what is added between two readings. Where a counter went back it began anew, and nothing is known between."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

RESET = "counter-reset"
"""Code of the note on counters that began anew."""


class Step(NamedTuple):
    """What a counter did between two readings; `per_s` is None where it began anew."""

    begin_s: float
    duration_s: float
    per_s: float | None


def steps(readings: Iterable[tuple[float, float]]) -> Iterator[Step]:
    """Between each two readings, a time and what was counted until then, in the order of time."""
    for (before_s, before), (now_s, now) in pairwise(sorted(readings)):
        if now_s > before_s:
            length = now_s - before_s
            yield Step(before_s, length, None if now < before else (now - before) / length)
