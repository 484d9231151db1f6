"""Everything that Plimsoll makes outside its store: scratch files, folders, helper processes, mounts and control groups.

Each is written to a journal before it is made, so that a run that was killed leaves a list of what to take back; the next
start of any command does that. What a journal names is taken back only when it is ours in every way that can be seen: by its
name, by the folder that it lies in, by inode and owner; a process by start time, program, and a scratch folder that it works in;
a mount, and a control group, by the name that only its journal gave; a group in which processes are stays. A process of somebody
else that was moved is put back only out of a group of ours, or out of the top one.
"""

from __future__ import annotations

import os
import re
import signal
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TypeVar

from plimsoll.base.errors import WorldError, world_error
from plimsoll.base.values import value
from plimsoll.context.journal import (
    Claimed,
    Entry,
    Grouping,
    Inode,
    Journal,
    Made,
    Mounting,
    Moving,
    Started,
    Starting,
    abandoned,
)
from plimsoll.context.moved import put_back
from plimsoll.ports import control_groups, mounts, processes
from plimsoll.ports.clock import Clock, SystemClock
from plimsoll.ports.folders import Folder, UntrustedError, open_folder, open_trusted

PREFIX = "plimsoll-"
END_GENTLY = (signal.SIGTERM, signal.SIGKILL)
_WAIT_FIRST = (0, int(signal.SIGTERM), int(signal.SIGKILL))
"""Signal 0 does nothing (kill(2)), so the first step is only to wait."""
_PATIENCE_S = 8.0
_NAME = re.compile(rf"{PREFIX}[a-z][a-z-]*-[0-9a-f]{{16}}(\.[a-z]+)?")
"""Every name that we ever hand out, and no other."""
_FILE_MODE = 0o600
_WRITABLE = "Name a folder that you can write to, or set PLIMSOLL_SCRATCH."
_TRUSTED = "Programs run there as root's helpers. Name a folder of root's own, by the option or in PLIMSOLL_SCRATCH, or /var/tmp."

T = TypeVar("T", bound=Entry)


def is_scratch_name(name: str) -> bool:
    """Whether it has the form of those that are handed out here, and no other."""
    return _NAME.fullmatch(name) is not None


