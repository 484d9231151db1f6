"""Flushes that hang since before a watch began, told from what `/proc` says of threads."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from plimsoll.observe.older_flushes import OlderFlushes

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


def still(proc: Path, flushes: OlderFlushes) -> list[tuple[int, int, str]]:
    found = flushes.still_under_way(12.5)
    return [(one["owner_pid"], one["for_ns"], one["part"]) for one in found]


@pytest.mark.parametrize(
    ("state", "call", "switches", "hangs"),
    [
        ("D", FDATASYNC, 7, True),
        ("D", FDATASYNC, 8, False),
        ("D", READ, 7, False),
        ("S", FDATASYNC, 7, False),
    ],
    ids=["the same call", "another call of the same kind", "another call", "it waits for nothing"],
)
def test_one_that_did_not_move_since_hangs(
    tmp_path: Path, state: str, call: str, switches: int, hangs: bool
) -> None:
    thread(tmp_path, 101)
    flushes = OlderFlushes(tmp_path, "x86_64")
    thread(tmp_path, 101, state, call, switches)
    assert still(tmp_path, flushes) == ([(100, 12_500_000_000, "flush")] if hangs else [])


def test_one_that_began_later_is_the_probes(tmp_path: Path) -> None:
    thread(tmp_path, 101)
    flushes = OlderFlushes(tmp_path, "x86_64")
    thread(tmp_path, 102)
    assert len(still(tmp_path, flushes)) == 1
    assert flushes.still_under_way(1.0)[0]["owner_started_ns"] == 4242 * 10**9 // os.sysconf("SC_CLK_TCK")


def test_numbers_of_calls_are_those_of_the_processor(tmp_path: Path) -> None:
    thread(tmp_path, 101)
    assert still(tmp_path, OlderFlushes(tmp_path, "aarch64")) == []
    assert still(tmp_path, OlderFlushes(tmp_path, "unheard of")) == []
    assert OlderFlushes().still_under_way(1.0) is not None, "what is really there can be read"
