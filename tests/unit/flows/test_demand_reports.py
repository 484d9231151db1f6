"""Demand of reports in files, folders and archives, from the command's words to the verdict."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from plimsoll.base.errors import ExitStatus, PlimsollError
from plimsoll.cli.main import run
from plimsoll.context import Context
from plimsoll.demand.points import points_of_reports
from plimsoll.demand.series import placed
from plimsoll.facts import Demand, Event, Progress
from plimsoll.flows.advise import advise_on_reports
from plimsoll.flows.demand import load_demand, mix_of, parse_demand, write_demand
from plimsoll.flows.demand_reports import (
    demand_of_reports,
    intervals_of_reports,
    keep_demand,
    read_source_in_short,
)
from plimsoll.ports.clock import VirtualClock
from plimsoll.predict.verdict import judge
from plimsoll.requests.advise import AdviseRequest
from reportgen.invent import invent
from reportgen.layout import Form, Kind, Layout
from reportgen.report import render
from simulated import context, find

STATSPACK = Layout("12.1", Kind.STATSPACK, Form.TEXT)
AWR = Layout("19", Kind.AWR, Form.HTML)
GLOBAL = Layout("19", Kind.GLOBAL, Form.HTML)


class Late(VirtualClock):
    """A minute passes each time that it is looked at."""

    def monotonic_s(self) -> float:
        self.sleep(60.0)
        return super().monotonic_s()


@pytest.fixture
def ctx(tmp_path: Path) -> Iterator[Context]:
    with context(tmp_path / "journals") as made:
        yield made


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    folder = tmp_path / "reports"
    folder.mkdir()
    (folder / "a.html").write_bytes(render(invent(1), AWR))
    (folder / "b.html.gz").write_bytes(gzip.compress(render(invent(1), AWR)))
    (folder / "c.txt").write_bytes(render(invent(2), STATSPACK))
    return folder


def test_a_folder_gives_an_interval_for_each_report(ctx: Context, reports: Path) -> None:
    found = demand_of_reports(ctx, [reports])
    assert len(found.demand.intervals) == 2, "a copy is counted once"
    assert [note.code for note in found.notes] == ["report-twice"]
    assert found.status is ExitStatus.DONE
    assert {one.kind for one in found.demand.intervals} == {"awr", "statspack"}
    for one in found.demand.intervals:
        assert one.gap is None
        assert one.iops
        assert all(found.origins or found.unknown for found in one.classes.values())


def test_intervals_in_short_give_the_points_and_notes_of_whole_ones(ctx: Context, reports: Path) -> None:
    (reports / "d.html").write_bytes(render(invent(3), GLOBAL))
    (reports / "e.html").write_bytes(render(invent(4), Layout("12.1", Kind.PDB, Form.HTML)))
    whole = demand_of_reports(ctx, [reports]).demand
    read = intervals_of_reports(ctx, [reports], read_source_in_short)
    short = placed(read.intervals)
    assert len(short.intervals) == len(whole.intervals) == 4
    assert not any(found.origins for one in short.intervals for found in one.classes.values())
    assert (*read.notes, *short.notes) == whole.notes
    # Their weights may be no number, which is like nothing, itself included.
    assert repr(points_of_reports(short)) == repr(points_of_reports(whole))


def test_a_report_that_is_cut_off_is_a_job_done_in_part(ctx: Context, tmp_path: Path) -> None:
    whole = render(invent(2), STATSPACK)
    (tmp_path / "cut.txt").write_bytes(whole[: len(whole) * 9 // 10])
    found = demand_of_reports(ctx, [tmp_path / "cut.txt"])
    assert found.status is ExitStatus.DONE_IN_PART
    assert found.demand.peak is not None
    (said,) = [note.message for note in found.demand.notes if note.code == "report-cut"]
    assert said.endswith("the report is cut off: what its missing sections told is not in this demand")
    run = keep_demand(ctx, found)
    assert run is not None
    assert "report-cut" in {note.code for note in run.notes}


def test_what_cannot_be_read_stops_nothing_and_is_named(ctx: Context, reports: Path) -> None:
    (reports / "z.txt").write_text("a letter to the editor")
    found = demand_of_reports(ctx, [reports])
    assert found.status is ExitStatus.DONE_IN_PART
    assert [one.file for one in found.unread] == [str(reports / "z.txt")]
    nothing = demand_of_reports(ctx, [reports / "z.txt"])
    assert nothing.demand.intervals == ()
    assert [note.code for note in nothing.notes] == ["nothing-read"]
    missing = demand_of_reports(ctx, [reports / "none"])
    assert missing.status is ExitStatus.USAGE


def test_all_files_are_counted_where_some_could_not_be_read(ctx: Context, reports: Path) -> None:
    """Also copies, as `advise` does."""
    (reports / "d.html").write_bytes((reports / "a.html").read_bytes())
    for name in ("y.txt", "z.txt"):
        (reports / name).write_text("a letter to the editor")
    seen: list[Event] = []
    later = replace(ctx, events=seen.append, clock=Late())
    said = [
        note.message for note in demand_of_reports(later, [reports]).notes if note.code == "report-unread"
    ]
    advised = advise_on_reports(ctx, AdviseRequest(paths=(str(reports),))).advice.notes
    assert said == [note.message for note in advised if note.code == "report-unread"]
    assert said[0].startswith("2 of 6 files could not be read")
    assert [one.message for one in seen if isinstance(one, Progress)][-1] == "6 read"


def test_of_what_was_left_it_is_not_said_that_it_holds_no_report(ctx: Context, reports: Path) -> None:
    ctx.cancel.set()
    found = demand_of_reports(ctx, [reports])
    assert found.interrupted
    assert [note.code for note in found.notes] == ["files-unreached"]


def test_the_demand_of_the_busiest_database_is_kept(ctx: Context, reports: Path) -> None:
    found = demand_of_reports(ctx, [reports])
    run = keep_demand(ctx, found)
    assert run is not None
    assert run.demand is not None
    assert run.demand.peak is not None
    assert found.demand.peak is not None
    assert run.demand.peak.iops == pytest.approx(found.demand.peak.iops)
    assert ctx.store.load(run.id) == run


def test_a_run_of_demand_lasts_as_long_as_its_reading(ctx: Context, reports: Path) -> None:
    clock = VirtualClock()
    began_at = clock.now()
    later = replace(ctx, clock=clock)
    found = demand_of_reports(later, [reports])
    clock.sleep(9.0)
    run = keep_demand(later, found)
    assert run is not None
    assert (run.started_at, run.ended_at) == (began_at, clock.now())


def test_a_report_stands_for_its_demand_wherever_one_is_asked_for(
    ctx: Context, reports: Path, tmp_path: Path
) -> None:
    demand = load_demand(ctx, str(reports / "a.html"))
    assert mix_of(demand).classes
    written = tmp_path / "written.json"
    write_demand(demand_of_reports(ctx, [reports / "a.html"]).demand, written)
    assert load_demand(ctx, str(written)).peak == demand.peak
    (reports / "c.txt").unlink()
    assert load_demand(ctx, str(reports)).peak == demand.peak


def refused(ctx: Context, place: Path) -> PlimsollError:
    with pytest.raises(PlimsollError) as caught:
        load_demand(ctx, str(place))
    assert caught.value.hint
    return caught.value


def test_a_verdict_needs_one_database(ctx: Context, reports: Path) -> None:
    assert refused(ctx, reports).id == "demand-several"
    (reports / "z.txt").write_text("a letter to the editor")
    assert refused(ctx, reports / "z.txt").id == "demand-unreadable"


def test_long_intervals_leave_the_answer_open_until_bursts_are_told(
    ctx: Context, reports: Path, tmp_path: Path
) -> None:
    demand = load_demand(ctx, str(reports / "a.html"))
    line = find(tmp_path / "other", "sim:mean=10us,servers=8", trial_s=0.1)
    open_yes = judge(demand, 100.0, line)
    assert open_yes.carries is None
    assert "--burst-factor" in open_yes.reason
    assert judge(demand.model_copy(update={"burst_factor": 2.0}), 100.0, line).carries is True


def test_the_command_prints_intervals_and_peak(
    reports: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store, out = str(tmp_path / "store.db"), tmp_path / "demand.json"
    status = run(["demand", str(reports), "--json", "--out", str(out), "--store", store])
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert (status, document["kind"]) == (0, "demand")
    data = document["data"]
    assert len(data["intervals"]) == 2
    assert data["peak"] in data["intervals"]
    cell = data["peak"]["classes"]["small_read"]["origins"][0]["cells"][0]
    assert set(cell) == {"section", "row", "column", "line", "value"}
    assert json.loads(out.read_text())["source"] == "reports"


def test_what_could_not_be_read_is_said_of_the_demand_wherever_it_goes(
    ctx: Context, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As JSON, as a file and as a stored run: the highest demand may be in what is missing."""
    folder, store, out = tmp_path / "some", str(tmp_path / "store.db"), tmp_path / "demand.json"
    folder.mkdir()
    (folder / "a.html").write_bytes(render(invent(1), AWR))
    (folder / "b.html.gz").write_bytes(b"\x1f\x8b of no use")
    assert (
        run(["demand", str(folder), "--json", "--out", str(out), "--store", store]) == ExitStatus.DONE_IN_PART
    )
    printed = capsys.readouterr().out
    assert [one["file"] for one in json.loads(printed)["data"]["unread_files"]] == [str(folder / "b.html.gz")]
    stored = keep_demand(ctx, demand_of_reports(ctx, [folder]))
    assert stored is not None
    for demand in (
        parse_demand(printed.encode(), "printed"), load_demand(ctx, str(out)), load_demand(ctx, str(folder)),
        load_demand(ctx, stored.id),
    ):  # fmt: skip
        (note,) = (note for note in demand.notes if note.code == "report-unread")
        assert note.message.startswith("1 of 2 files could not be read")
    kept = load_demand(ctx, stored.id)
    assert [note.code for note in stored.notes] == [note.code for note in kept.notes]


def test_the_command_says_it_for_people(
    reports: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["demand", str(reports), "--store", str(tmp_path / "store.db")]) == 0
    said = capsys.readouterr().out
    assert "highest demand" in said
    assert "redo write" in said
    assert "c.txt" in said


def test_reports_and_a_database_are_not_both_meant(reports: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["demand", str(reports), "--database", "embedded"]) == 2
    assert "both reports and --database" in capsys.readouterr().err


def test_cluster_reports_have_shares(ctx: Context, tmp_path: Path) -> None:
    path = tmp_path / "global.html"
    path.write_bytes(render(invent(3), GLOBAL))
    (one,) = demand_of_reports(ctx, [path]).demand.intervals
    assert one.scope == "cluster"
    assert isinstance(load_demand(ctx, str(path)), Demand)