class Scratch:
    """Hands out scratch resources and takes them all back on `close`, in reverse order."""

    def __init__(self, journal_folder: Path, clock: Clock | None = None) -> None:
        self._journal = Journal(journal_folder)
        self._clock = clock or SystemClock()
        self._entries: list[Entry] = []
        self._children: list[processes.Process[str]] = []

    def __enter__(self) -> Scratch:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def new_file(self, parent: Path, kind: str, suffix: str = "") -> Path:
        """A new empty file in `parent`, readable by this user alone. Raises WorldError `scratch-refused`."""
        try:
            with open_folder(parent) as folder:
                path = self._claim(folder, kind, suffix)
                with folder.new_file(path.name, _FILE_MODE) as file:
                    self._made(path, os.fstat(file.fileno()))
        except OSError as error:
            raise world_error(
                "scratch-refused", f"make a scratch file in {parent}", error, _WRITABLE
            ) from error
        return path

    def identity(self, path: Path) -> Inode | None:
        """Device and inode number of the file or folder that this scratch made at `path`; None when it made none there."""
        found = (entry.identity for entry in _of_kind(self._entries, Made) if entry.path == str(path))
        return next(found, None)

    def new_folder(self, parent: Path, kind: str, mode: int = 0o700) -> Path:
        """A new empty folder in `parent`, in which programs may run: as root in a folder that nobody else can change.

        Raises WorldError `scratch-refused`, `scratch-untrusted`.
        """
        with _trusted(parent) as folder, self.new_child(folder, kind, mode) as made:
            return made.path

    def refuse_untrusted(self, parent: Path) -> None:
        """Raises `scratch-refused` and `scratch-untrusted` as `new_folder` would, before other work begins."""
        with _trusted(parent):
            pass

    def new_child(self, folder: Folder, kind: str, mode: int = 0o700) -> Folder:
        """A new empty folder in an open one, held open. Raises OSError."""
        path = self._claim(folder, kind)
        made = folder.new_child(path.name, mode)
        made.path = path
        self._made(path, made.state)
        return made

    def opened(self, path: Path) -> Folder:
        """The folder that this scratch made at `path`. Raises WorldError `scratch-refused` when another has taken its place."""
        try:
            folder = open_folder(path)
            if folder.identity != self.identity(path):
                folder.close()
                raise FileExistsError(0, "another folder has taken its place")
        except OSError as error:
            raise world_error(
                "scratch-refused", f"open the scratch folder {path}", error, _WRITABLE
            ) from error
        return folder

    def start(
        self,
        command: Sequence[str],
        *,
        folder: Path,
        user: processes.SystemUser | None = None,
        environment: Mapping[str, str] | None = None,
        stdout: int | IO[str] | None = processes.DISCARD,
        stderr: int | IO[str] | None = processes.DISCARD,
        end_signals: Sequence[int] = END_GENTLY,
        starts: Sequence[Path] = (),
        is_keeper: bool = False,
    ) -> processes.Process[str]:
        """Starts a helper process that will not outlive the scratch; `end_signals` are sent in turn to end it.

        It works in `folder`, a scratch folder or one within it: by that it is known again after a kill. `starts` are programs
        that the helper starts itself and that end when it ends: they are waited for before the folder is removed under them.
        One that keeps a control group for somebody who was moved out of it is ended only after he was put back.
        """
        signals = tuple(int(number) for number in end_signals)
        program = processes.program_path(command[0])
        for other in starts:
            self._note(Starting(processes.program_path(other), _WAIT_FIRST))
        self._note(Starting(program, signals))
        child = processes.start(
            command, user=user, folder=folder, environment=environment, stdout=stdout, stderr=stderr
        )
        self._children.append(child)
        known = processes.identity(child.pid)
        if known is not None:
            boot, where = processes.boot_id(), str(folder.resolve())
            self._note(Started(known.pid, known.start_ticks, boot, program, where, signals, is_keeper))
        return child

    def mounting(self, folder: Path, kind: str) -> str:
        """The name under which a file system is to be mounted on `folder` now; unmounted on `close` if it still is."""
        source = _new_name(kind)
        self._note(Mounting(str(folder.resolve()), source, processes.boot_id()))
        return source

    def new_group(self, parent: Path, kind: str) -> Path:
        """A new control group below another, without processes. Raises WorldError `scratch-refused`."""
        group = parent.resolve() / _new_name(kind)
        self._note(Grouping(str(group)))
        try:
            control_groups.make(group)
        except OSError as error:
            raise world_error("scratch-refused", f"make a control group in {parent}", error) from error
        return group

    def moving(self, process: processes.Identity, homes: Sequence[Path], cpus: Iterable[int]) -> Moving:
        """A process that is moved out of its control groups from now on, and is put back on `close` if it still is elsewhere."""
        names = tuple(str(home) for home in homes)
        entry = Moving(process.pid, process.start_ticks, processes.boot_id(), names, tuple(sorted(cpus)))
        self._note(entry)
        return entry

    def release(self, path: Path) -> None:
        """Takes one file or folder back now, with the processes in it."""
        for claim in _of_kind(self._entries, Claimed):
            if claim.path == str(path):
                self._retrieval().remove(claim)
        self._bury()

    def close(self) -> tuple[str, ...]:
        """Ends what still runs, removes what still stands, then forgets the journal.

        What stays is in the journal for the next start; returns why processes of somebody else are not back in their groups.
        """
        retrieval = self._retrieval()
        if retrieval.take_back():
            self._journal.close()
        else:
            self._journal.forget()
            self._entries = []
        self._bury()
        return tuple(retrieval.not_put_back)

    def end_helpers(self) -> None:
        """Ends helper processes at once, for a command that has no time to take back anything: the next start does that."""
        for entry in _of_kind(self._entries, Started):
            for number in () if entry.keeps else (*entry.signals, signal.SIGKILL):
                processes.send(processes.Identity(entry.pid, entry.ticks), number)

    def _retrieval(self) -> _Retrieval:
        return _Retrieval(self._entries, self._clock, frozenset(child.pid for child in self._children))

    def _bury(self) -> None:
        """Takes the exit status of children that ended, so that no zombie stays in the process table."""
        self._children = [child for child in self._children if child.poll() is None]

    def _claim(self, folder: Folder, kind: str, suffix: str = "") -> Path:
        name = _new_name(kind, suffix)
        path = folder.real_path / name
        self._note(Claimed(str(path), folder.identity, processes.boot_id()))
        return path

    def _made(self, path: Path, state: os.stat_result) -> None:
        self._note(Made(str(path), (state.st_dev, state.st_ino)))

    def _note(self, entry: Entry) -> None:
        self._journal.note(entry)
        self._entries.append(entry)


@contextmanager
def _trusted(parent: Path) -> Iterator[Folder]:
    """A folder in which programs may run. Raises WorldError `scratch-refused`, `scratch-untrusted`, in what is made in it too."""
    try:
        with open_trusted(parent) as folder:
            yield folder
    except UntrustedError as error:
        message = f"could not use {parent} as root, for {error.strerror}, and could change what runs there"
        raise WorldError("scratch-untrusted", message, _TRUSTED) from error
    except OSError as error:
        raise world_error(
            "scratch-refused", f"make a scratch folder in {parent}", error, _WRITABLE
        ) from error


