"""Lines of a log that another tool wrote: read one by one, those that are broken kept with their number."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from plimsoll.base.errors import PlimsollError, UnreadableError, input_error
from plimsoll.ports import files

HEAD_BYTES = 1 << 16
_BYTES_MAX = 4 << 30
"""A day of a thousand transactions a second: what is longer is read in parts, or nothing of the kind."""
_LINE_BYTES_MAX = 8 << 20
"""A histogram of five digits over all values, in base64, is a fourth of it."""
_TOLD_MAX = 20
"""Broken lines that are told one by one; the others are counted."""


@dataclass
class Broken:
    """Lines of one file, or of several, that could not be read."""

    told: list[PlimsollError] = field(default_factory=list)
    count: int = 0

    def add(self, path: Path, number: int, reason: str) -> None:
        """One more."""
        self.count += 1
        if self.count <= _TOLD_MAX:
            hint = "The other lines were read; look at this one, or take it out."
            self.told.append(UnreadableError("import-line-broken", f"{path}, line {number}: {reason}", hint))

    def errors(self, path: Path) -> tuple[PlimsollError, ...]:
        """Those that are told, and how many more there are."""
        if self.count <= _TOLD_MAX:
            return tuple(self.told)
        message = f"{path}: {self.count - _TOLD_MAX:,} further lines could not be read"
        return (
            *self.told,
            UnreadableError("import-line-broken", message, "Look whether all of it is of one tool."),
        )


def head(path: Path, count: int = 20) -> list[str]:
    """The first lines of a file; none of one that cannot be read."""
    text = files.read_head(path, HEAD_BYTES) or ""
    return text.split("\n")[:count] if path.is_file() else []


def each(path: Path, broken: Broken, take: Callable[[str], None]) -> None:
    """Hands over every line that is not empty; one for which ValueError is raised counts as broken.

    Raises UnreadableError `import-broken` for a file without end, `import-unreadable` for one that cannot be read.
    """
    for number, line in _numbered(path):
        try:
            if len(line) > _LINE_BYTES_MAX:
                raise ValueError(f"it is longer than {_LINE_BYTES_MAX:,} bytes")
            text = line.decode()
            if text.strip():
                take(text.rstrip("\r\n"))
        except UnicodeDecodeError:
            broken.add(path, number, "it is no text")
        except ValueError as error:
            broken.add(path, number, str(error))


def _numbered(path: Path) -> Iterator[tuple[int, bytes]]:
    """Of a line that is too long its beginning, which is one byte longer than what is taken."""
    read, number, inside = 0, 0, False
    try:
        with files.open_regular(path) as file:
            while part := file.readline(_LINE_BYTES_MAX + 1):
                read += len(part)
                if read > _BYTES_MAX:
                    message = f"{path} is longer than {_BYTES_MAX:,} bytes"
                    raise UnreadableError("import-broken", message, "Split it by lines, and name the parts.")
                if not inside:
                    number += 1
                    yield number, part
                inside = not part.endswith(b"\n")
    except OSError as error:
        raise input_error("import-unreadable", path, error, "Look at it with ls -l.") from error
