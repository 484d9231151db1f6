"""A run as a page on disk: all of it, or nothing and a reason."""

from __future__ import annotations

from pathlib import Path

import pytest

import facts_runs
from plimsoll.base.errors import UsageError, WorldError
from plimsoll.charts.latency_distribution import quantile
from plimsoll.flows.io import measure_io
from plimsoll.flows.report import distributions, write_report
from plimsoll.requests.io import IoRequest
from simulated import context


def test_the_page_is_one_file_with_its_size(tmp_path: Path) -> None:
    page = write_report(facts_runs.sparse_run(), tmp_path / "page.html")
    assert page.path.read_bytes().startswith(b"<!")
    assert page.size_bytes == page.path.stat().st_size
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


@pytest.mark.parametrize(
    "start",
    [
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
        '<!doctype html>\n<html lang="en" data-theme="dark">\n',
    ],
)
def test_only_a_page_of_ours_is_replaced(tmp_path: Path, start: str) -> None:
    out = tmp_path / "page.html"
    out.write_text(f"{start}years of work")
    with pytest.raises(WorldError, match="holds something else"):
        write_report(facts_runs.sparse_run(), out)
    assert out.read_text() == f"{start}years of work"
    out.unlink()
    for title in ("first", "second"):
        write_report(facts_runs.sparse_run().model_copy(update={"title": title}), out)
        assert f"<h1>{title}</h1>" in out.read_text()


def test_a_place_that_refuses_the_page_is_named(tmp_path: Path) -> None:
    with pytest.raises(WorldError) as refused:
        write_report(facts_runs.sparse_run(), tmp_path / "no" / "page.html")
    assert refused.value.id == "report-refused"
    assert refused.value.hint


def test_a_run_without_results_has_no_page(tmp_path: Path) -> None:
    run = facts_runs.io_run().model_copy(update={"results": {}, "interrupted": True})
    with pytest.raises(
        UsageError, match=f"run {run.id} has no results to show: it was interrupted"
    ) as refused:
        write_report(run, tmp_path / "page.html")
    assert refused.value.id == "run-empty"
    assert refused.value.hint
    assert not list(tmp_path.iterdir())


def test_a_picture_says_what_the_table_says(tmp_path: Path) -> None:
    """Quantiles by the buckets that are drawn, beside those of the measurement."""
    with context(tmp_path) as ctx:
        run = measure_io(ctx, IoRequest(target="sim:mean=100us", runtime_s=5.0, rate_per_s=5_000.0))
    assert run.cell is not None
    drawn = distributions(run)["all I/Os"]
    latency = run.cell.latency_us
    for share, measured in ((0.5, latency.p50), (0.99, latency.p99), (0.999, latency.p999)):
        assert quantile(drawn, share) == pytest.approx(measured, rel=0.02)
