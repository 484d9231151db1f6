"""`plimsoll io`: how many I/Os are in flight where nobody says, and the log writer from end to end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from plimsoll.base.errors import ExitStatus, PlimsollError, UsageError, WorldError
from plimsoll.facts import Cell, Outage
from plimsoll.flows import io
from plimsoll.flows.io import default_depth, measure_io
from plimsoll.requests.io import IoRequest
from plimsoll.results.cell import RESULT
from plimsoll.supply import engine
from plimsoll.supply.workloads import workload
from simulated import context


@pytest.mark.parametrize(
    ("rw", "engine", "open_loop", "depth"),
    [
        ("randread", "io_uring", False, 32),
        ("randread", "io_uring", True, 512),
        ("randread", "psync", True, 64),
        ("log-write", "psync", False, 1),
        ("log-write", "io_uring", True, 1),
    ],
)
def test_the_depth_suits_the_mix(rw: str, engine: str, open_loop: bool, depth: int) -> None:
    assert default_depth(workload(rw, 8192), engine, open_loop) == depth


def test_a_log_is_written_by_one_writer_that_waits(tmp_path: Path) -> None:
    """One server of 100 µs and one write in flight: 10,000 writes per second, none of which stands in a queue."""
    with context(tmp_path) as ctx:
        run = measure_io(ctx, IoRequest("sim:law=constant,mean=100us", rw="log-write", block_bytes=4096))
    assert run.cell is not None
    assert (run.cell.depth, run.cell.iops) == (1, pytest.approx(10_000, rel=0.001))
    assert run.cell.latency_us.p99 == pytest.approx(100, rel=0.002)
    assert [(io.op, io.block_bytes) for io in run.cell.classes] == [("write", 4096)]
    assert run.cell.workload.classes[0].sync


def test_a_run_that_ends_in_errors_is_the_last_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run that stands for all may be a sound one, so the failure is said for the whole."""
    count = 0

    def measure(*words: Any) -> Cell:
        nonlocal count
        count += 1
        cell = really(*words)
        return cell if count < 3 else cell.model_copy(update={"ended_early": "errors", "errors": 256})

    really = engine.measure
    monkeypatch.setattr(io, "measure", measure)
    with context(tmp_path) as ctx:
        run = measure_io(ctx, IoRequest("sim:mean=100us", repeats=5, runtime_s=0.5))
    assert len(run.cells) == 3
    (note,) = [note for note in run.notes if note.code == "storage-failed"]
    assert note.message == "the storage failed in run 3 of 5, which is the last one"


@pytest.mark.parametrize(
    ("error", "kept"),
    [(WorldError("all-ios-failed", "every i/o failed"), True), (UsageError("spec-invalid", "no"), False)],
)
def test_storage_that_fails_while_it_is_checked_keeps_what_was_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: PlimsollError, kept: bool
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(io, "active_checks", fail)
    with context(tmp_path) as ctx:
        asked = IoRequest("sim:mean=100us", check="cache", runtime_s=1.0)
        if not kept:
            with pytest.raises(UsageError):
                measure_io(ctx, asked)
            return
        run = measure_io(ctx, asked)
    assert run.cell is not None
    assert run.cell.ios > 0
    (note,) = [note for note in run.notes if note.code == "storage-failed"]
    assert note.message == "the storage failed before it could be checked (cached): every i/o failed"


def test_an_outage_in_any_run_makes_the_answer_a_no(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    measured: list[Cell] = []

    def measure(*words: Any) -> Cell:
        """The second run is by far the slowest, and so not the one that is told."""
        cell = really(*words)
        if len(measured) == 1:
            away = Outage(start_s=0.1, duration_s=0.3, share=1.0)
            cell = cell.model_copy(update={"outages": (away,), "iops": cell.iops / 4})
        measured.append(cell)
        return cell

    really = engine.measure
    monkeypatch.setattr(io, "measure", measure)
    with context(tmp_path) as ctx:
        run = measure_io(ctx, IoRequest("sim:mean=100us", repeats=3, runtime_s=0.5))
    assert run.cell is not None
    assert not run.cell.was_away
    assert RESULT.status is not None
    assert RESULT.status(run) == ExitStatus.ANSWER_IS_NO
    assert "outage" in RESULT.answer(run.cell)
