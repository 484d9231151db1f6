"""Rows and readings of the probe, as if it had seen them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from plimsoll.native.latency import latency_of_counts
from plimsoll.observe.block_io import BlockIo, BlockReading


def block_io(**given: Any) -> BlockIo:
    """A row; what is not given is that of a backend that reads 8 KiB past the page cache."""
    ios = given.get("ios", 10)
    fields: dict[str, Any] = {
        "role": "client backend",
        "is_untitled": False,
        "pid": 100,
        "file": None,
        "file_kind": "unknown",
        "inode_number": None,
        "device": "sda",
        "above": (),
        "operation": "read",
        "ios": ios,
        "bytes": ios * 8_192,
        "errors": 0,
        "sizes": ((8_192, ios),),
        "begun_ios": 0 if given.get("queue_us_mean", 5.0) is None else ios,
        "queue_us_mean": 5.0,
        "service_us": latency_of_counts([(100.0, ios)]),
    }
    return BlockIo(**{**fields, **given})


def reading(*rows: BlockIo, **given: Any) -> BlockReading:
    """What one look at the probe gives."""
    counts: dict[str, Any] = {"lost_ios": 0, "unbegun": 0, "requeued": 0, "merged": 0, "untimed": 0}
    told = {"unbegun_at": {}, "begin": "block_io_start"}
    return BlockReading(rows=rows, **{**counts, **told, **given})


class Readings:
    """Gives them one after the other, and then nothing new."""

    def __init__(self, *readings: BlockReading) -> None:
        self._readings: Sequence[BlockReading] = readings
        self._next = 0

    def begin(self) -> None:
        """They need nothing."""

    def cut(self) -> None:
        """It ends what `read` gives, which these readings know already."""

    def read(self) -> BlockReading:
        self._next += 1
        if self._next <= len(self._readings):
            return self._readings[self._next - 1]
        last = self._readings[-1]
        return replace(last, rows=(), unbegun_at={})
