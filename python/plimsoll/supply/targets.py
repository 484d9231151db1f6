"""From what the user named to a Target that may be measured: a file, a device, a folder, or a simulated device.

A file that was never written in full answers reads many times too fast, because the file system invents the zeros. Such a file
is refused with the way on; a folder gets a scratch file, written with random data in full before it is read.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import KW_ONLY, dataclass, replace
from pathlib import Path
from typing import Any

from plimsoll.base.errors import SafetyError, UsageError, world_error
from plimsoll.base.limits import (
    DEFAULT_SCRATCH_BYTES,
    GENTLE_SCRATCH_BYTES,
    NEW_FILE_BYTES_MIN,
    PATH_TIMEOUT_S,
    TARGET_BYTES_MIN,
)
from plimsoll.base.printable import encodable
from plimsoll.base.units import format_bytes
from plimsoll.context import Context
from plimsoll.facts import Contents, Note, Plan, Simulation, Target
from plimsoll.host import devices, filesystems, safety
from plimsoll.host.in_use import InUse, databases_beneath, refuse, unseen_words
from plimsoll.native.engine import inspect_file
from plimsoll.native.errors import engine_errors
from plimsoll.ports import files
from plimsoll.supply import mount_options, remote, simulation
from plimsoll.supply.choose import AUTO, engine_for_servers
from plimsoll.supply.direct_nfs import hints_for, on_server
from plimsoll.supply.fill import fill
from plimsoll.supply.gentle_fill import fill_gently
from plimsoll.supply.guard import Guard
from plimsoll.supply.room import check_room

_SAMPLES = 256
_ZERO_SHARE_MAX = 0.02
_KINDS = {stat.S_IFBLK: "device", stat.S_IFREG: "file"}

_NEW_FILE = "Make a file with real data under a new name with --prefill, or name a folder for a scratch file."
_ITS_FOLDER = "Name its folder: a scratch file with real data is made in it and removed."
_FILL_DEVICE = (
    "Write the device in full with plimsoll io DEVICE --prefill, which is done only when all of it is zero or --destroy"
    " confirms it."
)

_NO_MARKS = Note(
    code="no-marks",
    message="this file system keeps no extended attributes: later commands will read this file, but not write to it",
)


@dataclass(frozen=True)
class Wish:
    """What the user asked of a target. `bytes_wanted` None: all of a file, the default size of a scratch file."""

    name: str
    bytes_wanted: int | None = None
    direct: bool = True
    writes: bool = False
    prefill: bool = False
    destroy: tuple[str, ...] = ()
    """Devices that may be written whatever they hold, each as DEVICE=IDENTITY; those that name other devices do not matter."""
    _: KW_ONLY
    reads: bool = True
    """Whether anything is read: a device that nobody ever wrote to answers reads too fast, and only then does it matter."""
    while_in_use: bool = False
    """Whether storage that a running database uses is opened all the same, with a guard over it."""
    is_guarded: bool = True
    """Without it there is no guard: the load is within what those who use the storage may ask of it."""
    needs_data: bool = True
    """Whether what is read must have been written once. Without it zeros are read as well: how fast they come does not matter."""
    merge: bool = False
    stable: str = "file"
    """How durable a server is asked to make what the measured workload writes."""
    engine: str = AUTO
    depth: int = 1
    """I/Os that one job has in flight at most; a server may not take as many."""
    block_bytes: int = 512
    """Bytes of the largest of them."""
    path_timeout_s: float = PATH_TIMEOUT_S
    """How long a path to a server may be silent."""
    oranfstab: str | None = None
    """The file in which the server of the target is found."""
    seeks_leftovers: bool = True
    """Whether scratch files of earlier runs in a server's folder are named: those of another host look the same."""


@dataclass(frozen=True)
class Opened:
    """A target ready to be measured, and the permit when it may be written to."""

    target: Target
    permit: safety.WritePermit | None = None
    simulation: Simulation | None = None
    guard: Guard | None = None
    """Watches others on the device, where the load is to step up beside them."""

    @property
    def permits(self) -> tuple[safety.WritePermit, ...]:
        """What the engine is handed beside a plan."""
        return () if self.permit is None else (self.permit,)


