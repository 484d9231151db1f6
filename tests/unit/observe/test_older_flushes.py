"""Flushes that hang since before a watch began, told from what `/proc` says of threads."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from plimsoll.observe.flushed_files import FlushedFiles
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


def begun(proc: Path, machine: str = "x86_64") -> OlderFlushes:
    """At the begin of a watch, with what is under way."""
    found = OlderFlushes(proc, machine)
    found.begin()
    return found


def still(proc: Path, *known: CommitUnderWay, machine: str = "x86_64") -> list[tuple[int, int, int, str]]:
    """What is beside what the probe knows."""
    own, found = begun(proc, machine).beside(lambda: list(known), 12.5)
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

    assert begun(tmp_path).beside(asked, 12.5) == ([], [])


def test_one_that_began_since_is_none(tmp_path: Path) -> None:
    """Whoever began when the probe was in the kernel is known to it, or is none that it sees."""
    watch = begun(tmp_path)
    thread(tmp_path, 101)
    assert watch.beside(list, 12.5) == ([], [])


def test_one_that_is_in_another_call_by_now_is_none(tmp_path: Path) -> None:
    thread(tmp_path, 101)
    watch = begun(tmp_path)
    thread(tmp_path, 101, call=FDATASYNC.replace("0x5", "0x6"))
    assert watch.beside(list, 12.5) == ([], [])


def test_one_that_was_given_a_processor_since_is_in_its_call_still(tmp_path: Path) -> None:
    """A flush of many blocks waits for each of them."""
    thread(tmp_path, 101)
    watch = begun(tmp_path)
    thread(tmp_path, 101, switches=4_711)
    _, (one,) = watch.beside(list, 12.5)
    assert one["thread"] == 101


def opened(proc: Path, target: Path, flags: int, mount: str = "ext4") -> Path:
    """What thread 101 of process 100 flushes."""
    task = proc / "100" / "task" / "101"
    for name in ("fd", "fdinfo"):
        (task / name).mkdir(parents=True, exist_ok=True)
    (task / "fd" / "5").symlink_to(target)
    (task / "fdinfo" / "5").write_text(f"pos:\t0\nflags:\t0{flags:o}\nmnt_id:\t77\nino:\t12\n")
    (proc / "100" / "mountinfo").write_text(f"77 1 8:1 / / rw - {mount} /dev/sda1 rw\n")
    return proc


@pytest.mark.parametrize(
    ("kind", "flags", "mount", "is_told"),
    [
        ("folder", os.O_RDONLY, "ext4", False),
        ("folder", os.O_RDONLY | os.O_DIRECTORY, "nfs4", False),
        ("file", os.O_RDONLY, "ext4", True),
        ("file", os.O_RDWR, "ext4", True),
        ("file", os.O_RDONLY, "nfs4", True),
        ("missing", os.O_RDONLY, "ext4", True),
    ],
)
def test_a_flush_of_a_folder_is_none(
    tmp_path: Path, kind: str, flags: int, mount: str, is_told: bool
) -> None:
    """The probe does not see it begin either, whenever it does."""
    proc = tmp_path / "proc"
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    thread(proc, 101)
    opened(proc, tmp_path / kind, flags, mount)
    assert len(still(proc)) == is_told


@pytest.mark.parametrize("flags", [os.O_RDWR, os.O_RDONLY])
def test_no_file_is_asked_that_somebody_else_would_have_to_answer_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, flags: int
) -> None:
    thread(tmp_path, 101)
    opened(tmp_path, tmp_path / "gone", flags, "fuse.sshfs")
    asked: list[Path] = []
    monkeypatch.setattr(os, "stat", asked.append)
    assert FlushedFiles(tmp_path).may_be_file(100, 101, 5)
    assert asked == []


def test_of_the_argument_the_kernel_takes_its_lower_half(tmp_path: Path) -> None:
    opened(tmp_path, tmp_path, os.O_RDONLY)
    assert not FlushedFiles(tmp_path).may_be_file(100, 101, 0xDEAD_0000_0005)


def test_it_is_of_its_process_by_number_and_start(tmp_path: Path) -> None:
    thread(tmp_path, 101)
    _, (one,) = begun(tmp_path).beside(list, 1.0)
    assert one["owner_started_ns"] == 4242 * 10**9 // os.sysconf("SC_CLK_TCK")


def test_numbers_of_calls_are_those_of_the_processor(tmp_path: Path) -> None:
    thread(tmp_path, 101)
    assert still(tmp_path, machine="aarch64") == []
    assert still(tmp_path, machine="unheard of") == []
    real = OlderFlushes()
    real.begin()
    assert real.beside(list, 1.0) is not None, "what is really there can be read"
