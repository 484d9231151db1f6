"""What hosts got together: the steady window, sums within it, and who falls behind.

The steady window is the time in which all hosts measured that were there to the end: only in it is a sum of rates one that the
storage carried. A lost host counts for nothing in it, and is told apart.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import median
from typing import Any, Self

from plimsoll.base.limits import AT_WORK_FAR, AT_WORK_STILL_S
from plimsoll.base.sentences import all_of
from plimsoll.base.units import counted, format_ratio, format_seconds, format_share, format_us
from plimsoll.cluster.limits import CLOCK_ERROR_SHARE_MAX
from plimsoll.facts import Check, LatencyUs
from plimsoll.native.latency import latency

STEADY_SHARE_MIN = 0.8
"""Below this share of the time that was asked for, hosts were hardly together."""
JUDGED_MIN = 4
"""With three hosts one that differs may as well be the only one that is right."""
SLOW_SHARE = 0.5
"""Of the median rate of the other hosts."""
LATE_RATIO = 3.0
"""Of the median 99th percentile of the other hosts."""


@dataclass(frozen=True)
class Slice:
    """What one host did in a while, which begins so long after the common begin of the measured time."""

    from_s: float
    lasting_s: float
    ios: int
    bytes: int
    latency_hdr: bytes
    first_s: float | None = None
    """When the first of its I/Os ended, and the last; None where there is none."""
    last_s: float | None = None

    @classmethod
    def of(cls, said: Mapping[str, Any]) -> Self:
        """As an agent tells it. Raises KeyError, TypeError, ValueError."""
        return cls(
            from_s=float(said["from_s"]),
            lasting_s=float(said["lasting_s"]),
            ios=int(said["ios"]),
            bytes=int(said["bytes"]),
            latency_hdr=base64.b64decode(said["hdr"], validate=True),
            first_s=None if said["first_s"] is None else float(said["first_s"]),
            last_s=None if said["last_s"] is None else float(said["last_s"]),
        )

    def later(self, seconds: float) -> Self:
        """The same, so much later on the axis."""
        moments = ("from_s", "first_s", "last_s")
        known = {name: moment for name in moments if (moment := getattr(self, name)) is not None}
        return replace(self, **{name: moment + seconds for name, moment in known.items()})

    @property
    def until_s(self) -> float:
        """When it ends."""
        return self.from_s + self.lasting_s

    @property
    def ended_s(self) -> tuple[float, float]:
        """When the first and the last of its I/Os ended. Of those that had begun before the measured time that is not known."""
        first_s = self.from_s if self.first_s is None else self.first_s
        return first_s, self.until_s if self.last_s is None else self.last_s


@dataclass(frozen=True)
class Course:
    """One host's measured time."""

    host: str
    slices: tuple[Slice, ...]
    is_whole: bool
    """Whether it ended as asked."""
    begun_s: float = 0.0
    """When its first I/O was begun, which is later than it was to be where the host was held up."""
    there_until_s: float = 0.0
    """Of one that was lost: until when it was there, though it may have told of no I/O since its last slice."""

    @property
    def span(self) -> tuple[float, float] | None:
        """From its first slice, or its first I/O where that came later, to the end of its last slice, or until it was there. Slices
        without I/O are not told until the end.
        """
        if not self.slices:
            return None
        return max(self.slices[0].from_s, self.begun_s), max(self.slices[-1].until_s, self.there_until_s)

    @property
    def still_s(self) -> float:
        """The longest time in which no I/O ended, of those that reach beyond a slice; 0 where slow I/Os alone leave it so long."""
        if self.span is None:
            return 0.0
        ended = [one.ended_s for one in self.slices if one.ios > 0]
        begins, ends = (
            [self.span[0], *(last_s for _, last_s in ended)],
            [*(first_s for first_s, _ in ended), self.span[1]],
        )
        gaps = [until_s - from_s for from_s, until_s in zip(begins, ends, strict=True)]
        longest_s = max(gaps)
        p50_us = latency([one.latency_hdr for one in self.slices]).p50
        return longest_s if longest_s >= AT_WORK_FAR * (p50_us or 0.0) / 1e6 else 0.0


@dataclass(frozen=True)
class Amount:
    """Rates and latency in a stretch of time."""

    iops: float
    mb_per_s: float
    hdrs: tuple[bytes, ...]

    @cached_property
    def latency_us(self) -> LatencyUs | None:
        """Of slices that lie wholly within the stretch."""
        return latency(self.hdrs) if self.hdrs else None


def judge_standing(courses: Sequence[Course], paced: bool = False) -> Check:
    """Whether I/Os of each host ended all the time: one that stood still, as a virtual machine that was paused, is no part of a
    sum, and what it did not do has no latency. At a rate a host may have had nothing to do."""
    if paced:
        return Check(
            name="at_work", passed=None, reason="at a rate a host may have had nothing to do for a while"
        )
    still = {course.host: course.still_s for course in courses if course.is_whole}
    if not still:
        return Check(name="at_work", passed=None, reason="no host was there to the end")
    odd = [
        f"of {host} no I/O ended for {format_seconds(seconds)}"
        for host, seconds in still.items()
        if seconds >= AT_WORK_STILL_S
    ]
    reason = "; ".join(odd) if odd else "each host was at work all the time"
    figures = {"still_s": max(still.values(), default=0.0)}
    return Check(name="at_work", passed=not odd, reason=reason, figures=figures)


def steady_window(courses: Sequence[Course]) -> tuple[float, float] | None:
    """Begin and end of the time that all whole courses have in common; None where there is none."""
    return common_window([course for course in courses if course.is_whole])


