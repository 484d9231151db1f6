"""Result files of other tools: facts from what they wrote. One tool's format, one file here: `fio_json.py` reads fio's JSON.

Each file holds a `READER`. What the other tool does not tell stays unknown; nothing is worked out that its file does not say.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol, cast

from plimsoll.base import registry
from plimsoll.base.errors import PlimsollError, UnreadableError, input_error
from plimsoll.facts import Calibration, Cell, Note, OperationLog, Target
from plimsoll.ports import files

_HINT = (
    "Name the JSON that fio wrote (fio --output-format=json --output=FILE), a file that ORION wrote,"
    " a log of pgbench (pgbench --log) or of HdrHistogram (.hlog)."
)


IOS_FAILED, FIGURES_DIFFER = "ios-failed", "figures-differ"
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
    if path.is_dir():
        raise UnreadableError("import-unknown", f"the folder {path} holds no test of ORION's", _HINT)
    _check_readable(path)
    raise UnreadableError("import-unknown", f"{path} is of no format that can be read here", _HINT)


def _check_readable(path: Path) -> None:
    try:
        files.open_regular(path).close()
    except OSError as error:
        raise input_error("import-unreadable", path, error, _HINT) from error
