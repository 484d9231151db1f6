"""Demand from wherever it was kept, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import facts_builder
import facts_runs
from plimsoll.base.errors import ExitStatus, PlimsollError
from plimsoll.cli.output import envelope
from plimsoll.context import Context
from plimsoll.flows.demand import demand_for, learn_demand, load_demand, mix_of, write_demand
from simulated import context


@pytest.fixture
def ctx(tmp_path: Path) -> Iterator[Context]:
    with context(tmp_path / "journals") as made:
        yield made


def error_of(call: Any, *given: Any) -> PlimsollError:
    with pytest.raises(PlimsollError) as caught:
        call(*given)
    assert caught.value.hint
    return caught.value


def test_what_is_written_is_read(ctx: Context, tmp_path: Path) -> None:
    demand = facts_builder.demand()
    write_demand(demand, tmp_path / "shop.json")
    assert load_demand(ctx, str(tmp_path / "shop.json")) == demand


def test_what_the_command_printed_is_read_too(ctx: Context, tmp_path: Path) -> None:
    demand = facts_builder.demand()
    printed = envelope("demand", {"run": "20250314-092653-abcdef", **demand.model_dump(mode="json")})
    (tmp_path / "printed").write_text(printed)
    assert load_demand(ctx, str(tmp_path / "printed")) == demand


def test_a_stored_run_is_asked_for_its_demand(ctx: Context) -> None:
    run = facts_runs.demand_run()
    ctx.store.save(run)
    assert load_demand(ctx, run.id) == run.demand
    ctx.store.save(facts_runs.io_run())
    assert error_of(load_demand, ctx, "latest").id == "demand-none"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "not json",
        "[]",
        "12",
        '{"kind": "demand"}',
        '{"kind": "demand", "data": []}',
        '{"data": {"x": 1}}',
    ],
)
def test_another_document_is_refused_in_a_line(ctx: Context, tmp_path: Path, text: str) -> None:
    path = tmp_path / "file.json"
    path.write_text(text)
    error = error_of(load_demand, ctx, str(path))
    assert (error.id, error.status) == ("demand-unreadable", ExitStatus.USAGE)
    assert "\n" not in error.message


def test_bytes_that_are_no_text_are_refused(ctx: Context, tmp_path: Path) -> None:
    (tmp_path / "file.json").write_bytes(b"\xff\xfe\x00")
    assert error_of(load_demand, ctx, str(tmp_path / "file.json")).id == "demand-unreadable"


def test_a_missing_file_and_a_folder_are_told_apart(ctx: Context, tmp_path: Path) -> None:
    assert error_of(load_demand, ctx, str(tmp_path / "none.json")).id == "demand-missing"
    assert error_of(load_demand, ctx, str(tmp_path)).status is ExitStatus.WORLD_FAILED


def test_a_place_that_refuses_the_file_is_named(tmp_path: Path) -> None:
    error = error_of(write_demand, facts_builder.demand(), tmp_path / "no" / "shop.json")
    assert (error.id, error.status) == ("demand-refused", ExitStatus.WORLD_FAILED)


def test_an_idle_demand_has_no_mix(ctx: Context, tmp_path: Path) -> None:
    idle = facts_builder.demand().model_copy(update={"peak": None, "intervals": ()})
    assert error_of(mix_of, idle).id == "demand-empty"
    assert mix_of(facts_builder.demand()).classes


def test_exactly_one_source_is_wanted(ctx: Context) -> None:
    assert error_of(demand_for, ctx, None, None, 1.0).id == "demand-source"
    assert error_of(demand_for, ctx, "latest", "embedded", 1.0).id == "demand-source"
    assert error_of(learn_demand, ctx, None, 1.0).id == "database-missing"


@pytest.mark.parametrize("factor", [float("inf"), float("nan")])
def test_a_burst_factor_is_a_number(ctx: Context, factor: float) -> None:
    assert error_of(demand_for, ctx, "latest", None, 1.0, factor).id == "burst-factor-odd"


def test_a_burst_factor_goes_with_the_demand(ctx: Context, tmp_path: Path) -> None:
    write_demand(facts_builder.demand(), tmp_path / "shop.json")
    assert demand_for(ctx, str(tmp_path / "shop.json"), None, 1.0, 3.0).burst_factor == 3.0
    assert json.loads((tmp_path / "shop.json").read_text())["burst_factor"] is None
