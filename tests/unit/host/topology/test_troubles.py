"""Recordings that are damaged, or made to do harm: what is off is named, and the rest is read."""

from __future__ import annotations

import io
import os
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from plimsoll.base import limits
from plimsoll.base.errors import UnreadableError, UsageError, WorldError
from plimsoll.facts import Topology
from plimsoll.host.topology import read_topology
from plimsoll.host.topology.tree import FolderTree
from recorded_topologies import KEPT

CPU = "sys/devices/system/cpu"
NODE = "sys/devices/system/node"


def _files() -> dict[str, str]:
    """Two nodes, each with a core of two threads."""
    found = {f"{CPU}/online": "0-3\n", f"{NODE}/online": "0-1\n"}
    for number in range(4):
        node, folder = number // 2, f"{CPU}/cpu{number}"
        pair = f"{2 * node}-{2 * node + 1}\n"
        found |= {
            f"{folder}/topology/physical_package_id": f"{node}\n",
            f"{folder}/topology/core_id": "0\n",
            f"{folder}/topology/thread_siblings_list": pair,
            f"{folder}/topology/core_siblings_list": pair,
            f"{folder}/cache/index0/level": "2\n",
            f"{folder}/cache/index0/type": "Unified\n",
            f"{folder}/cache/index0/size": "512K\n",
            f"{folder}/cache/index0/shared_cpu_list": pair,
            f"{NODE}/node{node}/cpulist": pair,
            f"{NODE}/node{node}/distance": "10 21\n" if node == 0 else "21 10\n",
            f"{NODE}/node{node}/meminfo": f"Node {node} MemTotal:  1024 kB\nNode {node} MemFree:  512 kB\n",
        }
    return found


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    for place, text in _files().items():
        path = tmp_path / "host" / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "host"


def _packed(recording: Path, change: Callable[[tarfile.TarFile], None] = lambda archive: None) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", dereference=False) as archive:
        archive.add(recording, "host")
        change(archive)
    return packed.getvalue()


def _read_packed(tmp_path: Path, content: bytes) -> Topology:
    path = tmp_path / "host.tar.gz"
    path.write_bytes(content)
    return read_topology(str(path))


def _codes(found: Topology) -> list[str]:
    return [problem.code for problem in found.problems]


def _shape(found: Topology) -> tuple[object, ...]:
    nodes = [(node.id, node.cpus, node.memory_bytes) for node in found.nodes]
    return nodes, [core.cpus for core in found.cores], found.distances, [cache.cpus for cache in found.caches]


WHOLE = (
    [(0, (0, 1), 1 << 20), (1, (2, 3), 1 << 20)],
    [(0, 1), (2, 3)],
    ((10, 21), (21, 10)),
    [(0, 1), (2, 3)],
)


def test_a_folder_and_its_archive_are_read_alike(recording: Path, tmp_path: Path) -> None:
    folder, archive = read_topology(str(recording)), _read_packed(tmp_path, _packed(recording))
    assert _shape(folder) == _shape(archive) == WHOLE
    assert (folder.origin, archive.origin) == ("recorded tree", "archive")
    assert _codes(folder) == _codes(archive) == []
    assert read_topology(str(recording.parent)).nodes == folder.nodes


def test_values_that_end_in_zeros_are_read(recording: Path) -> None:
    for path in recording.rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes() + b"\0\0")
    found = read_topology(str(recording))
    assert (_shape(found), _codes(found)) == (WHOLE, [])


def test_a_zero_within_a_value_is_a_problem_by_name(recording: Path) -> None:
    (recording / CPU / "cpu1/topology/core_id").write_bytes(b"0\x001\n")
    (problem, *_) = read_topology(str(recording)).problems
    assert (problem.code, problem.path) == ("topology-value-unread", f"{CPU}/cpu1/topology/core_id")


def test_masks_without_lists(recording: Path) -> None:
    for path in [*recording.rglob("*_list"), *recording.rglob("cpulist")]:
        first = int(path.read_text()[0])
        name = {"cpulist": "cpumap", "shared_cpu_list": "shared_cpu_map"}
        other = path.with_name(name.get(path.name, path.name.removesuffix("_list")))
        other.write_text(f"00000000,{3 << first:08x}\n")
        path.unlink()
    found = read_topology(str(recording))
    assert (_shape(found), _codes(found)) == (WHOLE, [])


def test_siblings_that_contradict_each_other_are_of_no_core(recording: Path) -> None:
    (recording / CPU / "cpu1/topology/thread_siblings_list").write_text("1-3\n")
    found = read_topology(str(recording))
    assert [core.cpus for core in found.cores] == [(2, 3)]
    (problem,) = found.problems
    assert problem.code == "topology-siblings-contradict"
    assert "the CPUs 0-1 contradict each other" in problem.message


