"""The lines of values that bonnie++ prints, each of a run (format 1.97 or 1.98), fields by commas.

They may stand below the table that bonnie++ prints for people, what it says of its progress, and the names of the fields (`-x`).
`+++++` stands where something was too fast to be timed: that is unknown, and not nothing. KiB per second are of 1,024 bytes.
Source: the fields' order in bonnie++'s own bon_csv2txt; 1.98 has two more, size and number of processes of seeks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from plimsoll.dialects.foreign import Imported
from plimsoll.dialects.foreign._bench_text import broken, head_of, imported, number, text_of, together
from plimsoll.facts import ForeignFigure

_FIELDS = {"1.97": 48, "1.98": 50}
_LINE = re.compile(r"^\s*1\.9\d,[12]\.\w+,", re.MULTILINE)
_TABLE = re.compile(r"Version\s+\S+\s+-+Sequential")
_PROGRESS = re.compile(
    r"format_version,|Using uid:|start 'em\.\.\.|"
    r"(?:Writing|Rewriting|Reading|Create files|Stat files|Delete files)\b.*\.\.\."
)
_SETTINGS = ("name", "concurrency", "seed", "file size", "chunk size", "seek chunk size", "seek processes")
_BLOCKS = ("write, per character", "write, per block", "rewrite", "read, per character", "read, per block")
_FILES = (
    "create, in order",
    "stat, in order",
    "delete, in order",
    "create, at random",
    "stat, at random",
    "delete, at random",
)
_DETAILS = ("number of files", "largest file", "smallest file", "folders", "file chunk size")
_LATENCY = re.compile(r"(\d+(?:\.\d+)?)(us|ms|s)")
_TOO_FAST, _TOO_FAST_CPU = "+++++", "+++"
_US = {"us": 1.0, "ms": 1e3, "s": 1e6}


class _Bonnie:
    def recognises(self, path: Path) -> bool:
        return bool(_LINE.search(head_of(path)))

    def read(self, path: Path) -> Imported:
        """Each line is a result: bonnie++ adds one for each of its runs (`-x`), and users put those of several hosts together."""
        return together(_lines(text_of(path, "bonnie++")), partial(_result, path))


READER = _Bonnie()


def _lines(text: str) -> Iterator[tuple[str, int]]:
    """What may be lines of values, and where they stand: not a table from its head to the values below it."""
    in_table = False
    for at, line in enumerate(text.splitlines(), 1):
        is_values = bool(_LINE.match(line))
        in_table = not is_values and (in_table or bool(_TABLE.match(line)))
        said = line.strip()
        if said and not in_table and not _PROGRESS.match(said):
            yield said, at


def _result(path: Path, line: str, at: int) -> Imported:
    fields = line.split(",")
    wanted = _FIELDS.get(fields[0])
    if not _LINE.match(line):
        raise broken(path, at, f"it is no line of values of bonnie++: '{line[:60]}'")
    if wanted is None:
        what = f"it is of format {fields[0]}, and {' and '.join(_FIELDS)} are known"
        raise broken(path, at, what, "Write it anew with bonnie++ 2.00.")
    if len(fields) != wanted:
        raise broken(path, at, f"it has {len(fields)} fields, and format {fields[0]} has {wanted}")
    many = wanted - 43
    settings = [pair for pair in zip(_SETTINGS[:many], fields[2 : 2 + many], strict=True) if pair[1]]
    values = fields[2 + many :]
    details = [pair for pair in zip(_DETAILS, values[12:17], strict=True) if pair[1]]
    figures = tuple(_figures(path, at, values))
    title = f"{fields[2]}, files of {fields[5]}" if fields[5] else f"{fields[2]}, files created alone"
    return imported(path, "bonnie++", fields[1], True, figures, f"{line}\n", (*settings, *details), title)


def _figures(path: Path, at: int, values: Sequence[str]) -> Iterator[ForeignFigure]:
    """Of `values` 12 are of blocks and seeks, 5 of what files are like, 12 of files, and 12 latencies."""
    rates = [(name, "KiB/s") for name in _BLOCKS] + [("seeks", "per s")]
    rates += [(name, "files/s") for name in _FILES]
    pairs = (*values[:12], *values[17:29])
    for number_, (name, unit) in enumerate(rates):
        yield _figure(path, at, name, unit, pairs[2 * number_], _TOO_FAST)
        yield _figure(path, at, f"CPU time, {name}", "%", pairs[2 * number_ + 1], _TOO_FAST_CPU)
    for (name, _), said in zip(rates, values[29:41], strict=True):
        yield _latency(path, at, f"highest latency, {name}", said)


def _figure(path: Path, at: int, name: str, unit: str, said: str, too_fast: str) -> ForeignFigure:
    """Empty is a test that was not made."""
    value = number(said)
    if value is None and said not in ("", too_fast):
        raise broken(path, at, f"{name} is no number: '{said[:40]}'")
    if value is not None and value < 0:
        raise broken(path, at, f"{name} is less than nothing: '{said[:40]}'")
    return ForeignFigure(name=name, value=value, unit=unit)


def _latency(path: Path, at: int, name: str, said: str) -> ForeignFigure:
    found = _LATENCY.fullmatch(said)
    if found is None and said.strip("+"):
        raise broken(path, at, f"{name} is no time: '{said[:40]}'")
    return ForeignFigure(name=name, value=float(found[1]) * _US[found[2]] if found else None, unit="µs")
