"""Which engine carries the I/Os: the one asked for, or the best that works here, with the reason for each fallback."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from plimsoll.base.errors import UsageError, WorldError
from plimsoll.facts import Note, Target, Workload
from plimsoll.host.control_groups import cap_on
from plimsoll.native import engine as native
from plimsoll.supply.workloads import is_log

AUTO = "auto"
_BEST_FIRST = ("io_uring", "psync")
"""The last one works everywhere, by calls that block."""
_BEST_FOR_LOG = ("psync",)
"""A log writer waits for each of its writes, so a queue gains nothing; through io_uring a durable write is at times handed to a
worker thread of the kernel, and is no faster anywhere."""
_INSTALL = "Install it, or leave --engine out: the engine for files of servers needs no library."
_PUNTED_ON = ("tmpfs", "ramfs")
_PUNTED = "the kernel hands each of its I/Os to a worker thread, which is many times slower"


@dataclass(frozen=True)
class Choice:
    """The engine, and why it is not the one that would be best."""

    engine: str
    notes: tuple[Note, ...] = ()


def check_engine(asked: str) -> None:
    """That there is such an engine and it works here, before anything is made for it.

    Raises UsageError `engine-unknown`, WorldError `engine-unavailable`.
    """
    check_engine_name(asked)
    engines, name = native.engines(), asked.replace("-", "_")
    if asked != AUTO and not engines[name]["available"]:
        raise WorldError(
            "engine-unavailable",
            f"engine {asked} cannot run here: {engines[name]['reason']}",
            f"Use --engine {_BEST_FIRST[-1]}." if engines[name]["local"] else _INSTALL,
        )


def check_engine_name(asked: str) -> None:
    """That there is such an engine, though it may work on other hosts alone. Raises UsageError `engine-unknown`."""
    engines = native.engines()
    if asked != AUTO and asked.replace("-", "_") not in engines:
        raise UsageError(
            "engine-unknown",
            f"no engine is called '{asked}'",
            f"Known: {AUTO}, {', '.join(sorted(engines))}.",
        )


def plainest(names: Collection[str]) -> str:
    """The one engine, or of several the one that works everywhere."""
    return _BEST_FIRST[-1] if len(names) > 1 else next(iter(names))


def that_blocks(engine: str) -> str:
    """For clients that wait for each of their I/Os, beside those of `engine`: blocking calls, where these reach files here."""
    local = native.makes_real_ios(engine) and native.works_on_files(engine)
    return _BEST_FIRST[-1] if local else engine


def choose_engine(asked: str, target: Target, mix: Workload | None = None) -> Choice:
    """The engine for this target, and for this mix where it is known.

    Raises as `check_engine` does, and UsageError `engine-needs-simulation`, `engine-needs-device`, `engine-needs-server`.
    """
    check_engine(asked)
    name = asked.replace("-", "_")
    if target.kind == "simulated":
        return Choice(_simulated(asked, name))
    if target.kind == "remote":
        return Choice(engine_for_servers(asked))
    if asked == AUTO:
        return _best(target, _BEST_FOR_LOG if mix is not None and is_log(mix) else _BEST_FIRST)
    if native.runs_in_virtual_time(name):
        raise UsageError(
            "engine-needs-simulation",
            f"the {asked} engine needs a simulated target",
            "Name one like sim:mean=100us.",
        )
    if not native.works_on_files(name):
        raise UsageError(
            "engine-needs-server",
            f"the {asked} engine needs a file of a server, and {target.name} is one of this host",
            "Name one like nfs://HOST/EXPORT/FILE, or leave --engine out.",
        )
    return Choice(name)


def engine_for_servers(asked: str) -> str:
    """The engine for files of a server; one that does nothing does so there as well. Raises UsageError `engine-needs-device`."""
    name = asked.replace("-", "_")
    if asked == AUTO:
        return native.for_servers()
    if native.runs_in_virtual_time(name) or (native.makes_real_ios(name) and native.works_on_files(name)):
        raise UsageError(
            "engine-needs-device",
            f"engine {asked} cannot work on a file of an NFS server",
            "Leave --engine out, or mount the export and name the file there.",
        )
    return name


def _simulated(asked: str, name: str) -> str:
    """The engine that was asked for, where its I/Os need no device; by default the one that simulates."""
    if asked == AUTO:
        return native.that_simulates()
    if native.makes_real_ios(name):
        raise UsageError(
            "engine-needs-device",
            f"engine {asked} cannot work on a simulated target",
            "Leave --engine out, or name a file.",
        )
    return name


def _best(target: Target, best_first: tuple[str, ...]) -> Choice:
    engines = native.engines()
    notes = []
    for name in best_first:
        reason = engines[name]["reason"] if not engines[name]["available"] else _unfit(name, target)
        if reason is None:
            return Choice(name, tuple(notes))
        notes.append(Note(code="engine-fallback", message=f"engine {name} was passed over: {reason}"))
    return Choice(_BEST_FIRST[-1], tuple(notes))


def _unfit(name: str, target: Target) -> str | None:
    if not native.uses_kernel_workers(name):
        return None
    if target.file_system is not None and target.file_system.kind in _PUNTED_ON:
        return f"on {target.file_system.kind} {_PUNTED}"
    device = target.device
    cap = None if device is None else cap_on(device)
    if device is not None and cap is not None:
        return (
            f"{cap} caps {device.name}, and I/Os that the kernel hands to a worker thread count twice there"
        )
    abilities = _abilities(target)
    if abilities is None or abilities["nowait"]:
        return None
    return f"on {target.name} {_PUNTED} (reads without blocking: {abilities['nowait_error']})"


def _abilities(target: Target) -> Mapping[str, Any] | None:
    """What works there, tried directly where that can be; None where it cannot be opened, which the run will say better."""
    for direct in (True, False):
        try:
            return native.probe(target.path, direct)
        except native.CoreError:
            continue
    return None
