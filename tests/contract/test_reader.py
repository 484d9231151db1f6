"""What Python counts on in the answers of the extension's reader of reports, held against reports of many layouts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow
import pytest

from plimsoll import _core
from plimsoll.facts import Report, ReportInstance, ReportPeriod, ReportSection
from plimsoll.reports.reader import NOT_READ, Reading, Summary, read_source, views
from plimsoll.reports.schema import GENERIC, schema
from plimsoll.reports.sources import Source
from plimsoll.reports.tables import FROM_READER, rows_of
from reportgen.invent import Scale, invent
from reportgen.layout import Form, Kind, Layout
from reportgen.report import render

LAYOUTS = {
    "awr html": Layout("19"),
    "awr text": Layout("12.2", Kind.AWR, Form.TEXT),
    "global": Layout("19", Kind.GLOBAL),
    "pdb": Layout("19", Kind.PDB),
    "statspack": Layout("9.2", Kind.STATSPACK, Form.TEXT),
}


@pytest.fixture(scope="module", params=LAYOUTS)
def content(request: pytest.FixtureRequest) -> bytes:
    return render(invent(7, Scale(rows=3)), LAYOUTS[request.param])


@pytest.fixture
def reading(content: bytes) -> Reading:
    return read_source(Source("it", content=content))


def test_the_summary_has_the_fields_of_the_facts_and_no_others(content: bytes) -> None:
    read = _core.read_report(content)
    told = json.loads(read.summary())
    assert set(told) == set(Summary.model_fields)
    assert set(told["header"]) <= set(Report.model_fields)
    for instance in told["header"]["instances"] or ():
        assert set(instance) <= set(ReportInstance.model_fields)
    for period in told["header"].get("periods") or ():
        assert set(period) <= set(ReportPeriod.model_fields)
    assert all(set(table) == set(ReportSection.model_fields) for table in json.loads(read.table_list()))


@pytest.mark.parametrize("end", [b"\r\n", b"\r"])
def test_lines_may_end_as_they_do_on_other_systems(content: bytes, reading: Reading, end: bytes) -> None:
    other = read_source(Source("it", content=content.replace(b"\n", end))).report
    ours = reading.report
    assert (other.status, other.cells, other.numbers) == (ours.status, ours.cells, ours.numbers)


def test_the_report_is_whole(reading: Reading) -> None:
    whole = reading.whole()
    assert whole.section_count == len(whole.sections) > 10
    assert whole.cells.total == sum(section.cells.total for section in whole.sections)
    counts = whole.cells
    assert counts.total == counts.typed + counts.text + counts.blank + counts.overflow + counts.failed
    assert whole.db_name
    assert whole.begin_time


def test_each_view_has_the_columns_that_it_declares(reading: Reading) -> None:
    kinds: dict[str, Any] = {"text": pyarrow.string(), "number": pyarrow.float64()}
    assert reading.content is not None
    assert reading.content.section_names()
    for view in views():
        if view.name in reading.content.section_names():
            found = pyarrow.record_batch(reading.content.section(view.name))
            assert found.schema.names == [*FROM_READER, *(column.name for column in view.columns)]
            for column in view.columns:
                assert found.schema.field(column.name).type == kinds[column.type], (view.name, column.name)


def test_cells_are_those_that_were_counted(reading: Reading) -> None:
    assert reading.content is not None
    cells = pyarrow.record_batch(reading.content.cells())
    assert cells.num_rows == reading.report.cells.total
    statuses = [status for status in cells.column("status").to_pylist() if status == "typed"]
    assert len(statuses) == reading.report.cells.typed


def test_rows_of_every_table_name_their_report_and_have_the_columns_of_the_schema(reading: Reading) -> None:
    columns = {table["name"]: [column["name"] for column in table["columns"]] for table in schema()}
    seen = dict(rows_of(reading, frozenset(columns)))
    assert {"report_tables", "report_cells"} <= set(seen)
    for name, rows in seen.items():
        assert {row["report"] for row in rows} == {reading.report.id}
        assert sorted(rows[0]) == sorted(columns[name]), name


def test_no_view_has_the_name_of_a_table_about_reports() -> None:
    assert not {view.name for view in views()} & set(GENERIC)


@pytest.mark.parametrize("content", [b"", b"\0" * 5000, b"dear diary", b"<html><table><tr><td>1"])
def test_what_is_no_report_is_of_unknown_kind(content: bytes) -> None:
    assert json.loads(_core.read_report(content).summary())["kind"] == "unknown"


def test_kinds_that_are_not_read_are_those_of_the_reader() -> None:
    source = (Path(__file__).parents[2] / "crates" / "reports" / "src" / "kind.rs").read_text(
        encoding="utf-8"
    )
    assert all(f'"{kind}"' in source for kind in NOT_READ)
