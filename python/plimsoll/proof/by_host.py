"""What the hosts of a drive did, each by itself: where its sessions were driven from several, and some may have been lost.

All instants are those of the server's clock, which is one for all hosts: nothing depends on their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from plimsoll.facts import ProofHost, ProofHosts
from plimsoll.native.latency import latency_of_counts
from plimsoll.proof.crew import SLICE_S, Track
from plimsoll.proof.sessions import Drove, Schedule
from plimsoll.proof.slices import COMMIT, Slice, added, latency_counts
from plimsoll.proof.window import Windowed, instant

_SLICES_UNTOLD = 2
"""Of a session that ended when it was lost: one that the server had answered and nobody heard of, and one that it was at."""


def hosts_of(drove: Drove, made: Callable[[Drove], Windowed], *, is_paced: bool) -> ProofHosts | None:
    """Each host's part; None where sessions were driven from here alone. `is_paced`: a session begins when something is due."""
    names = list(dict.fromkeys(track.host for track in drove.tracks if track.host))
    if not names:
        return None
    hosts = tuple(_host(name, drove, made) for name in names)
    begins = [host.begun_at for host in hosts if host.begun_at is not None]
    spread_us = None
    if len(begins) == len(hosts) > 1 and not is_paced:
        spread_us = (max(begins) - min(begins)).total_seconds() * 1e6
    complete = _complete_slices(drove)
    complete_s = None if complete is None else complete * SLICE_S
    return ProofHosts(
        hosts=hosts,
        start_spread_us=spread_us,
        complete_s=complete_s,
        complete_operations_per_s=_rate_until(drove, complete) if complete else None,
    )


def doubts_of_lost(drove: Drove) -> Iterator[str]:
    """Why a run of which hosts were lost is none of all of them, once for each."""
    yield from dict.fromkeys(track.error.message for track in drove.lost if track.error is not None)


def untold(drove: Drove, measure: Callable[[Slice], float]) -> float:
    """How much the server may have counted of sessions that were lost which nobody here heard of."""
    pieces = [piece for track in drove.tracks for _, piece in track.slices]
    slices = sum(_slices_untold(drove.schedule, track) for track in drove.lost)
    return slices * max(map(measure, pieces), default=0.0)


def of_lost(number: float) -> str:
    """In words, where it is not 0: how much of that a count of the server's may have."""
    return f"; up to {number:,.0f} may be of hosts that were lost" if number else ""


def _slices_untold(schedule: Schedule, track: Track) -> float:
    """No more than are left of the drive."""
    told = track.slices[-1][0] if track.slices else 0
    return min(_SLICES_UNTOLD + track.unheard_s / SLICE_S, schedule.slices - told)


def _host(name: str, drove: Drove, made: Callable[[Drove], Windowed]) -> ProofHost:
    own = replace(drove, tracks=tuple(track for track in drove.tracks if track.host == name))
    found = made(own)
    done = sum(session.operations for session in found.sessions)
    parts = [count for kind, count in found.counted.items() if kind != COMMIT]
    latencies = added({"all": part} for part in parts).get("all")
    return ProofHost(
        host=name,
        sessions=len(own.tracks),
        operations=done,
        operations_per_s=found.operations_per_s if done else None,
        latency_us=latency_of_counts(latency_counts(latencies.latencies)) if done and latencies else None,
        begun_at=_begun(own.tracks),
        ended_at=max((one.end for one in found.sessions if one.end is not None), default=None),
        lost_because=next(doubts_of_lost(own), None),
    )


def _begun(tracks: Sequence[Track]) -> datetime | None:
    """When the first operation of all began, warm-up too."""
    begins = [piece.began_us for track in tracks for _, piece in track.slices[:1] if piece.began_us]
    return instant(min(begins)) if begins else None


def _complete_slices(drove: Drove) -> int | None:
    """How many slices of the window all sessions handed in, those too that were lost later; None where none was lost."""
    lost = drove.lost
    if not lost:
        return None
    last = min(track.slices[-1][0] if track.slices else 0 for track in lost)
    return max(0, last - drove.schedule.warm_up_slices)


def _rate_until(drove: Drove, complete: int) -> float:
    """Operations per second of all sessions in the first slices of the window."""
    last = drove.schedule.warm_up_slices + complete
    pieces = (piece for track in drove.tracks for at, piece in track.slices if last - complete < at <= last)
    return sum(piece.operations for piece in pieces) / (complete * SLICE_S)
