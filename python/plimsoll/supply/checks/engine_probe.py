"""What the kernel can do for us on this target, each refusal with its reason: io_uring, I/O without waiting, polling, FUA."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from plimsoll.facts import Check
from plimsoll.native import engine
from plimsoll.supply.checks._cells import engines, is_real
from plimsoll.supply.checks._kind import Active, Probe

_NAME = "engine_probe"
_FIGURES = ("io_uring", "nowait", "polling", "fua", "volatile_write_cache")


def _judge(probe: Probe) -> Check | None:
    """Fails where io_uring cannot work as it should; polling and FUA are told, since few devices have them.

    None where the kernel has no part in the I/Os, as on the way to a server.
    """
    if not is_real(probe.cell) or not all(map(engine.works_on_files, engines(probe.cell))):
        return None
    try:
        can: Mapping[str, Any] = {**engine.probe(probe.target.path, probe.cell.direct)}
    except engine.CoreError as refused:
        return Check(name=_NAME, passed=None, reason=f"the target could not be probed: {refused.message}")
    words = [_io_uring(can), _nowait(can), _polling(can), _durable(can)]
    figures = {name: float(can[name]) for name in _FIGURES if can[name] is not None}
    return Check(
        name=_NAME,
        passed=can["io_uring"] and can["nowait"],
        reason="; ".join(word for word in words if word),
        figures=figures,
    )


def _io_uring(can: Mapping[str, Any]) -> str:
    if can["io_uring"]:
        return f"io_uring works ({can['io_uring_mode']})"
    return f"io_uring does not work: {can['io_uring_error']}"


def _nowait(can: Mapping[str, Any]) -> str:
    if can["nowait"]:
        return "I/Os need no worker threads"
    return f"the kernel would hand I/Os to worker threads: {can['nowait_error']}"


def _polling(can: Mapping[str, Any]) -> str:
    if can["polling"]:
        return "polling for completions (IOPOLL) is possible"
    return f"no polling for completions (IOPOLL): {can['polling_error']}"


def _durable(can: Mapping[str, Any]) -> str:
    """How a durable write is made; nothing where no block device is known."""
    if can["volatile_write_cache"] is None:
        return ""
    if not can["volatile_write_cache"]:
        return "writes are durable at once: there is no volatile write cache"
    if can["fua"]:
        return "durable writes pass the volatile write cache (FUA)"
    return "each durable write flushes the volatile write cache: the device has no FUA"


CHECK = Active(
    title="the kernel offers what the engine needs",
    help="Asks the kernel whether io_uring works, whether the file system takes I/Os without waiting (else worker threads do them),"
    " whether completions can be polled for, and whether durable writes pass the device's cache (FUA) or flush it. It warns.",
    judge=_judge,
)
