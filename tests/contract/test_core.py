"""What the Python side relies on in plimsoll._core: the contract of runs, results, errors and distributions."""

from __future__ import annotations

import json
import os
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from plimsoll import _core
from plimsoll.native.outcome import Outcome

# fmt: off
COLUMNS = [
    "scope", "window_index", "start_s", "duration_s", "class", "op", "block_bytes", "ios", "completed_ios",
    "bytes", "errors", "short_ios", "unissued_ios", "latency_hdr", "service_hdr", "distinct_blocks",
    "space_blocks", "first_s", "last_s", "lateness_us_max",
]
# fmt: on


@dataclass(frozen=True)
class Permit:
    """As host/safety.py grants it, with nothing but what the engine reads."""

    path: str
    device: int
    inode: int
    number: int


def permit(path: Path) -> Permit:
    facts = path.stat()
    return Permit(str(path), facts.st_dev, facts.st_ino, facts.st_rdev)


def spec(**changes: Any) -> str:
    """A thousand reads of the simulated device, in virtual time."""
    group: dict[str, Any] = {
        "name": "reads",
        "engine": "sim",
        "depth": 4,
        "classes": [{"name": "read", "op": "read", "pattern": "random", "block_bytes": 8192}],
    }
    for member in ("engine", "jobs", "depth", "classes", "arrivals"):
        if member in changes:
            group[member] = changes.pop(member)
    return json.dumps(
        {
            "targets": [{"path": "sim:", "span_bytes": 1 << 30}],
            "groups": [group],
            "ios_max": 1000,
            "simulation": {"law": "exponential", "mean_us": 100.0},
            **changes,
        }
    )


def finished(**changes: Any) -> _core.Batch:
    return _core.start(spec(**changes)).collect()


def refused(**changes: Any) -> _core.CoreError:
    with pytest.raises(_core.CoreError) as caught:
        finished(**changes)
    return caught.value


def test_registries_describe_themselves() -> None:
    engines = {engine["name"]: engine for engine in _core.engines()}
    assert {"null", "sim", "psync", "io_uring"} <= set(engines)
    assert not engines["sim"]["real"]
    assert engines["psync"]["real"]
    asked = ("real", "local", "virtual_time", "blocking", "kernel_workers")
    known = {
        "null": [False, True, False, False, False],
        "sim": [False, True, True, False, False],
        "psync": [True, True, False, True, False],
        "libaio": [True, True, False, False, False],
        "io_uring": [True, True, False, False, True],
        "nfs": [True, False, False, False, False],
        "libnfs": [True, False, False, False, False],
    }
    assert {name: [engines[name][ability] for ability in asked] for name in known} == known
    assert engines["psync"]["available"]
    assert all(engine["available"] == (engine["reason"] is None) for engine in engines.values())
    assert {"random", "sequential"} <= {pattern["name"] for pattern in _core.patterns()}


def test_a_run_is_started_polled_waited_for_and_collected() -> None:
    handle = _core.start(spec(ios_max=None, runtime_s=2.0, warm_up_s=0.5, window_s=1.0))
    assert handle.wait(60)
    progress = handle.poll()
    assert progress.finished
    assert not progress.warming
    assert progress.elapsed_s == progress.expected_s == 2.5
    assert progress.bytes == progress.ios * 8192 > 0
    assert progress.iops_now is not None
    assert progress.latency_us_p50_now is not None
    assert progress.latency_us_p99_now is not None
    assert progress.latency_us_p50_now < progress.latency_us_p99_now
    batch = handle.collect()
    assert [row["scope"] for row in batch.rows()] == ["run", "window", "window"]
    with pytest.raises(_core.CoreError, match="collected before"):
        handle.collect()


def test_rows_and_the_outcome_have_the_agreed_names() -> None:
    batch = finished()
    assert list(batch.rows()[0]) == COLUMNS
    outcome = Outcome.model_validate_json(batch.outcome)
    assert set(json.loads(batch.outcome)) == set(Outcome.model_fields)
    assert batch.num_rows == len(batch.rows())
    assert (outcome.ended, outcome.notes, outcome.host) == ("ios_max", (), None)
    row = batch.rows()[0]
    assert (row["ios"], row["lateness_us_max"], row["window_index"]) == (1000, None, None)


def test_any_arrow_library_reads_the_same_rows() -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="the extra [tables] is not installed")
    batch = finished(arrivals={"kind": "poisson", "rate_per_s": 5000.0}, window_s=0.05)
    table = pyarrow.record_batch(batch)
    assert table.to_pylist() == batch.rows()
    assert table.schema.metadata == {b"outcome": batch.outcome.encode()}
    assert pyarrow.schema(batch).names == COLUMNS


def test_other_threads_run_while_one_waits() -> None:
    handle = _core.start(
        spec(
            engine="null",
            simulation=None,
            ios_max=None,
            runtime_s=3600.0,
            arrivals={"kind": "uniform", "rate_per_s": 1.0},
        )
    )
    waiting = threading.Thread(target=handle.wait, args=(3600.0,))
    waiting.start()
    # Only reached in time because the waiting thread does not hold Python's lock.
    assert not handle.poll().finished
    handle.stop()
    waiting.join(60)
    assert not waiting.is_alive()
    assert json.loads(handle.collect().outcome)["ended"] == "stopped"


