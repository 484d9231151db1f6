"""The report in a reader's browser: Debian's Chromium, headless and without a network, by Playwright.

Each kind of run is opened on three widths, light and dark: nothing on the console, nothing fetched, every picture drawn,
no sideways scrolling, and text that stands out from what is behind it. Paper is always light.
"""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import facts_builder
import facts_runs
from plimsoll.charts import Subject
from plimsoll.facts import Run
from plimsoll.flows import report_figure
from plimsoll.flows.report_figure import write_figure
from plimsoll.pages import build, distribution_sources, figure_names

playwright_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

WIDTHS = (390, 820, 1280)
BROWSER = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)
RUNS = facts_runs.all_runs()

pytestmark = pytest.mark.skipif(
    BROWSER is None, reason="chromium is not installed (scripts/system-packages.sh)"
)


class Pages:
    """Pages on disk by the name of their run, each written when it is first asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __getitem__(self, name: str) -> Path:
        path, run = self.folder / f"{name}.html", RUNS[name]
        if not path.exists():
            path.write_text(build(run, facts_builder.distributions(list(distribution_sources(run)))), "utf-8")
        return path


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Pages:
    return Pages(tmp_path_factory.mktemp("pages"))


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright_api.sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        found.new_context(offline=True).new_page()
        yield found
        found.close()


class Visit:
    """A page that was opened in the one window, with all that it said and asked for: a window more costs as much as the page."""

    def __init__(self, browser: Any, path: Path, width: int, scheme: str) -> None:
        self.page = browser.contexts[0].pages[0]
        self.said: list[str] = []
        self.asked: list[str] = []
        self.heard = {
            "console": lambda message: self.said.append(message.text),
            "pageerror": lambda error: self.said.append(str(error)),
            "request": lambda request: self.asked.append(request.url),
        }
        self.own = path.as_uri()
        for event, hear in self.heard.items():
            self.page.on(event, hear)
        try:
            self.page.set_viewport_size({"width": width, "height": 900})
            self.page.emulate_media(media="screen", color_scheme=scheme)
            self.page.goto(self.own)
        except BaseException:
            self.leave()
            raise

    def __enter__(self) -> Visit:
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()

    def leave(self) -> None:
        """Nothing of the page is left in the window; what it says at its end is still heard."""
        self.page.goto("about:blank")
        for event, hear in self.heard.items():
            self.page.remove_listener(event, hear)

    def run(self, script: str) -> Any:
        return self.page.evaluate(script)


PICTURES = """() => [...document.querySelectorAll('.chart')].map(chart => {
  const shown = [...chart.querySelectorAll('svg')].filter(svg => svg.getBoundingClientRect().width > 0);
  const svg = shown[0];
  const names = document.getElementById(chart.getAttribute('aria-labelledby'));
  return {
    shown: shown.length, width: svg.getBoundingClientRect().width, height: svg.getBoundingClientRect().height,
    marks: svg.querySelectorAll('path, line').length, texts: svg.querySelectorAll('text').length,
    letters_px: Math.min(...[...svg.querySelectorAll('text')].map(text => text.getBoundingClientRect().height)),
    words: names ? names.textContent.trim().length : 0,
    chart: chart.getAttribute('aria-labelledby').replace(/-words$/, ''),
  };
})"""

# Texts of pictures that reach beyond the picture, where nothing is drawn; above and below by more than the room between lines.
CUT = """() => [...document.querySelectorAll('.chart svg')].flatMap(svg => {
  const frame = svg.getBoundingClientRect();
  return [...svg.querySelectorAll('text')].filter(text => frame.width && text.textContent.trim()).filter(text => {
    const box = text.getBoundingClientRect();
    return box.left < frame.left - 0.5 || box.right > frame.right + 0.5 || box.top < frame.top - 2 || box.bottom > frame.bottom + 2;
  }).map(text => text.textContent);
})"""

# The contrast of every piece of text with the nearest painted background behind it, after WCAG 2.2.
FAINT = """() => {
  const parse = text => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(part => part / 255)
    .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
  const behind = element => {
    for (let at = element; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour.length < 4 || colour[3] > 0.99) return colour;
    }
    return [255, 255, 255];
  };
  const faint = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement, style = getComputedStyle(element);
    const box = element.getBoundingClientRect();
    if (!walker.currentNode.textContent.trim() || !box.width || element.tagName === 'title') continue;
    const svg = element.closest('svg'), paint = svg ? style.fill : style.color;
    if (svg && style.stroke !== 'none') continue;  // A halo, on purpose the colour of the paper.
    const [one, other] = [light(parse(paint)), light(behind(svg ? svg.parentElement : element))];
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (ratio < 4.5) faint.push([walker.currentNode.textContent.trim().slice(0, 40), ratio]);
  }
  return faint;
}"""


@pytest.mark.parametrize("name", sorted(RUNS))
def test_a_page_opens_in_silence_and_fits_each_width(browser: Any, pages: Pages, name: str) -> None:
    """It is opened once, and its window made wider."""
    with Visit(browser, pages[name], WIDTHS[0], "light") as visit:
        for width in WIDTHS:
            visit.page.set_viewport_size({"width": width, "height": 900})
            assert visit.run("document.documentElement.scrollWidth") <= width
            assert visit.run(CUT) == []
            for picture in visit.run(PICTURES):
                assert picture["shown"] == 1
                assert picture["width"] > min(width, 800) * 0.85
                assert picture["height"] > 150
                assert picture["marks"] > 5
                # A treemap has no axes, and names only the areas that have room for a name.
                assert picture["texts"] > (0 if picture["chart"] == "gain-density" else 5)
                assert picture["letters_px"] > 10
                assert picture["words"] > 30
        assert visit.said == []
        assert [url for url in visit.asked if url != visit.own and not url.startswith("data:")] == []


def scaled(value: Any, factor: float, is_time: bool = False) -> Any:
    """A run's document with its latencies multiplied."""
    if isinstance(value, dict):
        return {name: scaled(inner, factor, is_time or "_us" in name) for name, inner in value.items()}
    if isinstance(value, list):
        return [scaled(inner, factor, is_time) for inner in value]
    return value * factor if is_time and isinstance(value, float) else value


