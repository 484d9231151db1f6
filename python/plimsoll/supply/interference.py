"""The interference matrix: which clients are measured together, and what the measurements say of each other.

A client that goes as fast as it can does less when its neighbours slow it down, and then its latency is that of less work. So
the client whose latency is looked at, the paced one, asks for the same rate in all of its encounters, in an open loop: latency
counts from when each I/O was due. Its neighbours go as fast as they can, as scans and checkpoints do. They have a bounded
number of I/Os under way, so the queue before storage stays bounded as well. A log writer gathers what waits into its next
write; at a rate it pauses after each one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from plimsoll.base.limits import SHAPE_RATE_SHARE
from plimsoll.base.units import format_rate, format_us
from plimsoll.facts import Cell, ClassResult, Effect, Encounter, Interference, Note, PlanGroup
from plimsoll.supply.shapes import Shape, paced

_KEPT_UP_SHARE = 0.95
_SLOWER = 1.2
"""A p99 that is longer by less is within what repetitions differ by on a shared machine."""


@dataclass(frozen=True)
class Meeting:
    """Clients to be measured together; `paced` None: one client alone, as fast as it can."""

    paced: str | None
    neighbours: tuple[str, ...] = ()


def meetings(names: Sequence[str]) -> list[Meeting]:
    """Each alone in both ways, then each beside each other one, then beside all others."""
    alone = [Meeting(None, (name,)) for name in names] + [Meeting(name) for name in names]
    pairs = [Meeting(name, (other,)) for name in names for other in names if other != name]
    everyone = [Meeting(name, tuple(other for other in names if other != name)) for name in names]
    return alone + pairs + (everyone if len(names) > 2 else [])


class Matrix:
    """Measures meeting after meeting. `measure` runs clients together and returns their cell."""

    def __init__(
        self,
        clients: Mapping[Shape, PlanGroup],
        measure: Callable[[Sequence[PlanGroup]], Cell],
        rate_share: float = SHAPE_RATE_SHARE,
        rates_per_s: Mapping[str, float] | None = None,
    ) -> None:
        self._shapes = {shape.name: shape for shape in clients}
        self._clients = {shape.name: client for shape, client in clients.items()}
        self._measure = measure
        self._rate_share = rate_share
        self._rates_per_s = dict(rates_per_s or {})
        self._iops_alone: dict[str, float] = {}
        self._encounters: list[Encounter] = []

    def meetings(self) -> list[Meeting]:
        """All that there is to measure, in order."""
        return meetings(list(self._clients))

    def meet(self, meeting: Meeting) -> Encounter:
        """Measures one meeting and keeps it. A client alone as fast as it can comes before its paced ones."""
        beside = [self._clients[name] for name in meeting.neighbours]
        encounter = self._alone(beside) if meeting.paced is None else self._paced(meeting.paced, beside)
        self._encounters.append(encounter)
        return encounter

    def _alone(self, clients: Sequence[PlanGroup]) -> Encounter:
        cell, name = self._measure(clients), clients[0].name
        self._iops_alone[name] = max(cell.iops, 1.0)
        self._rates_per_s.setdefault(name, self._rate_share * self._iops_alone[name])
        return Encounter(together=(name,), cell=cell)

    def _paced(self, name: str, beside: Sequence[PlanGroup]) -> Encounter:
        rate, shape = self._rates_per_s[name], self._shapes[name]
        victim = paced(shape, self._clients[name], rate, self._iops_alone[name])
        cell = self._measure([victim, *beside])
        return Encounter(
            together=(name, *(client.name for client in beside)),
            paced=name,
            rate_per_s=rate,
            kept_up=self._kept_up(shape, cell, rate),
            cell=cell,
        )

    def _kept_up(self, shape: Shape, cell: Cell, rate_per_s: float) -> bool | None:
        """None where nobody can tell: a shape that gathers has no rate to keep, and one that was ended early had no time to."""
        known = not shape.gathers and cell.ended_early == ""
        return _kept_up(self._of(shape.name, cell), rate_per_s, cell.runtime_s) if known else None

    def _of(self, name: str, cell: Cell) -> list[ClassResult]:
        mine = {io.name for io in self._clients[name].classes}
        return [result for result in cell.classes if result.name in mine]

    def result(self, notes: Sequence[Note] = ()) -> Interference:
        """What was measured so far, and what it says. Encounters that were ended early are kept, but say nothing."""
        effects = self._effects()
        return Interference(
            rate_share=self._rate_share,
            shapes=tuple(self._clients),
            encounters=tuple(self._encounters),
            effects=tuple(effects),
            strongest=_strongest(effects),
            answers=tuple(
                answer for answer in (self._reads_slow_writes(effects), self._block(effects)) if answer
            ),
            notes=tuple(notes),
        )

    def _effects(self) -> list[Effect]:
        whole = [one for one in self._encounters if one.paced is not None and one.cell.ended_early == ""]
        alone = {one.together[0]: one for one in whole if len(one.together) == 1}
        return [
            effect
            for one in whole
            if one.together[0] in alone and len(one.together) > 1
            for effect in self._effects_in(one, alone[one.together[0]])
        ]

    def _effects_in(self, encounter: Encounter, alone: Encounter) -> list[Effect]:
        name = encounter.together[0]
        before, beside = self._of(name, alone.cell), self._of(name, encounter.cell)
        comparable = alone.kept_up is not False
        return [_effect(encounter, *results, comparable) for results in zip(beside, before, strict=True)]

    def words(self, encounter: Encounter) -> str:
        """`oltp readers at 5,000 a second beside scans: p99 1.2 ms`."""
        first, *others = map(_spoken, encounter.together)
        rate = (
            "as fast as they can"
            if encounter.rate_per_s is None
            else f"at {format_rate(encounter.rate_per_s)} a second"
        )
        beside = f"beside {', '.join(others)}" if others else "alone"
        name = encounter.together[0]
        figures = "; ".join(
            f"{_spoken(result.name)}s {format_rate(result.iops)} a second, p99 {format_us(result.latency_us.p99)}"
            for result in self._of(name, encounter.cell)
        )
        return f"{first} {rate} {beside}: {figures}"

    def _reads_slow_writes(self, effects: Sequence[Effect]) -> str | None:
        """Reads that make writes wait."""
        found = [e for e in effects if self._writes(e.shape) and not self._any_writes(e.neighbours)]
        worst = _telling(found)
        if worst is None:
            return None
        verdict = "Reads slow writes down here" if _is_slower(worst) else "Reads do not slow writes down here"
        return f"{verdict}: {_words(worst)}."

    def _block(self, effects: Sequence[Effect]) -> str | None:
        """Readers do not block readers in a database; in storage they may."""
        found = [e for e in effects if not self._writes(e.shape) and not self._any_writes(e.neighbours)]
        worst = _telling(found)
        if worst is None:
            return None
        verdict = "Readers block readers here" if _is_slower(worst) else "Readers do not block readers here"
        return f"{verdict}: {_words(worst)}."

    def _writes(self, name: str) -> bool:
        return self._shapes[name].writes

    def _any_writes(self, names: Sequence[str]) -> bool:
        return any(map(self._writes, names))


def _kept_up(results: Sequence[ClassResult], rate_per_s: float, runtime_s: float) -> bool:
    """Arrivals at random moments scatter by the root of their number; three of these are allowed for."""
    asked = rate_per_s * runtime_s
    did = sum(result.iops for result in results) * runtime_s
    return did >= min(_KEPT_UP_SHARE * asked, asked - 3 * sqrt(asked))


def _effect(encounter: Encounter, beside: ClassResult, alone: ClassResult, comparable: bool) -> Effect:
    """No ratio where the client did not even get its rate alone: that was another load, with a queue of its own."""
    return Effect(
        shape=encounter.together[0],
        io_class=beside.name,
        neighbours=encounter.together[1:],
        p50_ratio=_ratio(beside.latency_us.p50, alone.latency_us.p50) if comparable else None,
        p99_ratio=_ratio(beside.latency_us.p99, alone.latency_us.p99) if comparable else None,
        latency_us_p99_alone=alone.latency_us.p99,
        latency_us_p99=beside.latency_us.p99,
        lower_bound=encounter.kept_up is False,
    )


def _ratio(beside_us: float | None, alone_us: float | None) -> float | None:
    return None if beside_us is None or not alone_us else beside_us / alone_us


def _worst(effects: Sequence[Effect]) -> Effect | None:
    """The strongest effect of a single neighbour."""
    pairs = [effect for effect in effects if len(effect.neighbours) == 1 and effect.p99_ratio is not None]
    return max(pairs, key=lambda effect: effect.p99_ratio or 0.0, default=None)


def _telling(effects: Sequence[Effect]) -> Effect | None:
    """The strongest effect; none where all that are known are weak and another is not known."""
    worst = _worst(effects)
    return worst if worst is not None and (_is_slower(worst) or _unknown(effects) is None) else None


def _is_slower(effect: Effect) -> bool:
    return (effect.p99_ratio or 0.0) >= _SLOWER


def _strongest(effects: Sequence[Effect]) -> str | None:
    worst, unknown = _worst(effects), _unknown(effects)
    if unknown is not None and (worst is None or not _is_slower(worst)):
        return _unknown_words(unknown)
    if worst is None:
        return None
    if not _is_slower(worst):
        return f"No client makes the p99 of another one {_SLOWER:g} times as long; the most that was seen: {_words(worst)}."
    return f"The strongest effect: {_words(worst)}."


def _unknown(effects: Sequence[Effect]) -> Effect | None:
    """Of single neighbours, the effect that left too few I/Os for a p99; the one with the longest median."""
    pairs = [effect for effect in effects if len(effect.neighbours) == 1 and effect.p99_ratio is None]
    return max(pairs, key=lambda effect: effect.p50_ratio or 0.0, default=None)


def _unknown_words(effect: Effect) -> str:
    whose, beside = _spoken(effect.io_class), _spoken(effect.neighbours[0])
    if effect.latency_us_p99 is not None and effect.latency_us_p99_alone is not None:
        reason = f"alone the {_spoken(effect.shape)} did not get their rate, so that there is nothing to compare with"
        return f"Cannot tell: {reason}. Measure longer with --runtime, or on a quieter machine."
    median = (
        ""
        if effect.p50_ratio is None
        else f", and their median is {format_rate(effect.p50_ratio)} times as long as alone"
    )
    return f"Cannot tell: beside {beside} too few {whose}s ended for a p99{median}. Measure longer with --runtime."


def _words(effect: Effect) -> str:
    """`beside scans, the p99 of oltp reads is 6.2 times as long as alone, 1.2 ms instead of 190 µs`."""
    times = format_rate(effect.p99_ratio)
    least = "at least " if effect.lower_bound else ""
    behind = ", and they no longer get their rate" if effect.lower_bound else ""
    before, after = format_us(effect.latency_us_p99_alone), format_us(effect.latency_us_p99)
    return (
        f"beside {_spoken(effect.neighbours[0])}, the p99 of {_spoken(effect.io_class)}s is {least}{times} times as long"
        f" as alone, {after} instead of {before}{behind}"
    )


def _spoken(name: str) -> str:
    return name.replace("_", " ")
