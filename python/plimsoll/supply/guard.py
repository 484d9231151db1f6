"""Watches others on a device while a load steps up beside them, and says when it must end: before their latency doubles.

Three witnesses, each held against how it was before the load:

- the block layer (/proc/diskstats): by how much its I/Os take longer than theirs did before and ours in the first, smallest step.
  A queue keeps everybody waiting alike, so what it added to all was added to theirs.
- our own I/Os: by how much their median is longer than in the first step. A limit that is set above the block layer, as by a
  control group, shows here alone. Single stalls of a shared machine do not move it.
- whatever else is handed in, as a database's own times of its I/Os.

No witness sees a cliff before it is reached: there the load is ended within a second of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from plimsoll.context import Cancel
from plimsoll.facts import Cell, Live, Shared
from plimsoll.host.device_counts import SECTOR_BYTES, DeviceCounts, device_counts
from plimsoll.ports import files
from plimsoll.ports.clock import Clock

STOP_AT = 1.4
"""Times what it was before. A step raises the load by a quarter at most, so that the next one would not double it."""
LOOKS_AGAIN = 2
"""Others' latency doubles by itself at times: each alarm is looked at again, after a rest that shows how they fare without us."""
LOOK_S = 5.0
REST_S = 2.0
_LIVE_AT = 3.0
_LIVE_SPAN_S = 0.6
_LATE_SECONDS = 2
"""A single window of few I/Os may be a stall of this host."""
_IOS_MIN = 20
"""Of fewer I/Os a mean says nothing, for the kernel counts whole milliseconds."""
_RISE_US_MIN = 100.0
"""What waking up threads takes more or less on a busy machine."""
_OPS = ("read", "write")

Read = Callable[[str], str | None]


class Witness(Protocol):
    """Something else that knows how long others' I/Os take."""

    @property
    def words(self) -> str:
        """What it looks at."""
        ...

    def latency_us(self) -> float | None:
        """Mean latency since the last call, microseconds; None where nothing was done or it does not answer."""
        ...


@dataclass(frozen=True)
class _Served:
    """I/Os of one kind and the time that they took together."""

    ios: int
    time_us: float

    @property
    def mean_us(self) -> float | None:
        return self.time_us / self.ios if self.ios >= _IOS_MIN else None


