"""The summaries of all reports: made in short where they were read, the same ones again where they are asked for."""

from __future__ import annotations

import json
import pickle

from plimsoll.facts import CellCounts, Note, Report, ReportProblem
from plimsoll.reports.collection import ReportCollection, Shortening, Shorts
from plimsoll.reports.kept_groups import KeptGroups
from plimsoll.reports.limits import READ_PROBLEMS_SHOWN_MAX
from plimsoll.reports.reader import NO_SECTIONS, Reading


def reading(number: int, problems: int = 0, member: str | None = None, passed_over: bool = False) -> Reading:
    """A report of its own content, with so many problems."""
    report = Report(
        file=f"{number}.html",
        member=member,
        sha256=f"{number % 10:064d}",
        kind="awr",
        status="ok",
        db_name=f"D{9 - number % 10}",
        cells=CellCounts(total=number),
        problems=tuple(
            ReportProblem(code="wait", message="no number", line=line) for line in range(problems)
        ),
    )
    return Reading(report, sections=NO_SECTIONS, weight_bytes=7, passed_over=passed_over)


def shorts(*readings: Reading) -> Shorts:
    """As they come from another process, and from what is kept of them."""
    made = Shortening()
    for one in readings:
        made.add(one)
    crossed: Shorts = KeptGroups.unpacked(pickle.dumps(made.made(), pickle.HIGHEST_PROTOCOL))
    assert crossed == made.made()
    return crossed


def test_reports_are_what_they_were() -> None:
    many = READ_PROBLEMS_SHOWN_MAX + 1
    readings = [reading(1), reading(2, problems=2), reading(3, problems=many)]
    collection = ReportCollection()
    assert collection.take(shorts(*readings)) == []
    reports = [one.report for one in readings]
    assert list(collection.reports)[:2] == reports[:2]
    assert len(collection.reports[2].problems) == READ_PROBLEMS_SHOWN_MAX
    assert [collection.problem_count(place) for place in range(3)] == [0, 2, many]
    assert [collection.whole(place) for place in range(3)] == reports
    told = [json.loads(text) for text in collection.documents()]
    assert told == [json.loads(report.model_dump_json()) for report in reports]


def test_copies_name_the_first_in_whatever_group_it_was_and_have_no_tables() -> None:
    collection = ReportCollection()
    first = shorts(reading(1, member="m"), reading(5, passed_over=True), reading(2))
    assert first.passed_over == 1
    assert collection.take(first) == [1]
    assert collection.take(shorts(reading(11), reading(3), reading(12))) == [0, 2]
    found = [(report.file, report.duplicate_of) for report in collection.reports]
    assert found == [
        ("1.html", None),
        ("2.html", None),
        ("11.html", "1.html/m"),
        ("3.html", None),
        ("12.html", "2.html"),
    ]


def test_all_of_a_report_goes_to_its_place_together() -> None:
    collection = ReportCollection()
    collection.take(shorts(*(reading(number, problems=number * 7) for number in (1, 2, 3))))
    collection.sort()
    assert [report.file for report in collection.reports] == ["3.html", "2.html", "1.html"]
    assert [collection.problem_count(place) for place in range(3)] == [21, 14, 7]
    doubt = Note(code="interval-twice", message="again")
    collection.flag({1: (doubt,)})
    assert [report.flags for report in collection.reports] == [(), (doubt,), ()]
