"""Holds a verdict against a later demand, taken from the database on the new storage.

Three things of the later demand can bear a verdict out or refute it: whether the new storage holds the database back, what the
means of its latencies say of the objective (`means.py`), and where those do not say, whether the means are those that were
measured on the target at that load. All of it only where the load is about what was judged; a storage that fails under less, or
holds under more, settles it as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from plimsoll.base.units import format_ratio, format_us
from plimsoll.demand.busiest import LENGTHS_S, Stretch, busiest
from plimsoll.demand.held_back import held_back
from plimsoll.facts import (
    ClassDemand,
    ClassSettlement,
    Database,
    Demand,
    HeldBack,
    Line,
    Note,
    Objective,
    Run,
    Settlement,
    Verdict,
)
from plimsoll.predict.means import ByMeans, latency_us, objective_by_means, of_all
from plimsoll.predict.storage_time import AtLine, share_of_time
from plimsoll.supply.slo import parse_slo

LOAD_STAYED = 1.25
"""Loads that are no further apart than this factor are one."""
LATENCY_AGREES = 1.5
"""A mean latency above so many times the predicted one is another."""
_ZONES = timedelta(hours=14)
"""Reports have a clock without a zone."""
_REPORT_RESOLUTION_S = 60.0
_CLOCKS_APART = timedelta(minutes=5)
"""By so much the clocks of two machines may differ that nobody keeps in step."""


@dataclass(frozen=True)
class _Seen:
    """What the later demand shows."""

    low: float | None
    """The smallest one of the ratios to what was judged: of I/Os, of bytes, and of the class that decided."""
    high: float | None
    held_back: bool | None
    objective: ByMeans
    means_agree: bool | None
    """Whether no class's mean is much longer than predicted; None where none can be compared."""

    @property
    def is_bad(self) -> bool:
        return self.held_back is True or self.objective == "missed"

    @property
    def is_good(self) -> bool:
        return self.held_back is False and self.objective == "held"

    @property
    def looks_good(self) -> bool:
        """As far as means tell, where they do not tell the objective itself."""
        return self.held_back is False and self.objective == "unknown" and self.means_agree is True

    @property
    def is_no_more(self) -> bool:
        return self.high is not None and self.high <= LOAD_STAYED

    @property
    def is_no_less(self) -> bool:
        return self.low is not None and self.low >= 1 / LOAD_STAYED


def settle(run: Run, later: Demand, now: datetime, renamed: bool = False) -> Settlement:
    """The prediction of a run that has a verdict and its demand, held against a later demand, which cannot be of days to come.

    `renamed`: both are of one database, which has another name by now.
    """
    verdict, judged = run.verdict, run.demand
    assert verdict is not None, "the caller has looked"
    assert judged is not None, "a verdict is about a demand"
    before, after = _worst(verdict, judged, later)
    iops_ratio, bytes_ratio = _ratio(before, after)
    objectives = parse_slo(verdict.slo).objectives
    held = later.held_back or held_back(later.intervals)
    classes = _classes(run, before, after, later, objectives)
    ratios = (iops_ratio, bytes_ratio, _ratio_of_class(verdict.limiting_class, before, after))
    seen = _Seen(
        low=_least(*ratios),
        high=_most(*ratios),
        held_back=held.is_held_back,
        objective=of_all([objective_by_means(later.intervals, one) for one in objectives]),
        means_agree=_agree(classes),
    )
    known = [one for one in later.intervals if one.gap is None]
    unfit = _why_unfit(run, later, now, renamed)
    as_predicted, why = (None, unfit) if unfit else _outcome(verdict, seen, held)
    error, of = _error(verdict, seen, classes)
    return Settlement(
        predicted_run=run.id,
        predicted_at=run.started_at,
        predicted_carries=verdict.carries,
        predicted_headroom=verdict.headroom,
        predicted_limiting_class=verdict.limiting_class,
        predicted_target=run.target and run.target.name,
        slo=verdict.slo,
        later_begin_time=known[0].begin_time if known else None,
        later_end_time=known[-1].end_time if known else None,
        load_ratio=iops_ratio,
        bytes_ratio=bytes_ratio,
        load_stayed=None if seen.low is None else seen.is_no_less and seen.is_no_more,
        held_back=held,
        objective=seen.objective,
        observed_headroom=seen.low,
        observed_at_least=held.is_held_back is not True,
        error_share=error,
        error_of=of,
        as_predicted=as_predicted,
        reason=_reason(verdict, as_predicted, why, seen, classes),
        classes=classes,
        notes=tuple(_notes(judged, later)),
    )


