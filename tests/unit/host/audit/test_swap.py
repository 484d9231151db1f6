"""Memory in the swap that processes of a database have in common counts once, and is no more than the swap holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from audited_hosts import MadeHost, findings
from plimsoll.facts import HostFinding

_MIB_KIB = 1024


@pytest.fixture
def host(tmp_path: Path) -> MadeHost:
    """With 100 MiB in the swap."""
    made = MadeHost(tmp_path)
    made.change("proc/meminfo", "SwapFree: 8388604", f"SwapFree: {8_388_604 - 100 * _MIB_KIB}")
    return made


def _forked(host: MadeHost, each_kib: int, part_kib: int | None, shared_kib: int = 0) -> HostFinding:
    """A server and three processes of it, each with the same in the swap."""
    part = "" if part_kib is None else f"\nSwapPss: {part_kib} kB"
    for number in range(40, 44):
        parent = "1" if number == 40 else "40"
        host.process(
            number,
            "postgres",
            parent=parent,
            sizes=f"VmRSS: 1000 kB\nVmSwap: {each_kib} kB\nVmPTE: 1 kB",
            smaps_rollup=f"Swap: {each_kib + shared_kib} kB{part}",
        )
    host.write("proc/40/task/40/children", "41 42 43")
    (found,) = findings(host.audit(), "database-in-swap")
    return found


def test_what_was_there_before_a_fork_counts_once(host: MadeHost) -> None:
    found = _forked(host, 40 * _MIB_KIB, 10 * _MIB_KIB, shared_kib=5 * _MIB_KIB)
    assert (found.severity, found.message) == ("hint", "45 MiB of its memory are in the swap")
    assert _forked(host, 80 * _MIB_KIB, 20 * _MIB_KIB).severity == "wrong"


def test_without_the_part_of_each_it_is_as_much_as_one_has_to_the_sum(host: MadeHost) -> None:
    found = _forked(host, 20 * _MIB_KIB, None)
    assert (found.severity, found.message) == ("hint", "20 MiB to 80 MiB of its memory are in the swap")


def test_it_is_no_more_than_the_swap_holds(host: MadeHost) -> None:
    found = _forked(host, 40 * _MIB_KIB, None)
    assert (found.severity, found.message) == ("hint", "40 MiB to 100 MiB of its memory are in the swap")
    assert _forked(host, 300 * _MIB_KIB, None).message == "100 MiB of its memory are in the swap"


def test_of_many_processes_those_with_most_tell_their_part(
    host: MadeHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plimsoll.host.audit.database_in_swap._PROCESSES_MAX", 3)
    found = _forked(host, 8 * _MIB_KIB, 2 * _MIB_KIB)
    assert found.message == "8 MiB to 14 MiB of its memory are in the swap"