def _new_name(kind: str, suffix: str = "") -> str:
    name = f"{PREFIX}{kind}-{os.urandom(8).hex()}{suffix}"
    assert is_scratch_name(name), f"{name} would not be known again"
    return name


@value
class Reclaimed:
    """What became of the journals of runs that were killed, in words: what was taken back, what was left alone and why."""

    taken: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


def reclaim(journal_folder: Path, clock: Clock | None = None) -> Reclaimed:
    """Takes back what runs that were killed have left. Raises nothing: what stands in the way is told.

    What cannot be removed now stays in its journal, and the next start tries again. What is not ours is not touched.
    """
    taken: list[str] = []
    left: list[str] = []
    try:
        for folder, journal in abandoned(journal_folder, left):
            retrieval = _Retrieval(journal.entries, clock or SystemClock())
            if not retrieval.take_back():
                folder.remove(journal.name)
            taken += retrieval.taken
            left += [f"{folder.path / journal.name}: {one}" for one in journal.damaged] + retrieval.left
    except (OSError, WorldError) as error:
        left.append(str(error))
    return Reclaimed(tuple(taken), tuple(left))


class _Retrieval:
    """The things of one journal on their way back. `children` are helpers that this very process started."""

    def __init__(
        self, entries: Sequence[Entry], clock: Clock, children: frozenset[int] = frozenset()
    ) -> None:
        self._entries = entries
        self._clock = clock
        self._children = children
        self._made = {entry.path: entry.identity for entry in _of_kind(entries, Made)}
        self.taken: list[str] = []
        self.left: list[str] = []
        self.not_put_back: list[str] = []

    def take_back(self) -> bool:
        """Whether something of ours is still there after it, for the next start to try again."""
        stays = False
        for entry in reversed(self._entries):
            if isinstance(entry, Started):
                self._end(entry)
            elif isinstance(entry, Claimed):
                stays |= self._is_kept(entry) or self._take(entry)
            elif isinstance(entry, Mounting):
                stays |= self._unmount(entry)
            elif isinstance(entry, Grouping):
                stays |= self._ungroup(entry)
            elif isinstance(entry, Moving):
                stays |= self._put_back(entry)
        return stays

    def _put_back(self, entry: Moving) -> bool:
        """Back into its own groups with what it has started, where it is still in one of ours; True when some could not be."""
        put = put_back(entry, is_scratch_name)
        if put.moved:
            self.taken.append(f"process {entry.pid} and what it started, out of a control group of ours")
        # Each process has an entry of its own, and is among the children of another.
        new = [one for one in put.failed if one not in self.not_put_back]
        self.not_put_back += new
        self.left += new
        return bool(put.failed)

    def _is_kept(self, claim: Claimed) -> bool:
        """Whether somebody works in it who keeps a group for a process that is not back: by that folder he is known again."""
        keepers = (entry for entry in _of_kind(self._entries, Started) if entry.keeps)
        return bool(self.not_put_back) and any(Path(one.folder).is_relative_to(claim.path) for one in keepers)

    def _ungroup(self, entry: Grouping) -> bool:
        """Removes the control group once its processes have ended; True when some did not."""
        group = Path(entry.path)
        if not is_scratch_name(group.name) or not control_groups.is_own(group):
            return False
        deadline = self._clock.monotonic_s() + _PATIENCE_S
        while not control_groups.remove(group):
            if self._clock.monotonic_s() >= deadline:
                self.left.append(
                    f"control group {group}: it could not be removed, perhaps for processes in it"
                )
                return True
            self._clock.sleep(0.05)
        self.taken.append(f"control group {group}")
        return False

    def _unmount(self, entry: Mounting) -> bool:
        """Takes the mount away, if it is still there; True when it could not be."""
        if not is_scratch_name(entry.source) or not mounts.is_mounted(entry.point, entry.source):
            return False
        if not mounts.is_topmost(entry.point, entry.source):
            self.left.append(f"mount on {entry.point}: something else was mounted over it")
            return True
        mounts.detach(entry.point)
        stays = mounts.is_mounted(entry.point, entry.source)
        (self.left if stays else self.taken).append(f"mount on {entry.point}")
        return stays

    def _take(self, claim: Claimed) -> bool:
        """Removes one thing; True when it could not be."""
        why_not = self._why_not_ours(claim)
        if why_not == _GONE:
            return False
        if why_not is not None:
            self.left.append(f"{claim.path}: {why_not}")
            return False
        self.remove(claim)
        stays = self._why_not_ours(claim) is None
        self.taken += [] if stays else [claim.path]
        return stays

    def remove(self, claim: Claimed) -> None:
        """Removes it, again if need be: a helper that dies of the kill of its parent may still have written meanwhile."""
        deadline = self._clock.monotonic_s() + _PATIENCE_S
        while True:
            self._end_inside(claim)
            try:
                _remove(claim, self._made.get(claim.path))
                return
            except FileNotFoundError:
                return
            except OSError:
                if self._clock.monotonic_s() >= deadline or not os.path.isdir(claim.path):
                    return
            self._clock.sleep(0.05)

    def _why_not_ours(self, claim: Claimed) -> str | None:
        try:
            with _parent_of(claim) as parent:
                return _why_not_ours(parent, claim, self._made.get(claim.path))
        except (FileNotFoundError, NotADirectoryError):
            return _GONE
        except OSError as error:
            return error.strerror or str(error)

    def _end(self, entry: Started) -> None:
        """Ends a helper process, if it is that very one and works in a scratch folder of this journal."""
        process = processes.Identity(entry.pid, entry.ticks)
        if entry.boot != processes.boot_id() or not processes.is_alive(process):
            return
        if entry.keeps and self.not_put_back:
            return
        if entry.pid not in self._children and not self._is_what_was_started(process, entry):
            self.left.append(f"process {entry.pid}: it is not what was started")
        elif _end(process, entry.signals, self._clock):
            self.taken.append(f"process {entry.pid}")

    def _is_what_was_started(self, process: processes.Identity, entry: Started) -> bool:
        """Whether it runs that program, and works in that folder, which is a scratch folder of this journal or lies in one."""
        folder = Path(entry.folder)
        if processes.executable(process) != entry.program or not processes.works_inside(process, folder):
            return False
        around = [claim for claim in _of_kind(self._entries, Claimed) if folder.is_relative_to(claim.path)]
        return any(self._why_not_ours(claim) is None for claim in around)

    def _end_inside(self, claim: Claimed) -> None:
        """Ends our own programs that work inside a folder: one started just before a kill may not be in the journal by id."""
        ours = {entry.program: entry.signals for entry in _of_kind(self._entries, Starting)}
        if not ours or not os.path.isdir(claim.path) or self._why_not_ours(claim) is not None:
            return
        for process in processes.inside_folder(Path(claim.path)):
            signals = ours.get(processes.executable(process) or "")
            if signals is not None:
                _end(process, signals, self._clock)


