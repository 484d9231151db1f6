"""Demand of generated reports: in every layout each figure has its cells or its reason, and says what was put in."""

from __future__ import annotations

from datetime import timedelta

import pytest

from plimsoll import _core
from plimsoll.facts import ReportedInterval
from plimsoll.reports.figures.interval import interval_of
from plimsoll.reports.reader import read_source
from plimsoll.reports.sources import Source
from reportgen.facts import Facts
from reportgen.invent import invent
from reportgen.layout import Kind, Layout, plain_layouts
from reportgen.report import render


def demand_of(facts: Facts, layout: Layout) -> tuple[ReportedInterval, _core.Report]:
    reading = read_source(Source("made.html", content=render(facts, layout)))
    assert reading.content is not None
    return interval_of(reading.report, reading.content), reading.content


@pytest.mark.parametrize("layout", plain_layouts(), ids=lambda layout: layout.label)
def test_every_layout_gives_a_demand(layout: Layout) -> None:
    facts = invent(21)
    found, _ = demand_of(facts, layout)
    assert found.gap is None
    assert found.db_name == facts.header.db_name
    assert found.mb_per_s
    for one in found.classes.values():
        explained = {origin.figure for origin in one.origins}
        for figure in ("ops_per_s", "bytes_per_s", "latency_us_mean"):
            assert figure in (one.unknown if getattr(one, figure) is None else explained)


@pytest.mark.parametrize("layout", plain_layouts(), ids=lambda layout: layout.label)
def test_redo_is_what_was_put_in(layout: Layout) -> None:
    """Of the log, all layouts print at least how much was generated; a cluster's may round it to nothing."""
    facts = invent(22)
    found, _ = demand_of(facts, layout)
    redo = found.classes["redo_write"]
    assert redo.bytes_per_s or layout.kind is Kind.GLOBAL
    assert redo.bytes_per_s != 0.0
    if redo.source == "Load Profile" and layout.kind is not Kind.GLOBAL:
        assert redo.bytes_per_s == pytest.approx(facts.per_second(facts.load.redo_bytes), rel=0.01)


def test_the_interval_is_that_of_the_report() -> None:
    facts = invent(23)
    found, _ = demand_of(facts, next(one for one in plain_layouts() if one.kind is Kind.AWR))
    assert found.duration_s == pytest.approx(facts.elapsed_s, abs=timedelta(seconds=1).total_seconds())
