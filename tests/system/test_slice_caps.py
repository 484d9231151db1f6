"""Caps of slices tried on a loop device that the kernel throttles: held, not held, elsewhere, and not to be seen."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

import command
from loop_device import Loop
from plimsoll.base.errors import WorldError
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

    def told(self) -> dict[str, Any]:
        words = ("host", "slice", "verify", "--runtime", "1ms", "--caps", SECONDS, "--json")
        return command.document(command.here(*words, *self._store))["data"]

    def verify(self) -> tuple[dict[str, Any], set[str]]:
        """The cap, and what is said of it."""
        data = self.told()
        (cap,) = data["caps"]
        return cap, {one["code"] for one in data["findings"] if one["code"].startswith("slice-cap")}


def test_a_cap_is_held_and_each_read_is_counted(tmp_path: Path, start: str, device: str) -> None:
    capped = Capped(tmp_path, start, device, CAP_IOPS)
    cap, codes = capped.verify()
    assert (cap["limit_iops"], codes) == (CAP_IOPS, set())
    assert cap["read_iops"] == pytest.approx(CAP_IOPS, rel=0.05)
    assert cap["counted_ios"] >= cap["ios"] > 0
    assert (capped.group / "cgroup.procs").read_text() == ""


def test_a_cap_that_was_taken_away_does_not_hold(tmp_path: Path, start: str, device: str) -> None:
    capped = Capped(tmp_path, start, device, CAP_IOPS)
    number = (Path("/sys/block") / Path(device).name / "dev").read_text().strip()
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


def test_reads_that_the_group_does_not_count_are_held_by_no_cap(
    tmp_path: Path, start: str, device: str
) -> None:
    capped = Capped(tmp_path, start, device, CAP_IOPS)
    with patch("plimsoll.flows.host_slice_caps.disk_number", lambda device: "0:0"):
        cap, codes = capped.verify()
    assert (codes, cap["counted_ios"]) == ({"slice-cap-elsewhere"}, 0)
