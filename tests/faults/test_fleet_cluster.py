"""Many files on a Dask cluster: as `test_fleet.py` has it of processes of this host."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dask_cluster import Cluster, cluster
from reportgen.restamp import write_folder

pytest.importorskip("distributed", reason="Dask is not installed: it is part of the extra cluster")

HERE = Path(__file__).parent
MARK = "DEADLY MARK"
FILES = 24
GROUP = 4
"""As `fleet_process.py` has it."""
PATH = os.pathsep.join((str(HERE / "fleet_site"), *Cluster.path()))


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What workers have read."""
    return tmp_path_factory.mktemp("log") / "log"


@pytest.fixture(scope="module")
def address(log: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Of a scheduler whose workers note what they read, and die of a mark."""
    own = {"PYTHONPATH": PATH, "DEADLY_MARK": MARK, "READ_LOG": str(log)}
    with cluster(tmp_path_factory.mktemp("cluster"), environment=own) as made:
        yield made.address


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Reports that end in a line of their own."""
    folder = tmp_path / "in"
    folder.mkdir()
    write_folder(folder, FILES, rows=1)
    for path in folder.iterdir():
        path.write_bytes(path.read_bytes() + f"\n{path.name}\n".encode())
    return folder


def run(place: Path, *words: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """`plimsoll` where twenty files are many; its state lies in `place`."""
    own = {"PYTHONPATH": PATH, "XDG_STATE_HOME": str(place / "state"), "XDG_DATA_HOME": str(place / "data")}
    command = [sys.executable, str(HERE / "fleet_process.py"), *map(str, words)]
    return subprocess.run(
        command, env={**os.environ, **own, **environment}, capture_output=True, text=True, timeout=100
    )


def reports(done: subprocess.CompletedProcess[str]) -> dict[str, dict[str, Any]]:
    """By the name of the file."""
    return {Path(one["file"]).name: one for one in json.loads(done.stdout)["data"]["reports"]}


def contents(folder: Path) -> dict[str, bytes]:
    """Of all files below it."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_file_that_kills_its_reader_is_named_and_its_worker_lives(
    folder: Path, tmp_path: Path, address: str, log: Path
) -> None:
    whole = reports(run(tmp_path, "read", folder, "--json"))
    victim = sorted(folder.iterdir())[9]
    victim.write_bytes(victim.read_bytes() + MARK.encode())
    done = run(tmp_path, "read", folder, "--json", "--cluster", address)
    assert done.returncode == 5
    assert "is gone" not in done.stderr
    found = reports(done)
    told = found.pop(victim.name)
    [problem] = told["problems"]
    assert (told["status"], problem["code"]) == ("unreadable", "report-ends-reader")
    assert problem["message"] == (
        f"{victim} ended the process that read it, twice; the last was ended by signal 11 (SIGSEGV)"
    )
    del whole[victim.name]
    assert found == whole


def test_after_a_kill_it_goes_on_and_gives_what_a_serial_run_gives(
    folder: Path, tmp_path: Path, address: str, log: Path
) -> None:
    serial = run(tmp_path / "serial", "read", folder, "--json", "--out", tmp_path / "once")
    asked = ("read", folder, "--json", "--out", tmp_path / "out", "--cluster", address)
    killed = run(tmp_path, *asked, KILLED_AFTER="3")
    assert killed.returncode == -signal.SIGKILL
    # What was at work goes on to its end at the workers: the log is another one from here on.
    names = [path.name.encode() for path in sorted(folder.iterdir())[: 3 * GROUP]]
    assert set(names) <= set(log.read_bytes().splitlines())
    log.write_bytes(b"")
    again = run(tmp_path, *asked)
    assert "goes on from what an earlier command had read" in again.stderr
    told = again.stdout.replace(str(tmp_path / "out"), str(tmp_path / "once"))
    assert (again.returncode, told) == (serial.returncode, serial.stdout)
    assert contents(tmp_path / "out") == contents(tmp_path / "once")
    assert not set(names) & set(log.read_bytes().splitlines())
    assert sorted(folder.iterdir())[-1].name.encode() in log.read_bytes().splitlines()