def common_window(courses: Sequence[Course]) -> tuple[float, float] | None:
    """Begin and end of the time that these have in common; None where there is none."""
    spans = [course.span for course in courses]
    known = [span for span in spans if span is not None]
    if not known or len(known) < len(spans):
        return None
    begin, end = max(span[0] for span in known), min(span[1] for span in known)
    return (begin, end) if end > begin else None


_TOGETHER_S = 0.005
"""A slice that sticks out of a stretch by less counts as within it: hosts begin within milliseconds of each other."""


def amount_within(course: Course, window: tuple[float, float]) -> Amount | None:
    """What a host did in the window, while it was there; of a slice that lies in it in part, that part of its I/Os. None where it
    was not there.
    """
    if course.span is None:
        return None
    begin, end = max(window[0], course.span[0]), min(window[1], course.span[1])
    if end <= begin:
        return None
    ios = moved = 0.0
    hdrs: list[bytes] = []
    for one in course.slices:
        overlap = min(end, one.until_s) - max(begin, one.from_s)
        if overlap <= 0 or one.lasting_s <= 0:
            continue
        share = min(1.0, overlap / one.lasting_s)
        ios, moved = ios + one.ios * share, moved + one.bytes * share
        if one.lasting_s - overlap < _TOGETHER_S:
            hdrs.append(one.latency_hdr)
    seconds = end - begin
    return Amount(ios / seconds, moved / seconds / 1e6, tuple(hdrs))


def together(amounts: Sequence[Amount]) -> Amount:
    """All of them as one."""
    return Amount(
        sum(one.iops for one in amounts),
        sum(one.mb_per_s for one in amounts),
        tuple(hdr for one in amounts for hdr in one.hdrs),
    )


def judge_window(window: tuple[float, float] | None, asked_s: float, hosts: int) -> Check:
    """Whether all hosts, those too that were lost later, were together for long enough that their sum says something."""
    if window is None:
        reason = f"there was no time in which {all_of(hosts)} measured"
        return Check(name="together", passed=False, reason=reason)
    length_s = window[1] - window[0]
    share = length_s / asked_s
    figures = {"steady_s": length_s, "asked_s": asked_s, "share": share}
    who = f"{all_of(hosts)} measured{' at the same time' if hosts > 1 else ''}"
    reason = f"{who} for {format_seconds(length_s)} of {format_seconds(asked_s)}"
    return Check(name="together", passed=share >= STEADY_SHARE_MIN, reason=reason, figures=figures)


def judge_stragglers(amounts: dict[str, Amount], paced: bool = False) -> Check:
    """Whether one host falls behind the others: by its rate, where each does what it can, and by its 99th percentile."""
    if len(amounts) < JUDGED_MIN:
        told = counted(len(amounts), "host")
        reason = f"with {told} nobody can tell which one is odd; it takes {JUDGED_MIN}"
        return Check(name="stragglers", passed=None, reason=reason)
    odd = [words for host in amounts if (words := _oddness(host, amounts, paced)) is not None]
    reason = "; ".join(odd) if odd else "no host falls behind the others"
    return Check(name="stragglers", passed=not odd, reason=reason, figures={"stragglers": float(len(odd))})


def _oddness(host: str, amounts: dict[str, Amount], paced: bool) -> str | None:
    """What is odd about a host, against the median of the others."""
    own = amounts[host]
    others = [one for name, one in amounts.items() if name != host]
    rate = median(one.iops for one in others)
    if not paced and rate > 0 and own.iops < SLOW_SHARE * rate:
        return f"{host} did {format_share(own.iops / rate)} of the I/Os of the others' median"
    tails = [
        one.latency_us.p99 for one in others if one.latency_us is not None and one.latency_us.p99 is not None
    ]
    mine = None if own.latency_us is None else own.latency_us.p99
    if tails and mine is not None and mine > LATE_RATIO * median(tails):
        ratio = mine / median(tails)
        return (
            f"{host} has a p99 of {format_us(mine)}, {format_ratio(ratio)} times that of the others' median"
        )
    return None


def judge_clocks(moved_us: dict[str, float | None], asked_s: float) -> Check:
    """Whether clocks went on as they were: one that was set meanwhile may have made its host begin at another moment. What is told
    is by how much each moved, beyond what comparing them leaves open.
    """
    limit_us = CLOCK_ERROR_SHARE_MAX * asked_s * 1e6
    known = {host: abs(by_us) for host, by_us in moved_us.items() if by_us is not None}
    if not known:
        return Check(name="clocks", passed=None, reason="no clock was compared after the run")
    moved = {host: by_us for host, by_us in known.items() if by_us > 0}
    told = ", ".join(f"{host} by {format_us(by_us)}" for host, by_us in moved.items())
    if any(by_us > limit_us for by_us in moved.values()):
        return Check(name="clocks", passed=False, reason=f"clocks were set while it was measured: {told}")
    share = format_share(CLOCK_ERROR_SHARE_MAX)
    little = f"clocks moved by less than {share} of the time meanwhile: {told}; spreads are true to so much"
    return Check(name="clocks", passed=True, reason=little if moved else "clocks went on as they were")


def judge_storage(one_storage: bool | None, is_own: bool, hosts: int) -> tuple[Check, ...]:
    """Whether the sum is that of one storage; nothing where each was to measure its own, or there is but one."""
    if is_own or hosts == 1:
        return ()
    reason = {
        True: "all hosts see the same storage",
        False: "a host does not see the files of the others, so this is the sum of several storages, as --own-storage means it",
        None: "nothing tells whether the hosts see the same storage",
    }
    return (Check(name="one_storage", passed=one_storage, reason=reason[one_storage]),)
