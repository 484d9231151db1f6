"""Noise of memory: an array copied to another again and again, on every CPU of the slice, past what its caches hold."""

from __future__ import annotations

from collections.abc import Callable

from plimsoll.host.noise.kinds._kind import Kind, Order, Told

_ARRAY_BYTES = 64 << 20
_PIECE_BYTES = 4 << 20
"""Copied between two looks at whether it is to end: a millisecond or two."""


def _work(order: Order, is_ended: Callable[[], bool], told: Told) -> float:
    size = max(_PIECE_BYTES, min(_ARRAY_BYTES, order.memory_bytes // 2) // _PIECE_BYTES * _PIECE_BYTES)
    source, target = memoryview(bytearray(b"\1") * size), memoryview(bytearray(size))
    copied = at = 0
    while not is_ended():
        target[at : at + _PIECE_BYTES] = source[at : at + _PIECE_BYTES]
        copied += _PIECE_BYTES
        told(float(copied))
        at = (at + _PIECE_BYTES) % size
    return float(copied)


KIND = Kind(
    help="Arrays copied from place to place, on every CPU of the slice.",
    unit="bytes",
    work=_work,
    each_cpu=True,
    cpu_share_min=0.25,
)
