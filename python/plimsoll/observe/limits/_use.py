"""What one limit of the kernel is, what is used of it at a moment, and how the kernel's files are read for that."""

from __future__ import annotations

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


class Use(NamedTuple):
    """What is used of one limit now."""

    name: LimitName
    of: str | None
    unit: LimitUnit
    value: int
    used: int
    binds_at: float
    advice: str


@dataclass(frozen=True)
class Look:
    """One look at a host: where its files are, and what was done since the look before."""

    root: Path
    rows: Sequence[WatchedIo] = ()
    unseen: dict[tuple[LimitName, str], str] = field(default_factory=dict)
    """Why it could not be told of a disk whether a limit binds there."""

    @cached_property
    def held(self) -> dict[str, int]:
        """Requests at each disk, those in its scheduler too."""
        return Counters(diskstats=str(self.root / "proc/diskstats")).in_flight()


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
