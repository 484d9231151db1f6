"""Demand of real reports: each gives it or says what is missing, cells are where they are said to be, sources agree."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest

from plimsoll.facts import ReportedInterval
from plimsoll.reports.figures.interval import COUNTING_KINDS, interval_of, intervals_of
from plimsoll.reports.reader import read_source
from plimsoll.reports.sources import sources
from plimsoll.reports.walk import Walk

FOLDER = Path(
    os.environ.get("PLIMSOLL_CORPUS") or Path(__file__).resolve().parents[2].parent / "shared/corpus"
)
"""Real reports, which are nobody's to copy. Without them there is nothing to test here."""
NAMES = sorted(str(path.relative_to(FOLDER)) for path in FOLDER.glob("*/*"))
WITHOUT_COUNTS = {
    "awr-html/awr_11.2.0.2_xe_empty_chinese-dates.html": "no count of reads, writes or redo",
    "statspack/sp_9.2.0.1_orakic_span-shutdown_ORA-06550.lst": "no elapsed time",
}
"""Reports of kinds that count, and why there is nothing to be had from them."""
UNEQUAL_INSTANCES = "awr-global/awrg_12.2.0.1_prodw_32k_718_719.html"
"""Its instances were up for different times, and its two tables of rates divide by different ones of them."""


def needs(name: str) -> Path:
    path = FOLDER / name
    if not path.is_file():
        pytest.skip(f"no real reports in {FOLDER}; PLIMSOLL_CORPUS names another folder")
    return path


@cache
def demand_of(path: Path) -> ReportedInterval:
    (source,) = sources(Walk((path,)).entries())
    reading = read_source(source)
    return interval_of(reading.report, reading.content)


@pytest.mark.parametrize("name", NAMES)
def test_each_report_gives_its_demand_or_the_reason(name: str) -> None:
    found = demand_of(needs(name))
    if found.kind not in COUNTING_KINDS:
        assert found.gap
        assert found.classes == {}
        return
    reason = WITHOUT_COUNTS.get(name)
    if reason is not None:
        assert reason in (found.gap or "")
        assert found.iops is None
    else:
        assert found.gap is None
        assert found.iops
        assert found.mb_per_s
        assert found.classes["redo_write"].bytes_per_s


@pytest.mark.parametrize("name", NAMES)
def test_no_figure_is_without_its_cells_or_its_reason(name: str) -> None:
    for one in demand_of(needs(name)).classes.values():
        explained = {
            origin.figure for origin in one.origins if origin.cells or origin.how == "there were none"
        }
        for figure in ("ops_per_s", "bytes_per_s", "latency_us_mean"):
            value = getattr(one, figure)
            assert figure in (one.unknown if value is None else explained), figure
            assert value is None or value >= 0


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith(("awr-text", "statspack"))])
def test_cells_stand_in_the_lines_that_are_named(name: str) -> None:
    path = needs(name)
    lines = path.read_text(encoding="latin-1").split("\n")
    for one in demand_of(path).classes.values():
        for origin in one.origins:
            for cell in origin.cells:
                assert cell.line is not None
                assert cell.value in lines[cell.line - 1], (cell, lines[cell.line - 1])


@pytest.mark.parametrize("name", NAMES)
def test_the_io_profile_says_what_the_statistics_say(name: str) -> None:
    doubts = [doubt for doubt in demand_of(needs(name)).doubts if "and IO Profile" in doubt.message]
    assert bool(doubts) == (name == UNEQUAL_INSTANCES)


@pytest.mark.parametrize("name", NAMES)
def test_rates_are_totals_over_the_elapsed_time(name: str) -> None:
    doubts = demand_of(needs(name)).doubts
    assert [doubt for doubt in doubts if doubt.code == "total-differs"] == []


def test_text_and_html_of_one_interval_ask_for_the_same() -> None:
    text = demand_of(needs("awr-text/awr_11.2.0.4_rac_orcl1.txt"))
    page = demand_of(needs("awr-html/awr_11.2.0.4_rac_orcl1.html"))
    assert text.iops == pytest.approx(page.iops, rel=0.01)
    assert text.mb_per_s == pytest.approx(page.mb_per_s, rel=0.02)


def test_a_cluster_is_the_sum_of_its_instances() -> None:
    found = demand_of(needs("awr-global/awrg_12.1.0.2_slob_2of2.html"))
    reads = sum(one.reads_per_s or 0.0 for one in found.instances)
    asked = sum(found.classes[name].ops_per_s or 0.0 for name in ("small_read", "large_read"))
    assert reads == pytest.approx(asked, rel=0.01)
    assert found.classes["large_read"].ops_per_s == pytest.approx(17_481.68)


def test_exadata_counts_more_requests_than_there_can_be() -> None:
    found = demand_of(needs("awr-global/awrg_19.0_exadata_dbu_6d.html"))
    assert "requests-impossible" in {doubt.code for doubt in found.doubts}
    assert found.iops == pytest.approx(2371.89, rel=1e-4)
    assert [one.reads_per_s for one in found.instances] == [None, None]


@pytest.mark.parametrize("name", [name for name in NAMES if "awrminer" in name])
def test_each_snapshot_of_awr_miner_is_an_interval(name: str) -> None:
    (source,) = sources(Walk((needs(name),)).entries())
    reading = read_source(source)
    found = intervals_of(reading.report, reading.content)
    assert len(found) > 1
    assert all(one.gap is None and one.iops is not None for one in found)
    assert any(one.mb_per_s for one in found)
    assert all(one.end_time is not None and one.end_time > (one.begin_time or "") for one in found)
    assert max(one.end_time or "" for one in found) == reading.report.end_time
