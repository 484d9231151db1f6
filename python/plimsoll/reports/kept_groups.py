"""What was made of groups of files, kept until the command that reads them has all: after a kill, the next one goes on from there.

It lies in a folder for each kind of work and place of files, in this user's state folder, closed to others. A group has its name
from its files with their lengths and times, so that a file that was changed is read again; what is damaged, or was kept by this
package as it was before it was installed anew, is read again as well.
What failed and may be well next time, as a file that the system would not open, is not kept.
It is pickled, and only facts of ours are made of it, whatever stands there.
"""

from __future__ import annotations

import dataclasses
import enum
import hashlib
import io
import os
import pickle
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any

from pydantic import BaseModel

from plimsoll.base.errors import PlimsollError, reason_of
from plimsoll.base.folders import state_folder
from plimsoll.context import Context
from plimsoll.context.journal import own_folder
from plimsoll.ports.build import installed
from plimsoll.ports.folders import Folder
from plimsoll.reports.limits import FLEET_KEPT_DAYS_MAX
from plimsoll.reports.sources import Source, state_of
from plimsoll.reports.walk import Entry

_STAGE = "read"
_SUM_BYTES = 4
_NAME_LETTERS = 32
_DAMAGED = object()
_PLAIN = {
    "builtins": ("dict", "set", "frozenset", "complex", "bytearray"),
    "datetime": ("datetime", "date", "time", "timedelta", "timezone"),
    "pathlib": ("PosixPath", "Path"),
}


class KeptGroups:
    """Those of one kind of work over files of one place. Where nothing more can be kept that is said, and all goes on without."""

    def __init__(
        self, ctx: Context, function: Callable[[Sequence[Source]], Any], entries: Sequence[Entry]
    ) -> None:
        self._ctx = ctx
        self._function = function
        self._entries = entries
        self._name = ""
        self._all: Folder | None = None
        self._own: Folder | None = None
        self._adds = True
        self._is_whole = False
        self._again = 0

    def __enter__(self) -> KeptGroups:
        try:
            self._name = _name(self._function, self._entries)
            self._all = own_folder(state_folder() / "read-in-part")
            self._own = self._all.ensured_child(self._name, 0o700)
            if not self._own.lock():
                # The same command is at work already, and keeps what it makes.
                self._let_go()
            self._forget_old()
        except (OSError, PlimsollError) as error:
            self._add_no_more(error)
            self._let_go()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._is_whole and kind is None:
            self.forget()
        self._let_go()
        if self._all is not None:
            self._all.close()

    def key_of(self, group: Sequence[Source]) -> str | None:
        """The name of a group; None where a file is no longer what was found, or something was not to be opened or unpacked."""
        if any(source.error is not None for source in group):
            return None
        told = hashlib.sha256()
        try:
            told.update("".join([repr(_told(source)) for source in group]).encode())
        except OSError:
            return None
        return told.hexdigest()[:_NAME_LETTERS]

    def has(self, key: str | None) -> bool:
        """Whether it is kept, whole, and as facts of this build. Says once that there is something."""
        parts = None if key is None or self._own is None else self._read(key)
        if parts is None or any(_tried(part) is _DAMAGED for part in parts):
            return False
        if not self._again:
            self._ctx.remark(_STAGE, "goes on from what an earlier command had read before it was ended")
        self._again += 1
        return True

    def load(self, key: str | None) -> list[bytes] | None:
        """What is kept of it; None where somebody has taken it away meanwhile."""
        return None if key is None else self._read(key)

    def keep(self, key: str | None, parts: Sequence[bytes]) -> None:
        """Keeps what was made of a group. It survives the end of this process, and needs not survive that of the machine."""
        if key is None or self._own is None or not self._adds:
            return
        try:
            content = pickle.dumps(list(parts), pickle.HIGHEST_PROTOCOL)
            self._own.remove_file(key)
            self._own.append(key, zlib.crc32(content).to_bytes(_SUM_BYTES, "big") + content)
        except (OSError, MemoryError) as error:
            self._add_no_more(error)
            # A part of it is of no use, and takes room that is short.
            with suppress(OSError):
                self._own.remove_file(key)

    def tell_rest(self) -> None:
        """Somebody asked to end: how to go on, where something is kept."""
        with suppress(OSError):
            if self._own is not None and self._own.names():
                self._ctx.remark(_STAGE, "what was read is kept: the same command goes on from there")

    def finish(self) -> None:
        """All groups were handed over: it is forgotten when the block ends well, as what was made of them is safe then."""
        self._is_whole = True

    def forget(self) -> None:
        """Nobody needs it any more."""
        if self._own is not None and self._all is not None:
            _remove(self._all, self._own, self._name)
        self._let_go()

    @staticmethod
    def unpacked(part: bytes) -> Any:
        """One result again. Raises whatever bytes that hold none may make."""
        return _Facts(io.BytesIO(part)).load()

    def _read(self, key: str) -> list[bytes] | None:
        assert self._own is not None, "nothing is kept otherwise"
        try:
            with self._own.open_file(key) as file:
                content = file.read()
        except OSError:
            return None
        told, packed = content[:_SUM_BYTES], content[_SUM_BYTES:]
        if int.from_bytes(told, "big") != zlib.crc32(packed) or not packed:
            return None
        parts = _tried(packed)
        return parts if isinstance(parts, list) and all(isinstance(part, bytes) for part in parts) else None

    def _forget_old(self) -> None:
        """What nobody went on with, unless somebody is at it."""
        assert self._all is not None, "it was opened"
        oldest = self._ctx.clock.now() - timedelta(days=FLEET_KEPT_DAYS_MAX)
        for name in self._all.names():
            state = self._all.look(name)
            if name != self._name and state is not None and state.st_mtime < oldest.timestamp():
                with suppress(OSError), self._all.child(name) as folder:
                    if folder.lock():
                        _remove(self._all, folder, name)

    def _add_no_more(self, error: OSError | PlimsollError | MemoryError) -> None:
        """What was kept before can be read still, and is forgotten at the end."""
        why = _why(error)
        told = f"what is read is not kept, and would be read again after a kill: {why}"
        self._ctx.remark(_STAGE, told, warning=True)
        self._adds = False

    def _let_go(self) -> None:
        if self._own is not None:
            self._own.close()
            self._own = None


