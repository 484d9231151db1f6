"""What a control group may ask of a disk in a second: `io.max`, and `blkio.throttle.*_device` of version 1.

Source: the kernel's cgroup-v2.rst and blkio-controller.rst. What is used is the growth of the group's own counters between two
looks; those of version 2 have what its subgroups did as well.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Protocol

from plimsoll.facts.watch import LimitName, LimitUnit
from plimsoll.observe.limits._use import NEAR, Look, Use
from plimsoll.ports import files

_MOUNTS = ("sys/fs/cgroup", "sys/fs/cgroup/unified", "sys/fs/cgroup/blkio")
_GROUPS_MAX = 5_000
"""Folders that are looked at for groups with a cap: of more the rest is not known."""
_SEARCH_EVERY_S = 2.0
"""Caps that were found are read at each look with rows, and what is used of them."""
_SEARCH_SHARE_MAX = 0.05
"""Of the time, where there are thousands of groups."""
_INTERVAL_S_MIN = 0.5
"""The kernel lets through what a cap allows in slices of up to a tenth of a second."""


class _Cap(NamedTuple):
    """One of a group at one disk."""

    group: Path
    number: str
    """Of the disk, such as 8:0."""
    way: str
    """`read` or `write`."""
    unit: LimitUnit
    value: int
    lifted_by: str
    """What is written to which file."""
    name: LimitName

    @property
    def key(self) -> tuple[Path, str, str, LimitUnit]:
        """The same at each look."""
        return self.group, self.number, self.way, self.unit


class _Version(Protocol):
    """How one version of control groups says what is allowed and what was done."""

    def caps(self, group: Path) -> Iterator[_Cap]:
        """Those that are set."""
        ...

    def done(self, cap: _Cap) -> int | None:
        """I/Os or bytes of the cap's disk and way since the group began; None where that is not told."""
        ...


class _Two:
    """`io.max` and `io.stat`."""

    _KEYS: Mapping[str, tuple[str, LimitUnit, str]] = {
        "rbps": ("read", "bytes_per_s", "rbytes"),
        "wbps": ("write", "bytes_per_s", "wbytes"),
        "riops": ("read", "ios_per_s", "rios"),
        "wiops": ("write", "ios_per_s", "wios"),
    }

    def caps(self, group: Path) -> Iterator[_Cap]:
        for number, values in _of_disks(group / "io.max"):
            for key, value in values.items():
                if key in self._KEYS and value.isdecimal():
                    way, unit, _ = self._KEYS[key]
                    lifted_by = f'echo "{number} {key}=max" > {shlex.quote(f"{group}/io.max")}'
                    yield _Cap(group, number, way, unit, int(value), lifted_by, "io.max")

    def done(self, cap: _Cap) -> int | None:
        counter = next(name for way, unit, name in self._KEYS.values() if (way, unit) == (cap.way, cap.unit))
        told = dict(_of_disks(cap.group / "io.stat")).get(cap.number, {}).get(counter, "")
        return int(told) if told.isdecimal() else None


class _One:
    """`blkio.throttle.*`: a file for each way and unit."""

    _UNITS: Mapping[LimitUnit, tuple[str, str]] = {
        "bytes_per_s": ("bps", "io_service_bytes"),
        "ios_per_s": ("iops", "io_serviced"),
    }

    def caps(self, group: Path) -> Iterator[_Cap]:
        for unit, (short, _) in self._UNITS.items():
            for way in ("read", "write"):
                setting = group / f"blkio.throttle.{way}_{short}_device"
                for line in (files.read_text(setting) or "").splitlines():
                    number, _, value = line.partition(" ")
                    if value.isdecimal():
                        lifted_by = f'echo "{number} 0" > {shlex.quote(str(setting))}'
                        yield _Cap(group, number, way, unit, int(value), lifted_by, "blkio.throttle")

    def done(self, cap: _Cap) -> int | None:
        wanted = [cap.number, cap.way.capitalize()]
        told = files.read_text(cap.group / f"blkio.throttle.{self._UNITS[cap.unit][1]}") or ""
        found = (line.split() for line in told.splitlines())
        return next((int(words[2]) for words in found if len(words) == 3 and words[:2] == wanted), None)


