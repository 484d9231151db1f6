"""Every real report is recognised, and its head says what a person reads there."""

from __future__ import annotations

import pytest

import report_corpus


@pytest.mark.parametrize("name", report_corpus.HEADERS)
def test_kind_form_and_head_are_as_a_person_reads_them(name: str) -> None:
    _, summary = report_corpus.read(report_corpus.needs(name))
    golden = report_corpus.HEADERS[name]
    assert {key: summary[key] for key in ("kind", "form", "encoding")} == {
        key: golden[key] for key in ("kind", "form", "encoding")
    }
    header = summary["header"]
    assert {key: header[key] for key in golden["header"]} == golden["header"]


@pytest.mark.parametrize("name", report_corpus.HEADERS)
def test_every_cell_has_a_status_and_every_failed_one_a_problem(name: str) -> None:
    _, summary = report_corpus.read(report_corpus.needs(name))
    tables = [table["cells"] for table in summary["tables"]]
    for cells in (*tables, summary["cells"]):
        assert sum(count for status, count in cells.items() if status != "total") == cells["total"]
    assert sum(cells["total"] for cells in tables) == summary["cells"]["total"] > 0
    failed = [problem["line"] for problem in summary["problems"] if problem["code"] == "cell-failed"]
    assert len(failed) == summary["cells"]["failed"], summary["problems"]


def test_all_real_reports_are_known_to_the_golden_file() -> None:
    if not report_corpus.FOLDER.is_dir():
        pytest.skip(f"no real reports in {report_corpus.FOLDER}")
    there = {str(path.relative_to(report_corpus.FOLDER)) for path in report_corpus.FOLDER.rglob("*.*")}
    assert there == set(report_corpus.HEADERS)
