"""Demand from wherever it was kept, and what is refused."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import facts_builder
import facts_runs
from plimsoll.base.errors import ExitStatus, PlimsollError, UsageError
from plimsoll.cli.output import envelope
from plimsoll.context import Context
from plimsoll.demand.workload import workload_of
from plimsoll.flows.demand import demands_for, learn_demand, load_demand, mix_of, parse_demand, write_demand
from plimsoll.requests.assess import AssessRequest
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


@pytest.mark.parametrize(
    "theirs", ['{\n "name": "mine"\n}\n', '{\n "database": {\n  "kind": "postgresql"\n }\n}\n']
)
def test_only_an_earlier_demand_is_replaced(ctx: Context, tmp_path: Path, theirs: str) -> None:
    place = tmp_path / "shop.json"
    for _ in range(2):
        write_demand(facts_builder.demand(), place)
    assert json.loads(place.read_text())["plimsoll_demand"] == 1
    assert load_demand(ctx, str(place)) == facts_builder.demand()
    place.write_text(theirs)
    assert "holds something else" in error_of(write_demand, facts_builder.demand(), place).message
    assert place.read_text() == theirs


def test_an_idle_demand_has_no_mix(ctx: Context, tmp_path: Path) -> None:
    idle = facts_builder.demand().model_copy(update={"peak": None, "intervals": ()})
    assert error_of(mix_of, idle).id == "demand-empty"
    assert mix_of(facts_builder.demand()).classes


def asked(**words: Any) -> AssessRequest:
    return AssessRequest("sim:", watched_s=1.0, **words)


def test_exactly_one_source_is_wanted(ctx: Context) -> None:
    assert error_of(demands_for, ctx, asked()).id == "demand-source"
    assert error_of(demands_for, ctx, asked(demand=("latest",), database="embedded")).id == "demand-source"
    assert error_of(learn_demand, ctx, None, 1.0).id == "database-missing"
    assert AssessRequest.of_words({"target": "sim:", "demand": None, "database": "embedded"}).demand == ()


@pytest.mark.parametrize("factor", [float("inf"), float("nan")])
def test_a_burst_factor_is_a_number(factor: float) -> None:
    with pytest.raises(UsageError, match="is not a number"):
        asked(demand="latest", burst_factor=factor)


def test_a_burst_factor_goes_with_the_demand(ctx: Context, tmp_path: Path) -> None:
    write_demand(facts_builder.demand(), tmp_path / "shop.json")
    assert (
        demands_for(ctx, asked(demand=(str(tmp_path / "shop.json"),), burst_factor=3.0))[0].burst_factor
        == 3.0
    )
    assert json.loads((tmp_path / "shop.json").read_text())["burst_factor"] is None


def document() -> dict[str, Any]:
    """A demand as its file has it."""
    return facts_builder.demand().model_dump(mode="json")


@pytest.mark.parametrize(
    "figure", ["-1", "1e-320", "1e400", "1e308", "1e13", '"-1"', '"inf"', '"1e400"', "9" * 400]
)
@pytest.mark.parametrize("name", ["ops_per_s", "iops"])
def test_a_figure_that_cannot_be_is_refused_with_its_place(
    ctx: Context, tmp_path: Path, name: str, figure: str
) -> None:
    made = document()
    holder = made["peak"] if name == "iops" else next(iter(made["peak"]["classes"].values()))
    holder[name] = "FIGURE"
    place = tmp_path / "demand.json"
    place.write_text(json.dumps(made).replace('"FIGURE"', figure))
    error = error_of(load_demand, ctx, str(place))
    assert (error.id, error.status) == ("demand-unreadable", ExitStatus.USAGE)
    assert "at peak." in error.message
    assert name in error.message
    assert len(error.message) < len(str(place)) + 200


@pytest.mark.parametrize(
    ("key", "value"), [("block_bytes", 0), ("block_bytes", -8192), ("settings", {"wal_block_size": "x"})]
)
def test_a_block_that_cannot_be_is_refused(key: str, value: Any) -> None:
    made = document()
    made["database"][key] = value
    assert "at database." in error_of(parse_demand, json.dumps(made).encode(), "x").message


def test_bytes_without_requests_are_no_defect() -> None:
    made = document()
    for one in made["peak"]["classes"].values():
        one.update(ops_per_s=0, syncs_per_s=None, bytes_per_s=1e6)
    made["intervals"] = [made["peak"]]
    demand = parse_demand(json.dumps(made).encode(), "x")
    assert {note.code for note in workload_of(demand).notes} >= {"class-unknown"}


@pytest.mark.parametrize("changed", ["an interval", "the peak"])
def test_a_peak_that_no_interval_has_is_refused(changed: str) -> None:
    """The verdict rests on it, and whoever looks at the intervals would find another one."""
    made = document()
    if changed == "the peak":
        made["peak"]["iops"] = 1.0
    else:
        made["intervals"] = [one for one in made["intervals"] if one != made["peak"]]
    with pytest.raises(UsageError, match="its peak is none of its intervals") as caught:
        parse_demand(json.dumps(made).encode(), "x")
    assert caught.value.id == "demand-unreadable"


_MANY = {
    "lists": lambda: b"[" + b"[]," * 2_000_000 + b"[]]",
    "intervals": lambda: b'{"intervals":[' + b"{}," * 900_000 + b"{}]}",
    "members": lambda: b"{" + b",".join(b'"%d":1' % number for number in range(900_000)) + b"}",
    "notes": lambda: (
        json.dumps(document() | {"notes": []}).replace('"notes": []', '"notes": [' + "{}," * 900_000 + "{}]")
    ).encode(),
}


@pytest.mark.parametrize("kind", _MANY)
def test_a_file_of_many_values_takes_little_memory(tmp_path: Path, kind: str) -> None:
    """What a document of 180 MB took was 6 GB, or the process."""
    place = tmp_path / "many.json"
    place.write_bytes(_MANY[kind]())
    code = (
        "import re, resource, sys\n"
        "from pathlib import Path\n"
        "from plimsoll.flows.demand import parse_demand\n"
        "content = Path(sys.argv[1]).read_bytes()\n"
        "resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))\n"
        "try:\n parse_demand(content, 'it')\n"
        "except Exception as error:\n print(getattr(error, 'id', error))\n"
        "held_kb = int(re.search(r'VmHWM:\\s+(\\d+)', Path('/proc/self/status').read_text())[1])\n"
        "assert held_kb < 1 << 20\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(place)], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr[-500:]
    assert done.stdout == "demand-unreadable\n"


def test_a_file_of_a_day_is_read(ctx: Context) -> None:
    made = document()
    made["intervals"] = [made["peak"]] * 8640
    assert len(parse_demand(json.dumps(made, indent=1).encode(), "x").intervals) == 8640
