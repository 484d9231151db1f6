"""The verdict on caches of a calibration: once for each target, with the busiest point, on simulated devices."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

from plimsoll.cli import main
from plimsoll.facts import Calibration, Check
from plimsoll.flows.calibrate import calibrate
from plimsoll.requests.calibrate import CalibrateRequest
from simulated import context

QUIET = "sim:law=constant,mean=100us,size=1g"
CACHE = f"{QUIET},cache=64m,cache_us=5us"


def calibrated(journals: Path, *targets: str, check: Literal["cache"] | None = "cache") -> Calibration:
    with context(journals) as ctx:
        asked = CalibrateRequest(targets, shape="oltp", matrix="row", large_depth=0, check=check)
        found = calibrate(ctx, asked).calibration
    assert found is not None
    return found


def verdicts(found: Calibration) -> list[tuple[int, Check]]:
    return [
        (point.small_depth, check)
        for point in found.points
        for check in (point.cell.checks if point.cell else ())
        if check.name == "cached"
    ]


@pytest.mark.parametrize(("target", "passed"), [(QUIET, True), (CACHE, False)])
def test_one_verdict_with_the_busiest_point(tmp_path: Path, target: str, passed: bool) -> None:
    found = calibrated(tmp_path, target)
    ((depth, check),) = verdicts(found)
    assert check.passed is passed
    rates = {point.small_depth: point.cell.iops for point in found.points if point.cell}
    assert rates[depth] == max(rates.values())


def test_unasked_nothing_more_is_measured(tmp_path: Path) -> None:
    found = calibrated(tmp_path, CACHE, check=None)
    assert verdicts(found) == []
    assert all(
        "errors" in [check.name for check in point.cell.checks] for point in found.points if point.cell
    )


@pytest.mark.parametrize(("target", "status"), [(QUIET, 0), (CACHE, 1)])
def test_a_cache_makes_the_answer_a_no(target: str, status: int, capsys: pytest.CaptureFixture[str]) -> None:
    words = f"calibrate {target} --shape oltp --matrix point --small-depth 2 --large-depth 0 --check cache"
    assert main.run(words.split()) == status
    told = [line for line in capsys.readouterr().out.splitlines() if "cached" in line]
    first = ["Not valid at 1 of 1 points"] if status else []
    assert [line.split(":")[0] for line in told] == [*first, ("check passed", "check failed")[status]]
