"""A field of a fact is on the page in words and under its own name without another edit."""

from __future__ import annotations

import pytest

import facts_runs
from plimsoll.charts import Subject
from plimsoll.facts import Fact, Run
from plimsoll.pages import build
from plimsoll.pages._fields import in_words
from plimsoll.pages.sections import fields
from plimsoll.results import Grid


def rows(run: Run) -> dict[str, tuple[str, str]]:
    """Words and value by the name of the field."""
    blocks = [block for block in fields.blocks(Subject(run, {})) if isinstance(block, Grid)]
    assert all(block.folded for block in blocks)
    return {name: (words, value) for block in blocks for words, value, name in block.table.rows}


@pytest.mark.parametrize(
    "run", [facts_runs.io_run(), facts_runs.line_run(), facts_runs.prove_run()], ids=lambda run: run.kind
)
def test_every_single_value_has_its_name(run: Run) -> None:
    names = set(rows(run))
    for kind, fact in run.results.items():
        if isinstance(fact, Fact):
            own = {f"{kind}.{name}" for name in type(fact).model_fields}
            assert own <= {name if name in own else ".".join(name.split(".")[:2]) for name in names}


def test_values_are_as_they_are_and_unknown_ones_are_told() -> None:
    run = facts_runs.io_run()
    assert run.cell is not None
    said = rows(run)
    assert said["cell.iops"] == ("I/Os per second", str(run.cell.iops))
    assert said["cell.latency_us.p999"] == ("latency p99.9, µs", str(run.cell.latency_us.p999))
    assert said["cell.windows"][1] == f"{len(run.cell.windows)} of them"
    assert "cell.latency_us.hdr" not in said
    assert "unknown" in {value for _, value in rows(facts_runs.sparse_run()).values()}
    assert ">Every value<" in build(run)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("held_mb_per_s", "held, MB per second"), ("cpu_s.user", "CPU user, s"), ("latency_us_max", "latency at most, µs"),
        ("line_iops", "line, I/Os per second"), ("direct", "direct"), ("runtime_s", "runtime, s"),
        ("cpu_us_per_io", "CPU, µs per I/O"), ("headroom_ci95", "headroom 95 % interval"), ("iops", "I/Os per second"),
    ],
)  # fmt: skip
def test_fields_have_words(path: str, words: str) -> None:
    assert in_words(path) == words


def test_a_run_without_results_has_no_such_section() -> None:
    assert not fields.applies(Subject(facts_runs.io_run().model_copy(update={"cell": None}), {}))
