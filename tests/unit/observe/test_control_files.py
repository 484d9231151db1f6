"""Control files are read once for each process, and one that cannot be read keeps nobody waiting."""

from __future__ import annotations

import errno
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from plimsoll.observe.control_files import RETRY_S, UNREAD_MAX, ControlFiles, number_in
from plimsoll.ports import files
from plimsoll.ports.clock import VirtualClock

NUMBER = 7_512_345_678_901_234_567
NO_PATIENCE_S = 0.01


def process(proc: Path, pid: int, folder: Path, started: int = 4242) -> None:
    """Works in that folder, as its own mounts show it."""
    (proc / str(pid) / "ns").mkdir(parents=True, exist_ok=True)
    for name, target in (("cwd", str(folder)), ("ns/mnt", "mnt:[4026531841]")):
        link = proc / str(pid) / name
        link.unlink(missing_ok=True)
        os.symlink(target, link)
    (proc / str(pid) / "stat").write_text(f"{pid} (postgres) S {' '.join(['1'] * 18)} {started} 1 1\n")


class Mount:
    """Answers when its server is back."""

    def __init__(self) -> None:
        self.is_back = threading.Event()
        self.asked: list[Path] = []

    def read(self, path: Path) -> int | None:
        self.asked.append(path)
        self.is_back.wait()
        return NUMBER


@pytest.fixture
def dead() -> Iterator[Mount]:
    mount = Mount()
    yield mount
    mount.is_back.set()


def test_each_process_is_looked_at_once(tmp_path: Path) -> None:
    asked: list[Path] = []

    def read(path: Path) -> int | None:
        asked.append(path)
        return NUMBER + len(asked)

    found = ControlFiles(tmp_path, read)
    for pid in (100, 101):
        process(tmp_path, pid, Path("/data"))
    for _ in range(3):
        assert (found.number_of(100), found.number_of(101)) == (NUMBER + 1, NUMBER + 2)
    process(tmp_path, 100, Path("/data"), started=9999)
    assert found.number_of(100) == NUMBER + 3, "another process of the same number"
    assert len(asked) == 3


def test_a_dead_mount_is_waited_for_once_for_all_its_processes(tmp_path: Path, dead: Mount) -> None:
    found = ControlFiles(tmp_path, dead.read, NO_PATIENCE_S)
    before = set(threading.enumerate())
    for pid in range(100, 150):
        process(tmp_path, pid, Path("/data"))
    assert [found.number_of(pid) for pid in range(100, 150)] == [None] * 50
    assert len(dead.asked) == 1
    (thread,) = set(threading.enumerate()) - before
    assert thread.daemon, "nor does the end of the program wait for it"
    dead.is_back.set()
    thread.join()
    assert {found.number_of(pid) for pid in range(100, 150)} == {NUMBER}, "what it says in the end counts"


def test_dead_mounts_take_a_few_threads_and_leave_the_rest_for_later(tmp_path: Path, dead: Mount) -> None:
    found = ControlFiles(tmp_path, dead.read, NO_PATIENCE_S)
    pids = range(100, 100 + 3 * UNREAD_MAX)
    for pid in pids:
        process(tmp_path, pid, Path(f"/data/{pid}"))
    assert [found.number_of(pid) for pid in pids] == [None] * len(pids)
    assert len(dead.asked) == UNREAD_MAX
    dead.is_back.set()
    for thread in threading.enumerate():
        if thread.name == "plimsoll-control-file":
            thread.join()
    found.patience_s = 60.0
    assert [found.number_of(pid) for pid in pids] == [NUMBER] * len(pids)


class Failing:
    """Fails with these errors one after the other, and then answers."""

    def __init__(self, *errors: int) -> None:
        self.errors = [*errors]
        self.asked: list[Path] = []

    def read(self, path: Path) -> int | None:
        self.asked.append(path)
        if self.errors:
            raise OSError(self.errors.pop(0), "not now")
        return NUMBER


def test_a_file_that_could_not_be_read_is_tried_again_after_a_while(tmp_path: Path) -> None:
    """Once for all processes of its folder, each time that it is."""
    failing, clock = Failing(errno.EIO, errno.ESTALE, errno.EMFILE), VirtualClock()
    found = ControlFiles(tmp_path, failing.read, clock=clock)
    pids = range(100, 100 + 2 * UNREAD_MAX)
    for pid in pids:
        process(tmp_path, pid, Path("/data"))
    for times in (1, 2, 3):
        assert [found.number_of(pid) for pid in pids] == [None] * len(pids)
        clock.sleep(RETRY_S / 2)
        assert [found.number_of(pid) for pid in pids] == [None] * len(pids)
        assert len(failing.asked) == times
        clock.sleep(RETRY_S / 2)
    assert [found.number_of(pid) for pid in pids] == [NUMBER] * len(pids)


def test_files_that_failed_keep_no_other_folder_from_being_looked_at(tmp_path: Path) -> None:
    failing = Failing(*[errno.EIO] * 2 * UNREAD_MAX)
    found = ControlFiles(tmp_path, failing.read, clock=VirtualClock())
    pids = range(100, 101 + 2 * UNREAD_MAX)
    for pid in pids:
        process(tmp_path, pid, Path(f"/data/{pid}"))
    assert [found.number_of(pid) for pid in pids] == [*[None] * (2 * UNREAD_MAX), NUMBER]


@pytest.mark.parametrize("kind", [errno.ENOENT, errno.EACCES])
def test_that_there_is_none_or_none_for_us_is_an_answer(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kind: int
) -> None:
    failing, clock = Failing(kind), VirtualClock()
    monkeypatch.setattr(files, "read_input", lambda path, _: failing.read(path))
    found = ControlFiles(tmp_path, clock=clock)
    process(tmp_path, 100, Path("/data"))
    assert found.number_of(100) is None
    clock.sleep(RETRY_S)
    assert (found.number_of(100), len(failing.asked)) == (None, 1)
    assert found.are_withheld == (kind == errno.EACCES)


def test_what_may_pass_is_no_answer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    failing = Failing(errno.EIO)
    monkeypatch.setattr(files, "read_input", lambda path, _: failing.read(path))
    with pytest.raises(OSError, match="not now"):
        number_in(tmp_path / "pg_control")


def test_a_number_is_read_from_the_begin_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "pg_control"
    assert number_in(path) is None
    path.write_bytes(NUMBER.to_bytes(8, sys.byteorder) + bytes(8_184))
    assert number_in(path) == NUMBER
