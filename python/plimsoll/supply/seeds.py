"""The seed of a run: the one asked for, or a new one."""

from __future__ import annotations

import secrets

from plimsoll.supply.simulation import is_simulated

_BITS = 32
_MEASUREMENTS_MAX = 100_003
"""More than any run makes; a prime, so that seeds which follow each other have nothing in common."""


def seed_of(asked: int | None, *targets: str) -> int:
    """The seed asked for, else a new one: a cache on the way may still hold what an earlier run of the same seed has read.

    1 where everything is simulated, so that equal commands give equal answers.
    """
    if asked is not None:
        return asked
    return 1 if all(map(is_simulated, targets)) else secrets.randbits(_BITS)


def nth_seed(seed: int, number: int) -> int:
    """The seed of the so manieth measurement of a run: each draws other places, since those of the last may be in a cache."""
    return seed * _MEASUREMENTS_MAX + number
