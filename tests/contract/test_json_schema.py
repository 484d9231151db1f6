"""What `--json` prints is what its published schema says, of every kind of result."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

import facts_runs
import plimsoll
from documents import ROOT
from plimsoll.cli.output import envelope
from plimsoll.facts import Run
from plimsoll.facts.document import apart
from plimsoll.results import kinds, main_kind

SCHEMA: dict[str, Any] = json.loads((ROOT / "docs/reference/envelopes.schema.json").read_text())
RUNS = facts_runs.all_runs()
PRINTED = sorted(set(RUNS) - {"calibration", "jobs", "read"})
"""Jobs and reports have documents of their own commands; a calibration merges distributions, so that it is measured below."""


def problems(document: Any, kind: str) -> list[str]:
    one = {"$ref": f"#/$defs/envelope-{kind}", "$defs": SCHEMA["$defs"]}
    found = jsonschema.Draft202012Validator(one).iter_errors(document)
    return [f"{error.json_path}: {error.message[:200]}" for error in found]


def printed(run: Run) -> tuple[str, dict[str, Any]]:
    name = main_kind(run)
    assert name is not None
    kind = kinds()[name]
    data, distributions = apart(kind.data(run, name))
    called = kind.envelope or name.replace("_", "-")
    return called, json.loads(envelope(called, data, run.notes, distributions))


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("name", PRINTED)
def test_a_printed_result_is_as_its_schema_says(name: str) -> None:
    kind, document = printed(RUNS[name])
    assert problems(document, kind) == []


@pytest.mark.parametrize("name", RUNS)
def test_a_stored_run_is_as_its_schema_says(name: str) -> None:
    data, distributions = apart(RUNS[name].model_dump(mode="json"))
    assert problems(json.loads(envelope("run", data, (), distributions)), "run") == []


def test_a_calibration_is_as_its_schema_says() -> None:
    run = plimsoll.calibrate("sim:mean=100us", shape="simple", disks=1, runtime="50ms").run
    kind, document = printed(run)
    assert (kind, problems(document, kind)) == ("calibrate", [])


def test_what_is_wrong_is_found() -> None:
    """A schema that takes everything would pass the tests above."""
    kind, document = printed(RUNS["io"])
    document["data"]["iops"] = "many"
    del document["data"]["run"]
    assert len(problems(document, kind)) == 2
    assert problems(document, "line")
