"""`plimsoll host slice plan`: what each database is given, why there is no plan, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import command
from plimsoll.base.errors import UsageError
from plimsoll.facts import HostSlice, SlicePlan, Topology, TopologyDevice
from plimsoll.host.topology import read_topology
from plimsoll.placement.slices.plan import plan_slices
from plimsoll.placement.slices.slice_file import SliceFile
from plimsoll.placement.slices.unknowns import Unknowns
from recorded_topologies import FOLDER, KEPT, names
from sliced_hosts import FOUR_NODES, TWO

BY_HAND = """
[[slice]]
name = "db1"
cpus = "0-5"
mems = "0"
memory = "6g"

[[slice]]
name = "db2"
cpus = "6-11"
mems = "2"
memory = "6g"
"""
OFFLINES = str(KEPT / "16em64t-4s2c2t-offlines.tar.bz2")
CPUSETS = str(KEPT / "16amd64-8n2c-cpusets.tar.bz2")


@pytest.fixture
def numactl(tmp_path: Path) -> str:
    path = tmp_path / "numactl.txt"
    path.write_text(FOUR_NODES)
    return str(path)


def _plan(tmp_path: Path, text: str, source: str, *words: str) -> tuple[int, str, str]:
    path = tmp_path / "slices.toml"
    path.write_text(text)
    done = command.here("host", "slice", "plan", str(path), "--from", source, *words)
    return done.returncode, done.stdout, done.stderr


def test_two_databases_have_a_node_each_with_its_memory(tmp_path: Path, numactl: str) -> None:
    status, said, _ = _plan(tmp_path, TWO, numactl, "--json")
    document = json.loads(said)
    data = document["data"]
    assert (status, data["answer"], data["reason"]) == (0, "planned", "db1 on node 0, db2 on node 1")
    db1, db2, housekeeping = data["slices"]
    assert (db1["cpus"], db2["cpus"]) == (list(range(6)), list(range(6, 12)))
    assert db1["memory"] == [{"node": 0, "memory_bytes": 6 << 30, "huge_pages": 2_048}]
    assert db2["memory"] == [{"node": 1, "memory_bytes": 6 << 30, "huge_pages": None}]
    assert (housekeeping["purpose"], housekeeping["cpus"], housekeeping["memory"]) == (
        "housekeeping",
        [23],
        [],
    )
    assert data["cost"] == pytest.approx(data["cost_min"]) == pytest.approx(data["cost_second"])
    assert data["free_cpus"] == list(range(12, 23))
    assumed = [one["message"] for one in document["warnings"] if one["code"] == "slices-assumed"]
    assert any("cores are not told: each CPU counts as one" in one for one in assumed)


def test_memory_that_is_far_from_its_cpus_is_flagged_with_the_distance(tmp_path: Path, numactl: str) -> None:
    status, said, _ = _plan(tmp_path, BY_HAND, numactl)
    assert status == 1
    flat = " ".join(said.split())
    assert (
        "its CPUs are on node 1 and memory of it on node 2, at distance 16; that of node 1 is at 10"
        in flat.replace("Its", "its")
    )
    headline = "db1 on node 0, db2 on nodes 1, 2; db2 is wrong: memory of it lies farther from its CPUs than it need be"
    assert headline in flat
    data = json.loads(_plan(tmp_path, BY_HAND, numactl, "--json")[1])["data"]
    assert [(one["code"], one["slice"]) for one in data["findings"]] == [("slice-memory-far", "db2")]
    assert [one["distance_mean"] for one in data["slices"]] == [10.0, 16.0, None]


def test_the_answer_names_the_nodes_of_all_cpus(tmp_path: Path, numactl: str) -> None:
    """Nine cores are of two nodes, and 1 GiB is of one."""
    text = TWO.replace("cores = 6", "cores = 9", 1).replace(
        '"6g"\nshared_memory = "4g"', '"1g"\nshared_memory = "1g"'
    )
    data = json.loads(_plan(tmp_path, text, numactl, "--json")[1])["data"]
    nodes = {cpu // 6 for cpu in data["slices"][0]["cpus"]}
    assert len(data["slices"][0]["memory"]) == 1
    assert data["reason"].startswith(f"db1 on nodes {', '.join(map(str, sorted(nodes)))}, ")


@pytest.mark.parametrize(
    ("text", "nodes", "said"),
    [
        (TWO, '"0"', "no plan centres one of the databases on another node"),
        (BY_HAND, "", "plan costs"),
    ],
)
def test_what_is_said_of_other_plans(tmp_path: Path, numactl: str, text: str, nodes: str, said: str) -> None:
    """Where no database is planned, nothing."""
    if nodes:
        first, second = (
            text.replace("cores = 6", "cores = 2")
            .replace('"6g"', '"3g"')
            .replace('"4g"', '"2g"')
            .split("\n\n")
        )
        text = f"{first}\nnodes = {nodes}\n\n{second}nodes = {nodes}\n"
    told = " ".join(_plan(tmp_path, text, numactl)[1].split())
    assert said in told
    assert ("another node" in told) == bool(nodes)


def test_a_refusal_names_the_constraint_and_the_smallest_change(tmp_path: Path, numactl: str) -> None:
    text = "memory_free_share = 0\n" + TWO.replace(
        'name = "db2"\ncores = 6\nmemory = "6g"', 'name = "db2"\ncores = 7\nmemory = "10g"\none_node = true'
    )
    status, said, _ = _plan(tmp_path, text, numactl, "--json")
    data = json.loads(said)["data"]
    assert (status, data["answer"], data["slices"], data["cost"]) == (1, "refused", [], None)
    assert (
        "db2 asks for 7 cores and 10 GiB on one node, and no node has more than 6 cores and 8 GiB"
        in data["reason"]
    )
    assert data["reason"].endswith("it fits with 1 core fewer and 2 GiB less for db2")
    assert data["changes"] == [{"slice": "db2", "cores": 1, "memory_bytes": 2 << 30}]


ONE_NODE = TWO.replace('memory = "6g"', 'memory = "5g"\none_node = true')
BOTH_ON_NODE_0 = ONE_NODE.replace("one_node = true", 'nodes = "0"')


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (ONE_NODE.replace('"5g"', '"9g"', 1), "db1 asks for 9 GiB on one node, and no node has more than 8 GiB to give; "),
        (ONE_NODE.replace("= 6", "= 7", 1), "db1 asks for 7 cores on one node, and no node has more than 6 cores to give; "),
        (BOTH_ON_NODE_0, "each slice would fit alone, and together they do not; "),
    ],
)  # fmt: skip
def test_a_refusal_names_only_what_is_too_much(tmp_path: Path, numactl: str, text: str, said: str) -> None:
    status, told, _ = _plan(tmp_path, "memory_free_share = 0\n" + text, numactl, "--json")
    reason = json.loads(told)["data"]["reason"]
    assert status == 1
    assert reason.startswith(said)


def test_cores_and_memory_that_no_node_has_at_once(tmp_path: Path, numactl: str) -> None:
    """Node 1 has the cores, and node 0 the memory."""
    found = read_topology(numactl)
    nodes = tuple(node.but(memory_bytes=(8 << 30) if node.id == 0 else (1 << 30)) for node in found.nodes)
    path = tmp_path / "slices.toml"
    path.write_text(
        BY_HAND.split("\n\n")[0].replace("0-5", "0").replace('"6g"', '"1g"') + ONE_NODE.replace("db1", "db3")
    )
    plan = plan_slices(SliceFile(path), found.but(nodes=nodes))
    assert "db3 asks for 6 cores and 5 GiB on one node, and no node has both" in plan.reason


def test_a_refusal_of_the_whole_host(tmp_path: Path, numactl: str) -> None:
    text = (
        TWO.replace("cores = 6", "cores = 13", 1).replace("cores = 6", "cores = 12").replace('"6g"', '"30g"')
    )
    reason = json.loads(_plan(tmp_path, text, numactl, "--json")[1])["data"]["reason"]
    assert reason.startswith(
        "26 cores are asked for, 1 of them to be set aside, and the host has 24 to give; 60 GiB of memory are"
    )


def test_nothing_is_refused_that_a_search_did_not_prove(
    tmp_path: Path, numactl: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = Unknowns.least
    monkeypatch.setattr(Unknowns, "least", lambda self: (found(self)[0], 0.0))
    text = TWO.replace("cores = 6", "cores = 26", 1)
    status, said, _ = _plan(tmp_path, text, numactl, "--json")
    data = json.loads(said)["data"]
    assert (status, data["answer"], data["changes_least"]) == (5, "not known", False)
    assert data["reason"].startswith("whether all slices fit is not known")
    assert data["reason"].endswith("which is not proved to be the smallest change")


@pytest.mark.parametrize(
    ("cores", "status", "said"),
    [
        (6, 5, "whether all slices fit is not known: the memory of the nodes 0-3 is not told"),
        (20, 1, "27 cores are asked for, 1 of them to be set aside, and the host has 24 to give"),
    ],
)
def test_memory_that_is_not_told_is_not_lacking(tmp_path: Path, cores: int, status: int, said: str) -> None:
    source = tmp_path / "numactl.txt"
    source.write_text("".join(line for line in FOUR_NODES.splitlines(True) if " size: " not in line))
    text = TWO.replace("cores = 6", f"cores = {cores}", 1)
    ended, told, _ = _plan(tmp_path, text, str(source), "--json")
    data = json.loads(told)["data"]
    assert (ended, data["reason"], data["changes"]) == (status, said, [])


def test_a_slice_is_lifted_by_what_its_refusal_says(tmp_path: Path, numactl: str) -> None:
    text = TWO.replace('memory = "6g"', 'memory = "9g"\none_node = true')
    changes = json.loads(_plan(tmp_path, text, numactl, "--json")[1])["data"]["changes"]
    assert [one["cores"] for one in changes] == [0, 0]
    for one in changes:
        less = (9 << 30) - one["memory_bytes"]
        text = text.replace('memory = "9g"', f'memory = "{less}b"', 1)
    assert _plan(tmp_path, text, numactl)[0] == 0


@pytest.mark.parametrize(
    ("source", "text", "line", "said"),
    [
        ("", BY_HAND.replace("6-11", "5-11"), 10, "db2: CPU 5 is in db1 too"),
        ("", BY_HAND.replace("6-11", "6-24"), 10, "db2: the host has no CPU 24"),
        ("", BY_HAND.replace('mems = "2"', 'mems = "4"'), 11, "db2: the host has no node 4"),
        ("", BY_HAND.replace('mems = "2"', 'mems = "0"'), 12, "db2: memory of 6 GiB is beyond node 0, which has 1.2 GiB to give"),
        ("", TWO + 'devices = ["nvme0n1"]\n', 13, "db2: unknown device 'nvme0n1'"),
        ("", TWO + 'nodes = "7"\n', 13, "db2: the host has no node 7"),
        (OFFLINES, BY_HAND.replace("0-5", "0-2"), 4, "db1: CPU 2 is offline"),
        (CPUSETS, BY_HAND.replace("0-5", "0-3,7"), 4, "db1: CPU 7 may not be used from here"),
        (CPUSETS, BY_HAND.replace('"0"', '"5"').replace("0-5", "1-3"), 5, "db1: node 5 may not be used from here"),
        (str(KEPT / "fakeheterocpunuma.tar.bz2"), BY_HAND, 4, "db1: nothing tells which node CPU 4 is of"),
    ],
)  # fmt: skip
def test_what_this_host_cannot_be_asked_for_is_told_with_file_and_line(
    tmp_path: Path, numactl: str, source: str, text: str, line: int, said: str
) -> None:
    status, answer, told = _plan(tmp_path, text, source or numactl)
    error = next(one for one in told.splitlines() if one.startswith("error: "))
    assert (status, answer) == (2, "")
    assert error.endswith(f"slices.toml, line {line}: {said}")
    assert "hint: " in told


def _without(found: Topology, memory: bool) -> Topology:
    """Node 1 without memory, or without CPUs."""
    change = {"memory_bytes": 0} if memory else {"cpus": ()}
    nodes = tuple(node.but(**change) if node.id == 1 else node for node in found.nodes)
    gone = () if memory else found.nodes[1].cpus
    return found.but(nodes=nodes, cpus=tuple(cpu for cpu in found.cpus if cpu.id not in gone))


@pytest.mark.parametrize(
    ("memory", "said"), [(True, "node 1 has no memory"), (False, "nodes 1 have no CPUs")]
)
def test_a_node_without_memory_or_cpus_is_not_asked_for(
    tmp_path: Path, numactl: str, memory: bool, said: str
) -> None:
    path = tmp_path / "slices.toml"
    path.write_text(TWO + 'nodes = "1"\n')
    with pytest.raises(UsageError, match=said) as caught:
        plan_slices(SliceFile(path), _without(read_topology(numactl), memory))
    assert caught.value.id == "slices-misfit"


def test_nodes_may_be_named_that_have_cpus_alone_beside_some_that_have_memory(
    tmp_path: Path, numactl: str
) -> None:
    found = _without(read_topology(numactl), memory=True)
    path = tmp_path / "slices.toml"
    path.write_text(TWO.replace("cores = 6", "cores = 4") + 'nodes = "1-2"\n')
    plan = plan_slices(SliceFile(path), found)
    assert plan.answer == "planned"
    assert [part.node for part in plan.slices[1].memory] == [2]
    path.write_text(TWO.replace("cores = 6", "cores = 8") + 'nodes = "1-2"\n')
    wide = plan_slices(SliceFile(path), found).slices[1]
    assert {cpu // 6 for cpu in wide.cpus} == {1, 2}
    assert [part.node for part in wide.memory] == [2]


def test_a_node_that_has_neither_is_not_asked_for(tmp_path: Path, numactl: str) -> None:
    found = _without(_without(read_topology(numactl), memory=True), memory=False)
    path = tmp_path / "slices.toml"
    path.write_text(TWO + 'nodes = "1-2"\n')
    with pytest.raises(UsageError, match="node 1 has no memory"):
        plan_slices(SliceFile(path), found)


def test_a_cpu_by_hand_whose_node_may_not_be_used_is_told(tmp_path: Path, numactl: str) -> None:
    found = read_topology(numactl)
    nodes = tuple(node.but(allowed=node.id != 1) for node in found.nodes)
    path = tmp_path / "slices.toml"
    path.write_text(BY_HAND)
    with pytest.raises(UsageError, match="db2: CPU 6 is of node 1, whose memory may not be used from here"):
        plan_slices(SliceFile(path), found.but(nodes=nodes))


def test_a_device_whose_node_may_not_be_used_is_told(tmp_path: Path, numactl: str) -> None:
    found = read_topology(numactl)
    disk = TopologyDevice(name="nvme0n1", kind="disk", node=3)
    nodes = tuple(node.but(allowed=node.id != 3) for node in found.nodes)
    path = tmp_path / "slices.toml"
    path.write_text(TWO + 'devices = ["nvme0n1"]\n')
    plan = plan_slices(SliceFile(path), found.but(nodes=nodes, devices=(disk,)))
    assert any(one.startswith("the node of nvme0n1 may not be used from here") for one in plan.assumptions)


def test_whole_cores_are_given_and_part_of_one_by_hand_is_flagged(tmp_path: Path) -> None:
    found = read_topology(OFFLINES)
    pair = next(core.cpus for core in found.cores if len(core.cpus) > 1)
    path = tmp_path / "slices.toml"
    path.write_text(f'[[slice]]\nname = "db1"\ncpus = "{pair[0]}"\nmems = "0"\nmemory = "64m"\n')
    plan = plan_slices(SliceFile(path), found)
    assert [(one.code, one.slice) for one in plan.findings] == [("slice-core-split", "db1")]
    assert pair[1] not in plan.free_cpus
    assert plan.split_cpus == pair[1:]
    said = _plan(tmp_path, path.read_text(), OFFLINES)[1]
    flat = " ".join(said.split())
    assert "; db1 is wrong: it has cores in part" in flat
    assert f"so that nobody has the CPUs {pair[1]} of them" in flat


def test_a_page_has_the_machine_with_its_slices(tmp_path: Path, numactl: str) -> None:
    page = tmp_path / "plan.html"
    assert _plan(tmp_path, TWO, numactl, "--out", str(page))[0] == 0
    text = page.read_text()
    assert "What each database is given of the host" in text
    assert "db1, 6 GiB of memory" in text


@pytest.mark.parametrize(("memory", "status"), [("5m", 1), ("65535k", 1), ("64m", 0)])
def test_memory_that_no_database_runs_in_is_flagged(
    tmp_path: Path, numactl: str, memory: str, status: int
) -> None:
    text = f'[[slice]]\nname = "db1"\ncores = 2\nmemory = "{memory}"\n'
    done, said, _ = _plan(tmp_path, text, numactl)
    flat = " ".join(said.split())
    assert done == status
    assert ("db1 is wrong: no database runs in so little memory" in flat) is (status == 1)
    assert ("of memory are less than any database runs in, which is 64 MiB at least" in flat) is (status == 1)


def test_much_that_is_too_much_is_told_in_a_unit_that_can_be_read(tmp_path: Path, numactl: str) -> None:
    text = '[[slice]]\nname = "db1"\ncores = 2\nmemory = "100000t"\n'
    assert "it fits with 102,399,971.3 GiB less for db1" in " ".join(
        _plan(tmp_path, text, numactl)[1].split()
    )


SMALL = """housekeeping_cores = 1
[[slice]]
name = "db1"
cores = 2
memory = "64m"
[[slice]]
name = "db2"
cores = 1
memory = "32m"
"""


@pytest.mark.parametrize("name", names(FOLDER) or names(KEPT))
def test_each_recorded_host_is_planned_or_refused_for_what_it_lacks(tmp_path: Path, name: str) -> None:
    found = read_topology(str((FOLDER if names(FOLDER) else KEPT) / name))
    path = tmp_path / "slices.toml"
    path.write_text(SMALL)
    plan = plan_slices(SliceFile(path), found)
    usable = _usable_cores(found)
    if plan.answer == "refused":
        memory = sum(node.memory_bytes or 0 for node in found.nodes if node.allowed is not False)
        assert len(usable) < 4 or memory * 0.9 < 96 << 20, plan.reason
        assert "asked for" in plan.reason or len(usable) < 3
        return
    given = [cpu for one in plan.slices for cpu in one.cpus]
    assert sorted([*given, *plan.free_cpus]) == sorted(cpu for core in usable for cpu in core)
    for one in plan.slices:
        _check(one, found, plan, usable)


def _usable_cores(found: Topology) -> list[tuple[int, ...]]:
    nodes = {node.id for node in found.nodes if node.allowed is not False}
    free = {cpu.id for cpu in found.cpus if cpu.online and cpu.allowed is not False and cpu.node in nodes}
    cores = [core.cpus for core in found.cores] or [(cpu.id,) for cpu in found.cpus]
    return [core for core in cores if free.issuperset(core)]


def _check(one: HostSlice, found: Topology, plan: SlicePlan, usable: list[tuple[int, ...]]) -> None:
    """Whole cores, as many as were asked for, and memory within what its node gives."""
    assert sum(set(core) <= set(one.cpus) for core in usable) == one.cores
    assert one.cores == {"db1": 2, "db2": 1, "housekeeping": 1}[one.name]
    memory = {node.id: node.memory_bytes or 0 for node in found.nodes}
    for part in one.memory:
        assert part.memory_bytes <= memory[part.node] * (1 - plan.memory_free_share)
