"""Reports that could not be read, on a terminal: not more than people look at, and those first that ended who read them."""

from __future__ import annotations

from plimsoll.cli.results.report import unread
from plimsoll.facts import Report, ReportProblem


def report(number: int, code: str) -> Report:
    problem = ReportProblem(code=code, message=f"it is wrong, says {code}", hint=f"Mend {code}.")
    return Report(file=f"{number}.txt", status="unreadable", problems=(problem,))


def test_all_of_few_are_named_and_hints_told_once() -> None:
    read = Report(file="good.txt", status="ok")
    told = list(unread([report(1, "a-b"), read, report(2, "a-b"), report(3, "report-ends-reader")]))
    assert [(one.message, one.hint) for one in told] == [
        ("3.txt: it is wrong, says report-ends-reader", "Mend report-ends-reader."),
        ("1.txt: it is wrong, says a-b", "Mend a-b."),
        ("2.txt: it is wrong, says a-b", None),
    ]


def test_of_many_some_are_named() -> None:
    told = list(unread([report(number, "a-b") for number in range(1234)]))
    assert len(told) == 101
    assert (told[-1].id, told[-1].message) == ("reports-unread", "1,134 more could not be read")
    assert len(list(unread([report(number, "a-b") for number in range(100)]))) == 100


def test_what_may_hold_reports_that_nobody_has_seen_comes_before_what_is_no_report() -> None:
    codes = (
        "report-unknown",
        "report-unopenable",
        "archive-broken",
        "report-folder-unopenable",
        "report-reader-lost",
        "report-ends-reader",
    )
    many = [report(number, "report-unknown") for number in range(1000)]
    told = list(unread([*many, *(report(number, code) for number, code in enumerate(codes))]))
    assert [one.id for one in told[:6]] == [
        "report-ends-reader", "report-reader-lost", "report-folder-unopenable", "report-unopenable", "archive-broken",
        "report-unknown",
    ]  # fmt: skip
