"""The verb `read` at the command line: what people see, the one document for machines, and the exit status."""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path
from typing import Any

import pytest

from latch_reports import EMPTY, FAILING, latch_report
from plimsoll import __version__
from plimsoll.cli import main
from plimsoll.store import open_store


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    here = tmp_path / "in"
    here.mkdir()
    (here / "a.txt").write_bytes(latch_report(begin="2016-01-31T05:00:00"))
    (here / "b.txt").write_bytes(latch_report(begin="2016-01-31T05:30:00", latches=FAILING))
    (here / "c.txt").write_bytes(latch_report(begin="2016-01-31T05:00:00"))
    (here / "d.txt").write_bytes(EMPTY)
    return here


def run(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, str, str]:
    status = main.run(["read", *map(str, words)])
    said = capsys.readouterr()
    return status, said.out, said.err


def data(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, Any, list[dict[str, str]]]:
    status, out, _ = run(capsys, *words, "--json")
    (line,) = out.splitlines()
    found = json.loads(line)
    assert (found["plimsoll"], found["schema"], found["kind"]) == (__version__, 1, "read")
    return status, found["data"], found["warnings"]


def test_people_see_a_line_for_each_report_and_then_what_is_wrong(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = run(capsys, folder)
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert status == 5
    assert lines[0] == f"in {folder}:"
    assert lines[1].startswith("report kind status release database instance begin end elapsed DB time")
    assert lines[5].startswith("d.txt awr empty – – – – – – – 0 0 0")
    assert lines[2] == (
        "a.txt awr ok 19.0.0.0.0 ORCL orcl1 2016-01-31 05:00 2016-01-31 06:00 1 h 1 min 41 s 4 45 0"
    )
    assert "b.txt:23: latches: 'x1' is no number, as gets must be" in lines
    assert f"c.txt: the same bytes as {folder}/a.txt, which was read in its place" in lines
    assert "d.txt: a report of the kind awr that holds no data" in lines
    assert lines[-1] == "reports: 1 read whole, 1 in part, 1 without data; 1 of the same bytes as another"
    assert err == ""
    assert any(line.startswith(f"b.txt: the interval overlaps with that of {folder}/a.txt") for line in lines)


def test_a_copy_of_what_could_not_be_read_could_not_be_read(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("x.txt", "y.txt", "z.txt"):
        (folder / name).write_text("dear diary")
    status, out, err = run(capsys, folder)
    lines = out.splitlines()
    assert status == 5
    assert lines[-1] == (
        "reports: 1 read whole, 1 in part, 1 without data; 3 could not be read; 1 of the same bytes as another"
    )
    assert err.count("error: ") == 3
    assert not [line for line in lines if "same bytes as" in line and "x.txt" in line]


def test_the_document_has_every_field_of_the_contract(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, found, warnings = data(capsys, folder)
    assert status == 5
    assert set(found) == {
        "reports", "interrupted", "unreached", "passed_over", "files", "runs", "rows",
    }  # fmt: skip
    assert (found["interrupted"], found["unreached"]) == (False, 0)
    fields = (
        "file kind status release db_name instance host platform rac cpus begin_snap end_snap begin_time end_time "
        "elapsed_s db_time_s sections cells problems"
    )
    assert all(set(fields.split()) <= set(one) for one in found["reports"])
    first, copy, second, _ = found["reports"]
    assert {"title", "name", "row_count", "columns"} <= set(first["sections"][0])
    assert set(first["cells"]) == {"total", "typed", "text", "blank", "overflow", "failed"}
    assert {"line", "section", "message"} <= set(second["problems"][0])
    assert copy["duplicate_of"] == first["file"]
    assert first["host"] is None
    assert [one["code"] for one in warnings] == ["interval-overlap"]


def test_what_is_no_report_is_an_error_with_a_hint_for_each_kind_of_trouble(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("e.txt", "f.txt"):
        (folder / name).touch()
    (folder / "g.txt").write_text("dear diary")
    os.mkfifo(folder / "pipe")
    status, _, err = run(capsys, folder)
    assert status == 5
    assert [line for line in err.splitlines() if line.startswith(("error:", "hint:"))] == [
        f"error: {folder}/e.txt is empty",
        "hint: Make the report again.",
        f"error: {folder}/f.txt is empty",
        f"error: {folder}/g.txt: it is text, but no report that is known here",
        "hint: Name a Statspack, AWR, ASH or ADDM report as text or HTML, as the database's script wrote it.",
        f"error: {folder}/pipe is a pipe, and is not opened",
        "hint: Save what comes out of it as a file, and name that.",
    ]
    _, found, _ = data(capsys, folder)
    assert [one["problems"][0]["code"] for one in found["reports"] if one["status"] == "unreadable"] == [
        "report-file-empty", "report-file-empty", "report-unknown", "report-not-a-file",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("names", "status"), [(("a.txt",), 0), (("a.txt", "none"), 5), (("none",), 2), ((), 2)]
)
def test_the_exit_status(
    folder: Path, capsys: pytest.CaptureFixture[str], names: tuple[str, ...], status: int
) -> None:
    assert run(capsys, *(folder / name for name in names))[0] == status


def test_the_rows_of_one_table_alone(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, folder / "a.txt", "--section", "latches")
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert status == 0
    assert lines[0].startswith("latches: report ")
    assert lines[0].endswith(", ORCL/orcl1, 2016-01-31 05:00 to 2016-01-31 06:00")
    assert lines[1:] == [
        "latch gets misses_percent total_wait_s no_wait_gets",
        "redo 5 0.1 0 0",
        "cache – 0.1 0 0",
    ]
    _, found, _ = data(capsys, folder, "--section", "latches")
    assert [row["gets"] for row in found["rows"]["latches"]] == [5.0, None, 5.0, None]


def test_files_are_named(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, folder / "a.txt", "--out", tmp_path / "out", "--section", "latches")
    assert f"written: {tmp_path}/out/latches" in out
    _, found, _ = data(
        capsys, folder / "a.txt", "--out", tmp_path / "out", "--format", "csv", "--section", "latches"
    )
    assert found["files"] == [f"{tmp_path}/out/latches.csv"]


def test_reports_go_straight_into_the_store(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = str(tmp_path / "runs.sqlite")
    status, out, _ = run(capsys, folder / "a.txt", "--store", place)
    assert (status, out.splitlines()[-1]) == (0, "reports: 1 read whole; 1 in the store")
    _, found, _ = data(capsys, folder / "a.txt", "--store", place)
    (run_id,) = found["runs"]
    stored = open_store(place).load(run_id)
    assert stored.report is not None
    assert (stored.kind, stored.report.db_name, len(stored.report_tables)) == ("read", "ORCL", 1)
    assert len(open_store(place).summaries()) == 1
    assert open_store(place).summaries()[0].result == "read whole: 4 tables, 45 cells"
    assert main.run(["store", "show", run_id, "--store", place]) == 0
    shown = capsys.readouterr().out
    assert [line.split() for line in shown.splitlines()][-1] == ["latches", "2"]
    assert "19.0.0.0.0  ORCL" in shown


def test_nothing_is_stored_unasked(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "home.sqlite"
    os.environ["PLIMSOLL_STORE"] = str(place)
    try:
        run(capsys, folder / "a.txt")
    finally:
        del os.environ["PLIMSOLL_STORE"]
    assert not place.exists()


def test_the_schema_for_people_and_machines(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "--schema")
    assert status == 0
    assert "latches: requests for a latch" in out
    assert any(line.split() == ["total_wait_s", "number", "s"] for line in out.splitlines())
    _, out, _ = run(capsys, "--schema", "--json")
    found = json.loads(out)
    assert found["kind"] == "read-schema"
    assert {"name", "about", "columns"} == set(found["data"]["tables"][0])
    assert {"name", "type", "unit", "about"} == set(found["data"]["tables"][0]["columns"][0])


def test_events_tell_how_far_it_is(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    events = tmp_path / "events"
    run(capsys, folder, "--events", events)
    assert all(json.loads(line)["kind"] for line in events.read_text().splitlines())


def test_reports_and_rows_are_printed_as_data(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, found, _ = data(capsys, folder, "--section", "latches")
    status, out, _ = run(capsys, folder, "--section", "latches", "--format", "ndjson")
    assert (status, [json.loads(line) for line in out.splitlines()]) == (5, found["rows"]["latches"])
    _, out, _ = run(capsys, folder, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [(Path(row["file"]).name, row["status"]) for row in rows] == [
        ("a.txt", "ok"), ("c.txt", "ok"), ("b.txt", "partial"), ("d.txt", "empty"),
    ]  # fmt: skip
    assert run(capsys, folder, "--out", "x", "--format", "ndjson")[0] == 2


def test_thousands_of_troubles_do_not_drown_the_document(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(300):
        (tmp_path / f"{number}.txt").touch()
    status, found, warnings = data(capsys, tmp_path)
    assert (status, len(found["reports"])) == (5, 300)
    assert [one["code"] for one in warnings] == ["nothing-read"]
