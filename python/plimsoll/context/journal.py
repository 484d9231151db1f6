"""The list of what a command has made outside its store, kept on disk so that the next start can take back what a kill left.

A journal is a file of JSON lines, named for the process that writes it: `<pid>-<start>-<boot>-<token>.journal`. It lies in
a folder named for the host, because a home may be shared by several, and one must not take back what another still uses.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from plimsoll.base.errors import world_error
from plimsoll.ports import files, processes

Entry = dict[str, Any]

_HINT = "Set XDG_STATE_HOME to a folder that you can write to."
_SUFFIX = ".journal"


class Journal:
    """One process's list. The file comes with the first entry and goes with `forget`."""

    def __init__(self, folder: Path) -> None:
        self._folder = _of_this_host(folder)
        self._path: Path | None = None

    def note(self, entry: Entry) -> None:
        """Adds an entry, on disk when this returns. Raises WorldError `journal-refused`."""
        try:
            if self._path is None:
                files.ensure_folder(self._folder)
                self._path = self._folder / _own_name()
            files.append_line(self._path, json.dumps(entry))
        except OSError as error:
            raise world_error(
                "journal-refused", f"write the scratch journal in {self._folder}", error, _HINT
            ) from error

    def forget(self) -> None:
        """Removes the file; what it listed has been taken back."""
        if self._path is not None:
            files.remove(self._path)
            self._path = None


def process_entry(process: processes.Identity, signals: list[int]) -> Entry:
    """An entry for a helper process; the boot tells it from one that has the same id and start after the next boot."""
    return {"pid": process.pid, "ticks": process.start_ticks, "boot": processes.boot_id(), "signals": signals}


def process_of(entry: Entry) -> processes.Identity | None:
    """The process of an entry; None for other entries, and for processes of an earlier boot, which are gone."""
    if "pid" not in entry or entry.get("boot") != processes.boot_id():
        return None
    return processes.Identity(entry["pid"], entry["ticks"])


def abandoned(folder: Path) -> Iterator[tuple[Path, list[Entry]]]:
    """Journals whose writers are dead, each under our own name from now on, so that two starts never share one."""
    host = _of_this_host(folder)
    for path in sorted(host.glob(f"*{_SUFFIX}")) if host.is_dir() else []:
        adopted = _adopt(path)
        if adopted is not None:
            yield adopted, _read(adopted)


def _of_this_host(folder: Path) -> Path:
    return folder / processes.host_name()


def _own_name() -> str:
    me = processes.own_identity()
    return f"{me.pid}-{me.start_ticks}-{processes.boot_id()}-{secrets.token_hex(4)}{_SUFFIX}"


def _adopt(path: Path) -> Path | None:
    """The journal under our own name; None when its writer lives, or another process was faster."""
    parts = path.name.removesuffix(_SUFFIX).split("-")
    if len(parts) != 4 or not (parts[0].isdigit() and parts[1].isdigit()):
        return None
    writer = processes.Identity(int(parts[0]), int(parts[1]))
    if parts[2] == processes.boot_id() and processes.is_alive(writer):
        return None
    try:
        return path.rename(path.with_name(_own_name()))
    except FileNotFoundError:
        return None


def _read(path: Path) -> list[Entry]:
    """Entries of a journal; a last line that was cut off by the kill announced nothing that exists."""
    entries = []
    for line in (files.read_text(path) or "").splitlines():
        with suppress(json.JSONDecodeError):
            entries.append(json.loads(line))
    return [entry for entry in entries if isinstance(entry, dict)]
