"""At most five mixes that stand for a whole demand, so that it can be judged and not its busiest second alone.

A mix is at least as large as every interval that it stands for: in each class's rate, in its bytes per second, and in how often
the log is forced. So a storage that carries the mixes carries the intervals. It is the largest of each figure over its
intervals, which no single one of them may have asked for together; by how much it goes beyond the nearest of them is its
`slack`. Intervals whose mixes are alike share one, those that another one covers need none of their own, and gaps take no part.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import combinations
from operator import le

from plimsoll.demand.late import sure
from plimsoll.demand.workload import ASSUMED_LARGE_BYTES, DemandWorkload, of_interval, workload_of
from plimsoll.facts import ClassDemand, Database, Demand, DemandInterval, Note
from plimsoll.facts.demand import DemandClassName

MIXES_MAX = 5
"""Each costs a search, or a few trials: with five an assessment takes about twice as long as with one."""
SLACK_AIM = 0.1
"""A mix that asks for this much more than one of its intervals moves the headroom by less than two lines differ by chance."""
DEARER_MAX = 10.0
"""An I/O of one class may cost a storage so many times one of another, as forced writes and reads do: see `excess`."""
_SLACK_MAX = 1000.0
_GROUPS_MAX = 24
"""Groups kept while the intervals are gone through, before they are made few: with more, a day of seconds takes minutes."""
_ROUNDING = 1 + 1e-9

_Vector = tuple[float, ...]


@dataclass(frozen=True)
class Mix:
    """One of the mixes. `largest` is the interval of its own that it goes beyond by the least: by `slack`, a share, 0.1 for 10 %.

    Of an interval in doubt both have the sure share only.
    """

    interval: DemandInterval
    largest: DemandInterval
    intervals: int
    """How many it stands for."""
    slack: float

    @property
    def begin_time(self) -> datetime:
        """When its largest interval began."""
        return self.largest.begin_time


@dataclass(frozen=True)
class MixWorkload:
    """A mix, and the I/O that a storage is measured with; `iops` is the sum of its classes' rates, I/Os per second."""

    mix: Mix
    asked: DemandWorkload

    @property
    def iops(self) -> float:
        """I/Os per second of all its classes."""
        assert self.asked.iops is not None, "a mix that asks for nothing is left out"
        return self.asked.iops


@dataclass(frozen=True)
class Workloads:
    """What stands for a demand. Without `mixes` there is nothing to measure with, and the last note says why."""

    mixes: tuple[MixWorkload, ...]
    notes: tuple[Note, ...]


def workloads_of(demand: Demand) -> Workloads:
    """The demand's mixes as workloads, largest first, with the notes on them, each once."""
    known = [interval for interval in demand.intervals if interval.gap is None]
    if not known:
        return Workloads((), workload_of(demand.model_copy(update={"peak": None})).notes)
    made = [(mix, of_interval(mix.interval, demand.database)) for mix in cover(known)]
    notes = list(_partly_unknown(known))
    for _, asked in made:
        notes += asked.notes
    found = tuple(MixWorkload(mix, asked) for mix, asked in made if asked.workload is not None)
    if not made:
        idle = of_interval(max(known, key=lambda interval: len(interval.classes)), demand.database)
        notes += idle.notes
    return Workloads(found, tuple({note.message: note for note in notes}.values()))


def largest_of(mix: Mix, database: Database) -> DemandWorkload:
    """The workload of the mix's largest interval alone: what really was asked for."""
    return of_interval(mix.largest, database)


def cover(intervals: Sequence[DemandInterval]) -> tuple[Mix, ...]:
    """At most `MIXES_MAX` mixes, largest first; none where nothing was asked for. Gaps take no part.

    The same intervals give the same mixes. It takes seconds for a day of one-second intervals.
    """
    real = [interval for interval in sure(intervals) if interval.gap is None]
    space = _Space.of(real)
    vectors = [space.vector(interval) for interval in real]
    groups = _few(_alike(space, vectors), space)
    return tuple(_mix(space, group, real, vectors) for group in groups)


def excess(mix: Iterable[float], real: Iterable[float]) -> float:
    """How many times what was asked for a mix costs a storage at most, for figures by class in the same order.

    What an I/O of each class costs is not known. That no class is more than `DEARER_MAX` times as dear as another bounds the
    ratio of the costs; this is the largest that any such prices give, so that a class of few I/Os counts for little.
    """
    pairs = [pair for pair in zip(mix, real, strict=True) if pair != (0.0, 0.0)]
    ratio = 1.0 / DEARER_MAX**2
    while pairs:
        above = below = 0.0
        for more, less in pairs:
            price = DEARER_MAX if more > ratio * less else 1.0
            above += price * more
            below += price * less
        if below * _SLACK_MAX <= above:
            return _SLACK_MAX
        if above <= ratio * below * _ROUNDING:
            break
        ratio = above / below
    return ratio


