"""Logs of HdrHistogram: what is written is read again, and what is broken is named with its line."""

from __future__ import annotations

import base64
import struct
import zlib
from datetime import UTC, datetime
from pathlib import Path

import pytest

import facts_runs
from plimsoll.base.errors import UsageError
from plimsoll.dialects import foreign, hlog
from plimsoll.facts import OperationLog, OperationResult, Run
from plimsoll.native.latency import latency_of_counts
from plimsoll.store.export import export_run

OWN = "0.127,1.007,2.769,HISTFAAAAEV42pNpmSzMwMCgyAABTBDKT4GBgdnNYMcCBvsPEBEJISEuATEZMQ4uASkhIR4nrxg9v2lMaxhvMekILGZkKmcCAEf2CsI="


def run_of(counts: list[tuple[float, int]]) -> Run:
    latency_us = latency_of_counts(counts)
    done = OperationResult(
        name="new order", operations=latency_us.count, operations_per_s=latency_us.count / 20, latency_us=latency_us
    )  # fmt: skip
    log = OperationLog(tool="test", duration_s=20.0, operations=(done,))
    return facts_runs.io_run().model_copy(update={"cell": None, "operation_log": log})


def broken_line(histogram: bytes | str, tmp_path: Path) -> str:
    text = histogram if isinstance(histogram, str) else base64.b64encode(histogram).decode()
    path = tmp_path / "broken.hlog"
    path.write_text(f"#[Histogram log format version 1.3]\n{OWN}\n5.0,1.0,1.0,{text}\n")
    found = foreign.read(path)
    assert found.operation_log is not None
    assert [one.operations for one in found.operation_log.operations] == [MEANT]
    assert found.operation_log.lines_failed == 1
    (failure,) = found.failures
    assert f"{path}, line 3: " in failure.message
    return failure.message


def packed(inner: bytes, cookie: int = hlog.COMPRESSED_V2) -> bytes:
    return struct.pack(">II", cookie, len(inner)) + inner


def counted(tmp_path: Path) -> int:
    path = tmp_path / "own.hlog"
    path.write_text(f"#[Histogram log format version 1.3]\n{OWN}\n")
    found = foreign.read(path).operation_log
    assert found is not None
    return found.operations[0].operations


MEANT = 0


@pytest.fixture(autouse=True)
def _meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.MEANT", 0, raising=False)


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
