"""A plausible watch: a checkpointer and a backend of PostgreSQL, and the kernel; or one that the kernel's counters disprove."""

from __future__ import annotations

from typing import Any

from plimsoll.facts import (
    BindingLimit,
    Note,
    Watch,
    WatchedCall,
    WatchedDevice,
    WatchedIo,
    WatchedSize,
    WatchedStretch,
)
from plimsoll.native.latency import latency_of_counts

_DURATION_S = 30.0
_SEGMENT = "/var/lib/postgresql/18/main/pg_wal/000000010000000000000009"


def row(**given: Any) -> WatchedIo:
    """One row: what is not given is that of a checkpointer that writes 8 KiB."""
    ios = given.get("ios", 6_000)
    moved = given.get("bytes", ios * 8_192)
    fields: dict[str, Any] = {
        "role": "checkpointer",
        "processes": 1,
        "device": "sda",
        "file": "/var/lib/postgresql/18/main/base/5/16384",
        "file_kind": "inode",
        "inode_number": 4_711,
        "operation": "write",
        "ios": ios,
        "bytes": moved,
        "errors": 0,
        "iops": ios / _DURATION_S,
        "mb_per_s": moved / 1e6 / _DURATION_S,
        "size_bytes_mean": moved / ios if moved else None,
        "sizes": (WatchedSize(bytes_max=8_192, ios=ios),),
        "queue_us_mean": 12.0,
        "request_us_mean": 162.0,
        "latency_us": latency_of_counts([(140.0, ios - ios // 50), (640.0, ios // 50)]),
    }
    return WatchedIo(**{**fields, **given})


def device(held: bool | None = True, **given: Any) -> WatchedDevice:
    """The disk, with counts that are the same, or far apart."""
    fields: dict[str, Any] = {
        "device": "sda",
        "ios": 7_740,
        "bytes": 62_914_560,
        "flushes": 240,
        "ios_counted": 7_740 if held else 9_000,
        "bytes_counted": 62_914_560,
        "flushes_counted": 240,
        "held": held,
        "reason": "the rows are what the kernel counts"
        if held
        else "7,740 I/Os were seen and the kernel counts 9,000, 14 % apart",
    }
    return WatchedDevice(**{**fields, **given})


def call(**given: Any) -> WatchedCall:
    """What is not given is of a backend that reads 8 KiB at a time, nine of ten from the page cache."""
    calls = given.get("calls", 15_000)
    moved = given.get("bytes", calls * 8_192)
    fields: dict[str, Any] = {
        "role": "client backend",
        "processes": 8,
        "file": "/var/lib/postgresql/18/main/base/5/16384",
        "inode_number": 4_711,
        "operation": "read",
        "is_direct": False,
        "is_synchronous": False,
        "calls": calls,
        "bytes": moved,
        "errors": 0,
        "calls_per_s": calls / _DURATION_S,
        "mb_per_s": moved / 1e6 / _DURATION_S,
        "size_bytes_mean": moved / calls if moved else None,
        "cached_share": 0.9,
        "latency_us": latency_of_counts([(3.0, calls - calls // 10), (190.0, calls // 10)]),
    }
    return WatchedCall(**{**fields, **given})


def limit(**given: Any) -> BindingLimit:
    """What is not given is of a disk that holds as many as it takes."""
    fields: dict[str, Any] = {
        "name": "queue_depth",
        "of": "sda",
        "unit": "ios",
        "value": 32,
        "used_max": 32,
        "looks": 7,
        "advice": "Ask less of it at once.",
    }
    return BindingLimit(**{**fields, **given})


def course() -> tuple[WatchedStretch, ...]:
    """Five stretches, in the fourth of which a checkpoint begins."""
    return tuple(
        WatchedStretch(
            begin_s=6.0 * number,
            duration_s=6.0,
            role=role,
            ios=ios[number],
            bytes=8_192 * ios[number],
            latency_us_p99=p99_us if ios[number] >= 100 else None,
        )
        for number in range(5)
        for role, ios, p99_us in (
            ("checkpointer", (0, 0, 0, 4_000, 2_000), 640.0),
            ("client backend", (300, 300, 300, 250, 350), 460.0 if number != 3 else 2_900.0),
            ("walwriter", (48, 48, 48, 48, 48), None),
        )
    )


def watch(held: bool = True) -> Watch:
    """Some seconds of a database at work."""
    log = row(role="walwriter", file=_SEGMENT, inode_number=815, ios=240, queue_us_mean=9.0)
    unknown: dict[str, Any] = {"file": None, "file_kind": "unknown", "inode_number": None}
    read = row(role="client backend", operation="read", ios=1_500, processes=8, **unknown)
    nothing: dict[str, Any] = {"bytes": 0, "sizes": (), "queue_us_mean": None, "request_us_mean": None}
    flush = row(role="kernel", processes=0, operation="flush", ios=240, **unknown, **nothing)
    notes = ()
    if not held:
        message = f"what was seen at sda is not what the kernel counts there: {device(False).reason}"
        notes = (Note(code="counts-differ", message=message),)
    return Watch(
        duration_s=_DURATION_S,
        rows=(row(), read, log, flush),
        devices=(device(held),),
        course=course() if held else (),
        lost_ios=0 if held else 1_260,
        unbegun=240,
        requeued=0,
        merged=35,
        untimed=0,
        notes=notes,
    )
