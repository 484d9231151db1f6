"""The page: the same each time, whole by itself, safe against what it is told, honest about what is unknown."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from base64 import b64encode
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import facts_builder
import facts_runs
from plimsoll import charts, pages
from plimsoll.base.errors import WorldError
from plimsoll.facts import Note, OperationLog, OperationResult, Run
from plimsoll.native.latency import latency_of_counts
from plimsoll.pages import _page
from transcript import assert_golden

RUNS = facts_runs.all_runs()
HEADLINES = {
    "demo": "Carries it, with 2.3 × headroom",
    "assess_no": "Does not carry it: it can take 80 % of the load",
    "cannot_tell": "Cannot tell",
    "line": "The line: 56,000 I/Os per second",
    "never_held": "The objective never held",
    "not_limited": "Holds up to 32,000 I/Os per second at least",
    "interrupted": "Interrupted before a line was found",
    "io": "52,000 I/Os per second",
    "io_at_a_rate": "40,000 I/Os per second",
    "demand": "At its peak: 24,500 I/Os per second",
    "snapshots": "At its peak: ",
    "calibration": "At most 80,000 I/Os per second and 1,820 MB per second",
    "working_sets": "A cache ends between 64 MiB and 256 MiB",
    "ladder": "4 targets give 75 % of their sum in large I/Os",
    "fill": "11,800 I/Os per second when 95 % full, 41,000 when 50 %",
    "hosts": "4 hosts together 82,500 I/Os per second",
    "hosts_lost": "Lost: db4 after 2 s; the other 3 hosts did 62,300 I/Os per second",
    "line_hosts": "The line on 4 hosts, limited by db3: 56,000 I/Os per second",
    "hot_file": "One file is a bottleneck: 2 hosts read from it 0.50 times what they read from a file each",
    "jobs": "2 measurements",
    "interference": "At worst ≥ 6.2 × slower beside one other: oltp reads beside scans",
    "sparse": "Cannot tell",
    "prove_slob": "3,000 operations per second",
    "prove_late": "This proof is not valid",
    "prove_order_entry": "1,200 operations per second",
    "prove_tpch": "This proof is not valid",
    "prove_hosts": "3,000 operations per second",
    "prove_hosts_lost": "Lost: app2; the other host did 1,500 operations per second; while both hosts were there they did 3,000",
    "read": "AWR report of ORCL/orcl1, 19.0.0.0.0",
    "together": "Does not carry it: it can take 80 % of the load; 2 of 3 databases fit together: shop and crm",
    "nodes": "Carries it, with 1.24 × headroom; survives the loss of n2 and n3, not of n1",
    "with_backup": "Carries it, with 2.3 × headroom; backup of 4 TiB does not fit into 6 h",
    "settled": "As predicted",
    "settled_no": "Not as predicted",
    "advice": "Storage-bound; faster storage will help",
    "unread": "Storage-bound; faster storage will help",
    "placed": "Moving 1 of 3 objects",
    "flash": "200 GiB of flash save most as parts",
    "flash_cannot_tell": "Cannot tell: of no use of 200 GiB",
    "placed_nothing": "Nothing to gain: 99.9 % of all reads are cache hits",
    "trend": "Iops of SHOP: it grows by 60 a day",
    "host": "2 nodes, 2 packages, 4 cores, 7 CPUs, 64 GiB of memory",
    "host_odd": "2 nodes, 2 packages, 4 cores, 7 CPUs, 64 GiB of memory; 1 problem",
    "sliced": "Planned: db1 on node 1, db2 on nodes 0, 1",
    "sliced_no": "Refused: 5 cores are asked for, 1 of them to be set aside, and the host has 4 to give; it fits with 1 core fewer",
    "verified": "Not as planned: db2: threads were seen on other CPUs than 0-1 in 17.5 % of looks: postgres (812);",
    "isolated": "Slices help; noise of cpu makes p99 4.0 times [3.8, 4.2] without slices",
    "isolated_few": "Cannot tell: too few cores: the host has 12 cores, all of them in the two slices; not valid: noise of cpu",
    "memory": "Triad 40,000 MB/s with ordinary stores on 6 threads, triad 50,000 MB/s with non-temporal stores on 6",
    "memory_cut": "Nothing was measured before it was interrupted",
    "network": "Over storage: out 1,176.4 MB/s, both at once 980.6 + 1,010.3 MB/s; not measured: backup",
    "network_less": "The network card counted less data than iperf3 says; over storage: out 1,176.4 MB/s",
    "heated": "Clocks down: this CPU clocks down after 40 s, from 3,500 MHz to 2,800; HPL 61.4 Gflop/s, 48.2 in the last of 2 runs",
    "heated_unknown": "Cannot tell: the machine tells no clock of its CPUs; HPL was interrupted before its first run ended",
    "foreign": "Measured by bonnie++: write, per character 1,177 KiB/s, jitter (arrived) 0.150314 ms",
    "rungs": "L1 cache 1.6 ns, memory of node 0 95.4 ns, memory of node 1, from node 0 141.2 ns, flash 86 µs; not measured: nfs",
    "rungs_none": "No rung was measured; not measured: memory",
    "audited": "Findings: 1 wrong, 1 hint, 1 not looked at; first postgresql (postgres, process 812, data in /srv/pg): it may run",
    "audited_well": "Nothing found: 1 rule held against this host, and 1 that does not apply",
    "watched": "258 I/Os per second, 2.1 MB/s; most by checkpointer: write",
    "watched_no": "258 I/Os per second, 2.1 MB/s; most by checkpointer: write",
    "commits": "Commits of client backend wait for the disk (85 % of their time)",
    "commits_lost": "Commits of client backend wait for the disk (85 % of their time); 1 commit hangs at the end, of client"
    " backend for 42 s, waiting for its flush; 3 commits are missing",
    "trend_short": "Cannot tell: small_read_latency_us of SMALL: values of 5 days",
    "prove_sweep": "More sessions pay up to 16: 2,9",
}
NBSP = "\u00a0"
VOID = {"meta", "link", "br", "wbr", "hr", "img"}


def built(run: Run) -> str:
    return pages.build(run, facts_builder.distributions(list(pages.distribution_sources(run))))


@cache
def page(name: str) -> str:
    return built(RUNS[name])


class Reader(HTMLParser):
    """Reads a page as a browser would: elements with their attributes, text, and whether every element is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("style", "script"):
            self.texts.append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for found, attributes in self.elements if found == tag]

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", "".join(self.texts).replace("\u00a0", " "))


