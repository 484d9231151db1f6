"""Demand of AWR-Miner's output: an interval for each row of its main metrics."""

from __future__ import annotations

import pytest

from plimsoll import _core
from plimsoll.facts import ReportedInterval
from plimsoll.reports.figures.interval import intervals_of
from tiny_reports import report

_HEADINGS = "      snap      dur_m end                  inst  read_mb_s  read_iops write_mb_s write_iops  redo_mb_s  commits_s"
_RULER = "---------- ---------- -------------- ---------- ---------- ---------- ---------- ---------- ---------- ----------"


def intervals(*rows: str) -> tuple[ReportedInterval, ...]:
    lines = ["~~BEGIN-MAIN-METRICS~~", "", _HEADINGS, _RULER, *rows, "", "~~END-MAIN-METRICS~~", ""]
    return intervals_of(report(kind="awr-miner", form="text"), _core.read_report("\n".join(lines).encode()))


def row(snap: int, end: str, instance: int = 1, reads: str = "250.0") -> str:
    return f"{snap:10} {60:10} {end:14} {instance:10} {'2.0':>10} {reads:>10} {'1.0':>10} {'100.0':>10} {'.5':>10} {'12.0':>10}"


def test_each_row_is_an_interval_of_an_instance() -> None:
    first, second = intervals(row(7, "24/05/01 11:00"), row(7, "24/05/01 11:00", instance=2, reads="50.0"))
    assert (first.begin_time, first.end_time) == ("2024-05-01T10:00:00", "2024-05-01T11:00:00")
    assert (first.instance_number, second.instance_number) == (1, 2)
    assert (first.duration_s, first.gap) == (3600.0, None)
    assert (first.iops, second.iops) == (350.0, 150.0)
    assert first.mb_per_s == pytest.approx(3 * 2**20 / 1e6)
    assert first.commits_per_s == 12.0


def test_redo_is_part_of_the_writes() -> None:
    (found,) = intervals(row(7, "24/05/01 11:00"))
    log = found.classes["redo_write"]
    assert log.bytes_per_s == 2**19
    assert log.counted_in == ("small_write",)
    assert log.unknown["ops_per_s"]


def test_figures_name_their_cells() -> None:
    (found,) = intervals(row(7, "24/05/01 11:00"))
    reads = next(one for one in found.classes["small_read"].origins if one.figure == "ops_per_s")
    assert reads.source == "AWR-Miner's main metrics"
    assert [(cell.column, cell.value) for cell in reads.cells] == [("read_iops", "250.0")]


def test_what_is_rounded_to_nothing_is_unknown() -> None:
    (found,) = intervals(row(7, "24/05/01 11:00").replace("       1.0", "         0"))
    writes = found.classes["small_write"]
    assert (writes.ops_per_s, writes.bytes_per_s) == (100.0, None)
    assert "rounds it to nothing" in writes.unknown["bytes_per_s"]


def test_a_row_without_its_time_is_none() -> None:
    (found,) = intervals(row(7, "yesterday"))
    assert found.classes == {}
    assert "not the time of any" in (found.gap or "")


@pytest.mark.parametrize(
    ("headings", "values", "expected"),
    [
        ((), (), None),
        (("aas",), (".4",), 0.4),
        (("aas", "db_time"), (".4", "44.6"), 0.446),
        (("aas",), ("0",), 0.0),
    ],
)
def test_time_in_the_database_is_taken_from_its_most_exact_print(
    headings: tuple[str, ...], values: tuple[str, ...], expected: float | None
) -> None:
    more = [f" {cell:>10}" for cell in headings], [f" {cell:>10}" for cell in values]
    lines = [
        "~~BEGIN-MAIN-METRICS~~",
        "",
        _HEADINGS + "".join(more[0]),
        _RULER + " ----------" * len(headings),
        row(7, "24/05/01 11:00") + "".join(more[1]),
        "",
        "~~END-MAIN-METRICS~~",
        "",
    ]
    content = _core.read_report("\n".join(lines).encode())
    (found,) = intervals_of(report(kind="awr-miner", form="text"), content)
    assert found.db_time_s_per_s == expected
    assert found.db_cpu_s_per_s is None
