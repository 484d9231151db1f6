"""A line of several hosts: the objective holds where it holds on each, and what is one host's fault is said of it."""

from __future__ import annotations

from typing import Any, cast

import pytest

from made_up_hosts import on_hosts
from made_up_trials import made_up
from plimsoll.base.errors import WorldError
from plimsoll.facts import Line, LineHost
from plimsoll.supply.drift import void_reason
from plimsoll.supply.hosts_at_line import trials_at, with_hosts, with_slow_host
from plimsoll.supply.line import Search, find_line
from plimsoll.supply.overload import overload
from plimsoll.supply.readings import cpu_share, disturbance
from plimsoll.supply.slo import parse_slo, slo_over
from plimsoll.supply.trials import runtime_needed_s
from plimsoll.supply.workloads import workload

SLO = parse_slo("p99=1ms")


def _search(*hosts: str) -> Search:
    return Search(slo_over(SLO, hosts), workload("randread", 8192), start_rate=100_000)


def _line(**measures: Any) -> Line:
    search = _search(*measures)
    line = find_line(search, cast(Any, on_hosts(**measures)))
    hosts = [LineHost(name=host, clock_offset_us=0.0, clock_error_us=1.0) for host in measures]
    return with_slow_host(with_hosts(line.but(slo=SLO), search.slo, hosts), search.slo)


def _disk(held_below: float, busy_share: float = 0.3, waiting: float = 0.0) -> Any:
    return made_up("nfs", busy_share, waiting, held_below=held_below)


def test_the_slowest_host_decides_and_is_named() -> None:
    line = _line(a=_disk(80_000), b=_disk(20_000), c=_disk(80_000))
    assert line.line_iops == pytest.approx(60_000, rel=0.1)
    assert line.limiting_host == "b"
    (note,) = (note for note in line.notes if note.code == "slow-host")
    assert note.message.startswith("b is slower than the other hosts")
    assert [host.late_ratio is not None for host in line.hosts] == [True] * 3


def test_equal_hosts_have_the_sum_and_none_is_named() -> None:
    line = _line(a=_disk(40_000), b=_disk(40_000))
    assert line.line_iops == pytest.approx(80_000, rel=0.1)
    assert line.limiting_host is None
    assert not any(note.code == "slow-host" for note in line.notes)


def test_a_loose_quantile_does_not_hide_a_host() -> None:
    """Half of all I/Os together are fast whatever one of four hosts does."""
    slow, fast = made_up("nfs", 0.3, 0.0, held_below=0.0, served_us=3000.0), _disk(1e9)
    search = Search(slo_over(parse_slo("p50=1ms"), "abcd"), workload("randread", 8192), start_rate=100_000)
    line = find_line(search, cast(Any, on_hosts(a=fast, b=slow, c=fast, d=fast)))
    assert line.outcome == "never_held"
    assert line.limiting_host == "b"


def test_a_busy_host_is_to_blame_by_its_name() -> None:
    cell = on_hosts(a=_disk(1e9), b=_disk(0.0, waiting=0.9))(rate=1000.0, runtime_s=10.0)
    reason = disturbance(_search("a", "b").slo, cell)
    assert reason is not None
    assert "on b waited for a CPU" in reason


def test_the_busiest_host_is_the_tool_s_limit() -> None:
    cell = on_hosts(a=made_up("io_uring", 0.2, 0.0, 1e9), b=made_up("io_uring", 0.99, 0.0, 0.0))(
        rate=1000.0, runtime_s=10.0
    )
    assert cpu_share(cell) == pytest.approx(0.99)


def test_the_host_that_is_furthest_behind_counts() -> None:
    cell = on_hosts(a=_disk(1e9), b=_disk(1e9))(rate=2000.0, runtime_s=10.0)
    behind = cell.but(hosts=(cell.hosts[0], cell.hosts[1].but(ios=2000, offered_ios=10_000)))
    assert overload(cell, 2000.0) == 0
    assert overload(behind, 2000.0) == pytest.approx(5.0)


def test_a_trial_is_long_enough_for_the_quantile_of_each_host() -> None:
    one = runtime_needed_s(_search("a"), 100.0)
    assert runtime_needed_s(_search(*"abcd"), 100.0) == pytest.approx(4 * one)


def test_objectives_are_those_of_each_host() -> None:
    slo = slo_over(parse_slo("read.p99=1ms,p50=2ms"), ["a", "b"])
    assert [(one.io_class, one.host) for one in slo.objectives] == [
        ("read", "a"),
        (None, "a"),
        ("read", "b"),
        (None, "b"),
    ]
    assert slo.hosts == 2
    assert SLO.hosts == 1
    assert slo.objectives[0].words == "99 of 100 read I/Os of a within 1 ms"


def test_a_host_whose_latency_rises_makes_a_trial_void() -> None:
    cell = on_hosts(a=_disk(1e9), b=_disk(1e9), c=_disk(1e9), d=_disk(1e9))(rate=1000.0, runtime_s=10.0)
    assert void_reason(cell, 1000.0, held=True) is None
    rising = tuple(
        one.but(latency_us_p50=100.0 + 40 * number) for number, one in enumerate(cell.hosts[1].windows)
    )
    hosts = (cell.hosts[0], cell.hosts[1].but(windows=rising), *cell.hosts[2:])
    reason = void_reason(cell.but(hosts=hosts), 1000.0, held=True)
    assert reason is not None
    assert reason.startswith("b: the latency was still rising")


def test_a_trial_shows_the_latency_of_the_host_that_missed() -> None:
    line = _line(a=_disk(80_000), b=_disk(20_000))
    for trial in line.trials:
        of = next(part for part in trial.cell.hosts if part.name == trial.limiting_host)
        assert trial.latency_us == of.latency_us


@pytest.mark.parametrize("id", ["clocks-apart", "begin-missed"])
def test_what_keeps_hosts_from_beginning_together_is_no_failure_of_the_storage(id: str) -> None:
    steady, made = on_hosts(a=_disk(80_000), b=_disk(80_000)), []

    def measure(**asked: Any) -> Any:
        made.append(asked)
        if len(made) > 2:
            raise WorldError(id, "the clock of b is known to 20 ms only")
        return steady(**asked)

    line = find_line(_search("a", "b"), cast(Any, measure))
    assert line.outcome == "unsteady"
    assert "the clock of b is known to 20 ms only" in line.reason
    assert len(line.trials) == 2


def test_who_is_busy_is_not_the_client() -> None:
    late = made_up("io_uring", 0.3, 0.9, held_below=0.0)
    line = find_line(_search("a", "b"), cast(Any, on_hosts(a=late, b=late)))
    assert "one of the hosts" in line.reason
    assert "this machine" not in line.reason
    assert "this host" not in line.reason


def test_without_a_line_no_trial_is_one_at_the_line() -> None:
    line = _line(a=_disk(0.0), b=_disk(0.0))
    assert line.line_iops is None
    assert trials_at(line) == []
    assert [host.iops for host in line.hosts] == [None, None]
