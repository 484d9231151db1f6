"""Every figure that a page prints is one of the run's facts, rounded in the one way in which its kind is rounded everywhere.

Runs are made anew from those of the other tests: each number is moved a little and by its seed, so that no two agree by chance.
PAGES_RUNS=200 makes so many; a few are enough to see a rounding that is not the others'. Proofs are left out: most of their figures
are sums over slices of time.
"""

from __future__ import annotations

import json
import os
import random
import re
from collections.abc import Iterator
from typing import Any

import pytest

import facts_builder
import facts_placement
import facts_runs
from plimsoll import charts, pages
from plimsoll.base.units import (
    format_bytes,
    format_mb,
    format_ns,
    format_rate,
    format_ratio,
    format_seconds,
    format_share,
    format_us,
)
from plimsoll.cli.show import show_any
from plimsoll.facts import MemoryBench, Run
from plimsoll.facts.watch import added_up, moving
from plimsoll.pages._placement import figures

RUNS = {
    name: run.model_dump(mode="json")
    for name, run in facts_runs.all_runs().items()
    if not name.startswith("prove") and name != "snapshots"
}
"""Nearly every figure of a report of snapshots is worked out of counters: `tests/unit/results/test_activity.py` holds them."""
SEEDS = range(int(os.environ.get("PAGES_RUNS", "40")))
COUNT_MAX = 130
"""Whole numbers up to this one are taken for counts of things on the page: trials, windows, points."""

_TOKEN = re.compile(
    r"(?<![\w.,])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?: (?:h \d+ min|min \d+ s|µs|ms|s|min|h|%|KiB|MiB|GiB|TiB|B)(?!\w))?"
)
_NO_FIGURES = re.compile(
    r"\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d(?:\.\d+)?|p\d+(?:\.\d+)?|(?:95|99(?:\.9+)?|90|50|0) %|\d+ of 100|SHA-256|1 MiB at a time|8GFC"
)
"""Names of percentiles and intervals, moments, and words of the page itself."""


