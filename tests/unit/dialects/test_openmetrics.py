"""The text of metrics, by the rules of OpenMetrics and of node_exporter's textfile collector.

Read by a reader of our own, and by Prometheus' own checker where that is here.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import facts_runs
from plimsoll.dialects.openmetrics import Family, Sample, text_of
from plimsoll.store.export import export_run
from plimsoll.store.metrics import families

RUNS = facts_runs.all_runs()
_SAMPLE = re.compile(r'([a-z_]+)(?:\{((?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)*)\})? (\S+)')
_LABEL = re.compile(r'([a-z_]+)="((?:[^"\\\n]|\\["\\n])*)"')
ROOT = Path(__file__).resolve().parents[3]
DASHBOARD = ROOT / "examples" / "grafana-dashboard.json"
PROMTOOL = shutil.which("promtool", path=f"{ROOT / '.tools'}{os.pathsep}{os.environ['PATH']}")


def samples_of(text: str) -> dict[tuple[str, str], float]:
    """Every sample by name and labels; fails for what a checker of metrics would refuse."""
    *lines, last, nothing = text.split("\n")
    assert (last, nothing) == ("# EOF", "")
    found: dict[tuple[str, str], float] = {}
    described: list[str] = []
    for line in lines:
        if line.startswith("#"):
            _, keyword, name, rest = line.split(" ", 3)
            assert keyword in ("HELP", "UNIT", "TYPE"), line
            if keyword == "HELP":
                assert name not in described, f"{name} stands there twice"
                described.append(name)
            assert name == described[-1], "what is said of a metric stands before its samples"
            assert keyword != "UNIT" or name.endswith(f"_{rest}")
            assert keyword != "TYPE" or rest == "gauge"
            continue
        sample = _SAMPLE.fullmatch(line)
        assert sample is not None, f"no sample, or one with a time: {line}"
        assert sample[1] == described[-1]
        names = [name for name, _ in _LABEL.findall(sample[2] or "")]
        assert len(names) == len(set(names))
        assert (sample[1], sample[2]) not in found, f"twice: {line}"
        found[sample[1], sample[2]] = float(sample[3])
    return found


@pytest.mark.parametrize("name", RUNS)
def test_every_run_is_written_by_the_rules(name: str, tmp_path: Path) -> None:
    (path,) = export_run(RUNS[name], "openmetrics", tmp_path)
    assert path.suffix == ".prom"
    found = samples_of(path.read_text())
    assert sum(metric == "plimsoll_run_info" for metric, _ in found) == 1
    # Units are Prometheus' base units, which its checker wants.
    assert not [
        metric
        for metric, _ in found
        if re.search(r"_(us|ms|mb|percent)(_|$)|_(total|count|sum|bucket)$", metric)
    ]


def said_by_promtool(text: str) -> tuple[int, str]:
    """The exit status of Prometheus' checker of metrics, and all that it has to say of the text."""
    if PROMTOOL is None:
        pytest.skip("promtool is not here: scripts/system-packages.sh brings it")
    done = subprocess.run(
        [PROMTOOL, "check", "metrics"], input=text, capture_output=True, text=True, timeout=60
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("name", RUNS)
def test_prometheus_has_nothing_to_say_against_a_run(name: str) -> None:
    assert said_by_promtool(text_of(families(RUNS[name]))) == (0, "")


def test_prometheus_understands_names_that_others_chose() -> None:
    odd = Family("odd_ratio", 'a "\\ b\nc', (Sample(1.5, {"target": 'x"\\\n\x1b[0m'}),))
    assert said_by_promtool(text_of([odd])) == (0, "")


def test_prometheus_would_have_said_it() -> None:
    """The checker is at work: what has no meaning is said."""
    assert said_by_promtool("plimsoll_ratio 1\nplimsoll_ratio 2\n")[0] != 0


def test_figures_are_those_of_the_run() -> None:
    run = RUNS["demo"]
    assert run.verdict is not None
    assert run.line is not None
    found = samples_of(text_of(families(run)))
    value = {name: figure for (name, _), figure in found.items()}
    assert value["plimsoll_line_ios_per_second"] == pytest.approx(run.line.line_iops)
    assert value["plimsoll_headroom_ratio"] == pytest.approx(run.verdict.headroom)
    said = {
        labels.rpartition("verdict=")[2]: figure
        for (name, labels), figure in found.items()
        if name == "plimsoll_verdict"
    }
    assert said == {'"carries"': 1.0, '"does not carry"': 0.0, '"cannot tell"': 0.0}
    cell = RUNS["io"].cell
    assert cell is not None
    assert cell.latency_us.p99 is not None
    of_io = samples_of(text_of(families(RUNS["io"])))
    (p99,) = [figure for (_, labels), figure in of_io.items() if 'class="all",percentile="99"' in labels]
    assert p99 == pytest.approx(cell.latency_us.p99 / 1e6)


def test_what_is_unknown_has_no_line() -> None:
    names = {name for name, _ in samples_of(text_of(families(RUNS["demand"])))}
    assert "plimsoll_demand_ios_per_second" in names
    assert not names & {"plimsoll_line_ios_per_second", "plimsoll_headroom_ratio", "plimsoll_failed_checks"}


def test_names_that_others_chose_end_no_line() -> None:
    odd = Family("odd_ratio", 'a "\\ b\nc', (Sample(1.5, {"target": 'x"\\\n\x1b[0m', "empty": ""}),))
    text = text_of([odd, Family("left_out", "nothing", ())])
    assert text.splitlines() == [
        "# HELP odd_ratio a '\\\\ b\\nc", "# UNIT odd_ratio ratio", "# TYPE odd_ratio gauge",
        'odd_ratio{target="x\\"\\\\\\n [0m"} 1.5', "# EOF",
    ]  # fmt: skip
    samples_of(text)


def test_the_next_run_takes_the_place_of_the_last(tmp_path: Path) -> None:
    """The same target under the same name: two files with the same series are an error of the collector's."""
    first = RUNS["io"]
    second = first.model_copy(update={"id": "another"})
    assert export_run(first, "openmetrics", tmp_path) == export_run(second, "openmetrics", tmp_path)
    assert 'run="another"' in next(tmp_path.iterdir()).read_text()


def test_the_dashboard_asks_for_metrics_that_there_are() -> None:
    text = DASHBOARD.read_text(encoding="utf-8")
    asked = {
        name
        for panel in json.loads(text)["panels"]
        for target in panel["targets"]
        for name in re.findall(r"plimsoll_\w+", target["expr"])
    }
    known = {family.name for family in families(RUNS["demo"])}  # with samples or without
    assert asked
    assert asked <= known