def test_an_error_has_an_id_one_line_and_a_way_on() -> None:
    error = refused(depth=0)
    assert (error.id, error.errno) == ("spec-invalid", None)
    assert (
        error.message
        == str(error)
        == "run specification is invalid: depth on engine sim is 0, outside 1 to 65536"
    )
    missing = refused(
        engine="psync", simulation=None, targets=[{"path": "/nowhere/at/all", "span_bytes": 8192}]
    )
    assert (missing.id, missing.errno) == ("target-open", 2)
    assert missing.message == "could not open /nowhere/at/all: no such file or directory"
    assert missing.hint is not None


def test_writing_needs_the_permit_for_this_very_file(tmp_path: Path) -> None:
    target, other = tmp_path / "target", tmp_path / "other"
    target.write_bytes(bytes(1 << 16))
    other.write_bytes(b"other")
    write = {"name": "write", "op": "write", "pattern": "sequential", "block_bytes": 4096}
    changes: dict[str, Any] = {
        "engine": "psync",
        "simulation": None,
        "direct": False,
        "targets": [{"path": str(target), "span_bytes": 1 << 16}],
        "classes": [write],
        "ios_max": 16,
    }
    for wrong in ((), (permit(other),)):
        with pytest.raises(_core.CoreError) as caught:
            _core.start(spec(**changes), wrong)
        assert caught.value.id == "write-not-permitted"
    assert target.read_bytes() == bytes(1 << 16)
    assert _core.start(spec(**changes), (permit(target),)).collect().rows()[0]["ios"] == 16
    assert bytes(64) not in target.read_bytes()


def test_a_fill_grows_the_file_and_inspection_finds_it_full(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.touch()
    wanted = {
        "path": str(target),
        "offset_bytes": 0,
        "span_bytes": 1 << 20,
        "block_bytes": 1 << 18,
        "direct": False,
    }
    handle = _core.start_fill(json.dumps({**wanted, "seed": 1}), permit(target))
    assert handle.wait(60)
    assert handle.poll().bytes == 1 << 20
    assert handle.collect().rows()[0]["bytes"] == 1 << 20
    found = _core.inspect_file(str(target), 32)
    assert (found["size_bytes"], found["samples"]) == (1 << 20, 32)
    assert (found["zero_samples"], found["duplicate_samples"]) == (0, 0)
    assert found["hole_bytes"] in (0, None)


def test_a_sparse_file_is_found_empty(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.touch()
    os.truncate(target, 1 << 20)
    found = _core.inspect_file(str(target), 16)
    assert found["zero_samples"] == 16
    assert found["hole_bytes"] == 1 << 20


def test_what_works_for_a_file_is_told_with_the_reason_for_what_does_not(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"plimsoll" * 1024)
    found: dict[str, Any] = {**_core.probe(str(path), False)}
    assert found["polling_error"] == "polling needs direct i/o"
    for name in ("io_uring", "polling", "nowait"):
        assert (found[f"{name}_error"] is None) == found[name], name
    assert found["io_uring"] == next(e["available"] for e in _core.engines() if e["name"] == "io_uring")
    with pytest.raises(_core.CoreError) as refused:
        _core.probe(str(tmp_path), False)
    assert refused.value.id == "target-open"


def test_patterns_say_which_skew_is_usual() -> None:
    usual = {pattern["name"]: pattern["usual_skew"] for pattern in _core.patterns()}
    assert {name for name, skew in usual.items() if skew is not None} == {"zipf", "pareto"}


def test_distributions_answer_in_microseconds() -> None:
    rows = finished(simulation={"law": "constant", "mean_us": 100.0}, depth=1).rows()
    latency = rows[0]["latency_hdr"]
    summary = _core.hdr_summary(latency)
    assert summary["count"] == 1000
    assert summary["mean_us"] == pytest.approx(100.0, rel=1e-3)
    assert _core.hdr_quantiles(latency, [0.0, 0.5, 1.0]) == pytest.approx([100.0] * 3, rel=1e-3)
    assert _core.hdr_share_above(latency, 50.0) == 1.0
    assert _core.hdr_share_above(latency, 200.0) == 0.0
    ((low, high, count),) = _core.hdr_buckets(latency, 10)
    assert low <= 100.1
    assert high >= 99.9
    assert count == 1000
    assert _core.hdr_summary(_core.hdr_merge([latency, latency]))["count"] == 2000


def test_a_distribution_is_made_of_counts() -> None:
    made = _core.hdr_of_counts([(100.0, 3), (2_000.0, 1), (0.0, 1), (1e15, 1)])
    assert _core.hdr_summary(made)["count"] == 6
    assert _core.hdr_quantiles(made, [0.5]) == [pytest.approx(100.0, rel=0.001)]
    assert _core.hdr_summary(_core.hdr_merge([made, made]))["count"] == 12


def test_an_empty_distribution_is_unknown_not_zero() -> None:
    empty = _core.hdr_merge([])
    assert _core.hdr_summary(empty) == {
        "count": 0,
        "min_us": None,
        "max_us": None,
        "mean_us": None,
        "stddev_us": None,
    }
    with pytest.raises(_core.CoreError) as caught:
        _core.hdr_quantiles(empty, [0.5])
    assert caught.value.id == "histogram-empty"
    with pytest.raises(_core.CoreError) as caught:
        _core.hdr_summary(b"no histogram")
    assert caught.value.id == "histogram-invalid"
