"""What several databases ask for together, beside what each asks for alone: peaks, when they coincide, and what that saves."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import ceil

from plimsoll.base.units import format_rate, format_share
from plimsoll.demand.summed import in_words
from plimsoll.demand.together import Moment, Together
from plimsoll.facts import Coincidence, Consolidation, DatabaseLoad, DemandInterval, SetVerdict, SumStep

NEAR_PEAK = 0.9
"""A database that asks for so much of what it ever asks for is at its peak."""
COINCIDENCES_MAX = 24
STEPS_MAX = 360
"""What a picture can show side by side."""

Share = Callable[[DemandInterval], float]
"""Which share of the storage's time an interval takes."""
Figure = Callable[[DemandInterval], float | None]


@dataclass(frozen=True)
class Fitting:
    """What is known of which of them fit, as `Consolidation` has it."""

    carries: bool | None
    sets: tuple[SetVerdict, ...] = ()
    share: Share | None = None
    """None where no line is known."""
    none_fits: bool = False
    """Whether each of them was refused alone, or one that asks for the same."""


def consolidation(of: Together, weights: Sequence[int], fitting: Fitting) -> Consolidation:
    """All that is said of databases together."""
    known = of.known
    peaks = [_peak_of(known, number, _iops) for number in range(len(of.names))]
    mb_peaks = [_peak_of(known, number, _mb) for number in range(len(of.names))]
    peak_iops, busiest = _busiest(known, _iops)
    peak_mb, _ = _busiest(known, _mb)
    fits = _fits(of, fitting)
    together = sorted(_coincidences(of, known, peaks), key=lambda one: (-(one.iops or 0.0), one.begin_time))
    sum_iops, sum_mb = (_sum_of([one[0] for one in found]) for found in (peaks, mb_peaks))
    return Consolidation(
        databases=tuple(
            DatabaseLoad(
                name=name,
                weight=weights[number],
                peak_iops=peaks[number][0],
                peak_mb_per_s=mb_peaks[number][0],
                peak_time=peaks[number][1],
                iops_at_peak=None if busiest is None else busiest.parts[number].iops,
                storage_share_max=_share_max(known, number, fitting.share),
                fits=None if fits is None else name in fits,
            )
            for number, name in enumerate(of.names)
        ),
        begin_time=of.begin,
        end_time=of.end,
        known_s=sum(moment.duration_s for moment in known),
        unknown_s=sum(moment.duration_s for moment in of.moments if not moment.parts),
        resolution_s=max(one.resolution_s for one in of.demands),
        peak_iops=peak_iops,
        peak_time=None if busiest is None else busiest.begin_time,
        sum_of_peaks_iops=sum_iops,
        saving_iops=_ratio(sum_iops, peak_iops),
        peak_mb_per_s=peak_mb,
        sum_of_peaks_mb_per_s=sum_mb,
        saving_mb=_ratio(sum_mb, peak_mb),
        coincide_s=sum(one.duration_s for one in together),
        coincidences=tuple(together[:COINCIDENCES_MAX]),
        coincidence_count=len(together),
        carries=fitting.carries,
        fits=fits,
        sets=fitting.sets,
        reason=f"{_answer(of.names, fitting, fits)} {_saving(sum_iops, peak_iops)}".strip(),
        steps=tuple(_steps(of.moments)),
    )


def _iops(part: DemandInterval) -> float | None:
    return part.iops


def _mb(part: DemandInterval) -> float | None:
    return part.mb_per_s


def _total(moment: Moment, figure: Figure) -> float | None:
    """Of all of them; None where that of one is not known."""
    return _sum_of([figure(part) for part in moment.parts])


def _busiest(moments: Sequence[Moment], figure: Figure) -> tuple[float | None, Moment | None]:
    """The most that all ask for at once, and in which moment; None where that is not known of any."""
    found = [(value, moment) for moment in moments if (value := _total(moment, figure)) is not None]
    return max(found, key=lambda one: one[0], default=(None, None))


def _peak_of(known: Sequence[Moment], number: int, figure: Figure) -> tuple[float | None, datetime | None]:
    """The most that one asks for, and when; None where that is not known of any moment."""
    found = [
        (value, moment.begin_time) for moment in known if (value := figure(moment.parts[number])) is not None
    ]
    return max(found, key=lambda one: one[0], default=(None, None))


