"""What iozone prints: a table of file and record sizes, or, with several threads, throughput of each test.

Columns of the table are named over two lines that are set by eye, so they are taken from the tests that the command line asked for:
a line with another number of values is refused. kB are 1,024 bytes, KB of older releases as well. A test that was left out (-+n)
has a 0, and is unknown. Results in operations per second (-O) or in microseconds (-N) and those for spreadsheets (-b) are other
formats; what -R adds for them below the table is left.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from plimsoll.base.units import format_bytes
from plimsoll.dialects.foreign import Imported
from plimsoll.dialects.foreign._bench_text import broken, head_of, imported, number, text_of
from plimsoll.facts import ForeignFigure

_KNOWN = ("3.489",)
_MARK = re.compile(r"^\s*Iozone: Performance Test of File I/O", re.MULTILINE)
_VERSION = re.compile(r"Version \$Revision: ([\d.]+) \$")
_COMMAND = re.compile(r"^\s*Command line used: (.+)$", re.MULTILINE)
_UNIT = re.compile(r"^\s*Output is in [kK][bB]ytes/sec", re.MULTILINE)
_OUTPUT = re.compile(r"\bOutput is in\b")
_HEADER = re.compile(r"\s*[kK][bB]\s+reclen\s+write\b")
_TESTS: dict[int, tuple[str, ...]] = {
    0: ("write", "rewrite"),
    1: ("read", "reread"),
    2: ("random read", "random write"),
    3: ("backward read",),
    4: ("record rewrite",),
    5: ("stride read",),
    6: ("fwrite", "frewrite"),
    7: ("fread", "freread"),
}
_ASKED = re.compile(r"(?:^|\s)-i\s*(\d+)")
_CHILDREN = re.compile(r"\s*Children see throughput for\s+(\d+)\s+(.+?)\s*=\s*(\S+) [kK][bB]/sec")
_EACH = re.compile(
    r"\s*(?:(Parent) sees throughput for\s+\d+\s+.+?|(Min|Max|Avg) throughput per (?:process|thread)|(Min) xfer)"
    r"\s*=\s*(\S+) [kK][bB](?:/sec)?\s*$"
)
_WORKERS = re.compile(r"^\s*Throughput test with \d+ (process|thread)", re.MULTILINE)


class _Iozone:
    def recognises(self, path: Path) -> bool:
        return bool(_MARK.search(head_of(path)))

    def read(self, path: Path) -> Imported:
        text = text_of(path, "iozone")
        if not _UNIT.search(text):
            hint = "Run iozone without -O, -N, -R and -b, and name what it prints."
            lines = enumerate(text.splitlines(), 1)
            at = next((at for at, line in lines if _OUTPUT.search(line)), 1)
            raise broken(path, at, "it does not say that its output is in kBytes/sec", hint)
        figures = (*_table(path, text), *_children(path, text))
        if not figures:
            raise broken(
                path, max(1, len(text.splitlines())), "it has no results: the test did not come to its end"
            )
        version, command = _VERSION.search(text), _COMMAND.search(text)
        told = version[1] if version else None
        settings = [("command line", command[1].strip())] if command else []
        return imported(path, "iozone", told, told in _KNOWN, figures, text, settings)


READER = _Iozone()


def _table(path: Path, text: str) -> Iterator[ForeignFigure]:
    inside = False
    names = _names(text)
    for at, line in enumerate(text.splitlines(), 1):
        if _HEADER.match(line):
            inside = True
            continue
        words = line.split()
        if not inside or not words:
            continue
        if not words[0].isdecimal():
            inside = False
            continue
        values = [_value(path, at, word) for word in words]
        if len(values) != 2 + len(names):
            what = f"it has {len(values) - 2} values, and the tests of the command line are {len(names)}: {', '.join(names)}"
            raise broken(path, at, what)
        kib, record_kib, *rates = values
        of = f"file of {format_bytes(kib * 1024)}, records of {format_bytes(record_kib * 1024)}"
        yield from (
            ForeignFigure(name=name, of=of, value=rate or None, unit="KiB/s")
            for name, rate in zip(names, rates, strict=True)
        )


def _names(text: str) -> list[str]:
    """Of the columns that have values: those of the tests that were asked for, and without any all of them."""
    command = _COMMAND.search(text)
    asked = {int(found) for found in _ASKED.findall(command[1])} if command else set()
    return [name for test, names in _TESTS.items() if not asked or test in asked for name in names]


def _children(path: Path, text: str) -> Iterator[ForeignFigure]:
    """Of several at once: what all of them did together, by their own count and by their parent's, and each of them."""
    told = _WORKERS.search(text)
    workers = "processes" if told and told[1] == "process" else "threads"
    what = of = ""
    for at, line in enumerate(text.splitlines(), 1):
        if found := _CHILDREN.match(line):
            what, of = " ".join(found[2].split()), f"{found[1]} {workers} together"
            yield ForeignFigure(name=what, of=of, value=_value(path, at, found[3]), unit="KiB/s")
        elif what and (found := _EACH.match(line)):
            parent, each, moved, said = found.groups()
            name = f"{what}, {'parent' if parent else f'{each or moved} of each'.lower()}"
            name += ", moved" if moved else ""
            unit = "KiB" if moved else "KiB/s"
            yield ForeignFigure(name=name, of=of, value=_value(path, at, said), unit=unit)


def _value(path: Path, at: int, said: str) -> float:
    value = number(said)
    if value is None:
        raise broken(path, at, f"'{said[:40]}' is no number")
    if value < 0:
        raise broken(path, at, f"'{said[:40]}' is less than nothing")
    return value
