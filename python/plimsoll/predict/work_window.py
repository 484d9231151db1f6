"""What trials of a backup or a migration beside a demand say: how long it takes, whether it fits, and what ends it first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Literal

from plimsoll.base.units import format_bytes, format_ratio, format_seconds, format_us
from plimsoll.facts import LinkBound, Note, Verdict, WorkTrial, WorkWindow
from plimsoll.supply.work import KEPT_UP_SHARE, WORDS, WorkKind

_Limit = Literal["objective", "storage", "links"]

CLOSE = 1.15
"""The highest rate that held and the lowest that missed need be no closer."""
_RATES_DOWN = 64
"""A work that is slower than so small a part of its rate alone is not looked for."""
_ALONE_SLACK = 0.05
"""Two measurements of the same throughput differ by as much."""
_LINKS_SHARE = 0.9
_EDGES_SHARE = 0.01
"""What a trial moves may differ from what was asked by its first and last I/Os."""


@dataclass(frozen=True)
class Work:
    """What is to be moved, and the time that there is."""

    kind: WorkKind
    amount_bytes: int
    window_s: float | None

    @property
    def needed_mb_per_s(self) -> float | None:
        """What the window needs."""
        return None if self.window_s is None else self.amount_bytes / self.window_s / 1e6

    @property
    def words(self) -> str:
        """`backup of 4 TiB`."""
        return f"{WORDS[self.kind]} of {format_bytes(self.amount_bytes)}"

    def takes_s(self, mb_per_s: float | None) -> float | None:
        """At that rate."""
        return self.amount_bytes / mb_per_s / 1e6 if mb_per_s else None


@dataclass(frozen=True)
class Found:
    """What was measured. `stopped` is a clause: why the search ended before its end; None: it did not."""

    trials: tuple[WorkTrial, ...]
    """Of the first, with nothing beside, `asked_mb_per_s` is None."""
    alone_mb_per_s: float | None
    parts: int
    """Parts of the demand beside which each rate is tried."""
    links: LinkBound | None = None
    doubts: tuple[str, ...] = ()
    """Clauses: why the rate alone is not valid."""
    stopped: str | None = None


@dataclass(frozen=True)
class Bounds:
    """The highest rate that was carried below all that were not, and the lowest that was not; MB/s."""

    held: float | None
    missed: float | None


def is_carried(trial: WorkTrial) -> bool | None:
    """Whether the demand held and the work got its rate; None where a miss says nothing about the storage."""
    return None if trial.held is None else trial.held and trial.kept_up


def bounds(trials: Sequence[WorkTrial], parts: int) -> Bounds:
    """Of all rates: a rate is carried when it is beside every part of the demand."""
    rates = sorted({trial.asked_mb_per_s for trial in trials if trial.asked_mb_per_s})
    outcomes = {rate: _carried_at(trials, rate, parts) for rate in rates}
    missed = min((rate for rate in rates if outcomes[rate] is False), default=None)
    held = (rate for rate in rates if outcomes[rate] and (missed is None or rate < missed))
    return Bounds(max(held, default=None), missed)


def moved(trials: Sequence[WorkTrial], rate: float | None) -> float | None:
    """What the work moved at a rate that was carried, MB/s, beside the part where it was least; at most what was asked."""
    own = [one.mb_per_s for one in trials if one.asked_mb_per_s == rate and is_carried(one)]
    if rate is None or not own:
        return None
    return rate if min(own) >= (1 - _EDGES_SHARE) * rate else min(own)


def _carried_at(trials: Sequence[WorkTrial], rate: float, parts: int) -> bool | None:
    outcomes = [is_carried(trial) for trial in trials if trial.asked_mb_per_s == rate]
    if False in outcomes:
        return False
    return True if outcomes.count(True) >= parts else None


def next_rate(work: Work, alone: float, least: float, found: Bounds) -> float | None:
    """The rate to try next, MB/s; None where it is known well enough.

    `alone` is the rate with nothing beside, `least` the lowest that a trial can tell anything of.
    """
    held, missed, needed = found.held, found.missed, work.needed_mb_per_s
    if held is None and missed is None:
        is_reached = needed is not None and needed <= alone * (1 + _ALONE_SLACK)
        return max(least, needed if is_reached and needed is not None else alone / 2)
    if held is None:
        assert missed is not None, "one of them is known"
        lower = missed / 2
        return max(lower, least) if missed > least and lower >= alone / _RATES_DOWN else None
    if missed is None:
        return alone if held < KEPT_UP_SHARE * alone else None
    return sqrt(held * missed) if missed / held > CLOSE else None


def judge_work(work: Work, found: Found, verdict: Verdict) -> WorkWindow:
    """The answer. The demand's own verdict comes first: what is not carried alone is not carried beside a backup."""
    between = bounds(found.trials, found.parts)
    held = moved(found.trials, between.held)
    limited_by, limiting_class = _limit(found, between)
    carries, fits = _carries(work, between, found, verdict), _fits(work, between, found, verdict)
    beside_s = work.takes_s(held)
    factor = work.window_s / beside_s if work.window_s is not None and beside_s else None
    watched = [(trial.duration_s, trial.mb_per_s) for trial in found.trials if trial.mb_per_s]
    watched_s = sum(seconds for seconds, _ in watched)
    watched_bytes = round(sum(seconds * rate for seconds, rate in watched) * 1e6)
    return WorkWindow(
        work=work.kind,
        work_bytes=work.amount_bytes,
        window_s=work.window_s,
        carries=carries,
        fits=fits,
        factor=factor,
        needed_mb_per_s=work.needed_mb_per_s,
        alone_mb_per_s=found.alone_mb_per_s,
        alone_s=work.takes_s(found.alone_mb_per_s),
        held_mb_per_s=held,
        beside_s=beside_s,
        missed_mb_per_s=between.missed,
        missed_s=work.takes_s(between.missed),
        limited_by=limited_by,
        limiting_class=limiting_class,
        watched_s=watched_s,
        watched_bytes=watched_bytes,
        links=found.links,
        reason=_reason(work, found, between, carries, fits, verdict),
        assumptions=tuple(_assumptions(work, watched_s, watched_bytes, found)),
        trials=found.trials,
        notes=_notes(found),
    )


