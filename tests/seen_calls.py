"""Calls of files as the probe of calls tells them, made up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from plimsoll.native.latency import latency_of_counts

DISK = (8, 1)


class CallsProbe:
    """What a probe would tell, one reading after the other."""

    def __init__(self, *readings: Sequence[dict[str, Any]], lost: Sequence[int] = ()) -> None:
        self._readings = list(readings)
        self._lost = list(lost) or [0] * (len(readings) + 1)

    def cut(self) -> None:
        """Each reading ends by itself."""

    def read(self) -> tuple[Sequence[dict[str, Any]], dict[str, int]]:
        counts = {"lost_threads": 0, "lost_rows": self._lost.pop(0)}
        return self._readings.pop(0) if self._readings else [], counts


def called(**given: Any) -> dict[str, Any]:
    """What is not given is of a process that reads 8 KiB at a time, and has ended."""
    calls = given.get("calls", 10)
    fields: dict[str, Any] = {
        "owner_pid": 2**22 + 1,
        "owner_started_ns": 5,
        "command": "reader",
        "operation": "read",
        "file_device": DISK,
        "inode": 7,
        "is_direct": False,
        "is_synchronous": False,
        "calls": calls,
        "bytes": 8_192 * calls,
        "errors": 0,
        "total_ns": 1_000 * calls,
        "latency_hdr": latency_of_counts([(100.0, calls)]).hdr,
    }
    return {**fields, **given}
