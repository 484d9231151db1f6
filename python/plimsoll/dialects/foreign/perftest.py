"""What the tests of perftest print (`ib_write_bw`, `ib_send_lat` …): a table of message sizes, of bandwidth or of latency.

Its text does not name its version. MB of older releases are MiB, as the newer ones write; with `--report_gbits` they are Gbit/s.
A run by duration (`-D`) measures no peak, and prints 0.00 for it, as does one without an end or with `--noPeak`: that is unknown.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path

from plimsoll.dialects.foreign import Imported
from plimsoll.dialects.foreign._bench_text import broken, head_of, imported, number, text_of, together
from plimsoll.facts import ForeignFigure, Note

_HEADER = re.compile(r"^\s*#bytes\s+#iterations\s+(.+)$", re.MULTILINE)
_COLUMN = re.compile(r"((?:[\w%.]+ )*[\w%.]+) ?\[([^\]]+)\]")
_TITLE = re.compile(
    r"^\s*((?:RDMA|Send|RDMA_Write|Atomic|Raw Ethernet)[\w /-]* (?:BW|Latency|Bidirectional BW) ?[\w ]*Test)",
    re.MULTILINE,
)
_NAMES = "Device|Transport type|Connection type|Number of qps|Mtu|Link type|TX depth|Dual-port"
_SETTING = re.compile(
    rf"(?:^[^\S\n]*|[^\S\n]{{2,}}|\t)({_NAMES})[^\S\n]*:[^\S\n]*(\S.*?)(?=[^\S\n]{{2,}}|\t|$)", re.MULTILINE
)
"""One or two stand in a line, with a tab or some blanks between them."""
_BARE = re.compile(r"\btps average\b")
"""Of latency by duration, which has no brackets behind it: round trips per second."""
_WARNINGS = {
    "perftest-no-peak": re.compile(r"BW peak won't be measured"),
    "perftest-clock": re.compile(r"Conflicting CPU frequency values detected"),
}
_MEANS = {
    "perftest-no-peak": "the 0.00 that it prints for it is unknown here",
    "perftest-clock": "it takes its times by the clock of the CPU, and all of its figures may be off by as much",
}
_UNITS = {"MB/sec": "MiB/s", "MiB/sec": "MiB/s", "Gb/sec": "Gbit/s", "Mpps": "10^6 messages/s", "usec": "µs"}


class _Perftest:
    def recognises(self, path: Path) -> bool:
        return bool(_HEADER.search(head_of(path)))

    def read(self, path: Path) -> Imported:
        """Each table is a result, with what stands above it from the end of the one before."""
        return together(_tests(text_of(path, "perftest")), partial(_result, path))


READER = _Perftest()


def _tests(text: str) -> Iterator[tuple[str, int]]:
    """The text of each test, and how many lines stand before it."""
    lines = text.splitlines(keepends=True)
    tables = [at for at, line in enumerate(lines) if _HEADER.match(line)]
    begins = [_end_of_results(lines, header, following) for header, following in pairwise(tables)]
    for begin, end in pairwise([0, *begins, len(lines)]):
        yield "".join(lines[begin:end]), begin


def _end_of_results(lines: Sequence[str], header: int, following: int) -> int:
    """The line behind the last one of results between two headers."""
    results = [at for at in range(header, following) if (lines[at].split() or [""])[0].isdecimal()]
    return max(results, default=header) + 1


def _result(path: Path, text: str, before: int) -> Imported:
    figures = tuple(_figures(path, text, before))
    if not figures:
        what = "it has no line of results: the test did not come to its end"
        raise broken(path, before + max(1, len(text.splitlines())), what)
    title = _TITLE.search(text)
    settings = [(name, value.strip()) for name, value in _SETTING.findall(text)]
    said = title[1].strip() if title else "a test of perftest"
    return imported(
        path, "perftest", None, False, figures, text, settings, said, notes=tuple(_warnings(text))
    )


def _warnings(text: str) -> Iterator[Note]:
    """What it says against its own figures, each once."""
    for code, mark in _WARNINGS.items():
        line = next((line.strip() for line in text.splitlines() if mark.search(line)), None)
        if line is not None:
            said = line.removeprefix("WARNING:").strip().rstrip(".")
            yield Note(code=code, message=f"perftest warns: {said[:160]}; {_MEANS[code]}")


def _figures(path: Path, text: str, before: int) -> Iterator[ForeignFigure]:
    columns: list[tuple[str, str]] = []
    seen = Counter[str]()
    for at, line in enumerate(text.splitlines(), before + 1):
        if found := _HEADER.match(line):
            columns = _columns(path, at, found[1])
            continue
        words = line.split()
        if not columns or not words or not words[0].isdecimal():
            continue
        values = [number(word) for word in words]
        if len(values) != 2 + len(columns) or any(value is None for value in values):
            raise broken(
                path, at, f"it has {len(values)} values, and its table has {2 + len(columns)} columns"
            )
        seen[words[0]] += 1
        # A test that goes on for long (--run_infinitely) prints the same size again and again.
        again = "" if seen[words[0]] == 1 else f", line {seen[words[0]]}"
        of = f"messages of {words[0]} B{again}"
        told = {name: value for (name, _), value in zip(columns, values[2:], strict=True)}
        for name, unit in columns:
            yield ForeignFigure(name=name, of=of, value=_known(name, told), unit=unit)


def _known(name: str, told: Mapping[str, float | None]) -> float | None:
    """A peak of nothing above an average is one that was not measured."""
    value = told[name]
    return None if name == "BW peak" and value == 0 and told.get("BW average") else value


def _columns(path: Path, at: int, text: str) -> list[tuple[str, str]]:
    named = _BARE.sub(lambda bare: f"{bare[0]}[per second]", text)
    told: list[tuple[str, str]] = _COLUMN.findall(named)
    found = [(name.strip(), _UNITS.get(unit, unit)) for name, unit in told]
    rest = _COLUMN.sub("", named).strip()
    if not found or rest:
        raise broken(path, at, f"its columns have no units in brackets: '{text.strip()[:60]}'")
    return found
