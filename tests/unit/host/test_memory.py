"""What the kernel says of the memory that is left."""

from __future__ import annotations

from pathlib import Path

import pytest

from plimsoll.host import memory
from plimsoll.ports import files


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("MemTotal: 24 kB\nMemAvailable:   11 kB\n", 11 * 1024), ("MemTotal: 24 kB\n", None), (None, None)],
)
def test_available_memory_is_the_kernels_estimate(
    text: str | None, wanted: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "read_text", lambda path: text)
    assert memory.available_bytes() == wanted


MIB = 1 << 20
V2 = ("sys/fs/cgroup", "memory.max", "memory.current", "inactive_file")
V1 = ("sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")


def _host(root: Path, groups: str) -> None:
    (root / "proc/self").mkdir(parents=True)
    (root / "proc/meminfo").write_text("MemTotal: 2097152 kB\nMemAvailable: 1048576 kB\n")
    (root / "proc/self/cgroup").write_text(groups)


def _group(root: Path, files: tuple[str, ...], path: str, limit: str, used: int, kept: int) -> None:
    folder = root / files[0] / path
    folder.mkdir(parents=True, exist_ok=True)
    (folder / files[1]).write_text(f"{limit}\n")
    (folder / files[2]).write_text(f"{used}\n")
    (folder / "memory.stat").write_text(f"anon 5\n{files[3]} {kept}\n")


@pytest.mark.parametrize(
    ("files", "groups"), [(V2, "0::/db/slice\n"), (V1, "4:cpu:/\n3:memory:/db/slice\n0::/x\n")]
)
def test_limits_of_control_groups_leave_less(tmp_path: Path, files: tuple[str, ...], groups: str) -> None:
    _host(tmp_path, groups)
    assert memory.available_bytes(tmp_path) == 1024 * MIB
    _group(tmp_path, files, "db/slice", str(300 * MIB), 100 * MIB, 20 * MIB)
    assert memory.available_bytes(tmp_path) == 220 * MIB
    _group(tmp_path, files, "db", str(200 * MIB), 150 * MIB, 0)
    assert memory.available_bytes(tmp_path) == 50 * MIB
    _group(tmp_path, files, "db", "max" if files is V2 else str((1 << 63) - 4096), 150 * MIB, 0)
    assert memory.available_bytes(tmp_path) == 220 * MIB
    _group(tmp_path, files, "db/slice", str(100 * MIB), 200 * MIB, 0)
    assert memory.available_bytes(tmp_path) == 0


@pytest.mark.parametrize("files", [V2, V1])
def test_limits_of_a_group_that_another_process_is_put_into(tmp_path: Path, files: tuple[str, ...]) -> None:
    folder = tmp_path / files[0] / "db/slice"
    folder.mkdir(parents=True)
    for one in (folder, folder.parent):
        (one / "cgroup.procs").touch()
    assert memory.left_in_group_bytes(folder) is None
    _group(tmp_path, files, "db/slice", str(300 * MIB), 290 * MIB, 20 * MIB)
    assert memory.left_in_group_bytes(folder) == 30 * MIB
    _group(tmp_path, files, "db", str(400 * MIB), 390 * MIB, 5 * MIB)
    assert memory.left_in_group_bytes(folder) == 15 * MIB


def test_in_a_container_the_group_is_the_top(tmp_path: Path) -> None:
    _host(tmp_path, "0::/docker/4711\n")
    _group(tmp_path, V2, "", str(64 * MIB), 32 * MIB, 0)
    assert memory.available_bytes(tmp_path) == 32 * MIB


def test_a_node_has_what_nobody_holds_and_pages_of_files(tmp_path: Path) -> None:
    folder = tmp_path / "sys/devices/system/node/node3"
    folder.mkdir(parents=True)
    assert memory.node_available_bytes(3, tmp_path) is None
    (folder / "meminfo").write_text(
        "Node 3 MemTotal:       65536 kB\nNode 3 MemFree:          512 kB\nNode 3 Inactive:        4096 kB\n"
        "Node 3 Inactive(anon):  2048 kB\nNode 3 Inactive(file):  2048 kB\n"
    )
    assert memory.node_available_bytes(3, tmp_path) == 2560 * 1024
    (folder / "meminfo").write_text("Node 3 Inactive(file):  2048 kB\n")
    assert memory.node_available_bytes(3, tmp_path) is None