def work_not_measured(work: Work, why: str) -> WorkWindow:
    """Nothing could be tried; `why` is a clause."""
    return WorkWindow(
        work=work.kind,
        work_bytes=work.amount_bytes,
        window_s=work.window_s,
        carries=None,
        fits=None,
        factor=None,
        needed_mb_per_s=work.needed_mb_per_s,
        alone_mb_per_s=None,
        alone_s=None,
        held_mb_per_s=None,
        beside_s=None,
        missed_mb_per_s=None,
        missed_s=None,
        limited_by=None,
        limiting_class=None,
        watched_s=0.0,
        watched_bytes=0,
        reason=f"How long a {work.words} takes cannot be told: {why}.",
    )


def in_short(found: WorkWindow) -> str:
    """The answer in a few words: `backup of 4 TiB fits into 6 h`."""
    what = f"{WORDS[found.work]} of {format_bytes(found.work_bytes)}"
    into = "" if found.window_s is None else f" into {format_seconds(found.window_s)}"
    if found.window_s is not None and found.fits is not None:
        return f"{what} {'fits' if found.fits else 'does not fit'}{into}"
    if found.carries is False:
        return f"{what} is not carried beside it"
    if found.carries is None or found.window_s is not None:
        return f"{what}: cannot tell{'' if not into else f' whether it fits{into}'}"
    return f"{what} takes {format_seconds(found.beside_s or 0.0)}"


def _limit(found: Found, between: Bounds) -> tuple[_Limit | None, str | None]:
    """What ended it first, and the class whose objective did."""
    missing = [
        trial
        for trial in found.trials
        if trial.asked_mb_per_s == between.missed and is_carried(trial) is False
    ]
    of_objective = next((trial for trial in missing if trial.held is False), None)
    if between.missed is not None and of_objective is not None:
        return "objective", of_objective.limiting_class
    if between.missed is None and not _is_all_it_gives(found, between):
        return None, None
    rate, links = found.alone_mb_per_s or 0.0, found.links
    if links is not None and links.mb_per_s is not None and rate >= _LINKS_SHARE * links.mb_per_s:
        return "links", None
    return "storage", None


def _carries(work: Work, between: Bounds, found: Found, verdict: Verdict) -> bool | None:
    """At the rate that the window needs; without a window at any rate that was tried."""
    if verdict.carries is False:
        return False
    fits = _fits(work, between, found, verdict)
    if work.window_s is not None:
        return fits
    if between.held is not None:
        return None if verdict.carries is None or found.doubts else True
    return None if between.missed is None or found.stopped else False


def _fits(work: Work, between: Bounds, found: Found, verdict: Verdict) -> bool | None:
    needed, alone = work.needed_mb_per_s, found.alone_mb_per_s
    if needed is None:
        return None
    if alone is not None and needed > alone * (1 + _ALONE_SLACK):
        return False
    if verdict.carries is False:
        return False
    if between.missed is not None and needed >= between.missed:
        return False
    held = moved(found.trials, between.held)
    if held is not None and needed <= held:
        return None if verdict.carries is None or found.doubts else True
    return None


def _reason(
    work: Work, found: Found, between: Bounds, carries: bool | None, fits: bool | None, verdict: Verdict
) -> str:
    sentences = [_headline(work, fits, carries, verdict), _beside_words(work, found, between, verdict)]
    alone_s = work.takes_s(found.alone_mb_per_s)
    if alone_s is not None:
        sentences.append(
            f"With nothing beside it, it takes {format_seconds(alone_s)}, at {found.alone_mb_per_s:,.1f} MB/s."
        )
    sentences += [f"That rate is not valid: {doubt}." for doubt in found.doubts]
    if found.stopped is not None:
        sentences.append(f"The search ended before its end: {found.stopped}.")
    return " ".join(filter(None, sentences))


