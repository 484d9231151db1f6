"""Noise of CPUs: a loop that never waits, on every CPU of the slice."""

from __future__ import annotations

import resource
from collections.abc import Callable

from plimsoll.host.noise.kinds._kind import Kind, Order, Told

_STEPS = 20_000
"""Between two looks at whether it is to end: less than a millisecond."""


def _work(order: Order, is_ended: Callable[[], bool], told: Told) -> float:
    before = _used_s()
    while not is_ended():
        for _ in range(_STEPS):
            pass
        told(_used_s() - before)
    return _used_s() - before


def _used_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


KIND = Kind(
    help="A loop that never waits, on every CPU of the slice.",
    unit="s",
    work=_work,
    each_cpu=True,
    cpu_share_min=0.25,
)
