"""Where the processes of a database server belong, before they are moved: a group of each hierarchy, and CPUs of their own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from plimsoll.host.topology.values import parse_list
from plimsoll.ports import affinity, control_groups, files

_ONLINE = "/sys/devices/system/cpu/online"


@dataclass(frozen=True)
class Home:
    """Where a process belongs: a group of each hierarchy, and the CPUs that it is bound to, or all that there may be."""

    folders: tuple[Path, ...]
    cpus: frozenset[int]


def home_of(process: int, beside: Iterable[Path]) -> Home | None:
    """In the hierarchies of these groups; None: it is gone, or in one of them nowhere that is to be seen."""
    told = control_groups.groups_told(process)
    trees = [control_groups.tree_of(one) for one in beside]
    found = [None if tree is None else tree.home(told) for tree in trees]
    cpus = affinity.cpus_of(process)
    homes = tuple(dict.fromkeys(home for home in found if home is not None))
    return None if cpus is None or None in found else Home(homes, own_cpus(process, cpus))


def own_cpus(process: int, cpus: frozenset[int]) -> frozenset[int]:
    """Of one that may run on `cpus`: fewer than its group allows are a mask of its own, and to be given back as such.

    Any other would become one, and stay with it in all groups that it comes to afterwards.
    """
    told = control_groups.cpus_allowed(process) or files.read_text(_ONLINE)
    try:
        allowed = parse_list(told or "")
    except ValueError:
        allowed = frozenset()
    return affinity.every() if allowed and cpus >= allowed else cpus