def _why(error: OSError | PlimsollError | MemoryError) -> str:
    if isinstance(error, MemoryError):
        return "memory does not suffice"
    return reason_of(error) if isinstance(error, OSError) else error.message


def _remove(parent: Folder, folder: Folder, name: str) -> None:
    with suppress(OSError):
        for file in folder.names():
            folder.remove_file(file)
        parent.remove_if_empty(name)


def _name(function: Callable[[Sequence[Source]], Any], entries: Sequence[Entry]) -> str:
    """Of the work, of the build that does it, and of the place of the files."""
    folders = {os.path.abspath(folder) for folder in {os.path.dirname(entry.path) for entry in entries}}
    place = os.path.commonpath(folders) if folders else ""
    told = repr((pickle.dumps(function), installed(), place))
    return hashlib.sha256(told.encode(errors="surrogateescape")).hexdigest()[:_NAME_LETTERS]


def _told(source: Source) -> tuple[Any, ...]:
    """By what a source is known again. Raises OSError."""
    about = (source.file, source.member, source.weight_bytes, source.unopened, source.passed_over)
    if source.path is None:
        return (*about, hashlib.sha256(source.content).hexdigest())
    found = state_of(os.stat(source.path)) if source.found is None else source.found
    return (*about, *found)


class _Facts(pickle.Unpickler):
    """Makes values and facts, and calls nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        if name in _PLAIN.get(module, ()):
            return super().find_class(module, name)
        if module.partition(".")[0] == "plimsoll":
            found = super().find_class(module, name)
            if isinstance(found, type) and _is_fact(found):
                return found
        raise pickle.UnpicklingError(f"{module}.{name} is no fact")


def _tried(content: bytes) -> Any:
    """What it holds, or `_DAMAGED`."""
    try:
        return KeptGroups.unpacked(content)
    except Exception:  # noqa: BLE001 - damaged bytes can raise whatever the classes do that they name
        return _DAMAGED


def _is_fact(kind: type) -> bool:
    return issubclass(kind, (BaseModel, enum.Enum)) or dataclasses.is_dataclass(kind)
