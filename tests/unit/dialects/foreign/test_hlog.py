"""Logs of HdrHistogram: what is written is read again, and what is broken is named with its line."""

from __future__ import annotations

import base64
import struct
import zlib
from datetime import UTC, datetime
from pathlib import Path

import pytest

import facts_runs
from plimsoll.base.errors import UnreadableError, UsageError
from plimsoll.dialects import foreign, hlog
from plimsoll.facts import OperationLog, OperationResult, Run
from plimsoll.native.latency import latency_of_counts
from plimsoll.store.export import export_run

MARK = "#[Histogram log format version 1.3]"
HDR = latency_of_counts([(100.0, 3), (250.0, 1)]).hdr or b""


def packed(inner: bytes, cookie: int = hlog.COMPRESSED_V2) -> str:
    return base64.b64encode(struct.pack(">II", cookie, len(inner)) + inner).decode()


GOOD = f"5.000,1.000,0.250,{packed(zlib.compress(HDR))}"


def run_of(counts: list[tuple[float, int]]) -> Run:
    latency_us = latency_of_counts(counts)
    done = OperationResult(
        name="new order", operations=latency_us.count, operations_per_s=latency_us.count / 20, latency_us=latency_us
    )  # fmt: skip
    log = OperationLog(tool="test", duration_s=20.0, operations=(done,))
    return facts_runs.io_run().model_copy(update={"cell": None, "operation_log": log})


def read_text(folder: Path, *lines: str) -> foreign.Imported:
    path = folder / "log.hlog"
    path.write_text("\n".join([*lines, ""]))
    return foreign.read(path)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    run = run_of([(100.0, 5_000), (250.0, 400), (9_000.0, 7)])
    assert run.operation_log is not None
    (path,) = export_run(run, "hlog", tmp_path)
    found = foreign.read(path)
    assert found.operation_log is not None
    assert (found.failures, found.started_at) == ((), run.started_at)
    (one,), (meant,) = found.operation_log.operations, run.operation_log.operations
    assert (one.name, one.operations, one.operations_per_s) == ("new-order", 5_407, meant.operations_per_s)
    assert one.latency_us == meant.latency_us


def test_every_measured_point_is_written_with_its_classes(tmp_path: Path) -> None:
    """Of a search each trial, in the order of time."""
    latency_us = latency_of_counts([(100.0, 8)])
    run = facts_runs.line_run()
    assert run.line is not None
    trials = tuple(
        trial.model_copy(update={"cell": trial.cell.model_copy(update={"latency_us": latency_us})})
        for trial in run.line.trials
    )
    measured = run.model_copy(update={"line": run.line.model_copy(update={"trials": trials})})
    (path,) = export_run(measured, "hlog", tmp_path)
    (one,) = [of for of in foreign.read(path).operation_log.operations if of.name == "all"]  # type: ignore[union-attr]
    assert one.operations == 8 * len(trials)


def test_tags_are_operations_and_intervals_one_distribution(tmp_path: Path) -> None:
    start = "#[StartTime: 1700000000.250 (seconds since epoch), some day]"
    later = GOOD.replace("5.000", "6.000")
    found = read_text(tmp_path, MARK, start, "# talk", GOOD, later, f"Tag=A,{later}")
    assert found.operation_log is not None
    said = {one.name: (one.operations, one.operations_per_s) for one in found.operation_log.operations}
    assert said == {"all": (8, 4.0), "A": (4, 2.0)}
    assert found.started_at == datetime.fromtimestamp(1_700_000_005.25, UTC)
    # Seconds since 1970 in the lines themselves are not added to the log's beginning.
    assert read_text(tmp_path, start, MARK, f"1700000300{GOOD[1:]}").started_at == datetime.fromtimestamp(
        1_700_000_300, UTC
    )
    assert read_text(tmp_path, MARK, GOOD).started_at is None


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (f"5.0,1.0,1.0,{packed(zlib.compress(HDR))[:-9]}", "no base64|cut off|no zlib"),
        ("5.0,1.0,1.0,@@@@", "no base64"),
        (f"5.0,1.0,1.0,{packed(b'no zlib')}", "no zlib"),
        (f"5.0,1.0,1.0,{packed(zlib.compress(HDR)[:-6])}", "cut off"),
        (f"5.0,1.0,1.0,{packed(zlib.compress(HDR), 0x1C849302)}", "compressed V2"),
        (f"5.0,1.0,1.0,{packed(zlib.compress(b'something else'))}", "cannot be read"),
        (f"5.0,1.0,1.0,{packed(zlib.compress(bytes(hlog.HISTOGRAM_BYTES_MAX + 1)))}", "is longer than"),
        ("5.0,1.0", "2 fields"),
        (f"nan{GOOD[1:]}", "no number of seconds"),
    ],
)
def test_a_broken_line_is_named_and_the_rest_goes_on(tmp_path: Path, line: str, reason: str) -> None:
    found = read_text(tmp_path, MARK, GOOD, line)
    assert found.operation_log is not None
    assert (found.operation_log.operations[0].operations, found.operation_log.lines_failed) == (4, 1)
    (failure,) = found.failures
    assert (failure.id, "line 3: " in failure.message) == ("import-line-broken", True)
    with pytest.raises(UnreadableError, match=reason):
        read_text(tmp_path, MARK, line)


def test_a_log_without_intervals_or_time_is_no_result(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match="no interval stands in it") as refused:
        read_text(tmp_path, MARK)
    assert refused.value.id == "import-broken"
    with pytest.raises(UnreadableError, match="have no length"):
        read_text(tmp_path, MARK, GOOD.replace(",1.000", ",0.000", 1))


def test_a_run_without_distributions_writes_none(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has no distribution") as refused:
        export_run(facts_runs.demand_run(), "hlog", tmp_path)
    assert refused.value.id == "export-empty"
    assert not list(tmp_path.iterdir())
