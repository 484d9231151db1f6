"""What a recorded host lost, or does not tell itself: it is named, and what is known is shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import command
from plimsoll.host.topology import read_topology

CPU, NODE = "sys/devices/system/cpu", "sys/devices/system/node"
PCI = "sys/devices/pci0000:00"


def _cpu(number: int, node: int, mhz: int | None = None) -> dict[str, str]:
    folder, near = f"{CPU}/cpu{number}", f"{4 * node}-{4 * node + 3}\n"
    found = {
        f"{folder}/topology/physical_package_id": f"{node}\n",
        f"{folder}/topology/core_id": f"{number}\n",
        f"{folder}/topology/thread_siblings_list": f"{number}\n",
        f"{folder}/topology/core_siblings_list": near,
    }
    for level, shared in ((1, f"{number}\n"), (2, f"{number}\n"), (3, near)):
        at = f"{folder}/cache/index{level}"
        found |= {
            f"{at}/level": f"{level}\n",
            f"{at}/type": "Unified\n",
            f"{at}/size": "512K\n",
            f"{at}/shared_cpu_list": shared,
        }
    return found if mhz is None else found | {f"{folder}/cpufreq/cpuinfo_max_freq": f"{mhz * 1000}\n"}


def _host(folder: Path, clocks: tuple[int | None, ...] = (None,) * 8) -> Path:
    """Two nodes of four cores, and one of memory alone that is nearer to the second; a card on each of the first two."""
    distances = ("10 21 24\n", "21 10 14\n", "24 14 10\n")
    found = {f"{CPU}/online": "0-7\n", f"{NODE}/online": "0-2\n"}
    for number, mhz in enumerate(clocks):
        found |= _cpu(number, number // 4, mhz)
    for node, cpus in enumerate(("0-3\n", "4-7\n", "\n")):
        found |= {
            f"{NODE}/node{node}/cpulist": cpus,
            f"{NODE}/node{node}/distance": distances[node],
            f"{NODE}/node{node}/meminfo": f"Node {node} MemTotal: 8388608 kB\nNode {node} MemFree: 4194304 kB\n",
        }
    for node in (0, 1):
        found |= {
            f"{PCI}/0000:0{node}:00.0/numa_node": f"{node}\n",
            f"{PCI}/0000:0{node}:00.0/net/eth{node}/mtu": "1500\n",
        }
    for place, text in found.items():
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for node in (0, 1):
        card = folder / "sys/class/net" / f"eth{node}"
        card.parent.mkdir(parents=True, exist_ok=True)
        card.symlink_to(f"../../devices/pci0000:00/0000:0{node}:00.0/net/eth{node}")
        (folder / PCI / f"0000:0{node}:00.0/net/eth{node}/device").symlink_to("../..")
    return folder


def test_a_whole_host_has_no_problem_and_names_what_is_near_by_distance(tmp_path: Path) -> None:
    found = read_topology(str(_host(tmp_path)))
    assert found.problems == ()
    assert [node.near_nodes for node in found.nodes] == [(), (), (1,)]
    assert [(one.name, one.node) for one in found.devices] == [("eth0", 0), ("eth1", 1)]


@pytest.mark.parametrize(
    ("lost", "code", "said"),
    [
        (f"{NODE}/node1/meminfo", "topology-memory-untold", "nothing tells how much memory node 1 has"),
        (f"{NODE}/node2/distance", "topology-distances", "how far node 2 is from the others is not told"),
        (f"{CPU}/cpu5/cache/index1/size", "topology-cache-untold", "level 1 unified cache of the CPUs 5"),
        (f"{PCI}/0000:01:00.0/numa_node", "topology-device-untold", "which node the network card eth1 is near to"),
    ],
)  # fmt: skip
def test_what_was_lost_is_a_problem(tmp_path: Path, lost: str, code: str, said: str) -> None:
    path = _host(tmp_path) / lost
    for damage in (path.unlink, path.touch):
        damage()
        (problem,) = read_topology(str(tmp_path)).problems
        assert problem.code == code
        assert said in problem.message
    assert command.here("host", "show", "--from", str(tmp_path)).returncode == 5


def test_memory_of_the_other_nodes_stays_in_the_headline(tmp_path: Path) -> None:
    (_host(tmp_path) / NODE / "node1/meminfo").unlink()
    done = command.here("host", "show", "--from", str(tmp_path))
    assert "16 GiB of memory and that of node 1, which is not told; 1 problem" in " ".join(
        done.stdout.split()
    )


def test_a_device_on_a_node_that_the_host_has_not_is_a_problem(tmp_path: Path) -> None:
    (_host(tmp_path) / PCI / "0000:01:00.0/numa_node").write_text("7\n")
    found = read_topology(str(tmp_path))
    assert [(one.name, one.node) for one in found.devices] == [("eth0", 0), ("eth1", None)]
    codes = [one.code for one in found.problems]
    assert codes == ["topology-device-node"]
    assert "says node 7, which this host has not" in found.problems[0].message
    (tmp_path / PCI / "0000:01:00.0/numa_node").write_text("-1\n")
    assert read_topology(str(tmp_path)).problems == ()


def test_distances_of_a_text_say_what_is_near_as_well(tmp_path: Path) -> None:
    text = """available: 2 nodes (0-1)
node 0 cpus: 0 1
node 0 size: 8192 MB
node 0 free: 4096 MB
node 1 cpus:
node 1 size: 8192 MB
node 1 free: 8000 MB
node distances:
node   0   1
  0:  10  14
  1:  14  10
"""
    (tmp_path / "numactl.txt").write_text(text)
    assert [node.near_nodes for node in read_topology(str(tmp_path / "numactl.txt")).nodes] == [(), (0,)]


@pytest.mark.parametrize(
    ("clocks", "kinds"),
    [
        ((5400, 5400, 5200, 5200, 5200, 5200, 5200, 5200), [1] * 8),
        ((5400, 5200, 4000, 4000, 4000, 4000, 2500, 2500), [1, 1, 2, 2, 2, 2, 3, 3]),
        ((5400, 5400, 4000, 4000, 4000, 4000, 4000, None), [1] * 8),
    ],
    ids=["favoured", "unlike", "one untold"],
)  # fmt: skip
def test_kinds_by_the_highest_clock_only_where_they_are_far_apart(
    tmp_path: Path, clocks: tuple[int | None, ...], kinds: list[int]
) -> None:
    found = read_topology(str(_host(tmp_path, clocks)))
    assert [core.kind for core in found.cores] == kinds


def test_problems_are_in_the_document(tmp_path: Path) -> None:
    (_host(tmp_path) / NODE / "node1/meminfo").unlink()
    document = json.loads(command.here("host", "show", "--from", str(tmp_path), "--json").stdout)
    assert [one["code"] for one in document["data"]["problems"]] == ["topology-memory-untold"]