def on_opened(plan: Plan, *made: Opened) -> Plan:
    """The same plan on these targets, and on what they simulate. Raises UsageError `option-idle`."""
    simulation = made[0].simulation
    if plan.merge and simulation is not None:
        message = "--merge would have no effect on a simulated target: there is no kernel in between"
        raise UsageError("option-idle", message, "Leave it out.")
    return plan.on(*(one.target for one in made)).but(simulation=simulation)


def permits_of(made: Iterable[Opened]) -> tuple[safety.WritePermit, ...]:
    """Those of all of them."""
    return tuple(permit for one in made for permit in one.permits)


@contextmanager
def opened(ctx: Context, wish: Wish) -> Iterator[Opened]:
    """The target, for as long as the block lasts; a scratch file in a folder is removed after it.

    Nothing is opened on storage that a running database uses, unless the wish says so: SafetyError `target-in-use-by-database`.
    Raises UsageError (`target-missing`, `target-too-small`, `target-unwritten`, `option-idle`), SafetyError and WorldError.
    """
    if wish.oranfstab is not None:
        wish = _on_server(wish)
    if simulation.is_simulated(wish.name):
        yield _simulated(wish)
        return
    if remote.is_remote(wish.name):
        with _remote(ctx, wish) as made:
            yield made
        return
    _check_name(wish.name)
    path = Path(wish.name)
    safety.check_confirmations(path, wish.destroy)
    check_is_there(path, wish.prefill)
    use = check_databases(path, wish.while_in_use)
    guard = _guard(ctx, path, use) if wish.while_in_use and wish.is_guarded else None
    with _opened_real(ctx, wish, path, guard) as made:
        notes = (*made.target.notes, *_notes_of_use(use))
        yield replace(made, target=made.target.model_copy(update={"notes": notes}), guard=guard)


def _on_server(wish: Wish) -> Wish:
    """The file of a server behind a path of this host, unless a running database here uses that. Raises SafetyError."""
    name = on_server(wish.name, wish.oranfstab)
    path = Path(wish.name)
    if path.exists():
        check_databases(path)
    return replace(wish, name=name)


@contextmanager
def _remote(ctx: Context, wish: Wish) -> Iterator[Opened]:
    """What cannot be is refused before a scratch file is filled, which may take hours."""
    remote.check_options(wish.prefill, bool(wish.destroy), wish.while_in_use, wish.direct, wish.merge)
    remote.check_stable(wish.stable, wish.writes)
    remote.check_engine(engine_for_servers(wish.engine), wish.name, wish.stable, wish.writes)
    load = remote.Load(wish.writes, wish.depth, wish.block_bytes, wish.path_timeout_s, wish.seeks_leftovers)
    found = remote.opened(ctx, wish.name, wish.bytes_wanted, load)
    with hints_for(wish.oranfstab, wish.name), found as (target, permit):
        if wish.reads:
            _check_contents(target)
        yield Opened(target, permit)


@contextmanager
def _opened_real(ctx: Context, wish: Wish, path: Path, guard: Guard | None) -> Iterator[Opened]:
    if os.path.isdir(path):
        with _scratch_file(ctx, wish, path, guard) as made:
            yield made
    elif safety.is_device(path) and (wish.writes or wish.prefill):
        with _writable_device(ctx, wish, path, guard) as made:
            yield made
    else:
        kept = _prefilled(ctx, wish, path, guard) if wish.prefill else _existing(wish, path)
        try:
            yield kept
        finally:
            if kept.permit is not None:
                safety.remember(kept.permit)


def check_is_there(path: Path, prefill: bool = False) -> None:
    """That there is something to load, or with `prefill` a folder for it. Raises UsageError `target-missing`.

    It goes before the look at databases: a name that was mistyped is not one of a database's disk.
    """
    try:
        (path.parent if prefill else path).stat()
    except FileNotFoundError as error:
        raise (_no_folder(path) if prefill else _missing(path)) from error
    except OSError:
        return


