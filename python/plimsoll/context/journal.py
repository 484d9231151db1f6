"""The list of what a command has made outside its store, kept on disk so that the next start can take back what a kill left.

A journal is a file of JSON lines, named for the process that writes it: `<pid>-<start>-<boot>-<token>.journal`. It lies in
a folder named for the host, because a home may be shared by several, and one must not take back what another still uses; in
that one for each user, because root may be given somebody else's home. Nobody else may write there: what a journal says is done.
All the same its lines are read as if a stranger had written them, and `scratch` looks at everything that they name once more.
"""

from __future__ import annotations

import json
import os
import re
import signal
import stat
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO

from plimsoll.base.errors import WorldError, world_error
from plimsoll.base.filenames import file_name
from plimsoll.base.limits import JOURNAL_BYTES_MAX
from plimsoll.base.values import value
from plimsoll.ports import processes
from plimsoll.ports.folders import Folder, ensured_folder, user_name
from plimsoll.ports.held import hold

_HINT = "Set XDG_STATE_HOME to a folder that you can write to."
_SUFFIX = ".journal"
_NAME = re.compile(rf"(?P<pid>\d{{1,10}})-(?P<ticks>\d{{1,20}})-(?P<boot>[0-9a-z]+)-[0-9a-f]{{8}}\{_SUFFIX}")
_PRIVATE_FOLDER, _PRIVATE_FILE = 0o700, 0o600
_SIGNALS = frozenset({0, int(signal.SIGINT), int(signal.SIGQUIT), int(signal.SIGKILL), int(signal.SIGTERM)})
"""Signal 0 does nothing (kill(2)): the first step is then only to wait."""

Inode = tuple[int, int]
"""Device and inode number."""


@value
class Claimed:
    """A file or folder that is about to be made, in the folder with this inode. Numbers of devices may change with the boot."""

    path: str
    parent: Inode
    boot: str


@value
class Made:
    """What was made there."""

    path: str
    identity: Inode


@value
class Starting:
    """A program that is about to be started in a scratch folder, and the signals that end it, in turn."""

    program: str
    signals: tuple[int, ...]


@value
class Started:
    """A helper process that works in a scratch folder. The boot tells it from one of the same id and start after the next boot.

    One that `keeps` a control group for somebody who was moved out of it is ended only when he is back.
    """

    pid: int
    ticks: int
    boot: str
    program: str
    folder: str
    signals: tuple[int, ...]
    keeps: bool = False


@value
class Mounting:
    """A file system of ours that is about to be mounted on a folder, and the name of its own that the list of mounts shows."""

    point: str
    source: str
    boot: str


@value
class Grouping:
    """A control group of processes that is about to be made."""

    path: str


@value
class Moving:
    """A process of somebody else that is about to be moved into a control group of ours for a while.

    `homes` are its groups, one of each hierarchy, and `cpus` those that it is bound to, or all; its children belong there as well.
    """

    pid: int
    ticks: int
    boot: str
    homes: tuple[str, ...]
    cpus: tuple[int, ...]


Entry = Claimed | Made | Starting | Started | Mounting | Grouping | Moving


@value
class Left:
    """A journal whose writer is dead. `name` is our own name for it from now on; `damaged` are lines that say nothing."""

    name: str
    entries: tuple[Entry, ...]
    damaged: tuple[str, ...]


class Journal:
    """One process's list. The file comes with the first entry and goes with `forget`."""

    def __init__(self, folder: Path) -> None:
        self._where = folder
        self._folder: Folder | None = None
        self._file: BinaryIO | None = None
        self._name = ""

    def note(self, entry: Entry) -> None:
        """Adds an entry, on disk when this returns. Raises WorldError `journal-refused`, `journal-foreign`."""
        try:
            file = self._file or self._begun()
            file.write(as_line(entry))
            file.flush()
            os.fsync(file.fileno())
        except OSError as error:
            raise world_error(
                "journal-refused", f"write the scratch journal in {self._where}", error, _HINT
            ) from error

    def forget(self) -> None:
        """Removes the file; what it listed has been taken back."""
        if self._folder is not None:
            self._folder.remove(self._name)
        self.close()

    def close(self) -> None:
        """Lets the file go, and leaves it for the next start."""
        if self._file is not None and self._folder is not None:
            self._file.close()
            self._folder.close()
        self._file = self._folder = None

    def _begun(self) -> BinaryIO:
        self._folder = own_folder(self._where)
        self._name = _own_name()
        self._file = self._folder.new_file(self._name, _PRIVATE_FILE)
        hold(self._file)
        os.fchmod(self._file.fileno(), _PRIVATE_FILE)
        return self._file


def as_line(entry: Entry) -> bytes:
    """The entry as a line of a journal."""
    return json.dumps({"entry": type(entry).__name__.lower(), **asdict(entry)}).encode() + b"\n"


def own_folder(folder: Path) -> Folder:
    """This user's folder of journals on this host, closed to everybody else. Raises OSError, WorldError `journal-foreign`."""
    with ensured_folder(folder / file_name(processes.host_name()), _PRIVATE_FOLDER) as host:
        own = host.ensured_child(str(os.geteuid()), _PRIVATE_FOLDER)
    if own.state.st_uid != os.geteuid():
        own.close()
        raise WorldError(
            "journal-foreign",
            f"cannot use the scratch journals in {own.path}, which belong to user {user_name(own.state.st_uid)}",
            "Remove that folder, or set XDG_STATE_HOME to one of your own.",
        )
    if stat.S_IMODE(own.state.st_mode) != _PRIVATE_FOLDER:
        own.change_mode(_PRIVATE_FOLDER)
    return own