@dataclass(frozen=True)
class _Space:
    """Which figures of the classes differ from zero somewhere; a vector holds these, the rates before the bytes.

    The log's rate is that of its forced writes, or of all where none is forced, as in its workload; its writes stand beside it.
    """

    rates: tuple[DemandClassName, ...]
    bytes: tuple[DemandClassName, ...]

    @staticmethod
    def of(intervals: Sequence[DemandInterval]) -> _Space:
        def where(field_: str) -> tuple[DemandClassName, ...]:
            return tuple(
                n for n in _names(intervals) if any(_figure(interval, n, field_) for interval in intervals)
            )

        return _Space(where("ops_per_s"), where("bytes_per_s"))

    def vector(self, interval: DemandInterval) -> _Vector:
        """Rates, bytes per second, and of the log: its rate, how often it is forced."""
        rates = [_figure(interval, name, "ops_per_s") for name in self.rates]
        amounts = [_figure(interval, name, "bytes_per_s") for name in self.bytes]
        forced = _figure(interval, "redo_write", "syncs_per_s")
        return (*rates, *amounts, forced or _figure(interval, "redo_write", "ops_per_s"), forced)

    def join(self, one: _Vector, other: _Vector) -> _Vector:
        """The larger of each figure. A log that is forced in one of them is taken as forced at each of its writes."""
        made = tuple(map(max, one, other))
        return (*made[:-1], made[-2]) if made[-1] else made

    def excess(self, mix: _Vector, real: _Vector) -> float:
        """How much more the mix costs than what was asked for: by I/Os or by bytes, whichever is more."""
        at = len(self.rates)
        redo = self.rates.index("redo_write") if "redo_write" in self.rates else None
        ios = [
            (*v[:redo], *v[redo + 1 : at], *v[-2:]) if redo is not None else (*v[:at], *v[-2:])
            for v in (mix, real)
        ]
        return max(excess(*ios), excess(mix[at:-2], real[at:-2]), 1.0)


@dataclass(frozen=True, eq=False)
class _Group:
    """Intervals, by number, that share a mix; `nearest` is the figures of one of them that is nearly as large."""

    top: _Vector
    nearest: _Vector
    own: float
    """By how much the mix goes beyond it: a ratio, 1 for not at all."""
    members: list[int] = field(default_factory=list)


def _alike(space: _Space, vectors: Sequence[_Vector]) -> list[_Group]:
    """Groups of intervals with nearly the same mix; large ones first, so that most of the others are covered already."""
    highest = [max(column) or 1.0 for column in zip(*vectors, strict=True)]
    sizes = [sum(x / most for x, most in zip(vector, highest, strict=True)) for vector in vectors]
    groups: list[_Group] = []
    pairs = _Pairs(space)
    for number in sorted(range(len(vectors)), key=lambda n: (-sizes[n], n)):
        if not sizes[number]:
            break
        vector = vectors[number]
        home = next((group for group in groups if _covers(group.top, vector)), None)
        if home is not None:
            home.members.append(number)
            continue
        groups.append(_Group(vector, vector, 1.0, [number]))
        _take_in(groups, pairs)
    return groups


def _take_in(groups: list[_Group], pairs: _Pairs) -> None:
    """The newest group joins the one that it is most like, if it is like any. Of too many groups the two most alike become one."""
    newest = groups[-1]
    best = min(groups[:-1], key=lambda group: pairs.joined(group, newest).own, default=None)
    if best is not None and pairs.joined(best, newest).own <= 1 + SLACK_AIM:
        _replace(groups, best, newest, pairs)
    elif len(groups) > _GROUPS_MAX:
        one, other = min(combinations(groups, 2), key=lambda pair: pairs.joined(*pair).own)
        _replace(groups, one, other, pairs)


@dataclass
class _Pairs:
    """What each two groups would be together; thought out once for each pair."""

    space: _Space
    known: dict[tuple[int, int], tuple[_Group, _Group, _Group]] = field(default_factory=dict)

    def joined(self, one: _Group, other: _Group) -> _Group:
        key = id(one), id(other)
        if key not in self.known:
            top = self.space.join(one.top, other.top)
            ends = [(self.space.excess(top, group.nearest), group.nearest) for group in (one, other)]
            own, nearest = min(ends, key=lambda end: end[0])
            # The groups are held as well, so that no other one gets their ids.
            self.known[key] = one, other, _Group(top, nearest, own)
        return self.known[key][2]

    def forget(self, group: _Group) -> None:
        for key in [key for key in self.known if id(group) in key]:
            del self.known[key]


def _replace(groups: list[_Group], one: _Group, other: _Group, pairs: _Pairs) -> None:
    """The two as one, in the place of the first."""
    made = pairs.joined(one, other)
    made.members.extend([*one.members, *other.members])
    groups[groups.index(one)] = made
    groups.remove(other)
    for gone in (one, other):
        pairs.forget(gone)


