"""`plimsoll lab disk`: serves a disk or a mirror whose speed is dialled, until somebody asks it to end.

It is a process of its own on purpose: who measures the disk must not be who serves it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from plimsoll.base.errors import ExitStatus, UsageError, WorldError
from plimsoll.base.units import format_bytes
from plimsoll.context import Context
from plimsoll.facts import Note, ServedDisk
from plimsoll.host import memory, safety
from plimsoll.native import laboratory
from plimsoll.native.errors import engine_errors
from plimsoll.requests.lab import DiskRequest
from plimsoll.supply.dialled import parse_law, specification

DISK = "disk"
"""Name of the disk in its folder."""
_LOOK_S = 0.2
_MEMORY_SHARE_MAX = 0.9
"""Of the memory that is available; the rest is left to whatever else runs."""


@dataclass(frozen=True)
class Served:
    """What the disk counted, what is to be said of it, and how it ended."""

    disk: ServedDisk
    notes: tuple[Note, ...] = ()
    status: ExitStatus = ExitStatus.DONE


def serve_disk(ctx: Context, asked: DiskRequest) -> Served:
    """Serves the disk until the time is over or somebody asks to end; nothing of it is left when this returns.

    Raises UsageError `disk-folder`, `disk-law-unreadable`, and `spec-invalid` for a law that cannot be served; WorldError
    `disk-memory`, `disk-refused`.
    """
    mirror = None if asked.mirror_law is None else parse_law(asked.mirror_law)
    specified = specification(parse_law(asked.law), asked.size_bytes, asked.seed, mirror, asked.mirror_read)
    folder = empty_folder(Path(asked.folder))
    refuse_beyond_memory(asked.size_bytes, "--size")
    with engine_errors():
        source = ctx.scratch.mounting(folder, "disk")
        disk = laboratory.serve_disk(specified, str(folder), source)
        began_s = ctx.clock.monotonic_s()
        try:
            # By this mark the gate knows that it may be written to: nobody's data is on it.
            safety.mark_served(disk)
            ctx.remark("lab", _serving(folder / DISK, asked))
            is_whole = _wait(ctx, disk, asked.seconds)
        finally:
            was_used = disk.stop()
    served = ServedDisk(
        path=str(folder / DISK),
        size_bytes=asked.size_bytes,
        law=asked.law,
        mirror_law=asked.mirror_law,
        mirror_read=None if mirror is None else asked.mirror_read,
        seed=asked.seed,
        served_s=ctx.clock.monotonic_s() - began_s,
        counters=laboratory.counters(disk),
    )
    return Served(served, _notes(folder, is_whole, was_used), _status(is_whole))


def empty_folder(folder: Path) -> Path:
    """The folder, if nothing is in it that a mount would hide. Raises UsageError `disk-folder`."""
    hint = "Make an empty folder for it, such as with mkdir, and name that."
    try:
        is_empty = not os.listdir(folder)
    except OSError as error:
        message = f"could not look into the folder {folder}: {(error.strerror or str(error)).lower()}"
        raise UsageError("disk-folder", message, hint) from error
    if not is_empty:
        message = (
            f"cannot mount a disk on {folder}: the folder is not empty, and what is in it would be hidden"
        )
        raise UsageError("disk-folder", message, hint)
    return folder.resolve()


def refuse_beyond_memory(size_bytes: int, option: str) -> None:
    """A disk is filled at once: one that memory cannot hold would have the kernel kill processes of others.

    Raises WorldError `disk-memory`.
    """
    available = memory.available_bytes()
    if available is not None and size_bytes > _MEMORY_SHARE_MAX * available:
        message = f"{format_bytes(size_bytes)} would be held in memory, of which {format_bytes(available)} are available"
        raise WorldError("disk-memory", message, f"Ask for less with {option}.")


def _serving(path: Path, asked: DiskRequest) -> str:
    until = "until Ctrl-C" if asked.seconds is None else f"for {asked.seconds:g} s"
    law = asked.law if asked.mirror_law is None else f"{asked.law} mirrored on {asked.mirror_law}"
    return f"serving {path}, {format_bytes(asked.size_bytes)}, {law}, seed {asked.seed}, {until}"


def _wait(ctx: Context, disk: laboratory.Disk, seconds: float | None) -> bool:
    """True when it was served for as long as was asked."""
    deadline_s = None if seconds is None else ctx.clock.monotonic_s() + seconds
    while disk.is_serving():
        left_s = _LOOK_S if deadline_s is None else min(_LOOK_S, deadline_s - ctx.clock.monotonic_s())
        if left_s <= 0 or ctx.cancel.wait(left_s):
            return True
    return False


def _notes(folder: Path, is_whole: bool, was_used: bool) -> tuple[Note, ...]:
    notes = []
    if not is_whole:
        message = f"somebody else unmounted {folder}, and the disk was served until then"
        notes.append(Note(code="disk-unmounted", message=message))
    if was_used:
        message = f"something in {folder} was still open when the disk ended: its I/O fails from now on"
        notes.append(Note(code="disk-in-use", message=message))
    return tuple(notes)


def _status(is_whole: bool) -> ExitStatus:
    return ExitStatus.DONE if is_whole else ExitStatus.DONE_IN_PART
