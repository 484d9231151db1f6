"""Seeded faults of a simulated device: every verb ends with what it measured, says it to people and to machines, and stores it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from plimsoll.cli import main
from plimsoll.facts import Run
from plimsoll.store import open_store

IO = ("--runtime", "2s", "--warm-up", "0")
LINE = ("--trial", "1s")


class Ended:
    """How a command ended: its status, its document, what it said, and the run that is stored of it."""

    def __init__(self, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
        capsys.readouterr()
        self.status = main.run([*words, "--json"])
        seen = capsys.readouterr()
        self.document = json.loads(seen.out)
        self.data: Any = self.document["data"]
        self.talk = seen.err
        self.codes = [warning["code"] for warning in self.document["warnings"]]

    @property
    def run(self) -> Run:
        return open_store().load(self.data["run"])


def test_errors_are_counted_named_and_stored(capsys: pytest.CaptureFixture[str]) -> None:
    ended = Ended(("io", "sim:error=0.01", *IO), capsys)
    assert ended.status == 4
    assert ended.data["errors"] == pytest.approx(0.01 * ended.data["ios"], rel=0.3)
    assert "io-error" in ended.codes
    assert ended.run.cell is not None
    assert (ended.run.cell.ios, ended.run.cell.errors) == (ended.data["ios"], ended.data["errors"])


def test_equal_seeds_fail_alike(capsys: pytest.CaptureFixture[str]) -> None:
    first, again, other = (
        Ended(("io", "sim:error=0.01,short=0.01", "--seed", seed, *IO), capsys).data
        for seed in ("7", "7", "8")
    )
    assert (first["ios"], first["errors"]) == (again["ios"], again["errors"])
    assert (first["ios"], first["errors"]) != (other["ios"], other["errors"])


def test_short_ios_are_whole_in_the_end_and_said(capsys: pytest.CaptureFixture[str]) -> None:
    ended = Ended(("io", "sim:short=0.1", *IO), capsys)
    assert (ended.status, ended.data["errors"]) == (0, 0)
    assert ended.data["mb_per_s"] == pytest.approx(ended.data["iops"] * 8192 / 1e6)
    (said,) = [w["message"] for w in ended.document["warnings"] if w["code"] == "short-ios"]
    count = int(said.split(" ")[0].replace(",", ""))
    # Each part may be short again, so a little more than a tenth of the I/Os have been short.
    assert count == pytest.approx(0.1 * ended.data["ios"], rel=0.15)


def test_latency_spikes_show_in_the_tail(capsys: pytest.CaptureFixture[str]) -> None:
    """One I/O in two hundred waits 50 ms more; among 64 servers nobody else waits for it."""
    ended = Ended(("io", "sim:law=constant,servers=64,delay=0.005,delay_by=50ms", *IO), capsys)
    assert (ended.status, ended.data["errors"]) == (0, 0)
    assert ended.data["latency_us"]["p99"] == pytest.approx(100, rel=0.01)
    assert ended.data["latency_us"]["p999"] == pytest.approx(50_100, rel=0.01)


def test_a_stall_is_a_maximum_and_no_failure(capsys: pytest.CaptureFixture[str]) -> None:
    ended = Ended(("io", "sim:law=constant,stall_after=1000,stall=500ms", *IO), capsys)
    assert (ended.status, ended.data["errors"]) == (0, 0)
    assert 500_000 <= ended.data["latency_us"]["max"] <= 510_000
    assert ended.data["ios"] == pytest.approx(15_000, rel=0.01)


def test_a_stall_of_an_open_loop_is_felt_by_all_that_were_due(capsys: pytest.CaptureFixture[str]) -> None:
    """5,000 arrivals a second for 2 s, half a second of them into a standing device: a quarter of them waited for it."""
    words = ("--rate", "5000", "--arrivals", "uniform", "--depth", "32")
    ended = Ended(("io", "sim:law=constant,stall_after=2000,stall=500ms", *words, *IO), capsys)
    assert ended.status == 0
    assert ended.data["latency_us"]["p90"] > 200_000
    assert ended.data["service_us"]["p50"] < 10_000


def test_a_device_that_is_gone_leaves_what_it_did(capsys: pytest.CaptureFixture[str]) -> None:
    ended = Ended(("io", "sim:gone_after=5000", *IO), capsys)
    assert (ended.status, ended.data["ios"], ended.data["ended_early"]) == (4, 5000, "errors")
    assert ended.data["errors"] > 0
    # Its 10,000 I/Os per second count for the half second that it lived, not for the two that were asked for.
    assert ended.data["runtime_s"] == pytest.approx(0.5, rel=0.1)
    assert "storage-lost" in ended.codes
    said = {warning["code"]: warning["message"] for warning in ended.document["warnings"]}
    assert said["io-error"].endswith("failed: no such device")
    assert ended.run.cell is not None
    assert ended.run.cell.ios == 5000


def test_people_are_told_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    status = main.run(["io", "sim:gone_after=5000", *IO])
    seen = capsys.readouterr()
    assert status == 4
    assert " I/Os failed" in seen.out
    assert "failed: no such device" in seen.err


def test_a_device_that_was_never_there_measures_nothing_and_stores_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    ended = Ended(("io", "sim:gone_after=0", *IO), capsys)
    assert (ended.status, ended.document["kind"], ended.data["id"]) == (4, "error", "all-ios-failed")
    assert "no such device" in ended.data["message"]
    assert open_store().summaries() == []


@pytest.mark.parametrize(
    ("target", "status", "outcome"),
    [
        ("sim:error=0.01", 4, "never_held"),
        ("sim:short=0.01", 0, "found"),
        ("sim:law=constant,servers=8,delay=0.05,delay_by=50ms", 1, "never_held"),
    ],
)
def test_a_search_ends_with_its_trials(
    target: str, status: int, outcome: str, capsys: pytest.CaptureFixture[str]
) -> None:
    ended = Ended(("line", target, *LINE), capsys)
    assert (ended.status, ended.data["outcome"]) == (status, outcome)
    assert ended.data["trials"]
    assert ended.run.line is not None
    assert len(ended.run.line.trials) == len(ended.data["trials"])


def test_a_search_on_a_device_that_goes_away_has_no_line(capsys: pytest.CaptureFixture[str]) -> None:
    """Every trial takes more I/Os than the device survives."""
    ended = Ended(("line", "sim:gone_after=2500", *LINE), capsys)
    assert (ended.status, ended.data["outcome"], ended.data["line_iops"]) == (4, "failed", None)
    assert ended.data["reason"].startswith("the storage failed after 5 trials, ")
    assert ended.run.line is not None
    assert ended.run.line.trials[0].cell.ios <= 2500


def test_a_calibration_ends_with_its_points(capsys: pytest.CaptureFixture[str]) -> None:
    ended = Ended(
        ("calibrate", "sim:gone_after=5000", "--matrix", "basic", "--shape", "simple", "--runtime", "1s"),
        capsys,
    )
    assert ended.status == 4
    assert ended.data["cells"]
    assert "point-failed" in ended.codes
    assert ended.run.calibration is not None
    assert len(ended.run.calibration.points) == len(ended.data["cells"])


def test_the_shapes_of_a_failing_device_are_kept(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--only", "oltp-readers,scans", "--runtime", "1s")
    ended = Ended(("shapes", "sim:error=0.01", *words), capsys)
    assert ended.status == 4
    assert ended.run.interference is not None
    assert len(ended.run.interference.encounters) == len(ended.data["encounters"]) == 6