def varied(value: Any, random_: random.Random, key: str = "") -> Any:
    """The value with its numbers moved: times and rates by a half at most, shares and the rest by a hundredth."""
    if isinstance(value, dict):
        return {name: varied(inner, random_, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [varied(inner, random_, key) for inner in value]
    if not isinstance(value, float) or key in ("quantile", "ended_at"):
        return value
    wide = any(word in key for word in ("us", "iops", "rate", "per_s", "mb")) and "share" not in key
    return value * (scale(key) if wide else 1.0) * (1 + random_.uniform(-0.004, 0.004))


def scale(key: str) -> float:
    return 1.37 if "us" in key else 0.83


def run_of(seed: int) -> Run:
    random_ = random.Random(seed)
    name = sorted(RUNS)[seed % len(RUNS)]
    return Run.model_validate_json(json.dumps(varied(RUNS[name], random_)))


def numbers(value: Any, key: str = "") -> Iterator[tuple[str, float | str]]:
    """Every number and text of a run's document with the name of its field."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from numbers(inner, f"{key.rpartition('.')[2]}.{name}")
    elif isinstance(value, list):
        for inner in value:
            yield from numbers(inner, key)
    elif isinstance(value, int | float | str) and not isinstance(value, bool):
        yield key, value


def forms(key: str, value: float | str) -> set[str]:
    """How a number of that field, named with the one around it, may stand on a page."""
    parent, _, name = key.rpartition(".")
    if isinstance(value, str):
        return {match[0] for match in _TOKEN.finditer(re.sub(r"(?<=\d)%", " %", value))}
    if name == "slack":
        return {f"{100 * value:.0f} %"}
    if name == "ci95" and parent.startswith(("p99", "iops")):
        return {format_ratio(value)}
    if name == "factor":
        return {f"{value:.3g}", format_ratio(value)}
    if any(word in name for word in ("share", "linearity")):
        return {format_share(value)}
    if isinstance(value, int):
        return {f"{value:,}", format_bytes(value), format_rate(value)}
    if "price" in name:
        return {f"{value:,.2f}"}
    if "years" in name:
        return {f"{value:,.1f}"}
    if "_us" in name or re.search(r"_us(_|$)", parent):
        return {format_us(value), f"{value:,.2f} µs"}
    if "bytes" in name:
        return {format_bytes(value)}
    if "saving" in name:
        return {format_ratio(value)}
    if "mb" in key:
        return {format_mb(value)}
    if parent == "cpu_s" or (name.removesuffix("_max").endswith("_s") and not name.endswith("per_s")):
        return {format_seconds(value)}
    if any(word in name for word in ("ratio", "headroom", "factor", "saving")):
        return {format_ratio(value), f"{value:.2f}", format_share(value)}
    return {format_rate(value), f"{value:,}"}


def derived(run: Run) -> set[str]:
    """Figures that are worked out of facts, each said here once."""
    found = set()
    for demand in [run.demand] if run.demand is not None else []:
        for interval in (*demand.intervals, *([demand.peak] if demand.peak else [])):
            for one in interval.classes.values():
                found |= {
                    format_share((one.ops_per_s or 0.0) / (interval.iops or 1.0)),
                    format_mb((one.bytes_per_s or 0.0) / 1e6),
                }
                found.add(format_bytes(round(one.mean_bytes or 0)))
        for relation in demand.relations:
            read, hit = (
                relation.heap_blocks_read + relation.index_blocks_read,
                relation.heap_blocks_hit + relation.index_blocks_hit,
            )
            found.add(format_share(hit / max(1, read + hit)))
            found.add(f"{relation.rows_inserted + relation.rows_updated + relation.rows_deleted:,}")
    if run.verdict is not None and run.verdict.headroom:
        found.add(format_ratio(1 / run.verdict.headroom))
    if run.consolidation is not None:
        found |= {format_rate(sum(step.iops)) for step in run.consolidation.steps}
    if run.ladder is not None:
        for curve in run.ladder.curves:
            found |= {format_mb(step.rate) for step in (*curve.steps, *curve.alone)}
            found |= {
                format_rate(sum(one.rate for one in curve.alone[: step.targets])) for step in curve.steps
            }
    if run.report is not None and run.report.elapsed_s and run.report.db_time_s:
        found.add(f"{run.report.db_time_s / run.report.elapsed_s:.3g}")
    for one in [] if run.advice is None else run.advice.verdicts:
        if one.elapsed_s and one.db_time_s:
            found.add(f"{one.db_time_s / one.elapsed_s:,.1f}")
    if run.placement is not None:
        placed = run.placement
        reads = [tier.small_read_us[0].latency_us for tier in placed.tiers]
        found.add(format_ratio(max(reads) / min(reads)))
        each = [(row.gain_s, row.bytes) for row in placed.plan if row.bytes]
        found |= {format_seconds(gain_s * (1 << 30) / size) for gain_s, size in each}
        found.add(format_share((placed.knee_gain_s or 0.0) / max(1.0, placed.curve[-1].gain_s)))
    if (watched := run.results.get("watch")) is not None:
        summed = added_up(watched.rows)
        found.add(format_rate(sum(row.iops for row in summed)))
        found.add(format_mb(sum(row.mb_per_s for row in moving(summed))))
        for begin_s in {one.begin_s for one in watched.course}:
            mine = [one for one in watched.course if one.begin_s == begin_s]
            found |= {format_rate(sum(one.ios for one in mine) / mine[0].duration_s), f"{begin_s:.1f} s"}
            found |= {format_rate(one.ios / one.duration_s) for one in mine}
            found |= {format_mb(one.bytes / 1e6 / one.duration_s) for one in mine}
        for device in watched.devices:
            found |= {format_mb(count / 1e6) for count in (device.bytes, device.bytes_counted) if count}
    for row in [] if run.commits is None else run.commits.rows:
        found.add(f"{row.dispatches_mean or 0.0:.1f}")
        parts = [] if row.times is None else row.times.model_dump().values()
        found |= {format_share(us / (row.total_us_mean or 1.0)) for us in parts}
    for host in () if run.line is None else run.line.hosts:
        found.add(format_us(abs(host.clock_offset_us)))
    for part in [] if run.hosts is None else run.hosts.hosts:
        found.add(format_us(abs(part.clock_offset_us)))
        found |= {f"{window.start_s:.3f} s" for window in part.windows}
        found |= {format_us(abs(part.clock_drift_us or 0.0))}
        found |= {format_seconds(window.start_s + window.duration_s) for window in part.windows}
    if run.topology is not None:
        found.add(format_bytes(sum(node.memory_bytes or 0 for node in run.topology.nodes)))
    if (plan := run.results.get("slices")) is not None:
        costs = (plan.cost, plan.cost_min, plan.cost_second, *(one.cost for one in plan.slices))
        found |= {f"{cost:.2f}" for cost in costs if cost is not None}
        found |= {f"{one.distance_mean or 0.0:.1f}" for one in plan.slices}
    for one in [] if (checked := run.results.get("slice_checks")) is None else checked.slices:
        if one.samples:
            found.add(format_share(one.samples_outside / one.samples))
        if one.memory_bytes:
            found.add(format_share((one.memory_elsewhere_bytes or 0) / one.memory_bytes))
    for one in [] if (isolation := run.results.get("isolation")) is None else isolation.trials:
        if one.noise is not None:
            found |= {format_seconds(one.noise.done), format_mb(one.noise.done / 1e6)}
    for one in [] if (memory := run.results.get("memory_bench")) is None else memory.chases:
        found.add(f"{one.latency_ns:.1f}")
    if memory is not None:
        found |= memory_figures(memory)
    for one in [] if (rungs := run.results.get("latency_ladder")) is None else rungs.rungs:
        if one.latency_ns is not None:
            found.add(format_ns(one.latency_ns))
    for one in [] if (bench := run.results.get("foreign_bench")) is None else bench.figures:
        if one.value is not None:
            found |= {f"{one.value:,.6g}", f"{one.value:,.6g} {one.unit.partition('/')[0]}"}
    for one in [] if run.trend is None else run.trend.series:
        found |= {format_share(one.r2), f"{one.points + one.gaps:,}"}
        found |= {format_rate(each.value - each.expected) for each in one.anomalies}
    return found


def memory_figures(memory: MemoryBench) -> set[str]:
    """How much slower the worst pair of nodes is than the best, and loads beside streams than without."""
    found = set()
    for kind in {(one.kernel, one.store) for one in memory.streams}:
        rates = [one.mb_per_s for one in memory.streams if (one.kernel, one.store) == kind]
        found.add(f"{max(rates) / min(rates):.2f}")
    for kind in {one.pages for one in memory.chases}:
        chases = [one for one in memory.chases if one.pages == kind]
        largest = max(one.size_bytes for one in chases)
        times = [one.latency_ns for one in chases if one.size_bytes == largest]
        found.add(f"{max(times) / min(times):.2f}")
    for one in memory.loads:
        pair = (one.cpu_node, one.memory_node)
        alone = [
            each for each in memory.loads if (each.cpu_node, each.memory_node) == pair and each.share == 0
        ]
        found |= {f"{one.latency_ns:.1f}", format_ns(one.latency_ns)}
        found |= {format_ratio(one.latency_ns / each.latency_ns) for each in alone}
    return found


def said(run: Run, monkeypatch: pytest.MonkeyPatch) -> str:
    """The words of a page without its pictures, its provenance and its list of values."""
    monkeypatch.setattr(charts, "picture", lambda *_: "")
    page = pages.build(run, facts_builder.distributions(list(pages.distribution_sources(run))))
    page = re.sub(r'<section id="(?:provenance|fields)".*?</section>', "", page, flags=re.DOTALL)
    page = re.sub(r"<style>.*?</style>|<script>.*?</script>|<footer>.*?</footer>", "", page, flags=re.DOTALL)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page).replace("\u00a0", " ")).replace("&#39;", "'")


def unfounded(run: Run, text: str) -> list[str]:
    """The figures of a text that no fact of the run stands behind."""
    document = run.model_dump(mode="json")
    known = {form for key, value in numbers(document) for form in forms(key, value)} | derived(run)
    found = []
    for match in _TOKEN.finditer(_NO_FIGURES.sub(" ", text)):
        token = match[0].removesuffix(".0")
        small = token.isdigit() and int(token) <= COUNT_MAX
        if not small and match[0] not in known and token not in known:
            found.append(text_around(_NO_FIGURES.sub(" ", text), match))
    return found


def text_around(text: str, match: re.Match[str]) -> str:
    return f"{match[0]!r} in {text[max(0, match.start() - 60) : match.end() + 30]!r}"


@pytest.mark.parametrize("seed", SEEDS)
def test_every_figure_of_a_page_is_a_fact(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    run = run_of(seed)
    assert unfounded(run, said(run, monkeypatch)) == []


def test_a_figure_that_is_no_fact_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    run = run_of(0)
    text = said(run, monkeypatch)
    assert len(unfounded(run, f"{text} At most 12,345 I/Os per second within 123 ms.")) == 2


def told(run: Run, capsys: pytest.CaptureFixture[str]) -> str:
    """The words of a terminal, without the line that names the run."""
    show_any(run)
    lines = capsys.readouterr().out.splitlines()[1:]
    return re.sub(r"(?<=\d)%", " %", " ".join(" ".join(lines).replace(run.id, " ").split()))


def shares(text: str) -> set[str]:
    return {match[0] for match in _TOKEN.finditer(_NO_FIGURES.sub(" ", text)) if match[0].endswith("%")}


@pytest.mark.parametrize("seed", SEEDS)
def test_every_share_on_a_terminal_is_a_fact(seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    run = run_of(seed)
    text = " ".join(sorted(shares(told(run, capsys))))
    assert unfounded(run, text) == []


def test_a_share_is_the_same_on_terminal_and_page(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is less than the whole is nowhere said to be all of it."""
    run = facts_runs.assess_run_no()
    assert run.verdict is not None
    classes = tuple(one.model_copy(update={"share": 0.996}) for one in run.verdict.classes)
    assert classes
    nearly = run.model_copy(update={"verdict": run.verdict.model_copy(update={"classes": classes})})
    page, terminal = said(nearly, monkeypatch), told(nearly, capsys)
    assert "99 %" in page
    assert "99 %" in terminal
    assert "100 %" not in page + terminal


def test_the_head_of_a_placement_says_what_it_saves_and_leaves_out() -> None:
    found = facts_placement.placement()
    heads = {name: (value, note) for name, value, note in figures(found.but(gap=0.0, unseen_share=None))}
    assert heads["Saves"][0] == format_seconds(found.gain_s)
    assert heads["Below the best"] == (format_share(0.0), "proved")
    assert heads["Unseen"][0] == "unknown"
    assert {name: note for name, _, note in figures(found.but(gap=0.08))}["Below the best"] == "at most"


def test_a_placement_that_its_pins_make_slower_costs() -> None:
    found = facts_placement.placement().but(gain_s=-12.0, gain_share=-0.02)
    heads = {name: (value, note) for name, value, note in figures(found)}
    assert "Saves" not in heads
    assert heads["Costs"] == (format_seconds(12.0), "of waits for I/O, 2.0 % of DB time")
