"""What storage was asked for in each interval of a day of kept snapshots: a line each, which stays when snapshots are thinned.

So a trend over years reads no snapshot of a day that is over, and sees every peak at the step at which snapshots were taken. The
lines also say which snapshots thinning has to leave: those at both ends of an interval that is `parted`, and of the busiest ones.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from plimsoll.demand import classes
from plimsoll.demand.changed_rows import SEPARATOR, UNKNOWN
from plimsoll.demand.deltas import Delta, Gap
from plimsoll.demand.kept import between_kept, is_set_otherwise, longer_than_usual
from plimsoll.demand.points import seconds_of
from plimsoll.facts import ClassDemand, DemandInterval, IoCounters, KeptRows, KeptSnapshot

STEP = "step_s"
"""The figure that says how far the day was thinned: to this step; 0: not at all; `RUNNING`: it is not over."""
RUNNING = -1.0
UNTIL = "until_s"
"""Of a day that is not over: the snapshot with which its last line ends, in seconds since 1970."""
MAIN = ("iops", "mb_per_s", "commits_per_s")
CLASS_FIGURES = ("ops_per_s", "bytes_per_s", "latency_us_mean")
_NAMES = ("operations", "sizes")
"""Which classes the sums of I/Os and of bytes are of."""
_NUMBERS = ("duration_s", "parted", "late_s", *MAIN)
COLUMNS = (
    "begin_s",
    *_NAMES,
    *_NUMBERS,
    *(f"{name}.{figure}" for name in classes.NAMES for figure in CLASS_FIGURES),
)


@dataclass(frozen=True)
class DayInterval:
    """What thinning has to know of a line. `parted`: its ends stay, because something happened in it that a sum would hide."""

    key: str
    parted: bool
    late_s: float
    iops: float | None
    mb_per_s: float | None

    @property
    def is_known(self) -> bool:
        """No gap."""
        return self.iops is not None or self.mb_per_s is not None


def intervals_of_day(begin: datetime, snapshots: Iterable[KeptSnapshot]) -> KeptRows:
    """The lines of a day, of its snapshots and the first one after it, as `sieve.taken` gives them: an interval belongs to the day
    in which it begins.
    """
    found = list(_told_apart(snapshots))
    missed = longer_than_usual([made.duration_s for made, _ in found])
    lines = [
        _line(made, parted or is_longer) for (made, parted), is_longer in zip(found, missed, strict=True)
    ]
    return KeptRows(
        kind="intervals",
        taken_at=begin,
        columns=COLUMNS,
        names=len(_NAMES),
        rows="\n".join(lines),
        figures={STEP: 0.0},
    )


def gone_on(running: KeptRows | None, begin: datetime, snapshots: Iterable[KeptSnapshot]) -> KeptRows | None:
    """What was noted of a day that is not over, and the lines of these snapshots, which go on where it ended; None: there are none.

    Which of its lines are `parted` is only known when it is over, and all of them are made anew then.
    """
    last: deque[datetime] = deque(maxlen=1)
    more = intervals_of_day(begin, _told(snapshots, last))
    if not last:
        return None
    rows = [part.rows for part in (running, more) if part is not None and part.rows]
    return more.but(rows="\n".join(rows), figures={STEP: RUNNING, UNTIL: seconds_of(last[0])})


def _told(snapshots: Iterable[KeptSnapshot], moments: deque[datetime]) -> Iterator[KeptSnapshot]:
    """The same, few of them held at once; when each was taken is added to `moments`."""
    for one in snapshots:
        moments.append(one.snapshot.taken_at)
        yield one


def running_until(noted: KeptRows) -> datetime | None:
    """The snapshot from which on a day that is not over has no lines yet; None of one that is."""
    until_s = noted.figures.get(UNTIL)
    return None if until_s is None else _EPOCH + timedelta(microseconds=round(until_s * 1e6))


_EPOCH = datetime.fromtimestamp(0, UTC)


def _told_apart(snapshots: Iterable[KeptSnapshot]) -> Iterator[tuple[DemandInterval, bool]]:
    counted = ((kept, _counted(kept)) for kept in snapshots)
    for (before, of_before), (after, of_after) in pairwise(counted):
        made, delta, _ = between_kept(before, after)
        yield made, of_before != of_after or _is_parted(before, after, delta)


def _is_parted(before: KeptSnapshot, after: KeptSnapshot, delta: Delta | Gap) -> bool:
    """Whether the two are to be told apart for good, though they count the same: a gap, a step of the clock, other settings."""
    if isinstance(delta, Gap) or delta.clock_step_s is not None:
        return True
    return is_set_otherwise(before.database, after.database)


def _counted(kept: KeptSnapshot) -> tuple[frozenset[str], frozenset[str]]:
    """Which totals it has, and which columns of I/O."""
    totals = frozenset(name for name, value in kept.snapshot.totals.items() if value is not None)
    return totals, frozenset(name for row in kept.snapshot.io for name in _columns(row))


def _columns(row: IoCounters) -> Iterator[str]:
    return (name for name, value in vars(row).items() if value is not None)


def _line(made: DemandInterval, parted: bool) -> str:
    by_class: dict[str, ClassDemand] = {str(name): found for name, found in made.classes.items()}
    operations = ",".join(name for name, found in by_class.items() if found.ops_per_s is not None)
    sizes = ",".join(name for name, found in by_class.items() if found.bytes_per_s is not None)
    main = (getattr(made, name) for name in MAIN)
    of_classes = (
        getattr(by_class[name], figure) if name in by_class else None
        for name in classes.NAMES
        for figure in CLASS_FIGURES
    )
    numbers = (made.duration_s, float(parted), made.late_s_max, *main, *of_classes)
    return SEPARATOR.join((moment_key(made.begin_time), operations, sizes, *map(_written, numbers)))


def moment_key(moment: datetime) -> str:
    """A moment as lines have it: seconds since 1970, to the microsecond."""
    return f"{seconds_of(moment):.6f}"


def _written(value: float | None) -> str:
    return UNKNOWN if value is None else f"{value:.9g}"


def number_of(value: str) -> float | None:
    """The way back."""
    return None if value == UNKNOWN else float(value)


def lines_of(day: KeptRows) -> Iterator[DayInterval]:
    """Those of a day, in the order of time."""
    places = [day.columns.index(name) for name in ("begin_s", "parted", "late_s", "iops", "mb_per_s")]
    for values in cells_of(day):
        key, parted, late, iops, mb_per_s = (values[place] for place in places)
        yield DayInterval(key, float(parted) > 0, float(late), number_of(iops), number_of(mb_per_s))


def cells_of(day: KeptRows) -> Iterator[list[str]]:
    """The values of each line as they are written, in the order of its columns."""
    return (line.split(SEPARATOR) for line in day.rows.split("\n") if line)


def busiest(lines: Iterable[DayInterval]) -> list[DayInterval]:
    """Those of which the snapshots at both ends stay: most I/Os, most bytes, and most I/Os among those that are in no doubt."""
    known = [one for one in lines if one.is_known]
    by_iops = [max(found, key=_iops) for found in (known, [one for one in known if not one.late_s]) if found]
    by_bytes = [max(known, key=_megabytes)] if known else []
    return [*by_iops, *by_bytes]


def _iops(one: DayInterval) -> float:
    return one.iops or 0.0


def _megabytes(one: DayInterval) -> float:
    return one.mb_per_s or 0.0
