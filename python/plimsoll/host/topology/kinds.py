"""Unlike cores: strong ones beside those that save power, as far as the kernel tells them apart.

source: the kernel's `cpu_core` and `cpu_atom` event sources (perf-list(1)), `regs/identification/midr_el1`
(Documentation/arch/arm64/cpu-feature-registers.rst), `cpu_capacity`, `cpufreq/base_frequency` (admin-guide/pm/intel_pstate.rst)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from plimsoll.base.values import value
from plimsoll.host.topology.cpus import FOLDER
from plimsoll.host.topology.tree import Reader
from plimsoll.host.topology.values import parse_list, parse_number

_STRONG, _SAVING = "sys/devices/cpu_core/cpus", "sys/devices/cpu_atom/cpus"
_KHZ_PER_MHZ = 1_000
_CLOCK_SHARE = 0.1
"""Favoured cores go some percent higher than the others of their kind; kinds are a fifth and more apart."""


@value
class Strength:
    """What tells of a core how strong it is."""

    kind: int
    capacity: int | None
    mhz_max: float | None


def strengths(reader: Reader, cores: Sequence[tuple[int, ...]]) -> list[Strength]:
    """Of each core, by its first CPU."""
    firsts = [core[0] for core in cores]
    capacities = [_of_cpu(reader, number, "cpu_capacity", parse_number) for number in firsts]
    clocks = [_of_cpu(reader, number, "cpufreq/cpuinfo_max_freq", parse_number) for number in firsts]
    kinds = _kinds(reader, firsts, capacities, clocks)
    return [
        Strength(
            kind, capacity if capacity and capacity > 0 else None, clock / _KHZ_PER_MHZ if clock else None
        )
        for kind, capacity, clock in zip(kinds, capacities, clocks, strict=True)
    ]


def _of_cpu(reader: Reader, number: int, path: str, parse: Callable[[str], int]) -> int | None:
    return reader.value(f"{FOLDER}/cpu{number}/{path}", parse)


def _kinds(
    reader: Reader,
    firsts: Sequence[int],
    capacities: Sequence[int | None],
    clocks: Sequence[int | None],
) -> list[int]:
    """By the first source that tells more than one kind, and at last by highest clocks that are far apart."""
    models = [_of_cpu(reader, number, "regs/identification/midr_el1", _hexadecimal) for number in firsts]
    bases = [_of_cpu(reader, number, "cpufreq/base_frequency", parse_number) for number in firsts]
    for found in (
        _by_events(reader, firsts),
        _by_model(models, capacities),
        capacities,
        bases,
        _by_clock(clocks),
    ):
        ranks = _ranks(found)
        if ranks is not None:
            return ranks
    return [1] * len(firsts)


def _hexadecimal(text: str) -> int:
    return int(text, 16)


def _by_events(reader: Reader, firsts: Sequence[int]) -> list[int | None]:
    strong, saving = (reader.value(path, parse_list) or frozenset() for path in (_STRONG, _SAVING))
    return [1 if number in strong else 0 if number in saving else None for number in firsts]


def _by_model(models: Sequence[int | None], capacities: Sequence[int | None]) -> list[int | None]:
    """Each model is as strong as the strongest of its cores."""
    best: dict[int | None, int] = {}
    for model, capacity in zip(models, capacities, strict=True):
        best[model] = max(best.get(model, 0), capacity or 0)
    return [None if model is None else best[model] for model in models]


def _by_clock(clocks: Sequence[int | None]) -> list[int | None]:
    """The highest clock of a kind stands for all of it: single cores of one kind may go somewhat higher than its others."""
    highest = dict[int | None, int | None]()
    before: int | None = None
    for clock in sorted({clock for clock in clocks if clock}, reverse=True):
        is_near = before is not None and before - clock <= _CLOCK_SHARE * before
        highest[clock] = highest[before] if is_near else clock
        before = clock
    return [highest.get(clock) for clock in clocks]


def _ranks(values: Sequence[int | None]) -> list[int] | None:
    """1 for the highest; None where a value is missing, or all are alike."""
    known = sorted({value for value in values if value is not None}, reverse=True)
    if len(known) < 2 or None in values:
        return None
    return [known.index(value) + 1 for value in values if value is not None]
