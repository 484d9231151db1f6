"""Heat maps of nodes: shades that say how much slower, figures that can be read on them, and what is not measured."""

from __future__ import annotations

import re

import pytest

import facts_memory
import facts_runs
from plimsoll import charts
from plimsoll.charts import Subject
from plimsoll.charts._node_matrix import DARKEST, NodeMatrix, Pair
from plimsoll.charts._theme import COLOURS
from plimsoll.facts import MemoryBench

FOUND = facts_memory.memory_bench()


def _matrix(**values: float) -> NodeMatrix:
    pairs: dict[Pair, float] = {(int(name[1]), int(name[2])): value for name, value in values.items()}
    return NodeMatrix(pairs, lambda ns: f"{ns:.1f}", "ns", lambda ns: ns)


def _subject(found: MemoryBench) -> Subject:
    return Subject(facts_runs.memory_run().but(results={"memory_bench": found}))


def test_shades_go_by_how_many_times_slower() -> None:
    shades = _matrix(n00=100.0, n01=200.0, n10=400.0).shades()
    assert shades == pytest.approx({(0, 0): 0.0, (0, 1): 0.5, (1, 0): 1.0})


def test_nodes_that_are_nearly_alike_are_pale() -> None:
    assert max(_matrix(n00=100.0, n01=105.0).shades().values()) < 0.1


def test_what_was_not_measured_has_no_figure_and_no_shade() -> None:
    found = _matrix(n00=100.0, n11=140.0)
    assert found.table().rows == (("node 0", "100.0", "–"), ("node 1", "–", "140.0"))
    assert (0, 1) not in found.shades()


def test_words_name_the_best_and_the_worst() -> None:
    assert _matrix(n00=100.0, n01=150.0).words("Ns of a load") == (
        "Ns of a load: 100.0 ns from node 0 to its own memory at best, 150.0 ns from node 0 to memory of node 1 at worst, 1.50"
        " times as slow; the more colour, the slower."
    )


def test_of_bandwidth_less_is_slower() -> None:
    words = charts.load("memory-bandwidth").words(_subject(FOUND))
    assert (
        "40,000 MB/s from node 0 to its own memory at best, 30,000 MB/s from node 0 to memory of node 1 at worst, 1.33"
        in words
    )


def test_working_sets_of_nodes_that_differ_are_told() -> None:
    chart = charts.load("memory-latency")
    assert "in the largest working set and small pages: " in chart.words(_subject(FOUND))
    small = tuple(one.but(size_bytes=one.size_bytes >> 4 * one.memory_node) for one in FOUND.chases)
    told = chart.words(_subject(FOUND.but(chases=small)))
    assert "the largest working set of each, from 64 MiB to 1 GiB, so that they are not of the same: " in told


def _light(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return _luminance(parts)


def _luminance(parts: list[float]) -> float:
    """WCAG 2, relative luminance."""
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", [0, 1])
def test_a_figure_can_be_read_on_the_most_colour_there_is(scheme: int) -> None:
    paper, ink, shade = (COLOURS[role][scheme] for role in ("paper", "ink", "middle"))
    mixed = [
        DARKEST * int(shade[at : at + 2], 16) / 255 + (1 - DARKEST) * int(paper[at : at + 2], 16) / 255
        for at in (1, 3, 5)
    ]
    brighter, darker = sorted((_luminance(mixed), _light(ink)), reverse=True)
    assert (brighter + 0.05) / (darker + 0.05) >= 4.5


def test_figures_are_left_to_the_table_where_fields_are_too_narrow_for_them() -> None:
    pairs = {(row, column): 1e5 + row + column for row in range(32) for column in range(32)}
    found = NodeMatrix(pairs, lambda ns: f"{ns:,.1f}", "ns", lambda ns: ns)
    marks = [layer["mark"]["type"] for layer in found.draw(356).to_dict()["layer"]]
    assert marks == ["rect", "rect"]
    few = [layer["mark"]["type"] for layer in _matrix(n00=100.0, n01=140.0).draw(356).to_dict()["layer"]]
    assert few == ["rect", "rect", "text"]


def test_one_pair_is_no_map() -> None:
    home = FOUND.but(
        streams=tuple(one for one in FOUND.streams if (one.cpu_node, one.memory_node) == (0, 0)),
        chases=tuple(one for one in FOUND.chases if (one.cpu_node, one.memory_node) == (0, 0)),
    )
    for name in ("memory-bandwidth", "memory-latency"):
        assert not charts.load(name).applies(_subject(home))
        assert charts.load(name).applies(_subject(FOUND))


def test_of_many_pairs_those_from_the_first_node_are_drawn() -> None:
    (one, *_) = FOUND.loads
    many = tuple(
        one.but(cpu_node=row, memory_node=column, share=share, mb_per_s=1000.0 * share)
        for row in (3, 5) for column in (3, 4, 5) for share in (1.0, 0.0)
    )  # fmt: skip
    chart, about = charts.load("memory-under-load"), _subject(FOUND.but(loads=many))
    words = chart.words(about)
    assert "Of 6 pairs of nodes those from node 3 are drawn." in words
    assert re.findall(r"From node (\d) to (its own memory|memory of node \d)", words) == [
        ("3", "its own memory"), ("3", "memory of node 4"), ("3", "memory of node 5"),
    ]  # fmt: skip
    assert len(chart.table(about).rows) == 12
