"""Rows of a watch put together by what was asked for: every I/O, byte and time of theirs is in one group."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from plimsoll.facts import LatencyUs, WatchedCall, WatchedIo, WatchedSize
from plimsoll.facts.watch import WatchedCallGroup, WatchedGroup, WatchWord, counted_once
from plimsoll.native.latency import latency
from plimsoll.observe.tally import BEGUN_SHARE_MIN

_FIELDS: Mapping[WatchWord, tuple[str, ...]] = {
    "role": ("role",),
    "database": ("database",),
    "tablespace": ("tablespace",),
    "file": ("file", "relation", "inode_number"),
    "device": ("device",),
    "cgroup": ("cgroup",),
}


def groups_of(
    rows: Sequence[WatchedIo], by: Sequence[WatchWord], duration_s: float
) -> tuple[WatchedGroup, ...]:
    """One for each of what stands in these fields, and each operation; those with most I/Os first.

    What is seen at several disks is in groups of its own there but for one of them, where disks are not told apart.
    """
    once = {id(row) for row in counted_once(rows)}
    is_by_file = "file" in by
    names = [*_fields(by), *(("file_kind",) if is_by_file else ())]
    if "device" not in names:
        names.append("device")
    found: dict[tuple[Hashable, ...], list[WatchedIo]] = {}
    for row in rows:
        told = {name: getattr(row, name) for name in names}
        if "device" not in by and not (is_by_file and row.file is None and row.inode_number is not None):
            told["device"] = None
        key = (*told.values(), id(row) not in once, row.operation)
        found.setdefault(key, []).append(row)
    made = [
        _group(dict(zip(names, key, strict=False)), key[-2], rows, duration_s) for key, rows in found.items()
    ]
    return tuple(sorted(made, key=lambda one: (-one.ios, *_order(one, names), one.operation, one.is_again)))


def call_groups_of(
    calls: Sequence[WatchedCall], by: Sequence[WatchWord], duration_s: float
) -> tuple[WatchedCallGroup, ...]:
    """As `groups_of`; those that took most time in all first."""
    names = _fields(by)
    found: dict[tuple[Hashable, ...], list[WatchedCall]] = {}
    for row in calls:
        told = {name: getattr(row, name) for name in names}
        if row.file is None and "inode_number" in told:
            told["inode_number"] = None  # of which file system, calls do not tell
        found.setdefault((*told.values(), row.operation), []).append(row)
    made = [_call_group(dict(zip(names, key, strict=False)), rows, duration_s) for key, rows in found.items()]
    return tuple(sorted(made, key=lambda one: (-_time_us(one), *_order(one, names), one.operation)))


def _fields(by: Sequence[WatchWord]) -> list[str]:
    return [name for word in by for name in _FIELDS[word]]


def _order(one: WatchedGroup | WatchedCallGroup, names: Iterable[str]) -> list[str]:
    return [str(getattr(one, name) or "") for name in names]


def _group(told: dict[str, Any], is_again: Any, rows: Sequence[WatchedIo], duration_s: float) -> WatchedGroup:
    ios, moved = sum(row.ios for row in rows), sum(row.bytes for row in rows)
    sizes: dict[int | None, int] = {}
    for row in rows:
        for one in row.sizes:
            sizes[one.bytes_max] = sizes.get(one.bytes_max, 0) + one.ios
    return WatchedGroup(
        **told,
        is_again=bool(is_again),
        operation=rows[0].operation,
        rows=len(rows),
        ios=ios,
        bytes=moved,
        errors=sum(row.errors for row in rows),
        iops=ios / duration_s,
        mb_per_s=sum(row.mb_per_s for row in rows),
        size_bytes_mean=moved / ios if moved else None,
        sizes=tuple(
            WatchedSize(bytes_max=size, ios=count)
            for size, count in sorted(sizes.items(), key=lambda one: (one[0] is None, one[0] or 0))
        ),
        queue_us_mean=_queue_us(rows, ios),
        latency_us=_latency(row.latency_us for row in rows),
    )


def _queue_us(rows: Sequence[WatchedIo], ios: int) -> float | None:
    """Weighted by I/Os; None where it is known of too few."""
    known = [(row.queue_us_mean, row.ios) for row in rows if row.queue_us_mean is not None]
    of_known = sum(count for _, count in known)
    if not of_known or of_known < BEGUN_SHARE_MIN * ios:
        return None
    return sum(us * count for us, count in known) / of_known


def _call_group(told: dict[str, Any], rows: Sequence[WatchedCall], duration_s: float) -> WatchedCallGroup:
    calls, moved = sum(row.calls for row in rows), sum(row.bytes for row in rows)
    errors = sum(row.errors for row in rows)
    return WatchedCallGroup(
        **told,
        operation=rows[0].operation,
        rows=len(rows),
        calls=calls,
        bytes=moved,
        errors=errors,
        calls_per_s=calls / duration_s,
        mb_per_s=moved / 1e6 / duration_s,
        size_bytes_mean=moved / (calls - errors) if moved else None,
        latency_us=_latency(row.latency_us for row in rows),
    )


def _latency(parts: Iterable[LatencyUs]) -> LatencyUs:
    """Of all of them together."""
    known = [one.hdr for one in parts if one.hdr is not None and one.count]
    return latency(known) if known else LatencyUs(count=0)


def _time_us(one: WatchedCallGroup) -> float:
    return one.calls * (one.latency_us.mean or 0.0)
