"""Processes of database servers outside of their slice, in a made-up /proc: who is told, and who comes and goes meanwhile."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from unittest.mock import patch

import pytest

from plimsoll.facts import HostSlice, SliceWrong
from plimsoll.placement.slices.applying.servers import outside, services_outside
from sliced_hosts import aside, books, shop

WATCHED = "plimsoll.placement.slices.applying.servers"
NOBODY: Mapping[str, frozenset[int]] = {
    "shop": frozenset(),
    "books-1": frozenset(),
    "log-writers": frozenset(),
}


class Host:
    """A made-up /proc, and who is in which slice of it."""

    def __init__(self, proc: Path) -> None:
        self.proc = proc
        (proc / "self").mkdir(parents=True)
        self.slices: tuple[HostSlice, ...] = (shop(), books(), aside("log-writers", (22,)))
        self.inside = dict(NOBODY)
        self.owner: str | None = None

    def add(self, number: int, comm: str, command: str = "", children: str = "", state: str = "S") -> None:
        home = self.proc / str(number)
        (home / "task" / str(number)).mkdir(parents=True)
        (home / "comm").write_text(f"{comm}\n")
        (home / "stat").write_text(f"{number} ({comm}) {state} 1 1 0\n")
        (home / "cmdline").write_text(f"{command or comm}\0")
        (home / "task" / str(number) / "children").write_text(children)

    def postgres(self, *children: int) -> None:
        """A server, process 40."""
        self.add(40, "postgres", children=" ".join(map(str, children)))
        for child in children:
            self.add(child, "postgres")
            (self.proc / str(child) / "stat").write_text(f"{child} (postgres) S 40 40 0\n")

    def oracle(self, instance: str, first: int) -> None:
        """Its monitor, its log writer and a server of a session, whose names the kernel keeps 15 letters of."""
        for number, name in ((first, f"ora_pmon_{instance}"), (first + 1, f"ora_lgwr_{instance}")):
            self.add(number, name[:15], name)
        self.add(first + 2, f"oracle_{first + 2}_x"[:15], f"oracle{instance} (LOCAL=NO)")

    def found(self, look: Callable[[], Mapping[str, frozenset[int]]] | None = None) -> list[SliceWrong]:
        with patch(f"{WATCHED}.processes.owner", lambda number, proc: self.owner):
            return list(outside(self.slices, look or (lambda: self.inside), self.proc))

    def told(self) -> list[tuple[str, str | None, str]]:
        return [(one.code.removeprefix("slice-server-"), one.slice, one.message) for one in self.found()]


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path / "proc")


def test_a_process_that_starts_after_a_look_is_not_told_as_outside(host: Host) -> None:
    """By the time that groups are looked at it has been seen, and has been in its group from its first moment."""
    host.postgres(41)

    def started(leader: int, proc: Path) -> list[int]:
        host.add(42, "postgres")
        return [leader, 41, 42]

    def look() -> Mapping[str, frozenset[int]]:
        numbers = (int(entry.name) for entry in host.proc.iterdir() if entry.name.isdigit())
        return {**NOBODY, "shop": frozenset(numbers)}

    with patch("plimsoll.host.database_servers.server_processes", started):
        assert host.found(look) == []
    assert (host.proc / "42").exists()


def test_a_process_that_ends_before_it_is_looked_for_is_not_told_as_outside(host: Host) -> None:
    host.postgres(41, 42, 43)

    def look() -> Mapping[str, frozenset[int]]:
        shutil.rmtree(host.proc / "42")
        (host.proc / "43" / "stat").write_text("43 (postgres) Z 40 40 0\n")
        return {**NOBODY, "shop": frozenset({40, 41})}

    assert host.found(look) == []


def test_a_process_that_stays_outside_is_told(host: Host) -> None:
    host.postgres(41, 42)
    host.inside["shop"] = frozenset({40, 41})
    (found,) = host.found()
    assert (found.severity, found.slice) == ("wrong", "shop")
    assert found.message.startswith("1 of its processes of postgresql (postgres, process 40")
    assert found.message.endswith(" outside of the slice: postgres (42)")


def test_a_server_that_has_ended_is_not_told(host: Host) -> None:
    host.postgres()

    def look() -> Mapping[str, frozenset[int]]:
        shutil.rmtree(host.proc / "40")
        return NOBODY

    assert host.found(look) == []


def test_instances_that_differ_behind_the_letters_that_the_kernel_keeps_are_apart(host: Host) -> None:
    host.oracle("ORCLCDB1", 50)
    host.oracle("ORCLCDB2", 60)
    host.inside["books-1"] = frozenset({50, 51, 60, 61, 62})
    assert host.told() == [
        (
            "outside",
            "books-1",
            "1 of its processes of oracle (ora_pmon_ORCLCDB1, process 50) outside of the slice: oracle_52_x (52)",
        )
    ]


def test_a_server_whose_processes_are_not_told_is_in_doubt(host: Host) -> None:
    host.oracle("ORCLCDB", 50)
    for number in (50, 51, 52):
        (host.proc / str(number) / "cmdline").unlink()
    (found,) = host.found()
    assert (found.severity, found.slice) == ("doubt", None)
    assert found.message == (
        "which processes oracle (ora_pmon_ORCLCD, process 50) has is not told, nor whether they are in a slice"
    )


def test_a_log_writer_is_where_it_should_be_in_the_slice_of_log_writers(host: Host) -> None:
    host.oracle("BOOKS", 50)
    host.inside |= {"books-1": frozenset({50, 52}), "log-writers": frozenset({51})}
    host.slices = host.slices[::-1]
    assert host.told() == []
    host.inside |= {"books-1": frozenset()}
    host.owner = "oracle"
    assert host.told() == [
        (
            "outside",
            "books-1",
            "oracle (ora_pmon_BOOKS, process 50) outside of the slice: ora_pmon_BOOKS (50), oracle_52_x (52)",
        )
    ]


def test_a_server_in_the_slice_of_another_database_is_told(host: Host) -> None:
    host.postgres(41)
    host.inside["books-1"] = frozenset({40, 41})
    words = "postgresql (postgres, process 40) is in it, which is planned for oracle"
    assert host.told() == [("other", "books-1", words)]


def test_a_server_that_works_as_the_account_of_another_slice_is_told(host: Host) -> None:
    host.slices = (shop(), shop().but(name="news", account="news"))
    host.inside = {"shop": frozenset(), "news": frozenset({40, 41})}
    host.postgres(41)
    host.owner = "postgres"
    words = "postgresql (postgres, process 40) is in it, and works as postgres, which is the account of shop"
    assert host.told() == [("other", "news", words)]
    host.slices = (*host.slices, shop().but(name="more"))
    host.inside["more"] = frozenset()
    assert host.told() == []
    host.slices, host.owner = host.slices[:2], "news"
    assert host.told() == []


@pytest.mark.parametrize("is_inside", [True, False])
def test_a_service_that_is_restarted_meanwhile_is_looked_for_afterwards(is_inside: bool) -> None:
    asked: list[str] = []

    def main_process(service: str) -> int:
        asked.append(service)
        return 1

    def look() -> Mapping[str, frozenset[int]]:
        return {"shop": frozenset({1}) if asked and is_inside else frozenset()}

    with patch(f"{WATCHED}.main_process", main_process):
        found = list(services_outside([shop()], look))
    assert [one.slice for one in found] == ([] if is_inside else ["shop"])