@pytest.mark.parametrize("factor", [1e-5, 1e-3, 1e3])
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("name", ["line", "io_at_a_rate"])
def test_no_label_is_cut_however_fast_the_storage(
    browser: Any, tmp_path: Path, name: str, width: int, factor: float
) -> None:
    run = Run.model_validate_json(json.dumps(scaled(RUNS[name].model_dump(mode="json"), factor)))
    page = tmp_path / "page.html"
    page.write_text(build(run), "utf-8")
    with Visit(browser, page, width, "light") as visit:
        assert visit.page.locator(".chart svg").count() > 0
        assert visit.run(CUT) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    "name", ["demo", "assess_no", "io_at_a_rate", "demand", "sparse", "prove_slob", "prove_tpch"]
)
def test_text_stands_out_by_day_and_by_night(browser: Any, pages: Pages, name: str, scheme: str) -> None:
    with Visit(browser, pages[name], 820, scheme) as visit:
        paper = visit.run("getComputedStyle(document.body).backgroundColor")
        assert paper == ("rgb(255, 255, 255)" if scheme == "light" else "rgb(16, 24, 31)")
        assert visit.run(FAINT) == []


def test_pictures_turn_dark_with_the_page(browser: Any, pages: Pages) -> None:
    script = """() => [...document.querySelectorAll('.chart .wide [fill], .chart .wide [stroke]')]
        .map(mark => [mark.getAttribute('fill'), getComputedStyle(mark).fill, mark.getAttribute('stroke')])
        .filter(([given, shown]) => given === '#ffffff' && shown !== 'rgb(16, 24, 31)').length"""
    with Visit(browser, pages["demo"], 820, "dark") as visit:
        assert visit.run(script) == 0
        assert visit.run("document.querySelectorAll('.chart .wide [fill=\"#ffffff\"]').length") > 3


