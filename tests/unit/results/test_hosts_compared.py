"""A run of several hosts is not compared as if it were whole where a host was lost or a check failed."""

from __future__ import annotations

import facts_runs
from plimsoll.facts import Check, Run
from plimsoll.results import hosts
from plimsoll.results.hosts import RESULT


def _doubts(run: Run) -> list[str]:
    assert RESULT.compared is not None
    assert RESULT.compared.doubts is not None
    return list(RESULT.compared.doubts(run))


def test_a_lost_host_and_a_check_that_failed_are_doubts() -> None:
    assert _doubts(facts_runs.hosts_run()) == []
    lost = _doubts(facts_runs.hosts_run(True))
    assert lost[0] == "lost: db4 after 2 s"
    run = facts_runs.hosts_run()
    found = run.results["hosts"]
    failed = Check(name="at_work", passed=False, reason="of db2 no I/O ended for 4 s in all")
    changed = run.but(results={**run.results, "hosts": found.but(checks=(*found.checks, failed))})
    assert _doubts(changed) == [failed.reason]


def test_the_page_names_what_failed_on_each_host() -> None:
    run = facts_runs.hosts_run()
    found = run.results["hosts"]
    failed = Check(name="stalls", passed=False, reason="db2: the longest 4,001 ms")
    parts = tuple(
        part if part.cell is None or part.host != "db2" else part.but(cell=part.cell.but(checks=(failed,)))
        for part in found.hosts
    )
    changed = run.but(results={**run.results, "hosts": found.but(hosts=parts)})
    (points,) = hosts._failed_on_hosts(changed)
    assert "the longest 4,001 ms" in str(points)
