"""Scratch: everything handed out is gone after close, and after a kill the next start takes it back, and nothing else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from plimsoll.base.errors import WorldError
from plimsoll.context import Scratch
from plimsoll.context.journal import Claimed, Entry, Journal, Made, Started
from plimsoll.context.scratch import Reclaimed, reclaim
from plimsoll.ports import processes
from plimsoll.ports.folders import Folder

NOTHING = Reclaimed()
LEFT_BEHIND = """
import sys, time
from pathlib import Path
from plimsoll.context import Scratch
scratch = Scratch(Path(sys.argv[1]))
parent = Path(sys.argv[2])
file = scratch.new_file(parent, "scratch", ".dat")
file.write_bytes(b"x" * 100_000)
folder = scratch.new_folder(parent, "cluster")
(folder / "inner").mkdir()
(folder / "inner" / "data").write_text("x")
child = scratch.start(["sleep", "600"], folder=folder)
print(file, folder, child.pid, flush=True)
time.sleep(600)
"""


@pytest.fixture
def journals(tmp_path: Path) -> Path:
    return tmp_path / "journals"


@pytest.fixture
def parent(tmp_path: Path) -> Path:
    folder = tmp_path / "parent"
    folder.mkdir()
    return folder


def journal_files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.journal"))


@pytest.fixture
def killed(journals: Path, parent: Path) -> Iterator[tuple[Path, Path, processes.Identity]]:
    """What a process that was killed by SIGKILL left: a file, a folder and a child that still runs."""
    program = subprocess.Popen(
        [sys.executable, "-c", LEFT_BEHIND, str(journals), str(parent)], stdout=subprocess.PIPE, text=True
    )
    assert program.stdout is not None
    file, folder, pid = program.stdout.readline().split()
    child = processes.identity(int(pid))
    assert child is not None
    program.kill()
    program.wait()
    program.stdout.close()
    assert processes.is_alive(child), "a helper outlives its parent, else there is nothing to take back"
    yield Path(file), Path(folder), child
    processes.send(child, signal.SIGKILL)


def test_everything_handed_out_is_gone_after_close(journals: Path, parent: Path) -> None:
    (parent / "mine").write_text("stays")
    with Scratch(journals) as scratch:
        file = scratch.new_file(parent, "scratch", ".dat")
        folder = scratch.new_folder(parent, "cluster", mode=0o755)
        (folder / "data").write_text("x")
        child = scratch.start(["sleep", "600"], folder=folder)
        assert file.name.startswith("plimsoll-scratch-")
        assert file.name.endswith(".dat")
        assert folder.stat().st_mode & 0o777 == 0o755
        assert len(journal_files(journals)) == 1
    assert [path.name for path in parent.iterdir()] == ["mine"]
    assert child.poll() is not None
    assert journal_files(journals) == []


def test_it_is_gone_after_an_error_too(journals: Path, parent: Path) -> None:
    def fail() -> None:
        with Scratch(journals) as scratch:
            scratch.new_file(parent, "scratch")
            raise RuntimeError("in the middle")

    with pytest.raises(RuntimeError):
        fail()
    assert list(parent.iterdir()) == []


def test_one_thing_can_be_taken_back_early(journals: Path, parent: Path) -> None:
    with Scratch(journals) as scratch:
        first, second = scratch.new_file(parent, "a"), scratch.new_folder(parent, "b")
        child = scratch.start(["sleep", "600"], folder=second)
        scratch.release(second)
        assert list(parent.iterdir()) == [first]
        assert child.poll() is not None


def test_a_child_that_ignores_the_first_signal_gets_the_second(
    journals: Path, parent: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plimsoll.context.scratch._PATIENCE_S", 0.3)
    with Scratch(journals) as scratch:
        deaf = scratch.start(
            [
                sys.executable,
                "-c",
                "import signal,time; signal.signal(15, signal.SIG_IGN); print('deaf', flush=True); time.sleep(600)",
            ],
            folder=scratch.new_folder(parent, "work"),
            stdout=processes.CAPTURE,
        )
        assert deaf.stdout is not None
        assert deaf.stdout.readline() == "deaf\n"
        deaf.stdout.close()
    assert deaf.poll() == -signal.SIGKILL


def test_a_name_is_never_handed_out_twice(journals: Path, parent: Path) -> None:
    with Scratch(journals) as scratch:
        made = [scratch.new_file(parent, "scratch") for _ in range(200)]
    assert len(set(made)) == 200


def test_nothing_is_written_where_nothing_is_asked_for(journals: Path) -> None:
    with Scratch(journals):
        pass
    assert not journals.exists()
    assert reclaim(journals) == NOTHING


def test_the_next_start_takes_back_what_a_kill_left(
    journals: Path, parent: Path, killed: tuple[Path, Path, processes.Identity]
) -> None:
    file, folder, child = killed
    (parent / "plimsoll-of-a-stranger").write_text("stays")
    taken = reclaim(journals)
    assert taken == Reclaimed((f"process {child.pid}", str(folder), str(file)))
    assert [path.name for path in parent.iterdir()] == ["plimsoll-of-a-stranger"]
    assert not processes.is_alive(child)
    assert journal_files(journals) == []
    assert reclaim(journals) == NOTHING


def test_a_helper_that_was_not_written_down_by_id_is_found_by_where_it_works(
    journals: Path, killed: tuple[Path, Path, processes.Identity]
) -> None:
    """The kill may fall between the start of a helper and the note of its id."""
    (journal,) = journal_files(journals)
    kept = [line for line in journal.read_text().splitlines() if '"pid"' not in line]
    journal.write_text("\n".join(kept) + "\n")
    reclaim(journals)
    assert not processes.is_alive(killed[2])


@pytest.mark.parametrize("cut_bytes", [1, 2, 20, 60])
def test_a_journal_that_ends_in_mid_line_is_read_up_to_there(
    journals: Path, killed: tuple[Path, Path, processes.Identity], cut_bytes: int
) -> None:
    (journal,) = journal_files(journals)
    whole = journal.read_bytes()
    journal.write_bytes(whole + whole.splitlines()[0][:-cut_bytes])
    reclaim(journals)
    assert not any(path.exists() for path in killed[:2])


@pytest.mark.parametrize(
    "rubbish", [b"12\n", b'"text"\n', b"[]\n", b"\x00\xff\n", b'{"path": "/etc/hostname"}\n']
)
def test_rubbish_in_a_journal_hits_nothing_and_stops_nothing(
    journals: Path, killed: tuple[Path, Path, processes.Identity], rubbish: bytes
) -> None:
    (journal,) = journal_files(journals)
    journal.write_bytes(rubbish + journal.read_bytes())
    reclaim(journals)
    assert not any(path.exists() for path in killed[:2])
    assert Path("/etc/hostname").exists()


def test_a_journal_of_a_living_process_is_left_alone(journals: Path, parent: Path) -> None:
    with Scratch(journals) as scratch:
        file = scratch.new_file(parent, "scratch")
        assert reclaim(journals) == NOTHING
        assert file.exists()


@pytest.fixture
def stranger(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that is none of ours, though it works in a folder with a name like ours."""
    folder = tmp_path / "plimsoll-work-0123456789abcdef"
    folder.mkdir()
    child = subprocess.Popen(["sleep", "600"], cwd=folder)
    yield child
    child.kill()
    child.wait()