def _sum_of(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known and len(known) == len(values) else None


def _ratio(of_peaks: float | None, peak: float | None) -> float | None:
    return of_peaks / peak if of_peaks is not None and peak else None


def _share_max(known: Sequence[Moment], number: int, share: Share | None) -> float | None:
    return None if share is None else max((share(moment.parts[number]) for moment in known), default=None)


def _coincidences(
    of: Together, known: Sequence[Moment], peaks: Sequence[tuple[float | None, datetime | None]]
) -> Iterator[Coincidence]:
    """By hours, those that are at their peaks in the same moments."""
    found: dict[tuple[datetime, tuple[int, ...]], list[Moment]] = defaultdict(list)
    for moment in known:
        at_peak = tuple(
            number
            for number, (peak, _) in enumerate(peaks)
            if peak and (moment.parts[number].iops or 0.0) >= NEAR_PEAK * peak
        )
        if len(at_peak) > 1:
            found[moment.begin_time.replace(minute=0, second=0, microsecond=0), at_peak].append(moment)
    for (hour, at_peak), moments in found.items():
        yield Coincidence(
            begin_time=hour,
            databases=tuple(of.names[number] for number in at_peak),
            duration_s=sum(moment.duration_s for moment in moments),
            iops=_busiest(moments, _iops)[0],
        )


def _fits(of: Together, fitting: Fitting) -> tuple[str, ...] | None:
    if fitting.carries is not False:
        return of.names if fitting.carries else None
    carried = next((one.databases for one in fitting.sets if one.carries), None)
    return () if carried is None and fitting.none_fits else carried


def _answer(names: Sequence[str], fitting: Fitting, fits: Sequence[str] | None) -> str:
    """Whether all of them fit, and which do."""
    if fitting.carries is None:
        return f"Whether {all_of(len(names))} fit together cannot be told."
    if fitting.carries:
        return f"{all_of(len(names)).capitalize()} fit together."
    told = (
        f"{'The 2 databases do not' if len(names) == 2 else f'Not all {len(names)} databases'} fit together"
    )
    if fits:
        left = [name for name in names if name not in fits]
        return f"{told}: {in_words(fits)} {'do' if len(fits) > 1 else 'does'}, without {in_words(left)}."
    if fits is not None:
        return f"{told}, and not one of them fits alone."
    tried = [one for one in fitting.sets if one.carries is False]
    open_ = next((one for one in fitting.sets if one.carries is None), None)
    refused = f" {len(tried)} smaller set{'' if len(tried) == 1 else 's'} did not either." if tried else ""
    if open_ is not None:
        return f"{told}.{refused} Whether {in_words(open_.databases)} do cannot be told: {open_.reason}"
    return f"{told}.{refused} Which of them do is not known."


def all_of(count: int) -> str:
    """`all 3 databases`."""
    return "both databases" if count == 2 else f"all {count} databases"


def _saving(of_peaks: float | None, peak: float | None) -> str:
    ratio = _ratio(of_peaks, peak)
    if ratio is None:
        return ""
    sums = (
        f"Their peaks add up to {format_rate(of_peaks)} I/Os per second, and the most that they ask for at once is"
        f" {format_rate(peak)}"
    )
    return f"{sums}: {format_share(1 - 1 / ratio)} less." if ratio > 1 else f"{sums}: they coincide."


def _steps(moments: Sequence[Moment]) -> Iterator[SumStep]:
    """Moments in groups, known ones apart from others, each as the busiest of its own."""
    size = ceil(len(moments) / STEPS_MAX)
    group: list[Moment] = []
    for moment in moments:
        if group and (len(group) >= size or bool(group[0].parts) != bool(moment.parts)):
            yield _step(group)
            group = []
        group.append(moment)
    if group:
        yield _step(group)


def _step(group: Sequence[Moment]) -> SumStep:
    _, busiest = _busiest(group, _iops)
    rates = [] if busiest is None else [part.iops for part in busiest.parts if part.iops is not None]
    return SumStep(begin_time=group[0].begin_time, end_time=group[-1].end_time, iops=tuple(rates))
