"""What driving a demand's worst stretches as they were says to the answer of its lines.

A miss at the demand's own rates makes a yes a no, unless it is hardly one; and a no by the lines cannot be told where all of them
held. Where the lines leave it open, what was driven decides if it is clear: a latency of twice the limit for most of ten seconds is
no chance, and neither is room of `CLEAR_ROOM` both by the lines' best estimate and by what was driven.
"""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll.base.units import format_ratio, format_share
from plimsoll.facts import Replay, ReplayTrial, ReplayWindow, Slo, Window
from plimsoll.facts.replay import REPLAY_LEFT_OUT, WINDOW_S

CLEAR_ROOM = 1.15
"""Two lines of one mix differ by less through chance; a demand that is no closer must be decided."""
CLEAR_MISS = 2.0
"""Latency / limit. At the line it is 1, and a few per cent more load multiply it."""
SLIGHT_MISS = 1.15
"""Latency / limit. Ten seconds are beyond their limit by so little through chance, or within a few per cent of the line."""
_ROUNDING_S = 1e-6

Answer = tuple[bool | None, float | None, str]
"""Carries, headroom and the reason."""


def held_against(replay: Replay | None, by_lines: Answer) -> Answer:
    """The answer of the lines with what was driven.

    The headroom is never one at which it was driven and missed: then it is the highest factor that was driven and held. A no by the
    lines stands where there was no time for a stretch, and where what was driven is too short to say what the storage does in the
    long run.
    """
    if replay is None:
        return by_lines
    carries, headroom, reason = by_lines
    if carries is None:
        return _where_open(replay, headroom, reason)
    missed = [trial for trial in replay.as_it_was if trial.held is False]
    if carries and missed:
        told = (
            f"By its lines it could take {format_ratio(headroom)} times the load"
            if headroom
            else "Its lines said yes"
        )
        if all(map(_is_hardly_missed, missed)):
            return None, replay.headroom, f"It is too close to call. {_driven(replay)} {told}."
        return False, replay.headroom, f"{_NO} {_driven(replay)} {told}."
    if not carries and _held_throughout(replay):
        return (
            None,
            headroom,
            f"It cannot be told: lines and replay disagree. {_by_lines(reason)} Yet {replay.reason}.",
        )
    if carries and (failed := _failed(replay)) is not None:
        return None, None, f"It cannot be told: {failed}. {_by_lines(reason)}"
    if headroom is not None and replay.missed is not None and headroom >= replay.missed:
        most = f"less than {room(replay.missed)}" if replay.headroom is None else room(replay.headroom)
        return carries, replay.headroom, f"{reason.replace(room(headroom), most, 1)} {_driven(replay)}"
    if carries is False and headroom is not None and headroom < (replay.headroom or 0.0):
        reason = reason.replace(": it can take", ": by its line it can take", 1)
    return carries, headroom, f"{reason} {_driven(replay)}"


def room(headroom: float) -> str:
    """How many times the load, or how much of it."""
    return f"{format_ratio(headroom)} times" if headroom >= 1 else format_share(headroom)


def _where_open(replay: Replay, headroom: float | None, reason: str) -> Answer:
    """No, where the demand's own rates were clearly missed; yes, where the lines, too, rather say so."""
    by_lines = _by_lines(reason)
    if any(_is_clearly_missed(trial, replay.slo) for trial in replay.as_it_was):
        return False, replay.headroom, f"{_NO} {_driven(replay)} {by_lines}"
    driven = replay.headroom or 0.0
    is_clear = min(headroom or 0.0, driven) >= CLEAR_ROOM and _held_throughout(replay)
    if is_clear and _failed(replay) is None:
        return True, driven, f"{_YES}, {room(driven)} over. {_driven(replay)} {by_lines}"
    return None, headroom, reason if headroom is None else f"{reason} {_driven(replay)}"


def _by_lines(reason: str) -> str:
    """What the lines say, marked as their word alone beside an answer that is another."""
    return f"By its lines alone {reason[0].lower()}{reason[1:]}"


_NO, _YES = "This storage does not carry the database.", "This storage carries the database"


def _driven(replay: Replay) -> str:
    return f"{replay.reason[0].upper()}{replay.reason[1:]}."


def _failed(replay: Replay) -> str | None:
    """That I/Os failed, at whatever factor, as a clause: a storage that fails them is none to say yes of."""
    trial = next((one for one in replay.trials if one.errors), None)
    return (
        None
        if trial is None
        else f"{trial.errors:,} I/Os failed when it was driven at {trial.factor:.3g} times its rates"
    )


def _held_throughout(replay: Replay) -> bool:
    """Whether every stretch was driven as it was and held, one of them for ten seconds at least."""
    left_out = any(note.code == REPLAY_LEFT_OUT for note in replay.notes)
    longest_s = max((trial.duration_s for trial in replay.as_it_was), default=0.0)
    return longest_s >= WINDOW_S - _ROUNDING_S and not left_out and all(one.held for one in replay.as_it_was)


def _is_hardly_missed(trial: ReplayTrial) -> bool:
    """Whether all that went wrong is that the latency of some windows was a little beyond the limit."""
    beyond = [window.worst_ratio for window in trial.windows if not window.held]
    return not trial.errors and bool(beyond) and max(beyond) <= SLIGHT_MISS


def _is_clearly_missed(trial: ReplayTrial, slo: Slo) -> bool:
    """Whether most seconds of ten were far beyond the limit: one long pause misses the objective of ten seconds as well."""
    return trial.held is False and any(_is_beyond(window, trial.seconds, slo) for window in trial.windows)


def _is_beyond(window: ReplayWindow, seconds: Sequence[Window], slo: Slo) -> bool:
    if window.worst_ratio < CLEAR_MISS or window.duration_s < WINDOW_S - _ROUNDING_S:
        return False
    own = [one for one in seconds if 0 <= one.start_s - window.start_s < window.duration_s - _ROUNDING_S]
    beyond = [one for one in own if (_latency_us(one, slo) or 0.0) >= CLEAR_MISS * slo.limit_us_max]
    return 2 * sum(one.duration_s for one in beyond) > window.duration_s


def _latency_us(second: Window, slo: Slo) -> float | None:
    """Of all I/Os: where an objective leaves more than one of a hundred, their median, which is no more than its quantile."""
    lowest = min(objective.quantile for objective in slo.objectives)
    return second.latency_us_p99 if lowest >= 0.99 else second.latency_us_p50
