"""The drawing of a host."""

from __future__ import annotations

import json

import facts_runs
from plimsoll.charts import Subject, load
from plimsoll.facts import Topology
from plimsoll.host.topology import read_topology
from recorded_topologies import KEPT

CHART = load("host-nodes")


def _subject(found: Topology) -> Subject:
    return Subject(facts_runs.topology_run().model_copy(update={"topology": found}))


def test_a_box_for_each_core_under_its_last_cache() -> None:
    rows = CHART.table(Subject(facts_runs.topology_run())).rows
    assert rows == (("0", "level 3 cache, 30 MiB", "0,1; 2,3"), ("1", "level 3 cache, 30 MiB", "4,5; 6"))


def test_what_may_not_be_used_is_grey_and_said() -> None:
    about = _subject(read_topology(str(KEPT / "16amd64-8n2c-cpusets.tar.bz2")))
    assert "Grey ones may not be used from here." in CHART.words(about)
    assert CHART.words(about).startswith("8 nodes: a box is a core")


def test_cpus_without_cores_are_boxes_of_their_own() -> None:
    about = _subject(read_topology(str(KEPT / "4fake-4gr1nu1pu.tar.bz2")))
    assert [row[2] for row in CHART.table(about).rows] == ["0", "1", "2", "3"]
    assert "a box is a CPU" in CHART.words(about)


def test_nodes_beyond_those_of_a_screen_are_counted() -> None:
    found = facts_runs.topology_run().results["topology"]
    many = tuple(found.nodes[0].but(id=number, cpus=()) for number in range(20))
    about = _subject(found.but(nodes=many))
    assert CHART.words(about).startswith("The first 16 of 20 nodes")
    drawn = json.dumps(CHART.draw(about, 400).to_dict())
    assert ("node 15: 32 GiB" in drawn, "node 16: 32 GiB" in drawn) == (True, False)