def _few(groups: list[_Group], space: _Space) -> list[_Group]:
    """Joins the two that cost least together until few are left, and further while that costs hardly anything."""
    pairs = _Pairs(space)
    real = [group.nearest for group in groups]

    def cost(pair: tuple[_Group, _Group]) -> tuple[float, float]:
        """Beyond anything that was asked for, which may decide a verdict; then beyond the group's own intervals."""
        made = pairs.joined(*pair)
        return min(space.excess(made.top, vector) for vector in real), made.own

    costs: dict[tuple[_Group, _Group], tuple[float, float]] = {}
    while len(groups) > 1:
        all_pairs = list(combinations(groups, 2))
        costs = {pair: costs.get(pair) or cost(pair) for pair in all_pairs}
        alike = min(all_pairs, key=lambda pair: pairs.joined(*pair).own)
        if pairs.joined(*alike).own > 1 + SLACK_AIM:
            if len(groups) <= MIXES_MAX:
                break
            alike = min(all_pairs, key=lambda pair: costs[pair])
        _replace(groups, *alike, pairs)
    return _undominated(groups)


def _undominated(groups: Sequence[_Group]) -> list[_Group]:
    """Without the groups that another one covers; their intervals are that one's."""
    kept: list[_Group] = []
    for group in sorted(groups, key=lambda group: -sum(group.top)):
        home = next((other for other in kept if _covers(other.top, group.top)), None)
        if home is None:
            kept.append(group)
        else:
            home.members.extend(group.members)
    return kept


def _covers(top: _Vector, vector: _Vector) -> bool:
    return all(map(le, vector, top))


def _mix(space: _Space, group: _Group, real: Sequence[DemandInterval], vectors: Sequence[_Vector]) -> Mix:
    best, largest = _SLACK_MAX * 2, group.members[0]
    for number in sorted(group.members):
        # No excess is below that of the plain sums of bytes, which costs less to find.
        if _at_least(space, group.top, vectors[number]) < best:
            found = space.excess(group.top, vectors[number])
            if found < best:
                best, largest = found, number
    slack = max(0.0, best - 1)
    own = [real[number] for number in group.members]
    return Mix(
        _joined(space, group.top, own, real[largest]), real[largest], len(own), slack if slack > 1e-9 else 0.0
    )


def _at_least(space: _Space, top: _Vector, vector: _Vector) -> float:
    amounts = sum(vector[len(space.rates) : -2])
    return sum(top[len(space.rates) : -2]) / amounts if amounts else 0.0


def _joined(
    space: _Space, top: _Vector, intervals: Sequence[DemandInterval], largest: DemandInterval
) -> DemandInterval:
    """The mix as an interval at the time of its largest one. What none of its intervals knows stays unknown."""
    at = len(space.rates)
    rates, amounts = (
        dict(zip(space.rates, top[:at], strict=True)),
        dict(zip(space.bytes, top[at:-2], strict=True)),
    )
    classes: dict[DemandClassName, ClassDemand] = {}
    for name in _names(intervals):
        own = [interval.classes[name] for interval in intervals if name in interval.classes]
        classes[name] = ClassDemand(
            ops_per_s=rates.get(name, 0.0) if any(one.ops_per_s is not None for one in own) else None,
            bytes_per_s=amounts.get(name, 0.0) if any(one.bytes_per_s is not None for one in own) else None,
            syncs_per_s=top[-1] if any(one.syncs_per_s is not None for one in own) else None,
            source=own[-1].source,
        )
    ops = [one.ops_per_s for one in classes.values() if one.ops_per_s is not None]
    moved = [one.bytes_per_s for one in classes.values() if one.bytes_per_s is not None]
    return DemandInterval(
        begin_time=largest.begin_time,
        end_time=largest.end_time,
        duration_s=largest.duration_s,
        classes=classes,
        iops=sum(ops) if ops else None,
        mb_per_s=sum(moved) / 1e6 if moved else None,
    )


def _names(intervals: Iterable[DemandInterval]) -> tuple[DemandClassName, ...]:
    """Those of any of them, in the order in which they come."""
    names: dict[DemandClassName, None] = {}
    for interval in intervals:
        names.update(dict.fromkeys(interval.classes))
    return tuple(names)


def _partly_unknown(known: Sequence[DemandInterval]) -> Iterator[Note]:
    """Classes that could be counted in some of the intervals only: a yes would leave out what they asked for in the others."""
    for name in _names(known):
        unknown = [
            interval for interval in known if name in interval.classes and not _is_known(interval, name)
        ]
        if unknown and len(unknown) < len(known):
            message = f"{name} is unknown in {len(unknown)} of {len(known)} intervals ({unknown[0].classes[name].source})"
            yield Note(code="class-unknown", message=message)


def _is_known(interval: DemandInterval, name: DemandClassName) -> bool:
    demand = interval.classes[name]
    return demand.bytes_per_s is not None and (demand.ops_per_s is not None or name.startswith("large"))


def _figure(interval: DemandInterval, name: DemandClassName, field_: str) -> float:
    """What is not known counts as nothing; large requests that nobody counted are taken as their workload takes them."""
    demand = interval.classes.get(name)
    if demand is None:
        return 0.0
    value: float | None = getattr(demand, field_)
    if value is None and field_ == "ops_per_s" and name.startswith("large"):
        return (demand.bytes_per_s or 0.0) / ASSUMED_LARGE_BYTES
    return value or 0.0
