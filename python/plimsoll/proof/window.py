"""From what sessions handed in to the facts of the window: rates, latencies, and whether every session ran through it.

Each session's time in the window is its own: from when its last warm-up slice ended to when its last slice ended. An operation
that crosses either edge belongs to the slice in which it began, so rates are unbiased however long operations last.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from statistics import median

from plimsoll.base.levels import find_cliff
from plimsoll.facts import Agreement, OperationResult, OperationSlice, ProofSession, ProofWindow
from plimsoll.native.latency import latency_of_counts
from plimsoll.proof.crew import SLICE_S, Track
from plimsoll.proof.sessions import Drove
from plimsoll.proof.slices import COMMIT, Counted, Slice, added, latency_counts, middle_us

AGREEMENT_SHARE_MAX = 0.02
"""Two counts of the same operations that differ by more than this fail a run."""
IDLE_SHARE_MAX = 0.02
"""A session that is not at work for more of the window than this was not driven through it."""
_UNEVEN_SHARE_MAX = 0.1
"""Rates by each session's own time and by the whole window that differ by more than this are no rates."""
_SECONDS_MIN = 6
"""In fewer seconds a trend is not to be told from chance."""
_PER_SECOND_MIN = 20.0
"""Of fewer operations chance alone makes the seconds differ, and one that lasts for seconds leaves others empty."""
_FAR_FACTOR = 4.0
_FAR_SHARE_MAX = 0.1
_US = 1_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Windowed:
    """The window's facts."""

    window: ProofWindow
    operations: tuple[OperationResult, ...]
    slices: tuple[OperationSlice, ...]
    sessions: tuple[ProofSession, ...]
    counted: Mapping[str, Counted]
    session_s: float
    """The mean of the sessions' own times in the window: what rates by the server's counters are to be divided by."""
    returns: int
    """How often sessions came back in the window; each is a transaction of its own to the server."""

    @property
    def operations_per_s(self) -> float:
        """Operations of all kinds, a commit not being one."""
        return sum(result.operations_per_s for result in self.operations if result.name != COMMIT)


def instant(us: int) -> datetime:
    """An instant of the server's clock, exact to the microsecond."""
    return _EPOCH + timedelta(microseconds=us)


def windowed(drove: Drove, pauses: bool, work_loop: bool) -> Windowed:
    """The facts of a drive whose window opened. `pauses`: sessions idle of their own will; `work_loop`: each ends by itself."""
    spans = [_span(drove, track) for track in drove.tracks]
    counted = added(piece.counted for track in drove.tracks for piece in drove.counted_slices(track))
    # A session that never came back has no time of its own, and nothing to count in it.
    session_s = sum(end - begin for begin, end in spans) / len(spans) / _US
    end_us = max((end for _, end in spans), default=drove.closes_us)
    window = ProofWindow(
        start=instant(drove.opens_us), end=instant(end_us), duration_s=(end_us - drove.opens_us) / _US,
        excluded_warm_up_s=(drove.opens_us - drove.start_us) / _US,
    )  # fmt: skip
    rates = _rates(drove, spans)
    return Windowed(
        window=window,
        operations=tuple(
            OperationResult(
                name=name, operations=count.operations, operations_per_s=rates.get(name, 0.0),
                blocks=count.blocks if name != COMMIT else None, failed=count.failed,
                latency_us=latency_of_counts(latency_counts(count.latencies)),
            )
            for name, count in counted.items() if count.operations or count.failed
        ),
        slices=tuple(_slices(drove)),
        sessions=tuple(_session(drove, track, pauses, work_loop) for track in drove.tracks),
        counted=counted, session_s=session_s,
        returns=sum(len(drove.counted_slices(track)) for track in drove.tracks),
    )  # fmt: skip


def _span(drove: Drove, track: Track) -> tuple[int, int]:
    """A session's own time in the window, in µs of the server's clock."""
    before = [
        piece.ended_us
        for number, piece in track.slices
        if number <= drove.schedule.warm_up_slices and piece.ended_us
    ]
    begin = max(drove.opens_us, before[-1] if before else 0)
    mine = drove.counted_slices(track)
    ends = [piece.ended_us for piece in mine if piece.ended_us]
    finished = bool(mine) and (mine[-1].done or track.slices[-1][0] < drove.schedule.slices)
    last = ends[-1] if ends else begin
    return begin, max(begin, last if finished else max(last, drove.closes_us if mine else begin))


def _rates(drove: Drove, spans: Sequence[tuple[int, int]]) -> dict[str, float]:
    """Operations per second: each session's over its own time, summed."""
    rates: dict[str, float] = {}
    for track, (begin, end) in zip(drove.tracks, spans, strict=True):
        for name, count in added(piece.counted for piece in drove.counted_slices(track)).items():
            rates[name] = rates.get(name, 0.0) + (
                count.operations * _US / (end - begin) if end > begin else 0.0
            )
    return rates


def _slices(drove: Drove) -> list[OperationSlice]:
    found = []
    first = drove.schedule.warm_up_slices
    for number in range(first + 1, drove.schedule.slices + 1):
        pieces = [piece.counted for track in drove.tracks for at, piece in track.slices if at == number]
        for name, count in added(pieces).items():
            latency = latency_of_counts(latency_counts(count.latencies))
            if count.operations:
                found.append(
                    OperationSlice(
                        operation=name, start_s=(number - 1 - first) * SLICE_S, duration_s=SLICE_S,
                        operations=count.operations, latency_us_p50=latency.p50, latency_us_p99=latency.p99,
                        latency_us_p999=latency.p999, latency_us_max=latency.max,
                    )
                )  # fmt: skip
    return found


