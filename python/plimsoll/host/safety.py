"""The one gate for writing: nothing is written to a file or device but with a WritePermit, and only this file grants one.

Two kinds of file are ours: scratch files, which the scratch journal announced and whose names carry its token; and files
that `--prefill` made, which carry a mark of ours as an extended attribute, naming the very inode. Everything else, and every
device, is refused. The engine compares device and inode again after it has opened the file, so a path that was swapped in
between is not written to.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from plimsoll.base.errors import SafetyError, UsageError, world_error
from plimsoll.ports import files

_MARK = "user.plimsoll.made"
_SCRATCH_PREFIX = "plimsoll-"
_NEW_NAME = "Name a folder (a scratch file is made in it), or a new file with --prefill."
_KEY = object()


class WritePermit:
    """Leave to write to one file: the one with this device and inode number. Made by this module alone."""

    __slots__ = ("_device", "_inode", "_path")

    def __init__(self, path: Path, state: os.stat_result, key: object) -> None:
        if key is not _KEY:
            raise TypeError("a WritePermit is granted by plimsoll.host.safety alone")
        self._path, self._device, self._inode = str(path), state.st_dev, state.st_ino

    @property
    def path(self) -> str:
        """The file's absolute path."""
        return self._path

    @property
    def device(self) -> int:
        """Device number of the file system that holds it."""
        return self._device

    @property
    def inode(self) -> int:
        """Its inode number there."""
        return self._inode


def permit_scratch(path: Path) -> WritePermit:
    """For a scratch file of this command. Raises SafetyError `not-scratch`."""
    state = _own_plain_file(path)
    if state is None or not path.name.startswith(_SCRATCH_PREFIX):
        raise SafetyError(
            "not-scratch", f"{path} is not a scratch file of ours, so it is not written to", _NEW_NAME
        )
    return WritePermit(path.absolute(), state, _KEY)


def create_kept_file(path: Path) -> WritePermit:
    """Makes a new empty file that stays, marked as ours. Raises SafetyError `file-exists`, WorldError `target-refused`."""
    try:
        state = files.create_empty(path)
    except FileExistsError as error:
        hint = "Files are never overwritten. Name a new one, or measure this one without --prefill."
        raise SafetyError("file-exists", f"{path} exists already", hint) from error
    except OSError as error:
        raise world_error("target-refused", f"make {path}", error, _NEW_NAME) from error
    files.set_attribute(path, _MARK, str(state.st_ino))
    return WritePermit(path.absolute(), state, _KEY)


def permit(path: Path, confirmation: str | None = None) -> WritePermit:
    """For a target that was there before. Raises SafetyError `device-write-refused` or `foreign-file-refused`.

    `confirmation` is the identity that the user gave for a device; no device is granted in this release, whatever it says.
    """
    state = _state(path)
    if not stat.S_ISREG(state.st_mode):
        raise SafetyError(
            "device-write-refused",
            f"{path} is a device; this release only reads devices"
            + ("" if confirmation is None else ", also when confirmed"),
            "Measure it with a workload that reads. " + _NEW_NAME,
        )
    if _own_plain_file(path) is None or files.get_attribute(path, _MARK) != str(state.st_ino):
        raise SafetyError(
            "foreign-file-refused",
            f"{path} was not made by plimsoll, so it is not written to",
            "Measure it with a workload that reads. " + _NEW_NAME,
        )
    return WritePermit(path.absolute(), state, _KEY)


def _own_plain_file(path: Path) -> os.stat_result | None:
    """State of a regular file, no link, that belongs to us under one name; None for anything else."""
    state = _state(path, follow=False)
    plain = stat.S_ISREG(state.st_mode) and state.st_nlink == 1 and state.st_uid == os.geteuid()
    return state if plain else None


def _state(path: Path, follow: bool = True) -> os.stat_result:
    try:
        return path.stat() if follow else path.lstat()
    except FileNotFoundError as error:
        raise UsageError("target-missing", f"there is no {path}", _NEW_NAME) from error
    except OSError as error:
        raise world_error("target-forbidden", f"look at {path}", error) from error
