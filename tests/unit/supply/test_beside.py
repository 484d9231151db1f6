"""What runs beside a line and does not count: read from words, made into a client, and found by theory on one server."""

from __future__ import annotations

from math import log
from pathlib import Path

import pytest

from plimsoll.base.errors import UsageError
from plimsoll.context import Cancel
from plimsoll.facts import Arrivals, Plan, PlanGroup, Simulation, Target
from plimsoll.flows.line import line_target, measure_line, search_of
from plimsoll.requests.line import LineRequest
from plimsoll.supply.beside import Beside, client_beside, parse_beside
from plimsoll.supply.engine import measure
from plimsoll.supply.workloads import workload
from simulated import context, find

ERLANG_5_P99 = 11.605
"""The 99th percentile of the sum of five exponential times of mean 1."""


pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("backup", Beside("backup")),
        ("backup=200m", Beside("backup", 200 << 20)),
        ("rebuild=100MB", Beside("rebuild", 100_000_000)),
    ],
)
def test_words(words: str, meant: Beside) -> None:
    assert parse_beside(words) == meant


@pytest.mark.parametrize(
    ("words", "id", "hint"),
    [
        ("frog", "beside-unknown", "backup, rebuild"),
        ("lost-path", "beside-unknown", "multipathd fail path"),
        ("backup=fast", "size-unreadable", "8k"),
        ("backup=0", "not-above-zero", "leave the rate out"),
    ],
)
def test_words_that_mean_nothing(words: str, id: str, hint: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_beside(words)
    assert refused.value.id == id
    assert hint in (refused.value.hint or "")


def test_a_rebuild_reads_and_writes_as_much() -> None:
    client = client_beside(Beside("rebuild", 100 << 20), "io_uring", may_write=True)
    assert [io.name for io in client.workload.classes] == ["rebuild_read", "rebuild_write"]
    assert client.arrivals == Arrivals(kind="uniform", rate_per_s=200.0)
    reading = client_beside(Beside("rebuild", 100 << 20), "io_uring", may_write=False)
    assert [io.name for io in reading.workload.classes] == ["rebuild_read"]
    assert reading.arrivals.rate_per_s == 100.0


def test_what_runs_beside_is_in_no_figure_of_the_cell() -> None:
    target = Target(name="sim:", kind="simulated", path="sim:", span_bytes=1 << 40, ours=True)
    mix, arrivals = workload("randread", 8192), Arrivals(kind="poisson", rate_per_s=1000.0)
    group = PlanGroup.of(mix, "sim", depth=64, arrivals=arrivals)
    device = Simulation(law="constant", mean_us=100.0)
    plan = Plan(groups=(group,), runtime_s=10.0, warm_up_s=0.3, simulation=device).on(target)
    backup = client_beside(Beside("backup", 2000 << 20), "sim", may_write=False)
    cell = measure(plan, (), Cancel(), lambda live: None, beside=(backup,))
    assert [io.name for io in cell.classes] == ["read"]
    assert cell.workload == mix
    assert cell.iops == pytest.approx(1000, rel=0.05)
    assert cell.ios == cell.classes[0].ios == cell.latency_us.count
    assert cell.offered_ios == cell.ios
    assert sum(window.iops for window in cell.windows) / len(cell.windows) == pytest.approx(1000, rel=0.05)
    assert cell.cpu_us_per_io is None, "whose CPU time it was is not known"
    assert [io.name for io in cell.beside] == ["backup_read"]
    assert cell.beside[0].iops == pytest.approx(2000, rel=0.01)
    assert [group.name for group in cell.groups] == ["randread", "backup"]


def test_the_line_beside_a_backup_at_full_speed_is_where_theory_puts_it(tmp_path: Path) -> None:
    """Four I/Os always under way beside an M/M/1 queue: its time is the sum of five exponential ones of rate μ - λ."""
    line = find(tmp_path, "sim:mean=100us", "p99=2ms", beside="backup", trial_s=40.0)
    assert line.line_iops is not None
    assert line.line_iops == pytest.approx(10_000 - ERLANG_5_P99 / 0.002, rel=0.05)
    assert line.beside == "backup"
    assert line.beside_mb_per_s == pytest.approx((10_000 - line.line_iops) * (1 << 20) / 1e6, rel=0.05)
    assert "beside a backup (" in line.reason
    alone = find(tmp_path, "sim:mean=100us", "p99=2ms", trial_s=40.0)
    assert alone.line_iops == pytest.approx(10_000 - log(100) / 0.002, rel=0.05)
    assert (alone.beside, alone.beside_mb_per_s) == (None, None)


def test_a_throttled_backup_takes_its_rate_from_the_line(tmp_path: Path) -> None:
    """Its reads come at equal distances, which disturbs a little less than at random moments."""
    line = find(tmp_path, "sim:mean=100us", beside="backup=2000m", trial_s=40.0)
    random = 10_000 - log(100) / 0.001 - 2_000
    assert line.line_iops is not None
    assert 0.97 * random < line.line_iops < 1.2 * random
    assert line.beside_mb_per_s == pytest.approx(2_097, rel=0.01)


def test_a_rebuild_of_what_may_only_be_read_only_reads(tmp_path: Path) -> None:
    file = tmp_path / "somebodys.dat"
    file.write_bytes(bytes(range(256)) * (1 << 18))
    asked = LineRequest(
        str(file), beside="rebuild=10m", engine="psync", trial_s=0.05, trials_confirm=1, slo="p99=1us"
    )
    with context(tmp_path / "journal") as ctx:
        with line_target(ctx, search_of(ctx, asked)) as made:
            assert made.permit is None
        run = measure_line(ctx, asked)
    assert run.line is not None
    assert {io.name for trial in run.line.trials for io in trial.cell.beside} == {"rebuild_read"}
    assert "beside-read-only" in [note.code for note in run.notes]


def test_a_rebuild_of_a_file_of_ours_writes(tmp_path: Path) -> None:
    asked = LineRequest(str(tmp_path), beside="rebuild", bytes_wanted=64 << 20)
    with context(tmp_path / "journal") as ctx, line_target(ctx, search_of(ctx, asked)) as made:
        assert made.permit is not None
