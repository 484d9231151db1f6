"""Where control groups are, by a table of mounts: which version has a controller, and what is said where none has."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import pytest

from plimsoll.base.errors import WorldError
from plimsoll.placement.slices.applying.hierarchy import Hierarchy, hierarchy_for
from plimsoll.placement.slices.layout import layout_of
from sliced_hosts import books, plan

LAYOUT = layout_of(plan(books(), free=()))
Mounted = Callable[..., None]


def _table(*mounts: tuple[str, Path, str]) -> str:
    return "\n".join(
        f"{number} 1 0:{number} / {point} rw - {kind} {kind} rw,{options}"
        for number, (kind, point, options) in enumerate(mounts, 30)
    )


def _found(way: str | None, *mounts: tuple[str, Path, str], systemd: Path = Path("/none")) -> Hierarchy:
    with (
        patch("plimsoll.ports.mounts.mount_table", lambda: _table(*mounts)),
        patch("plimsoll.placement.slices.applying.hierarchy._SYSTEMD", systemd),
    ):
        return hierarchy_for(LAYOUT, way)


def _unified(tmp_path: Path, controllers: str) -> tuple[str, Path, str]:
    top = tmp_path / "unified"
    top.mkdir()
    (top / "cgroup.controllers").write_text(f"{controllers}\n")
    return "cgroup2", top, "nsdelegate"


def _first(tmp_path: Path) -> list[tuple[str, Path, str]]:
    return [("cgroup", tmp_path / name, name) for name in ("cpuset", "memory", "blkio")]


def test_the_version_that_has_cpusets_is_taken(tmp_path: Path) -> None:
    unified = _unified(tmp_path, "cpuset memory io")
    assert _found(None, unified).way == "cgroup-v2"
    assert _found(None, unified, *_first(tmp_path)).way == "cgroup-v2"
    assert _found(None, unified, systemd=tmp_path).way == "systemd"
    assert _found("cgroup-v2", unified, systemd=tmp_path).way == "cgroup-v2"


def test_of_a_host_with_both_it_is_the_one_that_cpusets_are_bound_to(tmp_path: Path) -> None:
    unified = _unified(tmp_path, "hugetlb")
    found = _found(None, unified, *_first(tmp_path), systemd=tmp_path)
    assert (found.way, found.path("memory/plimsoll-a/x")) == (
        "cgroup-v1",
        tmp_path / "memory" / "plimsoll-a" / "x",
    )
    with pytest.raises(WorldError) as caught:
        _found("cgroup-v2", unified, *_first(tmp_path))
    assert str(caught.value) == (
        f"the control groups of version 2 in {unified[1]} do not have the controllers cpuset, memory; bound to version 1: "
        f"cpuset at {tmp_path / 'cpuset'}, memory at {tmp_path / 'memory'}"
    )


@pytest.mark.parametrize("controllers", ["memory pids", "cpuset", ""])
def test_a_group_that_is_delegated_in_part_is_told(tmp_path: Path, controllers: str) -> None:
    unified = _unified(tmp_path, controllers)
    with pytest.raises(WorldError, match="do not have the controller") as caught:
        _found(None, unified)
    missing = {"cpuset", "memory"} - set(controllers.split())
    assert caught.value.id == "slices-no-groups"
    assert str(caught.value).endswith(
        " ".join(["controllers" if len(missing) > 1 else "controller", ", ".join(sorted(missing))])
    )


def test_a_host_without_control_groups_is_told(tmp_path: Path) -> None:
    with pytest.raises(WorldError, match="no control groups of version 2 are mounted"):
        _found(None, ("ext4", Path("/"), "seclabel"))
    with pytest.raises(
        WorldError, match="no hierarchy of version 1 is mounted for the controllers cpuset, memory"
    ):
        _found("cgroup-v1", _unified(tmp_path, "cpuset memory"))


def test_systemd_is_told_where_it_does_not_run(tmp_path: Path) -> None:
    with pytest.raises(WorldError, match="systemd does not run this host"):
        _found("systemd", _unified(tmp_path, "cpuset memory"))
