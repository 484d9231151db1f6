"""Plans of a host of four nodes: memory that is far, disks, and cache domains."""

from __future__ import annotations

from pathlib import Path

import pytest

from plimsoll.base.errors import UsageError
from plimsoll.facts import Topology, TopologyCache, TopologyCore, TopologyDevice
from plimsoll.host.topology import read_topology
from plimsoll.placement.slices.plan import plan_slices
from plimsoll.placement.slices.slice_file import SliceFile
from sliced_hosts import FOUR_NODES, TWO


@pytest.fixture
def numactl(tmp_path: Path) -> str:
    path = tmp_path / "numactl.txt"
    path.write_text(FOUR_NODES)
    return str(path)


LINE = (16, 16, 22, 28)
"""Distances to the next node of a row, to the one after it, and so on."""


def _in_a_row(found: Topology) -> Topology:
    rows = tuple(tuple(10 if a == b else LINE[abs(a - b)] for b in range(4)) for a in range(4))
    return found.but(distances=rows)


@pytest.mark.parametrize(
    ("cpus", "mems", "memory", "far"),
    [
        ("0-17", "0-2", "6g", None),
        ("6-11", "1-2", "6g", 2),
        ("6-11", "1-2", "10g", None),
        ("6-11", "1,3", "10g", 3),
        ("0-5", "0,3", "10g", 3),
        ("0-11", "2", "6g", 2),
        ("0-11", "1", "6g", None),
    ],
    ids=["own nodes", "not needed", "needed", "beyond the next", "at the other end", "none of its own", "one of its own"],
)  # fmt: skip
def test_memory_is_far_only_where_nearer_nodes_have_room_for_it(
    tmp_path: Path, numactl: str, cpus: str, mems: str, memory: str, far: int | None
) -> None:
    """7.2 GiB of each node may be given away."""
    path = tmp_path / "slices.toml"
    path.write_text(f'[[slice]]\nname = "db1"\ncpus = "{cpus}"\nmems = "{mems}"\nmemory = "{memory}"\n')
    plan = plan_slices(SliceFile(path), _in_a_row(read_topology(numactl)))
    assert [one.code for one in plan.findings] == ([] if far is None else ["slice-memory-far"])
    if far is not None:
        assert f"memory of it on node {far}, at distance" in plan.findings[0].message


def test_memory_that_another_slice_by_hand_has_is_no_room(tmp_path: Path, numactl: str) -> None:
    """The first has all of node 1 but 200 MiB: the second has to go elsewhere, and goes to the nearest that is left."""
    first = '[[slice]]\nname = "db1"\ncpus = "6-8"\nmems = "1"\nmemory = "7g"\n'
    path = tmp_path / "slices.toml"
    for mems, codes in (("2", []), ("3", ["slice-memory-far"])):
        path.write_text(f'{first}[[slice]]\nname = "db2"\ncpus = "9-11"\nmems = "{mems}"\nmemory = "6g"\n')
        plan = plan_slices(SliceFile(path), _in_a_row(read_topology(numactl)))
        assert [one.code for one in plan.findings] == codes


RATES = """
[[disk]]
device = "nvme0n1"
read_iops = 1000
sequential_read_iops = 2000
read_mb_per_s = 100
write_iops = 500
sequential_write_iops = 800
write_mb_per_s = 50
"""
ON_DISK = TWO + 'devices = ["nvme0n1"]\n'


def _with_disks(found: Topology, *names: str) -> Topology:
    return found.but(devices=tuple(TopologyDevice(name=name, kind="disk", node=0) for name in names))


@pytest.mark.parametrize(
    ("asked", "line", "said"),
    [
        ("iops = 1001", 18, "1,001 I/Os per second are asked of nvme0n1, and it gives 1,000"),
        (
            "mb_per_s = 90\nredo_mb_per_s = 10.6",
            21,
            "101 MB per second are asked of nvme0n1, and it gives 100",
        ),
    ],
)
def test_more_than_a_disk_gives_is_not_asked_of_it(
    tmp_path: Path, numactl: str, asked: str, line: int, said: str
) -> None:
    path = tmp_path / "slices.toml"
    found = _with_disks(read_topology(numactl), "nvme0n1", "nvme1n1")
    path.write_text(f"{ON_DISK}{asked}\n{RATES}")
    with pytest.raises(UsageError, match=said) as caught:
        plan_slices(SliceFile(path), found)
    assert (caught.value.id, f"slices.toml, line {line}: " in caught.value.message) == ("slices-misfit", True)
    two = ON_DISK.replace('["nvme0n1"]', '["nvme0n1", "nvme1n1"]')
    path.write_text(f"{two}{asked}\n{RATES}")
    assert plan_slices(SliceFile(path), found).answer == "planned"


