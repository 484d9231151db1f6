"""Shapes of database clients: one file per shape, each with a constant `shape` that says what it does and makes a client.

A shape is how one part of a database asks for I/O: one session that waits for each block, a scan that streams, the log.
"""

from plimsoll.supply.shapes._shape import LARGE_BYTES, Ground, Shape, Sizes, all_shapes, named, paced

__all__ = ["LARGE_BYTES", "Ground", "Shape", "Sizes", "all_shapes", "named", "paced"]
