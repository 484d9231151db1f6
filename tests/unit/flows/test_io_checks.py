"""`plimsoll io` with its checks from end to end, on simulated devices with and without a cache, a cliff and patience."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from plimsoll.base.errors import UsageError
from plimsoll.cli import main
from plimsoll.facts import Cell, Check, Event, Progress, Remark, Run
from plimsoll.flows.io import measure_io
from plimsoll.requests.io import IoRequest
from plimsoll.results import held_part_words
from plimsoll.results._words import of_cell
from simulated import context

QUIET = "sim:law=constant,mean=100us,size=1g"
CACHE = f"{QUIET},cache=64m,cache_us=5us"
CLIFF = "sim:law=constant,mean=100us,size=1g,cliff_ios=5000,cliff_mean=400us"


def ran(journals: Path, target: str, **asked: Any) -> Run:
    with context(journals) as ctx:
        return measure_io(ctx, IoRequest(target, depth=1, runtime_s=1.0, **asked))


def cell_of(run: Run) -> Cell:
    assert run.cell is not None
    return run.cell


def verdicts(run: Run) -> dict[str, Check]:
    return {check.name: check for check in cell_of(run).checks}


def test_passive_checks_are_always_made(tmp_path: Path) -> None:
    found = verdicts(ran(tmp_path, QUIET))
    assert {name: check.passed for name, check in found.items()} == {
        "at_work": True,
        "bimodal": True,
        "cliff": True,
        "drift": True,
        "errors": True,
        "stalls": True,
    }


def test_a_device_without_a_cache_is_let_off(tmp_path: Path) -> None:
    check = verdicts(ran(tmp_path, QUIET, check="cache"))["cached"]
    assert check.passed is True
    assert check.figures["reread_speedup"] == pytest.approx(1)


def test_a_cache_is_found_by_its_part_of_the_span(tmp_path: Path) -> None:
    check = verdicts(ran(tmp_path, CACHE, check="cache"))["cached"]
    assert check.passed is False
    assert check.figures["part_64_speedup"] > 10


def test_a_cache_shows_in_the_latencies_as_well(tmp_path: Path) -> None:
    check = verdicts(ran(tmp_path, CACHE.replace("1g", "256m")))["bimodal"]
    assert check.passed is False
    assert check.figures["fast_share"] == pytest.approx(0.25, abs=0.02)


@pytest.mark.parametrize(("target", "status"), [(QUIET, 0), (CACHE, 1)])
def test_the_exit_status_is_the_verdicts(
    target: str, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["io", target, "--depth", "1", "--runtime", "1", "--check", "cache"]
    assert main.run(words) == status
    said = capsys.readouterr().out
    assert ("check failed: cached: a cache answered" in said) is (status == 1)


def test_rounds_come_before_the_cell_that_counts(tmp_path: Path) -> None:
    rounds = []

    def listen(event: Event) -> None:
        if isinstance(event, Progress | Remark) and "round" in event.message:
            rounds.append(event.message)

    with context(tmp_path, listen) as ctx:
        run = measure_io(ctx, IoRequest(QUIET, depth=1, runtime_s=1.0, check="steady"))
    check = verdicts(run)["steady"]
    assert check.passed is True
    assert check.figures["rounds"] == len(rounds) == 5
    assert run.cells == ()


def test_a_cliff_within_the_cell_is_told_with_its_moment(tmp_path: Path) -> None:
    check = verdicts(ran(tmp_path, CLIFF, rw="randwrite", warm_up_s=0.0))["cliff"]
    assert check.passed is False
    assert check.figures["cliff_at_s"] == pytest.approx(0.5, abs=0.11)
    assert check.figures["after_iops"] == pytest.approx(2500, rel=0.1)


def test_preconditioning_writes_the_span_twice_and_settles(tmp_path: Path) -> None:
    found = verdicts(ran(tmp_path, QUIET, rw="randwrite", precondition=True))
    assert found["preconditioned"].passed is True
    assert found["preconditioned"].figures["ios"] == 2 * (1 << 30) / (128 << 10)
    assert found["steady"].passed is True


def test_reads_need_no_preconditioning(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as refused:
        ran(tmp_path, QUIET, precondition=True)
    assert refused.value.id == "precondition-reads"


def test_the_median_run_stands_for_all_and_all_are_kept(tmp_path: Path) -> None:
    run = ran(tmp_path, "sim:mean=100us", repeats=5)
    rates = sorted(cell.iops for cell in run.cells)
    assert len(set(rates)) == len(rates) == 5, "each run has a seed of its own"
    assert cell_of(run).iops == rates[2]
    check = verdicts(run)["repeatable"]
    assert check.passed is True
    assert check.figures["median_iops"] == rates[2]


def test_one_run_has_no_spread(tmp_path: Path) -> None:
    run = ran(tmp_path, QUIET)
    assert "repeatable" not in verdicts(run)
    assert run.cells == ()


def test_an_interruption_ends_the_runs_and_leaves_the_rest_open(tmp_path: Path) -> None:
    with context(tmp_path) as ctx:
        ctx.cancel.set()
        run = measure_io(ctx, IoRequest(QUIET, depth=1, runtime_s=3600.0, repeats=9, check="all"))
    assert run.interrupted
    found = verdicts(run)
    assert {name: found[name].passed for name in ("steady", "repeatable")} == {
        "steady": None,
        "repeatable": None,
    }
    assert "cached" not in found


def test_a_rate_that_was_never_held_is_no_headline(capsys: pytest.CaptureFixture[str]) -> None:
    """The mean of before and after the cliff stood there, with status 0."""
    words = ["io", CLIFF, "--rw", "randwrite", "--depth", "1", "--runtime", "1", "--warm-up", "0s"]
    assert main.run(words) == 1
    said = capsys.readouterr().out
    assert said.startswith("2,500 I/Os per second held, after 10,000 for the first ")
    assert "check failed: cliff: the rate fell from 10,000 to 2,500" in said
    table = said.splitlines()[2].split()
    assert table[:4] == ["write", "2,500", "400", "µs"], "rate and mean latency of the held part alone"
    assert (
        "latencies are those after 0.6 s; over the whole time it was 6,250 I/Os per second, with p99 400 µs"
        in said
    )


def test_where_distributions_of_windows_were_not_kept_no_latency_stands_beside_the_held_rate(
    tmp_path: Path,
) -> None:
    """The median of the whole stood beside the rate of a part."""
    run = ran(tmp_path, CLIFF, rw="randwrite", warm_up_s=0.0)
    whole = cell_of(run)
    assert whole.fall is not None
    assert whole.told_latency_us is not None
    assert whole.told_latency_us.p50 == pytest.approx(400, rel=0.01) != whole.latency_us.p50
    lost = whole.model_copy(update={"held": (), "held_latency_us": None})
    assert lost.told_latency_us is None
    assert "p99 unknown" in of_cell(lost)
    assert held_part_words(lost).startswith("latencies of the part in which that rate was held are unknown")


def test_rounds_go_on_with_one_device_until_its_cliff_is_behind(tmp_path: Path) -> None:
    """Each round began with a new one, so that no round ever came to the cliff."""
    device = CLIFF.replace("cliff_ios=5000", "cliff_ios=30000")
    run = ran(tmp_path, device, rw="randwrite", check="steady")
    check = verdicts(run)["steady"]
    assert check.figures["after_iops"] == pytest.approx(2500, rel=0.1)
    assert cell_of(run).iops == pytest.approx(2500, rel=0.01)


def test_rare_stalls_are_told_with_their_weight(tmp_path: Path) -> None:
    """One write in 2,000 that takes 50 ms passed every check."""
    stalling = "sim:law=constant,mean=100us,servers=8,delay=0.0005,delay_by=50ms"
    check = verdicts(ran(tmp_path, stalling, rw="randwrite"))["stalls"]
    assert check.passed is False
    assert check.figures["ios_share"] == pytest.approx(0.0005, rel=0.6)
    assert check.figures["time_share"] == pytest.approx(0.2, rel=0.6)
    assert check.figures["every_s"] == pytest.approx(0.25, rel=0.6)
    assert check.figures["max_us"] == pytest.approx(50_100, rel=0.01)


def test_terminal_page_store_and_json_name_the_rate_that_was_held(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The page's verdict and the store's list named the mean, which was never held."""
    store, page = str(tmp_path / "runs.sqlite"), tmp_path / "page.html"
    words = ["io", CLIFF, "--rw", "randwrite", "--depth", "1", "--runtime", "1", "--warm-up", "0s"]
    assert main.run([*words, "--json", "--store", store]) == 1
    data = json.loads(capsys.readouterr().out)["data"]
    assert data["held_iops"] == pytest.approx(2500, rel=0.01)
    assert data["iops"] > 1.5 * data["held_iops"]
    assert main.run(["store", "list", "--store", store, "--json"]) == 0
    (listed,) = json.loads(capsys.readouterr().out)["data"]["runs"]
    assert listed["result"].startswith("2,500 IOPS held, p99 ")
    assert main.run(["report", "latest", "--store", store, "-o", str(page)]) == 0
    said = page.read_text(encoding="utf-8").replace("\N{NO-BREAK SPACE}", " ").replace("&nbsp;", " ")
    assert "2,500 I/Os per second held, after 10,000 for the first " in said
