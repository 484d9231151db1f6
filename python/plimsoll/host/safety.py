"""The one gate for writing: nothing is written to a file or device but with a WritePermit, and only this file grants one.

Three kinds of file are ours: scratch files, which this command's own scratch has made; files that `--prefill` made and the
user keeps; and disks of the laboratory, which are there as long as `lab disk` serves them. The last two carry a mark, an
extended attribute with inode number, size and time of the last change as they were when we had last written: a copy, a file
that took its place, and one into which somebody else has written since, are not ours. Every other file is refused.

A device is granted in two cases, and in neither while anybody uses it: for `--prefill`, when every byte of it is zero; and
with `--destroy`, when name and identity both are those of this device. It is held exclusively from the first look until the
permit is given back, so that nothing is mounted on it or built on it meanwhile.

On a server a file is granted only when it was made here a moment ago under a name that was free: nothing there shows whose an older
one is.

The engine compares device, inode and, of a device node, the number of the device behind it again after it has opened the path,
so one that was swapped in between is not written to.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, Protocol

from plimsoll.base.errors import PlimsollError, SafetyError, UsageError, world_error
from plimsoll.base.limits import DEVICE_BUSY_TRIES
from plimsoll.base.units import format_bytes
from plimsoll.context import Context, Scratch
from plimsoll.host import devices
from plimsoll.host.blank import Ends, first_byte_between, look_at_ends
from plimsoll.host.blkid import type_by_blkid
from plimsoll.host.identities import Confirmation, Identity, identities, parse_confirmation
from plimsoll.host.uses import relatives, uses
from plimsoll.native import remote
from plimsoll.native.errors import engine_errors
from plimsoll.ports import files
from plimsoll.ports.folders import open_folder
from plimsoll.ports.raw import RawDevice, hold_device

_MARK = "user.plimsoll.made"
_MARK_VERSION = "1"
_NEW_NAME = "Name a folder (a scratch file is made in it), or a new file with --prefill."
_READ_ONLY = f"Measure it with a workload that reads. {_NEW_NAME}"
_LISTS = "lsblk -o NAME,MODEL,SERIAL,WWN and ls -l /dev/disk/by-id show them, losetup --list the file of a loop device"
_UNKNOWN_HOLDER = (
    "something holds it exclusively: a mount elsewhere, RAID, LVM, ZFS, another program,"
    " or this command by another target"
)
_BUSY_WAIT_S = 0.25
_KEY = object()


class ServedFile(Protocol):
    """A file of a file system that this process serves from its own memory."""

    def identity(self) -> tuple[int, int, int]:
        """Inode number, size in bytes, and when it was last written to in nanoseconds since 1970."""
        ...

    def set_attribute(self, name: str, value: str) -> None: ...


class _Numbers(Protocol):
    """What names a file or device, as stat(2) tells it."""

    @property
    def st_dev(self) -> int: ...
    @property
    def st_ino(self) -> int: ...
    @property
    def st_rdev(self) -> int: ...


@dataclass(frozen=True)
class _RemoteNumbers:
    """Of a file of a server: its file system and the file."""

    st_dev: int
    st_ino: int
    st_rdev: int = 0


class WritePermit:
    """Leave to write to one file or device: the one with this device and inode number. Made by this module alone; frozen."""

    __slots__ = ("device", "inode", "number", "path")

    path: str
    """The file's absolute path."""
    device: int
    """Device number of the file system that holds it."""
    inode: int
    """Its inode number there."""
    number: int
    """For a device node the number of the device behind it (`st_rdev`); 0 for a file."""

    def __init__(self, path: Path | str, state: _Numbers, key: object) -> None:
        if key is not _KEY:
            raise TypeError("a WritePermit is granted by plimsoll.host.safety alone")
        values = {"path": str(path), "device": state.st_dev, "inode": state.st_ino, "number": state.st_rdev}
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("a WritePermit cannot be changed")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError("a WritePermit cannot be changed")

    def __init_subclass__(cls) -> NoReturn:
        raise TypeError("a WritePermit has no other kinds")

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError("a WritePermit is neither copied nor sent elsewhere")

    def __repr__(self) -> str:
        return f"WritePermit({self.path}, device {self.device}, inode {self.inode})"


