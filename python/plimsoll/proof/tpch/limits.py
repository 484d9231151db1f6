"""Bounds of proofs with TPC-H data, each with its reason."""

from __future__ import annotations

from typing import Final

TPCH_SCALE_MIN: Final = 0.01
"""TPC-H data below this scale have so few suppliers that the generator gives a part the same one twice."""

TPCH_SCALE_MAX: Final = 10_000.0
"""Beyond it the numbers of parts outgrow 32 bits; the specification's largest scales are made for hundreds of disks."""

TPCH_STREAMS_MAX: Final = 1_000
"""More streams are more sessions than a database server of today serves."""

TPCH_REPEATS_MAX: Final = 100
"""Power runs one after the other; beyond a few dozen an interval gets no narrower that anybody sees."""

TPCH_PIECE_BYTES_MAX: Final = 256 << 20
"""Generated TPC-H data that lie on disk at a time: enough for long writes, and little beside the database itself."""