def test_no_table_is_cut_at_the_width_of_a_phone(browser: Any, pages: Pages) -> None:
    cut = """() => [...document.querySelectorAll('.scroll:has(table)')]
        .filter(box => box.clientWidth && box.scrollWidth > box.clientWidth).map(box => box.ariaLabel)"""
    name = "getComputedStyle(document.querySelector('#trials td:nth-child(6)'), '::before').content"
    with Visit(browser, pages["demo"], 390, "light") as visit:
        visit.run("document.querySelectorAll('details').forEach(one => one.open = true)")
        assert visit.run(cut) == []
        assert visit.run(name) == '"p99"'


def test_the_figures_of_a_picture_unfold(browser: Any, pages: Pages) -> None:
    with Visit(browser, pages["demo"], 820, "light") as visit:
        details = visit.page.locator("#line details")
        assert not details.locator("table").is_visible()
        details.locator("summary").click()
        assert details.locator("table").is_visible()
        assert details.locator("tbody tr").count() == 15


def test_paper_is_light_and_pages_break_between_figures(browser: Any, pages: Pages) -> None:
    with Visit(browser, pages["demo"], 820, "dark") as visit:
        visit.page.emulate_media(media="print", color_scheme="dark")
        assert visit.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert visit.run(FAINT) == []
        assert not visit.page.locator("nav").is_visible()
        assert not visit.page.locator(".tools").first.is_visible()
        assert visit.run("getComputedStyle(document.querySelector('.chart')).breakInside") == "avoid"
        assert visit.page.pdf(format="A4").startswith(b"%PDF")
        assert visit.page.pdf(format="Letter").startswith(b"%PDF")


def test_a_page_opens_where_scripts_are_forbidden(browser: Any, pages: Pages) -> None:
    context = browser.new_context(java_script_enabled=False, offline=True)
    page = context.new_page()
    page.goto(pages["demo"].as_uri())
    assert page.locator(".chart .wide svg").first.is_visible()
    assert page.get_by_text("Carries it, with").is_visible()
    context.close()


AXE_LOOKS = (("demo", 1280, "light"), ("io_at_a_rate", 390, "dark"), ("read", 390, "light"))
"""Together they have every kind of block; PAGES_ALL=1 looks at every run in both ways."""
AXE_LOOKS_ALL = [(name, *look) for name in sorted(RUNS) for look in ((390, "dark"), (1280, "light"))]


