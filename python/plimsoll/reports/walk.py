"""From what was named to the files to read: folders in the order of their names, each folder once, loops found and named."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from plimsoll.base.errors import PlimsollError, WorldError, world_error
from plimsoll.base.limits import FOLDER_DEPTH_MAX
from plimsoll.base.printable import encodable
from plimsoll.ports import files

OWN_MARK = "plimsoll-reports.json"
"""Lies in every folder that `plimsoll read --out` wrote: such a folder is not read again."""

_HINT = "Name a file or folder that you can read."
_FOLDER_HINT = "Have its owner let you read it and go into it: how many reports are in it is not known, and none is read."
_NOT_THERE = (errno.ENOENT, errno.ENOTDIR)

_Identity = tuple[int, int]
"""Device and inode number: two names with one identity are one folder."""


@dataclass(frozen=True)
class Entry:
    """A file that was found, or a name under which nothing can be read, with the reason."""

    path: Path
    size_bytes: int = 0
    named: bool = False
    """Whether the command named this very file, not a folder that it lies in."""
    error: PlimsollError | None = None
    unopened: bool = False
    """Whether the system did not let us in, or had nothing of that name."""
    is_input: bool = False
    """Whether it is standard input, named `-`."""


@dataclass
class Walk:
    """One walk over what was named. `passed_over` counts what was left alone on purpose: hidden names, and our own results."""

    paths: Sequence[Path]
    passed_over: int = 0
    _seen: set[_Identity] = field(default_factory=set)

    def entries(self) -> Iterator[Entry]:
        """Everything that was named, in order."""
        has_input = False
        for path in self.paths:
            if not files.is_standard_input(path):
                yield from self._at(path, (), named=True)
            elif not has_input:
                # What was read is gone: named twice, it is read once.
                has_input = True
                yield Entry(path, named=True, is_input=True)

    def leads_to(self, path: Path) -> bool:
        """Whether it is one of the folders that were walked through, or lies in one, be it there by now or not."""
        real = Path(os.path.realpath(path))
        return any(
            identity in self._seen for folder in (real, *real.parents) for identity in _identities(folder)
        )

    def _at(self, path: Path, above: tuple[_Identity, ...], named: bool = False) -> Iterator[Entry]:
        try:
            state = os.stat(path)
        except OSError as error:
            yield _refused(path, _cannot_reach(path, error), unopened=named)
            return
        if stat.S_ISDIR(state.st_mode):
            yield from self._folder(path, (state.st_dev, state.st_ino), above)
        else:
            yield Entry(path, state.st_size, named)

    def _folder(self, path: Path, own: _Identity, above: tuple[_Identity, ...]) -> Iterator[Entry]:
        if own in above:
            message = f"{shown(path)} leads back to a folder that it lies in"
            yield _refused(
                path, WorldError("report-loop", message, "Remove the link, or name folders below it.")
            )
        elif len(above) >= FOLDER_DEPTH_MAX:
            message = f"{shown(path)} lies more than {FOLDER_DEPTH_MAX} folders deep"
            yield _refused(path, WorldError("report-too-deep", message, "Name this folder itself."))
        elif own not in self._seen:
            self._seen.add(own)
            yield from self._inside(path, (*above, own))

    def _inside(self, path: Path, above: tuple[_Identity, ...]) -> Iterator[Entry]:
        try:
            names = sorted(os.listdir(path))
        except OSError as error:
            yield _refused(path, _cannot_enter(path, error), unopened=len(above) == 1)
            return
        if OWN_MARK in names:
            self.passed_over += 1
            return
        for name in names:
            if name.startswith("."):
                self.passed_over += 1
            else:
                yield from self._at(path / name, above)


def lies_in(path: Path, folder: Path) -> bool:
    """Whether that name is found in the folder or below it, or what it leads to is, whatever links are on the way."""
    real = os.path.realpath(folder)
    name = Path(os.path.realpath(path.parent), path.name)
    return any(one.is_relative_to(real) for one in (name, Path(os.path.realpath(path))))


def shown(path: str | Path) -> str:
    """The path as text that can be kept, whatever bytes its name is made of."""
    return encodable(os.fspath(path))


def _identities(path: Path) -> Iterator[_Identity]:
    """None of what is not there, or cannot be looked at."""
    with suppress(OSError):
        state = os.stat(path)
        yield state.st_dev, state.st_ino


def _refused(path: Path, error: PlimsollError, unopened: bool = False) -> Entry:
    return Entry(path, error=error, unopened=unopened)


def _cannot_enter(path: Path, error: OSError) -> PlimsollError:
    if error.errno in _NOT_THERE:
        return _cannot_reach(path, error)
    doing = f"open {shown(path)}, nor see what is in it"
    return world_error("report-folder-unopenable", doing, error, _FOLDER_HINT)


def _cannot_reach(path: Path, error: OSError) -> PlimsollError:
    if error.errno == errno.ELOOP:
        return WorldError(
            "report-loop", f"{shown(path)} is a link that leads to itself", "Remove the link, or mend it."
        )
    if error.errno in _NOT_THERE:
        what = "a link that leads nowhere" if os.path.islink(path) else "not there"
        return WorldError("report-missing", f"{shown(path)} is {what}", _HINT)
    return world_error("report-unopenable", f"open {shown(path)}", error, _HINT)