def _worst(verdict: Verdict, judged: Demand, later: Demand) -> tuple[Stretch | None, Stretch | None]:
    """Of both demands the minute that takes most of the storage's time; of longer intervals one of them."""
    lines = [
        AtLine(mix.line_iops, mix.line_iops * mix.workload.mean_bytes)
        for mix in verdict.mixes
        if mix.line_iops and mix.workload is not None
    ]
    cost = share_of_time(lines) if lines else (lambda interval: interval.iops or 0.0)
    length_s = max(*LENGTHS_S, judged.resolution_s, later.resolution_s)
    found = [next(iter(busiest(one.intervals, cost, (length_s,))), None) for one in (judged, later)]
    return found[0], found[1]


def _ratio(before: Stretch | None, after: Stretch | None) -> tuple[float | None, float | None]:
    """Of I/Os and of bytes."""
    if before is None or after is None:
        return None, None
    pairs = [(_mean_of(before, name), _mean_of(after, name)) for name in ("iops", "mb_per_s")]
    iops, moved = (new / old if old and new is not None else None for old, new in pairs)
    return iops, moved


def _ratio_of_class(name: str | None, before: Stretch | None, after: Stretch | None) -> float | None:
    """Of a class's I/Os: another mix with more I/Os in all may have none of the class that the verdict rests on."""
    if name is None:
        return None
    (old, _), (new, _) = (_by_class(one).get(name, (None, None)) for one in (before, after))
    return new / old if old and new is not None else None


def _mean_of(stretch: Stretch, name: str) -> float | None:
    parts = [(seconds, getattr(interval, name)) for interval, seconds in stretch.parts]
    known = [(seconds, value) for seconds, value in parts if value is not None]
    whole_s = sum(seconds for seconds, _ in known)
    return sum(seconds * value for seconds, value in known) / whole_s if whole_s else None


def _least(*ratios: float | None) -> float | None:
    return min((ratio for ratio in ratios if ratio is not None), default=None)


def _most(*ratios: float | None) -> float | None:
    return max((ratio for ratio in ratios if ratio is not None), default=None)


def _classes(
    run: Run,
    before: Stretch | None,
    after: Stretch | None,
    later: Demand,
    objectives: Sequence[Objective],
) -> tuple[ClassSettlement, ...]:
    old, new = _by_class(before), _by_class(after)
    predicted = _predicted(run)
    return tuple(
        _class(name, old.get(name), new.get(name), predicted.get(name), later, objectives)
        for name in dict.fromkeys((*old, *new))
    )


def _class(
    name: str,
    old: tuple[float, float | None] | None,
    new: tuple[float, float | None] | None,
    predicted_us: float | None,
    later: Demand,
    objectives: Sequence[Objective],
) -> ClassSettlement:
    observed_us = None if new is None else new[1]
    own = next((one for one in objectives if one.io_class == name), None)
    together = next((one for one in objectives if one.io_class is None), None)
    about = own or together
    return ClassSettlement(
        name=name,
        judged_per_s=None if old is None else old[0],
        later_per_s=None if new is None else new[0],
        latency_us_predicted=predicted_us,
        latency_us_observed=observed_us,
        error_share=_error_share(predicted_us, observed_us),
        limit_us=None if about is None else about.limit_us,
        objective=None if own is None else objective_by_means(later.intervals, own),
    )


def _error_share(predicted: float | None, observed: float | None) -> float | None:
    return None if predicted is None or not observed else (predicted - observed) / observed


def _by_class(stretch: Stretch | None) -> dict[str, tuple[float, float | None]]:
    """I/Os per second of each class that was counted, and mean latency where it is known of all of them."""
    found: dict[str, list[tuple[float, ClassDemand]]] = {}
    for interval, seconds in () if stretch is None else stretch.parts:
        for name, io in interval.classes.items():
            if io.ops_per_s is not None:
                found.setdefault(name, []).append((seconds * io.ops_per_s, io))
    whole_s = 0.0 if stretch is None else stretch.duration_s
    return {name: (sum(ios for ios, _ in parts) / whole_s, _latency(parts)) for name, parts in found.items()}


