"""Noise of disks: random reads of 64 KiB, 32 at a time, of the storage that is measured. Nothing is written."""

from __future__ import annotations

from collections.abc import Callable

from plimsoll.facts import Plan
from plimsoll.host.noise.kinds._kind import Kind, Order, Told
from plimsoll.native.engine import start
from plimsoll.native.outcome import Outcome

BLOCK_BYTES, DEPTH = 64 << 10, 32
_LOOK_S = 0.01


def _work(order: Order, is_ended: Callable[[], bool], told: Told) -> float:
    assert order.plan is not None, "who orders noise of disks says what is read"
    handle = start(Plan.model_validate_json(order.plan))
    while not handle.wait(_LOOK_S):
        told(float(handle.poll().bytes))
        if is_ended():
            handle.stop()
    return float(Outcome.model_validate_json(handle.collect().outcome).moved.read_bytes)


KIND = Kind(
    help="Random reads of 64 KiB, 32 at a time, of the storage that is measured.",
    unit="bytes",
    work=_work,
    each_cpu=False,
)
