"""Tiers whose latencies are those of stored runs: which measurements count, at which load, and what is missing is said."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import facts_runs
from facts_builder import line
from facts_placement import curved, tier
from plimsoll.base.errors import UsageError
from plimsoll.facts import Arrivals, Encounter, Group, IoClass, Run, Workload
from plimsoll.placement.measured import Measured, measured, samples_of
from plimsoll.placement.tier_file import TierFile, read_tiers
from plimsoll.placement.tiers import load_max_per_s


def read(tmp_path: Path, text: str, runs: Sequence[Run]) -> TierFile:
    path = tmp_path / "tiers.toml"
    path.write_text(text, encoding="utf-8")

    def by_runs(names: Sequence[str]) -> Measured:
        assert list(names) == ["latest"]
        return measured(runs)

    return read_tiers(path, by_runs)


def test_a_line_gives_small_reads_over_load_and_void_trials_count_nowhere() -> None:
    found = line()
    run = facts_runs.line_run(found)
    curves = measured([run]).curves
    loads = [point.load_per_s for point in curves["small_read_us"]]
    assert loads == sorted(set(loads))
    kept = [one for one in found.trials if one.void_reason is None and one.cell.iops >= 0.95 * one.rate]
    assert 0 < len({sample.load_per_s for sample in samples_of(run)}) <= len({one.cell.iops for one in kept})
    void = found.but(trials=tuple(one.but(void_reason="the host was busy") for one in found.trials))
    assert measured([facts_runs.line_run(void)]).curves == {}


def test_a_rate_that_was_not_kept_is_no_point() -> None:
    found = line()
    behind = [
        one.but(
            cell=one.cell.but(arrivals=one.cell.arrivals.but(kind="poisson", rate_per_s=2 * one.cell.iops))
        )
        for one in found.trials
    ]
    assert measured([facts_runs.line_run(found.but(trials=tuple(behind)))]).curves == {}


def test_of_a_calibration_a_queue_that_brings_no_more_ends_the_curve() -> None:
    run = facts_runs.calibration_run()
    assert run.calibration is not None
    alone = [one for one in run.calibration.points if not one.large_depth]
    points = measured([run]).curves["small_read_us"]
    most = max(one.small_iops or 0.0 for one in alone)
    assert points[-1].load_per_s == pytest.approx(most, rel=0.05)
    assert [point.latency_us for point in points] == sorted(point.latency_us for point in points)


def encounter(
    together: tuple[str, ...], *groups: tuple[str, IoClass, float], rate: float | None = None
) -> Encounter:
    """Clients at work together; the first has a rate, if any."""
    made = facts_runs.io_run().cell
    assert made is not None
    arrivals = Arrivals(kind="poisson", rate_per_s=rate) if rate else Arrivals()
    base = made.classes[0]
    found = made.but(
        iops=sum(iops for _, _, iops in groups),
        arrivals=arrivals,
        workload=Workload(name="w", classes=tuple(one for _, one, _ in groups)),
        classes=tuple(base.but(name=one.name, op=one.op, iops=iops) for _, one, iops in groups),
        groups=tuple(Group(name=name, classes=(one.name,), engine="null") for name, one, _ in groups),
    )
    kept = None if rate is None else groups[0][2] >= 0.95 * rate
    return Encounter(
        together=together, paced=together[0] if rate else None, rate_per_s=rate, kept_up=kept, cell=found
    )


READ = IoClass(name="oltp_read", op="read", block_bytes=8192, weight=1.0)
SCAN = IoClass(name="scan_read", op="read", block_bytes=1 << 20, weight=1.0)
LOG = IoClass(name="log_write", op="write", block_bytes=4096, weight=1.0, sync=True)


def test_clients_of_a_matrix_count_alone_and_beside_small_ones() -> None:
    run = facts_runs.interference_run()
    assert run.interference is not None
    met = (
        encounter(("oltp",), ("oltp", READ, 1000.0), rate=1000.0),
        encounter(("oltp", "log"), ("oltp", READ, 1000.0), ("log", LOG, 500.0), rate=1000.0),
        encounter(("oltp", "scans"), ("oltp", READ, 1000.0), ("scans", SCAN, 300.0), rate=1000.0),
        encounter(("oltp", "late"), ("oltp", READ, 700.0), ("log", LOG, 400.0), rate=1000.0),
        encounter(("scans",), ("scans", SCAN, 200.0), rate=200.0),
    )
    changed = run.but(results={"interference": run.interference.but(encounters=met)})
    assert [(one.key, one.load_per_s) for one in samples_of(changed)] == [
        ("small_read_us", 1000.0),
        ("small_read_us", 1500.0),
        ("large_read_us", 200.0),
    ]


def test_of_a_measured_tier_the_longest_curve_is_the_limit() -> None:
    short, long = curved((0, 100), (300, 900)), curved((0, 50), (9000, 200))
    stated = tier("flash", long, large_read_us=short)
    assert load_max_per_s(stated) == 300
    assert load_max_per_s(stated.but(runs=("a",))) == 9000
    assert load_max_per_s(stated.but(runs=("a",), iops_max=500)) == 500


TIER = '[[tier]]\nname = "flash"\nrun = "latest"\n'
STATED = "large_read_us = 900\nsmall_write_us = [[0, 85], [900, 120]]\n"


def test_what_the_file_states_comes_before_what_was_measured(tmp_path: Path) -> None:
    run = facts_runs.line_run()
    (flash,) = read(tmp_path, TIER + STATED, [run]).tiers
    assert flash.small_read_us == measured([run]).curves["small_read_us"]
    assert [point.latency_us for point in flash.large_read_us] == [900]
    assert flash.runs == (run.id,)
    (stated,) = read(tmp_path, f"{TIER}small_read_us = 7\n{STATED}", [run]).tiers
    assert [point.latency_us for point in stated.small_read_us] == [7]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (TIER, "line 3: latest measured no large reads"),
        (TIER.replace('"latest"', "7"), "line 3: run: 7 is not the name of a run"),
        (TIER.replace('"latest"', '["a", ""]'), "line 3: run: ['a', ''] is not the name of a run"),
    ],
)
def test_what_no_run_measured_is_asked_for(tmp_path: Path, text: str, what: str) -> None:
    with pytest.raises(UsageError) as caught:
        read(tmp_path, text, [facts_runs.line_run()])
    assert caught.value.id == "tiers-unreadable"
    assert what in caught.value.message