_GONE = "it is gone"


def _of_kind(entries: Iterable[Entry], kind: type[T]) -> list[T]:
    return [entry for entry in entries if isinstance(entry, kind)]


def _parent_of(claim: Claimed) -> Folder:
    """The folder that it was made in. Raises OSError, also when another folder has taken its place."""
    parent = open_folder(Path(claim.path).parent)
    if not _is_same(parent.identity, claim.parent, claim.boot):
        parent.close()
        raise OSError(0, "the folder that it was made in is another one now")
    return parent


def _is_same(found: Inode, noted: Inode, boot: str) -> bool:
    """Numbers of devices may change with a boot; those of inodes do not."""
    return found == noted if boot == processes.boot_id() else found[1] == noted[1]


def _why_not_ours(parent: Folder, claim: Claimed, made: Inode | None) -> str | None:
    """Why what lies under that name is not what was made; None when it is."""
    name = Path(claim.path).name
    if not is_scratch_name(name):
        return "it has a name that is never given"
    state = parent.look(name)
    if state is None:
        return _GONE
    if not (stat.S_ISREG(state.st_mode) or stat.S_ISDIR(state.st_mode)):
        return "it is neither file nor folder"
    if state.st_uid != os.geteuid():
        return "it belongs to somebody else"
    if made is None:
        return None if _is_empty(parent, name, state) else "it is not known to be the one that was made"
    if not _is_same((state.st_dev, state.st_ino), made, claim.boot):
        return "something else has taken its name"
    return None


def _is_empty(parent: Folder, name: str, state: os.stat_result) -> bool:
    """A kill right after the making leaves nothing but an empty file or folder."""
    if stat.S_ISREG(state.st_mode):
        return state.st_size == 0
    with parent.child(name) as child:
        return not child.names()


def _remove(claim: Claimed, made: Inode | None) -> None:
    """Removes it if it is ours. Raises OSError when something of it stays."""
    with _parent_of(claim) as parent:
        name = Path(claim.path).name
        state = parent.look(name)
        if state is None or _why_not_ours(parent, claim, made) is not None:
            return
        if stat.S_ISDIR(state.st_mode):
            parent.remove_child(name, (state.st_dev, state.st_ino))
        else:
            parent.remove(name)


def _end(process: processes.Identity, signals: Sequence[int], clock: Clock) -> bool:
    """Sends the signals in turn until the process is gone; False when it was gone before."""
    if not processes.is_alive(process):
        return False
    for number in signals:
        if not processes.send(process, number):
            return True
        deadline = clock.monotonic_s() + _PATIENCE_S
        while processes.is_alive(process) and clock.monotonic_s() < deadline:
            clock.sleep(0.02)
    return True
