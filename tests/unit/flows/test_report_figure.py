"""One picture of a page as a file: each form is known again, and says what the page says."""

from __future__ import annotations

import csv
import struct
import zlib
from pathlib import Path
from xml.etree import ElementTree

import pytest

import facts_builder
import facts_runs
from plimsoll import charts, pages
from plimsoll.base.errors import UsageError, WorldError
from plimsoll.charts import Subject
from plimsoll.facts import Bucket, Run
from plimsoll.flows import report_figure
from plimsoll.flows.report_figure import write_asked, write_figure
from plimsoll.pages import figure_names
from plimsoll.requests.report import ReportRequest

RUNS = facts_runs.all_runs()
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(autouse=True)
def _made_distributions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs of tests have none that could be decoded."""

    def made(run: Run) -> dict[str, list[Bucket]]:
        return facts_builder.distributions(list(pages.distribution_sources(run)))

    monkeypatch.setattr(report_figure, "distributions", made)


@pytest.mark.parametrize("name", sorted(RUNS))
def test_the_names_are_those_of_the_pictures_of_the_page(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run, drawn = RUNS[name], []
    monkeypatch.setattr(charts, "picture", lambda *of: drawn.append(of[-1]) or "")
    found = facts_builder.distributions(list(pages.distribution_sources(run)))
    pages.build(run, found)
    named = figure_names(Subject(run, found))
    assert drawn == [f"{chart}-{width}" for chart in named for width in ("wide", "narrow")]


def test_svg_is_a_document_of_its_own(tmp_path: Path) -> None:
    page = write_figure(facts_runs.demo_run(), "load-line", tmp_path / "line.svg")
    root = ElementTree.parse(page.path).getroot()
    assert root.tag == f"{SVG}svg"
    assert {element.tag.partition("}")[0] for element in root.iter()} == {"{http://www.w3.org/2000/svg"}
    assert root.findtext(f"{SVG}title") == "The load line"
    assert "objective: p99 ≤ 1 ms" in "".join(root.itertext())
    assert float(root.attrib["width"]) > 700
    assert page.size_bytes == page.path.stat().st_size


def test_png_has_twice_the_pixels_and_sound_chunks(tmp_path: Path) -> None:
    content = write_figure(facts_runs.demo_run(), "load-line", tmp_path / "line.PNG").path.read_bytes()
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    kinds, at = [], 8
    while at < len(content):
        length, kind = struct.unpack_from(">I4s", content, at)
        (told,) = struct.unpack_from(">I", content, at + 8 + length)
        assert told == zlib.crc32(content[at + 4 : at + 8 + length])
        kinds.append(kind)
        at += 12 + length
    assert kinds[0] == b"IHDR"
    assert kinds[-2:] == [b"tEXt", b"IEND"]
    assert int.from_bytes(content[16:20]) > 1_500


def test_csv_has_numbers_with_their_unit_in_the_heading(tmp_path: Path) -> None:
    run = facts_runs.demo_run()
    page = write_figure(run, "load-line", tmp_path / "line.csv")
    with page.path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert run.line is not None
    trials = sorted(run.line.trials, key=lambda trial: trial.rate)
    assert [float(row["rate, I/Os per s"]) for row in rows] == pytest.approx(
        [trial.rate for trial in trials], rel=0.006
    )
    assert [float(row["p99 (µs)"]) for row in rows] == pytest.approx(
        [trial.latency_us.p99 for trial in trials], rel=0.006
    )


@pytest.mark.parametrize("ending", [".svg", ".png", ".csv"])
def test_only_an_earlier_one_of_its_kind_is_replaced(tmp_path: Path, ending: str) -> None:
    out = tmp_path / f"line{ending}"
    first = write_figure(facts_runs.demo_run(), "load-line", out).path.read_bytes()
    second = write_figure(facts_runs.interrupted_run(), "load-line", out).path.read_bytes()
    assert first != second
    foreign = first[:40] + b"years of work"
    out.write_bytes(foreign)
    with pytest.raises(WorldError, match="holds something else"):
        write_figure(facts_runs.demo_run(), "load-line", out)
    assert out.read_bytes() == foreign


def test_a_picture_that_the_page_has_not_names_those_that_it_has(tmp_path: Path) -> None:
    run = facts_runs.line_run()
    with pytest.raises(UsageError, match=f"run {run.id} has no picture 'pie'") as refused:
        write_figure(run, "pie", tmp_path / "x.svg")
    assert refused.value.id == "figure-unknown"
    assert "load-line" in (refused.value.hint or "")
    assert "block-origin" not in (refused.value.hint or "")
    with pytest.raises(UsageError) as near:
        write_figure(run, "load", tmp_path / "x.svg")
    assert (near.value.hint or "").startswith("Did you mean load-line? It has ")
    assert not list(tmp_path.iterdir())


def test_a_run_without_pictures_says_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as refused:
        write_figure(facts_runs.jobs_run(), "load-line", tmp_path / "x.svg")
    assert "has tables alone" in (refused.value.hint or "")


def test_another_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot be written as 'line\.pdf'") as refused:
        write_figure(facts_runs.line_run(), "load-line", tmp_path / "line.pdf")
    assert refused.value.id == "figure-format"
    assert ".svg, .png, .csv" in (refused.value.hint or "")


@pytest.mark.parametrize(("name", "hint"), [("x.svg", "--figure NAME"), ("x.PDF", "prints it as PDF")])
def test_a_page_is_not_written_under_the_name_of_something_else(tmp_path: Path, name: str, hint: str) -> None:
    with pytest.raises(UsageError, match="a page cannot be written as") as refused:
        write_asked(facts_runs.line_run(), ReportRequest(run="latest", out=str(tmp_path / name)))
    assert refused.value.id == "figure-format"
    assert hint in (refused.value.hint or "")
    assert not list(tmp_path.iterdir())


def test_a_run_without_results_has_no_pictures(tmp_path: Path) -> None:
    run = facts_runs.io_run().model_copy(update={"results": {}, "interrupted": True})
    with pytest.raises(UsageError, match="has no results to show"):
        write_figure(run, "windows-over-time", tmp_path / "x.svg")


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(WorldError) as refused:
        write_figure(facts_runs.line_run(), "load-line", tmp_path / "no" / "line.svg")
    assert refused.value.id == "report-refused"