@dataclass
class Guard:
    """The watch over some disks, by their names in /proc/diskstats, from `look` on. `stopped` says why the load must end."""

    clock: Clock
    disks: Sequence[str]
    databases: Sequence[str] = ()
    read: Read = files.read_text
    witnesses: list[Witness] = field(default_factory=list)
    stopped: str | None = None
    others_iops: float | None = None
    others_mb_per_s: float | None = None
    before_us: dict[str, float] = field(default_factory=dict)
    """By witness; of the block layer for reads and writes each."""
    worst_us: dict[str, float] = field(default_factory=dict)
    """Of short spans before the load, the mean that was highest."""
    calm_us: dict[str, float] = field(default_factory=dict)
    """As `before_us`, in the last rest."""
    alarm: float | None = None
    """Why the step that runs is cut short: by so many times the latency is up."""
    first_us: dict[str, float] = field(default_factory=dict)
    """Our own I/Os in the first step, by kind."""
    _late_seconds: int = 0
    _first_mean_us: dict[str, float] = field(default_factory=dict)
    most: tuple[float, float] | None = None
    """The highest others' latency of any step, and what that one was before, microseconds."""

    def look(self, cancel: Cancel, seconds: float = LOOK_S) -> None:
        """How it is without us: the mean, and the worst of short spans, for others' latency is no constant either."""
        first, begun_s = self._counts(), self.clock.monotonic_s()
        last = first
        while self.clock.monotonic_s() - begun_s < seconds and not self._waited(cancel):
            last = self._span(last)
        self.before_us |= _means(first, last)
        self._others(first, last, self.clock.monotonic_s() - begun_s)

    def _waited(self, cancel: Cancel) -> bool:
        """Lets a short span pass; whether the user asked to end."""
        self.clock.sleep(_LIVE_SPAN_S)
        return cancel.is_set

    def _span(self, since: dict[str, DeviceCounts]) -> dict[str, DeviceCounts]:
        """A short span without us is over; the counters at its end."""
        now = self._counts()
        for op, mean_us in _means(since, now).items():
            self.worst_us[op] = max(mean_us, self.worst_us.get(op, 0.0))
        return now

    def _others(
        self, then: Mapping[str, DeviceCounts], now: Mapping[str, DeviceCounts], seconds: float
    ) -> None:
        pairs = [(then[name], now[name]) for name in now if name in then]
        if pairs and seconds > 0:
            sectors = sum(
                b.read_sectors + b.write_sectors - a.read_sectors - a.write_sectors for a, b in pairs
            )
            self.others_iops = sum(b.reads + b.writes - a.reads - a.writes for a, b in pairs) / seconds
            self.others_mb_per_s = sectors * SECTOR_BYTES / 1e6 / seconds

    def rest(self, cancel: Cancel) -> None:
        """A moment without our load: a latency that stays high in it is others' own doing, and what comes is held against that."""
        first = last = self._counts()
        begun_s = self.clock.monotonic_s()
        while self.clock.monotonic_s() - begun_s < REST_S and not self._waited(cancel):
            last = self._span(last)
        self.calm_us = _means(first, last)
        for witness in self.witnesses:
            found = witness.latency_us()
            if found is not None:
                self.calm_us[witness.words] = found

    def add(self, witness: Witness, cancel: Cancel, seconds: float) -> None:
        """A further witness, once it has seen how it is without us."""
        witness.latency_us()
        begun_s = self.clock.monotonic_s()
        while self.clock.monotonic_s() - begun_s < seconds and not self._waited(cancel):
            continue
        found = witness.latency_us()
        if found is not None:
            self.before_us[witness.words] = found
        self.witnesses.append(witness)

    def resting_ratio(self, seconds: float) -> float:
        """By how much others' latency is above what it was before, with no load of ours; 1 where too little was done to tell."""
        then = self._counts()
        self.clock.sleep(seconds)
        grown = _grown(then, self._counts())
        pairs = [(grown[op].mean_us, self.before_us.get(op)) for op in _OPS]
        return max((now_us / before_us for now_us, before_us in pairs if now_us and before_us), default=1.0)

    def watched(self, cancel: Cancel) -> StepCancel:
        """To be asked in place of `cancel` while a step runs: set as well when a witness says that it is too much."""
        return StepCancel(cancel, self)

    def begin(self) -> None:
        """A step begins."""
        self.alarm, self._late_seconds = None, 0
        self._then, self._recent = self._counts(), [(self.clock.monotonic_s(), self._counts())]
        for witness in self.witnesses:
            witness.latency_us()

    def end(self, cell: Cell) -> float:
        """The step is over: the highest ratio of others' latency to what it was before; 1 where nothing was seen."""
        ratios = [self._told(*seen) for seen in self._seen(cell)]
        if not self.first_us:
            self.first_us, self._first_mean_us = _own_us(cell), _own_mean_us(cell)
        return max(ratios, default=1.0)

    def is_too_much(self) -> bool:
        """Asked several times a second while a step runs: whether all I/Os of the last moment took far longer than they may."""
        now_s = self.clock.monotonic_s()
        self._recent.append((now_s, self._counts()))
        while len(self._recent) > 2 and now_s - self._recent[1][0] >= _LIVE_SPAN_S:
            self._recent.pop(0)
        if now_s - self._recent[0][0] >= _LIVE_SPAN_S:
            for op, served in _grown(self._recent[0][1], self._recent[-1][1]).items():
                usual_us = max(
                    self._usual_us(op) or 0.0, self.worst_us.get(op, 0.0), self.first_us.get(op, 0.0)
                )
                self._alarm_at(served.mean_us, usual_us)
        return self.alarm is not None

    def hear(self, live: Live) -> None:
        """Once a second of a step: our own median, which shows what the block layer does not count."""
        usual_us = max(self.first_us.values(), default=0.0)
        late = bool(usual_us and live.latency_us_p50 and live.latency_us_p50 >= _LIVE_AT * usual_us)
        self._late_seconds = self._late_seconds + 1 if late else 0
        if self._late_seconds >= _LATE_SECONDS:
            self._alarm_at(live.latency_us_p50, usual_us)

    def _alarm_at(self, now_us: float | None, usual_us: float) -> None:
        if now_us and usual_us and now_us >= _LIVE_AT * usual_us:
            self.alarm = max(now_us / usual_us, self.alarm or 0.0)

    def _usual_us(self, name: str) -> float | None:
        """What a witness said before the load, or in the last rest where that was more."""
        known = [found[name] for found in (self.before_us, self.calm_us) if name in found]
        return max(known, default=None)

    def stop(self, why: str) -> None:
        """From now on no further step is made."""
        self.stopped = self.stopped or why

    def shared(self) -> Shared:
        """What was watched, and what came of it."""
        ours = ("our own I/Os beside theirs",)
        block = (
            (f"the block layer's times at {', '.join(self.disks)}",)
            if any(op in self.before_us for op in _OPS)
            else ()
        )
        own = tuple(witness.words for witness in self.witnesses if witness.words in self.before_us)
        return Shared(
            devices=tuple(self.disks),
            databases=tuple(self.databases),
            others_iops=self.others_iops,
            others_mb_per_s=self.others_mb_per_s,
            watched=(*own, *block, *ours),
            latency_us_before=None if self.most is None else self.most[1],
            latency_us_most=None if self.most is None else self.most[0],
            stopped=self.stopped,
        )

    def _seen(self, cell: Cell) -> list[tuple[float, float, float]]:
        """Others' latency in the step, before it, and the highest that it had by itself, each as far as it is known."""
        told = [(witness.latency_us(), self._usual_us(witness.words)) for witness in self.witnesses]
        seen = [(now_us, before_us, 0.0) for now_us, before_us in told if now_us and before_us]
        own, grown = _own_us(cell), _grown(self._then, self._counts())
        for op in _OPS:
            before_us = self._usual_us(op) or self.first_us.get(op)
            if before_us is None:
                continue
            first_us = self.first_us.get(op)
            rise_us = own[op] - first_us if op in own and first_us else 0.0
            alone_us = (self._first_mean_us or _own_mean_us(cell)).get(op)
            queued_us = self._queued_us(op, grown[op], cell, before_us, alone_us)
            seen.append((before_us + max(rise_us, queued_us, 0.0), before_us, self.worst_us.get(op, 0.0)))
        return seen

    def _queued_us(
        self, op: str, served: _Served, cell: Cell, before_us: float, own_us: float | None
    ) -> float:
        """By how much all I/Os at the device took longer than theirs did before, and ours in the first step: what a queue added."""
        moved, mean_us = cell.at_devices, served.mean_us
        if mean_us is None:
            return 0.0
        ours = (
            0
            if moved is None or own_us is None
            else min(served.ios, moved.reads if op == "read" else moved.writes)
        )
        expected_us = (before_us * (served.ios - ours) + (own_us or 0.0) * ours) / served.ios
        return mean_us - expected_us

    def _told(self, now_us: float, before_us: float, worst_us: float) -> float:
        """How much it is up; less than `STOP_AT` where it was as high by itself, or where the rise is too small to be told."""
        if self.most is None or now_us / before_us > self.most[0] / self.most[1]:
            self.most = (now_us, before_us)
        if now_us <= worst_us or now_us - before_us < _RISE_US_MIN:
            return min(now_us / before_us, 1.0)
        return now_us / before_us

    def _counts(self) -> dict[str, DeviceCounts]:
        known = device_counts(self.read("/proc/diskstats") or "")
        return {name: known[name] for name in self.disks if name in known}


