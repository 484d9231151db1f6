"""What benches of verdicts whose truth is known have in common: how an answer is read, and what all of them say together."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

from kit import bench
from kit.judge import Aim
from kit.rounds import Figures, Sample
from verdict_truth import Case

DECIDED_SHARE_MIN = 0.95
OFF_MAX = 0.10
"""Median distance of a headroom from the truth, as a share of it."""
_SAID = {True: 1.0, False: -1.0, None: 0.0}


def summary_aims() -> list[Aim]:
    """None wrong; nearly all that are far from the line decided; headrooms near the truth and each other."""
    return [
        Aim("all", "wrong", "assess", median_max=0.0),
        Aim("all", "far_decided_share", "assess", median_min=DECIDED_SHARE_MIN),
        Aim("all", "lines_off_share", "assess", median_max=OFF_MAX),
        Aim("all", "replay_off_share", "assess", median_max=OFF_MAX),
        Aim("all", "replay_from_lines_share", "assess", median_max=OFF_MAX),
    ]


def with_summary(here: bench.Bench, answers: Sequence[tuple[Case, Figures]]) -> None:
    """Adds what all answers say together to the samples."""
    here.samples.append(Sample("all", "assess", 0, _summary(answers)))


def figures(case: Case, said: Any) -> Figures:
    """The truth, the answer (1 yes, -1 no, 0 cannot tell), and the headrooms by lines and by replay."""
    data = said["data"]
    found: Figures = {"truth": case.headroom, "said": _SAID[data["carries"]]}
    for name in ("headroom", "replay_headroom"):
        if data[name] is not None:
            found[name] = data[name]
    return found


def is_wrong(case: Case, said: float) -> bool:
    """Whether the answer, 1 for yes and -1 for no, is against the truth."""
    return (said > 0 and not case.may_say_yes) or (said < 0 and case.carries)


def _summary(answers: Sequence[tuple[Case, Figures]]) -> Figures:
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
