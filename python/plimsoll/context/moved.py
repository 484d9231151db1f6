"""Processes of somebody else that were moved into a control group of ours for a while, on their way back.

What is told here comes from a journal: a process is put back only where it is the very one, is in a group that we made, or in the
top one, and its home is a group that is there.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from plimsoll.base.values import value
from plimsoll.context.journal import Moving
from plimsoll.ports import affinity, control_groups, processes

_PASSES = 50
"""A server starts processes all the time, and one that is started while others are moved is where its parent was."""


@value
class PutBack:
    """How many processes were moved, and why some could not be."""

    moved: int = 0
    failed: tuple[str, ...] = ()


def put_back(entry: Moving, is_ours: Callable[[str], bool]) -> PutBack:
    """The process and its children into its own groups; `is_ours` knows names of groups of ours. Raises nothing."""
    known = processes.Identity(entry.pid, entry.ticks)
    if entry.boot != processes.boot_id() or not processes.is_alive(known):
        return PutBack()
    moved, failed = 0, dict[str, None]()
    for home in map(Path, entry.homes):
        for _ in range(_PASSES):
            away = [
                one for one in (entry.pid, *processes.children(entry.pid)) if _is_away(one, home, is_ours)
            ]
            if away and not control_groups.is_group(home):
                failed[f"control group {home} of process {entry.pid} is gone: put it into another one"] = None
                break
            before = len(failed)
            for one in away:
                moved += _moved(one, home, frozenset(entry.cpus), failed)
            if not away or len(failed) > before:
                break
    return PutBack(moved, tuple(failed))


def _is_away(process: int, home: Path, is_ours: Callable[[str], bool]) -> bool:
    """Whether it is in a group of ours in that hierarchy, or in its top one, and not at home."""
    now = control_groups.home_beside(home, process)
    if now is None or now == home:
        return False
    return (is_ours(now.name) and control_groups.is_own(now)) or control_groups.is_unified_top(now)


def _moved(process: int, home: Path, cpus: frozenset[int], failed: dict[str, None]) -> int:
    try:
        control_groups.write(home, "cgroup.procs", str(process))
    except ProcessLookupError:
        return 0
    except OSError as error:
        failed[f"process {process} could not be put back into {home}: {error.strerror}"] = None
        return 0
    with suppress(OSError):
        affinity.bind(process, cpus)
    return 1
