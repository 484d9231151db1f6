"""What one limit of the kernel is, what is used of it at a moment, and how the kernel's files are read for that."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, Protocol

from plimsoll.facts import WatchedIo
from plimsoll.facts.watch import LimitName, LimitUnit
from plimsoll.observe.device_check import Counters
from plimsoll.ports import files

NEAR = 0.9
"""A limit at which the kernel refuses binds where so much of it is used: who wants many at once is refused before all are."""

_RELEASE = re.compile(r"(\d+)\.(\d+)")


class Use(NamedTuple):
    """What is used of one limit now."""

    name: LimitName
    of: str | None
    unit: LimitUnit
    value: int
    used: int
    binds_at: float
    advice: str
    is_of_rows: bool = False
    """Whether it is told beside rows alone, which are not told at every look."""


@dataclass(frozen=True)
class Fixed:
    """What no look at a disk finds otherwise than the look before, read where it is asked for."""

    root: Path
    path: Path

    @cached_property
    def queues(self) -> tuple[Path, ...]:
        """The folder of each queue."""
        return tuple(folders(self.path / "mq"))

    @cached_property
    def numbered(self) -> int | None:
        """As many requests as its driver numbers in all queues; None where that is not told."""
        found = [tags for queue in self.queues if (tags := number(queue / "nr_tags")) is not None]
        return sum(found) if len(found) == len(self.queues) else None

    @cached_property
    def debugfs(self) -> Path:
        """What debugfs has of it."""
        return self.root / "sys/kernel/debug/block" / self.path.name

    @cached_property
    def is_told_by_debugfs_alone(self) -> bool:
        """Whether the kernel is told not to count what is under way there (iostats), and debugfs can be read."""
        return number(self.path / "queue/iostats") == 0 and bool(folders(self.debugfs))


@dataclass(frozen=True)
class Look:
    """One look at a host: where its files are, and what was done since the look before."""

    root: Path
    rows: Sequence[WatchedIo] = ()
    unseen: dict[tuple[LimitName, str], str] = field(default_factory=dict)
    """Why it could not be told of a disk whether a limit binds there."""
    fixed: dict[str, Fixed] = field(default_factory=dict)
    """Of each disk, by its name."""

    @cached_property
    def held(self) -> dict[str, int]:
        """Requests at each disk, those in its scheduler too."""
        return Counters(diskstats=str(self.root / "proc/diskstats")).in_flight()

    @cached_property
    def release(self) -> tuple[int, int] | None:
        """The kernel's version as far as it matters; None where it is not told."""
        found = _RELEASE.match(files.read_text(self.root / "proc/sys/kernel/osrelease") or "")
        return None if found is None else (int(found[1]), int(found[2]))


class Limit(Protocol):
    """One or several limits of a kind; made once for each watch, so that it may remember the look before."""

    def uses(self, look: Look) -> Iterator[Use]:
        """What is used of each, where that is known."""
        ...


def folders(path: Path) -> list[Path]:
    """What is in it; nothing where it is not there."""
    try:
        return sorted(path.iterdir())
    except OSError:
        return []


def number(path: Path) -> int | None:
    """The one number in a file."""
    found = numbers(path)
    return found[0] if len(found) == 1 else None


def numbers(path: Path) -> list[int]:
    """All of them; none where there is anything else."""
    words = (files.read_text(path) or "").split()
    return [int(word) for word in words] if all(map(str.isdecimal, words)) else []


def named(path: Path) -> Iterator[tuple[str, int]]:
    """Names and numbers of lines such as `nr_dirty 7` and `HugePages_Total:  7 kB`."""
    for line in (files.read_text(path) or "").splitlines():
        name, *values = line.split()[:2] or [""]
        if values and values[0].isdecimal():
            yield name.removesuffix(":"), int(values[0])
