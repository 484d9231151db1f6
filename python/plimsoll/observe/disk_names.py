"""Disks by the numbers that the kernel's rows have, and what they lie on; looked up once for each reading."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from plimsoll.host.device_counts import disk_names
from plimsoll.host.layers import Layers
from plimsoll.ports import files

DISKSTATS = "/proc/diskstats"


@dataclass
class DiskNames:
    """What is known of disks. A name stays known once its disk is gone, until another has the number."""

    diskstats: str = DISKSTATS
    layers: Layers = Layers()
    _names: dict[tuple[int, int], str] = field(default_factory=dict)
    _above: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def look_again(self) -> None:
        """Disks come and go between two readings."""
        self._names |= disk_names(files.read_text(self.diskstats) or "")
        self._above.clear()

    def name(self, number: tuple[int, int]) -> str:
        """The kernel's name, else the number."""
        return self._names.get(number) or _linked(number)

    def above(self, name: str) -> tuple[str, ...]:
        """The disks on which this one lies, at which its I/Os are seen again."""
        if name not in self._above:
            self._above[name] = self.layers.seen_beneath(name)
        return self._above[name]


def _linked(number: tuple[int, int]) -> str:
    """Where /proc/diskstats could not be read."""
    numbers = f"{number[0]}:{number[1]}"
    found = Path("/sys/dev/block", numbers).resolve()
    return found.name.replace("!", "/") if found.exists() else numbers
