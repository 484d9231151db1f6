"""What the tests of perftest print (`ib_write_bw`, `ib_send_lat` …): a table of message sizes, of bandwidth or of latency.

Its text does not name its version. MB of older releases are MiB, as the newer ones write; with `--report_gbits` they are Gbit/s.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from plimsoll.dialects.foreign import Imported
from plimsoll.dialects.foreign._bench_text import broken, head_of, imported, number, text_of
from plimsoll.facts import ForeignFigure

_HEADER = re.compile(r"^\s*#bytes\s+#iterations\s+(.+)$", re.MULTILINE)
_COLUMN = re.compile(r"((?:[\w%.]+ )*[\w%.]+) ?\[([^\]]+)\]")
_TITLE = re.compile(
    r"^\s*((?:RDMA|Send|RDMA_Write|Atomic|Raw Ethernet)[\w /-]* (?:BW|Latency|Bidirectional BW) ?[\w ]*Test)",
    re.MULTILINE,
)
_SETTING = re.compile(
    r"^ ?(Device|Transport type|Connection type|Number of qps|Mtu|Link type|TX depth|Dual-port)\s*:\s*(.+?)(?:\s{2,}.*)?$",
    re.MULTILINE,
)
_UNITS = {"MB/sec": "MiB/s", "MiB/sec": "MiB/s", "Gb/sec": "Gbit/s", "Mpps": "10^6 messages/s", "usec": "µs"}


class _Perftest:
    def recognises(self, path: Path) -> bool:
        return bool(_HEADER.search(head_of(path)))

    def read(self, path: Path) -> Imported:
        text = text_of(path, "perftest")
        figures = tuple(_figures(path, text))
        if not figures:
            raise broken(
                path,
                max(1, len(text.splitlines())),
                "it has no line of results: the test did not come to its end",
            )
        title = _TITLE.search(text)
        settings = [(name, value.strip()) for name, value in _SETTING.findall(text)]
        said = title[1].strip() if title else "a test of perftest"
        return imported(path, "perftest", None, False, figures, text, settings, said)


READER = _Perftest()


def _figures(path: Path, text: str) -> Iterator[ForeignFigure]:
    columns: list[tuple[str, str]] = []
    for at, line in enumerate(text.splitlines(), 1):
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
        of = f"messages of {words[0]} B"
        for (name, unit), value in zip(columns, values[2:], strict=True):
            yield ForeignFigure(name=name, of=of, value=value, unit=unit)


def _columns(path: Path, at: int, text: str) -> list[tuple[str, str]]:
    told: list[tuple[str, str]] = _COLUMN.findall(text)
    found = [(name.strip(), _UNITS.get(unit, unit)) for name, unit in told]
    rest = _COLUMN.sub("", text).strip()
    if not found or rest:
        raise broken(path, at, f"its columns have no units in brackets: '{text.strip()[:60]}'")
    return found