def test_more_unlike_sets_of_cpus_than_any_host_has_take_no_memory(
    recording: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Thousands of CPUs of which each names thousands of others."""
    monkeypatch.setattr("plimsoll.host.topology.tree.TOPOLOGY_SETS_CPUS_MAX", 4)
    (recording / CPU / "cpu3/cache/index0/shared_cpu_list").write_text("1-3\n")
    found = read_topology(str(recording))
    assert [core.cpus for core in found.cores] == [(0, 1), (2, 3)]
    assert _codes(found) == ["topology-sets-many", "topology-caches-contradict"]


def test_a_core_of_more_cpus_than_any_has_is_not_told(
    recording: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plimsoll.host.topology.cpus._THREADS_MAX", 1)
    found = read_topology(str(recording))
    assert (found.cores, _codes(found)) == ((), ["topology-cores-untold"])


def test_packages_and_caches_that_contradict_each_other_are_named(recording: Path) -> None:
    (recording / CPU / "cpu0/topology/core_siblings_list").write_text("0-3\n")
    (recording / CPU / "cpu0/cache/index0/shared_cpu_list").write_text("0-2\n")
    found = read_topology(str(recording))
    assert _codes(found) == ["topology-packages-contradict", "topology-caches-contradict"]
    assert [cache.cpus for cache in found.caches] == [(2, 3)]


def test_sparse_node_numbers(recording: Path) -> None:
    (recording / NODE / "node1").rename(recording / NODE / "node72")
    (recording / NODE / "online").write_text("0,72\n")
    found = read_topology(str(recording))
    assert [node.id for node in found.nodes] == [0, 72]
    assert found.distances == ((10, 21), (21, 10))


def test_without_node_folders_the_host_is_one_node(recording: Path) -> None:
    (recording / NODE).rename(recording / "elsewhere")
    found = read_topology(str(recording))
    assert found.is_one_node_meant
    assert [(node.id, node.cpus, node.memory_bytes) for node in found.nodes] == [(0, (0, 1, 2, 3), None)]


def test_a_row_of_distances_for_other_nodes_is_named(recording: Path) -> None:
    (recording / NODE / "node1/distance").write_text("21 10 30\n")
    found = read_topology(str(recording))
    assert found.distances == ((10, 21), (None, None))
    assert "holds 3 distances, for 2 nodes" in found.problems[0].message


@pytest.mark.parametrize(("kib", "codes"), [(2_000, []), (4_096, ["topology-memory-contradicts"])])
def test_the_memory_of_all_nodes_is_held_against_that_of_the_host(
    recording: Path, kib: int, codes: list[str]
) -> None:
    (recording / "proc").mkdir(exist_ok=True)
    (recording / "proc/meminfo").write_text(f"MemTotal: {kib:10} kB\nMemFree: 100 kB\n")
    found = read_topology(str(recording))
    assert _codes(found) == codes
    if codes:
        assert "have 2 MiB of memory together, and the host has 4 MiB" in found.problems[0].message


def test_offline_cpus(recording: Path) -> None:
    (recording / CPU / "online").write_text("0,2-3\n")
    found = read_topology(str(recording))
    assert [cpu.id for cpu in found.cpus if not cpu.online] == [1]
    assert [core.cpus for core in found.cores] == [(0,), (2, 3)]
    assert found.nodes[0].cpus == (0,)


@pytest.mark.parametrize("target", ["/etc/hostname", "../../../../../../../../../../etc/hostname"])
def test_a_link_that_leaves_the_tree_is_not_followed(recording: Path, tmp_path: Path, target: str) -> None:
    link = recording / CPU / "cpu0/topology/core_id"
    link.unlink()
    link.symlink_to(target)
    for found in (read_topology(str(recording)), _read_packed(tmp_path, _packed(recording))):
        assert found.problems[0].code == "topology-link-leaves"
        assert found.problems[0].path == f"{CPU}/cpu0/topology/core_id"
        assert len(found.nodes) == 2


def test_a_link_within_the_tree_is_followed(recording: Path, tmp_path: Path) -> None:
    cpu = recording / CPU / "cpu0"
    cpu.rename(recording / "sys/cpu0")
    cpu.symlink_to("../../../cpu0")
    for found in (read_topology(str(recording)), _read_packed(tmp_path, _packed(recording))):
        assert (_shape(found), _codes(found)) == (WHOLE, [])


def test_links_in_a_circle_end(recording: Path, tmp_path: Path) -> None:
    link = recording / CPU / "cpu0/topology/core_id"
    link.unlink()
    link.symlink_to("core_id")
    assert len(read_topology(str(recording)).nodes) == 2
    assert len(_read_packed(tmp_path, _packed(recording)).nodes) == 2


def test_names_of_an_archive_that_lead_out_of_it_are_left_out(recording: Path, tmp_path: Path) -> None:
    def add(archive: tarfile.TarFile) -> None:
        archive.addfile(tarfile.TarInfo("../outside"))

    found = _read_packed(tmp_path, _packed(recording, add))
    assert (_shape(found), _codes(found)) == (WHOLE, ["topology-link-leaves"])
    assert not (tmp_path.parent / "outside").exists()


def test_a_long_file_is_named_and_the_rest_is_read(recording: Path, tmp_path: Path) -> None:
    path = recording / NODE / "node1/meminfo"
    os.truncate(path, limits.TOPOLOGY_FILE_BYTES_MAX + 1)
    for found in (read_topology(str(recording)), _read_packed(tmp_path, _packed(recording))):
        assert _codes(found) == ["topology-file-large"]
        assert [node.memory_bytes for node in found.nodes] == [1 << 20, None]


def test_an_archive_that_breaks_off_is_named_and_what_came_before_is_read(tmp_path: Path) -> None:
    content = (KEPT / "16em64t-4s2c2t-offlines.tar.bz2").read_bytes()
    whole = tmp_path / "whole.tar"
    with tarfile.open(KEPT / "16em64t-4s2c2t-offlines.tar.bz2") as archive, tarfile.open(whole, "w") as plain:
        for member in archive:
            plain.addfile(member, archive.extractfile(member) if member.isreg() else None)
    cut = tmp_path / "cut.tar"
    cut.write_bytes(whole.read_bytes()[: whole.stat().st_size * 2 // 3])
    assert "topology-archive-broken" in _codes(read_topology(str(cut)))
    (tmp_path / "cut.tar.bz2").write_bytes(content[:500])
    with pytest.raises(UnreadableError, match="is a broken archive") as error:
        read_topology(str(tmp_path / "cut.tar.bz2"))
    assert error.value.id == "topology-archive"


def test_a_damaged_header_is_not_taken_for_the_end(recording: Path, tmp_path: Path) -> None:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        archive.add(recording, "host")
    with tarfile.open(fileobj=io.BytesIO(content.getvalue())) as archive:
        last = archive.getmembers()[-1].offset
    damaged = bytearray(content.getvalue())
    damaged[last : last + 100] = b"\xff" * 100
    found = _read_packed(tmp_path, bytes(damaged))
    assert _codes(found)[0] == "topology-archive-broken"


def test_an_archive_out_of_all_proportion_is_refused(
    recording: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = _packed(recording)
    for name in ("TOPOLOGY_UNPACKED_BYTES_MAX", "TOPOLOGY_KEPT_BYTES_MAX", "TOPOLOGY_MEMBERS_MAX"):
        with monkeypatch.context() as small:
            small.setattr(f"plimsoll.host.topology.archive.{name}", 20)
            with pytest.raises(UnreadableError, match="out of all proportion"):
                _read_packed(tmp_path, content)


def test_an_archive_of_names_without_end_is_refused(recording: Path, tmp_path: Path) -> None:
    """Each header says that the next one has a longer name; Python's reader goes deeper with each."""
    name = tarfile.TarInfo("././@LongLink")
    name.type, name.size = tarfile.GNUTYPE_LONGNAME, 2
    header = name.tobuf(tarfile.GNU_FORMAT) + b"x\0".ljust(512, b"\0")
    (tmp_path / "deep.tar").write_bytes(header * 3_000 + bytes(1_024))
    with pytest.raises(UnreadableError) as caught:
        read_topology(str(tmp_path / "deep.tar"))
    assert caught.value.id == "topology-archive"


def test_a_way_to_a_disk_is_no_disk(recording: Path) -> None:
    for name in ("nvme0n1", "nvme0c0n1", "nvme0c1n1", "sr0"):
        hangs = recording / f"sys/devices/pci0000:00/0000:00:04.0/{name}"
        hangs.mkdir(parents=True)
        link = recording / "sys/block" / name
        link.parent.mkdir(exist_ok=True)
        link.symlink_to(f"../devices/pci0000:00/0000:00:04.0/{name}")
    assert [one.name for one in read_topology(str(recording)).devices] == ["nvme0n1"]


def test_what_is_not_there_is_the_callers_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no"):
        read_topology(str(tmp_path / "missing"))
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(WorldError, match="it is a pipe") as error:
        read_topology(str(tmp_path / "pipe"))
    assert error.value.id == "topology-unread"


def test_of_a_folder_that_is_no_recording_no_more_names_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at: list[str] = []

    def names(tree: FolderTree, folder: str) -> list[str]:
        looked_at.append(folder)
        return [f"folder{number}" for number in range(40)]

    monkeypatch.setattr("plimsoll.host.topology.TOPOLOGY_LOOKED_AT_MAX", 100)
    monkeypatch.setattr(FolderTree, "names", names)
    with pytest.raises(UsageError, match="has no CPUs"):
        read_topology(str(tmp_path))
    assert 100 < len(looked_at) < 150


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has no CPUs"):
        read_topology(str(tmp_path))


def test_the_running_system_is_read_whole() -> None:
    found = read_topology()
    assert found.origin == "running system"
    assert os.sched_getaffinity(0) <= {cpu.id for cpu in found.cpus if cpu.online}
    assert sum(node.memory_bytes or 0 for node in found.nodes) > 0
