"""Hints that end when their advice was followed, and that are none for a virtual machine."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from audited_hosts import MadeHost, findings, of_rule

_CPU = "sys/devices/system/cpu"
_NO_LIMIT_US = 2_000_000_000


@pytest.fixture
def host(tmp_path: Path) -> MadeHost:
    """Whose CPUs may fall into C6, which takes 133 µs to leave."""
    made = MadeHost(tmp_path)
    for cpu in range(8):
        made.write(f"{_CPU}/cpu{cpu}/cpuidle/state2/disable", "0")
    return made


def _held(host: MadeHost, limit_us: int) -> None:
    """As by a program that has asked for it."""
    (host.root / "dev").mkdir(exist_ok=True)
    (host.root / "dev/cpu_dma_latency").write_bytes(limit_us.to_bytes(4, sys.byteorder, signed=True))


def _states(host: MadeHost) -> list[str]:
    return [one.message for one in findings(host.audit(), "deep-idle-states")]


@pytest.mark.parametrize(
    ("limit_us", "is_found"), [(0, False), (2, False), (132, False), (133, True), (_NO_LIMIT_US, True)]
)
def test_states_beyond_what_a_program_asks_for_are_not_fallen_into(
    host: MadeHost, limit_us: int, is_found: bool
) -> None:
    _held(host, limit_us)
    found = "CPUs 0-7 may fall into the idle state C6, which takes 133 µs to leave"
    assert _states(host) == ([found] if is_found else [])
    told = {one.path: one.value for one in of_rule(host.audit(), "deep-idle-states").seen}
    assert told["/dev/cpu_dma_latency"] == ("no limit" if limit_us == _NO_LIMIT_US else f"{limit_us} µs")


@pytest.mark.parametrize(
    ("limit", "is_found"), [("0", True), ("n/a", False), ("50", False), ("133", True), ("200", True)]
)
def test_a_cpu_may_have_a_limit_of_its_own(host: MadeHost, limit: str, is_found: bool) -> None:
    _held(host, _NO_LIMIT_US)
    host.write(f"{_CPU}/cpu0/power/pm_qos_resume_latency_us", limit)
    (found,) = _states(host)
    assert found.startswith(f"CPUs {'0-7' if is_found else '1-7'} may fall ")


def test_the_lower_limit_counts(host: MadeHost) -> None:
    _held(host, 10)
    host.write(f"{_CPU}/cpu0/power/pm_qos_resume_latency_us", "500")
    assert _states(host) == []


def test_a_limit_that_means_nothing_is_in_doubt(host: MadeHost) -> None:
    host.write(f"{_CPU}/cpu0/power/pm_qos_resume_latency_us", "some")
    assert [one.severity for one in findings(host.audit(), "deep-idle-states")] == ["doubt"]


def test_it_is_said_where_what_programs_ask_for_cannot_be_read(host: MadeHost) -> None:
    (found,) = _states(host)
    assert found.endswith(
        "133 µs to leave, unless a program holds /dev/cpu_dma_latency, which cannot be read"
    )


def _one_node(host: MadeHost) -> None:
    for name in ("cpulist", "distance", "meminfo"):
        host.remove(f"sys/devices/system/node/node1/{name}")
    (host.root / "sys/devices/system/node/node1").rmdir()
    host.write("sys/devices/system/node/node0/distance", "10")
    host.write("sys/devices/system/node/node0/cpulist", "0-7")


@pytest.mark.parametrize(("flag", "is_found"), [("hypervisor", False), ("", True)])
def test_packages_of_a_virtual_machine_say_nothing_of_nodes(
    host: MadeHost, flag: str, is_found: bool
) -> None:
    host.write("proc/cpuinfo", f"processor : 0\nmodel name : hypervisor\nflags : fpu vme {flag} lahf_lm")
    _one_node(host)
    assert [one.severity for one in findings(host.audit(), "numa-off")] == (["hint"] if is_found else [])
    assert ("/proc/cpuinfo" in {one.path for one in of_rule(host.audit(), "numa-off").seen}) != is_found
    host.write("proc/cmdline", "quiet numa=off")
    (found,) = findings(host.audit(), "numa-off")
    assert (found.severity, "packages" in found.message) == ("wrong" if is_found else "hint", is_found)
