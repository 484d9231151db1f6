"""Names of files by number."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from plimsoll.observe import open_files, seen_mounts
from plimsoll.observe.open_files import FileNumber, OpenFiles
from plimsoll.ports.mounts import mounts

NEVER = FileNumber((7, 1_000), 1)


def number(path: Path) -> FileNumber:
    found = path.stat()
    return FileNumber((os.major(found.st_dev), os.minor(found.st_dev)), found.st_ino)


class Proc:
    """A made /proc: tables of mounts, and what processes have open."""

    def __init__(self, root: Path, *mounts: str) -> None:
        self.root = root
        self.process("self", *mounts)

    def process(self, pid: int | str, *mounts: str) -> None:
        (self.root / str(pid) / "fd").mkdir(parents=True)
        (self.root / str(pid) / "fdinfo").mkdir()
        (self.root / str(pid) / "mountinfo").write_text("\n".join(mounts) + "\n")

    def opens(self, pid: int, descriptor: int, name: str, **about: int) -> Path:
        link = self.root / str(pid) / "fd" / str(descriptor)
        link.symlink_to(name)
        text = "".join(f"{field}:\t{value}\n" for field, value in about.items())
        (self.root / str(pid) / "fdinfo" / str(descriptor)).write_text(f"pos:\t0\nflags:\t02\n{text}")
        return link

    def names(self, *numbers: FileNumber, pids: tuple[int, ...] = (7,)) -> list[str | None]:
        known = OpenFiles(self.root)
        known.look_for(numbers, pids)
        return [known.name(one) for one in numbers]


class Counted:
    """A function, and how often it was called."""

    def __init__(self, function: Callable[[str], object]) -> None:
        self.function = function
        self.calls = 0

    def __call__(self, table: str) -> object:
        self.calls += 1
        return self.function(table)


@contextmanager
def no_file_is_asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def asked(path: object) -> os.stat_result:
        raise AssertionError(f"{path} was looked at")

    with monkeypatch.context() as patch:
        patch.setattr(os, "stat", asked)
        yield


def test_a_file_that_is_open_has_a_name_as_long_as_it_is_there(tmp_path: Path) -> None:
    path = tmp_path / "16384\nodd"
    known = OpenFiles()
    with path.open("w"):
        assert known.name(number(path)) is None, "nobody has looked"
        known.look_for([number(path)], [os.getpid()])
    at = number(path)
    assert known.name(at) == str(path)
    path.unlink()
    known.look_again()
    assert known.name(at) is None


def test_a_name_that_another_file_has_by_now_is_no_name(tmp_path: Path) -> None:
    path, other = tmp_path / "one", tmp_path / "other"
    other.touch()
    known = OpenFiles()
    with path.open("w"):
        at = number(path)
        known.look_for([at], [os.getpid()])
        assert known.name(at) == str(path)
        other.replace(path)
        known.look_again()
        assert known.name(at) is None
        known.look_again()
        known.look_for([at], [os.getpid()])
        assert known.name(at) == f"{path} (deleted)", "as the kernel says of what is open and has no name"


def test_a_file_with_a_new_name_has_that(tmp_path: Path) -> None:
    """A segment of a log is used again under another name."""
    path, new = tmp_path / "old", tmp_path / "new"
    known = OpenFiles()
    with path.open("w"):
        at = number(path)
        known.look_for([at], [os.getpid()])
        path.rename(new)
        known.look_again()
        known.look_for([at], [os.getpid()])
        assert known.name(at) == str(new)


def test_processes_that_are_gone_have_nothing_open() -> None:
    known = OpenFiles()
    known.look_for([NEVER], [2**22 + 1])
    assert known.name(NEVER) is None
    assert not known.refused


def test_names_have_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_files, "FILES_MAX", 1)
    one, other = tmp_path / "one", tmp_path / "other"
    known = OpenFiles()
    with one.open("w"), other.open("w"):
        known.look_for([number(one), number(other)], [os.getpid()])
    assert [known.name(number(path)) for path in (one, other)].count(None) >= 1


def test_what_is_on_a_server_is_named_without_anybody_asking_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server may be gone, and the program of a file system in user space may hang."""
    kinds = ("nfs4 server:/srv", "fuse.sshfs host:/srv", "fuseblk /dev/sdz1")
    mounts = [f"{30 + at} 1 0:{40 + at} / /srv{at} rw - {kind} rw" for at, kind in enumerate(kinds)]
    proc = Proc(tmp_path, "20 1 8:1 / / rw - ext4 /dev/sda1 rw", *mounts)
    proc.process(7)
    for at in range(len(kinds)):
        proc.opens(7, at, f"/srv{at}/file", mnt_id=30 + at, ino=99)
    with no_file_is_asked(monkeypatch):
        found = proc.names(*(FileNumber((0, 40 + at), 99) for at in range(len(kinds))), NEVER)
    assert found == ["/srv0/file", "/srv1/file", "/srv2/file", None]


