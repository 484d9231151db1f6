"""Scores the findings of `plimsoll advise` against the findings of ADDM that reports print themselves, by family.

    PLIMSOLL_CORPUS=FOLDER .venv/bin/python scripts/advice_score.py [FOLDER] [--out FOLDER]

ADDM reads the same waits, so this tells agreement and no truth. Its tables are taken out of a report before a rule sees it. For
each family: in how many reports both name it, we alone and ADDM alone; precision and recall with their Wilson intervals, and what
would be reached by naming it always; the same with each system counted once, so that a series of one does not decide; and each
report in which the two differ, with the rules that had something to say. Then the same against made reports of known causes
(`tests/advice_cases.py`), by those that were drawn after the thresholds had been fixed. `--out` keeps the counts, without names of
files, databases or hosts.
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import sqrt
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from advice_gate import COUNT, PRECISION_MIN, RECALL_MIN, Score, judging, scores
from plimsoll.native import reports as native
from plimsoll.reports.intervals import place_of
from plimsoll.reports.reader import Reading, read_all
from plimsoll.reports.sources import sources
from plimsoll.reports.walk import Walk
from plimsoll.rules import KINDS, findings_of, interval_of

USAGE, ANSWER_IS_NO = 2, 1
Z_95 = 1.959964
ADDM_VIEW = "addm"
"""How the names of views begin that hold what ADDM says."""
ADDM = {
    "commits": ("commits and rollbacks",),
    "reads": ("user i/o", "i/o throughput"),
    "contention": ("row lock waits", "buffer busy", "latch free", "shared pool latches"),
    "parsing": ("hard parse", "soft parse", "session connect and disconnect"),
    "cpu": ("cpu usage",),
    "temporary I/O": ("undersized pga", "pga_aggregate"),
    "cluster": ("global cache messaging",),
}
"""Our family → how the names of ADDM's findings begin or what stands in them."""


@dataclass(frozen=True)
class Told:
    """One report: whose it is, the families that each of the two names, and the rules that we go by."""

    place: str
    system: str
    kind: str
    ours: frozenset[str]
    theirs: frozenset[str]
    rules: Mapping[str, str]
    """Of each family, its rules with what they gave: `finding` or `hint`."""


class Stripped:
    """A report without what ADDM says in it."""

    def __init__(self, content: native.Report) -> None:
        self._content = content

    def section_names(self) -> list[str]:
        """All but ADDM's."""
        return [name for name in self._content.section_names() if not name.startswith(ADDM_VIEW)]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._content, name)


def main(words: Sequence[str]) -> int:
    """Of the folder that is named, else of that in PLIMSOLL_CORPUS. Ends with 1 where a family misses what is asked of it."""
    parser = argparse.ArgumentParser(
        prog="advice_score", description="Findings against ADDM's, and against known causes."
    )
    parser.add_argument("folder", nargs="?", default=os.environ.get("PLIMSOLL_CORPUS"))
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args(words)
    if asked.folder is None:
        print("error: no folder was named, and PLIMSOLL_CORPUS names none", file=sys.stderr)
        return USAGE
    told = list(told_in(Path(asked.folder)))
    print(f"{len(told)} reports with findings of ADDM, of {len({one.system for one in told})} systems")
    for family in ADDM:
        _show(family, told)
    known = scores(judging())
    _show_known(known)
    if asked.out is not None:
        _keep(asked.out, told, known)
    return 0 if all(score.passes for score in known.values()) else ANSWER_IS_NO


def told_in(folder: Path) -> Iterator[Told]:
    """Each report of an interval that prints findings of ADDM."""
    for source in sources(list(Walk([folder]).entries())):
        for reading in read_all(source):
            if reading.content is not None and reading.report.kind in KINDS and (names := _addm(reading)):
                yield _told(reading, names)