def check_databases(path: Path, while_in_use: bool = False) -> InUse:
    """Databases on the storage of a target that is about to be loaded. Raises SafetyError `target-in-use-by-database`."""
    use = databases_beneath(safety.real_path(path))
    if use.databases and not while_in_use:
        raise refuse(path, use)
    return use


def _guard(ctx: Context, path: Path, use: InUse) -> Guard:
    """The watch over what is beneath the target, once it has seen how others fare without us."""
    place = path if path.exists() else path.parent
    made = Guard(ctx.clock, devices.base_disks(place), tuple(one.words for one in use.databases))
    ctx.progress("guard", "looking how others on this storage fare without a load of ours")
    made.look(ctx.cancel)
    return made


def _notes_of_use(use: InUse) -> Iterator[Note]:
    if use.databases:
        yield Note(code="database-in-use", message=f"a running database uses the same storage: {use.words}")
    if use.unseen:
        yield Note(code="database-unseen", message=unseen_words(use.unseen))


def _fill(
    ctx: Context, path: Path, size: int, permit: safety.WritePermit, wish: Wish, guard: Guard | None
) -> None:
    if guard is None:
        fill(ctx, path, size, permit, direct=wish.direct)
    else:
        fill_gently(ctx, path, size, permit, wish.direct, guard)


def _check_name(name: str) -> None:
    """That there is one, and that the engine can be told it: it takes UTF-8. Raises UsageError `target-name`, WorldError."""
    remote.check_name(name)
    if not name:
        raise UsageError("target-name", "the name of the target is empty", "Write . for the current folder.")
    real = str(safety.real_path(name))
    if encodable(real) != real:
        hint = (
            "Give it another name, or make the folder that it lies in reachable by one, as with mount --bind."
        )
        raise UsageError("target-name", f"cannot measure {encodable(real)}: its name is not UTF-8", hint)


def _simulated(wish: Wish) -> Opened:
    without = (
        ("--prefill", wish.prefill), ("--destroy", wish.destroy), ("--while-in-use", wish.while_in_use),
    )  # fmt: skip
    idle = [name for name, value in without if value]
    if idle:
        message = f"{' and '.join(idle)} would have no effect on a simulated target"
        raise UsageError("option-idle", message, "Leave it out.")
    model = simulation.parse_simulation(wish.name)
    target = Target(
        name=wish.name,
        kind="simulated",
        path=wish.name,
        span_bytes=wish.bytes_wanted or simulation.span_bytes(wish.name),
        ours=True,
    )
    return Opened(target, simulation=model)


@contextmanager
def _scratch_file(ctx: Context, wish: Wish, folder: Path, guard: Guard | None) -> Iterator[Opened]:
    size = _size_of_new(wish)
    _check_room(folder, size)
    path = ctx.scratch.new_file(folder, "scratch", ".dat")
    try:
        permit = safety.permit_scratch(path, ctx.scratch)
        _fill(ctx, path, size, permit, wish, guard)
        yield Opened(_describe(wish, path, "scratch", size, ours=True), permit)
    finally:
        ctx.scratch.release(path)


def _size_of_new(wish: Wish) -> int:
    size = wish.bytes_wanted or (GENTLE_SCRATCH_BYTES if wish.while_in_use else DEFAULT_SCRATCH_BYTES)
    if size < NEW_FILE_BYTES_MIN:
        raise UsageError(
            "target-too-small",
            f"a file of {format_bytes(size)} was asked for; at least {format_bytes(NEW_FILE_BYTES_MIN)} are needed",
            "Ask for more with --size, such as 1g.",
        )
    return size


