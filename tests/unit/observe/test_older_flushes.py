"""Flushes that hang since before a watch began, told from what `/proc` says of threads."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from plimsoll.observe.older_flushes import OlderFlushes
from seen_commits import under_way

if TYPE_CHECKING:
    from plimsoll.native.commit_probe import CommitUnderWay

FDATASYNC = "75 0x5 0x0 0x0 0x0 0x0 0x0 0x7ffd 0x7f01\n"
READ = "0 0x5 0x0 0x0 0x0 0x0 0x0 0x7ffd 0x7f01\n"


def thread(proc: Path, number: int, state: str = "D", call: str = FDATASYNC, switches: int = 7) -> None:
    """Thread of process 100, whose name has what a name may have."""
    for folder in (proc / "100", proc / "100" / "task" / str(number)):
        folder.mkdir(parents=True, exist_ok=True)
        numbers = " ".join(["1"] * 18)
        (folder / "stat").write_text(f"{number} (a) D (b) {state} {numbers} 4242 1 1\n")
    (folder / "syscall").write_text(call)
    (folder / "status").write_text(
        f"Name:\ta\nvoluntary_ctxt_switches:\t{switches}\nnonvoluntary_ctxt_switches:\t1\n"
    )


def still(proc: Path, *known: CommitUnderWay, machine: str = "x86_64") -> list[tuple[int, int, int, str]]:
    """What is beside what the probe knows."""
    own, found = OlderFlushes(proc, machine).beside(lambda: list(known), 12.5)
    assert own == list(known)
    return [(one["owner_pid"], one["thread"], one["for_ns"], one["part"]) for one in found]


def test_one_that_the_probe_does_not_know_hangs_since_before(tmp_path: Path) -> None:
    """Whenever it began before the probe was at work, and whatever was looked at then."""
    thread(tmp_path, 101)
    assert still(tmp_path) == [(100, 101, 12_500_000_000, "flush")]
    assert still(tmp_path, under_way(owner_pid=100, thread=101)) == []
    thread(tmp_path, 102)
    assert still(tmp_path, under_way(owner_pid=100, thread=102)) == [(100, 101, 12_500_000_000, "flush")]


@pytest.mark.parametrize(
    ("state", "call", "switches"),
    [("D", FDATASYNC, 8), ("D", READ, 7), ("S", FDATASYNC, 7)],
    ids=["another call of the same kind", "another call", "it waits for nothing"],
)
def test_one_that_goes_on_while_the_probe_is_asked_does_not(
    tmp_path: Path, state: str, call: str, switches: int
) -> None:
    """The probe may have been asked before a call began, and no call that it does not know is told as older."""
    thread(tmp_path, 101)

    def asked() -> list[CommitUnderWay]:
        thread(tmp_path, 101, state, call, switches)
        return []

    assert OlderFlushes(tmp_path, "x86_64").beside(asked, 12.5) == ([], [])


def test_one_that_begins_when_the_probe_was_asked_is_none(tmp_path: Path) -> None:
    def asked() -> list[CommitUnderWay]:
        thread(tmp_path, 101)
        return []

    assert OlderFlushes(tmp_path, "x86_64").beside(asked, 12.5) == ([], [])


def test_it_is_of_its_process_by_number_and_start(tmp_path: Path) -> None:
    thread(tmp_path, 101)
    _, (one,) = OlderFlushes(tmp_path, "x86_64").beside(list, 1.0)
    assert one["owner_started_ns"] == 4242 * 10**9 // os.sysconf("SC_CLK_TCK")


def test_numbers_of_calls_are_those_of_the_processor(tmp_path: Path) -> None:
    thread(tmp_path, 101)
    assert still(tmp_path, machine="aarch64") == []
    assert still(tmp_path, machine="unheard of") == []
    assert OlderFlushes().beside(list, 1.0) is not None, "what is really there can be read"