def _told(reading: Reading, names: Sequence[str]) -> Told:
    stripped: Any = Stripped(reading.content)  # type: ignore[arg-type]
    found = findings_of(interval_of(reading.report, stripped))
    rules: dict[str, str] = {}
    for one in found:
        rules[one.family] = (
            f"{rules[one.family]}, {one.rule} ({one.severity})"
            if one.family in rules
            else f"{one.rule} ({one.severity})"
        )
    ours = frozenset(one.family for one in found if one.severity == "finding") & set(ADDM)
    system = f"{reading.report.db_name} {reading.report.db_id}"
    return Told(
        place_of(reading.report), system, reading.report.kind, ours, frozenset(_families(names)), rules
    )


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


@dataclass(frozen=True)
class Counts:
    """Of one family: reports, or systems, that both name, we alone, ADDM alone, and neither."""

    both: int
    ours_alone: int
    addm_alone: int
    neither: int

    def line(self) -> str:
        """With the shares that they make."""
        ours, theirs = self.both + self.ours_alone, self.both + self.addm_alone
        every = ours + self.addm_alone + self.neither
        return (
            f"both {self.both}, we alone {self.ours_alone}, ADDM alone {self.addm_alone}, neither {self.neither}; "
            f"precision {_share(self.both, ours)}, recall {_share(self.both, theirs)}; "
            f"always naming it: {_share(theirs, every)}"
        )


def counts(family: str, told: Sequence[Told]) -> Counts:
    """Over these."""
    named = [(family in one.ours, family in one.theirs) for one in told]
    return Counts(
        *(named.count(pair) for pair in ((True, True), (True, False), (False, True), (False, False)))
    )


def once_each(family: str, told: Sequence[Told]) -> list[Told]:
    """Of each system each answer once."""
    return list({(one.system, family in one.ours, family in one.theirs): one for one in told}.values())


def _show(family: str, told: Sequence[Told]) -> None:
    print(f"\n{family}")
    print(f"  reports: {counts(family, told).line()}")
    print(f"  systems: {counts(family, once_each(family, told)).line()}")
    for one in told:
        if (family in one.ours) != (family in one.theirs):
            who = "we alone" if family in one.ours else "ADDM alone"
            print(f"    {who}: {os.path.basename(one.place)}; {one.rules.get(family, 'no rule of ours')}")


def _show_known(known: Mapping[str, Score]) -> None:
    print(f"\nmade reports of known causes, {COUNT} of each cause: at least {PRECISION_MIN} and {RECALL_MIN}")
    for family, score in known.items():
        named, true = score.right + len(score.wrong), score.right + len(score.missed)
        print(f"  {family}: precision {_share(score.right, named)}, recall {_share(score.right, true)}")
        for what, cases in (("missed", score.missed), ("wrongly named", score.wrong)):
            if cases:
                print(f"    {what}: {', '.join(map(str, cases))}")


def _keep(folder: Path, told: Sequence[Told], known: Mapping[str, Score]) -> None:
    """Counts in `result.json`; in `raw.json.xz` each report by its number, with families and rules alone."""
    folder.mkdir(parents=True, exist_ok=True)
    result = {
        "command": "scripts/advice_score.py",
        "reports": len(told),
        "systems": len({one.system for one in told}),
        "addm": {
            family: {
                "reports": asdict(counts(family, told)),
                "systems": asdict(counts(family, once_each(family, told))),
            }
            for family in ADDM
        },
        "known_causes": {
            family: {"right": score.right, "missed": len(score.missed), "wrong": len(score.wrong)}
            for family, score in known.items()
        },
    }
    (folder / "result.json").write_text(json.dumps(result, indent=2) + "\n", "utf-8")
    systems = list(dict.fromkeys(one.system for one in told))
    raw = [
        {
            "report": number, "system": systems.index(one.system) + 1, "kind": one.kind, "ours": sorted(one.ours),
            "addm": sorted(one.theirs), "rules": dict(one.rules),
        }
        for number, one in enumerate(told, 1)
    ]  # fmt: skip
    cases = {
        family: {"missed": [str(case) for case in score.missed], "wrong": [str(case) for case in score.wrong]}
        for family, score in known.items()
    }
    with lzma.open(folder / "raw.json.xz", "wt", encoding="utf-8") as out:
        json.dump({"reports": raw, "known_causes": cases}, out, indent=1)


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