def _prefilled(ctx: Context, wish: Wish, path: Path, guard: Guard | None) -> Opened:
    """A new file of ours at the path that the user named; it stays, so that it can be measured again.

    It is filled as a scratch file beside it, so that a fill that was killed leaves nothing, and named when it is whole.
    """
    size = _size_of_new(wish)
    safety.check_new(path)
    if not os.path.isdir(path.parent):
        raise _no_folder(path)
    _check_room(path.parent, size)
    made = ctx.scratch.new_file(path.parent, "prefill", ".dat")
    try:
        permit = safety.permit_scratch(made, ctx.scratch)
        _fill(ctx, made, size, permit, wish, guard)
        permit = safety.keep(permit, path)
    finally:
        ctx.scratch.release(made)
    target = _describe(wish, path, "file", size, ours=True)
    if not safety.remember(permit):
        target = target.model_copy(update={"notes": (*target.notes, _NO_MARKS)})
    return Opened(target, permit)


@contextmanager
def _writable_device(ctx: Context, wish: Wish, path: Path, guard: Guard | None) -> Iterator[Opened]:
    """A device that the gate lets us write to, held as long as the block lasts; with `prefill` written in full first."""
    span = _span(wish, path)[1]
    with safety.permit_device(ctx, path, wish.prefill, wish.destroy) as permit:
        notes: tuple[Note, ...] = ()
        if wish.prefill:
            _fill(ctx, safety.real_path(path), span, permit, wish, guard)
            notes = (_device_filled(path),)
        target = _describe(wish, path, "device", span, ours=False)
        if wish.reads:
            _check_contents(target)
        yield Opened(target.model_copy(update={"notes": (*target.notes, *notes)}), permit)


@contextmanager
def opened_empty(ctx: Context, wish: Wish) -> Iterator[Opened]:
    """A new device, every byte of which is zero; nothing is written to it yet, and it is held as long as the block lasts.

    Raises UsageError `nfs-unfit`, `fill-unfit`, `target-missing`; SafetyError as `permit_device` does, without a way to confirm
    what it holds.
    """
    remote.refuse("--fill", wish.name)
    path = Path(wish.name)
    if not simulation.is_simulated(wish.name):
        check_is_there(path)
    if simulation.is_simulated(wish.name) or not safety.is_device(path):
        raise UsageError(
            "fill-unfit",
            f"{wish.name} is no block device, and levels of fill are a device's",
            "Name a device that is empty.",
        )
    check_databases(path)
    span = _span(wish, path)[1]
    with ExitStack() as held:
        try:
            permit = held.enter_context(safety.permit_device(ctx, path, prefill=True))
        except SafetyError as error:
            if error.id == "device-not-empty":
                error.hint = (
                    f"Levels of fill begin with an empty device. If all that {path} holds may be lost, blkdiscard {path} empties"
                    " it, where the device gives back zeros after that."
                )
            raise
        yield Opened(_describe(wish, path, "device", span, ours=False), permit)


def _device_filled(path: Path) -> Note:
    message = (
        f"{path} now holds random data, and no mark can be put on a device that says whose: later commands read it, and"
        f" write to it with --destroy {path}=IDENTITY"
    )
    return Note(code="device-filled", message=message)


def _existing(wish: Wish, path: Path) -> Opened:
    permit = safety.permit(path) if wish.writes else None
    kind, span = _span(wish, path)
    target = _describe(wish, path, kind, span, ours=permit is not None)
    if wish.needs_data:
        _check_contents(target)
    return Opened(target, permit)


def _span(wish: Wish, path: Path) -> tuple[Any, int]:
    """Kind, and bytes to move about in. Raises UsageError `target-too-small`."""
    kind, size = _look_at(path)
    span = min(wish.bytes_wanted or size, size)
    if wish.bytes_wanted is not None and wish.bytes_wanted > size:
        raise UsageError(
            "target-too-small",
            f"{path} holds {format_bytes(size)}, but --size asks for {format_bytes(wish.bytes_wanted)}",
            "Ask for less, or name a folder: a scratch file of that size is made in it.",
        )
    if span < TARGET_BYTES_MIN:
        raise UsageError(
            "target-too-small",
            f"{path} offers {format_bytes(span)}; at least {format_bytes(TARGET_BYTES_MIN)} are needed",
            "A small target fits into caches on the way. Name a larger one, or a folder for a scratch file.",
        )
    return kind, span


