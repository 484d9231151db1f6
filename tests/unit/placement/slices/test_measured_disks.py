"""What a disk gives, as stored runs measured it: which of them count, and for which key of a `[[disk]]`."""

from __future__ import annotations

import pytest

import facts_runs
from facts_builder import cell
from plimsoll.facts import Arrivals, BlockDevice, Cell, Check, Group, IoClass, Run, Workload
from plimsoll.placement.slices.measured_disks import measured_disk


def _run(one: Cell) -> Run:
    return facts_runs.io_run().model_copy(update={"cell": one})


def _cell(op: str, pattern: str, size: int, iops: float, **more: object) -> Cell:
    asked = IoClass.model_validate(
        {"name": op, "op": op, "pattern": pattern, "block_bytes": size, "weight": 1.0}
    )
    rates = {"iops": iops, "mb_per_s": iops * size / 1e6, "arrivals": Arrivals()}
    return cell(1000.0).but(**{"workload": Workload(name=op, classes=(asked,)), **rates, **more})


def _group(think_us: float = 0.0) -> Group:
    return Group(name="read", engine="sim", classes=("read",), think_us=think_us)


@pytest.mark.parametrize(
    ("op", "pattern", "size", "key", "rate"),
    [
        ("read", "random", 4 << 10, "read_iops", 400.0),
        ("read", "sequential", 4 << 10, "sequential_read_iops", 400.0),
        ("read", "sequential", 1 << 20, "read_mb_per_s", 419.4304),
        ("write", "random", 4 << 10, "write_iops", 400.0),
        ("write", "sequential", 4 << 10, "sequential_write_iops", 400.0),
        ("write", "sequential", 1 << 20, "write_mb_per_s", 419.4304),
    ],
)
def test_each_kind_of_io_has_its_key(op: str, pattern: str, size: int, key: str, rate: float) -> None:
    found = measured_disk([_run(_cell(op, pattern, size, 400.0))])
    assert found.rates == {key: pytest.approx(rate)}


def test_a_rate_that_never_fell_is_that_which_was_measured_to_the_last_digit() -> None:
    for iops in (11.5, 11.907078360303661, 11.463330359018796):
        one = _cell("read", "sequential", 1 << 20, iops).but(mb_per_s=12.058624)
        assert measured_disk([_run(one)]).rates == {"read_mb_per_s": 12.058624}


def test_of_several_runs_the_highest_rate_counts() -> None:
    runs = [_run(_cell("read", "random", 4 << 10, rate)) for rate in (300.0, 400.0, 350.0)]
    found = measured_disk(runs)
    assert found.rates == {"read_iops": 400.0}
    assert found.devices == tuple(run.target.device for run in runs if run.target is not None)


def test_what_says_nothing_of_one_kind_counts_nowhere() -> None:
    for one in (
        _cell("read", "random", 8 << 10, 400.0),
        _cell("read", "random", 1 << 20, 400.0),
        _cell("read", "random", 4 << 10, 400.0, errors=1),
        _cell("read", "random", 4 << 10, 400.0, direct=False),
        _cell("read", "random", 4 << 10, 400.0, merge=True),
        _cell("read", "random", 4 << 10, 400.0, arrivals=Arrivals(kind="poisson", rate_per_s=400.0)),
        _cell("read", "random", 4 << 10, 400.0, groups=(_group(think_us=2500.0),)),
        cell(1000.0),
    ):
        assert measured_disk([_run(one)]).rates == {}


def test_a_closed_loop_without_pauses_counts() -> None:
    assert measured_disk([_run(_cell("read", "random", 4 << 10, 400.0, groups=(_group(),)))]).rates


def test_of_a_rate_that_fell_for_good_what_was_held_counts() -> None:
    figures = {"before_iops": 900.0, "after_iops": 300.0, "cliff_at_s": 1.0, "held_from_s": 1.5}
    fallen = Check(name="cliff", passed=False, reason="it fell", figures=figures)
    small = _cell("write", "random", 4 << 10, 600.0, checks=(fallen,))
    large = _cell("write", "sequential", 1 << 20, 600.0, checks=(fallen,))
    found = measured_disk([_run(small), _run(large)])
    assert found.rates == {"write_iops": 300.0, "write_mb_per_s": pytest.approx(314.5728)}


@pytest.mark.parametrize(
    ("serial", "here", "is_known"), [(None, "db2", False), ("S1", "db2", True), (None, None, True)]
)
def test_a_disk_without_a_serial_number_is_known_on_its_host_alone(
    serial: str | None, here: str | None, is_known: bool
) -> None:
    run = facts_runs.io_run()
    assert run.target is not None
    made = run.model_copy(update={"target": run.target.but(device=BlockDevice(name="vda", serial=serial))})
    (found,) = measured_disk([made], here).devices
    assert (found is not None) is is_known
    at_home = measured_disk([made], run.provenance.host.hostname)
    assert at_home.devices != (None,)
    assert at_home.told == (f"{run.id}, {run.title}",)


def test_points_of_a_calibration_count_as_well() -> None:
    run = facts_runs.calibration_run()
    assert run.calibration is not None
    points = [one.but(cell=_cell("read", "random", 4 << 10, 70.0)) for one in run.calibration.points]
    made = run.model_copy(update={"calibration": run.calibration.but(points=tuple(points))})
    assert measured_disk([made]).rates == {"read_iops": 70.0}
