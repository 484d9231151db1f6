"""Tiers of the laboratory: nothing of them is left at the end, nor after a kill once another command has run."""

from __future__ import annotations

import json
import os
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from subprocess import Popen

import psycopg
import pytest

import command
from loop_device import SEARCHED
from plimsoll.facts import ServedTiers
from plimsoll.placement.tier_file import read_tiers
from plimsoll.ports.mounts import mount_table, mounts

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

READY_S = 120.0
FAST_LAW = "law=constant,mean=100us,servers=4"
SLOW_LAW = "law=constant,mean=1ms,us_per_mib=1ms"


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """An empty one that the account that runs the server may pass through; journals and store are this test's alone."""
    if (
        os.geteuid() != 0
        or shutil.which("mkfs.ext4", path=SEARCHED) is None
        or not Path("/dev/fuse").exists()
    ):
        pytest.skip("tiers need root, /dev/fuse and mkfs.ext4")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("PLIMSOLL_STORE", str(tmp_path / "runs.db"))
    made = Path("/var/tmp", f"tiers-{os.getpid()}")
    made.mkdir(mode=0o755)
    yield made
    made.rmdir()


def served(folder: Path) -> Popen[str]:
    """The command, once all is ready."""
    words = (
        "--slow-law",
        SLOW_LAW,
        "--fast-law",
        FAST_LAW,
        "--slow-size",
        "256m",
        "--fast-size",
        "128m",
        "--json",
    )
    server = command.started("lab", "tiers", folder, *words)
    deadline_s = time.monotonic() + READY_S
    while not (folder / "url").exists():
        if server.poll() is not None:
            said = server.communicate()[1]
            if "could not make the tiers" in said or "could not serve the disk" in said:
                pytest.skip(said)
            pytest.fail(said)
        assert time.monotonic() < deadline_s, "the tiers were not served in time"
        time.sleep(0.1)
    return server


def beneath(folder: Path) -> tuple[list[str], set[str]]:
    """Mounts there, and the files that are their loop devices."""
    found = [mount for mount in mounts(mount_table()) if Path(mount.point).is_relative_to(folder)]
    return [mount.point for mount in found], {image for mount in found for image in images_of(mount.device)}


def images_of(device: str) -> list[str]:
    behind = Path("/sys/dev/block", device, "loop/backing_file")
    return [behind.read_text().strip()] if behind.exists() else []


def attached() -> set[str]:
    """Files behind loop devices."""
    return {path.read_text().strip() for path in Path("/sys/block").glob("loop*/loop/backing_file")}


def check_nothing_left(folder: Path, images: set[str]) -> None:
    assert len(images) == 2
    assert (beneath(folder), os.listdir(folder)) == (([], set()), [])
    assert not images & attached()
    assert not any(Path(image).parent.parent.exists() for image in images)


def test_objects_move_between_the_tiers_and_nothing_is_left_at_the_end(folder: Path) -> None:
    server = served(folder)
    described = read_tiers(folder / "tiers.toml").tiers
    assert [tier.name for tier in described] == ["slow", "fast"]
    assert described[0].small_read_us[0].latency_us >= 1000
    assert described[1].small_read_us[0].latency_us >= 100
    url = (folder / "url").read_text().strip()
    with psycopg.connect(url, autocommit=True) as session:
        session.execute("create table t as select generate_series(1, 50000) as n")
        session.execute("alter table t set tablespace fast")
        assert session.execute("select sum(n) from t").fetchone() == (1_250_025_000,)
        assert session.execute("show temp_tablespaces").fetchone() == ("slow",)
    images = beneath(folder)[1]
    os.kill(server.pid, signal.SIGINT)
    said, talk = server.communicate(timeout=60)
    assert server.returncode == 0, talk
    found = ServedTiers.model_validate(json.loads(said)["data"])
    assert [tier.tier for tier in found.tiers] == [
        tier.model_copy(update={"source": tier.source}) for tier in described
    ]
    assert all(tier.counters is not None and tier.counters.writes > 0 for tier in found.tiers)
    check_nothing_left(folder, images)


def test_the_next_command_takes_back_what_a_kill_left(folder: Path) -> None:
    server = served(folder)
    os.kill(server.pid, signal.SIGKILL)
    server.communicate(timeout=60)
    points, images = beneath(folder)
    assert str(folder) in points
    said = command.plimsoll("store", "list")
    assert f"took back what a run that was killed had left: mount on {folder}" in said.stderr
    check_nothing_left(folder, images)
    assert "took back" not in command.plimsoll("store", "list").stderr