def _latency(parts: Sequence[tuple[float, ClassDemand]]) -> float | None:
    means = [(ios, latency_us(io)) for ios, io in parts if ios > 0]
    known = [(ios, mean) for ios, mean in means if mean is not None]
    if not known or len(known) < len(means):
        return None
    return sum(ios * mean for ios, mean in known) / sum(ios for ios, _ in known)


def _predicted(run: Run) -> dict[str, float]:
    """Mean latencies by class at the judged load, µs: as it was driven, or from the trials of the line on either side of it."""
    driven = (
        max(run.replay.as_it_was, key=lambda trial: trial.duration_s, default=None) if run.replay else None
    )
    if driven is not None and driven.classes:
        return {one.name: one.latency_us_mean for one in driven.classes if one.latency_us_mean is not None}
    rate = None if run.verdict is None else run.verdict.demand_iops
    return {} if run.line is None or rate is None else _between_trials(run.line, rate)


def _between_trials(line: Line, rate: float) -> dict[str, float]:
    """Never beyond what was tried: with no trial below the rate, or none above it, nothing is predicted."""
    valid = [trial for trial in line.trials if trial.held is not None and not trial.cell.ended_early]
    below = max((trial for trial in valid if trial.rate <= rate), key=lambda one: one.rate, default=None)
    above = min((trial for trial in valid if trial.rate >= rate), key=lambda one: one.rate, default=None)
    if below is None or above is None:
        return {}
    share = 0.0 if above.rate == below.rate else (rate - below.rate) / (above.rate - below.rate)
    low = {one.name: one.latency_us.mean for one in below.cell.classes}
    high = {one.name: one.latency_us.mean for one in above.cell.classes}
    return {
        name: mean + share * (more - mean)
        for name, mean in low.items()
        if mean is not None and (more := high.get(name)) is not None
    }


def _agree(classes: Sequence[ClassSettlement]) -> bool | None:
    """Whether no mean is much longer than predicted."""
    pairs = [
        (one.latency_us_predicted, one.latency_us_observed)
        for one in classes
        if one.latency_us_predicted is not None and one.latency_us_observed is not None
    ]
    if not pairs:
        return None
    return all(observed <= LATENCY_AGREES * predicted for predicted, observed in pairs)


def _error(
    verdict: Verdict, seen: _Seen, classes: Sequence[ClassSettlement]
) -> tuple[float | None, str | None]:
    """Of the headroom where the new storage showed its limit, else of the mean latency: of the limiting class, or the busiest."""
    if seen.held_back and seen.low and verdict.headroom is not None:
        return (verdict.headroom - seen.low) / seen.low, "headroom"
    known = [one for one in classes if one.error_share is not None]
    if not known:
        return None, None
    chosen = next((one for one in known if one.name == verdict.limiting_class), None)
    chosen = chosen or max(known, key=lambda one: one.later_per_s or 0.0)
    return chosen.error_share, f"mean latency of {_said(chosen.name)}s"


def _why_unfit(run: Run, later: Demand, now: datetime, renamed: bool) -> str | None:
    """Why the later demand can say nothing of the prediction, whatever its figures are; None: it can."""
    if run.verdict is not None and run.verdict.carries is None:
        return "nothing was predicted: the verdict was that it cannot be told"
    if all(interval.gap is not None for interval in later.intervals):
        return "of the later demand no interval is known"
    if _is_before(run, later):
        return "that demand was taken before the prediction was made"
    if _is_after(now, later):
        return (
            f"that demand goes on until {later.intervals[-1].end_time:%Y-%m-%d %H:%M}, which is still to come"
        )
    if run.demand is not None and _is_another(run.demand.database, later.database, renamed):
        return f"{_both(run.demand.database, later.database)}: another database"
    return None


def _is_another(was: Database, now: Database, renamed: bool) -> bool:
    return was.kind != now.kind or (was.name != now.name and not renamed)


def _both(was: Database, now: Database) -> str:
    return f"{was.name} ({was.kind}) was judged, and the later demand is of {now.name} ({now.kind})"


def _outcome(verdict: Verdict, seen: _Seen, held: HeldBack) -> tuple[bool | None, str]:
    """As predicted or not, with a clause."""
    if seen.low is None:
        return None, "how the load compares to the judged one is not known"
    if seen.is_bad:
        return _when_bad(verdict, seen, held)
    if seen.is_good or seen.looks_good:
        return _when_good(verdict, seen)
    return None, _why_open(seen, held)


