"""The text of `numactl --hardware`."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.base.errors import UsageError
from plimsoll.facts import Topology
from plimsoll.host.topology import read_topology
from plimsoll.host.topology.numactl import NumactlText
from plimsoll.host.topology.tree import Problems

FOUR_NODES = """[oracle@server1 ~]$ numactl --hardware
available: 4 nodes (0-3)
node 0 cpus: 0 1 2 3 4 5
node 0 size: 8190 MB
node 0 free: 1622 MB
node 1 cpus: 6 7 8 9 10 11
node 1 size: 8192 MB
node 1 free: 41 MB
node 2 cpus: 12 13 14 15 16 17
node 2 size: 8192 MB
node 2 free: 1534 MB
node 3 cpus: 18 19 20 21 22 23
node 3 size: 8176 MB
node 3 free: 1652 MB
node distances:
node   0   1   2   3
  0:  10  16  16  16
  1:  16  10  16  16
  2:  16  16  10  16
  3:  16  16  16  10
[oracle@server1 ~]$
"""


def _read(tmp_path: Path, text: str) -> Topology:
    path = tmp_path / "numactl.txt"
    path.write_text(text)
    return read_topology(str(path))


def test_a_machine_of_four_nodes(tmp_path: Path) -> None:
    found = _read(tmp_path, FOUR_NODES)
    assert found.origin == "numactl"
    assert [node.cpus for node in found.nodes] == [tuple(range(6 * n, 6 * n + 6)) for n in range(4)]
    assert [node.memory_bytes for node in found.nodes] == [size << 20 for size in (8190, 8192, 8192, 8176)]
    assert found.nodes[1].free_bytes == 41 << 20
    assert found.distances[1] == (16, 10, 16, 16)
    assert (found.cores, found.problems) == ((), ())
    assert {cpu.node for cpu in found.cpus if cpu.id > 17} == {3}


def test_a_text_that_was_copied_from_a_page(tmp_path: Path) -> None:
    """Some of its spaces do not break."""
    assert _read(tmp_path, FOUR_NODES.replace("  ", "\N{NO-BREAK SPACE} ")).distances[1] == (16, 10, 16, 16)


def test_a_node_without_cpus(tmp_path: Path) -> None:
    text = """available: 2 nodes (0,8)
node 0 cpus: 0 1
node 0 size: 100 MB
node 0 free: 1 MB
node 8 cpus:
node 8 size: 200 MB
node 8 free: 2 MB
node distances:
node   0   8
  0:  10  40
  8:  40  10
"""
    found = _read(tmp_path, text)
    assert [(node.id, node.cpus) for node in found.nodes] == [(0, (0, 1)), (8, ())]
    assert found.problems == ()


def test_a_text_that_breaks_off_is_named(tmp_path: Path) -> None:
    cut = FOUR_NODES[: FOUR_NODES.index("node 3 size")]
    messages = [problem.message for problem in _read(tmp_path, cut).problems]
    assert any("the memory of node 3 is not told" in message for message in messages)
    assert any("not all distances of node 0 are told" in message for message in messages)


def test_a_line_of_a_node_that_cannot_be_read_is_named_with_its_number(tmp_path: Path) -> None:
    (problem,) = _read(tmp_path, FOUR_NODES.replace("41 MB", "41 GB")).problems
    assert "line 8: 'node 1 free: 41 GB'" in problem.message


def test_a_missing_node_is_named(tmp_path: Path) -> None:
    found = _read(tmp_path, FOUR_NODES.replace("node 2 cpus: 12 13 14 15 16 17\n", ""))
    assert any("it speaks of 4 nodes, and tells the CPUs of 3" in one.message for one in found.problems)


def test_another_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="neither a recorded topology nor what numactl") as error:
        _read(tmp_path, "No NUMA available on this system\n")
    assert error.value.id == "topology-unknown"


@given(
    st.lists(st.sampled_from([*FOUR_NODES.splitlines(), "node 9 cpus: 1", "node 1 size: x", "7: 10", "\0"]))
)
def test_lines_in_any_order_are_read_or_refused(lines: list[str]) -> None:
    try:
        found = NumactlText("\n".join(lines), "text", Problems())
    except UsageError:
        return
    assert len(found.distances) == len(found.nodes) > 0


def test_each_problem_of_a_text_has_the_text_as_its_place(tmp_path: Path) -> None:
    found = _read(tmp_path, FOUR_NODES.replace("41 MB", "41 GB").replace("1622 MB", "1622 GB"))
    assert len(found.problems) == 2
    assert {problem.path for problem in found.problems} == {found.source}