def abandoned(folder: Path, foreign: list[str]) -> Iterator[tuple[Folder, Left]]:
    """Journals whose writers are dead, each under our own name from now on, so that two starts never share one.

    Names of files that are no journals of ours are added to `foreign`. Raises as `own_folder` does.
    """
    if not os.path.isdir(folder / file_name(processes.host_name()) / str(os.geteuid())):
        return
    with own_folder(folder) as own:
        for name in own.names():
            if not name.endswith(_SUFFIX):
                continue
            with ExitStack() as held:
                try:
                    left = _adopted(own, name, held)
                except OSError as error:
                    foreign.append(f"{own.path / name}: {error.strerror}")
                    continue
                if left is not None:
                    yield own, left


def _adopted(folder: Folder, name: str, held: ExitStack) -> Left | None:
    """The journal under our own name, held until `held` ends; None when its writer lives, or another process was faster.

    A writer lives where it is seen to, or where it holds its file: in a namespace of its own it has another number and another
    start.

    Raises OSError when it is not ours.
    """
    match = _NAME.fullmatch(name)
    if match is None:
        raise OSError(0, "this is no name of a journal")
    writer = processes.Identity(int(match["pid"]), int(match["ticks"]))
    if match["boot"] == processes.boot_id() and processes.is_alive(writer):
        return None
    try:
        content = _content(held.enter_context(folder.open_file(name, to_write=True)))
        if content is None:
            return None
        adopted = _own_name()
        folder.move(name, folder, adopted)
    except FileNotFoundError:
        return None
    entries, damaged = read_entries(content)
    return Left(adopted, entries, damaged)


def _content(file: BinaryIO) -> bytes | None:
    """None where somebody holds it. Raises OSError when it is not ours."""
    state = os.fstat(file.fileno())
    if state.st_uid != os.geteuid() or state.st_nlink != 1:
        raise OSError(0, "it belongs to somebody else")
    if stat.S_IMODE(state.st_mode) != _PRIVATE_FILE:
        raise OSError(0, "others could write to it")
    if state.st_size > JOURNAL_BYTES_MAX:
        raise OSError(0, "it is longer than any journal")
    return file.read(JOURNAL_BYTES_MAX) if hold(file) else None


def _own_name() -> str:
    me = processes.own_identity()
    return f"{me.pid}-{me.start_ticks}-{processes.boot_id()}-{os.urandom(4).hex()}{_SUFFIX}"


def read_entries(content: bytes) -> tuple[tuple[Entry, ...], tuple[str, ...]]:
    """Entries of a journal, and what is wrong with each line that holds none.

    A last line without an end was cut off by the kill, and announced nothing that exists.
    """
    entries: list[Entry] = []
    damaged: list[str] = []
    for number, line in enumerate(content.split(b"\n")[:-1], 1):
        try:
            entries.append(_entry(line))
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            damaged.append(f"line {number} is damaged ({type(error).__name__}): {line[:80]!r}")
    return tuple(entries), tuple(damaged)


def _entry(line: bytes) -> Entry:
    """The entry of a line. Raises ValueError, TypeError, KeyError, RecursionError for one that cannot be ours."""
    found = json.loads(line)
    if not isinstance(found, dict):
        raise TypeError("no object")
    return _READERS[found.pop("entry")](found)


def _claimed(found: dict[str, Any]) -> Claimed:
    return Claimed(_path(found["path"]), _inode(found["parent"]), _boot(found["boot"]))


def _made(found: dict[str, Any]) -> Made:
    return Made(_path(found["path"]), _inode(found["identity"]))


def _starting(found: dict[str, Any]) -> Starting:
    return Starting(_path(found["program"]), _signals(found["signals"]))


def _started(found: dict[str, Any]) -> Started:
    return Started(
        pid=_number(found["pid"], 2),
        ticks=_number(found["ticks"]),
        boot=_boot(found["boot"]),
        program=_path(found["program"]),
        folder=_path(found["folder"]),
        signals=_signals(found["signals"]),
        # An earlier version did not tell.
        keeps=found.get("keeps") is True,
    )


def _mounting(found: dict[str, Any]) -> Mounting:
    if not isinstance(found["source"], str):
        raise TypeError("no source")
    return Mounting(_path(found["point"]), found["source"], _boot(found["boot"]))


def _grouping(found: dict[str, Any]) -> Grouping:
    return Grouping(_path(found["path"]))


def _moving(found: dict[str, Any]) -> Moving:
    return Moving(
        pid=_number(found["pid"], 2),
        ticks=_number(found["ticks"]),
        boot=_boot(found["boot"]),
        homes=tuple(_path(one) for one in found["homes"]),
        cpus=tuple(_number(one) for one in found["cpus"]),
    )


_READERS = {
    "claimed": _claimed,
    "made": _made,
    "starting": _starting,
    "started": _started,
    "mounting": _mounting,
    "grouping": _grouping,
    "moving": _moving,
}


def _path(value: Any) -> str:
    """An absolute path without detours, which is the only kind that we write."""
    if not isinstance(value, str) or not value.startswith("/") or "\0" in value:
        raise ValueError("no absolute path")
    if os.path.normpath(value) != value or value.startswith("//"):
        raise ValueError("a path with detours")
    os.fsencode(value)
    return value


def _boot(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("no boot")
    return value


def _number(value: Any, least: int = 0) -> int:
    if type(value) is not int or not least <= value < 2**63:
        raise ValueError("no number")
    return value


def _inode(value: Any) -> Inode:
    device, inode = value
    return _number(device), _number(inode)


def _signals(value: Any) -> tuple[int, ...]:
    signals = tuple(_number(one) for one in value)
    if not signals or not _SIGNALS.issuperset(signals):
        raise ValueError("signals that we never send")
    return signals
