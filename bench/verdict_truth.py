"""Verdicts on demands whose true headroom is known: 48 of them on simulated storage, as the command gives them.

Four laws of service, six shapes of a demand, six distances from the line. The truth is computed by a queue of its own
(tests/verdict_truth.py). A yes to what is not carried, or to a demand that its own storage held back, is wrong, and so is a no to
what is carried. Of those 15 % or more from the line nearly all must be decided; closer ones may be called too close.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from kit import bench
from kit.judge import Aim
from kit.rounds import Case, Tool

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from kit.verdicts import figures, summary_aims, with_summary

import verdict_truth as truth
from plimsoll.flows.demand import write_demand


def main() -> int:
    """Runs it."""
    return bench.run("verdict_truth", __doc__ or "", _measure, rounds=1, runtime_s=20.0, programs=())


def _measure(here: bench.Bench) -> list[Aim]:
    with tempfile.TemporaryDirectory() as folder:
        made = {case.name: case for case in truth.cases()}
        wanted = here.wanted([_command(here.asked, case, Path(folder)) for case in made.values()])
        samples = here.measure(wanted)
    with_summary(here, [(made[one.case], one.figures) for one in samples])
    return summary_aims()


def _command(asked: bench.Asked, case: truth.Case, folder: Path) -> Case:
    place = folder / f"{case.name.replace(' ', '-')}.json"
    write_demand(case.demand(), place)
    words = ("--slo", truth.SLO, "--seed", "1", "--trial", f"{asked.runtime_s:g}s", "--json")
    command = (asked.plimsoll, "assess", "--demand", str(place), "--target", case.storage.words, *words)
    return Case(case.name, (Tool("assess", command, lambda said: figures(case, said), statuses=(0, 1, 5)),))


if __name__ == "__main__":
    sys.exit(main())