def told_of(stranger: subprocess.Popen[bytes], place: Path, **wrong: Any) -> list[Entry]:
    """What a journal would say of it if it were ours, but for what is `wrong`."""
    known = processes.identity(stranger.pid)
    assert known is not None
    claimed = Claimed(str(place), inode_of(place.parent), processes.boot_id())
    started = Started(
        known.pid, known.start_ticks, processes.boot_id(), processes.program_path("sleep"), str(place), (9,)
    )
    return [claimed, Made(str(place), inode_of(place)), replace(started, **wrong)]


def inode_of(path: Path) -> tuple[int, int]:
    state = path.stat()
    return state.st_dev, state.st_ino


@pytest.mark.parametrize(
    "wrong",
    [
        {"ticks": 1},
        {"boot": "0" * 32},
        {"program": "/usr/bin/true"},
        {"folder": "/"},
        {"folder": "/var/tmp"},
        {"pid": os.getpid()},
        {"pid": 1},
    ],
    ids=["ticks", "boot", "program", "root", "other folder", "ourselves", "init"],
)
def test_a_process_that_differs_from_what_was_started_is_not_hit(
    journals: Path, tmp_path: Path, stranger: subprocess.Popen[bytes], wrong: dict[str, Any]
) -> None:
    leave_journal(journals, told_of(stranger, tmp_path / "plimsoll-work-0123456789abcdef", **wrong))
    assert not any(one.startswith("process") for one in reclaim(journals).taken)
    assert stranger.poll() is None


def test_a_process_in_a_folder_that_is_none_of_ours_is_not_hit(
    journals: Path, tmp_path: Path, stranger: subprocess.Popen[bytes]
) -> None:
    folder = tmp_path / "plimsoll-work-0123456789abcdef"
    claimed, _, started = told_of(stranger, folder)
    for entries in ([started], [claimed, Made(str(folder), (1, 2)), started], [claimed, started]):
        (folder / "data").touch()
        leave_journal(journals, entries)
        found = reclaim(journals)
        assert found.taken == ()
        assert f"process {stranger.pid}: it is not what was started" in found.left
        assert stranger.poll() is None
        assert folder.exists()


def test_a_process_that_is_ours_in_every_way_is_ended(
    journals: Path, tmp_path: Path, stranger: subprocess.Popen[bytes]
) -> None:
    """So that the tests above fail for what is wrong, and for nothing else."""
    folder = tmp_path / "plimsoll-work-0123456789abcdef"
    leave_journal(journals, told_of(stranger, folder))
    assert reclaim(journals).taken == (f"process {stranger.pid}", str(folder))
    assert stranger.wait(timeout=10) == -signal.SIGKILL


