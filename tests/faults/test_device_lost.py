"""A loop device that loses what is behind it while it is measured: commands end with what they had, and say what happened.

The kernel detaches a loop device only when nobody has it open any more, so the loss is made by cutting off the file behind it:
then every read fails with EIO, as those of a disk do that was pulled out.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import command
from plimsoll.facts import Run
from plimsoll.store import open_store

SIZE = 64 << 20

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can make loop devices")


@pytest.fixture
def backing(tmp_path: Path) -> Path:
    path = tmp_path / "backing"
    path.write_bytes(os.urandom(SIZE))
    return path


@pytest.fixture
def device(backing: Path) -> Iterator[str]:
    made = subprocess.run(
        ["losetup", "--find", "--show", "--direct-io=on", backing],
        capture_output=True,
        text=True,
        check=False,
    )
    if made.returncode:
        pytest.skip(f"no loop device can be made here: {made.stderr.strip()}")
    name = made.stdout.strip()
    yield name
    if attached(backing):
        subprocess.run(["losetup", "--detach", name], check=True)


def attached(backing: Path) -> bool:
    """Whether a loop device still has the file; once detached, its number may be anybody's."""
    listed = subprocess.run(["losetup", "--associated", backing], capture_output=True, text=True, check=True)
    return bool(listed.stdout)


def lose_when(words: str, backing: Path, child: subprocess.Popen[str]) -> tuple[str, str]:
    """Cuts off the file when standard error says that; the rest of what the command prints."""
    assert child.stderr is not None
    for line in child.stderr:
        if words in line:
            os.truncate(backing, 0)
            return child.communicate(timeout=60)
    raise AssertionError(f"the command ended and never said {words}")


def stored() -> Run:
    (summary,) = open_store().summaries()
    return open_store().load(summary.id)


@pytest.mark.parametrize("engine", ["io_uring", "libaio", "psync"])
def test_io_keeps_what_was_measured_before(device: str, backing: Path, engine: str) -> None:
    words = ("--runtime", "2s", "--warm-up", "0", "--events", "-", "--json")
    child = command.started("io", device, "--engine", engine, *words)
    out, _ = lose_when('"kind":"live"', backing, child)
    assert child.returncode == 4
    document = command.document(subprocess.CompletedProcess([], 4, out, ""))
    assert document["kind"] == "io"
    assert document["data"]["ios"] > 0
    assert document["data"]["errors"] > 0
    said = {warning["code"]: warning["message"] for warning in document["warnings"]}
    assert said["io-error"].endswith("failed: input/output error")
    cell = stored().cell
    assert cell is not None
    assert (cell.ios, cell.errors) == (document["data"]["ios"], document["data"]["errors"])


def test_people_are_told_how_many_ios_failed(device: str, backing: Path) -> None:
    child = command.started("io", device, "--runtime", "2s", "--warm-up", "0", "--events", "-")
    out, talk = lose_when('"kind":"live"', backing, child)
    assert child.returncode == 4
    assert " I/Os failed" in out
    assert "note: read at offset " in talk
    assert "input/output error" in talk


def test_a_search_keeps_its_trials(device: str, backing: Path) -> None:
    child = command.started(
        "line", device, "--trial", "100ms", "--slo", "p50=50us", "--events", "-", "--json"
    )
    out, _ = lose_when("trial 2 of", backing, child)
    assert child.returncode == 4
    data = command.document(subprocess.CompletedProcess([], 4, out, ""))["data"]
    assert data["outcome"] == "failed"
    assert data["line_iops"] is None
    assert "the storage failed after" in data["reason"]
    line = stored().line
    assert line is not None
    assert len(line.trials) == len(data["trials"]) >= 2
    assert not line.trials[0].cell.errors


def test_runs_that_were_whole_are_kept(device: str, backing: Path) -> None:
    words = ("--runtime", "300ms", "--warm-up", "0", "--repeats", "40", "--events", "-", "--json")
    child = command.started("io", device, *words)
    out, _ = lose_when("run 3 of 40", backing, child)
    assert child.returncode == 4
    document = command.document(subprocess.CompletedProcess([], 4, out, ""))
    assert "storage-failed" in [warning["code"] for warning in document["warnings"]]
    cells = stored().cells
    assert 2 <= len(cells) < 40
    assert not cells[0].errors
    assert not cells[1].errors


def test_shapes_keep_their_encounters(device: str, backing: Path) -> None:
    words = ("--only", "oltp-readers,scans", "--runtime", "500ms", "--events", "-", "--json")
    child = command.started("shapes", device, *words)
    out, _ = lose_when("measurement 3 of", backing, child)
    assert child.returncode == 4
    document = command.document(subprocess.CompletedProcess([], 4, out, ""))
    assert "storage-failed" in [warning["code"] for warning in document["warnings"]]
    found = stored().interference
    assert found is not None
    assert 2 <= len(found.encounters) == len(document["data"]["encounters"]) < 6
    assert [one.cell.errors for one in found.encounters[:2]] == [0, 0]


def test_a_calibration_keeps_its_points(device: str, backing: Path) -> None:
    words = ("--shape", "simple", "--runtime", "300ms", "--events", "-", "--json")
    child = command.started("calibrate", device, *words)
    out, _ = lose_when("point 3 of", backing, child)
    assert child.returncode == 4
    document = command.document(subprocess.CompletedProcess([], 4, out, ""))
    assert "point-failed" in [warning["code"] for warning in document["warnings"]]
    found = stored().calibration
    assert found is not None
    assert len(found.points) >= 3
    assert found.max_small_iops is not None


def test_the_next_command_names_the_dead_device(device: str, backing: Path) -> None:
    os.truncate(backing, 0)
    done = command.plimsoll("io", device, "--json")
    assert done.returncode == 4
    data = command.document(done)["data"]
    assert "input/output error" in data["message"]
    assert "dmesg" in data["hint"]
    assert open_store().summaries() == []


def test_a_device_detached_under_load_is_measured_to_its_end(device: str, backing: Path) -> None:
    """The kernel waits for us: detaching takes effect when the last one closes the device."""
    child = command.started("io", device, "--runtime", "2s", "--events", "-", "--json")
    assert child.stderr is not None
    assert any('"kind":"live"' in line for line in child.stderr)
    subprocess.run(["losetup", "--detach", device], check=True)
    assert attached(backing)
    out, _ = child.communicate(timeout=60)
    data = command.document(subprocess.CompletedProcess([], 0, out, ""))["data"]
    assert data["ios"] > 0
    assert data["errors"] == 0
    deadline = time.monotonic() + 30
    while attached(
        backing
    ):  # until whoever looks at new devices, such as udev or another test, has closed it too
        assert time.monotonic() < deadline
        time.sleep(0.05)
