"""`plimsoll host show`: the tree, the document, the page, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import command
import facts_runs
import facts_topology
from plimsoll.cli.results.topology import show, tree_lines
from plimsoll.facts import Topology
from recorded_topologies import KEPT

TWO_NODES = """available: 2 nodes (0-1)
node 0 cpus: 0 1 2 3
node 0 size: 8190 MB
node 0 free: 1622 MB
node 1 cpus: 4 5 6 7
node 1 size: 8192 MB
node 1 free: 41 MB
node distances:
node   0   1
  0:  10  16
  1:  16  10
"""


@pytest.fixture
def text(tmp_path: Path) -> str:
    path = tmp_path / "numactl.txt"
    path.write_text(TWO_NODES)
    return str(path)


def _show(*words: str) -> tuple[int, str, str]:
    done = command.here("host", "show", *words)
    return done.returncode, done.stdout, done.stderr


def test_a_tree_of_nodes_with_what_is_in_them(text: str) -> None:
    status, said, _ = _show("--from", text)
    assert status == 0
    assert said.splitlines()[:9] == [
        "2 nodes, packages not told, cores not told, 8 CPUs, 16 GiB of memory",
        "├─ node 0: 8 GiB, 1.6 GiB free",
        "│  └─ package not told: CPUs 0-3, cores not told",
        "└─ node 1: 8 GiB, 41 MiB free",
        "   └─ package not told: CPUs 4-7, cores not told",
        "distances, from the CPUs of a node to the memory of each:",
        "from   0   1",
        "   0  10  16",
        "   1  16  10",
    ]


def test_one_document_of_all_that_was_read(text: str) -> None:
    status, said, _ = _show("--from", text, "--json")
    document = json.loads(said)
    assert (status, document["kind"]) == (0, "host-show")
    assert document["data"]["distances"] == [[10, 16], [16, 10]]
    assert document["data"]["cores"] == []
    assert document["data"]["allowed"] is None


def test_what_contradicts_itself_is_named_and_the_status_remembers() -> None:
    status, said, told = _show("--from", str(KEPT / "fakeheterocpunuma.tar.bz2"))
    assert status == 5
    assert "1 problem" in said.splitlines()[0]
    assert "note: several nodes claim the CPUs 16-23" in told


def test_what_the_cpuset_bars_is_said() -> None:
    status, said, _ = _show("--from", str(KEPT / "16amd64-8n2c-cpusets.tar.bz2"))
    assert status == 0
    assert "CPUs 4 are offline." in said
    assert "The group /dummy may not use CPUs 7-11 and nodes 0, 5-7." in said


def test_what_is_no_recording_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing of the kind")
    status, _, told = _show("--from", str(tmp_path / "notes.txt"))
    assert status == 2
    assert "is neither a recorded topology nor what numactl --hardware prints" in told
    assert _show("--from", str(tmp_path / "missing"))[0] == 2


def test_a_page(text: str, tmp_path: Path) -> None:
    page = tmp_path / "host.html"
    assert _show("--from", text, "--out", str(page))[0] == 0
    assert "How the host is built" in page.read_text()


def test_no_line_of_the_tree_is_wider_than_a_terminal() -> None:
    cpus = ", ".join(f"{4 * number}-{4 * number + 1}" for number in range(60))
    lines = list(tree_lines([("node 0", [(f"package 0: {cpus}", [("cache", ())])]), ("node 1", ())]))
    assert max(map(len, lines)) < 80
    assert all(line.startswith("│  ") for line in lines[1:-1])
    assert lines[-1] == "└─ node 1"
    assert not any("-\n" in line or line.endswith("-") for line in lines)


def _untold(number: int, found: Topology) -> Topology:
    """Of one CPU the kernel told nothing."""
    cpus = (one.but(core=None, package=None, node=None) if one.id == number else one for one in found.cpus)
    return found.but(cpus=tuple(cpus), cores=found.cores[:-1])


def test_a_cpu_of_which_nothing_is_told_counts_as_none_and_is_shown(
    capsys: pytest.CaptureFixture[str],
) -> None:
    run = facts_runs.topology_run()
    show(run.model_copy(update={"topology": _untold(6, facts_topology.topology())}))
    said = capsys.readouterr().out
    head, *tree = said.splitlines()
    assert head.startswith("2 nodes, 2 packages (of 1 CPU not told), 3 cores (of 1 CPU not told), 7 CPUs")
    assert "├─ node not told" in tree or "└─ node not told" in tree
    assert "package not told: CPUs 6, cores not told" in said
    assert "Nothing tells which node the CPUs 6 are of." in said


def test_a_cpu_beside_the_cores_of_its_package_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    found = facts_topology.topology()
    cpus = tuple(one.but(core=None) if one.id == 6 else one for one in found.cpus)
    run = facts_runs.topology_run()
    show(run.model_copy(update={"topology": found.but(cpus=cpus, cores=found.cores[:-1])}))
    assert "package 1: 1 core of 2 CPUs: 4-5; CPUs 6, core not told" in capsys.readouterr().out
