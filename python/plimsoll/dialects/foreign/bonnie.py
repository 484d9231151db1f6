"""The lines of values that bonnie++ prints, each of a run (format 1.97 or 1.98), fields by commas.

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
_LINE = re.compile(r"1\.9\d,[12]\.\w+,")
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
_US = {"us": 1.0, "ms": 1e3, "s": 1e6}


class _Bonnie:
    def recognises(self, path: Path) -> bool:
        return bool(_LINE.match(_first(head_of(path))))

    def read(self, path: Path) -> Imported:
        """Each line is a result: bonnie++ adds one for each of its runs (`-x`), and users put those of several hosts together."""
        lines = enumerate(text_of(path, "bonnie++").splitlines(), 1)
        filled = [(line.strip(), at) for at, line in lines if line.strip()]
        return together(filled, partial(_result, path))


READER = _Bonnie()


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
    title = f"{fields[2]}, files of {fields[5]}"
    return imported(path, "bonnie++", fields[1], True, figures, f"{line}\n", (*settings, *details), title)


def _first(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


def _figures(path: Path, at: int, values: Sequence[str]) -> Iterator[ForeignFigure]:
    """Of `values` 12 are of blocks and seeks, 5 of what files are like, 12 of files, and 12 latencies."""
    rates = [(name, "KiB/s") for name in _BLOCKS] + [("seeks", "per s")]
    rates += [(name, "files/s") for name in _FILES]
    pairs = (*values[:12], *values[17:29])
    for number_, (name, unit) in enumerate(rates):
        yield _figure(path, at, name, unit, pairs[2 * number_])
        yield _figure(path, at, f"CPU time, {name}", "%", pairs[2 * number_ + 1])
    for (name, _), said in zip(rates, values[29:41], strict=True):
        yield _latency(path, at, f"highest latency, {name}", said)


def _figure(path: Path, at: int, name: str, unit: str, said: str) -> ForeignFigure:
    value = number(said)
    if value is None and said.strip("+"):
        raise broken(path, at, f"{name} is no number: '{said[:40]}'")
    return ForeignFigure(name=name, value=value, unit=unit)


def _latency(path: Path, at: int, name: str, said: str) -> ForeignFigure:
    found = _LATENCY.fullmatch(said)
    if found is None and said.strip("+"):
        raise broken(path, at, f"{name} is no time: '{said[:40]}'")
    return ForeignFigure(name=name, value=float(found[1]) * _US[found[2]] if found else None, unit="µs")
