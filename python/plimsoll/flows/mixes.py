"""Measures the lines of a demand's mixes in little more time than one line takes.

A short closed loop at each mix says where the headroom is smallest; the line is searched there. Of each other mix a few trials
show that the objective holds above the smallest headroom so far; where it does not, its line is searched as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from plimsoll.context import Context
from plimsoll.demand.cover import MixWorkload, largest_of
from plimsoll.facts import Demand, Line, Note, Workload
from plimsoll.flows.line import LineBench, LineSearch, holds, line_bench, search_line
from plimsoll.predict.verdict import Measured, deciding, judge, rests_on_slack
from plimsoll.requests.line import LineRequest
from plimsoll.supply.slo import slo_of
from plimsoll.supply.targets import Opened

HELD_ABOVE = (1.1, 1.04)
"""A mix whose objective holds at so many times the smallest headroom does not decide. The second is tried where the first does not
hold, for a search takes many times as long; two lines at the same mix differ by as much through chance."""
LINE_SHARE = 0.6
"""Of the time that is left, for one mix while others are to follow."""
ROOM_BESIDE_OTHERS = 1.5
"""Beside a running database no more is tried than so many times what is asked: that answers the question."""
TRIALS_HELD = 3
"""At a rate that holds in half of the trials only, three in a row hold one time in eight; a tenth above the line hardly ever."""


@dataclass
class _Bench:
    """A mix, and what it is measured with."""

    mix: MixWorkload
    wanted: LineSearch
    line: LineBench

    @property
    def estimate(self) -> float:
        """What a closed loop reached, divided by what is asked."""
        return self.line.search.start_rate / self.mix.iops

    def nothing(self) -> Measured:
        """The mix before it was measured."""
        mix = self.mix.mix
        return Measured(self.wanted.mix, self.mix.iops, mix.begin_time, mix.intervals, mix.slack)


@dataclass
class MixSearch:
    """What is searched for: lines on an opened target at the mixes of this demand. Collects notes on how it was measured."""

    ctx: Context
    made: Opened
    demand: Demand
    asked: LineRequest
    lines_s: float | None = None
    """Time for all lines on a real target; None: each has its own budget."""
    notes: tuple[Note, ...] = ()
    begun_s: float = 0.0

    def __post_init__(self) -> None:
        self.begun_s = self.ctx.clock.monotonic_s()

    @property
    def factor(self) -> float:
        """The burst factor."""
        return self.demand.burst_factor or 1.0

    @property
    def spent_s(self) -> float:
        """Time since it began; in virtual time that of the host says nothing, and the lines have spent what they were given."""
        if self.made.simulation is not None:
            return self.lines_s or 0.0
        return self.ctx.clock.monotonic_s() - self.begun_s

    def measured(self, mixes: Sequence[MixWorkload]) -> tuple[Measured, ...]:
        """All mixes that the objective is about, as far as the user let them be measured; of them at least one has a line."""
        benches = self._benches(mixes)
        if not benches:
            return ()
        found: list[Measured] = []
        for bench in benches:
            found.append(self._one(self._in_time(bench, len(benches) - len(found)), found))
            if found[-1].outcome in ("never_held", "failed"):
                break
        found += [bench.nothing() for bench in benches[len(found) :]]
        return tuple(self._without_slack(found, benches))

    def _benches(self, mixes: Sequence[MixWorkload]) -> list[_Bench]:
        """By the headroom that a closed loop lets expect, smallest first."""
        judged = [mix for mix in mixes if slo_of(self.asked.slo, workload(mix)).objectives]
        if len(judged) < len(mixes):
            message = f"{len(mixes) - len(judged)} of {len(mixes)} mixes of the demand have no class that the objective names"
            self.notes += (Note(code="mix-without-objective", message=message),)
        benches = [self._bench(mix) for mix in judged]
        return sorted(benches, key=lambda bench: bench.estimate)

    def _bench(self, mix: MixWorkload) -> _Bench:
        highest = mix.iops * self.factor * ROOM_BESIDE_OTHERS
        wanted = LineSearch(self.asked, workload(mix), highest)
        return _Bench(mix, wanted, line_bench(self.ctx, self.made, wanted))

    def _in_time(self, bench: _Bench, left: int) -> _Bench:
        """The bench with its share of the time for all lines: of several the first takes most, as it is searched in any case."""
        if self.lines_s is None or self.made.simulation is not None:
            return bench
        left_s = self.lines_s - self.spent_s
        search = replace(bench.line.search, budget_s=max(0.0, left_s) * (1.0 if left == 1 else LINE_SHARE))
        return replace(bench, line=replace(bench.line, search=search))

    def _one(self, bench: _Bench, found: Sequence[Measured]) -> Measured:
        """A line, or a rate that holds, or nothing where the user has asked to end."""
        begun = bench.nothing()
        if not found:
            return replace(begun, line=self._line(bench))
        if self.ctx.cancel.is_set:
            return begun
        if self.made.guard is not None:
            return replace(begun, line=self._line(bench)) if self.made.guard.stopped is None else begun
        known = [headroom for one in found if (headroom := one.headroom(self.factor))]
        for above in HELD_ABOVE:
            rate = above * min(known, default=1.0) * begun.iops * self.factor
            held = holds(self.ctx, self.made, bench.line, rate, TRIALS_HELD)
            if held is None:
                return begun
            if held:
                return replace(begun, held_iops=rate)
        return replace(begun, line=self._line(bench))

    def _line(self, bench: _Bench) -> Line:
        line, notes = search_line(self.ctx, self.made, bench.wanted, bench.line)
        self.notes += notes
        return line

    def refuses(self, mix: Workload) -> bool | None:
        """Whether the storage does not carry a further mix, weighted by its I/Os per second; None where it was not measured."""
        iops = sum(io.weight for io in mix.classes)
        if self.ctx.cancel.is_set or self.made.guard or not slo_of(self.asked.slo, mix).objectives:
            return None
        line, notes = search_line(self.ctx, self.made, LineSearch(self.asked, mix))
        self.notes += notes
        return judge(self.demand, iops, line).carries is False

    def _without_slack(self, found: list[Measured], benches: Sequence[_Bench]) -> list[Measured]:
        """Where a no would rest on the slack of its mix, the mix's largest interval is measured alone."""
        decides = deciding(found, self.factor)
        if self.ctx.cancel.is_set or self.made.guard or not rests_on_slack(decides, self.factor):
            return found
        at = found.index(decides)
        mix = benches[at].mix.mix
        alone = largest_of(mix, self.demand.database)
        if (
            alone.workload is None
            or alone.iops is None
            or not slo_of(self.asked.slo, alone.workload).objectives
        ):
            return found
        self.ctx.remark("line", "the mix is not carried; whether its largest interval alone is")
        wanted = LineSearch(self.asked, alone.workload)
        bench = self._in_time(_Bench(benches[at].mix, wanted, line_bench(self.ctx, self.made, wanted)), 1)
        line, notes = search_line(self.ctx, self.made, wanted, bench.line)
        self.notes += notes
        largest = Measured(alone.workload, alone.iops, mix.begin_time, line=line)
        return [*found[:at], replace(decides, largest=largest), *found[at + 1 :]]


def workload(mix: MixWorkload) -> Workload:
    """The mix's workload."""
    assert mix.asked.workload is not None, "a mix that asks for nothing is left out"
    return mix.asked.workload


def together(mixes: Sequence[MixWorkload]) -> Workload:
    """Every class of any mix once: what a target must be able to do for all of them."""
    classes = {io.name: io for mix in mixes for io in workload(mix).classes}
    return Workload(name="demand", classes=tuple(classes.values()))
