"""Where control groups can be made, by tables of mounts of either version, and what is taken for one that is ours."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from plimsoll.ports import control_groups, files, mounts
from plimsoll.ports.control_groups import BLOCK_IO, MEMORY, Place

Hosted = Callable[..., None]


@pytest.fixture
def hosted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hosted:
    """A host with these mounts of control groups (kind, controllers, root) by folder, and this process in these groups."""
    read = files.read_text

    def make(mounted: dict[str, tuple[str, str, str]], own: str) -> None:
        lines = [
            f"{number} 1 0:{number} {root} {tmp_path / name} rw - {kind} {kind} rw,{controllers}\n"
            for number, (name, (kind, controllers, root)) in enumerate(mounted.items(), 30)
        ]
        monkeypatch.setattr(mounts, "mount_table", lambda: "".join(lines))
        monkeypatch.setattr(
            files, "read_text", lambda path: own if path == "/proc/self/cgroup" else read(path)
        )

    return make


def folder(at: Path, *present: str, passes_on: str | None = None) -> Path:
    at.mkdir(parents=True, exist_ok=True)
    for name in present:
        (at / name).touch()
    if passes_on is not None:
        (at / "cgroup.subtree_control").write_text(f"{passes_on}\n")
    return at


def test_of_version_1_it_is_made_in_the_group_of_this_process(tmp_path: Path, hosted: Hosted) -> None:
    hosted(
        {"blkio": ("cgroup", "blkio", "/"), "memory": ("cgroup", "memory", "/")}, "4:memory:/a/b\n3:blkio:/\n"
    )
    blkio = folder(tmp_path / "blkio", BLOCK_IO.setting)
    memory = folder(tmp_path / "memory/a/b", MEMORY.setting)
    assert control_groups.places([BLOCK_IO, MEMORY]) == {
        BLOCK_IO: Place(blkio, blkio, False),
        MEMORY: Place(memory, memory, False),
    }


def test_in_a_container_the_names_may_begin_above_the_mount(tmp_path: Path, hosted: Hosted) -> None:
    hosted({"blkio": ("cgroup", "blkio", "/box/7")}, "3:blkio:/box/7/inner\n")
    inner = folder(tmp_path / "blkio/inner", BLOCK_IO.setting)
    assert control_groups.places([BLOCK_IO])[BLOCK_IO].home == inner
    hosted({"blkio": ("cgroup", "blkio", "/../7")}, "3:blkio:/\n")
    top = folder(tmp_path / "blkio", BLOCK_IO.setting)
    assert control_groups.places([BLOCK_IO])[BLOCK_IO].home == top


def test_a_controller_that_cannot_throttle_is_none(tmp_path: Path, hosted: Hosted) -> None:
    hosted({"blkio": ("cgroup", "blkio", "/")}, "3:blkio:/\n")
    folder(tmp_path / "blkio")
    assert control_groups.places([BLOCK_IO]) == {}


def test_of_version_2_it_is_made_where_controllers_are_passed_on(tmp_path: Path, hosted: Hosted) -> None:
    hosted({"all": ("cgroup2", "", "/")}, "0::/user/shell\n")
    top = folder(tmp_path / "all", passes_on="cpu io memory")
    user = folder(tmp_path / "all/user", passes_on="memory pids")
    shell = folder(tmp_path / "all/user/shell", passes_on="")
    assert control_groups.places([MEMORY]) == {MEMORY: Place(user, shell, True)}
    both = Place(top, shell, True)
    assert control_groups.places([BLOCK_IO, MEMORY]) == {BLOCK_IO: both, MEMORY: both}
    (top / "cgroup.subtree_control").write_text("cpu memory\n")
    assert control_groups.places([BLOCK_IO]) == {}


def test_one_version_can_have_what_the_other_has_not(tmp_path: Path, hosted: Hosted) -> None:
    hosted(
        {"memory": ("cgroup", "memory", "/"), "unified": ("cgroup2", "", "/")},
        "4:memory:/\n0::/\n",
    )
    memory = folder(tmp_path / "memory", MEMORY.setting)
    unified = folder(tmp_path / "unified", passes_on="io")
    found = control_groups.places([BLOCK_IO, MEMORY])
    assert (found[BLOCK_IO].parent, found[MEMORY].parent) == (unified, memory)


def test_only_a_folder_of_a_hierarchy_is_a_group(tmp_path: Path, hosted: Hosted) -> None:
    hosted({"": ("ext4", "", "/"), "groups": ("cgroup2", "", "/")}, "0::/\n")
    group, plain = folder(tmp_path / "groups/own"), folder(tmp_path / "own")
    (tmp_path / "groups/link").symlink_to(group)
    (tmp_path / "groups/file").touch()
    assert control_groups.is_own(group)
    assert not control_groups.is_own(plain)
    assert not control_groups.is_own(tmp_path / "groups/link")
    assert not control_groups.is_own(tmp_path / "groups/file")
    assert not control_groups.is_own(tmp_path / "groups/none")


def test_a_group_that_is_gone_is_removed(tmp_path: Path) -> None:
    made = tmp_path / "group"
    control_groups.make(made)
    (made / "member").touch()
    assert not control_groups.remove(made)
    (made / "member").unlink()
    assert control_groups.remove(made)
    assert control_groups.remove(made)


def test_caps_of_all_groups_around_this_process_are_found(tmp_path: Path, hosted: Hosted) -> None:
    hosted({"blkio": ("cgroup", "blkio", "/"), "all": ("cgroup2", "", "/")}, "3:blkio:/a/b\n0::/c/d\n")
    throttle = folder(tmp_path / "blkio/a/b").parent / "blkio.throttle.write_iops_device"
    throttle.write_text("8:0 1000\n")
    most = folder(tmp_path / "all/c/d") / "io.max"
    most.write_text("259:0 rbps=max wbps=max riops=200 wiops=max\n")
    (tmp_path / "all/c/io.max").write_text("8:32 rbps=1000000 wbps=max riops=max wiops=max\n")
    folder(tmp_path / "all/elsewhere").joinpath("io.max").write_text("8:16 rbps=1 wbps=1 riops=1 wiops=1\n")
    assert control_groups.capped_devices() == {"8:0": throttle, "259:0": most}
