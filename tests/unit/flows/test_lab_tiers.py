"""Tiers of the laboratory that cannot be served, and what is left of the attempt: nothing."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from plimsoll.base.errors import PlimsollError, UsageError
from plimsoll.facts import DeviceCap, DeviceTraffic
from plimsoll.flows import lab_tier_disks, lab_tiers
from plimsoll.flows.lab_tiers import serve_tiers
from plimsoll.host import control_groups
from plimsoll.host.device_counts import DeviceCounts
from plimsoll.ports import control_groups as port
from plimsoll.ports import mounts, processes
from plimsoll.requests.lab import TiersRequest
from simulated import context


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty one; helpers work in another."""
    (scratch := tmp_path / "scratch").mkdir()
    monkeypatch.setenv("PLIMSOLL_SCRATCH", str(scratch))
    (made := tmp_path / "tiers").mkdir()
    return made


def refusal(tmp_path: Path, folder: Path, **asked: Any) -> PlimsollError:
    with context(tmp_path / "journals") as ctx, pytest.raises(PlimsollError) as caught:
        serve_tiers(ctx, TiersRequest(folder=str(folder), **asked))
    assert os.listdir(folder) == []
    assert os.listdir(tmp_path / "scratch") == []
    return caught.value


def test_root_is_needed(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "is_root", lambda: False)
    found = refusal(tmp_path, folder)
    assert (found.id, "root" in found.message) == ("tiers-root", True)


def test_a_device_of_a_file_is_needed(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "is_root", lambda: True)
    monkeypatch.setattr(mounts, "missing_for_files", lambda: "there is no /dev/loop-control")
    found = refusal(tmp_path, folder)
    assert (found.id, found.message) == (
        "tiers-loop",
        "cannot make a device of a file: there is no /dev/loop-control",
    )
    assert "modprobe loop" in (found.hint or "")


@pytest.mark.parametrize(
    ("asked", "names"),
    [({"by": "throttle"}, "blkio or io"), ({"buffered_bytes": 1 << 30}, "memory")],
)
def test_a_control_group_is_needed_before_anything_is_made(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, asked: dict[str, Any], names: str
) -> None:
    monkeypatch.setattr(processes, "is_root", lambda: True)
    monkeypatch.setattr(mounts, "missing_for_files", lambda: None)
    monkeypatch.setattr(port, "places", lambda wanted: {})
    monkeypatch.setattr(lab_tier_disks, "disk_of", lambda *_: pytest.fail("a disk was made"))
    found = refusal(tmp_path, folder, **asked)
    assert (found.id, names in found.message) == ("control-group-missing", True)


def test_what_is_given_to_the_page_cache_must_hold_the_server_as_well(tmp_path: Path, folder: Path) -> None:
    found = refusal(tmp_path, folder, cache_bytes=64 << 20, buffered_bytes=100 << 20)
    assert (found.id, found.hint) == ("tiers-bound", "Give at least 112 MiB, or less with --cache.")


def test_what_the_server_is_told_of_the_cache_beneath(tmp_path: Path) -> None:
    direct, buffered = (
        lab_tiers._settings(TiersRequest(folder=str(tmp_path), cache_bytes=16 << 20, buffered_bytes=bound))
        for bound in (None, 256 << 20)
    )
    assert (direct["effective_cache_size"], "debug_io_direct" in direct) == ("16384kB", False)
    assert (buffered["effective_cache_size"], buffered["debug_io_direct"]) == ("262144kB", "")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"slow_iops": "100"}, "--slow-iops would have no effect without --by throttle"),
        ({"by": "throttle", "slow_law": "law=seek"}, "--slow-law would have no effect with --by throttle"),
        ({"by": "throttle", "seed": "3"}, "--seed would have no effect with --by throttle"),
    ],
)
def test_what_has_no_effect_is_refused(given: dict[str, str], said: str) -> None:
    with pytest.raises(UsageError) as caught:
        TiersRequest.of_words({"folder": "/mnt/tiers", **given})
    assert (caught.value.id, caught.value.message) == ("option-idle", said)


@pytest.mark.parametrize(
    ("cap", "said"),
    [
        (None, "as fast as memory"),
        (DeviceCap(iops=200.0), "at most 200 reads and as many writes per second, without latency"),
        (
            DeviceCap(iops=200.0, mb_per_s=12.5),
            "at most 200 reads and as many writes, and 12.5 MB read and as many written per second, without latency",
        ),
    ],
)
def test_a_cap_in_words(cap: DeviceCap | None, said: str) -> None:
    assert lab_tier_disks.words_of(None, cap) == said
    assert lab_tier_disks.words_of("law=seek", cap) == "law=seek"


def test_traffic_is_what_came_between_two_looks() -> None:
    before = DeviceCounts(
        reads=5, read_sectors=16, read_ms=0, writes=1, write_sectors=8, write_ms=0, busy_ms=0, weighted_ms=0
    )
    after = replace(before, reads=7, read_sectors=48, writes=2, write_sectors=10)
    assert lab_tier_disks.traffic(before, after) == DeviceTraffic(
        reads=2, writes=1, read_bytes=16_384, write_bytes=1024
    )
    assert lab_tier_disks.traffic(None, after) is None


def test_laws_are_read_before_anything_is_made(tmp_path: Path, folder: Path) -> None:
    assert refusal(tmp_path, folder, fast_law="law=uniform").id == "disk-law-unreadable"


def test_a_disk_that_is_not_served_says_why(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "is_root", lambda: True)
    monkeypatch.setattr(mounts, "missing_for_files", lambda: None)
    monkeypatch.setattr(sys, "executable", "/bin/false")
    found = refusal(tmp_path, folder)
    assert found.id == "tiers-refused"
    assert found.message == "could not serve the disk of tier slow: nothing"


def test_what_a_program_says_against_the_tiers_is_told(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise OSError(0, "mount: permission denied")

    monkeypatch.setattr(processes, "is_root", lambda: True)
    monkeypatch.setattr(mounts, "missing_for_files", lambda: None)
    monkeypatch.setattr(mounts, "mount_memory", refused)
    monkeypatch.setattr(control_groups, "places", lambda wanted: {})
    found = refusal(tmp_path, folder, by="throttle")
    assert found.id == "tiers-refused"
    assert found.message.endswith("mount: permission denied")


def test_what_ends_by_itself_ends_the_serving(tmp_path: Path) -> None:
    alive, ended = (SimpleNamespace(poll=lambda status=status: status) for status in (None, 1))
    watched: Any = {"the database": alive, "the disk of tier slow": ended}
    with context(tmp_path) as ctx:
        assert lab_tiers._wait(ctx, watched, None) == ["the disk of tier slow"]
        assert lab_tiers._wait(ctx, {"the database": watched["the database"]}, 0.0) == []