def permit_scratch(path: Path, scratch: Scratch) -> WritePermit:
    """For a file that this scratch has made and that is still the same. Raises SafetyError `not-scratch`."""
    state = _state(path, follow=False)
    if scratch.identity(path) != (state.st_dev, state.st_ino) or _odd(state) is not None:
        raise SafetyError("not-scratch", f"{path} is not a scratch file of this command", _NEW_NAME)
    return WritePermit(path, state, _KEY)


def permit_new_remote(url: str) -> WritePermit:
    """Makes a file of ours on a server where there was none of that name, for that very file alone.

    Raises what the server refuses: WorldError `nfs-exists`, `nfs-forbidden` and others.
    """
    with engine_errors():
        file_system, file = remote.create(url)
    return WritePermit(url, _RemoteNumbers(file_system, file), _KEY)


def permit(path: Path) -> WritePermit:
    """For a file that was there before: one that we made and nobody else has written to.

    Raises SafetyError `foreign-file-refused`; UsageError `target-missing`. Devices have `permit_device`.
    """
    state = _state(path, follow=False)
    if not stat.S_ISREG(_state(path).st_mode):
        raise _not_a_file(path)
    reason = _odd(state) or _unlike_its_mark(path, state)
    if reason is not None:
        raise SafetyError("foreign-file-refused", f"{path} is not written to, because {reason}", _READ_ONLY)
    return WritePermit(path.absolute(), state, _KEY)


def is_device(path: Path) -> bool:
    """Whether it is a block device, or leads to one."""
    return files.device_number(path) is not None


def real_path(path: Path | str) -> Path:
    """Where a name leads. Raises WorldError `target-unreadable` for one that is a link at one moment and none at the next."""
    try:
        return Path(os.path.realpath(path))
    except OSError as error:
        hint = "Something changes what the name leads to. Name a place that stays as it is."
        raise world_error("target-unreadable", f"follow {path}", error, hint) from error


def check_confirmations(path: Path, destroy: Sequence[str]) -> None:
    """That each `--destroy` can be read, and that none names this target if it is no device: no file is ever given up.

    Raises SafetyError `destroy-not-a-device`, UsageError `destroy-unreadable`, WorldError `target-unreadable`.
    """
    for confirmed in map(parse_confirmation, destroy):
        if not is_device(path) and real_path(confirmed.name) == real_path(path):
            raise SafetyError(
                "destroy-not-a-device",
                f"{path} is no block device, and only those are given up with --destroy",
                f"Files are never overwritten. {_NEW_NAME}",
            )


@contextmanager
def permit_device(
    ctx: Context, path: Path, prefill: bool = False, destroy: Sequence[str] = ()
) -> Iterator[WritePermit]:
    """For a block device, which is held exclusively until the block ends.

    Granted with `prefill` when it is unused and every byte is zero; with its name and identity in `destroy` when it is unused.
    Raises SafetyError `device-in-use`, `device-read-only`, `device-not-confirmed`, `device-not-empty`, `destroy-mismatch`,
    `destroy-no-identity`, `destroy-declined`; UsageError `destroy-unreadable`; WorldError `target-unreadable`,
    `target-forbidden`; Interrupted.
    """
    real = real_path(path)
    confirmations = [parse_confirmation(text) for text in destroy]
    with _held(ctx, real) as device:
        number = device.state.st_rdev
        mine = [one for one in confirmations if files.device_number(one.name) == number]
        if mine:
            _check_identity(real, mine, identities(real))
            _ask(ctx, real, device)
        else:
            _check_blank(ctx, real, device, prefill, confirmations)
        yield WritePermit(real, device.state, _KEY)


@contextmanager
def _held(ctx: Context, path: Path) -> Iterator[RawDevice]:
    """The device, once nobody uses it; what only looks at it for a moment, such as udev, is waited for."""
    if devices.is_read_only(os.stat(path).st_rdev):
        raise SafetyError(
            "device-read-only", f"{path} is read-only", "Measure it with a workload that reads."
        )
    with ExitStack() as held:
        try:
            device = held.enter_context(hold_device(path))
        except OSError as error:
            raise _not_to_be_held(path, error) from error
        _check_unused(ctx, path, device)
        yield device


def _not_to_be_held(path: Path, error: OSError) -> PlimsollError:
    if error.errno != errno.EBUSY:
        hint = "Devices are readable for root and group disk; look at it with lsblk."
        return world_error("target-forbidden", f"open {path}", error, hint)
    known = uses(os.stat(path).st_rdev)
    return _in_use(path, known or (_UNKNOWN_HOLDER,))


