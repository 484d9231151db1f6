"""CPUs, the packages they are in, and the cores they share (Documentation/admin-guide/cputopology.rst)."""

from __future__ import annotations

from collections.abc import Mapping

from plimsoll.base.values import value
from plimsoll.host.topology.tree import Reader
from plimsoll.host.topology.values import in_short, parse_list, parse_number

FOLDER = "sys/devices/system/cpu"
_THREADS_MAX = 256
"""Of a core: the most that any machine has is 8, and whoever says more tells nothing."""


@value
class Cpu:
    """What the kernel tells of a CPU. Sets hold CPUs that are online; None: not told."""

    id: int
    online: bool
    package: int | None = None
    core: int | None = None
    threads: frozenset[int] | None = None
    """Those that the kernel calls its siblings within a core."""
    neighbours: frozenset[int] | None = None
    """Those of its package."""


def read_cpus(reader: Reader) -> dict[int, Cpu]:
    """Every CPU that there is a folder of, by number; offline ones have neither package nor core."""
    found = reader.numbered(FOLDER, "cpu")
    listed = reader.value(f"{FOLDER}/online", parse_list)
    online = frozenset(number for number in found if _is_online(reader, number, listed))
    return {number: _cpu(reader, number, online) for number in found}


def _is_online(reader: Reader, number: int, listed: frozenset[int] | None) -> bool:
    """Its own file says so, which the first CPU of many machines has not; else the list; else whoever is there is online."""
    own = reader.value(f"{FOLDER}/cpu{number}/online", parse_number)
    if own is not None:
        return own != 0
    return listed is None or number in listed


def _cpu(reader: Reader, number: int, online: frozenset[int]) -> Cpu:
    if number not in online:
        return Cpu(number, online=False)
    folder = f"{FOLDER}/cpu{number}/topology"
    return Cpu(
        number,
        online=True,
        package=_number(reader, f"{folder}/physical_package_id"),
        core=_number(reader, f"{folder}/core_id"),
        threads=_siblings(reader, folder, online, "thread_siblings", "core_cpus"),
        neighbours=_siblings(reader, folder, online, "core_siblings", "package_cpus"),
    )


def _siblings(reader: Reader, folder: str, online: frozenset[int], *names: str) -> frozenset[int] | None:
    """`thread_siblings` was renamed `core_cpus`; of both a list and a mask."""
    lists = tuple(f"{folder}/{name}_list" for name in names)
    return reader.numbers(lists, tuple(f"{folder}/{name}" for name in names), online)


def _number(reader: Reader, path: str) -> int | None:
    """-1 stands for what the firmware does not tell."""
    found = reader.value(path, parse_number)
    return None if found is None or found < 0 else found


def cores_of(cpus: Mapping[int, Cpu], reader: Reader) -> list[tuple[int, ...]]:
    """The cores, each by its CPUs. CPUs of which no core is told, or that contradict each other, are in none; a problem says so.

    Siblings with core numbers of their own are cores: they share a unit, such as the one for floating point, and no more.
    """
    wanted = {number: _core_of(cpu, cpus) for number, cpu in cpus.items() if cpu.online}
    untold = [number for number, core in wanted.items() if core is None]
    if untold:
        message = f"nothing tells which cores the CPUs {in_short(tuple(untold))} are of"
        reader.problems.add("topology-cores-untold", FOLDER, message)
    told = {number: core for number, core in wanted.items() if core is not None}
    agreed = _agreed(told)
    if len(agreed) < len(told):
        odd = in_short(frozenset(told) - agreed)
        message = f"the CPUs {odd} contradict each other about who is of one core, and are counted to none"
        reader.problems.add("topology-siblings-contradict", FOLDER, message)
    return sorted({tuple(sorted(told[number])) for number in agreed})


def _core_of(cpu: Cpu, cpus: Mapping[int, Cpu]) -> frozenset[int] | None:
    if cpu.threads is None or len(cpu.threads) > _THREADS_MAX:
        return None
    own = frozenset(number for number in cpu.threads if number in cpus and cpus[number].core == cpu.core)
    return own | {cpu.id}


def _agreed(sets: Mapping[int, frozenset[int]]) -> frozenset[int]:
    """Those whose set is that of each of its members."""
    return frozenset(number for number, own in sets.items() if all(sets.get(one) == own for one in own))


def check_packages(cpus: Mapping[int, Cpu], reader: Reader) -> None:
    """That the CPUs of a package are each other's neighbours; a problem says where they are not."""
    packages: dict[int, set[int]] = {}
    for cpu in cpus.values():
        if cpu.package is not None:
            packages.setdefault(cpu.package, set()).add(cpu.id)
    for number, members in packages.items():
        odd = _odd(members, cpus)
        if odd:
            message = f"the CPUs {in_short(tuple(odd))} say of package {number} that others are in it than call it theirs"
            reader.problems.add("topology-packages-contradict", FOLDER, message)


def _odd(members: set[int], cpus: Mapping[int, Cpu]) -> list[int]:
    unlike = {cpus[one].neighbours for one in members} - {None, frozenset(members)}
    return [one for one in sorted(members) if cpus[one].neighbours in unlike]
