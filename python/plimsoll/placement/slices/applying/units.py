"""Units of systemd that stand for slices: files in its folder, and commands that have it heed them, each with its way back."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Self

from plimsoll.base.errors import WorldError, world_error
from plimsoll.placement.slices.applying.acts import Act, BusyError, Learned, taken
from plimsoll.ports import processes
from plimsoll.ports.folders import open_trusted

FOLDER = Path("/etc/systemd/system")
_PROGRAM = "systemctl"
_PATIENCE_S = 120.0
_FILE_MODE, _FOLDER_MODE = 0o644, 0o755


@dataclass(frozen=True)
class MakeDropIns(Act):
    """A folder of drop-ins, where there is none yet."""

    path: str
    had: bool = False
    kind: ClassVar[str] = "drop-ins"

    @property
    def words(self) -> str:
        return f"mkdir -p {self.path}"

    @property
    def back(self) -> str:
        return "" if self.had else f"rmdir {self.path}"

    def seen(self) -> Self:
        return type(self)(self.path, os.path.lexists(self.path))

    def do(self) -> Learned:
        path = Path(self.path)
        try:
            with open_trusted(path.parent) as folder:
                folder.ensured_child(path.name, _FOLDER_MODE).close()
        except OSError as error:
            raise _refused(f"make {path}", error) from error
        return {}

    def take_back(self, learned: Learned | None) -> None:
        path = Path(self.path)
        if self.had:
            return
        try:
            with open_trusted(path.parent) as folder:
                folder.remove_if_empty(path.name)
        except OSError as error:
            raise BusyError(f"could not remove {path}: {error.strerror}") from error


@dataclass(frozen=True)
class WriteUnit(Act):
    """A new file of systemd's folder."""

    path: str
    text: str
    kind: ClassVar[str] = "unit"

    @property
    def words(self) -> str:
        lines = "".join(f"\n    {line}" for line in self.text.splitlines())
        return f"write {self.path}:{lines}"

    @property
    def back(self) -> str:
        return f"rm {self.path}"

    def seen(self) -> Self:
        if os.path.lexists(self.path):
            raise taken(self.path)
        return self

    def do(self) -> Learned:
        path = Path(self.path)
        try:
            with open_trusted(path.parent) as folder:
                folder.add_whole(path.name, self.text.encode(), _FILE_MODE)
        except FileExistsError as error:
            raise taken(self.path) from error
        except OSError as error:
            raise _refused(f"write {path}", error) from error
        return {}

    @property
    def is_gone(self) -> bool:
        return not os.path.lexists(self.path)

    def left(self, learned: Learned | None, going: Collection[Path] = ()) -> str | None:
        path = Path(self.path)
        with _removing(path), open_trusted(path.parent) as folder:
            if folder.look(path.name) is None:
                return None
            with folder.open_file(path.name) as file:
                found = file.read(len(self.text.encode()) + 1)
            if found != self.text.encode():
                return f"{path} was changed meanwhile, and is left as it is"
        return None

    def take_back(self, learned: Learned | None) -> None:
        path = Path(self.path)
        with _removing(path), open_trusted(path.parent) as folder:
            if learned is None:
                # A kill while it was written: then the file has another name.
                folder.remove_parts()
            folder.remove_file(path.name)
            folder.settle()


@contextmanager
def _removing(path: Path) -> Iterator[None]:
    """Raises BusyError; a folder that is gone has taken the file with it."""
    try:
        yield
    except FileNotFoundError:
        return
    except OSError as error:
        raise BusyError(f"could not remove {path}: {error.strerror}") from error


@dataclass(frozen=True)
class Command(Act):
    """Words for systemctl, and those that take them back; either may be none."""

    there: tuple[str, ...]
    way_back: tuple[str, ...]
    kind: ClassVar[str] = "systemctl"

    @property
    def words(self) -> str:
        return " ".join([_PROGRAM, *self.there])

    @property
    def back(self) -> str:
        return " ".join([_PROGRAM, *self.way_back]) if self.way_back else ""

    def do(self) -> Learned:
        why = _said(self.there)
        if why is not None:
            message = f"`{self.words}` failed: {why}"
            raise WorldError("slices-refused", message, "See `journalctl -xe` for what systemd says of it.")
        return {}

    def take_back(self, learned: Learned | None) -> None:
        why = _said(self.way_back)
        if why is None or learned is None:
            return
        # A revert that was killed has removed files of units: those are off, and systemd does not know them any more.
        left = _there(self.way_back)
        if left != self.way_back:
            why = _said(left) if left else None
        if why is not None:
            raise BusyError(f"`{self.back}` failed: {why}")


def _there(words: tuple[str, ...]) -> tuple[str, ...]:
    """The same without units whose files are gone; empty: it was about these alone."""
    kept = tuple(one for one in words[1:] if one.startswith("-") or os.path.lexists(FOLDER / one))
    if len(kept) == len(words) - 1:
        return words
    return (words[0], *kept) if any(not one.startswith("-") for one in kept) else ()


def _said(words: tuple[str, ...]) -> str | None:
    """Why it failed; None: it did not, or there was nothing to do."""
    if not words:
        return None
    try:
        done = processes.run([_PROGRAM, *words], timeout_s=_PATIENCE_S)
    except (OSError, processes.TimeoutExpired) as error:
        return str(error)
    return None if done.returncode == 0 else " ".join(done.stderr.split()) or f"status {done.returncode}"


def _refused(doing: str, error: OSError) -> WorldError:
    return world_error(
        "slices-refused", doing, error, "Run it as root, on a host whose /etc can be written to."
    )
