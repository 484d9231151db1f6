"""Prints a hash of all that is read of each report in a folder, and one of them all: two commits that read alike print alike.

    PLIMSOLL_CORPUS=FOLDER .venv/bin/python scripts/corpus_hash.py > before.txt

The hash is of JSON: what is known of the report, each row of each table and view with its cells, and the demand that is made of it.
Run again after a change, `diff` names the reports that are read otherwise. Neither the host nor where the folder lies counts.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from plimsoll.facts import ReportedInterval
from plimsoll.reports.figures.interval import intervals_of
from plimsoll.reports.reader import Reading, read_all, views
from plimsoll.reports.sources import sources
from plimsoll.reports.tables import CELLS, PROBLEMS, TABLES, rows_of
from plimsoll.reports.walk import Walk

USAGE = 2
FAILED = 4


def main(words: Sequence[str]) -> int:
    """Of the folder that is named, else of that in PLIMSOLL_CORPUS."""
    folder = words[0] if words else os.environ.get("PLIMSOLL_CORPUS")
    if folder is None:
        print("error: no folder was named, and PLIMSOLL_CORPUS names none", file=sys.stderr)
        return USAGE
    of_all, count = hashlib.sha256(), 0
    for name, digest in digests(Path(folder)):
        print(f"{digest}  {name}", flush=True)
        of_all.update(f"{digest}  {name}\n".encode())
        count += 1
    if not count:
        print(f"error: nothing to read in {folder}", file=sys.stderr)
        return FAILED
    print(f"{of_all.hexdigest()}  all {count:,}")
    return 0


def digests(folder: Path) -> Iterator[tuple[str, str]]:
    """Each report, by its name below the folder, and the hash of what is read of it."""
    wanted = frozenset((*(view.name for view in views()), TABLES, CELLS, PROBLEMS))
    for source in sources(Walk((folder,)).entries()):
        # Where the folder lies is no part of what a report says.
        named = replace(source, file=os.path.relpath(source.file, folder))
        for reading in read_all(named):
            name = reading.report.file + (f"/{reading.report.member}" if reading.report.member else "")
            yield name, _digest(reading, wanted)


def _digest(reading: Reading, wanted: frozenset[str]) -> str:
    found = hashlib.sha256()
    for part in _parts(reading, wanted):
        found.update(json.dumps(part, sort_keys=True, ensure_ascii=False).encode() + b"\n")
    return found.hexdigest()


def _parts(reading: Reading, wanted: frozenset[str]) -> Iterator[Any]:
    yield reading.whole().model_dump(mode="json")
    yield from ([table, rows] for table, rows in rows_of(reading, wanted))
    demand: tuple[ReportedInterval, ...] = intervals_of(reading.report, reading.content)
    yield [interval.model_dump(mode="json") for interval in demand]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
