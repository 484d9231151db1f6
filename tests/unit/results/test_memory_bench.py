"""What is said of measured memory: which pair speaks for all, what was not had, and how it ends."""

from __future__ import annotations

import pytest

import facts_memory
from facts_runs import memory_run
from plimsoll import results
from plimsoll.base.errors import ExitStatus
from plimsoll.charts import Table
from plimsoll.facts import MemoryBench, Note, Run
from plimsoll.facts.memory_bench import LOAD_UNSTEADY, NOT_MEASURED
from plimsoll.results._blocks import Grid
from plimsoll.results.memory_bench import RESULT

FOUND = facts_memory.memory_bench()


def _run(found: MemoryBench, *codes: str, interrupted: bool = False) -> Run:
    notes = tuple(Note(code=code, message="so it is") for code in codes)
    run = memory_run()
    return run.but(results={"memory_bench": found}, notes=notes, interrupted=interrupted)


def _without_home() -> MemoryBench:
    """CPUs of each node, and memory of the other one alone."""
    return FOUND.but(
        **{
            name: tuple(one for one in getattr(FOUND, name) if one.cpu_node != one.memory_node)
            for name in ("streams", "chases", "updates")
        }
    )


def test_where_no_cpu_has_memory_of_its_own_the_first_pair_speaks() -> None:
    assert results.answer(_run(FOUND)).startswith("triad 40,000 MB/s with ordinary stores on 6 threads")
    assert results.answer(_run(_without_home())).startswith("triad 30,000 MB/s with ordinary stores on 6")
    compared = RESULT.compared
    assert compared is not None
    figures = {one.name: one.value for one in compared.figures(_run(_without_home()))}
    assert figures["memory_bench.triad_ordinary"] == 30_000.0
    assert figures["memory_bench.updates"] == 2.4e8


@pytest.mark.parametrize(
    ("codes", "interrupted", "wanted"),
    [
        ((), False, ExitStatus.DONE),
        (("memory-arrays-small", "memory-first-touch"), False, ExitStatus.DONE),
        ((NOT_MEASURED,), False, ExitStatus.DONE_IN_PART),
        ((NOT_MEASURED,), True, ExitStatus.INTERRUPTED),
    ],
)
def test_what_was_not_measured_makes_it_done_in_part(
    codes: tuple[str, ...], interrupted: bool, wanted: ExitStatus
) -> None:
    assert results.status(_run(FOUND, *codes, interrupted=interrupted)) is wanted


@pytest.mark.parametrize(
    ("share", "wanted"),
    [(1.0, "95.0"), (None, "95.0"), (0.5, "95.0, 50 % of it huge"), (0.0, "95.0, none of it huge")],
)
def test_a_latency_says_what_share_was_in_huge_pages(share: float | None, wanted: str) -> None:
    huge = FOUND.chases[1].but(pages="huge", huge_share=share)
    assert RESULT.blocks is not None
    blocks = RESULT.blocks(_run(FOUND.but(chases=(FOUND.chases[1], huge))))
    table = next(one.table for one in blocks if isinstance(one, Grid) and "Loads" in one.caption)
    assert isinstance(table, Table)
    assert [row[-2:] for row in table.rows] == [("95.0", wanted)]


def test_latency_under_load_is_in_the_answer_and_compared() -> None:
    assert results.answer(_run(FOUND)).endswith(
        "95.0 ns a load in 1 GiB of small pages, 190.0 ns while others move 39,000 MB/s"
    )
    assert RESULT.compared is not None
    figures = {one.name: one.value for one in RESULT.compared.figures(_run(FOUND))}
    assert figures["memory_bench.latency_loaded_us"] == pytest.approx(0.19)
    assert {one.name: one.value for one in RESULT.compared.figures(_run(FOUND.but(loads=())))}[
        "memory_bench.latency_loaded_us"
    ] is None


def test_a_curve_that_contradicts_itself_is_in_the_headline() -> None:
    assert results.answer(_run(FOUND, LOAD_UNSTEADY)).endswith("; latency under load is not steady")


def test_loads_are_a_row_each_with_what_they_are_without() -> None:
    assert RESULT.blocks is not None
    table = next(
        one.table
        for one in RESULT.blocks(_run(FOUND))
        if isinstance(one, Grid) and "under load" in one.caption
    )
    assert table.rows[:3] == (
        ("0", "0", "none", "5", "0", "95.0", "1.00"),
        ("0", "0", "50 %", "5", "19,500", "100.9", "1.06"),
        ("0", "0", "all", "5", "39,000", "190.0", "2.0"),
    )


def test_working_sets_that_differ_between_nodes_stand_in_a_column_and_not_in_the_caption() -> None:
    assert RESULT.blocks is not None
    small = FOUND.but(loads=tuple(one.but(size_bytes=(1 << 30) >> one.memory_node) for one in FOUND.loads))
    for found, caption, cell in ((FOUND, "in 1 GiB of", "1.00"), (small, "ns a load of", "1 GiB")):
        (grid,) = (
            one for one in RESULT.blocks(_run(found)) if isinstance(one, Grid) and "under load" in one.caption
        )
        assert caption in grid.caption
        assert grid.table.rows[0][-1] == cell
    assert {row[-1] for row in grid.table.rows} == {"1 GiB", "512 MiB"}
