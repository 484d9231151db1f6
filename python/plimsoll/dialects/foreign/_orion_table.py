"""One CSV file of ORION's: a value for each small load (columns) beside each large load (rows).

From 11.2 on a paragraph stands before the header. A row ends after its label, or after its last value, where nothing was
measured.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from plimsoll.dialects.foreign._orion_lines import Lines, read_lines, shortened

CORNER = "large/small"
_LOAD = re.compile(r"\d{1,9}")
_VALUE = re.compile(r"\d{1,15}(\.\d{1,9})?")


@dataclass(frozen=True)
class Table:
    """Values by (small load, large load); loads without any value are in `smalls` and `larges` all the same."""

    path: Path
    preamble: str
    """What stands before the header, in lower case."""
    smalls: tuple[int, ...]
    larges: tuple[int, ...]
    values: dict[tuple[int, int], float]


def read_table(path: Path) -> Table:
    """The table. Raises UnreadableError `orion-unreadable` naming file and line."""
    lines = read_lines(path)
    numbered = lines.numbered()
    start = next((i for i, (_, line) in enumerate(numbered) if line.lower().startswith(CORNER)), None)
    if start is None:
        raise lines.broken(None, "no line begins with Large/Small")
    smalls = _header(lines, *numbered[start])
    values: dict[tuple[int, int], float] = {}
    larges: dict[int, None] = {}
    for number, line in numbered[start + 1 :]:
        if line:
            large, found = _row(lines, number, line, smalls)
            if large in larges:
                raise lines.broken(number, f"a second row for {large} large I/Os")
            larges[large] = None
            values |= {(small, large): value for small, value in found.items()}
    preamble = " ".join(line for _, line in numbered[:start]).lower()
    return Table(path, preamble, tuple(smalls), tuple(larges), values)


def _header(lines: Lines, number: int, line: str) -> list[int]:
    corner, *words = line.split(",")
    if corner.strip().lower() != CORNER:
        raise lines.broken(number, f"cannot read '{shortened(line)}' as the header")
    smalls = [_load(lines, number, word) for word in words]
    if sorted(set(smalls)) != smalls:
        raise lines.broken(number, "the loads of the header do not rise")
    return smalls


def _row(lines: Lines, number: int, line: str, smalls: list[int]) -> tuple[int, dict[int, float]]:
    label, *words = line.split(",")
    if len(words) > len(smalls):
        raise lines.broken(number, f"{len(words)} values, but the header has {len(smalls)} columns")
    found = {
        small: _value(lines, number, word) for small, word in zip(smalls, words, strict=False) if word.strip()
    }
    return _load(lines, number, label), found


def _load(lines: Lines, number: int, word: str) -> int:
    if not _fits(_LOAD, word):
        raise lines.broken(number, f"cannot read '{shortened(word.strip())}' as a number of I/Os outstanding")
    return int(word)


def _value(lines: Lines, number: int, word: str) -> float:
    if not _fits(_VALUE, word):
        raise lines.broken(number, f"cannot read '{shortened(word.strip())}' as a value")
    return float(word)


def _fits(pattern: re.Pattern[str], word: str) -> bool:
    return word.isascii() and pattern.fullmatch(word.strip()) is not None
