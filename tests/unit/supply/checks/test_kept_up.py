"""Whether a rate that was asked for was carried."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import facts_builder
from plimsoll.cli.main import run
from plimsoll.facts import Arrivals, Check, Window
from plimsoll.supply.checks.kept_up import CHECK
from simulated_cells import reads


def judged(rate: float | None = 1_000.0, **changes: Any) -> Check | None:
    base = {
        "arrivals": Arrivals(kind="poisson", rate_per_s=rate),
        "runtime_s": 10.0,
        "offered_ios": 10_000,
        "ios": 10_000,
        "iops": 1_000.0,
    }
    cell = facts_builder.cell(None, reads()).model_copy(update=base | changes)
    verdict = CHECK.judge(cell, facts_builder.target())
    assert verdict is None or isinstance(verdict, Check)
    return verdict


@pytest.mark.parametrize(("ios", "passed"), [(10_000, True), (9_000, True), (8_400, False), (0, False)])
def test_what_was_due_and_not_taken_decides(ios: int, passed: bool) -> None:
    verdict = judged(ios=ios)
    assert verdict is not None
    assert verdict.passed is passed
    assert verdict.figures == {"ios_due": 10_000, "ios": ios}
    assert CHECK.decides


def late(medians: list[float]) -> Any:
    windows = tuple(
        Window(start_s=float(at), duration_s=1.0, iops=500.0, latency_us_p50=p50)
        for at, p50 in enumerate(medians)
    )
    return judged(completed_ios=5_000, iops=500.0, windows=windows)


def test_what_ended_after_the_measured_time_was_not_done_in_it() -> None:
    """A device of 50 I/Os per second was said to have kept up with 100: it had taken all of them into its queue."""
    grew = late([100.0 * at for at in range(1, 11)])
    assert grew.passed is False
    assert grew.figures == {"ios_due": 10_000, "ios": 10_000, "completed_ios": 5_000}
    assert "1,000 a second were asked for, and 500 ended in the measured time" in grew.reason


@pytest.mark.parametrize("medians", [[400.0] * 10, [400.0]], ids=["level", "short"])
def test_of_ios_that_take_longer_than_the_run_nothing_is_told(medians: list[float]) -> None:
    assert late(medians).passed is None


def test_a_queue_within_the_device_is_one_as_well(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    words = ("io", "sim:mean=20ms", "--rate", "100", "--runtime", "3s", "--seed", "1", "--json")
    assert run([*words, "--store", str(tmp_path / "s.sqlite")]) == 1
    data = json.loads(capfd.readouterr().out)["data"]
    assert data["iops"] == pytest.approx(50, rel=0.1)
    assert data["windows"][-1]["iops"] == pytest.approx(50, rel=0.3), "what ended later is in no window"
    assert data["ios"] > 1.8 * data["completed_ios"], "all that were due are in the latencies"


def test_ios_that_failed_were_taken() -> None:
    verdict = judged(ios=5_000, errors=5_000)
    assert verdict is not None
    assert verdict.passed is True


def test_few_ios_may_be_missing_by_chance() -> None:
    verdict = judged(rate=1.0, ios=3, offered_ios=10)
    assert verdict is not None
    assert verdict.passed is True


@pytest.mark.parametrize("changes", [{"rate": None}, {"ended_early": "stopped"}])
def test_a_closed_loop_and_a_run_that_was_ended_ask_for_nothing(changes: dict[str, Any]) -> None:
    assert judged(**changes) is None


@pytest.mark.parametrize(("rate", "status"), [("20k", 0), ("200k", 1)])
def test_a_rate_beyond_the_storage_ends_with_1(
    rate: str, status: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    words = [
        "io",
        "sim:mean=100us,servers=8",
        "--rate",
        rate,
        "--runtime",
        "2s",
        "--seed",
        "1",
        "--store",
        str(tmp_path / "runs.db"),
    ]
    assert run(words) == status
    said = capfd.readouterr().out
    assert ("check failed: kept_up: 200,000 a second were asked for and 80," in said) is (status == 1)