@pytest.mark.parametrize(
    ("name", "width", "scheme"), AXE_LOOKS_ALL if os.environ.get("PAGES_ALL") else AXE_LOOKS
)
def test_axe_finds_nothing_against_a_page(
    browser: Any, pages: Pages, name: str, width: int, scheme: str
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed").Axe()
    with Visit(browser, pages[name], width, scheme) as visit:
        visit.run("document.querySelectorAll('details').forEach(one => one.open = true)")
        # Pictures are hidden from readers of screens, who have their words and figures; FAINT looks at their texts.
        found = axe.run(visit.page, {"exclude": [[".chart svg"]]}, {"resultTypes": ["violations"]})
        told = [
            (rule["id"], [node["html"] for node in rule["nodes"]]) for rule in found.response["violations"]
        ]
        assert told == []


def test_a_table_is_sorted_by_its_figures_and_back(browser: Any, pages: Pages) -> None:
    with Visit(browser, pages["demo"], 1280, "light") as visit:
        table = visit.page.locator("#trials table")
        head = table.locator("th").nth(5)
        cells = "cells => cells.map(cell => cell.textContent)"
        column = table.locator("tbody td:nth-child(6)")
        printed = column.evaluate_all(cells)
        head.get_by_role("button", name="p99").focus()
        visit.page.keyboard.press("Enter")
        rising = column.evaluate_all(cells)
        assert head.get_attribute("aria-sort") == "ascending"
        assert sorted(rising) == sorted(printed)
        assert rising[0].endswith("µs")
        assert rising[-1].endswith("ms")
        visit.page.keyboard.press("Enter")
        falling = column.evaluate_all(cells)
        assert (falling[0], falling[-1]) == (rising[-1], rising[0])
        visit.page.keyboard.press("Enter")
        assert (column.evaluate_all(cells), head.get_attribute("aria-sort")) == (printed, None)


def saved(visit: Visit, button: Any) -> bytes:
    with visit.page.expect_download(timeout=10_000) as download:
        button.click()
    return Path(download.value.path()).read_bytes()


def test_tables_and_pictures_are_handed_out(browser: Any, pages: Pages) -> None:
    with Visit(browser, pages["demo"], 1280, "dark") as visit:
        rows = list(
            csv.DictReader(io.StringIO(saved(visit, visit.page.locator("#trials .tools button")).decode()))
        )
        line = RUNS["demo"].line
        assert line is not None
        assert [float(row["rate, I/Os per s"]) for row in rows] == pytest.approx(
            [t.rate for t in line.trials], rel=0.006
        )
        p99 = [trial.latency_us.p99 for trial in line.trials]
        assert [float(row["p99 (µs)"]) for row in rows] == pytest.approx(p99, rel=0.006)
        tools = visit.page.locator("#line figure .tools")
        picture = ElementTree.fromstring(saved(visit, tools.get_by_role("button", name="SVG")))
        assert picture.tag == "{http://www.w3.org/2000/svg}svg"
        assert "objective: p99 ≤ 1 ms" in "".join(picture.itertext())
        png = saved(visit, tools.get_by_role("button", name="PNG"))
        assert png.startswith(b"\x89PNG")
        assert int.from_bytes(png[16:20]) > 1500
        assert visit.said == []
        assert [url for url in visit.asked if not url.startswith(("data:", "blob:", visit.own))] == []


@pytest.mark.parametrize("name", ["demo", "prove_slob"])
def test_a_picture_as_a_file_of_figures_is_what_its_page_hands_out(
    browser: Any, pages: Pages, name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run = RUNS[name]
    found = facts_builder.distributions(list(distribution_sources(run)))
    monkeypatch.setattr(report_figure, "distributions", lambda _: found)
    with Visit(browser, pages[name], 1280, "light") as visit:
        buttons = visit.page.locator("figure .tools").get_by_role("button", name="CSV")
        handed = [saved(visit, buttons.nth(number)) for number in range(buttons.count())]
    written = [
        write_figure(run, chart, tmp_path / f"{chart}.csv").path.read_bytes()
        for chart in figure_names(Subject(run, found))
    ]
    assert handed == written


def test_a_picture_is_shown_larger_and_closed_again_by_keys(browser: Any, pages: Pages) -> None:
    with Visit(browser, pages["demo"], 390, "light") as visit:
        opener = visit.page.locator("#line figure .tools").get_by_role("button", name="Zoom")
        opener.focus()
        visit.page.keyboard.press("Enter")
        drawn = visit.page.locator("dialog svg")
        first = drawn.bounding_box(timeout=5_000)["width"]
        visit.page.keyboard.press("+")
        assert drawn.bounding_box(timeout=5_000)["width"] == pytest.approx(1.5 * first, abs=2)
        ids = "[...document.querySelectorAll('[id]')].map(one => one.id)"
        assert len(set(visit.run(ids))) == len(visit.run(ids))
        visit.page.keyboard.press("Escape")
        visit.page.locator("dialog").wait_for(state="detached")
        assert opener.evaluate("one => one === document.activeElement")
