"""From the extension's answer to facts: the status says how much may be trusted, and what is not printed stays unknown."""

from __future__ import annotations

from typing import Any

import pytest

from made_reports import install, made
from plimsoll.facts import Report
from plimsoll.reports.reader import Reading, is_ended, read_source, views
from plimsoll.reports.sources import Source

PROBLEM: dict[str, Any] = {
    "code": "row-unread",
    "line": 7,
    "section": "Latches",
    "message": "a row is cut",
    "loses": True,
}
ROWS = {"latches": [{"name": "redo", "gets": 5.0}]}


@pytest.fixture(autouse=True)
def _reader(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)


def read(content: bytes, **more: Any) -> Reading:
    return read_source(Source("a.txt", content=content, weight_bytes=9, **more))


@pytest.mark.parametrize(
    ("told", "status"),
    [
        ({}, "ok"),
        ({"problems": [PROBLEM]}, "partial"),
        ({"problems": [PROBLEM | {"loses": False}]}, "ok"),
        ({"views": ROWS, "cells": {"failed": 1}}, "partial"),
        ({"views": ROWS, "cells": {"overflow": 3, "blank": 2}}, "ok"),
        ({"views": {}}, "empty"),
        ({"views": {"latches": []}}, "empty"),
        ({"views": {}, "problems": [PROBLEM]}, "empty"),
        ({"kind": "unknown"}, "unreadable"),
        ({"kind": "unknown", "views": {}, "problems": [PROBLEM]}, "unreadable"),
    ],
)
def test_the_status(told: dict[str, Any], status: str) -> None:
    assert read(made(**told)).report.status == status


def test_the_header_becomes_facts_and_what_is_not_printed_is_none() -> None:
    instances = [{"instance_number": 1, "instance": "a1", "elapsed_s": 5.5, "colour": "red"}]
    report = read(made(cpus=8.0, rac=True, memory_bytes=33565952573.44, instances=instances)).report
    assert (report.kind, report.form, report.encoding, report.decimal) == ("awr", "text", "utf-8", "point")
    assert (report.db_name, report.instance, report.begin_snap, report.end_snap) == ("ORCL", "orcl1", 0, 1)
    assert (report.begin_time, report.end_time) == ("2016-01-31T00:00:00", "2016-01-31T01:00:00")
    assert (report.cpus, report.rac, report.memory_bytes) == (8, True, 33565952573.44)
    assert (report.cores, report.host, report.db_cpu_s) == (None, None, None)
    assert [(one.instance, one.elapsed_s, one.host) for one in report.instances] == [("a1", 5.5, None)]
    assert report.size_bytes == len(
        made(cpus=8.0, rac=True, memory_bytes=33565952573.44, instances=instances)
    )
    assert report.sha256 is not None
    assert report.sha256.startswith(report.id or "?")


def test_sections_and_counts() -> None:
    report = read(made(problems=[PROBLEM])).whole()
    assert [(one.title, one.name, one.row_count, one.columns) for one in report.sections] == [
        ("Latches", "latches", 2, ("name", "gets"))
    ]
    assert (report.section_count, report.cells.total, report.cells.typed) == (1, 4, 4)
    assert [(one.code, one.line, one.section, one.message) for one in report.problems] == [
        ("row-unread", 7, "Latches", "a row is cut")
    ]


def test_text_of_no_known_kind_says_so() -> None:
    (problem,) = read(b"dear diary").report.problems
    assert (problem.code, problem.message) == (
        "report-unknown",
        "it is text, but no report that is known here",
    )
    assert "Statspack" in (problem.hint or "")


def test_a_kind_that_is_not_read_is_named() -> None:
    report = read(made(kind="tkprof")).report
    assert (report.kind, report.status) == ("tkprof", "unreadable")
    assert report.problems[0].code == "kind-not-read"
    assert report.problems[0].message == "it is a trace formatted by tkprof, a kind that is not read here"


def test_what_cannot_be_taken_is_an_unreadable_report_with_the_reason() -> None:
    reading = read(b"")
    assert (reading.report.file, reading.report.status, reading.weight_bytes) == ("a.txt", "unreadable", 9)
    (problem,) = reading.report.problems
    assert (problem.code, problem.message) == ("report-file-empty", "a.txt is empty")


def test_a_defect_of_the_reader_costs_one_report(monkeypatch: pytest.MonkeyPatch) -> None:
    class PanicException(BaseException):
        """What a panic of Rust becomes."""

    def panic(data: bytes) -> None:
        raise PanicException("index out of bounds")

    install(monkeypatch, panic)
    (problem,) = read(made()).report.problems
    assert (problem.code, problem.message) == ("reader-defect", "our own defect: index out of bounds")


def test_an_interruption_is_no_defect(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(data: bytes) -> None:
        raise KeyboardInterrupt

    install(monkeypatch, interrupt)
    with pytest.raises(KeyboardInterrupt):
        read(made())


@pytest.mark.parametrize(
    "end", ["End of Report", "End of Repo\nrt ( /tmp/a.txt )\r\n\nSQL> exit", "End of Report</body></html>"]
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_report_with_its_last_words_is_whole(end: str, encoding: str) -> None:
    assert is_ended(f"many rows\n{end}\n".encode(encoding))


def test_a_report_that_was_cut_off_is_read_in_part() -> None:
    whole = made(begin="2016-01-31T01:00:00")
    cut = whole.replace(b"End of Report", b"End of Rep\n")
    report = read(cut.replace(b"\n", b"")).report
    assert report.status == "partial"
    assert [(one.code, one.loses) for one in report.problems] == [("report-cut", True)]
    assert report.problems[0].message == "the report is cut off: its last words, End of Report, are missing"
    assert report.problems[0].line == 1
    assert read(made(kind="awr-miner").replace(b"End", b"")).report.status == "ok"


@pytest.mark.parametrize(("kind", "more"), [("excerpt", {}), ("awr-miner", {"db": None, "release": None})])
def test_a_report_without_its_head_is_read_in_part(kind: str, more: dict[str, Any]) -> None:
    report = read(made(kind=kind, **more)).report
    assert (report.status, [one.code for one in report.problems]) == ("partial", ["head-missing"])


def test_a_head_that_names_the_release_alone_is_one() -> None:
    assert read(made(kind="awr-miner", db=None, release="11.2.0.3.0")).report.status == "ok"


def test_views_say_types_as_people_do() -> None:
    latches, instances = views()
    assert [(column.name, column.type) for column in latches.columns] == [
        ("name", "text"),
        ("gets", "number"),
    ]
    assert instances.columns[1].unit == "s"


def test_every_header_field_of_the_contract_has_a_place() -> None:
    """The extension's header and the facts name the same things; see the class Report."""
    header = (
        "release db_name db_id unique_name instance instance_number host platform rac cdb role edition cpus cores sockets "
        "memory_bytes startup_time begin_snap end_snap begin_time end_time elapsed_s db_time_s db_cpu_s sessions_begin "
        "sessions_end block_bytes instances"
    )
    assert set(header.split()) <= set(Report.model_fields)
