"""`shapes` from end to end: on a simulated device, in a folder, on a file that may only be read, and when it is interrupted."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from plimsoll.base.errors import SafetyError, UsageError
from plimsoll.facts import Event, Interference, Plan, Run, Stretch
from plimsoll.flows.shapes import measure_shapes
from plimsoll.requests.shapes import ShapesRequest
from plimsoll.supply import engine
from simulated import context

QUICK = {"runtime_s": 0.05, "warm_up_s": 0.0, "bytes_wanted": 64 << 20}


def run_with(journals: Path, asked: ShapesRequest) -> tuple[Run, Interference]:
    with context(journals) as ctx:
        run = measure_shapes(ctx, asked)
        assert run.interference is not None
        assert ctx.store.load(run.id) == run
        return run, run.interference


def test_all_shapes_meet_on_a_simulated_device(tmp_path: Path) -> None:
    run, found = run_with(tmp_path, ShapesRequest("sim:servers=8", runtime_s=0.2))
    assert run.kind == "shapes"
    assert not run.interrupted
    count = len(found.shapes)
    assert count == 6
    assert len(found.encounters) == count + count + count * (count - 1) + count
    assert found.strongest
    assert len(found.answers) == 2
    assert run.target is not None
    assert run.target.span_bytes == 1 << 40, "the target is described whole, not as the region of the data"


def test_data_and_log_are_regions_of_one_target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Sequence[Stretch]] = []

    def measure(plan: Plan, *rest: Any) -> Any:
        seen.append(plan.targets)
        return engine.measure(plan, *rest)

    monkeypatch.setattr("plimsoll.flows.shapes.measure", measure)
    run_with(tmp_path, ShapesRequest("sim:", only=("log-writer", "scans"), runtime_s=0.05))
    data, log = seen[0]
    assert data.offset_bytes + data.span_bytes == log.offset_bytes
    assert log.offset_bytes + log.span_bytes == 1 << 40
    assert log.span_bytes == 1 << 37
    run_with(tmp_path, ShapesRequest("sim:", only=("scans",), runtime_s=0.05))
    assert len(seen[-1]) == 1
    assert seen[-1][0].span_bytes == 1 << 40


def test_a_folder_gets_a_log_of_its_own_and_is_empty_after(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    asked = ShapesRequest(str(folder), only=("log-writer", "oltp-readers"), engine="psync", **QUICK)
    run, found = run_with(tmp_path / "journal", asked)
    assert [target.kind for target in run.targets] == ["scratch", "scratch"]
    assert run.targets[0].path != run.targets[1].path
    assert [one.cell.ios > 0 for one in found.encounters[:2]] == [True, True]
    assert list(folder.iterdir()) == []


def test_on_a_file_that_may_only_be_read_writing_shapes_are_left_out(tmp_path: Path) -> None:
    file = tmp_path / "somebodys.dat"
    file.write_bytes(os.urandom(64 << 20))
    run, found = run_with(tmp_path, ShapesRequest(str(file), engine="psync", **QUICK))
    assert found.shapes == ("async_readers", "oltp_readers", "scans")
    notes = {note.code: note.message for note in run.notes}
    assert notes["shapes-left-out"].startswith("left out, because they write: checkpoint, log writer, temp; ")
    assert str(file) in notes["shapes-left-out"]
    with pytest.raises(SafetyError):
        run_with(tmp_path, ShapesRequest(str(file), only=("checkpoint", "scans"), engine="psync", **QUICK))


def test_with_a_log_elsewhere_the_log_writer_works_beside_a_file_that_may_only_be_read(
    tmp_path: Path,
) -> None:
    file, folder = tmp_path / "somebodys.dat", tmp_path / "log"
    file.write_bytes(os.urandom(64 << 20))
    folder.mkdir()
    before = file.read_bytes()
    asked = ShapesRequest(
        str(file), log=str(folder), only=("log-writer", "oltp-readers"), engine="psync", **QUICK
    )
    run, found = run_with(tmp_path / "journal", asked)
    assert found.shapes == ("log_writer", "oltp_readers")
    assert [target.kind for target in run.targets] == ["file", "scratch"]
    assert file.read_bytes() == before


def test_interrupted_it_keeps_what_was_measured(tmp_path: Path) -> None:
    told = 0

    def stop(event: Event) -> None:
        nonlocal told
        told += event.kind == "remark"
        if told == 5:
            ctx.cancel.set()

    with context(tmp_path, stop) as ctx:
        run = measure_shapes(ctx, ShapesRequest("sim:", runtime_s=0.05))
    assert run.interrupted
    assert run.interference is not None
    assert len(run.interference.encounters) == 5
    assert run.interference.effects == ()


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (ShapesRequest("sim:", only=("frog",)), "no shape is called 'frog'"),
        (
            ShapesRequest("sim:", rates_per_s={"frog": 1.0}),
            "a rate was given for 'frog', which is not measured",
        ),
        (
            ShapesRequest("sim:", only=("scans",), rates_per_s={"temp": 1.0}),
            "a rate was given for 'temp', which is not measured",
        ),
    ],
)
def test_names_that_do_not_exist(asked: ShapesRequest, message: str, tmp_path: Path) -> None:
    with context(tmp_path) as ctx, pytest.raises(UsageError, match=message):
        measure_shapes(ctx, asked)


def test_a_check_that_failed_somewhere_is_a_note(tmp_path: Path) -> None:
    """Half of the I/Os fail on this device, and each measurement says so."""
    run, found = run_with(
        tmp_path, ShapesRequest("sim:error=0.5", only=("scans", "oltp-readers"), runtime_s=0.1)
    )
    notes = {note.code: note.message for note in run.notes}
    assert notes["check-errors"].startswith("check failed in 6 of 6: errors: ")
    assert all(any(check.name == "errors" for check in one.cell.checks) for one in found.encounters)
