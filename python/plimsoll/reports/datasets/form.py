"""How the files of a format are named and how they begin: nothing else is ever taken for ours."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Form:
    """`path` is of the whole path within the folder; a file begins with one of `starts`."""

    path: re.Pattern[str]
    starts: tuple[bytes, ...]

    def is_named(self, path: str) -> bool:
        """Whether a file of this format may lie there."""
        return self.path.fullmatch(path) is not None

    def is_of(self, path: str, start: bytes) -> bool:
        """Whether a file of this path that starts so may be one of this format."""
        return self.is_named(path) and start.startswith(self.starts)
