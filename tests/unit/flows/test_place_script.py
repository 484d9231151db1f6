"""`place script` and the plan that verbs below `place` are about."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from moved_plans import placement, row
from plimsoll.base.errors import UsageError
from plimsoll.cli import main
from plimsoll.requests.place_script import PlaceScriptRequest


@pytest.fixture
def plan(tmp_path: Path) -> Callable[..., str]:
    def made(*rows: Any, **more: Any) -> str:
        path = tmp_path / "plan.json"
        path.write_text(
            json.dumps(
                {
                    "data": placement(rows or [row("s.t", "pg_default", "fast")], **more).model_dump(
                        mode="json"
                    )
                }
            )
        )
        return str(path)

    return made


def printed(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> str:
    assert main.run(["place", "script", *words]) == status
    out, err = capsys.readouterr()
    return out if status == 0 else err


def test_a_script_there_and_back(plan: Callable[..., str], capsys: pytest.CaptureFixture[str]) -> None:
    path = plan()
    assert 'ALTER TABLE "s"."t" SET TABLESPACE "ssd";' in printed(capsys, path, "--tablespace", "fast=ssd")
    assert 'ALTER TABLE "s"."t" SET TABLESPACE "pg_default";' in printed(capsys, path, "--reverse")
    document = json.loads(printed(capsys, path, "--json"))
    assert (document["kind"], document["data"]["dialect"]) == ("place-script", "postgres")
    assert 'MOVE ONLINE TABLESPACE "fast"' in printed(
        capsys, path, "--dialect", "oracle", "--release", "19", "--edition", "enterprise"
    )


@pytest.mark.parametrize(
    ("words", "id"),
    [
        (["--release", "19"], "option-idle"),
        (["--dialect", "oracle", "--name", "shop"], "option-idle"),
        (["--tablespace", "gold=x"], "tier-unknown"),
        (["--dialect", "oracle", "--release", "9"], "release-unreadable"),
        (["--dialect", "oracle", "--flash-cache"], "flash-cache-elsewhere"),
    ],
)
def test_what_cannot_be_asked(
    plan: Callable[..., str], words: list[str], id: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run(["place", "script", plan(), *words, "--json"]) == 2
    assert f'"id": "{id}"' in capsys.readouterr().out.replace('":"', '": "')


def test_a_plan_that_moves_nothing(plan: Callable[..., str], capsys: pytest.CaptureFixture[str]) -> None:
    said = printed(capsys, plan(row("s.t", "fast", "fast"), reason="memory answers all reads"), status=2)
    assert "the plan moves nothing: memory answers all reads" in said


def test_a_run_of_another_kind_is_no_plan(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = str(tmp_path / "runs.sqlite")
    assert main.run(["io", "sim:", "--runtime", "100ms", "--store", store]) == 0
    capsys.readouterr()
    assert main.run(["place", "script", "latest", "--store", store]) == 2
    assert "is not a placement" in capsys.readouterr().err


def test_ids_of_errors() -> None:
    """Those whose words are looked at above: `plan-missing`, `plan-moves-nothing`."""
    with pytest.raises(UsageError) as caught:
        PlaceScriptRequest.of_words({"plan": "x", "dialect": "db2"})
    assert caught.value.id == "usage"
