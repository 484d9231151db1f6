"""What is said of a latency ladder, and how it ends."""

from __future__ import annotations

import facts_ladder
from facts_runs import all_runs
from plimsoll import results
from plimsoll.base.errors import ExitStatus
from plimsoll.charts import Table
from plimsoll.facts import Check, LatencyLadder, Run
from plimsoll.results._blocks import Grid, Points
from plimsoll.results.latency_ladder import RESULT

FOUND = facts_ladder.latency_ladder()


def _run(found: LatencyLadder) -> Run:
    return all_runs()["rungs"].but(results={"latency_ladder": found})


def _table(found: LatencyLadder) -> Table:
    assert RESULT.blocks is not None
    return next(one.table for one in RESULT.blocks(_run(found)) if isinstance(one, Grid))


def test_the_answer_names_each_latency_and_what_is_missing() -> None:
    assert results.answer(_run(FOUND)) == (
        "L1 cache 1.6 ns, memory of node 0 95.4 ns, memory of node 1, from node 0 141.2 ns, flash 86 µs; not measured: nfs"
    )


def test_what_could_not_be_measured_makes_it_done_in_part_and_what_is_absent_does_not() -> None:
    assert results.status(_run(FOUND)) is ExitStatus.DONE_IN_PART
    assert results.status(_run(FOUND.but(rungs=FOUND.rungs[:-1]))) is ExitStatus.DONE
    assert results.status(_run(facts_ladder.latency_ladder(False))) is ExitStatus.WORLD_FAILED
    assert results.status(_run(FOUND).but(interrupted=True)) is ExitStatus.INTERRUPTED


def test_prices_stand_there_where_there_are_any() -> None:
    rows = {row[0]: row[-2:] for row in _table(FOUND).rows}
    assert rows["flash"] == ("0.12", "6,472.60")
    assert rows["L1 cache"] == ("unknown", "unknown")
    assert not [name for name in _table(FOUND.but(currency=None)).columns if "GB" in name]


def test_each_rung_without_a_latency_has_its_reason() -> None:
    assert RESULT.blocks is not None
    (points,) = (one for one in RESULT.blocks(_run(FOUND)) if isinstance(one, Points))
    assert [name for name, _ in points.rows] == ["L3 cache", "nfs"]
    assert len(_table(FOUND).rows) == 4


def test_the_rung_of_which_a_check_failed_is_named() -> None:
    flash = FOUND.rungs[-2]
    assert flash.cell is not None
    checks = (
        Check(name="cliff", passed=False, reason="the rate fell to a half after 3 s."),
        Check(name="host_noise", passed=False, reason="other programs had 40 % of the CPUs"),
        Check(name="steady", passed=True, reason="it was steady"),
    )
    doubtful = flash.but(cell=flash.cell.but(checks=checks))
    run = _run(FOUND.but(rungs=(*FOUND.rungs[:-2], doubtful)))
    assert results.status(run) is ExitStatus.ANSWER_IS_NO
    assert results.answer(run).endswith("from node 0 141.2 ns, flash 86 µs (not valid: cliff)")
    assert RESULT.blocks is not None
    (points,) = (one for one in RESULT.blocks(run) if isinstance(one, Points))
    assert points.rows[-2:] == (
        ("flash, cliff", "The rate fell to a half after 3 s."),
        ("flash, host noise", "Other programs had 40 % of the CPUs."),
    )


def test_the_rung_of_which_reads_failed_is_named() -> None:
    flash = FOUND.rungs[-2]
    assert flash.cell is not None
    run = _run(FOUND.but(rungs=(flash.but(cell=flash.cell.but(errors=3)),)))
    assert results.answer(run) == "flash 86 µs (3 errors)"