class StepCancel(Cancel):
    """The user's wish to end, or the guard's."""

    def __init__(self, user: Cancel, guard: Guard) -> None:
        super().__init__()
        self._user, self._guard = user, guard

    @property
    def is_set(self) -> bool:
        """Whether either asked."""
        return self._user.is_set or self._guard.is_too_much()

    def wait(self, seconds: float) -> bool:
        """As the user's."""
        return self._user.wait(seconds)


def _grown(then: Mapping[str, DeviceCounts], now: Mapping[str, DeviceCounts]) -> dict[str, _Served]:
    pairs = [(then[name], now[name]) for name in now if name in then]
    return {
        "read": _Served(sum(b.reads - a.reads for a, b in pairs), 1000.0 * sum(b.read_ms - a.read_ms for a, b in pairs)),
        "write": _Served(sum(b.writes - a.writes for a, b in pairs), 1000.0 * sum(b.write_ms - a.write_ms for a, b in pairs)),
    }  # fmt: skip


def _means(then: Mapping[str, DeviceCounts], now: Mapping[str, DeviceCounts]) -> dict[str, float]:
    return {op: served.mean_us for op, served in _grown(then, now).items() if served.mean_us}


def _own_mean_us(cell: Cell) -> dict[str, float]:
    """The mean of our own I/Os, by kind; twice the median at most, for what stalls of this host add is not the device's."""
    medians = _own_us(cell)
    found: dict[str, float] = {}
    for op, median_us in medians.items():
        of = [(one.ios, (one.service_us or one.latency_us).mean) for one in cell.classes if one.op == op]
        known = [(count, mean_us) for count, mean_us in of if count and mean_us]
        mean = sum(count * mean_us for count, mean_us in known) / max(1, sum(count for count, _ in known))
        found[op] = min(mean or median_us, 2 * median_us)
    return found


def _own_us(cell: Cell) -> dict[str, float]:
    """The median of our own I/Os, by kind, weighted by their number."""
    found: dict[str, float] = {}
    for op in _OPS:
        of = [(one.ios, (one.service_us or one.latency_us).p50) for one in cell.classes if one.op == op]
        known = [(count, median_us) for count, median_us in of if count and median_us]
        if known:
            found[op] = sum(count * median_us for count, median_us in known) / sum(
                count for count, _ in known
            )
    return found
