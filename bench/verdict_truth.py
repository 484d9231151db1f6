"""Verdicts on demands whose true headroom is known: 48 of them on simulated storage, as the command gives them.

Four laws of service, six shapes of a demand, six distances from the line. The truth is computed by a queue of its own
(tests/verdict_truth.py). A yes to what is not carried, or to a demand that its own storage held back, is wrong, and so is a no to
what is carried. Of those 15 % or more from the line nearly all must be decided; closer ones may be called too close.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kit import bench
from kit.judge import Aim
from kit.rounds import Case, Figures, Sample, Tool

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import verdict_truth as truth
from plimsoll.flows.demand import write_demand

DECIDED_SHARE_MIN = 0.95
OFF_MAX = 0.10
"""Median distance of a headroom from the truth, as a share of it."""
_SAID = {True: 1.0, False: -1.0, None: 0.0}


def main() -> int:
    """Runs it."""
    return bench.run("verdict_truth", __doc__ or "", _measure, rounds=1, runtime_s=20.0, programs=())


def _measure(here: bench.Bench) -> list[Aim]:
    with tempfile.TemporaryDirectory() as folder:
        made = {case.name: case for case in truth.cases()}
        wanted = here.wanted([_command(here.asked, case, Path(folder)) for case in made.values()])
        samples = here.measure(wanted)
    here.samples.append(
        Sample("all", "assess", 0, _summary([(made[one.case], one.figures) for one in samples]))
    )
    return [
        Aim("all", "wrong", "assess", median_max=0.0),
        Aim("all", "far_decided_share", "assess", median_min=DECIDED_SHARE_MIN),
        Aim("all", "lines_off_share", "assess", median_max=OFF_MAX),
        Aim("all", "replay_off_share", "assess", median_max=OFF_MAX),
        Aim("all", "replay_from_lines_share", "assess", median_max=OFF_MAX),
    ]


def _command(asked: bench.Asked, case: truth.Case, folder: Path) -> Case:
    place = folder / f"{case.name.replace(' ', '-')}.json"
    write_demand(case.demand(), place)
    words = ("--slo", truth.SLO, "--seed", "1", "--trial", f"{asked.runtime_s:g}s", "--json")
    command = (asked.plimsoll, "assess", "--demand", str(place), "--target", case.storage.words, *words)
    return Case(case.name, (Tool("assess", command, lambda said: _figures(case, said), statuses=(0, 1)),))


def _figures(case: truth.Case, said: Any) -> Figures:
    data = said["data"]
    found: Figures = {"truth": case.headroom, "said": _SAID[data["carries"]]}
    for name in ("headroom", "replay_headroom"):
        if data[name] is not None:
            found[name] = data[name]
    return found


def is_wrong(case: truth.Case, said: float) -> bool:
    """Whether the answer, 1 for yes and -1 for no, is against the truth."""
    return (said > 0 and not case.may_say_yes) or (said < 0 and case.carries)


def _summary(answers: Sequence[tuple[truth.Case, Figures]]) -> Figures:
    far = [(case, one) for case, one in answers if case.is_far]
    both = [one for _, one in answers if "headroom" in one and "replay_headroom" in one]
    return {
        "cases": float(len(answers)),
        "wrong": float(sum(is_wrong(case, one["said"]) for case, one in answers)),
        "far": float(len(far)),
        "far_decided_share": statistics.fmean(float(one["said"] != 0) for _, one in far) if far else 1.0,
        "lines_off_share": _off([one for _, one in answers if "headroom" in one], "headroom", "truth"),
        "replay_off_share": _off(both, "replay_headroom", "truth"),
        "replay_from_lines_share": _off(both, "replay_headroom", "headroom"),
    }


def _off(answers: Sequence[Figures], figure: str, beside: str) -> float:
    return statistics.median([abs(one[figure] / one[beside] - 1) for one in answers] or [0.0])


if __name__ == "__main__":
    sys.exit(main())
