"""fio's `json+` bins as a distribution of ours: HdrHistogram V2 bytes of the same layout as the engine's.

A bin is named by the middle of its values in nanoseconds, and its width is at most 1/64 of that: latencies are known within 0.8 %.
Source: HdrHistogram, "HistogramLogFormatSpecification" and the V2 encoding of its AbstractHistogram (public domain): a header, then
counts by index as ZigZag LEB128 numbers, in which a negative one stands for so many zeros.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping

_COOKIE = 0x1C849303 | 0x10
_DIGITS = 3
_LOWEST_NS = 1
_HIGHEST_NS = 3_600 * 1_000_000_000
"""As in the engine; longer ones count as this."""
_SUB_BITS = 11
"""Three digits need 2,000 steps of single units: the next power of two."""


def hdr(counts: Mapping[int, int]) -> bytes:
    """The distribution of `counts` by nanoseconds."""
    by_index: dict[int, int] = {}
    for ns, count in counts.items():
        index = _index(min(max(ns, _LOWEST_NS), _HIGHEST_NS))
        by_index[index] = by_index.get(index, 0) + count
    payload = b"".join(map(_zigzag, _numbers(by_index)))
    header = struct.pack(">iiiiqqd", _COOKIE, len(payload), 0, _DIGITS, _LOWEST_NS, _HIGHEST_NS, 1.0)
    return header + payload


def _index(ns: int) -> int:
    """Where a value is counted: each doubling of it has half as many steps as the first 2,048 values have units."""
    bucket = max(0, ns.bit_length() - _SUB_BITS)
    half = 1 << (_SUB_BITS - 1)
    return (bucket + 1) * half + (ns >> bucket) - half


def _numbers(by_index: Mapping[int, int]) -> Iterable[int]:
    """Counts in order, and negative numbers for the zeros between them."""
    at = 0
    for index in sorted(index for index, count in by_index.items() if count):
        if index > at:
            yield at - index
        yield by_index[index]
        at = index + 1


def _zigzag(number: int) -> bytes:
    """Seven bits to a byte, the lowest first; a ninth byte has all of its eight."""
    left = (number << 1) ^ (number >> 63)
    made = bytearray()
    while left > 0x7F and len(made) < 8:
        made.append(left & 0x7F | 0x80)
        left >>= 7
    made.append(left)
    return bytes(made)
