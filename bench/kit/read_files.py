"""`python bench/kit/read_files.py READER THREADS SECONDS FILE…`: reads reports over and over, and says how fast.

Ours parses to typed tables and hands each of them to Python as Arrow. The others read the text of every cell and nothing more.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


def plimsoll(data: bytes) -> int:
    """Every typed table; the number of their rows."""
    from plimsoll import _core

    report = _core.read_report(data)
    return sum(section.num_rows for section in report.sections().values())


def lxml(data: bytes) -> int:
    """Every cell's text; their number."""
    import lxml.html

    document = lxml.html.document_fromstring(data)
    return len([cell.text_content() for cell in document.iter("td", "th")])


def selectolax(data: bytes) -> int:
    """Every cell's text; their number."""
    from selectolax.lexbor import LexborHTMLParser

    return len([cell.text() for cell in LexborHTMLParser(data).css("td, th")])


READERS: dict[str, Callable[[bytes], int]] = {"plimsoll": plimsoll, "lxml": lxml, "selectolax": selectolax}


def main() -> None:
    """Prints JSON: megabytes per second, passes over all files, and what was read in each."""
    name, threads, seconds, *files = sys.argv[1:]
    reports = [Path(file).read_bytes() for file in files]
    print(json.dumps(_timed(READERS[name], int(threads), float(seconds), reports)))


def _timed(read: Callable[[bytes], int], threads: int, seconds: float, reports: Sequence[bytes]) -> object:
    read(reports[0])
    begin_s = time.perf_counter()

    def in_turn(_: int) -> tuple[int, int]:
        passes = made = 0
        while time.perf_counter() - begin_s < seconds:
            made = sum(map(read, reports))
            passes += 1
        return passes, made

    # Every thread reads all reports: a queue between them would be measured with more threads than one, and not with one.
    with ThreadPoolExecutor(threads) as pool:
        done = list(pool.map(in_turn, range(threads)))
    spent_s = time.perf_counter() - begin_s
    size, passes = sum(map(len, reports)), sum(passes for passes, _ in done)
    return {"mb_per_s": size * passes / spent_s / 1e6, "passes": passes, "bytes": size, "made": done[0][1]}


if __name__ == "__main__":
    main()
