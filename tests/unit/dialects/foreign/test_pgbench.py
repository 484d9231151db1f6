"""Logs of pgbench: transactions and intervals, lines that are none, and several threads."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from plimsoll.base.errors import ExitStatus, UnreadableError
from plimsoll.dialects import foreign
from plimsoll.facts import OperationLog
from plimsoll.flows.imports import import_files
from simulated import context

BEGIN = 1_726_000_000


def written(path: Path, *lines: str) -> Path:
    path.write_text("\n".join([*lines, ""]))
    return path


def transactions(seconds: int, script: int = 0, us: int = 1_000) -> list[str]:
    """Two a second, each at its own microsecond, so that all of them take as long as said."""
    return [
        f"1 {2 * s + half} {us} {script} {BEGIN + s} {half * 500_000}"
        for s in range(seconds)
        for half in (0, 1)
    ]


def log_of(path: Path) -> OperationLog:
    found = foreign.read(path).operation_log
    assert found is not None
    return found


def test_each_script_is_an_operation(tmp_path: Path) -> None:
    path = written(
        tmp_path / "log",
        *transactions(10),
        *transactions(10, script=1, us=250_123),
        "3 4 failed 1 1726000003 7 2",
    )
    found = log_of(path)
    first, second = found.operations
    assert (first.name, first.operations, first.failed) == ("script 0", 20, 0)
    assert (second.name, second.operations, second.failed) == ("script 1", 20, 1)
    assert first.latency_us.p50 == pytest.approx(1_000, rel=1e-3)
    assert second.latency_us.mean == pytest.approx(250_123, rel=1e-3)
    # From the beginning of the first transaction to the end of the last.
    assert found.duration_s == pytest.approx(9.5 + 0.250123)
    assert first.operations_per_s == pytest.approx(20 / found.duration_s)
    imported = foreign.read(path)
    assert imported.started_at == datetime.fromtimestamp(BEGIN - 0.250123, UTC)
    assert sum(one.operations for one in found.slices) == 40


def test_a_rate_and_retries_add_fields(tmp_path: Path) -> None:
    lines = ["0 1 900 0 1726000000 5 120", "0 2 skipped 0 1726000001 5 120", "0 3 900 0 1726000002 5 120 1"]
    (one,) = log_of(written(tmp_path / "log", *lines)).operations
    assert (one.operations, one.skipped, one.failed) == (2, 1, 0)


def test_intervals_tell_means_and_no_percentiles(tmp_path: Path) -> None:
    rows = [f"{BEGIN + 10 * step} 100 200000 500000000 900 9000{' 0' * 9}" for step in range(3)]
    found = foreign.read(written(tmp_path / "log", *rows))
    assert found.operation_log is not None
    (one,) = found.operation_log.operations
    assert (found.operation_log.duration_s, one.operations, one.operations_per_s) == (30.0, 300, 10.0)
    latency_us = one.latency_us
    assert (latency_us.mean, latency_us.stddev, latency_us.min, latency_us.max) == (2_000, 1_000, 900, 9_000)
    assert latency_us.p99 is None
    assert [(s.start_s, s.duration_s, s.operations) for s in found.operation_log.slices] == [
        (0.0, 10.0, 100), (10.0, 10.0, 100), (20.0, 10.0, 100),
    ]  # fmt: skip
    # Without --failures-detailed their columns hold 0 whatever failed.
    assert (one.skipped, one.failed) == (0, None)
    assert [note.code for note in found.notes] == ["pgbench-aggregated", "pgbench-failures-unknown"]


@pytest.mark.parametrize(
    ("further", "done", "skipped", "failed"),
    [
        ("", 200, 0, None),
        ("9 9 0 5", 200, 0, None),
        ("9 9 0 5 30", 140, 60, None),  # before release 15 they are among the count
        ("9 9 0 5 30 0 0 0 0", 200, 60, None),
        ("9 9 0 5 30 4 7 2 1", 200, 60, 6),
        ("9 9 0 5 30 4 7 2 1 5", 200, 60, 16),
    ],
)
def test_intervals_tell_what_was_skipped_and_what_failed(
    tmp_path: Path, further: str, done: int, skipped: int, failed: int | None
) -> None:
    rows = [f"{BEGIN + step} 100 200000 500000000 900 9000 {further}".rstrip() for step in range(2)]
    (one,) = log_of(written(tmp_path / "log", *rows)).operations
    assert (one.operations, one.skipped, one.failed) == (done, skipped, failed)
    assert one.operations_per_s == done / 2


def test_intervals_of_no_release_are_broken_lines(tmp_path: Path) -> None:
    good = f"{BEGIN} 100 200000 500000000 900 9000"
    rows = [good, f"{BEGIN + 1} 100 200000 500000000 900 9000 1 2", f"{BEGIN + 2} 1 0 0 0 0 0 0 0 0 5"]
    found = foreign.read(written(tmp_path / "log", *rows))
    assert [failure.message.split(": ")[1] for failure in found.failures] == [
        "it has 8 columns, and no release of pgbench writes so many",
        "it has 5 skipped transactions, and 1 in all",
    ]


def test_broken_lines_are_named_and_the_status_remembers(tmp_path: Path) -> None:
    path = written(
        tmp_path / "log", *transactions(3), "0 9 1200", "\x1b[31mred", f"0 9 1 0 {BEGIN + 90_000_000} 1"
    )
    with context(tmp_path / "journals") as ctx:
        outcome = import_files(ctx, [path])
    assert outcome.status == ExitStatus.DONE_IN_PART
    assert [failure.error.message.split(": ")[0] for failure in outcome.failures] == [
        f"{path}, line {number}" for number in (7, 8, 9)
    ]
    ((_, run),) = outcome.taken
    assert run.operation_log is not None
    assert (run.operation_log.lines_failed, run.operation_log.operations[0].operations) == (3, 6)


def test_of_very_many_broken_lines_the_first_are_named(tmp_path: Path) -> None:
    found = foreign.read(written(tmp_path / "log", *transactions(20), *["broken"] * 500))
    assert len(found.failures) == 21
    assert "480 further lines" in found.failures[-1].message


def test_files_of_all_threads_are_one_test(tmp_path: Path) -> None:
    paths = [
        written(tmp_path / name, *transactions(2))
        for name in ("b_log.77", "b_log.77.1", "b_log.77.2", "b_log.78")
    ]
    with context(tmp_path / "journals") as ctx:
        outcome = import_files(ctx, [paths[1], paths[0], paths[3]])
    counts = [run.operation_log.operations[0].operations for _, run in outcome.taken if run.operation_log]
    assert counts == [12, 4]


def test_other_columns_of_numbers_are_no_log(tmp_path: Path) -> None:
    for text in ("1 2 3 4 5 6\n", "10, 200, 1, 4096, 0\n", "0 1 skipped 0 1726000001 5\n"):
        (tmp_path / "log").write_text(text)
        with pytest.raises(UnreadableError) as refused:
            foreign.read(tmp_path / "log")
        assert refused.value.id in ("import-unknown", "import-broken")
