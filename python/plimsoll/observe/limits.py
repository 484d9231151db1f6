"""Limits of the kernel that held I/O back while it was watched: what each allows, the most that was used of it, and what lifts it.

Each is read at every look beside what is used of it at that moment, so that what is told was measured; between two looks more may
have been used.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from plimsoll.facts import BindingLimit
from plimsoll.facts.watch import LimitName, LimitUnit
from plimsoll.ports import files

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_LESS = "ask less of it at once or spread it over more disks."
NEAR = 0.9
"""A limit at which the kernel refuses binds where so much of it is used: who wants many at once is refused before all are."""


class _Use(NamedTuple):
    """What one limit is, and what is used of it now."""

    name: LimitName
    of: str | None
    unit: LimitUnit
    value: int
    used: int
    binds_at: float
    advice: str


@dataclass
class LimitWatch:
    """`look` often, then `binding`."""

    root: Path = Path("/")
    looks: int = 0
    _found: dict[tuple[str, str | None], BindingLimit] = field(default_factory=dict)

    def look(self) -> None:
        """What is used of each now."""
        self.looks += 1
        for use in self._uses():
            if use.value > 0 and use.used >= use.binds_at:
                self._keep(use)

    def binding(self) -> tuple[BindingLimit, ...]:
        """Those that bound at any look, that which did most often first; none: nothing did."""
        return tuple(sorted(self._found.values(), key=lambda one: (-one.looks, one.name, one.of or "")))

    def _keep(self, use: _Use) -> None:
        known = self._found.get((use.name, use.of))
        self._found[use.name, use.of] = BindingLimit(
            name=use.name,
            of=use.of,
            unit=use.unit,
            value=use.value,
            used_max=max(use.used, 0 if known is None else known.used_max),
            looks=1 + (0 if known is None else known.looks),
            advice=use.advice,
        )

    def _uses(self) -> Iterator[_Use]:
        yield from self._asynchronous()
        yield from self._open_files()
        yield from self._dirty()
        for disk in sorted(_folders(self.root / "sys/block")):
            yield from _queue(disk)

    def _asynchronous(self) -> Iterator[_Use]:
        value, used = (_number(self.root / "proc/sys/fs" / name) for name in ("aio-max-nr", "aio-nr"))
        if value is not None and used is not None:
            advice = (
                f"Beyond it io_setup fails with EAGAIN: sysctl -w fs.aio-max-nr={2 * value} doubles it, and a line in"
                " /etc/sysctl.d keeps it."
            )
            yield _Use("fs.aio-max-nr", None, "ios", value, used, NEAR * value, advice)

    def _open_files(self) -> Iterator[_Use]:
        numbers = _numbers(self.root / "proc/sys/fs/file-nr")
        if len(numbers) == 3:
            used, free, value = numbers
            advice = (
                f"Beyond it open fails with ENFILE: sysctl -w fs.file-max={2 * value} doubles it, and a line in /etc/sysctl.d"
                " keeps it."
            )
            yield _Use("fs.file-max", None, "files", value, used - free, NEAR * value, advice)

    def _dirty(self) -> Iterator[_Use]:
        """Who writes is slowed down from the middle between both thresholds on (mm/page-writeback.c, dirty_freerun_ceiling)."""
        counted = dict(_named(self.root / "proc/vmstat"))
        wanted = ("nr_dirty", "nr_writeback", "nr_dirty_threshold", "nr_dirty_background_threshold")
        if all(name in counted for name in wanted):
            dirty, writing, most, background = (counted[name] * _PAGE_BYTES for name in wanted)
            advice = (
                "Who writes waits for what others left to be written back: begin with that earlier, as"
                f" sysctl -w vm.dirty_background_bytes={max(_PAGE_BYTES, background // 4)} does; where it goes on, the disk takes"
                " less than is written."
            )
            value = (most + background) // 2
            yield _Use("vm.dirty", None, "bytes", value, dirty + writing, value, advice)


def _queue(disk: Path) -> Iterator[_Use]:
    """What a disk has been given, held against what it takes and against what the kernel has room for."""
    under_way = sum(_numbers(disk / "inflight"))
    each, queues = _number(disk / "queue/nr_requests"), _folders(disk / "mq")
    if each is None or not queues:
        return
    takes, room = _takes(disk, queues), each * len(queues)
    if takes is not None and takes <= room:
        advice = f"More than these it is not given at once, and the rest waits: {_deeper(disk, takes)}{_LESS}"
        yield _Use("queue_depth", disk.name, "ios", takes, under_way, takes, advice)
    else:
        deeper = (
            f"echo {2 * each} > /sys/block/{disk.name}/queue/nr_requests where its driver allows more, else "
        )
        advice = f"There is room for no more at once, and the rest waits: {deeper}{_LESS}"
        yield _Use("nr_requests", disk.name, "ios", room, under_way, room, advice)


def _takes(disk: Path, queues: list[Path]) -> int | None:
    """As many as its driver numbers, or fewer; None where neither is told."""
    numbered = [number for queue in queues if (number := _number(queue / "nr_tags")) is not None]
    told = [sum(numbered)] if len(numbered) == len(queues) else []
    depth = _number(disk / "device/queue_depth")
    return min([*told, *([] if depth is None else [depth])], default=None)


def _deeper(disk: Path, takes: int) -> str:
    if _number(disk / "device/queue_depth") != takes:
        return "its driver was loaded so; "
    return f"echo {2 * takes} > /sys/block/{disk.name}/device/queue_depth where its driver allows more, else "


def _folders(path: Path) -> list[Path]:
    try:
        return list(path.iterdir())
    except OSError:
        return []


def _number(path: Path) -> int | None:
    numbers = _numbers(path)
    return numbers[0] if len(numbers) == 1 else None


def _numbers(path: Path) -> list[int]:
    words = (files.read_text(path) or "").split()
    return [int(word) for word in words] if all(map(str.isdecimal, words)) else []


def _named(path: Path) -> Iterator[tuple[str, int]]:
    for line in (files.read_text(path) or "").splitlines():
        name, _, value = line.partition(" ")
        if value.isdecimal():
            yield name, int(value)
