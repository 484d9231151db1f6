"""Caps and bounds as each version of control groups is told of them, and what is said where there is none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from plimsoll.base.errors import WorldError
from plimsoll.context import Scratch
from plimsoll.facts import DeviceCap
from plimsoll.host import control_groups
from plimsoll.host.control_groups import Group
from plimsoll.ports import control_groups as port
from plimsoll.ports.control_groups import BLOCK_IO, MEMORY, Controller, Place


def group(folder: Path, is_unified: bool) -> Group:
    return Group(folder, Place(folder.parent, folder.parent, is_unified))


def settings(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text().strip() for path in folder.iterdir()}


def test_a_cap_in_the_words_of_version_1(tmp_path: Path) -> None:
    group(tmp_path, False).cap("7:0", DeviceCap(iops=200.0, mb_per_s=12.5))
    assert settings(tmp_path) == {
        "blkio.throttle.read_iops_device": "7:0 200",
        "blkio.throttle.write_iops_device": "7:0 200",
        "blkio.throttle.read_bps_device": "7:0 12500000",
        "blkio.throttle.write_bps_device": "7:0 12500000",
    }


def test_a_cap_in_the_words_of_version_2(tmp_path: Path) -> None:
    group(tmp_path, True).cap("7:0", DeviceCap(iops=200.0))
    assert settings(tmp_path) == {"io.max": "7:0 riops=200 wiops=200"}


@pytest.mark.parametrize(("is_unified", "name"), [(False, "memory.limit_in_bytes"), (True, "memory.max")])
def test_a_bound_on_memory(tmp_path: Path, is_unified: bool, name: str) -> None:
    group(tmp_path, is_unified).bound_memory(64 << 20)
    assert settings(tmp_path) == {name: "67108864"}


def test_pages_of_files_are_told_or_unknown(tmp_path: Path) -> None:
    own = group(tmp_path, False)
    assert own.page_cache_bytes() is None
    (tmp_path / "memory.stat").write_text(
        "cache 9\ninactive_file 4096\nactive_file 8192\ntotal_active_file 1\n"
    )
    assert own.page_cache_bytes() == 12288
    (tmp_path / "memory.stat").write_text("cache 9\ninactive_file 4096\n")
    assert own.page_cache_bytes() is None


def test_what_the_kernel_refuses_is_said(tmp_path: Path) -> None:
    with pytest.raises(WorldError) as caught:
        group(tmp_path / "none", True).bound_memory(1)
    assert caught.value.id == "control-group-refused"
    assert "memory.max" in caught.value.message


@pytest.mark.parametrize(
    ("controller", "names", "kernel"),
    [
        (BLOCK_IO, "blkio or io", "CONFIG_BLK_DEV_THROTTLING"),
        (MEMORY, "controller memory can", "CONFIG_MEMCG"),
    ],
)
def test_where_none_can_be_made_the_hint_says_how(
    monkeypatch: pytest.MonkeyPatch, controller: Controller, names: str, kernel: str
) -> None:
    monkeypatch.setattr(port, "places", lambda wanted: {})
    with pytest.raises(WorldError) as caught:
        control_groups.places([controller])
    assert caught.value.id == "control-group-missing"
    assert names in caught.value.message
    hint = caught.value.hint or ""
    assert (kernel in hint, f"mount -t cgroup -o {controller.name}" in hint) == (True, True)
    assert f"echo +{controller.unified_name} >" in hint


def test_what_starts_inside_stays_there_and_this_process_returns(tmp_path: Path) -> None:
    found = port.places([MEMORY]) if os.geteuid() == 0 else {}
    if not found:
        pytest.skip("no control group that bounds memory can be made here")
    with Scratch(tmp_path) as scratch:
        made = tuple(control_groups.new_groups(scratch, found, "test").values())
        procs = made[0].folder / "cgroup.procs"
        with control_groups.inside(made):
            assert str(os.getpid()) in procs.read_text().split()
            child = scratch.start(["sleep", "600"], folder=tmp_path)
        assert procs.read_text().split() == [str(child.pid)]
    assert not made[0].folder.exists()


def test_controllers_of_one_place_have_one_group(tmp_path: Path) -> None:
    place = Place(tmp_path, tmp_path, True)
    with Scratch(tmp_path / "journals") as scratch:
        made = control_groups.new_groups(scratch, {BLOCK_IO: place, MEMORY: place}, "test")
    assert made[BLOCK_IO] is made[MEMORY]