def _look_at(path: Path) -> tuple[Any, int]:
    """Kind and size. The kind is looked at first: opening a pipe would wait for its other end."""
    try:
        kind = _KINDS.get(stat.S_IFMT(path.stat().st_mode))
        if kind is None:
            raise UsageError(
                "target-odd", f"{path} is neither file, folder nor block device", "Name one of those."
            )
        with open(path, "rb") as file:
            return kind, file.seek(0, os.SEEK_END)
    except FileNotFoundError as error:
        raise _missing(path) from error
    except PermissionError as error:
        hint = "Devices are readable for root and group disk; files need read permission."
        raise world_error("target-forbidden", f"open {path} for reading", error, hint) from error
    except OSError as error:
        hint = f"Look at it with ls -l {path}, and name what can be read."
        raise world_error("target-unreadable", f"open {path} for reading", error, hint) from error


def _no_folder(path: Path) -> UsageError:
    return UsageError(
        "target-missing", f"there is no folder {path.parent}", "Make it first, or name another place."
    )


def _missing(path: Path) -> UsageError:
    return UsageError(
        "target-missing",
        f"there is no {path}",
        f"Name a folder (a scratch file is made in it and removed), or make a file that stays: plimsoll io {path}"
        " --prefill --size 1g.",
    )


def _describe(wish: Wish, path: Path, kind: Any, span: int, ours: bool) -> Target:
    real = safety.real_path(path)
    found = _inspect(real)
    mounted = filesystems.file_system(real) if kind != "device" else None
    return Target(
        name=wish.name,
        kind=kind,
        path=str(real),
        span_bytes=span,
        ours=ours,
        direct_alignment_bytes=found["direct_alignment_bytes"],
        direct_error=found["direct_error"],
        file_system=mounted,
        device=devices.block_device(real),
        contents=Contents(
            size_bytes=found["size_bytes"],
            hole_bytes=found["hole_bytes"],
            unwritten_bytes=found["unwritten_bytes"],
            samples=found["samples"],
            zero_samples=found["zero_samples"],
            duplicate_samples=found["duplicate_samples"],
            method=found["method"],
        ),
        notes=(*_doubts(wish, found), *mount_options.notes_of(mounted)),
    )


def _inspect(path: Path) -> Mapping[str, Any]:
    with engine_errors():
        return inspect_file(str(path), _SAMPLES)


def _doubts(wish: Wish, found: Mapping[str, Any]) -> Iterator[Note]:
    if not wish.direct:
        message = "direct I/O was turned off (--no-direct): the page cache may have answered, faster than the storage"
        yield Note(code="page-cache", message=message)
    copies, samples = found["duplicate_samples"], found["samples"]
    if copies > samples // 10:
        message = f"{copies} of {samples} sampled blocks are copies of one another"
        yield Note(
            code="duplicate-data", message=f"{message}: storage that deduplicates reads them from memory"
        )


def _check_contents(target: Target) -> None:
    """Refuses a target that was never written: its reads would not reach the storage."""
    holds = target.contents
    assert holds is not None, "a real target has been looked at"
    hollow = (holds.hole_bytes or 0) + (holds.unwritten_bytes or 0)
    if hollow > _ZERO_SHARE_MAX * holds.size_bytes:
        words = f"{format_bytes(hollow)} of its {format_bytes(holds.size_bytes)} were never written"
    elif holds.zero_samples > _ZERO_SHARE_MAX * holds.samples:
        words = f"{holds.zero_samples} of {holds.samples} sampled blocks hold nothing but zeros"
    else:
        return
    way = {"device": _FILL_DEVICE, "remote": _ITS_FOLDER}.get(target.kind, _NEW_FILE)
    raise UsageError(
        "target-unwritten",
        f"{target.path} cannot be measured by reading: {words}",
        f"Such blocks are answered without touching the storage, at times 12 times too fast. {way}",
    )


def _check_room(folder: Path, size: int) -> None:
    check_room(str(folder), files.free_bytes(folder), size)
