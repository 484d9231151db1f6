"""The bars of commits: as long as the mean commit, cut into parts that are its whole."""

from __future__ import annotations

from typing import Any

import pytest

import facts_commits
import facts_runs
from plimsoll.charts import Subject, load
from plimsoll.facts import CommitsOfRole, Run

CHART = load("commit-parts")


def run_of(*rows: CommitsOfRole) -> Run:
    run = facts_runs.commits_run()
    assert run.commits is not None
    return run.model_copy(update={"commits": run.commits.model_copy(update={"rows": rows})})


def bars(run: Run) -> list[dict[str, Any]]:
    """What is drawn: every part of every bar."""
    spec = CHART.draw(Subject(run), 800).to_dict()
    layers = spec["vconcat"][1]["layer"]
    data = [layer["data"]["values"] for layer in layers if layer["mark"]["type"] == "rect"]
    return [span for values in data for span in values]


def test_the_parts_of_a_bar_are_its_whole_and_follow_on_each_other() -> None:
    spent = facts_commits.times(queue_us=100.0, write_us=20.0, flush_us=300.0, processor_us=80.0)
    spans = sorted(bars(run_of(facts_commits.row(spent))), key=lambda span: span["x"])
    assert [span["part"] for span in spans] == ["behind others", "write", "flush", "processor"]
    assert [span["x"] for span in spans[1:]] == [span["x2"] for span in spans[:-1]]
    assert (spans[0]["x"], spans[-1]["x2"]) == (0.0, pytest.approx(500.0))


def test_a_lock_is_told_apart_from_the_queue_behind_others() -> None:
    spent = facts_commits.times(queue_us=100.0, flush_us=30.0)
    run = run_of(facts_commits.row(spent, behind_us_mean=20.0))
    spans = {span["part"]: (span["x"], span["x2"]) for span in bars(run)}
    assert spans == {"behind others": (0.0, 20.0), "for a lock": (20.0, 100.0), "flush": (100.0, 130.0)}
    assert CHART.words(Subject(run)) == "client backend, leader: 130 µs, of it 62 % for a lock."


def test_each_bar_is_as_long_as_its_mean_commit() -> None:
    short, long = (facts_commits.row(facts_commits.times(flush_us=us)) for us in (200.0, 900.0))
    assert [span["x2"] for span in bars(run_of(short, long))] == [200.0, 900.0]


def test_commits_of_which_nothing_is_known_have_no_bar() -> None:
    none = facts_commits.row(commits=0, errors=3, total_us_mean=None, times=None)
    assert not CHART.applies(Subject(run_of(none)))
    assert len(CHART.table(Subject(run_of(none, facts_commits.row()))).rows) == 1
    assert CHART.words(Subject(run_of(none))).startswith("No commit ended")


def test_the_words_name_the_largest_part() -> None:
    spent = facts_commits.times(flush_us=300.0, processor_us=100.0)
    told = CHART.words(Subject(run_of(facts_commits.row(spent))))
    assert told == "client backend, leader: 400 µs, of it 75 % flush."


def test_on_a_narrow_picture_the_legend_takes_more_lines() -> None:
    spent = facts_commits.times(
        queue_us=9.0, write_us=9.0, flush_us=9.0, run_queue_us=9.0, processor_us=9.0, other_us=9.0
    )
    subject = Subject(run_of(facts_commits.row(spent)))
    wide, narrow = (CHART.draw(subject, width).to_dict()["vconcat"][0]["height"] for width in (900, 340))
    assert narrow > wide
