"""Caps of slices tried on a loop device that the kernel throttles: held, not held, elsewhere, and not to be seen."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

import command
from counted_caps import Counted
from loop_device import Loop
from plimsoll.base.errors import WorldError
from plimsoll.context import Cancel
from plimsoll.facts import Cell, Plan
from plimsoll.supply.engine import measure
from slice_groups import TOP, names_of_test, plan_file, two_slices

pytestmark = [pytest.mark.skipif(os.geteuid() != 0, reason="control groups are made by root")]
start = pytest.fixture(names_of_test, name="start")
CAP_IOPS, SECONDS = 500.0, "2s"
SPAN_BYTES = 64 << 20


@pytest.fixture
def device(tmp_path: Path) -> Iterator[str]:
    """Written in full, in memory."""
    file = Path("/dev/shm", f"plimsoll-caps-{os.getpid()}.img")
    file.write_bytes(os.urandom(SPAN_BYTES))
    made = Loop(file)
    try:
        yield str(made.path)
    finally:
        made.detach()
        file.unlink()


class Capped:
    def __init__(self, folder: Path, start: str, device: str, cap: float) -> None:
        self._store = ("--journal", str(folder / "journal"), "--store", str(folder / "runs.sqlite"))
        disk = {"name": Path(device).name, "node": None, "distance": None}
        found = two_slices(start, iops=cap, devices=(disk,))
        self.group = TOP / "blkio" / f"plimsoll-{start}-a"
        done = command.here(
            "host", "slice", "apply", plan_file(folder, found), "--way", "cgroup-v1", *self._store
        )
        assert done.returncode == 0, done.stderr

    def told(self, seconds: str = SECONDS) -> dict[str, Any]:
        words = ("host", "slice", "verify", "--runtime", "1ms", "--caps", seconds, "--json")
        return command.document(command.here(*words, *self._store))["data"]

    def verify(self, seconds: str = SECONDS) -> tuple[dict[str, Any], set[str]]:
        """The cap, and what is said of it."""
        data = self.told(seconds)
        (cap,) = data["caps"]
        return cap, {one["code"] for one in data["findings"] if one["code"].startswith("slice-cap")}


def test_a_cap_is_held_and_each_read_is_counted(tmp_path: Path, start: str, device: str) -> None:
    capped = Capped(tmp_path, start, device, CAP_IOPS)
    cap, codes = capped.verify()
    assert (cap["limit_iops"], codes) == (CAP_IOPS, set())
    assert cap["read_iops"] == pytest.approx(CAP_IOPS, rel=0.05)
    assert cap["counted_ios"] >= cap["ios"] > 0
    assert (capped.group / "cgroup.procs").read_text() == ""


def test_a_cap_is_held_within_2_percent_over_10_seconds_by_the_kernels_own_count(
    tmp_path: Path, start: str, device: str
) -> None:
    capped = Capped(tmp_path, start, device, CAP_IOPS)
    with Counted(capped.group, _number(device)) as counted:
        cap, codes = capped.verify("12s")
    rate, seconds = counted.rate
    assert (codes, seconds >= 10) == (set(), True)
    assert rate == pytest.approx(CAP_IOPS, rel=0.02)
    assert cap["read_iops"] == pytest.approx(CAP_IOPS, rel=0.02)


def _number(device: str) -> str:
    return (Path("/sys/block") / Path(device).name / "dev").read_text().strip()


def test_a_cap_that_was_taken_away_does_not_hold(tmp_path: Path, start: str, device: str) -> None:
    capped = Capped(tmp_path, start, device, CAP_IOPS)
    number = _number(device)
    (capped.group / "blkio.throttle.read_iops_device").write_text(f"{number} 0")
    cap, codes = capped.verify()
    assert (codes, cap["read_iops"] > 1.05 * CAP_IOPS) == ({"slice-cap-not-held"}, True)


def test_a_cap_beyond_what_the_disk_gives_is_not_known(tmp_path: Path, start: str, device: str) -> None:
    cap, codes = Capped(tmp_path, start, device, 4e9).verify()
    assert (codes, cap["read_iops"] < 4e9) == ({"slice-cap-unseen"}, True)


def test_a_disk_that_cannot_be_read_is_not_known(tmp_path: Path, start: str, device: str) -> None:
    """All else that was seen is told."""
    capped = Capped(tmp_path, start, device, CAP_IOPS)
    error = WorldError("target-refused", "could not open the disk")
    with patch("plimsoll.flows.host_slice_caps.opened", side_effect=error):
        data = capped.told()
    assert (data["caps"], len(data["slices"])) == ([], 2)
    messages = [one["message"] for one in data["findings"] if one["code"] == "slice-cap-unseen"]
    assert messages == [f"its cap on {device} was not tried: could not open the disk"]


def test_a_disk_that_nobody_has_written_to_is_read_all_the_same(tmp_path: Path, start: str) -> None:
    """Zeros come fast, and the cap holds them as any other."""
    file = Path("/dev/shm", f"plimsoll-caps-{os.getpid()}-hollow.img")
    with file.open("wb") as opened:
        opened.truncate(SPAN_BYTES)
    made = Loop(file)
    try:
        cap, codes = Capped(tmp_path, start, str(made.path), CAP_IOPS).verify()
    finally:
        made.detach()
        file.unlink()
    assert (codes, cap["limit_iops"]) == (set(), CAP_IOPS)
    assert cap["read_iops"] == pytest.approx(CAP_IOPS, rel=0.05)


def test_whoever_ends_it_in_the_middle_is_told_that_and_nothing_of_the_disk(
    tmp_path: Path, start: str, device: str
) -> None:
    capped = Capped(tmp_path, start, device, CAP_IOPS)
    with patch("plimsoll.flows.host_slice_caps.measure", side_effect=_interrupted(measure)):
        data = capped.told()
    assert data["caps"] == []
    messages = [one["message"] for one in data["findings"] if one["code"] == "slice-cap-unseen"]
    assert messages == [f"its cap on {device} was not tried to its end: interrupted"]


def _interrupted(real: Callable[..., Cell]) -> Callable[..., Cell]:
    """Ctrl-C before anything was read."""

    def measured(plan: Plan, permits: object, cancel: Cancel, on_live: object) -> Cell:
        cancel.set()
        return real(plan, permits, cancel, on_live)

    return measured


def test_what_is_said_meanwhile_is_what_is_done(tmp_path: Path, start: str, device: str) -> None:
    """Nobody waits for a look at others, and what is not read is not said to be."""
    capped = Capped(tmp_path, start, device, CAP_IOPS)
    said: list[str] = []
    with patch("plimsoll.context.Context.progress", lambda self, stage, text, **more: said.append(text)):
        capped.told()
        assert said == [f"reading {device} from within {start}-a for 2 s"]
        said.clear()
        with patch("plimsoll.flows.host_slice_caps.opened", side_effect=WorldError("target-refused", "no")):
            capped.told()
    assert said == []


def test_reads_that_the_group_does_not_count_are_held_by_no_cap(
    tmp_path: Path, start: str, device: str
) -> None:
    capped = Capped(tmp_path, start, device, CAP_IOPS)
    with patch("plimsoll.flows.host_slice_caps.disk_number", lambda device: "0:0"):
        cap, codes = capped.verify()
    assert (codes, cap["counted_ios"]) == ({"slice-cap-elsewhere"}, 0)
