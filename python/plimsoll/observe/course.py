"""What each role did in each stretch of the time that was watched: small enough to keep, however long that was."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass, field, replace

from plimsoll.facts import WatchedIo, WatchedStretch
from plimsoll.facts.watch import COUNTED, counted_as_ios, counted_once, moved_bytes, moving
from plimsoll.native.latency import latency
from plimsoll.observe.roles import OTHERS

STRETCHES_MAX = 240
"""An even number: of more, each two that follow on each other become one."""
ROLES_MAX = 7
"""Those of most I/Os; the others are one."""


@dataclass
class _OfRole:
    ios: int = 0
    bytes: int = 0
    p99_us: float | None = None

    def join(self, other: _OfRole) -> None:
        self.ios += other.ios
        self.bytes += other.bytes
        self.p99_us = _higher(self.p99_us, other.p99_us)


@dataclass
class _Stretch:
    begin_s: float
    duration_s: float
    roles: dict[str, _OfRole]
    uncounted: dict[str, _OfRole]
    """What the kernel does not count as I/Os of a disk, such as its own flushes."""

    def join(self, other: _Stretch) -> None:
        """The other follows on it."""
        self.duration_s += other.duration_s
        for mine, others in ((self.roles, other.roles), (self.uncounted, other.uncounted)):
            for role, one in others.items():
                mine.setdefault(role, _OfRole()).join(one)


@dataclass
class Course:
    """Steps added one after the other. Of a long watch each stretch is of the same number of steps, which doubles as it goes on."""

    _stretches: list[_Stretch] = field(default_factory=list)
    _grain: int = 1
    """How many steps a stretch is made of."""
    _in_last: int = 0
    """Of these, how many the last one has."""

    def add(
        self, begin_s: float, duration_s: float, rows: Iterable[WatchedIo], is_rest: bool = False
    ) -> None:
        """What was seen in one more step; a rest is the short one behind the last. Its I/Os are counted at one disk each."""
        once = counted_once(list(rows))
        rest = [row for row in once if row.operation not in COUNTED]
        new = _Stretch(begin_s, duration_s, _by_role(counted_as_ios(once)), _by_role(rest))
        if self._stretches and (is_rest or 0 < self._in_last < self._grain):
            self._stretches[-1].join(new)
            self._in_last += 0 if is_rest else 1
            return
        if len(self._stretches) == STRETCHES_MAX:
            self._stretches = _halved(self._stretches)
            self._grain *= 2
        self._stretches.append(new)
        self._in_last = 1

    def facts(self) -> tuple[WatchedStretch, ...]:
        """By time, and in each stretch every role, those of most I/Os in all first: one that did nothing has none.

        As in the sums over all of the time: what the kernel counts, and all where there is nothing of that in any stretch.
        """
        stretches = self._stretches
        if not any(one.roles for one in stretches):
            stretches = [replace(one, roles=one.uncounted) for one in stretches]
        shown = _busiest_roles(stretches)
        folded = [(one, _folded(one, shown)) for one in stretches]
        if any(OTHERS in roles for _, roles in folded) and OTHERS not in shown:
            shown.append(OTHERS)
        return tuple(_fact(one, role, roles.get(role, _OfRole())) for one, roles in folded for role in shown)


def _busiest_roles(stretches: Iterable[_Stretch]) -> list[str]:
    ios: dict[str, int] = {}
    for one in stretches:
        for role, seen in one.roles.items():
            ios[role] = ios.get(role, 0) + seen.ios
    return sorted(ios, key=lambda role: (-ios[role], role))[:ROLES_MAX]


def _by_role(rows: Iterable[WatchedIo]) -> dict[str, _OfRole]:
    found: dict[str, list[WatchedIo]] = {}
    for row in rows:
        found.setdefault(row.role, []).append(row)
    return {role: _of_rows(of_role) for role, of_role in found.items()}


def _of_rows(rows: list[WatchedIo]) -> _OfRole:
    parts = [row.latency_us.hdr for row in rows if row.latency_us.hdr is not None]
    p99_us = latency(parts).p99 if parts else None
    moved = sum(moved_bytes(row.bytes, row.ios, row.errors) for row in moving(rows))
    return _OfRole(sum(row.ios for row in rows), round(moved), p99_us)


def _halved(stretches: list[_Stretch]) -> list[_Stretch]:
    found: list[_Stretch] = []
    for number, one in enumerate(stretches):
        if number % 2:
            found[-1].join(one)
        else:
            found.append(one)
    return found


def _folded(stretch: _Stretch, shown: Container[str]) -> dict[str, _OfRole]:
    """What each role that is shown did, and all others together."""
    found: dict[str, _OfRole] = {}
    for role, one in stretch.roles.items():
        found.setdefault(role if role in shown else OTHERS, _OfRole()).join(one)
    return found


def _fact(stretch: _Stretch, role: str, one: _OfRole) -> WatchedStretch:
    return WatchedStretch(
        begin_s=stretch.begin_s,
        duration_s=stretch.duration_s,
        role=role,
        ios=one.ios,
        bytes=one.bytes,
        latency_us_p99=one.p99_us,
    )


def _higher(one: float | None, other: float | None) -> float | None:
    known = [us for us in (one, other) if us is not None]
    return max(known, default=None)