@cache
def reader(name: str) -> Reader:
    return Reader(page(name))


def section_ids(name: str) -> list[str]:
    return [attributes["id"] or "" for attributes in reader(name).all("section")]


def test_the_table_above_names_every_run() -> None:
    assert set(HEADLINES) == set(RUNS)


@pytest.mark.parametrize("name", ["demo", "io_at_a_rate", "never_held", "sparse"])
def test_equal_facts_give_equal_bytes(name: str) -> None:
    again = Run.model_validate_json(RUNS[name].model_dump_json())
    assert built(again) == page(name)


def test_sections_apply_where_there_is_something_to_say() -> None:
    """`GOLDEN_UPDATE=1` writes `sections.txt` anew."""
    rows = [f"{name}: {' '.join(section_ids(name))}\n" for name in RUNS]
    assert_golden(Path(__file__).with_name("sections.txt"), "".join(rows))


def test_every_section_applies_to_some_run_and_says_what_it_is() -> None:
    applying = {section for name in RUNS for section in section_ids(name)}
    assert set(_page.section_names()) == applying | {"operation-log"}
    sections = dict(_page._sections())
    assert len({section.rank for section in sections.values()}) == len(sections)
    assert all(section.title and section.help.endswith(".") for section in sections.values())


def test_the_log_of_another_tool_has_a_section_of_its_own() -> None:
    latency_us = latency_of_counts([(100.0, 3_000), (250.0, 1_000)])
    done = OperationResult(name="new order", operations=4_000, operations_per_s=200.0, latency_us=latency_us)
    log = OperationLog(tool="pgbench", duration_s=20.0, operations=(done,), lines_failed=2)
    run = facts_runs.io_run().model_copy(update={"cell": None, "operation_log": log})
    found = Reader(built(run))
    assert "operation-log" in [attributes["id"] for attributes in found.all("section")]
    assert "pgbench: 4,000 operations in 20.0 s" in found.text
    assert "2 lines could not be read" in found.text