def _headline(work: Work, fits: bool | None, carries: bool | None, verdict: Verdict) -> str:
    what, needs = f"The {work.words}", ""
    if work.window_s is not None:
        needs = f" {format_seconds(work.window_s)}, which needs {work.needed_mb_per_s:,.1f} MB/s"
    if fits is False or (carries is False and work.window_s is None):
        return f"{what} does not fit into{needs}." if needs else f"{what} is not carried beside the demand."
    if fits or (carries and not needs):
        return f"{what} fits into{needs}." if needs else f"{what} is carried beside the demand."
    why = (
        ", as it cannot be told whether the storage carries the database alone"
        if verdict.carries is None
        else ""
    )
    return f"Whether the {work.words} fits into{needs} cannot be told{why}." if needs else (
        f"Whether the {work.words} is carried beside the demand cannot be told{why}."
    )  # fmt: skip


def _beside_words(work: Work, found: Found, between: Bounds, verdict: Verdict) -> str:
    """What was tried beside the demand."""
    if verdict.carries is False:
        return "The storage does not carry the database even with nothing beside it."
    missed = "" if between.missed is None else _missed_words(work, found, between.missed)
    held = moved(found.trials, between.held)
    if held is not None:
        takes = format_seconds(work.takes_s(held) or 0.0)
        words = f"Beside the demand it takes {takes}, at {held:,.1f} MB/s, the highest rate that was tried and held"
        if not missed:
            return f"{words}; {_above_words(found, between)}."
        less = format_seconds(work.takes_s(between.missed) or 0.0)
        return f"{words}; at {between.missed:,.1f} MB/s ({less}) {missed}."
    if missed:
        return f"Beside the demand no rate that was tried held; at {between.missed:,.1f} MB/s, the lowest, {missed}."
    void = _void_above(found, between)
    return "" if void is None else f"No trial beside the demand was valid: {void.reason}."


def _void_above(found: Found, between: Bounds) -> WorkTrial | None:
    """The last trial above what held that told nothing."""
    above = [one for one in found.trials if (one.asked_mb_per_s or 0.0) > (between.held or 0.0)]
    return next((one for one in reversed(above) if is_carried(one) is None), None)


def _is_all_it_gives(found: Found, between: Bounds) -> bool:
    """Whether what held is as much as the storage gives with nothing beside."""
    return between.held is not None and between.held >= KEPT_UP_SHARE * (found.alone_mb_per_s or 0.0)


def _above_words(found: Found, between: Bounds) -> str:
    """What is known above the highest rate that held, where nothing missed."""
    if (void := _void_above(found, between)) is not None:
        return f"above it no trial was valid: {void.reason}"
    return "more the storage does not give" if _is_all_it_gives(found, between) else "more was not tried"


def _missed_words(work: Work, found: Found, rate: float) -> str:
    """What missed at that rate, as a clause."""
    missing = [trial for trial in found.trials if trial.asked_mb_per_s == rate and is_carried(trial) is False]
    trial = next((one for one in missing if one.held is False), missing[0])
    if trial.held is not False:
        failed = f"{trial.work_errors:,} of its I/Os failed"
        return failed if trial.work_errors else f"the {WORDS[work.kind]} did not get its rate"
    who = "the demand" if trial.limiting_class is None else f"the demand's {_said(trial.limiting_class)}s"
    when = "" if trial.begin_time is None else f" (as from {trial.begin_time:%Y-%m-%d %H:%M:%S})"
    p99 = format_us(trial.latency_us_p99)
    return f"{who}{when} missed the objective, with a p99 of {p99} over all its I/Os"


def _said(name: str) -> str:
    return name.replace("_", " ")


def _assumptions(work: Work, watched_s: float, watched_bytes: int, found: Found) -> list[str]:
    if not watched_s:
        return []
    times = work.amount_bytes / max(1, watched_bytes)
    moved = (
        f"the {WORDS[work.kind]} was watched for {format_seconds(watched_s)}, in which it moved {format_bytes(watched_bytes)};"
        f" {format_bytes(work.amount_bytes)} is {format_ratio(times)} times as much"
    )
    end = {
        "backup": "a read cache, burst credit or a slower part of the storage",
        "migrate": "a write cache that fills, burst credit or erased blocks that run out",
    }[work.kind]
    return [
        f"{moved}, and {end} could change the rate over so much",
        "the demand asks for no more than it did when it was watched, for as long as the work takes",
    ]


def _notes(found: Found) -> tuple[Note, ...]:
    return () if found.stopped is None else (Note(code="work-stopped", message=found.stopped),)
