"""A run of several hosts is not compared as if it were whole where a host was lost or a check failed."""

from __future__ import annotations

import re

import pytest

import facts_hosts
import facts_runs
from plimsoll import pages
from plimsoll.charts._distributions import latencies
from plimsoll.cli.show import show_any
from plimsoll.facts import Bucket, Check, Run
from plimsoll.results import Side, compare_runs, hosts
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


def test_figures_of_those_that_were_not_lost_are_not_called_those_of_all() -> None:
    assert RESULT.compared is not None
    whole, lost = facts_runs.hosts_run(), facts_runs.hosts_run(True)
    assert RESULT.compared.figures(whole)[0].title == "I/Os per s, all hosts"
    titles = [one.title for one in RESULT.compared.figures(lost)]
    assert titles[0] == "I/Os per s, db1, db2 and db3"
    assert not any("all hosts" in title for title in titles)
    both = compare_runs([Side("A", (whole,)), Side("B", (lost,))]).figures[0]
    assert both.title == "I/Os per s, all hosts | I/Os per s, db1, db2 and db3"


def test_distributions_of_those_that_were_not_lost_are_not_called_those_of_all() -> None:
    assert "all hosts" in latencies(facts_runs.hosts_run())
    lost = facts_runs.hosts_run(True)
    assert list(latencies(lost)) == ["db1, db2 and db3 together", "db1", "db2", "db3", "db4"]
    found = lost.results["hosts"]
    alone = lost.but(results={**lost.results, "hosts": found.but(hosts=found.hosts[2:])})
    assert list(latencies(alone)) == ["db3", "db4"]


def _named(run: Run, *names: str) -> Run:
    """The same hosts under other names."""
    text = run.model_dump_json()
    for host, name in zip(facts_hosts.NAMES, names, strict=True):
        text = text.replace(host, name)
    return Run.model_validate_json(text)


def test_names_of_hosts_stay_as_they_were_given(capsys: pytest.CaptureFixture[str]) -> None:
    odd = Check(name="stragglers", passed=False, reason="dora did 25 % of the I/Os of the others' median")
    run = facts_runs.hosts_run(True)
    found = run.results["hosts"]
    run = run.but(results={**run.results, "hosts": found.but(checks=(*found.checks, odd))})
    run = _named(run, "ada", "ben", "cleo", "dora")
    show_any(run)
    buckets = [Bucket(lower_us=100.0, upper_us=200.0, ios=50)]
    page = pages.build(run, dict.fromkeys(latencies(run), buckets))
    for told in (capsys.readouterr().out, page):
        assert "dora did 25" in told
        assert not re.search("Ada|Ben|Cleo|Dora", told)
    assert "ada, ben and cleo together: half of" in page
    assert "dora was lost: nothing was heard" in page


def test_words_of_two_hosts_and_of_one_other() -> None:
    run = facts_runs.hosts_run(True)
    found = run.results["hosts"]
    two = found.but(hosts=found.hosts[2:])
    said = RESULT.answer(two)
    assert "; the other host did " in said
    assert "; while both hosts were there they did " in said
    assert "never with both hosts there" in RESULT.answer(two.but(complete_s=None, complete_iops=None))