def test_a_path_below_a_mount_of_a_server_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = "30 1 0:40 / /srv rw - nfs4 server:/srv rw"
    proc = Proc(tmp_path, server, "31 30 8:1 / /srv/local rw - ext4 /dev/sda1 rw")
    proc.process(7)
    proc.opens(7, 3, "/srv/local/file", mnt_id=31, ino=99)
    with no_file_is_asked(monkeypatch):
        assert proc.names(FileNumber((8, 1), 99)) == ["/srv/local/file"]


def test_a_file_in_a_container_has_its_path_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    proc = Proc(tmp_path, "20 1 8:1 / / rw - ext4 /dev/sda1 rw")
    proc.process(7, "50 1 8:1 /volumes/data /var/lib/data rw - ext4 /dev/sda1 rw")
    proc.opens(7, 3, "/var/lib/data/base/5/16384", mnt_id=50, ino=99)
    with no_file_is_asked(monkeypatch):
        assert proc.names(FileNumber((8, 1), 99)) == ["/var/lib/data/base/5/16384"]


def test_a_file_of_an_overlay_is_known_as_disks_and_as_calls_number_it(tmp_path: Path) -> None:
    overlay = "60 1 0:50 / / rw - overlay overlay rw,lowerdir=/l,upperdir=/var/up,workdir=/w"
    proc = Proc(tmp_path, "20 1 8:1 / / rw - ext4 /dev/sda1 rw", "21 20 8:2 / /var rw - xfs /dev/sda2 rw")
    proc.process(7, overlay)
    proc.opens(7, 3, "/data/file", mnt_id=60, ino=99)
    numbers = [FileNumber((8, 2), 99), FileNumber((0, 50), 99)]
    assert proc.names(*numbers, FileNumber((8, 1), 99)) == ["/data/file", "/data/file", None]
    known = OpenFiles(tmp_path)
    known.look_for(numbers, [7])
    assert [known.file_system(number) for number in numbers] == ["xfs", "overlay"]


def test_a_descriptor_that_has_another_file_by_now_names_nothing(tmp_path: Path) -> None:
    proc = Proc(tmp_path, "20 1 8:1 / / rw - ext4 /dev/sda1 rw")
    proc.process(7)
    known = OpenFiles(tmp_path)
    link = proc.opens(7, 3, "/no/such/file", mnt_id=20, ino=99)
    known.look_for([FileNumber((8, 1), 99)], [7])
    assert known.name(FileNumber((8, 1), 99)) == "/no/such/file"
    link.unlink()
    proc.opens(7, 3, "/no/such/file", mnt_id=20, ino=100)
    known.look_again()
    assert known.name(FileNumber((8, 1), 99)) is None


def test_what_has_no_path_or_no_mount_is_passed_over(tmp_path: Path) -> None:
    proc = Proc(tmp_path, "20 1 8:1 / / rw - ext4 /dev/sda1 rw")
    proc.process(7)
    proc.opens(7, 1, "socket:[99]", mnt_id=20, ino=99)
    proc.opens(7, 2, "/memfd:x (deleted)", mnt_id=3, ino=99)
    proc.opens(7, 4, "/gone", ino=99)
    assert proc.names(FileNumber((8, 1), 99)) == [None]


def test_a_file_without_a_name_is_not_looked_for_at_every_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[object] = []
    monkeypatch.setattr(os, "listdir", lambda path: looks.append(path) or [])
    known = OpenFiles(tmp_path)
    at = []
    for reading in range(200):
        known.look_again()
        known.look_for([NEVER], [7])
        if len(looks) > len(at):
            at.append(reading)
    assert at == [0, 2, 5, 10, 19, 36, 69, 134, 199]


def test_a_look_has_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_files, "DESCRIPTORS_MAX", 2)
    proc = Proc(tmp_path, "20 1 8:1 / / rw - ext4 /dev/sda1 rw")
    for pid in (7, 8):
        proc.process(pid)
        for descriptor in (1, 2):
            proc.opens(pid, descriptor, "/file", mnt_id=20, ino=10 * pid + descriptor)
    numbers = [FileNumber((8, 1), 10 * pid + descriptor) for pid in (7, 8) for descriptor in (1, 2)]
    known = OpenFiles(tmp_path)
    known.look_for(numbers, (7, 8))
    assert [known.name(one) for one in numbers] == ["/file", "/file", None, None]
    known.look_again()
    known.look_for(numbers, (7, 8))
    assert [known.name(one) for one in numbers] == ["/file"] * 4, "the next look goes on from there"


