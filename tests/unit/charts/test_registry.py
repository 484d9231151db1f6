"""Every chart in the registry: named, explained, drawn as valid Vega-Lite, with words and a table, the same each time."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache

import pytest

import facts_builder
import facts_runs
from plimsoll import charts
from plimsoll.base.errors import UsageError, WorldError
from plimsoll.charts import Subject

RUNS = facts_runs.all_runs()
PROOFS = {name for name in RUNS if name.startswith("prove")}
APPLIES = {
    "hosts-over-time": {"hosts", "hosts_lost"},
    "load-line": {
        "demo", "assess_no", "cannot_tell", "line", "never_held", "not_limited", "interrupted", "with_backup", "together",
        "nodes", "line_hosts",
    },
    "calibration-curve": {"calibration"},
    "interference-matrix": {"interference"},
    "working-sets": {"working_sets"},
    "target-ladder": {"ladder"},
    "latency-distribution": set(RUNS) - PROOFS
    - {"verified", "demand", "snapshots", "sparse", "calibration", "working_sets", "ladder", "fill", "jobs", "interference", "read"}
    - {"advice", "settled", "settled_no", "placed", "placed_nothing", "flash", "flash_cannot_tell", "trend", "trend_short"}
    - {"watched", "watched_no", "commits", "commits_lost", "host", "host_odd", "sliced", "sliced_no"}
    - {"audited", "audited_well", "hot_file", "memory", "memory_cut"}
    - {"isolated", "isolated_few", "rungs", "rungs_none", "network", "network_less", "foreign"}
    - {"heated", "heated_unknown", "unread"},
    "demand-over-time": {
        "demo", "assess_no", "cannot_tell", "demand", "snapshots", "with_backup", "together", "nodes", "settled",
        "settled_no",
    },
    "databases-together": {"together"},
    "windows-over-time": {"io", "io_at_a_rate"},
    "replay-over-time": {"demo"},
    "proof-over-time": {"prove_slob", "prove_late", "prove_order_entry", "prove_hosts", "prove_hosts_lost"},
    "block-origin": {"prove_slob", "prove_late", "prove_hosts", "prove_hosts_lost"},
    "sweep-knee": {"prove_sweep"},
    "prediction": {"prove_slob"},
    "budget-curve": {"placed", "flash", "flash_cannot_tell"},
    "gain-density": {"placed", "flash", "flash_cannot_tell"},
    "latency-pyramid": {"placed", "placed_nothing", "flash", "flash_cannot_tell"},
    "trend-over-time": {"trend", "trend_short"},
    "days-left": {"trend"},
    "watch-over-time": {"watched"},
    "latency-by-file": {"watched", "watched_no"},
    "commit-parts": {"commits", "commits_lost"},
    "host-nodes": {"host", "host_odd", "sliced", "sliced_no"},
    "host-slices": {"sliced"},
    "isolation-bars": {"isolated", "isolated_few"},
    "latency-ladder": {"rungs"},
    "memory-bandwidth": {"memory"},
    "memory-latency": {"memory"},
    "memory-under-load": {"memory"},
    "load-by-hour": {"trend"},
}  # fmt: skip
DRAWN = [(chart, run) for chart, runs in APPLIES.items() for run in sorted(runs)]


@cache
def subject(name: str) -> Subject:
    run = RUNS[name]
    return Subject(run, facts_builder.distributions(list(charts.distribution_sources(run))))


def test_the_registry_holds_what_is_tested_here() -> None:
    assert set(charts.names()) == set(APPLIES)


@pytest.mark.parametrize("name", sorted(APPLIES))
def test_names_and_help(name: str) -> None:
    chart = charts.load(name)
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", name)
    assert chart.title
    assert chart.help.endswith(".")


@pytest.mark.parametrize("name", sorted(APPLIES))
def test_a_chart_applies_where_there_is_something_to_draw(name: str) -> None:
    assert {run for run in RUNS if charts.load(name).applies(subject(run))} == APPLIES[name]


def test_an_unknown_chart_names_the_known_ones() -> None:
    with pytest.raises(UsageError, match="no chart is called 'pie'") as caught:
        charts.load("pie")
    assert caught.value.id == "chart-unknown"
    assert "load-line" in (caught.value.hint or "")


@pytest.mark.parametrize(("chart", "run"), DRAWN)
def test_a_chart_is_valid(chart: str, run: str) -> None:
    """Altair holds it against the schema of Vega-Lite, which the page does not do again."""
    spec = charts.load(chart).draw(subject(run), 766).to_dict()
    assert spec["$schema"].startswith("https://vega.github.io/schema/vega-lite/")


@cache
def shown(chart: str, width_px: int) -> str:
    """The picture of the first run that a chart applies to."""
    return charts.svg(charts.load(chart).draw(subject(min(APPLIES[chart])), width_px), "x")


@pytest.mark.parametrize("chart", sorted(APPLIES))
@pytest.mark.parametrize("width_px", [356, 766])
def test_a_chart_is_as_wide_as_asked(chart: str, width_px: int) -> None:
    found = re.match(r'<svg viewBox="0 0 ([0-9.]+)', shown(chart, width_px))
    assert found is not None
    assert float(found[1]) == pytest.approx(width_px, abs=16)


@pytest.mark.parametrize(("chart", "run"), DRAWN)
def test_words_and_table_hold_figures_and_no_leaks(chart: str, run: str) -> None:
    entry, about = charts.load(chart), subject(run)
    words, table = entry.words(about), entry.table(about)
    assert re.search(r"\d", words)
    assert words.endswith(".")
    cells = [cell for row in table.rows for cell in row]
    assert table.rows
    assert {len(row) for row in table.rows} == {len(table.columns)} == {len(table.numeric)}
    assert not [text for text in [words, *cells] if re.search(r"None|nan|inf\b|e[+-]\d", text)]


@pytest.mark.parametrize("name", sorted(RUNS))
def test_words_and_tables_do_without_facts(name: str) -> None:
    for chart in charts.names():
        entry = charts.load(chart)
        assert entry.words(subject(name))
        assert entry.table(subject(name)).columns


@pytest.mark.parametrize("chart", sorted(APPLIES))
def test_equal_facts_give_equal_bytes(chart: str) -> None:
    about = subject(min(APPLIES[chart]))
    assert charts.picture(charts.load(chart), about, 766, "x") == shown(chart, 766)


@pytest.mark.parametrize(("module", "named"), [("altair", "altair"), ("vl_convert", "vl-convert")])
def test_a_missing_library_names_its_command(
    monkeypatch: pytest.MonkeyPatch, module: str, named: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    entry, about = charts.load("load-line"), subject("line")
    with pytest.raises(WorldError, match=f"{named} is not installed") as caught:
        charts.picture(entry, about, 600, "a")
    assert caught.value.id == "extra-missing"
    assert "'plimsoll-storage[report]'" in (caught.value.hint or "")


def test_charts_and_report_are_imported_without_their_heavy_libraries() -> None:
    code = (
        "import sys, plimsoll.pages; from plimsoll import charts; [charts.load(n) for n in charts.names()];"
        "print(sorted({'altair', 'vl_convert', 'jinja2', 'plimsoll._core'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_core_of_which_one_cpu_may_be_used_is_one_box() -> None:
    """As in a container with one CPU of each core; and a core that may not be used at all is grey."""
    found = facts_runs.all_runs()["host"].results["topology"]
    cpus = tuple(cpu.but(allowed=cpu.id == 0) for cpu in found.cpus)
    run = RUNS["host"].model_copy(update={"results": {"topology": found.but(cpus=cpus)}})
    entry = charts.load("host-nodes")
    boxes = [box for row in entry.table(Subject(run)).rows for box in row[2].split("; ")]
    assert sorted(boxes) == sorted(set(boxes))
    assert "Grey ones may not be used from here." in entry.words(Subject(run))
