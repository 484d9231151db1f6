"""A field of a fact is on the page under its own name without another edit."""

from __future__ import annotations

import pytest

import facts_runs
from plimsoll.charts import Subject
from plimsoll.facts import Fact, Run
from plimsoll.pages import build
from plimsoll.pages.sections import fields
from plimsoll.results import Folded


def texts(run: Run) -> str:
    return "\n".join(block.text for block in fields.blocks(Subject(run, {})) if isinstance(block, Folded))


@pytest.mark.parametrize(
    "run", [facts_runs.io_run(), facts_runs.line_run(), facts_runs.prove_run()], ids=lambda run: run.kind
)
def test_every_single_value_has_its_name(run: Run) -> None:
    said = texts(run).splitlines()
    for kind, fact in run.results.items():
        if isinstance(fact, Fact):
            names = {line.split(" = ")[0].split(": ")[0] for line in said}
            own = {f"{kind}.{name}" for name in type(fact).model_fields}
            assert own <= {name if name in own else ".".join(name.split(".")[:2]) for name in names}


def test_values_are_as_they_are_and_unknown_ones_are_told() -> None:
    run = facts_runs.io_run()
    assert run.cell is not None
    said = texts(run)
    assert f"cell.iops = {run.cell.iops}\n" in said
    assert f"cell.latency_us.p99 = {run.cell.latency_us.p99}\n" in said
    assert f"cell.windows: {len(run.cell.windows)}" in said
    assert "cell.latency_us.hdr" not in said
    assert ">Every value<" in build(run)


def test_a_run_without_results_has_no_such_section() -> None:
    assert not fields.applies(Subject(facts_runs.io_run().model_copy(update={"cell": None}), {}))