def test_a_process_with_more_descriptors_than_a_look_takes_is_named_within_some_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[object] = []
    monkeypatch.setattr(open_files, "DESCRIPTORS_MAX", 10)
    descriptor = open_files._descriptors
    monkeypatch.setattr(open_files, "_descriptors", lambda *given: looks.append(given) or descriptor(*given))
    proc = Proc(tmp_path, "20 1 8:1 / / rw - ext4 /dev/sda1 rw")
    proc.process(7)
    for at in range(35):
        proc.opens(7, at, "/file", mnt_id=20, ino=100 + at)
    numbers = [FileNumber((8, 1), 100 + at) for at in range(35)]
    known = OpenFiles(tmp_path)
    named = []
    for _ in range(4):
        known.look_again()
        known.look_for([*numbers, NEVER], (7,))
        named.append(sum(known.name(one) is not None for one in numbers))
    assert named == [10, 20, 30, 35]
    assert len(looks) == 35, "none twice"
    known.look_again()
    known.look_for([NEVER], (7,))
    assert len(looks) == 35, "after all were looked at, what is not there is not looked for at every reading"
    for _ in range(3):
        known.look_again()
        known.look_for([NEVER], (7,))
    assert len(looks) == 35 + 10 + 10 + 10


def test_what_is_missing_since_a_pass_began_is_looked_for_by_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_files, "DESCRIPTORS_MAX", 3)
    proc = Proc(tmp_path, "20 1 8:1 / / rw - ext4 /dev/sda1 rw")
    for pid in (7, 8):
        proc.process(pid)
        for at in range(2):
            proc.opens(pid, at, "/file", mnt_id=20, ino=10 * pid + at)
    known = OpenFiles(tmp_path)
    known.look_for([NEVER], (8, 7))
    late = FileNumber((8, 1), 80)
    known._found.clear()
    known.look_for([late], (8, 7))
    assert known.name(late) is None, "the pass had come by before"
    known.look_again()
    known.look_for([late], (8, 7))
    assert known.name(late) == "/file", "without a wait"


def test_overlays_are_followed_without_reading_the_table_for_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: list[str] = []
    monkeypatch.setattr(seen_mounts, "mounts", lambda table: parsed.append(table) or mounts(table))
    overlays = [
        f"{60 + at} 1 0:{50 + at} / /m{at} rw - overlay overlay rw,upperdir=/var/up{at}" for at in range(5)
    ]
    proc = Proc(
        tmp_path,
        "20 1 8:1 / / rw - ext4 /dev/sda1 rw",
        "21 20 8:9 / /var rw - xfs /dev/sdb1 rw",
        "22 21 8:2 / /var rw - xfs /dev/sda2 rw",
        *overlays,
    )
    proc.process(7)
    for at in range(5):
        proc.opens(7, at, f"/m{at}/file", mnt_id=60 + at, ino=99 + at)
    monkeypatch.setattr("plimsoll.host.filesystems.mounts", counted := Counted(mounts))
    found = proc.names(*(FileNumber((8, 2), 99 + at) for at in range(5)))
    assert found == [f"/m{at}/file" for at in range(5)]
    assert (len(parsed), counted.calls) == (1, 1), "for its mounts, and for those that servers serve"


def test_processes_at_which_we_may_not_look_are_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(path: object) -> list[str]:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "listdir", refused)
    known = OpenFiles(tmp_path)
    known.look_for([NEVER], [7, 8])
    assert known.refused == {7, 8}


_CONTAINER = """
mount --make-rprivate / && mount -t overlay overlay -o lowerdir=$1/lower,upperdir=$1/upper,workdir=$1/work $1/merged || exit 1
mount --bind $1/lower $1/bound || exit 1
exec 5>$1/merged/file 6>$1/bound/other
echo ready
read end
"""


def test_files_of_a_real_overlay_and_a_real_mount_of_another_namespace_are_named(tmp_path: Path) -> None:
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        pytest.skip("only root makes mounts of its own")
    for name in ("lower", "upper", "work", "merged", "bound"):
        (tmp_path / name).mkdir()
    words = ["unshare", "--mount", "sh", "-c", _CONTAINER, "container", str(tmp_path)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as held:
        assert held.stdin is not None
        assert held.stdout is not None
        if held.stdout.readline() != "ready\n":
            pytest.skip("this kernel mounts no overlay here")
        upper, lower = number(tmp_path / "upper" / "file"), number(tmp_path / "lower" / "other")
        known = OpenFiles()
        known.look_for([upper, lower], [held.pid])
        found = [known.name(upper), known.name(lower)]
        held.stdin.close()
    assert found == [str(tmp_path / "merged" / "file"), str(tmp_path / "bound" / "other")]
