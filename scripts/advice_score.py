"""Scores the findings of `plimsoll advise` against the findings of ADDM that reports print themselves, by family.

    PLIMSOLL_CORPUS=FOLDER .venv/bin/python scripts/advice_score.py

ADDM reads the same waits, so this tells agreement and no truth. Rules see none of its tables. For each family: how many reports
both name, we alone and ADDM alone; precision and recall with their Wilson intervals; the same with each system counted once, so
that a series of one does not decide; and each report in which the two differ. Neither databases nor hosts are named.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path

from plimsoll.reports.intervals import place_of
from plimsoll.reports.reader import Reading, read_all
from plimsoll.reports.sources import sources
from plimsoll.reports.walk import Walk
from plimsoll.rules import KINDS, findings_of, interval_of

USAGE = 2
Z_95 = 1.959964
ADDM = {
    "commits": ("commits and rollbacks",),
    "reads": ("user i/o", "i/o throughput"),
    "contention": ("row lock waits", "buffer busy", "latch free", "shared pool latches"),
    "parsing": ("hard parse", "soft parse", "session connect and disconnect"),
    "cpu": ("cpu usage",),
}
"""Our family → how the names of ADDM's findings begin or what stands in them."""


@dataclass(frozen=True)
class Told:
    """One report: whose it is, and the families that each of the two names."""

    place: str
    system: str
    ours: frozenset[str]
    theirs: frozenset[str]


def main(words: Sequence[str]) -> int:
    """Of the folder that is named, else of that in PLIMSOLL_CORPUS."""
    folder = words[0] if words else os.environ.get("PLIMSOLL_CORPUS")
    if folder is None:
        print("error: no folder was named, and PLIMSOLL_CORPUS names none", file=sys.stderr)
        return USAGE
    told = list(told_in(Path(folder)))
    print(f"{len(told)} reports with findings of ADDM, of {len({one.system for one in told})} systems")
    for family in ADDM:
        _show(family, told)
    return 0


def told_in(folder: Path) -> Iterator[Told]:
    """Each report of an interval that prints findings of ADDM."""
    for source in sources(list(Walk([folder]).entries())):
        for reading in read_all(source):
            if reading.content is not None and reading.report.kind in KINDS and (names := _addm(reading)):
                found = findings_of(interval_of(reading.report, reading.content))
                ours = frozenset(one.family for one in found if one.severity == "finding")
                system = f"{reading.report.db_name} {reading.report.db_id}"
                yield Told(place_of(reading.report), system, ours & set(ADDM), frozenset(_families(names)))


def _addm(reading: Reading) -> list[str]:
    """What ADDM found, in its words."""
    content = reading.content
    if content is None or "addm_findings" not in content.section_names():
        return []
    return [row["finding"] for row in content.section("addm_findings").rows() if row["finding"]]


def _families(names: Sequence[str]) -> Iterator[str]:
    for family, marks in ADDM.items():
        if any(mark in name.lower() for name in names for mark in marks):
            yield family


def _show(family: str, told: Sequence[Told]) -> None:
    print(f"\n{family}")
    print(f"  reports: {_line(family, told)}")
    once = {(one.system, family in one.ours, family in one.theirs): one for one in told}
    print(f"  systems: {_line(family, list(once.values()))}")
    for one in told:
        if (family in one.ours) != (family in one.theirs):
            print(f"    {'we alone' if family in one.ours else 'ADDM alone'}: {os.path.basename(one.place)}")


def _line(family: str, told: Sequence[Told]) -> str:
    both = sum(family in one.ours and family in one.theirs for one in told)
    ours, theirs = (sum(family in families for families in some) for some in _sides(told))
    return f"both {both}, ours {ours}, ADDM's {theirs}; precision {_share(both, ours)}, recall {_share(both, theirs)}"


def _sides(told: Sequence[Told]) -> tuple[list[frozenset[str]], list[frozenset[str]]]:
    return [one.ours for one in told], [one.theirs for one in told]


def _share(right: int, count: int) -> str:
    """With its Wilson interval (E. B. Wilson, 1927)."""
    if not count:
        return "unknown (none)"
    share = right / count
    middle = share + Z_95**2 / (2 * count)
    half = Z_95 * sqrt(share * (1 - share) / count + Z_95**2 / (4 * count**2))
    scale = 1 + Z_95**2 / count
    return f"{share:.2f} ({(middle - half) / scale:.2f} to {(middle + half) / scale:.2f})"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
