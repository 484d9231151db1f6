"""A proof as people read it on a terminal."""

from __future__ import annotations

import re

import pytest

import facts_proofs
import facts_runs
from plimsoll.cli.results import proof
from plimsoll.cli.show import show_any
from plimsoll.facts import Run


def lines(capsys: pytest.CaptureFixture[str], run: Run) -> list[str]:
    proof.show(run)
    return [line.rstrip() for line in capsys.readouterr().out.splitlines()]


def row(shown: list[str], start: str) -> list[str]:
    """The cells of the line that begins so."""
    (found,) = [line for line in shown if line.startswith(start)]
    return found.removeprefix(start).split()


def test_the_answer_stands_first_and_the_run_last(capsys: pytest.CaptureFixture[str]) -> None:
    shown = lines(capsys, facts_runs.prove_run())
    assert shown[0] == "3,000 operations per second."
    assert shown[1].startswith("8 sessions drove PostgreSQL 18.4 with random blocks by key (slob) for 30 s")
    assert shown[-1] == "run 01JPA3W5XQ"


def test_every_part_of_a_proof_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    shown = lines(capsys, facts_runs.prove_run())
    assert row(shown, "update")[:3] == ["600", "18,000", "16.0"]
    assert row(shown, "commits") == ["18,000", "18,022", "+0.12", "%", "2", "%", "yes"]
    assert row(shown, "the operating system's cache") == ["4,800", "10", "%"]
    assert row(shown, "nvme0n1: reads by anyone, by the kernel") == ["15,300"]
    assert row(shown, "forcing the log to disk") == ["480", "µs", "80", "%", "17,400"]
    assert (
        "sessions: All ran through the whole window. Each did between 11,231 and 11,280 operations." in shown
    )
    assert any(line.startswith("server: A checkpoint ended before the warm-up") for line in shown)
    assert "settings that are not defaults: 3 (--json lists them)" in shown
    assert "  error 2026-03-01 12:00:09 UTC: deadlock detected" in shown
    assert any(line.startswith("prediction: ") and "5.2 % too high" in line for line in shown)


def test_a_proof_that_failed_names_session_count_and_doubts(capsys: pytest.CaptureFixture[str]) -> None:
    shown = lines(capsys, facts_runs.prove_run("late"))
    assert shown[0] == "This proof is not valid."
    assert "session 5: its first operation began 1.8 s after the window opened" in shown
    assert "commits: the counts differ by 3.4 %, beyond the limit of 2 %" in shown
    assert row(shown, "the device") == ["unknown", "unknown"]
    assert [line.partition(":")[0] for line in shown if line.startswith("reason")] == ["reason 1", "reason 2"]


def test_conditions_and_queries_have_their_tables(capsys: pytest.CaptureFixture[str]) -> None:
    shown = lines(capsys, facts_runs.prove_run("order_entry"))
    assert row(shown, "warehouse balance")[:2] == ["cannot", "tell"]
    shown = lines(capsys, facts_runs.prove_run("tpch"))
    assert row(shown, "Q20")[:3] == ["unknown", "unknown", "failed:"]
    assert len([line for line in shown if re.match(r"Q\d", line)]) == 22


def test_a_sweep_is_shown_with_its_knee_and_its_law(capsys: pytest.CaptureFixture[str]) -> None:
    shown = lines(capsys, facts_runs.sweep_run())
    assert shown[0] == "More sessions pay up to 16: 2,910 operations per second."
    assert any(line.startswith("most throughput at: 39 sessions (") for line in shown)
    points = [line.split() for line in shown if line.split()[0].isdigit()]
    assert [cells[0] for cells in points] == ["1", "2", "4", "8", "16", "32", "64"]
    assert [cells[-1] for cells in points] == [point.run for point in facts_proofs.sweep().points]


@pytest.mark.parametrize("name", ["prove_slob", "prove_sweep"])
def test_a_stored_proof_is_shown_in_its_own_form(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    run = facts_runs.all_runs()[name]
    show_any(run)
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("run 01JPA3W5XQ: slob on embedded")
    assert "operations per second" in said[1]


def test_whose_commits_the_server_s_counters_have_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    lost = facts_proofs.over_hosts(lost=True).model_copy(update={"commit": facts_proofs.slob().commit})
    shown = lines(capsys, facts_runs.prove_run("hosts_lost").model_copy(update={"proof": lost}))
    assert any("so these commits are also those of app2, as far as they were told" in line for line in shown)
