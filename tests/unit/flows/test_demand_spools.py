"""From a spool of the collector to demand, and to the tables of `plimsoll read`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from collector_spools import MadeInstance, MadeSnapshot, counted, spool, two
from plimsoll.base.errors import ExitStatus
from plimsoll.context import Context
from plimsoll.facts import ReportedInterval
from plimsoll.flows.demand import load_demand
from plimsoll.flows.demand_reports import demand_of_reports
from plimsoll.flows.read import read_reports
from plimsoll.requests.read import ReadRequest
from simulated import context

TIMES = tuple(f"2024-05-01T10:{minute:02}:00+02:00" for minute in range(0, 60, 5))


@pytest.fixture
def ctx(tmp_path: Path) -> Iterator[Context]:
    with context(tmp_path / "journals") as made:
        yield made


def written(folder: Path, text: str, name: str = "plimsoll_collect.lst") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def cluster(*scales: float, started: str = "2024-01-01T08:00:00") -> str:
    """Two instances; the second was started at that time, where it is after the first moment."""
    seconds = [MadeInstance(counted(scale), number=2, started=started) for scale in scales]
    seconds[0] = MadeInstance(counted(scales[0]), number=2)
    both = [[MadeInstance(counted(scale)), second] for scale, second in zip(scales, seconds, strict=True)]
    return spool(*(MadeSnapshot(made, taken=TIMES[at]) for at, made in enumerate(both)))


def only(ctx: Context, path: Path) -> ReportedInterval:
    found = demand_of_reports(ctx, [path])
    (one,) = found.demand.intervals
    return one


def test_the_demand_is_that_of_the_time_between(ctx: Context, tmp_path: Path) -> None:
    path = written(tmp_path, two())
    found = demand_of_reports(ctx, [path])
    (one,) = found.demand.intervals
    assert found.status is ExitStatus.DONE
    assert (one.kind, one.scope, one.db_name, one.duration_s) == (
        "oracle-collector",
        "database",
        "SHOP",
        300.0,
    )
    assert one.commits_per_s == pytest.approx(500 / 300)
    reads = (one.classes["small_read"].ops_per_s or 0.0) + (one.classes["large_read"].ops_per_s or 0.0)
    assert reads == pytest.approx(100.0)
    assert one.classes["redo_write"].ops_per_s == pytest.approx(10.0)
    assert one.classes["redo_write"].latency_us_mean == pytest.approx(400.0)
    assert one.classes["small_read"].latency_us_mean == pytest.approx(600.0)
    assert one.doubts == ()


def test_each_figure_names_its_line_of_the_spool(ctx: Context, tmp_path: Path) -> None:
    path = written(tmp_path, two())
    lines = path.read_text().split("\n")
    origins = [origin for found in only(ctx, path).classes.values() for origin in found.origins]
    cells = [cell for origin in origins for cell in origin.cells]
    assert len(cells) > 10
    for cell in cells:
        assert cell.line is not None
        assert f"|{cell.row}|" in lines[cell.line - 1]


def test_a_restart_is_a_gap(ctx: Context, tmp_path: Path) -> None:
    found = demand_of_reports(ctx, [written(tmp_path, cluster(10.0, 11.0, started="2024-05-01T10:02:00"))])
    (one,) = found.demand.intervals
    assert one.gap is not None
    assert "started at 2024-05-01T10:02:00" in one.gap
    assert one.iops is None
    assert found.demand.peak is None
    assert found.status is ExitStatus.DONE_IN_PART


def test_clocks_that_are_set_back_make_no_gap(ctx: Context, tmp_path: Path) -> None:
    text = two().replace("2024-05-01T10:00:00+02:00", "2024-10-27T02:55:00+02:00")
    one = only(ctx, written(tmp_path, text.replace("2024-05-01T10:05:00+02:00", "2024-10-27T02:05:00+01:00")))
    assert (one.gap, one.duration_s) == (None, 600.0)
    assert one.classes["redo_write"].ops_per_s == pytest.approx(5.0)


def test_a_cluster_is_one_demand(ctx: Context, tmp_path: Path) -> None:
    one = only(ctx, written(tmp_path, cluster(10.0, 11.0)))
    assert (one.scope, one.instance) == ("cluster", None)
    assert one.classes["redo_write"].ops_per_s == pytest.approx(20.0)
    assert load_demand(ctx, str(tmp_path / "plimsoll_collect.lst")).database.kind == "oracle"


def test_a_pluggable_database_is_told_as_one(ctx: Context, tmp_path: Path) -> None:
    one = only(ctx, written(tmp_path, two(cdb=True, here="SALES", containers={"3": "SALES"})))
    assert (one.scope, one.container) == ("container", "SALES")
    whole = only(ctx, written(tmp_path, two(cdb=True, containers={"1": "CDB$ROOT"}), "root.lst"))
    assert (whole.scope, whole.container) == ("database", "CDB$ROOT")


def test_a_lost_table_makes_figures_unknown_or_comes_from_another(ctx: Context, tmp_path: Path) -> None:
    text = two()
    without = "\n".join(one for one in text.split("\n") if not one.startswith((":S|", ":U|", ":F|")))
    one = only(ctx, written(tmp_path, without))
    assert one.classes["small_write"].bytes_per_s is None
    assert one.classes["redo_write"].ops_per_s is None
    assert all(found.unknown for found in one.classes.values())


def test_a_cut_spool_is_no_whole_demand(ctx: Context, tmp_path: Path) -> None:
    text = two()
    found = demand_of_reports(ctx, [written(tmp_path, text[: text.rindex(":G|")])])
    (one,) = found.demand.intervals
    assert "report-cut" in {flag.code for flag in one.flags}
    assert found.status is ExitStatus.DONE_IN_PART


def test_one_moment_alone_is_told(ctx: Context, tmp_path: Path) -> None:
    found = demand_of_reports(ctx, [written(tmp_path, spool(MadeSnapshot([MadeInstance(counted())])))])
    (one,) = found.demand.intervals
    assert "an interval needs two" in (one.gap or "")
    assert found.status is ExitStatus.DONE_IN_PART


def test_the_same_moments_sent_again_count_once(ctx: Context, tmp_path: Path) -> None:
    three = [
        MadeSnapshot([MadeInstance(counted(scale))], taken=TIMES[int(scale)]) for scale in (1.0, 2.0, 3.0)
    ]
    paths = [
        written(tmp_path, spool(*three[:2]), "first.lst"),
        written(tmp_path, spool(*three), "second.lst"),
    ]
    found = demand_of_reports(ctx, paths)
    assert len(found.demand.intervals) == 2
    assert [note.code for note in found.notes] == ["report-twice"]


def test_read_says_what_is_in_it(ctx: Context, tmp_path: Path) -> None:
    request = ReadRequest(
        paths=(str(written(tmp_path, two())),), sections=("instance_activity", "wait_histogram")
    )
    outcome = read_reports(ctx, request)
    (report,) = outcome.reports
    assert (report.kind, report.status, report.db_name, report.host) == (
        "oracle-collector",
        "ok",
        "SHOP",
        "db1",
    )
    assert outcome.status is ExitStatus.DONE
    assert all(outcome.rows.values())


def test_read_names_the_line_of_damage(ctx: Context, tmp_path: Path) -> None:
    text = two().replace("redo writes|33000|.", "redo writes|33O00|.", 1)
    at = text[: text.index("33O00")].count("\n") + 1
    outcome = read_reports(ctx, ReadRequest(paths=(str(written(tmp_path, text)),)))
    (report,) = outcome.reports
    assert report.status == "partial"
    assert (report.problems[0].code, report.problems[0].line) == ("collector-line-damaged", at)
    assert outcome.status is ExitStatus.DONE_IN_PART