@dataclass
class LIMIT:
    """Its I/Os wait before the disk gets them, in no column of the rows."""

    _search_at_s: float = 0.0
    _groups: list[tuple[Path, _Version]] = field(default_factory=list)
    _before: dict[tuple[Path, str, str, LimitUnit], tuple[float, int]] = field(default_factory=dict)
    """When what was done was last read, and how much it was."""

    def uses(self, look: Look) -> Iterator[Use]:
        """What was done in a second since the look before, of each cap, whenever rows are told: none in a moment without I/O."""
        now_s = _uptime_s(look.root)
        if now_s is None:
            return
        if now_s >= self._search_at_s:
            self._search(look.root, now_s)
        if not look.rows:
            return
        for group, version in self._groups:
            for cap in version.caps(group):
                per_s = self._per_s(cap, version.done(cap), now_s)
                if per_s is not None:
                    yield _use(look.root, cap, per_s)

    def _search(self, root: Path, now_s: float) -> None:
        """Which groups have caps, and what of those that are new was done before."""
        self._groups = list(_capped(root))
        for group, version in self._groups:
            for cap in version.caps(group):
                done = version.done(cap)
                if done is not None:
                    self._before.setdefault(cap.key, (now_s, done))
        took_s = (_uptime_s(root) or now_s) - now_s
        self._search_at_s = now_s + max(_SEARCH_EVERY_S, took_s / _SEARCH_SHARE_MAX)

    def _per_s(self, cap: _Cap, done: int | None, now_s: float) -> float | None:
        """None where there was no look before, or it is too short ago."""
        if done is None:
            return None
        then_s, before = self._before.setdefault(cap.key, (now_s, done))
        if now_s - then_s < _INTERVAL_S_MIN:
            return None
        self._before[cap.key] = (now_s, done)
        return max(0, done - before) / (now_s - then_s)


def _capped(root: Path) -> Iterator[tuple[Path, _Version]]:
    """Groups with any cap."""
    two, one = _Two(), _One()
    for _, folder in zip(range(_GROUPS_MAX), _groups(root), strict=False):
        for version in (two, one):
            if any(version.caps(folder)):
                yield folder, version


def _groups(root: Path) -> Iterator[Path]:
    for mount in _MOUNTS:
        # Beside those of version 1 it is a folder of mounts, and no group.
        if (root / mount / "cgroup.procs").exists():
            yield from (Path(folder) for folder, _, _ in os.walk(root / mount))


def _use(root: Path, cap: _Cap, per_s: float) -> Use:
    link = root / "sys/dev/block" / cap.number
    disk = link.resolve().name.replace("!", "/") if link.exists() else cap.number
    advice = (
        f"Whoever is in that control group waits for its turn before the disk gets its {cap.way}s, whatever the disk is:"
        f" {cap.lifted_by} lifts it, until whoever set it does so again."
    )
    if cap.name == "blkio.throttle":
        advice += " What is used of it is counted when it is asked for, and may come to the disk later."
    what = f"bytes of {cap.way}s" if cap.unit == "bytes_per_s" else f"{cap.way}s"
    of = f"{what} at {disk} by {_below_mount(root, cap.group)}"
    return Use(cap.name, of, cap.unit, cap.value, round(per_s), NEAR * cap.value, advice, is_of_rows=True)


def _below_mount(root: Path, group: Path) -> str:
    """Several groups may have the same last name."""
    mounts = (root / mount for mount in reversed(_MOUNTS))
    mount = next((one for one in mounts if group.is_relative_to(one)), root)
    return "the root group" if group == mount else str(group.relative_to(mount))


def _of_disks(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Lines such as `8:0 rbps=max wiops=200`."""
    for line in (files.read_text(path) or "").splitlines():
        number, *values = line.split() or [""]
        yield number, dict(value.split("=", 1) for value in values if "=" in value)


def _uptime_s(root: Path) -> float | None:
    told = (files.read_text(root / "proc/uptime") or "").split()
    try:
        return float(told[0])
    except (IndexError, ValueError):
        return None
