"""`plimsoll read`: what is read, in which order, what is told of the rest, and that what goes out is what came in."""

from __future__ import annotations

import gzip
import json
import os
import threading
from pathlib import Path
from typing import Any

import polars
import pytest
from pyarrow import dataset as arrow_dataset
from pyarrow import parquet

from latch_reports import COLUMNS, EMPTY, FAILING, latch_report
from plimsoll import _core
from plimsoll.base.errors import ExitStatus, PlimsollError, WorldError
from plimsoll.context import Context
from plimsoll.facts import Event, Progress, Run
from plimsoll.flows.read import ReadOutcome, read_reports
from plimsoll.flows.read_outputs import unpacked
from plimsoll.ports.folders import Folder
from plimsoll.reports.datasets import table_files
from plimsoll.reports.reader import views
from plimsoll.reports.schema import schema
from plimsoll.reports.walk import OWN_MARK
from plimsoll.requests.read import ReadRequest
from reportgen.invent import Scale, invent
from reportgen.layout import Layout
from reportgen.report import render
from simulated import MemoryStore, context
from tiny_reports import page


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two databases, an archive, and one of each trouble."""
    here = tmp_path / "in"
    (here / "sub").mkdir(parents=True)
    (here / "late.txt").write_bytes(latch_report(begin="2016-01-31T05:00:00"))
    (here / "sub" / "early.html").write_bytes(latch_report(begin="2016-01-31T01:00:00"))
    (here / "other.txt.gz").write_bytes(gzip.compress(latch_report("AAA", "aaa1", "2016-01-31T09:00:00")))
    (here / "copy.txt").write_bytes(latch_report(begin="2016-01-31T05:00:00"))
    (here / "diary.txt").write_bytes(b"dear diary")
    (here / ".hidden").write_bytes(b"x")
    return here


def whole_report() -> bytes:
    """An AWR report with most of its sections."""
    return render(invent(7, Scale(rows=3)), Layout("19"))


def read(tmp_path: Path, *paths: Path, listen: Any = lambda event: None, **asked: Any) -> ReadOutcome:
    with context(tmp_path / "journals", listen) as ctx:
        return read_reports(ctx, ReadRequest(tuple(map(str, paths)), **asked))


def test_reports_come_sorted_and_duplicates_and_troubles_are_told(tmp_path: Path, folder: Path) -> None:
    outcome = read(tmp_path, folder)
    seen = [(Path(one.file).name, one.status, one.duplicate_of) for one in outcome.reports]
    assert seen == [
        ("other.txt.gz", "ok", None),
        ("early.html", "ok", None),
        ("copy.txt", "ok", None),
        ("late.txt", "ok", str(folder / "copy.txt")),
        ("diary.txt", "unreadable", None),
    ]
    assert (outcome.passed_over, outcome.status) == (1, ExitStatus.DONE_IN_PART)


def test_one_file_named_twice_is_read_once(tmp_path: Path, folder: Path) -> None:
    one = folder / "late.txt"
    assert [report.duplicate_of for report in read(tmp_path, one, one).reports] == [None, str(one)]


@pytest.mark.parametrize(
    ("names", "status"),
    [
        (["late.txt", "sub"], ExitStatus.DONE),
        (["late.txt", "none"], ExitStatus.DONE_IN_PART),
        (["late.txt", "diary.txt"], ExitStatus.DONE_IN_PART),
        (["diary.txt"], ExitStatus.DONE_IN_PART),
        (["diary.txt", "none"], ExitStatus.DONE_IN_PART),
        (["none", "nor-this"], ExitStatus.USAGE),
        (["partial"], ExitStatus.DONE_IN_PART),
        (["empty"], ExitStatus.DONE_IN_PART),
        (["nothing"], ExitStatus.DONE_IN_PART),
    ],
)
def test_the_exit_status(tmp_path: Path, folder: Path, names: list[str], status: ExitStatus) -> None:
    (folder / "partial").write_bytes(latch_report(latches=FAILING))
    (folder / "empty").write_bytes(EMPTY)
    (folder / "nothing").mkdir()
    assert read(tmp_path, *(folder / name for name in names)).status is status


def test_nothing_is_said_where_nothing_was_found(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (note,) = read(tmp_path, tmp_path / "in").notes
    assert (note.code, note.message) == ("nothing-read", "no report was found in what was named")


def test_no_path_is_a_wrong_command(tmp_path: Path) -> None:
    with pytest.raises(PlimsollError) as caught:
        read(tmp_path)
    assert (caught.value.id, caught.value.status) == ("nothing-named", ExitStatus.USAGE)


def test_a_table_that_does_not_exist(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(PlimsollError, match="no table is called 'latch'") as caught:
        read(tmp_path, folder, sections=("latch",))
    assert caught.value.id == "section-unknown"
    assert "Nearest: latches" in (caught.value.hint or "")


def test_each_report_is_whole_again_on_the_shelf(tmp_path: Path, folder: Path) -> None:
    latches = [(f"latch {n}", f"x{n}") for n in range(50)]
    (folder / "bad.txt").write_bytes(latch_report("ZZZ", latches=latches))
    outcome = read(tmp_path, folder)
    documents = [json.loads(text) for text in outcome.collection.documents()]
    assert [one["file"] for one in documents] == [one.file for one in outcome.reports]
    place = next(n for n, one in enumerate(documents) if one["db_name"] == "ZZZ")
    assert documents[place]["sections"][3]["columns"][:2] == ["Latch Name", "Get Requests"]
    assert [one["line"] for one in documents[place]["problems"]] == list(range(22, 72))
    assert (outcome.collection.problem_count(place), len(outcome.reports[place].problems)) == (50, 20)
    assert outcome.collection.whole(place).model_dump(mode="json") == documents[place]


def test_flags_become_one_warning_for_each_kind(tmp_path: Path, folder: Path) -> None:
    for hour in range(6):
        (folder / f"{hour}.txt").write_bytes(latch_report("BBB", begin=f"2016-01-31T0{hour}:00:00", hours=2))
    outcome = read(tmp_path, folder)
    assert [[flag.code for flag in one.flags] for one in outcome.reports if one.db_name == "BBB"] == [
        [], *[["interval-overlap"]] * 5
    ]  # fmt: skip
    (note,) = outcome.doubts
    assert note.code == "interval-overlap"
    assert note.message.endswith("; and 2 more")


def test_a_check_that_failed_is_a_warning_and_no_loss(tmp_path: Path) -> None:
    model = ("Time Model Statistics", ("Statistic Name", "Time (s)", "% of DB Time"), [
        ("DB CPU", "500.00", "100.00"), ("DB time", "400.00", ""),
    ])  # fmt: skip
    (tmp_path / "a.txt").write_bytes(latch_report().replace(b"<p>End", page(model) + b"<p>End"))
    outcome = read(tmp_path, tmp_path / "a.txt")
    assert outcome.status is ExitStatus.DONE
    (note,) = outcome.doubts
    assert note.code == "identity-violated"
    assert note.message.startswith(f"{tmp_path}/a.txt:")
    assert "DB CPU" in note.message


def test_parquet_datasets_hold_the_same_rows_for_every_reader(tmp_path: Path, folder: Path) -> None:
    out = tmp_path / "out"
    outcome = read(tmp_path, folder, out=out)
    names = ["latches", "report_cells", "report_problems", "report_tables", "reports"]
    assert [path.name for path in outcome.written] == names
    assert sorted(os.listdir(out)) == sorted([*names, OWN_MARK])
    latches = polars.read_parquet(out / "latches" / "**" / "*.parquet").sort("db_name", "begin_time", "line")
    assert latches.columns == [
        "report", "db_name", "instance", "begin_time", "end_time", "begin_snap", "end_snap", "table_index", "line",
        "instance_number", *COLUMNS,
    ]  # fmt: skip
    assert latches["db_name"].to_list() == ["AAA"] * 2 + ["ORCL"] * 4
    assert latches["latch"].to_list() == ["redo", "cache"] * 3
    assert latches["gets"].to_list() == [5.0, None] * 3
    assert (
        latches["begin_time"].dt.to_string("%H:%M").to_list() == ["09:00"] * 2 + ["01:00"] * 2 + ["05:00"] * 2
    )
    arrow = arrow_dataset.dataset(out / "latches").to_table()
    assert sorted(arrow["db_name"].to_pylist()) == latches["db_name"].to_list()
    reports = polars.read_parquet(out / "reports" / "**" / "*.parquet")
    assert reports.height == 5
    assert reports["cells_typed"].sum() == 4 * 15


def test_csv_has_a_file_for_each_table(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_files, "_LIMITS", (1, 1, 1))
    out = tmp_path / "out"
    read(tmp_path, folder, out=out, file_format="csv")
    assert sorted(path.name for path in out.glob("*.csv")) == [
        "latches.csv", "report_cells.csv", "report_problems.csv", "report_tables.csv", "reports.csv",
    ]  # fmt: skip
    lines = (out / "latches.csv").read_text().splitlines()
    names = "report,db_name,instance,begin_time,end_time,begin_snap,end_snap,table_index,line,instance_number"
    assert lines[0] == ",".join(f'"{name}"' for name in (*names.split(","), *COLUMNS))
    assert len(lines) == 7
    begin, end = "2016-01-31T05:00:00", "2016-01-31T06:00:00"
    assert lines[1].endswith(f',"ORCL","orcl1","{begin}","{end}",5,6,3,22,,"redo",5,0.1,,0,0,')
    assert lines[2].endswith(',3,23,,"cache",,0.1,,0,0,')


def test_json_has_a_file_for_each_report(tmp_path: Path, folder: Path) -> None:
    out = tmp_path / "out"
    read(tmp_path, folder, out=out, file_format="json")
    found = sorted(path.relative_to(out).as_posix().rpartition("_")[0] for path in out.rglob("*_*.json"))
    assert found == ["AAA/aaa1_9-10", "ORCL/orcl1_1-2", "ORCL/orcl1_5-6"]
    (path,) = out.glob("AAA/*.json")
    document = json.loads(path.read_text())
    assert document["views"]["latches"][0] == {
        "table_index": 3, "line": 22, "instance_number": None, "latch": "redo", "gets": 5.0, "misses_percent": 0.1,
        "sleeps_per_miss": None, "total_wait_s": 0.0, "no_wait_gets": 0.0, "no_wait_misses_percent": None,
    }  # fmt: skip
    assert (document["db_name"], document["status"]) == ("AAA", "ok")
    assert [table["columns"][0] for table in document["tables"]] == ["DB Name", "Instance", ""]
    assert document["tables"][1]["rows"] == [["aaa1", "1", "01-Jan-16 00:00"]]


def test_a_views_own_column_wins_over_the_reports(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_bytes(whole_report())
    read(tmp_path, path, sections=("undo_stats",), out=tmp_path / "out")
    written = polars.read_parquet(tmp_path / "out" / "undo_stats" / "*.parquet")
    asked = read(tmp_path, path, sections=("undo_stats",))
    (rows,) = unpacked(asked.rows["undo_stats"])
    (view,) = (view for view in views() if view.name == "undo_stats")
    assert [column.type for column in view.columns if column.name == "end_time"] == ["text"]
    assert written["end_time"].to_list() == [row["end_time"] for row in rows]
    assert asked.reports[0].end_time not in [row["end_time"] for row in rows]


def test_only_what_was_asked_for_is_written(tmp_path: Path, folder: Path) -> None:
    outcome = read(tmp_path, folder, out=tmp_path / "out", sections=("latches",))
    assert [path.name for path in outcome.written] == ["latches"]
    assert outcome.rows == {}


def test_a_database_with_a_wild_name_or_none_stays_in_the_folder(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(latch_report("../x y=1"))
    (tmp_path / "b.txt").write_bytes(latch_report(None))
    read(tmp_path, tmp_path / "a.txt", tmp_path / "b.txt", out=tmp_path / "out")
    found = polars.read_parquet(tmp_path / "out" / "latches" / "*.parquet")
    assert set(found["db_name"].to_list()) == {"../x y=1", None}
    read(tmp_path, tmp_path / "a.txt", out=tmp_path / "json", file_format="json")
    assert all(
        path.resolve().is_relative_to(tmp_path / "json") for path in (tmp_path / "json").rglob("*.json")
    )


def test_files_and_rows_shown_say_the_same(tmp_path: Path, folder: Path) -> None:
    names = tuple(name for name in ("latches", "report_cells", "report_tables", "reports"))
    shown = read(tmp_path, folder, sections=names)
    read(tmp_path, folder, sections=names, out=tmp_path / "out")
    read(tmp_path, folder, sections=names, out=tmp_path / "csv", file_format="csv")
    for name in names:
        rows = [row for part in unpacked(shown.rows[name]) for row in part]
        written = polars.read_parquet(tmp_path / "out" / name / "*.parquet")
        times = [column for column, kind in written.schema.items() if kind == polars.Datetime("ms")]
        told = written.with_columns(polars.col(column).dt.to_string("iso:strict") for column in times)
        told = told.with_columns(polars.col(column).str.slice(0, 19) for column in times).to_dicts()
        assert sorted(map(repr, told)) == sorted(map(repr, rows)), name
        again = polars.read_csv(tmp_path / "csv" / f"{name}.csv", schema=told_schema(written))
        assert sorted(map(repr, again.to_dicts())) == sorted(map(repr, rows)), name


def told_schema(written: polars.DataFrame) -> dict[str, Any]:
    """With times as texts, as CSV has them."""
    return {
        name: polars.String if kind == polars.Datetime("ms") else kind
        for name, kind in written.schema.items()
    }


def sixty_reports(folder: Path) -> list[Path]:
    """No two of one content."""
    paths = []
    for number in range(60):
        paths.append(folder / f"{number}.txt")
        paths[-1].write_bytes(latch_report(begin=f"2016-01-{number % 28 + 1:02}T00:00:00", db_id=number))
    return paths


def test_row_groups_that_come_one_by_one_are_one_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_files, "_LIMITS", (10_000, 20_000, 1 << 30))
    read(tmp_path, *sixty_reports(tmp_path), out=tmp_path / "out")
    for table, rows in (("report_cells", 60 * 45), ("latches", 60 * 2)):
        (path,) = (tmp_path / "out" / table).iterdir()
        file = parquet.ParquetFile(path)
        assert file.num_row_groups > 1
        assert file.read().num_rows == rows


def test_rows_go_out_in_parts_when_they_are_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_files, "_LIMITS", (40_000, 90_000, 2_000))
    read(tmp_path, *sixty_reports(tmp_path), out=tmp_path / "out")
    parts = sorted((tmp_path / "out" / "report_cells").glob("part-*.parquet"))
    assert len(parts) > 1
    assert [path.name for path in parts] == [f"part-{number:05}.parquet" for number in range(len(parts))]
    assert polars.read_parquet(tmp_path / "out" / "report_cells" / "*.parquet").height == 60 * 45
    latches = polars.read_parquet(tmp_path / "out" / "latches" / "*.parquet")
    assert latches["latch"].to_list() == ["redo", "cache"] * 60
    assert latches["report"].n_unique() == 60


def test_a_folder_that_is_not_ours_is_left_alone(tmp_path: Path, folder: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "thesis.doc").write_text("years of work")
    with pytest.raises(
        PlimsollError, match=r"holds something else, which is left alone: thesis\.doc"
    ) as caught:
        read(tmp_path, folder, out=out)
    assert (caught.value.id, caught.value.status) == ("out-folder-foreign", ExitStatus.USAGE)
    assert [path.name for path in out.iterdir()] == ["thesis.doc"]
    with pytest.raises(PlimsollError, match="is a file, and a folder is wanted"):
        read(tmp_path, folder, out=folder / "late.txt")


def test_an_earlier_result_is_replaced_and_never_read_again(tmp_path: Path, folder: Path) -> None:
    out = folder / "out"
    read(tmp_path, folder, out=out, file_format="csv")
    outcome = read(tmp_path, folder, out=out)
    assert outcome.passed_over == 2
    assert len(outcome.reports) == 5
    assert sorted(os.listdir(out)) == [
        "latches", OWN_MARK, "report_cells", "report_problems", "report_tables", "reports",
    ]  # fmt: skip
    mark = json.loads((out / OWN_MARK).read_text())
    assert (mark["finished"], mark["format"], mark["reports"]) == (True, "parquet", 5)


def test_a_read_that_fails_leaves_the_earlier_result_as_it_was(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    read(tmp_path, folder, out=out, file_format="csv")
    before = sorted(os.listdir(out))

    def fail(data: bytes) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(_core, "read_report", fail)
    with pytest.raises(ZeroDivisionError):
        read(tmp_path, folder, out=out)
    assert sorted(os.listdir(out)) == before


def test_a_disk_that_refuses_is_told_in_one_line(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(WorldError, match="could not use the folder") as caught:
        read(tmp_path, folder, out=tmp_path / "file" / "out")
    assert caught.value.id == "out-refused"


def test_a_full_disk_is_told_in_one_line_and_leaves_nothing(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(folder: Folder, name: str, content: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Folder, "append", full)
    for file_format in ("parquet", "csv", "json"):
        with pytest.raises(WorldError, match=r"could not write .*: no space left on device") as caught:
            read(tmp_path, folder, out=tmp_path / "out", file_format=file_format)
        assert caught.value.id == "out-refused"
        assert not (tmp_path / "out").exists()


def test_rows_come_in_the_order_of_the_reports_and_none_is_said(tmp_path: Path, folder: Path) -> None:
    asked = read(tmp_path, folder / "late.txt", folder, sections=("latches", "latch_sleeps"))
    times = [rows[0]["begin_time"][11:13] for rows in unpacked(asked.rows["latches"])]
    assert times == ["09", "01", "05"]
    assert asked.rows["latch_sleeps"] == []
    assert read(tmp_path, folder / "late.txt", sections=("latch_sleeps",)).status is ExitStatus.DONE_IN_PART


def test_ctrl_c_keeps_what_was_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = []
    for number in range(40):
        paths.append(tmp_path / f"{number:02}.txt")
        paths[-1].write_bytes(latch_report(db_id=1000 + number))
    with context(tmp_path / "journals") as ctx:
        enough = threading.Event()

        read_report = _core.read_report

        def stopping(data: bytes) -> Any:
            if b"<td>1005</td>" in data:
                ctx.cancel.set()
                enough.set()
            return read_report(data)

        monkeypatch.setattr(_core, "read_report", stopping)
        outcome = read_reports(ctx, ReadRequest(tuple(map(str, paths)), out=str(tmp_path / "out")))
    assert enough.is_set()
    assert outcome.status is ExitStatus.INTERRUPTED
    assert 6 <= len(outcome.reports) < 40
    assert outcome.unreached == 40 - len(outcome.reports)
    kept = polars.read_parquet(tmp_path / "out" / "reports" / "**" / "*.parquet")
    assert kept.height == len(outcome.reports)
    assert json.loads((tmp_path / "out" / OWN_MARK).read_text())["interrupted"] is True


def test_of_what_was_left_it_is_not_said_that_it_holds_no_report(tmp_path: Path, folder: Path) -> None:
    with context(tmp_path / "journals") as ctx:
        ctx.cancel.set()
        outcome = read_reports(ctx, ReadRequest((str(folder),)))
    assert (len(outcome.reports), outcome.status) == (0, ExitStatus.INTERRUPTED)
    assert outcome.unreached > 0
    assert outcome.notes == ()


def test_reports_become_runs_once(tmp_path: Path, folder: Path) -> None:
    with context(tmp_path / "journals") as ctx:
        first = read_reports(ctx, ReadRequest((str(folder),), keep=True))
        assert isinstance(ctx.store, MemoryStore)
        runs = ctx.store.runs
    assert [run.id for run in runs] == list(first.runs)
    assert len(runs) == 3
    run = next(run for run in runs if run.report is not None and run.report.db_name == "AAA")
    assert run.id.startswith("20160131-090000-")
    assert run.title.startswith("awr 19.0.0.0.0 of AAA/aaa1, 2016-01-31T09:00:00 to 2016-01-31T10:00:00: ")
    assert run.report is not None
    assert run.report.sections[3].name == "latches"
    (table,) = run.report_tables
    assert (table.name, table.row_count) == ("latches", 2)
    assert polars.read_parquet(table.parquet)["latch"].to_list() == ["redo", "cache"]
    assert read(tmp_path, folder, keep=True).runs == first.runs


def test_a_run_that_is_stored_already_is_no_trouble(tmp_path: Path, folder: Path) -> None:
    outcome = _kept_in(tmp_path, folder, WorldError("run-exists", "it is stored already"))
    assert len(outcome.runs) == 3
    assert outcome.notes == ()


def test_a_store_that_fails_is_told_once_and_the_reading_goes_on(tmp_path: Path, folder: Path) -> None:
    outcome = _kept_in(tmp_path, folder, WorldError("store-full", "the disk is full"))
    assert [note.code for note in outcome.notes] == ["not-stored"]
    assert "the disk is full" in outcome.notes[0].message
    assert len(outcome.reports) == 5


def _kept_in(tmp_path: Path, folder: Path, error: PlimsollError) -> ReadOutcome:
    class Failing(MemoryStore):
        def save(self, run: Run) -> None:
            raise error

    with context(tmp_path / "journals") as made_context:
        fields = {name: getattr(made_context, name) for name in Context.__dataclass_fields__}
        return read_reports(Context(**{**fields, "store": Failing()}), ReadRequest((str(folder),), keep=True))


def test_progress_with_the_time_left_once_it_takes_longer(tmp_path: Path, folder: Path) -> None:
    heard: list[Event] = []

    class Slow:
        """A clock on which everything takes three seconds."""

        now_s = 0.0

        def monotonic_s(self) -> float:
            self.now_s += 3.0
            return self.now_s

    with context(tmp_path / "journals", heard.append) as made_context:
        fields = {name: getattr(made_context, name) for name in Context.__dataclass_fields__}
        read_reports(Context(**{**fields, "clock": Slow()}), ReadRequest((str(folder),)))
    told = [event for event in heard if isinstance(event, Progress)]
    assert all(one.share is not None and one.left_s is not None for one in told)
    assert [one.share for one in told] == sorted(one.share or 0.0 for one in told)
    assert told[-1].finished
    assert read(tmp_path, folder, listen=heard.append) is not None
    assert len([event for event in heard if isinstance(event, Progress)]) == len(told)


def test_the_schema_lists_every_table_with_what_names_its_report_in_front() -> None:
    found = {table["name"]: [column["name"] for column in table["columns"]] for table in schema()}
    assert list(found) == [
        *(view.name for view in views()), "reports", "report_tables", "report_cells", "report_problems",
    ]  # fmt: skip
    assert found["latches"][:3] == ["report", "db_name", "instance"]
    assert found["latches"][-len(COLUMNS) :] == list(COLUMNS)
    assert found["undo_stats"].count("end_time") == 1


def test_the_schema_says_the_columns_that_are_written(tmp_path: Path, folder: Path) -> None:
    (folder / "bad.txt").write_bytes(latch_report("CCC", latches=FAILING))
    (folder / "all.html").write_bytes(whole_report())
    written_names = {path.name for path in read(tmp_path, folder, out=tmp_path / "out").written}
    assert len(written_names) > 20
    kinds = {
        "text": [polars.String], "number": [polars.Int64, polars.UInt32, polars.UInt16, polars.Float64],
        "truth": [polars.Boolean], "local time": [polars.Datetime("ms")],
    }  # fmt: skip
    for table in (one for one in schema() if one["name"] in written_names):
        written = polars.read_parquet(
            tmp_path / "out" / table["name"] / "**" / "*.parquet", hive_partitioning=False
        )
        assert sorted(written.columns) == sorted(column["name"] for column in table["columns"]), table["name"]
        for column in table["columns"]:
            assert written[column["name"]].dtype in kinds[column["type"]], (table["name"], column)