def _when_bad(verdict: Verdict, seen: _Seen, held: HeldBack) -> tuple[bool | None, str]:
    what = f"the new storage holds the database back: {held.reason}" if seen.held_back else (
        "the objective is missed: more I/Os than it leaves were beyond its limit"
    )  # fmt: skip
    if not seen.is_no_more:
        return None, f"{what}; yet the prediction was for another load, {_load_words(seen)}"
    return not verdict.carries, f"{what}, at {_load_words(seen)}"


def _when_good(verdict: Verdict, seen: _Seen) -> tuple[bool | None, str]:
    what = "nothing holds the database back, and "
    what += (
        "its mean latencies are so short that the objective surely holds"
        if seen.is_good
        else "its mean latencies are as predicted or shorter; whether the objective itself holds they do not say"
    )
    far = not seen.is_no_less or (not seen.is_good and not seen.is_no_more)
    if far:
        return None, f"{what}; yet the prediction was for another load, {_load_words(seen)}"
    if not seen.is_good and not verdict.carries:
        return None, what
    return verdict.carries, f"{what}, at {_load_words(seen)}"


def _why_open(seen: _Seen, held: HeldBack) -> str:
    if seen.held_back is None:
        return f"whether the new storage holds the database back is not known: {held.reason}"
    if seen.means_agree is False:
        return "its mean latencies are longer than predicted, and means do not say how many I/Os were beyond the limit"
    return "means of latencies do not say whether the objective holds, and of no class is a mean both predicted and counted"


def _load_words(seen: _Seen) -> str:
    low, high = seen.low, seen.high
    if low is None or high is None:
        return "an unknown load"
    span = f"{low:.2f}" if high - low < 0.05 else f"{low:.2f} to {high:.2f}"
    return f"{span} times the load that was judged"


def _is_before(run: Run, later: Demand) -> bool:
    """Whether all of it was taken before the prediction was."""
    return later.intervals[-1].end_time + _clock_slack(later) <= run.started_at


def _is_after(now: datetime, later: Demand) -> bool:
    """Whether it ends in the future, by more than clocks differ."""
    return later.intervals[-1].end_time - _clock_slack(later) - _CLOCKS_APART > now


def _clock_slack(later: Demand) -> timedelta:
    """The clock of reports may be off by a zone."""
    return _ZONES if later.resolution_s > _REPORT_RESOLUTION_S else timedelta(0)


def _reason(
    verdict: Verdict, as_predicted: bool | None, why: str, seen: _Seen, classes: Sequence[ClassSettlement]
) -> str:
    head = {
        True: "Settled: as predicted",
        False: "Settled: not as predicted",
        None: "It cannot be settled",
    }[as_predicted]
    predicted = {
        True: "It was predicted that this storage carries the database",
        False: "It was predicted that this storage does not carry the database",
        None: "It was not predicted whether this storage carries the database",
    }[verdict.carries]
    least = "at least " if verdict.is_at_least else ""
    room = "" if verdict.headroom is None else f", with a headroom of {least}{format_ratio(verdict.headroom)}"
    sentences = [f"{head}, because {why}.", f"{predicted}{room}."]
    compared = [
        f"{_said(one.name)}s {format_us(one.latency_us_observed)} against {format_us(one.latency_us_predicted)}"
        for one in classes
        if one.error_share is not None
    ]
    if compared:
        sentences.append(f"Mean latencies now and as predicted: {', '.join(compared)}.")
    return " ".join(sentences)


def _said(name: str) -> str:
    return name.replace("_", " ")


def _notes(judged: Demand, later: Demand) -> list[Note]:
    """What is taken for granted."""
    notes = []
    was, now = judged.database, later.database
    if _is_another(was, now, renamed=False):
        notes.append(Note(code="settle-another-database", message=_both(was, now)))
    apart = max(judged.resolution_s, later.resolution_s) / max(
        1e-9, min(judged.resolution_s, later.resolution_s)
    )
    if apart > 2:
        message = (
            f"one demand has intervals of {judged.resolution_s:g} s and the other of {later.resolution_s:g} s: the longer ones"
            " are averages, which hide how busy the busiest minute was"
        )
        notes.append(Note(code="settle-resolutions", message=message))
    if now.direct_io is not True:
        message = (
            "the server counts reads above the operating system's cache, which may answer some of them: then their mean is shorter"
            " than the storage's"
        )
        notes.append(Note(code="settle-cached-reads", message=message))
    return notes
