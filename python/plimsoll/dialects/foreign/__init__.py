"""Result files of other tools: facts from what they wrote. One tool's format, one file here: `fio_json.py` reads fio's JSON.

Each file holds a `READER`. What the other tool does not tell stays unknown; nothing is worked out that its file does not say.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol, cast

from plimsoll.base import registry
from plimsoll.base.errors import PlimsollError, UnreadableError, input_error
from plimsoll.facts import Calibration, Cell, ForeignBench, Note, OperationLog, Target
from plimsoll.ports import files

_HINT = (
    "Name the JSON that fio wrote (fio --output-format=json --output=FILE), a file that ORION wrote,"
    " a log of pgbench (pgbench --log) or of HdrHistogram (.hlog), JSON of iperf3, hpccoutf.txt, the line of bonnie++,"
    " or what iozone or perftest printed."
)


_HEAD_BYTES = 1 << 16
_REPORT = re.compile(r"<html|STATSPACK|WORKLOAD REPOSITORY|\bAWR\b|Active Session History", re.IGNORECASE)
"""What stands at the beginning of reports that databases print."""
IOS_FAILED, FIGURES_DIFFER, FIGURES_UNREAD = "ios-failed", "figures-differ", "figures-unread"
"""Notes that say more than where a result comes from: what they tell reaches the exit status."""


@dataclass(frozen=True)
class Imported:
    """What one file, or one family of files such as ORION's, says. `title` is for `plimsoll store list`."""

    tool: str
    title: str
    files: tuple[Path, ...]
    """All files that were read for it."""
    tool_version: str | None = None
    started_at: datetime | None = None
    """None where the file does not tell; the import's own time is then the only one there is."""
    ended_at: datetime | None = None
    targets: tuple[Target, ...] = ()
    cells: tuple[Cell, ...] = ()
    calibration: Calibration | None = None
    operation_log: OperationLog | None = None
    bench: ForeignBench | None = None
    notes: tuple[Note, ...] = ()
    more: tuple[Imported, ...] = ()
    """Further results that stand in the same file."""
    failures: tuple[PlimsollError, ...] = ()
    """Why others there could not be read."""


class Reader(Protocol):
    """One format. `recognises` looks at little and never raises for a file that is something else."""

    def recognises(self, path: Path) -> bool:
        """Whether the file looks like one of this format; not for one that is missing or cannot be read."""
        ...

    def read(self, path: Path) -> Imported:
        """What it says. Raises PlimsollError naming file, line and the way on when it is broken."""
        ...


def names() -> list[str]:
    """The formats' names, sorted."""
    return registry.names(sys.modules[__name__])


def load(name: str) -> Reader:
    """The reader called `name`. Raises UsageError `foreign-unknown`."""
    return cast(Reader, registry.load(sys.modules[__name__], name, "READER"))


def read(path: Path, formats: Sequence[str] | None = None) -> Imported:
    """The file, by the first reader that recognises it; ORION's are found by their folder or common beginning, too.

    Raises UnreadableError `import-unknown`, WorldError `import-unreadable`.
    """
    for name in names() if formats is None else formats:
        reader = load(name)
        if reader.recognises(path):
            return reader.read(path)
    if os.path.isdir(path):
        _check_open(path)
        message = f"the folder {path} holds no files of an ORION test"
        raise UnreadableError("import-unknown", message, "Name the result files themselves.")
    _check_readable(path)
    raise _unknown(path)


def _unknown(path: Path) -> UnreadableError:
    """What the file seems to be instead, with the next step."""
    head = files.read_head(path, _HEAD_BYTES) or ""
    if not head:
        hint = "Look whether the tool that writes it has ended, and name its result again."
        return UnreadableError("import-unknown", f"{path} is empty", hint)
    begin = head.lstrip()
    if begin.startswith("{") and '"plimsoll' in begin[:200]:
        hint = "A demand is judged with plimsoll assess --demand FILE; runs are in plimsoll store list."
        return UnreadableError("import-unknown", f"{path} was written by Plimsoll itself", hint)
    if _REPORT.search(begin):
        hint = "Reports of databases are read with plimsoll read FILE."
        return UnreadableError("import-unknown", f"{path} looks like a page or a report of a database", hint)
    return UnreadableError("import-unknown", f"{path} is in no format that can be imported", _HINT)


def _check_open(folder: Path) -> None:
    """That what a folder holds can be seen at all. Raises WorldError `import-unreadable`."""
    try:
        os.scandir(folder).close()
    except OSError as error:
        raise input_error("import-unreadable", folder, error, "Name a folder that you can read.") from error


def _check_readable(path: Path) -> None:
    try:
        files.open_regular(path).close()
    except PermissionError as error:
        raise input_error("import-unreadable", path, error, "Name a file that you can read.") from error
    except OSError as error:
        raise input_error("import-unreadable", path, error, "Check the name and the folder.") from error
