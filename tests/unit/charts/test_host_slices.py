"""The drawing of a host that is divided."""

from __future__ import annotations

import json

import facts_runs
from plimsoll.charts import Subject, load

CHART = load("host-slices")


def test_each_node_has_the_cores_and_the_memory_of_its_slices() -> None:
    rows = CHART.table(Subject(facts_runs.slices_run())).rows
    assert rows == (
        ("0", "db2", "0,1"),
        ("0", "housekeeping", "2,3"),
        ("1", "db1, 16 GiB of memory", "4,5; 6"),
        ("1", "db2, 8 GiB of memory", "none"),
    )


def test_what_nobody_was_given_is_grey_and_said() -> None:
    run = facts_runs.slices_run()
    plan = run.results["slices"]
    fewer = plan.but(slices=plan.slices[:1], free_cpus=(0, 1, 2, 3))
    about = Subject(run.model_copy(update={"results": {**run.results, "slices": fewer}}))
    assert ("0", "given to nobody", "0,1; 2,3") in CHART.table(about).rows
    assert "Grey ones were given to nobody." in CHART.words(about)
    assert "given to nobody" in json.dumps(CHART.draw(about, 400).to_dict())


def test_a_refusal_has_no_drawing() -> None:
    assert not CHART.applies(Subject(facts_runs.slices_run(True)))
