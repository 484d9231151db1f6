"""The lines of a file of ORION's, and the error that names one of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from plimsoll.base.errors import UnreadableError, input_error
from plimsoll.ports import files

_BYTES_MAX = 1 << 20
"""A summary and a table of some hundred points are some kilobytes."""
HISTOGRAM_BYTES_MAX = 16 << 20
"""Histograms have some 30 lines for each point and size."""


@dataclass(frozen=True)
class Lines:
    """A text file by lines, numbered from 1."""

    path: Path
    lines: tuple[str, ...]

    def numbered(self) -> list[tuple[int, str]]:
        """Each line with its number, without blanks at its ends."""
        return [(number, line.strip()) for number, line in enumerate(self.lines, start=1)]

    def broken(self, number: int | None, reason: str) -> UnreadableError:
        """The error for a line, or for the whole file where none is to blame."""
        where = str(self.path) if number is None else f"{self.path}:{number}"
        hint = "Name a file as ORION wrote it; the others of its test are looked for beside it."
        return UnreadableError("orion-unreadable", f"{where}: {reason}", hint)


def read_lines(path: Path, bytes_max: int = _BYTES_MAX) -> Lines:
    """The file. Raises WorldError `import-unreadable`, UnreadableError `orion-unreadable` when it cannot be a text of ORION's."""
    try:
        content = files.read_input(path, bytes_max)
    except files.TooLargeError as error:
        raise Lines(path, ()).broken(None, "it is far larger than anything ORION writes") from error
    except OSError as error:
        raise input_error("import-unreadable", path, error, "Look at it with ls -l.") from error
    text = content.decode("utf-8-sig", errors="replace").replace("\r\n", "\n")
    return Lines(path, tuple(text.split("\n")))


def shortened(text: str) -> str:
    """What was found, fit for an error of one line."""
    clean = "".join(letter if letter.isprintable() else "?" for letter in text)
    return clean if len(clean) <= 40 else f"{clean[:40]}…"
