"""What benchmarks are judged by: ratios within a round, the best of the others, intervals, and rounds in turn."""

from __future__ import annotations

import json
import sys
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest
from kit.judge import Aim, estimate, judge
from kit.rounds import Case, Sample, Tool, ToolFailed, medians, run_rounds


def samples(**iops: list[float]) -> list[Sample]:
    return [
        Sample("disk", tool.replace("_", "-"), number, {"ios": 10, "iops": value})
        for tool, values in iops.items()
        for number, value in enumerate(values)
    ]


def test_ratios_are_taken_within_a_round() -> None:
    """The machine is twice as fast from round to round, and ours is a tenth faster in each of them."""
    both = samples(ours=[110.0, 220.0, 440.0], fio=[100.0, 200.0, 400.0])
    (verdict,) = judge(both, [Aim("disk", "iops", "ours", ("fio",), median_min=1.0, low_min=1.05)])["aims"]
    assert (verdict["median"], verdict["low"], verdict["high"]) == pytest.approx((1.1, 1.1, 1.1))
    assert verdict["met"]


def test_the_best_of_the_others_counts() -> None:
    three = samples(ours=[100.0] * 3, fio=[50.0] * 3, fio_batch=[125.0] * 3)
    found = judge(three, [Aim("disk", "iops", "ours", ("fio", "fio-batch"), median_min=0.98)])
    assert found["aims"][0]["against"] == "fio-batch"
    assert found["aims"][0]["median"] == pytest.approx(0.8)
    assert not found["met"]


@pytest.mark.parametrize(
    ("bounds", "met"),
    [
        ({}, True),
        ({"median_max": 1.0}, True),
        ({"median_max": 0.9}, False),
        ({"median_min": 1.1}, False),
        ({"low_min": 0.9}, False),
        ({"low_min": 0.1}, True),
    ],
)
def test_every_bound_must_hold(bounds: dict[str, float], met: bool) -> None:
    both = samples(ours=[50.0, 100.0, 150.0], fio=[100.0] * 3)
    assert judge(both, [Aim("disk", "iops", "ours", ("fio",), **bounds)])["met"] == met


def test_a_figure_may_be_held_to_its_own_bound() -> None:
    found = judge(samples(ours=[90.0, 95.0, 99.0]), [Aim("disk", "iops", "ours", median_max=100.0)])
    assert (found["aims"][0]["median"], found["aims"][0]["against"], found["met"]) == (95.0, None, True)


@pytest.mark.parametrize(("most", "met"), [(4.0, True), (6.0, False)])
def test_nineteen_of_twenty_rounds_are_held_to_a_bound_of_each(most: float, met: bool) -> None:
    """The twentieth may be as large as it is; a second one may not."""
    values = [1.0] * 18 + [most, 900.0]
    (found,) = judge(samples(ours=values), [Aim("disk", "iops", "ours", p95_max=5.0)])["aims"]
    assert (found["p95"], found["met"]) == (most, met)


def test_the_interval_narrows_with_the_rounds_and_is_the_same_each_time() -> None:
    few, many = [1.0, 2.0, 3.0], [1.0, 2.0, 3.0] * 30
    assert estimate(few) == estimate(few)
    assert (estimate(few).low, estimate(few).median, estimate(few).high) == (1.0, 2.0, 3.0)
    assert estimate(many).low == estimate(many).high == 2.0


def test_a_median_is_given_where_every_run_has_the_figure() -> None:
    two = [Sample("disk", "ours", 0, {"ios": 1, "p999": 5.0}), Sample("disk", "ours", 1, {"ios": 3})]
    assert medians(two, "disk", "ours") == {"ios": 2}


def program(name: str, ios: int, status: int = 0) -> Tool:
    """A command that prints so many I/Os, ten times as many as in its brief form."""

    def printing(count: int) -> tuple[str, ...]:
        return (sys.executable, "-S", "-c", f"print('{{\"ios\": {count}}}'); raise SystemExit({status})")

    return Tool(name, printing(ios), lambda said: {"ios": said["ios"]}, printing(ios // 10))


def test_each_round_begins_with_another_tool_and_everything_is_kept(tmp_path: Path) -> None:
    case = Case("disk", (program("a", 1000), program("b", 2000)))
    made = run_rounds([case], 2, tmp_path)
    assert [(sample.round, sample.tool) for sample in made] == [(0, "a"), (0, "b"), (1, "b"), (1, "a")]
    kept = [json.loads(line) for line in (tmp_path / "samples.ndjson").read_text().splitlines()]
    assert [(sample["tool"], sample["figures"]["ios"]) for sample in kept] == [
        ("a", 1000), ("b", 2000), ("b", 2000), ("a", 1000),
    ]  # fmt: skip
    figures = made[0].figures
    assert figures["cpu_us_per_io"] == pytest.approx(figures["cpu_s"] * 1e6 / 1000)
    assert "cpu_us_per_io_running" in figures
    with tarfile.open(tmp_path / "raw.tar.xz") as archive:
        assert len(archive.getnames()) == 8
    assert not (tmp_path / "raw").exists()


def test_a_command_that_may_fail_runs_again_and_what_failed_costs_nothing(tmp_path: Path) -> None:
    there = tmp_path / "tried"
    fails_once = f"import pathlib; tried = pathlib.Path({str(there)!r}); there = tried.exists(); tried.touch(); print('{{}}')"
    command = (sys.executable, "-S", "-c", f"{fails_once}; raise SystemExit(not there)")
    tool = Tool("a", command, lambda said: {"ios": 1.0})
    with pytest.raises(ToolFailed):
        run_rounds([Case("disk", (tool,))], 1, tmp_path)
    there.unlink()
    (sample,) = run_rounds([Case("disk", (replace(tool, tries_max=2),))], 1, tmp_path)
    assert sample.figures["ios"] == 1


def test_a_command_that_fails_ends_the_benchmark(tmp_path: Path) -> None:
    with pytest.raises(ToolFailed, match="a ended with status 3"):
        run_rounds([Case("disk", (program("a", 1000, status=3),))], 1, tmp_path)