def _check_unused(ctx: Context, path: Path, device: RawDevice) -> None:
    ctx.progress("safety", f"looking who uses {path}")
    used = uses(device.state.st_rdev)
    for _ in range(DEVICE_BUSY_TRIES - 1):
        if not used:
            return
        ctx.clock.sleep(_BUSY_WAIT_S)
        used = uses(device.state.st_rdev)
    if used:
        raise _in_use(path, used)


def _in_use(path: Path, used: Sequence[str]) -> SafetyError:
    hint = (
        "A device in use is never written to, also when confirmed. End that use first (lsblk and fuser -v show more), or name a"
        " folder on it for a scratch file."
    )
    return SafetyError("device-in-use", f"{path} is not written to, because {'; '.join(used)}", hint)


def _check_identity(path: Path, said: Sequence[Confirmation], has: Sequence[Identity]) -> None:
    """Name and identity must agree, in each of the confirmations that name this device."""
    if not has:
        raise SafetyError(
            "destroy-no-identity",
            f"{path} has neither serial, WWN, dm-uuid nor a name in /dev/disk/by-id, so that nothing confirms it",
            f"It can be written only while all of it is zero, with --prefill. {_NEW_NAME}",
        )
    for one in said:
        if not any(identity.is_meant_by(one.identity) for identity in has):
            raise SafetyError(
                "destroy-mismatch",
                f"{path} is not '{one.identity}'; it has {', '.join(f'{its.kind} {its.value}' for its in has)}",
                "Make sure that you mean this device: its name may have gone to another one. Then give one of these"
                f" identities: --destroy {path}=IDENTITY.",
            )


def _ask(ctx: Context, path: Path, device: RawDevice) -> None:
    """Says what will be lost, and lets the person at the terminal type the device's name."""
    holds = look_at_ends(device, str(path)).words or "nothing in its first and last 4 MiB"
    answer = ctx.ask(
        f"{path}, {format_bytes(device.size_bytes)}, holds {holds}.\n"
        f"All of it will be lost. Type {path.name} to go on: "
    )
    if answer is None:
        ctx.remark(
            "safety", f"{path} was confirmed with --destroy and holds {holds}; that is given up", warning=True
        )
    elif answer not in (path.name, str(path)):
        raise SafetyError(
            "destroy-declined",
            f"{path} is not written to, because '{answer}' was typed and not {path.name}",
            "Give the same command again, and type the name.",
        )
    ctx.cancel.check()


def _check_blank(
    ctx: Context, path: Path, device: RawDevice, prefill: bool, others: Sequence[Confirmation]
) -> None:
    """That it is a new device, every byte of it: the only one that is written to without being confirmed."""
    known = relatives(device.state.st_rdev)
    if known.paths:
        reason = f"it is one of several paths to one unit, with {', '.join(known.paths)}"
        raise _not_empty(path, reason, others)
    if known.partitions:
        raise _not_empty(path, f"it is partitioned into {', '.join(known.partitions)}", others)
    found = _contents(path, look_at_ends(device, str(path)))
    if found is not None:
        raise _not_empty(path, f"it holds {found}", others)
    if not prefill:
        error = SafetyError(
            "device-not-confirmed",
            f"{path} is a block device that nobody confirmed; its first and last 4 MiB are zero, the rest was not looked at",
            f"If it is new, plimsoll io {path} --prefill looks at all of it, and when every byte is zero, writes it in full. Else"
            f" confirm this very device: --destroy {path}=IDENTITY ({_LISTS}).",
        )
        raise _naming(others, error)
    first = first_byte_between(ctx, device, str(path))
    if first is not None:
        raise _not_empty(path, f"it holds data (byte {first:,} is not zero)", others)


def _contents(path: Path, ends: Ends) -> str | None:
    """In words; where our own table has no name for what is there, blkid may have one."""
    if ends.words is None or ends.signatures:
        return ends.words
    other = type_by_blkid(path)
    return ends.words if other is None else f"{ends.words}, which blkid takes for {other}"


def _not_empty(path: Path, reason: str, others: Sequence[Confirmation]) -> SafetyError:
    error = SafetyError(
        "device-not-empty",
        f"{path} is not written to, because {reason}",
        f"If all that it holds may be lost, confirm this very device: --destroy {path}=IDENTITY, with its serial, WWN, dm-uuid or"
        f" by-id name ({_LISTS}).",
    )
    return _naming(others, error)