def _session(drove: Drove, track: Track, pauses: bool, work_loop: bool) -> ProofSession:
    mine = drove.counted_slices(track)
    began = next((piece.began_us for piece in mine if piece.began_us), None)
    ended = next((piece.ended_us for piece in reversed(mine) if piece.ended_us), None)
    reason = _why_not_whole(drove, track, mine, pauses, work_loop)
    return ProofSession(
        name=track.name, start=None if began is None else instant(began), end=None if ended is None else instant(ended),
        operations=sum(piece.operations for piece in mine), whole=not reason, reason=reason,
    )  # fmt: skip


def _why_not_whole(drove: Drove, track: Track, mine: Sequence[Slice], pauses: bool, work_loop: bool) -> str:
    """Empty for a session that was at work from the window's opening to its end."""
    if track.error is not None:
        return f"it ended with: {track.error.message}"
    if work_loop and mine and mine[-1].done:
        return ""
    if not mine:
        return "it handed in nothing in the window"
    if track.slices[-1][0] < drove.schedule.slices:
        stopped_s = (drove.schedule.slices - track.slices[-1][0]) * SLICE_S
        return f"it stopped {stopped_s:g} s before the window's end"
    if pauses:
        return ""
    idle_s = _idle_us(drove, track) / _US
    window_s = (drove.closes_us - drove.opens_us) / _US
    if idle_s > IDLE_SHARE_MAX * window_s:
        return f"it did nothing for {idle_s:.1f} s of the window's {window_s:g} s"
    return ""


def _idle_us(drove: Drove, track: Track) -> float:
    """Time in the window that lies between a session's slices, or before its first or after its last operation.

    A pause no longer than the session's own slowest operation is what the machine does to any of its work: there it waits for
    a CPU as an operation would, and only what goes beyond is idleness.
    """
    mine = [piece for piece in drove.counted_slices(track) if piece.began_us and piece.ended_us]
    buckets = (bucket for piece in mine for counted in piece.counted.values() for bucket in counted.latencies)
    slowest_us = max((middle_us(bucket) for bucket in buckets), default=0.0)
    idle, reached = 0.0, _span(drove, track)[0]
    for piece in mine:
        idle += max(0.0, (piece.began_us or 0) - reached - slowest_us)
        reached = piece.ended_us or reached
    return idle + max(0.0, drove.closes_us - reached - slowest_us)


def uneven(made: Windowed) -> Iterator[str]:
    """Why the rates is not valid, where each session's own time gives others than the whole window does."""
    done = sum(session.operations for session in made.sessions)
    over_all = done / made.window.duration_s if made.window.duration_s else 0.0
    whole = all(session.whole for session in made.sessions)
    if whole and over_all and made.operations_per_s > (1 + _UNEVEN_SHARE_MAX) * over_all:
        yield (
            f"each session's own time gives {made.operations_per_s:,.0f} operations per second together and the window of "
            f"{made.window.duration_s:.1f} s gives {over_all:,.0f}: some sessions ended long after others; run longer, or use fewer"
        )


def unsteady(made: Windowed) -> Iterator[str]:
    """Why the window has no one rate: it fell for good, or some seconds were far from the others."""
    rates = _operations_by_second(made)
    if len(rates) < _SECONDS_MIN or median(rates) < _PER_SECOND_MIN:
        return
    fell = find_cliff(rates)
    if fell is not None:
        yield (
            f"operations per second fell from {fell.before:,.0f} to {fell.after:,.0f} after {fell.index * SLICE_S:.0f} s and stayed"
            " there: what the mean says was never held; warm up for longer"
        )
        return
    usual = median(rates)
    far = [rate for rate in rates if rate < usual / _FAR_FACTOR or rate > usual * _FAR_FACTOR]
    if len(far) > _FAR_SHARE_MAX * len(rates):
        yield (
            f"operations per second went from {min(rates):,.0f} to {max(rates):,.0f} within the window, in {len(far)} of"
            f" {len(rates)} seconds more than {_FAR_FACTOR:g} times away from their median of {usual:,.0f}:"
            " the mean stands for none of them"
        )


def _operations_by_second(made: Windowed) -> list[float]:
    """Over all sessions and kinds of operations, second by second of the window."""
    seconds = max(1, round(made.window.duration_s / SLICE_S))
    rates = [0.0] * seconds
    for piece in made.slices:
        at = round(piece.start_s / SLICE_S)
        if piece.operation != COMMIT and at < seconds:
            rates[at] += piece.operations / SLICE_S
    return rates


def agreement(
    what: str,
    by_sessions: float,
    by_server: float | None,
    how: str,
    limit_share: float = AGREEMENT_SHARE_MAX,
    slack: float = 0.0,
    unheard: float = 0.0,
) -> Agreement:
    """Two counts of the same thing beside each other. `how` names the server's counter; `slack` is what others may add, and what a
    reading may miss; `unheard` is what sessions may have done that nobody heard of, which excuses nothing that is not there.
    """
    share = holds = None
    if by_server is None:
        how = f"unknown: {how}"
    else:
        apart = by_server - by_sessions
        share = apart / by_sessions if by_sessions else (1.0 if apart else 0.0)
        allowed = limit_share * by_sessions + slack
        holds = -allowed <= apart <= allowed + unheard
    return Agreement(
        what=what, sessions_count=by_sessions, server_count=by_server, difference_share=share, limit_share=limit_share,
        slack=slack + unheard or None, holds=holds, reason=how,
    )  # fmt: skip
