"""Every cell that advice stands on is in its report, with that section, row, column and value: each is looked up again.

The look is not the reader's (`evidence_finder.py`). It goes over made reports always, and over the real ones where they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

import report_corpus
from advice_articles import DBWR_1, DBWR_8, LGWR_RUN_1, LGWR_RUN_2
from advice_cases import CASES, Case
from advice_reports import reading
from evidence_finder import looked_at
from plimsoll.facts import EvidenceCell
from plimsoll.predict.faster_storage import TIERS
from plimsoll.reports.reader import Reading
from plimsoll.rules import KINDS, Advised, Storage, advice_of, advise, interval_of
from reportgen.invent import Scale, invent
from reportgen.layout import Form, Kind, Layout
from reportgen.report import render

STORAGE = Storage(now=TIERS["nvme"], spindles=1)
"""So that the rules that ask for it have something to say."""
LAYOUTS = [
    Layout("12.1", Kind.STATSPACK, Form.TEXT),
    Layout("19", Kind.AWR, Form.HTML),
    Layout("19", Kind.AWR, Form.TEXT),
    Layout("19", Kind.GLOBAL, Form.HTML),
]
SEEDS = range(6)


def advised(read: Reading) -> Advised:
    assert read.content is not None
    return advise(interval_of(read.report, read.content, STORAGE))


def cells_of(one: Advised) -> Iterator[tuple[str, EvidenceCell]]:
    found = advice_of([one])
    for finding in found.findings:
        yield from ((finding.rule, cell) for cell in finding.evidence)
    for verdict in found.verdicts:
        yield from (("the verdict", cell) for cell in verdict.evidence)


def not_found(data: bytes, name: str) -> tuple[int, list[str]]:
    """How many cells there are, and those that are not where they are said to be."""
    read = reading(data, name)
    file = looked_at(data, read.report.encoding or "utf-8", read.report.form or "text")
    cells = list(dict.fromkeys(cells_of(advised(read))))
    told = [(rule, cell, file.missing(cell)) for rule, cell in cells]
    return len(cells), [f"{rule}: {why}: {cell}" for rule, cell, why in told if why is not None]


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_cells_of_invented_reports(layout: Layout) -> None:
    count = 0
    for seed in SEEDS:
        found, lost = not_found(render(invent(seed, Scale(rows=12)), layout), f"{seed}.rep")
        assert not lost, (seed, lost[:4])
        count += found
    assert count > len(SEEDS)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_cells_of_reports_with_a_known_cause(case: Case) -> None:
    count, lost = not_found(case.report(), "case.html")
    assert count
    assert not lost, lost[:4]


@pytest.mark.parametrize("data", [LGWR_RUN_1, LGWR_RUN_2, DBWR_8, DBWR_1])
def test_cells_of_excerpts(data: bytes) -> None:
    count, lost = not_found(data, "excerpt.txt")
    assert count
    assert not lost, lost[:4]


@pytest.mark.parametrize("name", report_corpus.HEADERS)
def test_real_reports_have_a_verdict_with_its_reason_and_each_cell(name: str) -> None:
    path = report_corpus.needs(name)
    read = reading(path.read_bytes(), str(path))
    if read.report.kind not in KINDS:
        pytest.skip(f"{read.report.kind} prints no waits of an interval; the flow says so of it")
    one = advised(read)
    assert one.verdict.verdict
    assert one.verdict.reason
    _, lost = not_found(path.read_bytes(), str(path))
    assert not lost, (len(lost), lost[:4])


def test_the_empty_real_report_is_idle_and_nothing_else() -> None:
    path = report_corpus.needs("awr-html/awr_11.2.0.2_xe_empty_chinese-dates.html")
    one = advised(reading(path.read_bytes(), str(path)))
    assert one.verdict.verdict == "idle"
    assert [finding.rule for finding in one.findings] == ["database-idle"]


CHANGED: dict[str, Callable[[EvidenceCell], EvidenceCell]] = {
    "section": lambda cell: cell.but(section="Redo Nowhere"),
    "row": lambda cell: cell.but(row="no such row"),
    "column": lambda cell: cell.but(heading="No Such Heading"),
    "value": lambda cell: cell.but(value="987,654,321.5"),
}


@pytest.mark.parametrize("layout", LAYOUTS[:2], ids=str)
@pytest.mark.parametrize("part", CHANGED)
def test_the_look_misses_what_is_not_there(layout: Layout, part: str) -> None:
    """Else the tests above would pass whatever the cells say."""
    data = render(invent(0, Scale(rows=12)), layout)
    read = reading(data, "one.rep")
    file = looked_at(data, read.report.encoding or "utf-8", read.report.form or "text")
    _, cell = next(cells_of(advised(read)))
    assert file.missing(cell) is None
    assert (file.missing(CHANGED[part](cell)) or "").startswith(part)
