"""Everything that Plimsoll makes outside its store: scratch files, folders and helper processes.

Each is written to a journal before it is made, so that a run that was killed leaves a list of what to take back; the next
start of any command does that. Names carry a random token, and processes their start time: nothing of a stranger's is hit.
"""

from __future__ import annotations

import os
import secrets
import signal
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from plimsoll.base.errors import world_error
from plimsoll.context.journal import Entry, Journal, abandoned, process_entry, process_of
from plimsoll.ports import files, processes
from plimsoll.ports.clock import Clock, SystemClock

PREFIX = "plimsoll-"
END_GENTLY = (signal.SIGTERM, signal.SIGKILL)
_WAIT_FIRST = (0, int(signal.SIGTERM), int(signal.SIGKILL))
"""Signal 0 does nothing (kill(2)), so the first step is only to wait."""
_PATIENCE_S = 8.0


class Scratch:
    """Hands out scratch resources and takes them all back on `close`, in reverse order."""

    def __init__(self, journal_folder: Path, clock: Clock | None = None) -> None:
        self._journal = Journal(journal_folder)
        self._clock = clock or SystemClock()
        self._entries: list[Entry] = []
        self._children: list[processes.Process[str]] = []
        self._identities: dict[Path, tuple[int, int]] = {}

    def __enter__(self) -> Scratch:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def new_file(self, parent: Path, kind: str, suffix: str = "") -> Path:
        """A new empty file in `parent`, readable by this user alone."""
        path = self._claim(parent, kind, suffix)
        try:
            state = files.create_empty(path)
        except OSError as error:
            raise world_error(
                "scratch-refused", f"make a scratch file in {parent}", error, _WRITABLE
            ) from error
        self._identities[path] = (state.st_dev, state.st_ino)
        return path

    def identity(self, path: Path) -> tuple[int, int] | None:
        """Device and inode number of the file that this scratch made at `path`; None when it made none there."""
        return self._identities.get(path)

    def new_folder(self, parent: Path, kind: str, mode: int = 0o700) -> Path:
        """A new empty folder in `parent`."""
        path = self._claim(parent, kind)
        try:
            files.make_folder(path, mode)
        except OSError as error:
            raise world_error(
                "scratch-refused", f"make a scratch folder in {parent}", error, _WRITABLE
            ) from error
        return path

    def start(
        self,
        command: Sequence[str],
        *,
        user: processes.SystemUser | None = None,
        folder: Path | None = None,
        environment: Mapping[str, str] | None = None,
        stdout: int | IO[str] | None = processes.DISCARD,
        stderr: int | IO[str] | None = processes.DISCARD,
        end_signals: Sequence[int] = END_GENTLY,
        starts: Sequence[Path] = (),
    ) -> processes.Process[str]:
        """Starts a helper process that will not outlive the scratch; `end_signals` are sent in turn to end it.

        `starts` are programs that the helper starts itself and that end when it ends: those that work in a scratch folder
        are waited for before the folder is removed under them.
        """
        signals = [int(number) for number in end_signals]
        for program in starts:
            self._note({"intent": processes.program_path(program), "signals": list(_WAIT_FIRST)})
        self._note({"intent": processes.program_path(command[0]), "signals": signals})
        child = processes.start(
            command, user=user, folder=folder, environment=environment, stdout=stdout, stderr=stderr
        )
        self._children.append(child)
        known = processes.identity(child.pid)
        if known is not None:
            self._note(process_entry(known, signals))
        return child

    def release(self, path: Path) -> None:
        """Takes one file or folder back now, with the processes in it."""
        _remove(path, self._entries, self._clock)
        self._bury()

    def close(self) -> None:
        """Ends what still runs, removes what still stands, then forgets the journal."""
        _take_back(self._entries, self._clock)
        self._entries = _left(self._entries)
        self._bury()
        if not self._entries:
            self._journal.forget()

    def _bury(self) -> None:
        """Takes the exit status of children that ended, so that no zombie stays in the process table."""
        self._children = [child for child in self._children if child.poll() is None]

    def _claim(self, parent: Path, kind: str, suffix: str = "") -> Path:
        path = parent.resolve() / f"{PREFIX}{kind}-{secrets.token_hex(8)}{suffix}"
        self._note({"path": str(path)})
        return path

    def _note(self, entry: Entry) -> None:
        self._journal.note(entry)
        self._entries.append(entry)


_WRITABLE = "Name a folder that you can write to, or set PLIMSOLL_SCRATCH."


def reclaim(journal_folder: Path, clock: Clock | None = None) -> list[str]:
    """Takes back what runs that were killed have left; returns the paths removed and processes ended.

    What cannot be removed now stays in its journal, and the next start tries again.
    """
    taken: list[str] = []
    for path, entries in abandoned(journal_folder):
        taken += _take_back(entries, clock or SystemClock())
        if not _left(entries):
            files.remove(path)
    return taken


def _take_back(entries: list[Entry], clock: Clock) -> list[str]:
    taken: list[str] = []
    for entry in reversed(entries):
        process = process_of(entry)
        if process is not None:
            taken += [f"process {process.pid}"] if _end(process, entry["signals"], clock) else []
        elif "path" in entry and PREFIX in Path(entry["path"]).name:
            path = Path(entry["path"])
            stood = _stands(path)
            _remove(path, entries, clock)
            taken += [str(path)] if stood and not _stands(path) else []
    return taken


def _left(entries: list[Entry]) -> list[Entry]:
    """Entries whose file or folder could not be removed."""
    return [entry for entry in entries if "path" in entry and _stands(Path(entry["path"]))]


def _stands(path: Path) -> bool:
    return os.path.lexists(path)


def _remove(path: Path, entries: Iterable[Entry], clock: Clock) -> None:
    """Removes it, again if need be: a helper that dies of the kill of its parent may still have written meanwhile."""
    deadline = clock.monotonic_s() + _PATIENCE_S
    while True:
        _end_inside(path, entries, clock)
        with suppress(OSError):
            files.remove(path)
        if not os.path.isdir(path) or clock.monotonic_s() >= deadline:
            return
        clock.sleep(0.05)


def _end_inside(folder: Path, entries: Iterable[Entry], clock: Clock) -> None:
    """Ends our own programs that work inside `folder`: one started just before a kill may not be in the journal by id."""
    ours = {entry["intent"]: entry["signals"] for entry in entries if "intent" in entry}
    if not ours or not os.path.isdir(folder):
        return
    for process in processes.inside_folder(folder):
        signals = ours.get(processes.executable(process) or "")
        if signals is not None:
            _end(process, signals, clock)


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