def test_no_more_is_asked_of_a_disk_than_slices_together_are_to_have(tmp_path: Path, numactl: str) -> None:
    path = tmp_path / "slices.toml"
    found = _with_disks(read_topology(numactl), "nvme0n1")
    path.write_text(f"{ON_DISK}iops = 601\n{RATES}rate_share = 0.6\n")
    said = "line 24: 601 I/Os per second are asked of nvme0n1, and rate_share leaves 600 of its 1,000"
    with pytest.raises(UsageError, match=said) as caught:
        plan_slices(SliceFile(path), found)
    assert caught.value.id == "slices-misfit"
    assert "higher rate_share" in str(caught.value.hint)
    path.write_text(f"{ON_DISK}iops = 1001\n{RATES}rate_share = 0.6\n")
    with pytest.raises(UsageError, match="and it gives 1,000"):
        plan_slices(SliceFile(path), found)
    path.write_text(f"{ON_DISK}iops = 600\n{RATES}rate_share = 0.6\n")
    (disk,) = plan_slices(SliceFile(path), found).disks
    assert (disk.read_iops, disk.rate_share) == (1_000, 0.6)


def test_a_plan_keeps_what_disks_give(tmp_path: Path, numactl: str) -> None:
    path = tmp_path / "slices.toml"
    path.write_text(f"{ON_DISK}iops = 1000\n{RATES}")
    (disk,) = plan_slices(SliceFile(path), _with_disks(read_topology(numactl), "nvme0n1")).disks
    assert (disk.name, disk.read_iops, disk.write_mb_per_s, disk.stable) == ("nvme0n1", 1_000.0, 50.0, None)
    assert disk.rate_share == 1


def test_a_disk_that_the_host_has_not_is_told(tmp_path: Path, numactl: str) -> None:
    path = tmp_path / "slices.toml"
    path.write_text(TWO + RATES.replace("nvme0n1", "nvme1n1"))
    with pytest.raises(UsageError, match=r"line 15: unknown disk 'nvme1n1'"):
        plan_slices(SliceFile(path), _with_disks(read_topology(numactl), "nvme0n1"))


@pytest.mark.parametrize("name", ["/dev/nvme0n1", "0000:01:00.0"])
def test_a_disk_by_two_names_is_told_once(tmp_path: Path, numactl: str, name: str) -> None:
    path = tmp_path / "slices.toml"
    path.write_text(TWO + RATES + RATES.replace("nvme0n1", name))
    found = _with_disks(read_topology(numactl), "nvme0n1")
    found = found.but(devices=tuple(one.but(address="0000:01:00.0") for one in found.devices))
    with pytest.raises(UsageError, match=f"line 24: '{name}' is nvme0n1, which another") as caught:
        plan_slices(SliceFile(path), found)
    assert (caught.value.id, caught.value.hint) == ("slices-misfit", "Tell each disk once.")


def _with_caches(found: Topology, *domains: tuple[int, ...], weak: tuple[int, ...] = ()) -> Topology:
    """With a last cache for each of these CPUs together, and a core of its own for each CPU, some of a weaker kind."""
    caches = tuple(
        TopologyCache(level=3, kind="unified", size_bytes=32 << 20, cpus=domain) for domain in domains
    )
    cores = tuple(
        TopologyCore(package=0, core=cpu.id, node=cpu.node, cpus=(cpu.id,), kind=2 if cpu.id in weak else 1)
        for cpu in found.cpus
    )
    return found.but(caches=caches, cores=cores)


def test_unlike_cores_that_share_a_cache_are_one_domain(tmp_path: Path, numactl: str) -> None:
    path = tmp_path / "slices.toml"
    path.write_text('[[slice]]\nname = "db1"\ncores = 5\nmemory = "1g"\nnodes = "0"\n')
    for caches in (((0, 1, 2, 3, 4, 5),), ()):
        found = _with_caches(read_topology(numactl), *caches, weak=(3, 4, 5))
        (db1, *_) = plan_slices(SliceFile(path), found).slices
        assert (db1.cpus, db1.domains) == ((0, 1, 2, 3, 4), 1)
        assert db1.cost == pytest.approx(1 + 10 * 2 / 5)
    apart = _with_caches(read_topology(numactl), (0, 1, 2), (3, 4, 5), weak=(3, 4, 5))
    (db1, *_) = plan_slices(SliceFile(path), apart).slices
    assert (db1.domains, db1.cost) == (2, pytest.approx(2 + 10 * 2 / 5))


def test_a_cache_that_nodes_share_is_one_domain_and_shared_by_slices_on_both(
    tmp_path: Path, numactl: str
) -> None:
    """Two slices by hand count as two of it, on however many nodes each of them is."""
    found = _with_caches(read_topology(numactl), tuple(range(12)))
    path = tmp_path / "slices.toml"
    by_hand = '[[slice]]\nname = "db{0}"\ncpus = "{1}"\nmems = "0-1"\nmemory = "1g"\n'
    path.write_text("housekeeping_cores = 0\n" + by_hand.format(1, "0-2,6-8") + by_hand.format(2, "3-4,9-10"))
    plan = plan_slices(SliceFile(path), found)
    assert [(one.domains, one.shared_domains) for one in plan.slices] == [(1, 1), (1, 1)]
    assert plan.cost == pytest.approx(sum(one.cost for one in plan.slices) + 1)
