"""The one gate for writing: nothing is written to a file or device but with a WritePermit, and only this file grants one.

Two kinds of file are ours: scratch files, which this command's own scratch has made; and files that `--prefill` made and the
user keeps. These carry a mark, an extended attribute with inode number, size and time of the last change as they were when
we had last written: a copy, a file that took its place, and one into which somebody else has written since, are not ours.
Everything else, and every device, is refused. The engine compares device and inode again after it has opened the file, so a
path that was swapped in between is not written to.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any, NoReturn

from plimsoll.base.errors import PlimsollError, SafetyError, UsageError, world_error
from plimsoll.context import Scratch
from plimsoll.ports import files

_MARK = "user.plimsoll.made"
_MARK_VERSION = "1"
_NEW_NAME = "Name a folder (a scratch file is made in it), or a new file with --prefill."
_READ_ONLY = f"Measure it with a workload that reads. {_NEW_NAME}"
_KEY = object()


class WritePermit:
    """Leave to write to one file: the one with this device and inode number. Made by this module alone; frozen."""

    __slots__ = ("device", "inode", "path")

    path: str
    """The file's absolute path."""
    device: int
    """Device number of the file system that holds it."""
    inode: int
    """Its inode number there."""

    def __init__(self, path: Path, state: os.stat_result, key: object) -> None:
        if key is not _KEY:
            raise TypeError("a WritePermit is granted by plimsoll.host.safety alone")
        for name, value in (("path", str(path)), ("device", state.st_dev), ("inode", state.st_ino)):
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


def permit(path: Path, confirmation: str | None = None) -> WritePermit:
    """For a target that was there before: a file that we made and nobody else has written to.

    Raises SafetyError `device-write-refused`, `foreign-file-refused`; UsageError `target-missing`. `confirmation` is the
    identity that the user gave for a device; no device is granted in this release, whatever it says.
    """
    if not stat.S_ISREG(_state(path).st_mode):
        raise _not_a_file(path, confirmation)
    state = _state(path, follow=False)
    reason = _odd(state) or _unlike_its_mark(path, state)
    if reason is not None:
        raise SafetyError("foreign-file-refused", f"{path} is not written to, because {reason}", _READ_ONLY)
    return WritePermit(path.absolute(), state, _KEY)


def check_new(path: Path) -> None:
    """That `--prefill` may make a file of this name, because there is nothing yet.

    Raises SafetyError `file-exists`, `device-write-refused`: what a device or file holds is not looked at, zeros included.
    """
    if not os.path.lexists(path):
        return
    if path.exists() and not path.is_file() and not path.is_dir():
        raise _not_a_file(path, None)
    raise _taken(path)


def keep(made: WritePermit, path: Path) -> WritePermit:
    """Gives a scratch file that was filled the name under which the user keeps it. To be followed by `remember`.

    Raises SafetyError `file-exists` when something has taken the name meanwhile, WorldError `target-refused`.
    """
    try:
        files.publish(Path(made.path), path)
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
        state = path.lstat()
    except OSError:
        return False
    if (state.st_dev, state.st_ino) != (kept.device, kept.inode):
        return False
    return files.set_attribute(path, _MARK, _mark(state))


def _mark(state: os.stat_result) -> str:
    """What the mark of a file in this state says. Setting it changes none of this."""
    return f"{_MARK_VERSION} inode={state.st_ino} bytes={state.st_size} modified_ns={state.st_mtime_ns}"


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


def _not_a_file(path: Path, confirmation: str | None) -> SafetyError:
    if not stat.S_ISBLK(_state(path).st_mode):
        return SafetyError(
            "foreign-file-refused", f"{path} is not written to, because it is not a plain file", _NEW_NAME
        )
    insisted = "" if confirmation is None else ", also when confirmed"
    message = f"{path} is a block device, and this release only reads those{insisted}"
    return SafetyError("device-write-refused", message, _READ_ONLY)


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
