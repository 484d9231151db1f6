"""The engine: what it can do here, and the start of a run. Its refusals are `CoreError`; `native.errors` makes ours of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from plimsoll import _core

if TYPE_CHECKING:
    # Types of the stub alone: the compiled module has no such names.
    from plimsoll._core import _Abilities as Abilities
    from plimsoll._core import _Engine as Engine
    from plimsoll._core import _Findings as Findings
    from plimsoll._core import _Pattern as Pattern
    from plimsoll._core import _Permit as Permit
    from plimsoll._core import _Row

    Row = _Row
    """One class in the whole run or in one window."""
    from plimsoll.facts import Plan

CoreError = _core.CoreError
Handle = _core.Handle
Progress = _core.Progress


def engines() -> dict[str, Engine]:
    """Every engine by its name: title, help, whether it does real I/O, and whether this machine has it."""
    return {engine["name"]: engine for engine in _core.engines()}


@cache
def _built_in() -> dict[str, Engine]:
    """What the engines are by nature, which no host changes."""
    return engines()


def makes_real_ios(engine: str) -> bool:
    """Whether its I/Os reach a target; so do those of an engine that another tool has and we have not."""
    known = _built_in().get(engine)
    return known is None or known["real"]


def works_on_files(engine: str) -> bool:
    """Whether its targets are files and devices of this host; so are those of an engine that another tool has and we have not."""
    known = _built_in().get(engine)
    return known is None or known["local"]


def for_servers() -> str:
    """The engine for files of a server."""
    return next(name for name in _built_in() if not works_on_files(name))


def runs_in_virtual_time(engine: str) -> bool:
    """Whether neither CPUs nor wires have a part in its time."""
    known = _built_in().get(engine)
    return known is not None and known["virtual_time"]


def blocks(engine: str) -> bool:
    """Whether each outstanding I/O has a thread of its own, which waits for it."""
    known = _built_in().get(engine)
    return known is not None and known["blocking"]


def uses_kernel_workers(engine: str) -> bool:
    """Whether the kernel may hand its I/Os to worker threads of its own, which costs much more."""
    known = _built_in().get(engine)
    return known is not None and known["kernel_workers"]


def does_nothing(engine: str) -> bool:
    """Whether its I/Os neither reach a target nor take any time, so that it measures ourselves."""
    known = _built_in().get(engine)
    return known is not None and not known["real"] and not known["virtual_time"]


def that_does_nothing() -> str:
    """The engine that measures ourselves."""
    return next(filter(does_nothing, _built_in()))


def that_simulates() -> str:
    """The engine in virtual time."""
    return next(filter(runs_in_virtual_time, _built_in()))


def patterns() -> dict[str, Pattern]:
    """Every pattern by its name."""
    return {pattern["name"]: pattern for pattern in _core.patterns()}


def start(plan: Plan, permits: Sequence[Permit] = ()) -> Handle:
    """Starts a run. Raises CoreError where it is refused."""
    return _core.start(plan.model_dump_json(), permits)


def start_fill(spec_json: str, permit: Permit) -> Handle:
    """Starts to fill a file or device with data that does not compress. Raises CoreError where it is refused."""
    return _core.start_fill(spec_json, permit)


def probe(path: str, direct: bool) -> Abilities:
    """What the file system or device at `path` can do. Raises CoreError where it cannot be opened."""
    return _core.probe(path, direct)


def inspect_file(path: str, samples: int) -> Findings:
    """What so many blocks of a file hold. Raises CoreError where it cannot be read."""
    return _core.inspect_file(path, samples)
