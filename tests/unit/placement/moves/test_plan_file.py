"""A plan from a file: what `place --json` printed, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from moved_plans import placement, row
from plimsoll.base.errors import PlimsollError
from plimsoll.placement.moves.plan_file import read_plan

PLAN = placement([row("s.t", "pg_default", "fast")])


@pytest.mark.parametrize("wrapped", [True, False])
def test_it_is_read_back(tmp_path: Path, wrapped: bool) -> None:
    data = {"run": "20260101-000000-aaaaaa", **PLAN.model_dump(mode="json")}
    path = tmp_path / "plan.json"
    path.write_text(json.dumps({"kind": "place", "data": data} if wrapped else data))
    assert read_plan(path) == PLAN


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("[]", "holds no plan"),
        ('{"data": 3}', "holds no plan"),
        ('{"data": {"plan": 3}}', "field required"),
    ],
)
def test_what_is_no_plan_is_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "plan.json"
    path.write_text(text)
    with pytest.raises(PlimsollError, match=said) as caught:
        read_plan(path)
    assert (caught.value.id, caught.value.status) == ("plan-unreadable", 2)


def test_a_plan_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(PlimsollError) as caught:
        read_plan(tmp_path / "plan.json")
    assert caught.value.id == "file-missing"
    with pytest.raises(PlimsollError) as caught:
        read_plan(tmp_path)
    assert (caught.value.id, caught.value.status) == ("plan-unreadable", 4)
