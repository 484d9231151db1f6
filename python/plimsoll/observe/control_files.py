"""Which PostgreSQL a process is of: by the number in the control file of the folder that it works in.

Each process is looked at once, and again where the file could not be read for a reason that may pass. To open a file on a mount
whose server is gone, or in a file system whose program hangs, may take for ever: a thread of its own does it, and whoever asks
waits for that a moment, once for each folder.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from plimsoll.observe.older_flushes import state_and_start
from plimsoll.ports import files
from plimsoll.ports.clock import Clock, SystemClock

PATIENCE_S = 0.5
"""A file that is not read by then is not waited for; what is in it counts from when it is."""
UNREAD_MAX = 8
"""Folders that may keep a thread waiting; processes of more of them are not looked at until one has answered."""
RETRY_S = 5.0
"""A folder whose file could not be read, because of its disk, its server or our own limits, is left alone for so long."""
_PROCESSES_MAX = 65_536
"""Processes that are remembered."""
_FILE_BYTES_MAX = 1 << 16
"""A control file has 8 KiB."""
_NUMBER_BYTES = 8
"""The system identifier begins the control file (src/include/catalog/pg_control.h)."""
_Process = tuple[int, int]
"""Number and start, in ticks: a number may be another's later."""


def number_in(path: Path) -> int | None:
    """The system identifier in a control file; None where there is none. Raises OSError where it cannot be read."""
    try:
        content = files.read_input(path, _FILE_BYTES_MAX)
    except FileNotFoundError:
        return None
    return int.from_bytes(content[:_NUMBER_BYTES], sys.byteorder)


class _Reading:
    """One file that is read, or waited for."""

    def __init__(
        self, path: Path, read: Callable[[Path], int | None], patience_s: float, clock: Clock
    ) -> None:
        self.number: int | None = None
        self.is_withheld = False
        self._clock = clock
        self._failed_s: float | None = None
        self._done = threading.Event()
        threading.Thread(
            target=self._run, args=(path, read), name="plimsoll-control-file", daemon=True
        ).start()
        self._done.wait(patience_s)

    @property
    def is_done(self) -> bool:
        return self._done.is_set()

    @property
    def is_answer(self) -> bool:
        """Whether it holds for its process."""
        return self.is_done and self._failed_s is None

    @property
    def is_stale(self) -> bool:
        """Whether it failed so long ago that another may not."""
        return (
            self.is_done
            and self._failed_s is not None
            and self._clock.monotonic_s() - self._failed_s >= RETRY_S
        )

    def _run(self, path: Path, read: Callable[[Path], int | None]) -> None:
        try:
            self.number = read(path)
        except PermissionError:
            self.is_withheld = True  # which does not pass
        except OSError:
            self._failed_s = self._clock.monotonic_s()
        finally:
            self._done.set()


@dataclass
class ControlFiles:
    """Those of processes that were asked for."""

    proc: Path = Path("/proc")
    read: Callable[[Path], int | None] = number_in
    patience_s: float = PATIENCE_S
    clock: Clock = field(default_factory=SystemClock)
    _readings: dict[_Process, _Reading] = field(default_factory=dict)
    _unread: dict[tuple[str, str], _Reading] = field(default_factory=dict)
    """By folder and by who sees it so: those that have not answered, or failed a moment ago."""

    @property
    def are_withheld(self) -> bool:
        """Whether there are processes of which this user may not know it."""
        return any(one.is_withheld for one in self._readings.values())

    def number_of(self, pid: int) -> int | None:
        """The number of the PostgreSQL that a process works for; None: of none, or it is not known, or not yet."""
        folder = self.proc / str(pid)
        process = (pid, state_and_start(folder)[1])
        reading = self._readings.get(process)
        if reading is not None and reading.is_stale:
            reading = None
        if reading is None and (reading := self._reading_of(folder)) is not None:
            if len(self._readings) >= _PROCESSES_MAX:
                self._readings.clear()
            self._readings[process] = reading
        return None if reading is None else reading.number

    def _reading_of(self, folder: Path) -> _Reading | None:
        """A new one, unless the same folder is waited for already or just failed; None: others keep too many waiting."""
        self._unread = {
            place: one for place, one in self._unread.items() if not (one.is_answer or one.is_stale)
        }
        place = _target(folder / "cwd"), _target(folder / "ns" / "mnt")
        if place in self._unread:
            return self._unread[place]
        if sum(not one.is_done for one in self._unread.values()) >= UNREAD_MAX:
            return None
        reading = _Reading(folder / "cwd" / "global" / "pg_control", self.read, self.patience_s, self.clock)
        if not reading.is_answer:
            self._unread[place] = reading
        return reading


def _target(link: Path) -> str:
    """Where it leads; the kernel knows without asking whoever keeps that folder."""
    try:
        return os.readlink(link)
    except OSError:
        return str(link)