@pytest.mark.parametrize("name", sorted(RUNS))
def test_the_answer_stands_first(name: str) -> None:
    answer = page(name).index('class="headline"')
    assert answer < page(name).index("<figure") if "<figure" in page(name) else True
    assert HEADLINES[name] in reader(name).text


@pytest.mark.parametrize("name", sorted(RUNS))
def test_the_page_is_whole_by_itself(name: str) -> None:
    found = reader(name)
    assert found.open == []
    assert found.all("script") == [{}]
    assert not found.all("img")
    assert not found.all("iframe")
    links = [attributes.get("href") or "" for tag in ("a", "link") for attributes in found.all(tag)]
    assert [link for link in links if not link.startswith(("#", "data:image/svg+xml,"))] == []
    assert not re.search(r"\bon\w+=|@import|javascript:", page(name))
    script = page(name).split("<script>")[1].split("</script>")[0]
    assert not re.search(r"fetch|XMLHttp|import\(|eval|https?://(?!www\.w3\.org)|innerHTML = [^d]", script)
    assert re.findall(r"url\((?!#)[^)]*\)", page(name)) == []
    (policy,) = [meta for meta in found.all("meta") if meta.get("http-equiv")]
    assert (policy["content"] or "").startswith(
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:;"
    )
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f" script-src 'sha256-{digest}';" in (policy["content"] or "")


