"""Tiers of the laboratory: nothing of them is left at the end, nor after a kill once another command has run."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

import command
from plimsoll.placement.tier_file import read_tiers
from plimsoll.ports import processes
from plimsoll.ports.mounts import mount_table, mounts
from served_tiers import answer, served, tiers_folder

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

LAW = (
    "--slow-law", "law=constant,mean=1ms,us_per_mib=1ms", "--fast-law", "law=constant,mean=100us,servers=4",
    "--slow-size", "256m", "--fast-size", "128m",
)  # fmt: skip
CAPPED = (
    "--by", "throttle", "--slow-iops", "500", "--cache", "1m", "--buffered", "96m", "--slow-size", "192m", "--fast-size", "128m",
)  # fmt: skip


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """Of the tiers; journals and store are this test's alone."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("PLIMSOLL_STORE", str(tmp_path / "runs.db"))
    with tiers_folder() as made:
        yield made


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
    scratch = [Path(image).parent.parent for image in images if not Path(image).is_relative_to(folder)]
    assert not any(path.exists() for path in scratch)


def groups_of(folder: Path) -> set[str]:
    """Control groups of ours that the server is in, by name: it works in a folder of the slow tier."""
    servers = processes.inside_folder(folder)
    assert servers
    told = [Path("/proc", str(one.pid), "cgroup").read_text() for one in servers]
    return {Path(line).name for text in told for line in text.splitlines() if "plimsoll-tiers-" in line}


def existing(groups: set[str]) -> list[Path]:
    return [path for name in groups for path in Path("/sys/fs/cgroup").rglob(name)]


def test_objects_move_between_the_tiers_and_nothing_is_left_at_the_end(folder: Path) -> None:
    with served(folder, *LAW) as server:
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
        found, _ = answer(server)
        assert [tier.tier for tier in found.tiers] == [
            tier.model_copy(update={"source": tier.source}) for tier in described
        ]
        assert all(tier.counters is not None and tier.counters.writes > 0 for tier in found.tiers)
        check_nothing_left(folder, images)


@pytest.mark.parametrize(("words", "group_count"), [(LAW, 0), (CAPPED, 1)], ids=["law", "throttle"])
def test_the_next_command_takes_back_what_a_kill_left(
    folder: Path, words: tuple[str, ...], group_count: int
) -> None:
    with served(folder, *words) as server:
        groups = groups_of(folder)
        # Version 1 has one for each controller.
        assert len(groups) in {group_count, 2 * group_count}
        assert len(existing(groups)) == len(groups)
        os.kill(server.pid, signal.SIGKILL)
        server.communicate(timeout=60)
        points, images = beneath(folder)
        assert str(folder) in points
        said = command.plimsoll("store", "list")
        assert f"took back what a run that was killed had left: mount on {folder}" in said.stderr
        assert all(name in said.stderr for name in groups)
        assert existing(groups) == []
        check_nothing_left(folder, images)
        assert "took back" not in command.plimsoll("store", "list").stderr
