"""Caches by domain: which CPUs share them (Documentation/ABI/testing/sysfs-devices-system-cpu, `cache/index*`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias, cast

from plimsoll.facts import TopologyCache
from plimsoll.facts.topology import CacheKind
from plimsoll.host.topology.cpus import FOLDER, Cpu
from plimsoll.host.topology.tree import Reader
from plimsoll.host.topology.values import in_short, parse_number, parse_size

_Known: TypeAlias = dict[tuple[object, ...], TopologyCache]
_KINDS: tuple[CacheKind, ...] = ("data", "instruction", "unified")


def read_caches(reader: Reader, cpus: Iterable[Cpu]) -> list[TopologyCache]:
    """Each once. Where CPUs contradict each other about who shares one, it is left out, and a problem says so."""
    online = frozenset(cpu.id for cpu in cpus if cpu.online)
    found: dict[tuple[int, CacheKind], dict[int, TopologyCache]] = {}
    known: _Known = {}
    for number in sorted(online):
        folder = f"{FOLDER}/cpu{number}/cache"
        for index in reader.numbered(folder, "index"):
            cache = _cache(reader, f"{folder}/index{index}", online, known)
            if cache is not None:
                found.setdefault((cache.level, cache.kind), {})[number] = cache
    kept = [cache for by_cpu in found.values() for cache in _agreed(reader, by_cpu)]
    _check_sizes(reader, kept)
    return sorted(kept, key=lambda one: (one.level, one.kind, one.cpus))


def _check_sizes(reader: Reader, caches: Sequence[TopologyCache]) -> None:
    """Where the kernel tells the sizes of most caches, it tells all."""
    lost = [one for one in caches if one.size_bytes is None]
    if lost and 2 * len(lost) < len(caches):
        one = lost[0]
        more = f", and of {len(lost) - 1} more" if len(lost) > 1 else ""
        message = f"nothing tells the size of the level {one.level} {one.kind} cache of the CPUs {in_short(one.cpus)}{more}"
        reader.problems.add("topology-cache-untold", FOLDER, message)


def _cache(reader: Reader, folder: str, online: frozenset[int], known: _Known) -> TopologyCache | None:
    """One object for all CPUs that say the same of it."""
    level = reader.value(f"{folder}/level", parse_number)
    kind = reader.value(f"{folder}/type", _kind)
    shared = reader.numbers((f"{folder}/shared_cpu_list",), (f"{folder}/shared_cpu_map",), online)
    if level is None or level < 1 or kind is None or shared is None:
        return None
    line_bytes = reader.value(f"{folder}/coherency_line_size", parse_number)
    size_bytes = reader.value(f"{folder}/size", parse_size) or None
    key = (level, kind, size_bytes, line_bytes, shared)
    if key not in known:
        known[key] = TopologyCache(
            level=level,
            kind=kind,
            size_bytes=size_bytes,
            line_bytes=line_bytes if line_bytes and line_bytes > 0 else None,
            cpus=tuple(sorted(shared)),
        )
    return known[key]


def _kind(text: str) -> CacheKind:
    kind = text.lower()
    if kind not in _KINDS:
        raise ValueError(text)
    return cast(CacheKind, kind)


def _agreed(reader: Reader, by_cpu: dict[int, TopologyCache]) -> list[TopologyCache]:
    """Those of which all CPUs that share them say the same."""
    holders: dict[int, set[int]] = {}
    for number, cache in by_cpu.items():
        holders.setdefault(id(cache), set()).add(number)
    odd: set[int] = set()
    for cache, numbers in ((by_cpu[min(numbers)], numbers) for numbers in holders.values()):
        odd |= numbers.difference(cache.cpus) if numbers.issuperset(cache.cpus) else numbers
    if odd:
        one = by_cpu[min(odd)]
        message = f"the CPUs {in_short(frozenset(odd))} contradict each other about the level {one.level} {one.kind} cache"
        reader.problems.add("topology-caches-contradict", FOLDER, message)
    return list({id(cache): cache for number, cache in by_cpu.items() if number not in odd}.values())