@pytest.mark.parametrize("name", sorted(RUNS))
def test_ids_are_unique_and_every_picture_has_its_words(name: str) -> None:
    found = reader(name)
    ids = [attributes["id"] for _, attributes in found.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    targets = [attributes["href"] for attributes in found.all("a")]
    assert {target[1:] for target in targets if target} <= set(ids)
    pictures = [attributes for _, attributes in found.elements if attributes.get("role") == "img"]
    for picture in pictures:
        assert picture.get("aria-label") or picture.get("aria-labelledby") in ids
    folded = [details for details in found.all("details") if details.get("class") != "folded"]
    assert len(found.all("figure")) == len(folded) == len(found.all("figcaption"))


@pytest.mark.parametrize("name", sorted(RUNS))
def test_nothing_leaks_from_python(name: str) -> None:
    assert not re.search(r"\bNone\b|\bnan\b|\binf\b|<bound|object at|Undefined|\{\{|\{%", reader(name).text)


def hostile(value: Any, text: str) -> Any:
    """The value with `text` put into each string that a user, a host or a database may set."""
    free = (
        "title",
        "command",
        "hostname",
        "kernel",
        "path",
        "location",
        "model",
        "options",
        "message",
        "reason",
        "void_reason",
    )
    if isinstance(value, dict):
        return {
            key: text if key in free and isinstance(inner, str) else hostile(inner, text)
            for key, inner in value.items()
        }
    return [hostile(inner, text) for inner in value] if isinstance(value, list) else value


def test_hostile_text_stays_text() -> None:
    text = "</title></style><script>alert(1)</script><img src=x onerror=alert(2)>\"'&amp;"
    facts = hostile(facts_runs.demo_run().model_dump(mode="json"), text)
    facts["target"]["name"] = facts["results"]["demand"]["database"]["name"] = facts["results"]["line"][
        "slo"
    ]["text"] = text
    facts["results"]["demand"]["database"]["settings"] = {text: text}
    found = Reader(built(Run.model_validate(facts)))
    assert found.all("script") == [{}]
    assert not found.all("img")
    assert found.text.count("<script>alert(1)</script>") > 15
    assert found.open == []


def test_hostile_names_of_classes_stay_text_in_pictures() -> None:
    text = "<script>alert(1)</script>"
    facts = facts_runs.io_run(40_000.0).model_dump(mode="json")
    facts["results"]["cell"]["workload"]["classes"][0]["name"] = facts["results"]["cell"]["classes"][0][
        "name"
    ] = text
    buckets = facts_builder.buckets_at(1000.0)
    found = Reader(pages.build(Run.model_validate(facts), {text: buckets, 'x" onload="y': buckets}))
    assert found.all("script") == [{}]
    assert not [attributes for _, attributes in found.elements if "onload" in attributes]


def test_what_is_unknown_is_said_and_never_zero() -> None:
    text = reader("sparse").text
    figures = re.findall(r"<b[^>]*>([^<]*)</b>", page("sparse"))
    assert figures == ["unknown"] * 4
    for term in (
        "CPU per I/O",
        "context switches",
        "I/Os due",
        "longest backlog",
        "direct I/O block",
        "memory",
    ):
        assert re.search(rf"{term}\s*unknown", text), term
    assert "No trial gave a latency to draw." in text
    assert "I/Os per s unknown" not in text


@pytest.mark.parametrize("name", [name for name, run in RUNS.items() if run.demand is None])
def test_what_holds_no_demand_has_no_figures_of_one(name: str) -> None:
    assert "shorter bursts are not seen" not in page(name)


def test_without_distributions_the_page_keeps_its_figures() -> None:
    text = Reader(pages.build(RUNS["io"])).text
    assert "Latency, out to the slowest" not in text
    assert "1.45 ms" in text


def test_an_interrupted_run_says_so() -> None:
    assert "This run was interrupted. What was measured until then is shown." in reader("interrupted").text
    assert "interrupted. What was measured" not in reader("line").text


def without_pictures(run: Run, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(charts, "picture", lambda *_: "")
    return pages.build(run)


def with_check(value: Any, check: dict[str, Any]) -> Any:
    """The document with a check that failed in every measured point."""
    if isinstance(value, dict):
        changed = {key: with_check(inner, check) for key, inner in value.items()}
        return changed | ({"checks": [check]} if "workload" in value and "checks" in value else {})
    return [with_check(inner, check) for inner in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    "name", ["io", "jobs", "calibration", "working_sets", "ladder", "fill", "interference", "line", "demo"]
)
def test_a_check_that_failed_reaches_the_headline_and_the_title(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = {"name": "tool_bound", "passed": False, "figures": {}, "reason": "the rate fell"}
    document = with_check(RUNS[name].model_dump(mode="json"), check)
    page = without_pictures(Run.model_validate_json(json.dumps(document)), monkeypatch)
    (headline,) = re.findall(r'class="headline">.*?<strong>(.*?)</strong>', page, re.DOTALL)
    assert "not valid" in headline
    title = headline.replace(NBSP, " ")
    assert f"<title>{title} – " in page
    assert '<div class="answer no">' in page


def test_a_safe_rate_that_fresh_trials_did_not_confirm_is_said_so(monkeypatch: pytest.MonkeyPatch) -> None:
    line = RUNS["line"].line
    assert line is not None
    for confirmed in (True, False):
        run = RUNS["line"].model_copy(update={"line": line.model_copy(update={"confirmed": confirmed})})
        page = without_pictures(run, monkeypatch).replace(NBSP, " ")
        assert ("(not confirmed)" in page) is not confirmed


def test_a_run_that_was_cut_short_is_no_yes(monkeypatch: pytest.MonkeyPatch) -> None:
    page = without_pictures(RUNS["demo"].model_copy(update={"interrupted": True}), monkeypatch)
    assert re.search(r"<title>Carries it, with [0-9.]+ × headroom; interrupted –", page)
    assert '<div class="answer unknown">' in page


def test_a_lower_bound_is_shown_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "≥ 32,000" in reader("not_limited").text
    run = facts_runs.demo_run()
    assert run.verdict is not None
    mixes = tuple(mix.model_copy(update={"at_least": True}) for mix in run.verdict.mixes)
    verdict = run.verdict.model_copy(update={"mixes": mixes})
    bound = run.model_copy(update={"line": facts_builder.line_not_limited(), "verdict": verdict})
    text = Reader(without_pictures(bound, monkeypatch)).text
    assert "Carries it, with at least 2.3 × headroom" in text
    assert "line at least 56,000/s" in text


def test_a_line_that_does_not_exist_is_none_not_unknown() -> None:
    assert re.search(r"Line\s*none\s*no rate held the objective", reader("never_held").text)


def test_a_limit_on_all_ios_together_is_not_taken_for_one_on_a_class(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert "the limit counts all I/Os together" in reader("demo").text
    facts = facts_runs.demo_run().model_dump(mode="json")
    facts["results"]["line"]["slo"]["objectives"] = [
        {"io_class": "redo_write", "quantile": 0.99, "limit_us": 1000.0}
    ]
    by_class = Reader(without_pictures(Run.model_validate(facts), monkeypatch)).text
    assert "counts all I/Os together" not in by_class
    assert "objective: 99 of 100 redo write I/Os within 1 ms" in by_class


def test_each_note_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    run = facts_runs.line_run()
    assert run.line is not None
    note = Note(code="late", message="arrivals were late")
    trials = [
        trial.model_copy(update={"cell": trial.cell.model_copy(update={"notes": (note,)})})
        if index < 3
        else trial
        for index, trial in enumerate(run.line.trials)
    ]
    noted = run.model_copy(
        update={"line": run.line.model_copy(update={"trials": tuple(trials)}), "notes": (note,)}
    )
    text = Reader(without_pictures(noted, monkeypatch)).text
    assert text.count("Arrivals were late.") == 1
    assert "3 of 15 trials" in text


def test_the_gauge_lays_the_demand_against_the_line() -> None:
    assert 'class="load" style="width:40.51%"' in page("demo")
    assert 'class="over"' not in page("demo")
    assert re.search(r'class="over" style="left:74\.07%;width:18\.52%"', page("assess_no"))
    assert 'class="gauge"' not in page("cannot_tell")


def test_the_page_is_light() -> None:
    weights = {name: len(page(name).encode()) for name in RUNS}
    assert max(weights.values()) < 200_000, weights


def test_distribution_sources_are_those_of_the_charts() -> None:
    assert pages.distribution_sources is charts.distribution_sources


def test_a_missing_library_names_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    _page._templates.cache_clear()
    with pytest.raises(WorldError, match="jinja2 is not installed") as caught:
        pages.build(RUNS["sparse"])
    assert "'plimsoll-storage[report]'" in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("carries", "held", "missed", "headline"),
    [
        (True, 1.0, 1.9, "Carries it, with 1.00 × headroom"),
        (False, 0.6, 0.8, "Does not carry it: 60 % of the load held"),
    ],
)
def test_a_headroom_that_was_driven_is_called_no_line(
    carries: bool, held: float, missed: float, headline: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = RUNS["demo"]
    assert run.verdict is not None
    driven = {"carries": carries, "headroom": held, "headroom_ci95": (held, missed), "replay_headroom": held}
    changed = run.model_copy(update={"verdict": run.verdict.model_copy(update=driven)})
    page = Reader(without_pictures(changed, monkeypatch)).text.replace("\N{NO-BREAK SPACE}", " ")
    assert headline in page
    assert f"the highest factor that was driven and held; at {missed:.2f} it was missed" in page
    assert "line ÷ demand" not in page