def test_a_stranger_who_works_in_our_folder_is_not_hit(
    journals: Path, killed: tuple[Path, Path, processes.Identity]
) -> None:
    """An administrator may have changed to it in a shell."""
    stranger = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], cwd=killed[1])
    try:
        reclaim(journals)
        assert stranger.poll() is None
        assert not killed[1].exists()
    finally:
        stranger.kill()
        stranger.wait()


def test_the_writer_of_an_earlier_boot_is_dead_even_if_its_id_is_in_use(journals: Path, parent: Path) -> None:
    scratch = Scratch(journals)
    file = scratch.new_file(parent, "scratch")
    scratch._journal.close()
    (journal,) = journal_files(journals)
    journal.rename(journal.with_name(journal.name.replace(processes.boot_id(), "0" * 32)))
    assert reclaim(journals) == Reclaimed((str(file),))


def test_another_hosts_journal_in_a_shared_home_is_left_alone(
    journals: Path, killed: tuple[Path, Path, processes.Identity], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "host_name", lambda: "another-host")
    assert reclaim(journals) == NOTHING
    assert killed[0].exists()


def test_two_starts_at_once_take_back_each_thing_once(
    journals: Path, killed: tuple[Path, Path, processes.Identity]
) -> None:
    taken: list[str] = []
    together = threading.Barrier(8)

    def start() -> None:
        together.wait()
        taken.extend(reclaim(journals).taken)

    threads = [threading.Thread(target=start) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == sorted([f"process {killed[2].pid}", str(killed[1]), str(killed[0])])
    assert journal_files(journals) == []


def test_what_cannot_be_removed_stays_in_its_journal_for_the_next_start(
    journals: Path,
    parent: Path,
    killed: tuple[Path, Path, processes.Identity],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(folder: Folder, name: str) -> None:
        if name == killed[0].name:
            raise PermissionError(1, "Operation not permitted", name)
        really(folder, name)

    really = Folder.remove
    with monkeypatch.context() as patch:
        patch.setattr(Folder, "remove", refuse)
        assert str(killed[0]) not in reclaim(journals).taken
    assert killed[0].exists()
    # The journal is now this process's own, and a process never takes back from itself.
    (journal,) = journal_files(journals)
    journal.rename(journal.with_name(journal.name.replace(processes.boot_id(), "0" * 32)))
    assert reclaim(journals).taken == (str(killed[0]),)


def test_a_folder_that_refuses_is_an_error_with_the_way_on(journals: Path, tmp_path: Path) -> None:
    with Scratch(journals) as scratch, pytest.raises(WorldError) as refused:
        scratch.new_file(tmp_path / "missing", "scratch")
    assert refused.value.id == "scratch-refused"
    assert refused.value.hint is not None
    with Scratch(journals) as scratch, pytest.raises(WorldError) as refused:
        scratch.new_folder(tmp_path / "missing", "cluster")
    assert refused.value.id == "scratch-refused"


def test_without_a_journal_nothing_is_made(tmp_path: Path, parent: Path) -> None:
    (tmp_path / "state").write_text("a file where the folder should be")
    with Scratch(tmp_path / "state") as scratch, pytest.raises(WorldError) as refused:
        scratch.new_file(parent, "scratch")
    assert refused.value.id == "journal-refused"
    assert list(parent.iterdir()) == []


def test_fifty_scratches_leave_no_descriptor_and_no_process(journals: Path, parent: Path) -> None:
    before = set(os.listdir("/proc/self/fd"))
    for _ in range(50):
        with Scratch(journals) as scratch:
            scratch.new_file(parent, "scratch")
            scratch.start(["true"], folder=scratch.new_folder(parent, "work"))
    assert set(os.listdir("/proc/self/fd")) == before


def leave_journal(journals: Path, entries: Sequence[Entry]) -> None:
    """A journal as a process of an earlier boot would have left it."""
    journal = Journal(journals)
    for entry in entries:
        journal.note(entry)
    journal.close()
    (path,) = journal_files(journals)
    path.rename(path.with_name(path.name.replace(f"-{processes.boot_id()}-", f"-{'0' * 32}-")))


def test_a_writer_in_a_namespace_of_its_own_is_not_taken_for_dead(
    journals: Path, parent: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There it has another id and another start than is seen from here; that it holds its journal is seen all the same."""
    program = subprocess.Popen(
        [sys.executable, "-c", LEFT_BEHIND, str(journals), str(parent)], stdout=subprocess.PIPE, text=True
    )
    assert program.stdout is not None
    file = Path(program.stdout.readline().split()[0])
    try:
        monkeypatch.setattr(processes, "is_alive", lambda process: False)
        assert reclaim(journals) == NOTHING
        assert file.exists()
    finally:
        program.kill()
        program.wait()
        program.stdout.close()
    monkeypatch.undo()
    assert str(file) in " ".join(reclaim(journals).taken)
    assert not file.exists()