def _naming(others: Sequence[Confirmation], error: SafetyError) -> SafetyError:
    """The same error with a word on `--destroy` options that name something else: a slip, more likely than not."""
    if others:
        named = ", ".join(one.name for one in others)
        error.hint = f"--destroy names {named}, which is another device. {error.hint}"
    return error


def check_new(path: Path) -> None:
    """That `--prefill` may make a file of this name, because there is nothing yet.

    Raises SafetyError `file-exists`, `foreign-file-refused`: what a file holds is not looked at, zeros included.
    """
    if not os.path.lexists(path):
        return
    if path.exists() and not path.is_file() and not path.is_dir():
        raise _not_a_file(path)
    raise _taken(path)


def keep(made: WritePermit, path: Path) -> WritePermit:
    """Gives a scratch file that was filled the name under which the user keeps it. To be followed by `remember`.

    Raises SafetyError `file-exists` when something has taken the name meanwhile, WorldError `target-refused`.
    """
    try:
        files.publish(Path(made.path), path.name)
    except FileExistsError as error:
        raise _taken(path) from error
    except OSError as error:
        raise world_error("target-refused", f"make {path}", error, _NEW_NAME) from error
    state = _state(path, follow=False)
    if (state.st_dev, state.st_ino) != (made.device, made.inode):
        raise _taken(path)
    return WritePermit(path.absolute(), state, _KEY)


def remember(kept: WritePermit) -> bool:
    """Marks the file as we leave it, after each time that we wrote. False where the file system keeps no marks.

    Without this the next command takes our own writing for somebody else's, and refuses.
    """
    path = Path(kept.path)
    try:
        with open_folder(path.parent) as folder, folder.open_file(path.name) as file:
            state = os.fstat(file.fileno())
            if (state.st_dev, state.st_ino) != (kept.device, kept.inode):
                return False
            return files.set_attribute(file, _MARK, _mark(state))
    except OSError:
        return False


def mark_served(disk: ServedFile) -> None:
    """Marks a disk that this process serves itself, without a word to the kernel: nobody's data is on it.

    Through its mount it would be a request of this process to itself, and one that is killed meanwhile never ends.
    """
    disk.set_attribute(_MARK, _mark_text(*disk.identity()))


def _mark(state: os.stat_result) -> str:
    """What the mark of a file in this state says. Setting it changes none of this."""
    return _mark_text(state.st_ino, state.st_size, state.st_mtime_ns)


def _mark_text(inode: int, size_bytes: int, modified_ns: int) -> str:
    return f"{_MARK_VERSION} inode={inode} bytes={size_bytes} modified_ns={modified_ns}"


def _odd(state: os.stat_result) -> str | None:
    """Why something cannot be a file of ours, whatever its mark says; None when it can."""
    if stat.S_ISLNK(state.st_mode):
        return "it is a symbolic link"
    if not stat.S_ISREG(state.st_mode):
        return "it is not a plain file"
    if state.st_nlink != 1:
        return f"it has {state.st_nlink} names, and one of them may be somebody else's"
    if state.st_uid != os.geteuid():
        return "it belongs to another user"
    return None


def _unlike_its_mark(path: Path, state: os.stat_result) -> str | None:
    mark = files.get_attribute(path, _MARK)
    if mark is None:
        return "plimsoll did not make it, or its file system keeps no marks"
    if mark == _mark(state):
        return None
    if f" inode={state.st_ino} " not in mark:
        return "it is a copy of a file that plimsoll made"
    return "something else has written to it since plimsoll did, or plimsoll was killed while writing"


def _not_a_file(path: Path) -> SafetyError:
    return SafetyError(
        "foreign-file-refused", f"{path} is not written to, because it is not a plain file", _NEW_NAME
    )


def _taken(path: Path) -> SafetyError:
    hint = "Files are never overwritten. Name a new one, or measure this one without --prefill."
    return SafetyError("file-exists", f"{path} exists already", hint)


def _state(path: Path, follow: bool = True) -> os.stat_result:
    try:
        return path.stat() if follow else path.lstat()
    except FileNotFoundError as error:
        raise UsageError("target-missing", f"there is no {path}", _NEW_NAME) from error
    except OSError as error:
        raise _forbidden(path, error) from error


def _forbidden(path: Path, error: OSError) -> PlimsollError:
    return world_error(
        "target-forbidden", f"look at {path}", error, "Run as a user who may enter that folder."
    )
