"""Whether a demand was held back by its storage: then a faster one would be asked for more, and what was counted is a lower bound.

Five things tell, each by itself:

- the rate stands still while what is in flight doubles: more callers wait, and no more comes of it.
- clients that never rest: at nearly every look the same number of sessions was at work, and most of them waited for I/O; or as many
  reads were under way, on average over all the time, as there were sessions. Such callers ask again as soon as they are answered
  (a closed loop), so it is the answers that set the rate.
- the host stood still: for most of the time no task could go on because of I/O (`full` of PSI; Linux, psi.rst).
- reads that took very long, with several under way.
- the volume says so: a cloud's volume that counts for how long more was asked of it than it may give.

How busy a device is tells nothing: one that serves many at once is fully busy long before it is slow.
In flight is Little's law: I/Os per second times their mean time; where the server does not time them, the sessions that waited.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from plimsoll.base.units import format_rate, format_share, format_us
from plimsoll.facts import DemandInterval, HeldBack, Note

HELD_BACK = "held-back"
"""Code of the note on such a demand."""
LOOKS_MIN = 8
"""Fewer intervals say nothing of how rate and waiting go together, or of who rests."""
_GROUP_MIN = 4
_GROUPS = 8
_FLAT = 1.1
_NEAR_PEAK_SHARE = 0.5
_IN_FLIGHT_MIN = 1.0
"""Below it there are moments without any I/O, so that nothing is exhausted."""
_RESTLESS_SHARE = 0.9
_WAITING_SHARE = 0.5
_AT_WORK_SHARE = 0.5
_SESSIONS_MIN = 4.0
"""With fewer, callers who come by chance are soon seen all at once, and have as many reads under way as the most that were seen."""
_STALLED_SHARE = 0.8
_SLOW_US = 20_000.0
_SLOW_IN_FLIGHT = 4.0
_LIMITED_SHARE = 0.01
"""More than a moment now and then."""


@dataclass(frozen=True)
class _Load:
    """What was in flight and came of it; medians of a group."""

    in_flight: float
    iops: float
    mb_per_s: float


def held_back(intervals: Sequence[DemandInterval]) -> HeldBack:
    """The first evidence; else that there is none, or that nothing which could tell was counted."""
    known = [interval for interval in intervals if interval.gap is None and interval.iops is not None]
    for found in (_flat(known), _restless(known), _stalled(known), _slow(known), _limited(known)):
        if found is not None:
            return HeldBack(is_held_back=True, reason=found)
    if _tells(known):
        return HeldBack(
            is_held_back=False, reason="nothing that was counted says that the storage held it back"
        )
    return HeldBack(is_held_back=None, reason=_why_unknown(known))


def held_back_note(found: HeldBack) -> tuple[Note, ...]:
    """What a demand says of it among its notes: the evidence, or nothing."""
    if not found.is_held_back:
        return ()
    return (
        Note(
            code=HELD_BACK, message=f"the demand is a lower bound, its storage held it back: {found.reason}"
        ),
    )


def in_flight(interval: DemandInterval) -> float | None:
    """I/Os waited for at a time, on average; None where neither their time nor waiting sessions are known."""
    timed = [
        io.ops_per_s * io.latency_us_mean / 1e6
        for io in interval.classes.values()
        if io.ops_per_s and io.latency_us_mean is not None
    ]
    return sum(timed) if timed else interval.sessions_waiting


def _flat(known: Sequence[DemandInterval]) -> str | None:
    """The rate rises by less than a tenth while what is in flight doubles, near the highest rate that was seen."""
    groups = list(_groups(known))
    highest = max((group.iops for group in groups), default=0.0)
    most = max((group.mb_per_s for group in groups), default=0.0)
    for number, low in enumerate(groups):
        near_peak = low.iops >= _NEAR_PEAK_SHARE * highest or low.mb_per_s >= _NEAR_PEAK_SHARE * most
        if low.in_flight < _IN_FLIGHT_MIN or not near_peak:
            continue
        for high in groups[number + 1 :]:
            more = high.iops >= _FLAT * low.iops or high.mb_per_s >= _FLAT * low.mb_per_s
            if high.in_flight >= 2 * low.in_flight and not more:
                return (
                    f"with {high.in_flight:.3g} I/Os in flight it got {format_rate(high.iops)} a second, and"
                    f" {format_rate(low.iops)} with {low.in_flight:.3g}: more waited, and no more was done"
                )
    return None


def _groups(known: Sequence[DemandInterval]) -> Iterator[_Load]:
    """Intervals with about the same in flight, from few to many."""
    placed = sorted(
        (_Load(waiting, interval.iops or 0.0, interval.mb_per_s or 0.0) for interval in known if (waiting := in_flight(interval))),
        key=lambda load: load.in_flight,
    )  # fmt: skip
    size = max(_GROUP_MIN, len(placed) // _GROUPS)
    if len(placed) < LOOKS_MIN:
        return
    for start in range(0, len(placed) - size + 1, size):
        part = placed[start : start + size]
        yield _Load(
            median(load.in_flight for load in part),
            median(load.iops for load in part),
            median(load.mb_per_s for load in part),
        )


def _restless(known: Sequence[DemandInterval]) -> str | None:
    looks = [
        (one.sessions_active, one.sessions_waiting)
        for one in known
        if one.sessions_active is not None and one.sessions_waiting is not None
    ]
    if len(looks) < LOOKS_MIN:
        return None
    active, waiting = fmean(look[0] for look in looks), fmean(look[1] for look in looks)
    most = max(look[0] for look in looks)
    under_way = _reads_under_way(known)
    are_all = under_way is not None and _RESTLESS_SHARE * most <= under_way <= most / _RESTLESS_SHARE
    if are_all and most >= _SESSIONS_MIN and active >= _AT_WORK_SHARE * most:
        # A storage that lets go in lumps has many of them answered at the moment of a look.
        active = waiting = most
    if not most or active < _RESTLESS_SHARE * most or waiting < _WAITING_SHARE * active:
        return None
    return (
        f"its {most:.0f} session{'' if most == 1 else 's'} hardly ever rested, and {format_share(waiting / active)} of their time"
        " went into waiting for I/O"
    )


def _reads_under_way(known: Sequence[DemandInterval]) -> float | None:
    """Reads that sessions waited for at a time, over all intervals together; None where one of them did not time its reads."""
    seconds = waited_s = 0.0
    for interval in known:
        for name in ("small_read", "large_read"):
            read = interval.classes.get(name)
            if read is None or not read.ops_per_s:
                continue
            if read.latency_us_mean is None:
                return None
            waited_s += interval.duration_s * read.ops_per_s * read.latency_us_mean / 1e6
        seconds += interval.duration_s
    return waited_s / seconds if seconds else None


def _stalled(known: Sequence[DemandInterval]) -> str | None:
    shares = [(one.duration_s, one.stalled_share) for one in known if one.stalled_share is not None]
    seconds = sum(duration_s for duration_s, _ in shares)
    if len(shares) < LOOKS_MIN or not seconds:
        return None
    share = sum(duration_s * part for duration_s, part in shares) / seconds
    return (
        f"for {format_share(share)} of the time nothing on its host could go on because of I/O (PSI, full)"
        if share >= _STALLED_SHARE
        else None
    )


def _slow(known: Sequence[DemandInterval]) -> str | None:
    """At the busiest: reads that take as long as a queue does, several at a time."""
    busiest = max(known, key=lambda interval: interval.iops or 0.0, default=None)
    read = None if busiest is None else busiest.classes.get("small_read")
    if read is None or not read.ops_per_s or read.latency_us_mean is None:
        return None
    waiting = read.ops_per_s * read.latency_us_mean / 1e6
    if read.latency_us_mean < _SLOW_US or waiting < _SLOW_IN_FLIGHT:
        return None
    return f"at its busiest a read took {format_us(read.latency_us_mean)}, with {waiting:.3g} outstanding on average"


def _limited(known: Sequence[DemandInterval]) -> str | None:
    shares = [
        (one.duration_s, one.beneath.limit_exceeded_share)
        for one in known
        if one.beneath is not None and one.beneath.limit_exceeded_share is not None
    ]
    seconds = sum(duration_s for duration_s, _ in shares)
    share = sum(duration_s * part for duration_s, part in shares) / seconds if seconds else 0.0
    if share < _LIMITED_SHARE:
        return None
    time = format_share(share)
    return f"for {time} of the time more was asked of its volume than it or its instance may give, by the volume's own count"


def _tells(known: Sequence[DemandInterval]) -> bool:
    """Whether evidence would have shown: times of I/Os, or sessions that were looked at often enough."""
    if any(io.latency_us_mean is not None for one in known for io in one.classes.values()):
        return True
    if any(one.beneath is not None and one.beneath.limit_exceeded_share is not None for one in known):
        return True
    looks = sum(one.sessions_waiting is not None or one.stalled_share is not None for one in known)
    return looks >= LOOKS_MIN


def _why_unknown(known: Sequence[DemandInterval]) -> str:
    if not known:
        return "no interval is known"
    return "neither how long its I/Os took nor how many sessions waited for them is known"
