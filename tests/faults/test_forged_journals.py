"""Ten thousand lines of journals that no Plimsoll wrote, or that were damaged since: nothing foreign is touched, nothing stops."""

from __future__ import annotations

import json
import os
import random
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import command
from plimsoll.base import folders
from plimsoll.context.journal import Claimed, Journal, Made, Moving, Started, Starting, as_line
from plimsoll.context.scratch import Reclaimed, reclaim
from plimsoll.ports import processes

LINES = 10_000
PER_JOURNAL = 500
EARLIER_BOOT = "0" * 32


@pytest.fixture
def ground(tmp_path: Path) -> Path:
    """What is none of ours: files and folders with all kinds of names, ours among them."""
    folder = tmp_path / "ground"
    folder.mkdir()
    names = ("my-plimsoll-backups", "plimsoll-scratch-0123456789abcdef.dat", "plimsoll-postgres-0123456789abcdef",
             "plimsoll-scratch-0123456789abcde.dat", "plimsoll-", "data", "plimsoll-read-0123456789ABCDEF")  # fmt: skip
    for name in names:
        (folder / f"{name}.d" / "inner").mkdir(parents=True)
        (folder / f"{name}.d" / "inner" / "file").write_text("theirs")
        if not name.endswith(".dat"):
            (folder / name).mkdir()
            (folder / name / "file").write_text("theirs")
        else:
            (folder / name).write_text("theirs")
    (folder / "plimsoll-link-0123456789abcdef").symlink_to(folder / "data")
    return folder


@pytest.fixture
def bystander(ground: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that works in a folder with a name like ours."""
    child = subprocess.Popen(["sleep", "600"], cwd=ground / "plimsoll-postgres-0123456789abcdef")
    yield child
    child.kill()
    child.wait()


def image(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """Everything below, with inode, time of the last change, and content."""
    found = {}
    for path in sorted(folder.rglob("*")):
        state = path.lstat()
        content = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        found[str(path)] = (state.st_ino, state.st_mtime_ns, content)
    return found


def forged(chance: random.Random, ground: Path, pids: list[int]) -> Any:
    """An entry as somebody would write it who wants foreign things to be hit, or who knows nothing of journals."""
    paths = [*map(str, ground.rglob("*")), str(ground), "/", "/etc", "/etc/passwd", "/home", "relative", "../up",
             f"{ground}/../{ground.name}/data", "//etc", "/proc/1", "a\0b", "", 7, None, ["/etc"], {"path": "/etc"}]  # fmt: skip
    path = chance.choice(paths)
    inode = chance.choice([[1, 2], _inode(path), [0, 0], [-1, 5], "12", [1], [1, 2, 3], None, 2**70])
    pid = chance.choice([*pids, 0, 1, -1, 2**40, "1", None, True])
    known = processes.identity(pid) if type(pid) is int and 0 < pid < 2**22 else None
    ticks = chance.choice([known.start_ticks if known else 0, 0, -1, "x", None])
    program = chance.choice(
        [(processes.executable(known) if known else None) or "/bin/sleep", "/bin/sh", 3, None]
    )
    boot = chance.choice([processes.boot_id(), EARLIER_BOOT, 5, None])
    signals = chance.choice([[9], [15, 9], [], [19], ["KILL"], 9, None, [0], [2**40]])
    kinds = [
        "claimed",
        "made",
        "starting",
        "started",
        "grouping",
        "moving",
        "removed",
        "",
        None,
        4,
        ["claimed"],
    ]
    entry = {
        "entry": chance.choice(kinds), "path": path, "parent": inode, "identity": inode, "boot": boot, "program": program,
        "signals": signals, "pid": pid, "ticks": ticks, "folder": chance.choice(paths),
        "homes": chance.choice([paths[:3], [], ["/sys/fs/cgroup"], "/", None]), "cpus": chance.choice([[0], [], [-1], "0", None]),
    }  # fmt: skip
    for name in list(entry):
        if chance.random() < 0.05:
            del entry[name]
    return entry


def _inode(path: Any) -> Any:
    try:
        state = os.lstat(path)
    except (OSError, TypeError, ValueError):
        return [3, 4]
    return [state.st_dev, state.st_ino]


def damaged(chance: random.Random, line: bytes) -> bytes:
    """A line with some bytes changed, lost, put in or said twice."""
    changed = bytearray(line)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(changed) + 1)
        kind = chance.randrange(4)
        if kind == 0:
            changed[at : at + chance.randint(1, 9)] = b""
        elif kind == 1:
            changed[at:at] = chance.randbytes(chance.randint(1, 9)).replace(b"\n", b" ")
        elif kind == 2:
            changed[at : at + 1] = bytes([chance.choice(b'\0\xff"{}[],:0e-')])
        else:
            changed[at:at] = changed[: chance.randint(0, len(changed))]
    return bytes(changed)


def genuine(chance: random.Random, ground: Path) -> bytes:
    """A line as we write it, about what is not ours."""
    path = str(chance.choice([*ground.rglob("*")]))
    entries = (
        Claimed(path, tuple(_inode(str(Path(path).parent))), processes.boot_id()),
        Made(path, (5, chance.randrange(2**31))),
        Starting("/usr/bin/sleep", (15, 9)),
        Started(chance.randrange(2, 2**22), 5, processes.boot_id(), "/usr/bin/sleep", path, (9,)),
        Moving(chance.randrange(2, 2**22), 5, processes.boot_id(), (path,), (0,)),
    )
    return as_line(chance.choice(entries)).rstrip(b"\n")


def test_ten_thousand_lines(tmp_path: Path, ground: Path, bystander: subprocess.Popen[bytes]) -> None:
    chance = random.Random(14)
    journals = tmp_path / "journals"
    pids = [bystander.pid, os.getpid(), os.getppid(), 1]
    makers: tuple[Callable[[], bytes], ...] = (
        lambda: json.dumps(forged(chance, ground, pids)).encode(),
        lambda: damaged(chance, json.dumps(forged(chance, ground, pids)).encode()),
        lambda: damaged(chance, genuine(chance, ground)),
        lambda: chance.randbytes(chance.randint(0, 200)).replace(b"\n", b""),
        lambda: chance.choice([b"", b"null", b"[]", b"[" * 5000, b'{"a":' * 3000, b"1e999", b'"\\ud800"']),
    )
    before = image(ground)
    for start in range(0, LINES, PER_JOURNAL):
        lines = [chance.choice(makers)() for _ in range(PER_JOURNAL)]
        leave(journals, b"\n".join(lines) + b"\n", start)
        found = reclaim(journals)
        assert found.taken == ()
        assert found.left
    assert image(ground) == before
    assert bystander.poll() is None
    assert list(journals.rglob("*.journal")) == [], (
        "each was looked at once, and no later start meets it again"
    )
    assert reclaim(journals) == Reclaimed()


def leave(journals: Path, content: bytes, number: int) -> None:
    """A journal with these bytes, of a process of an earlier boot."""
    folder = folder_of(journals)
    path = folder / f"{number + 2}-1-{EARLIER_BOOT}-{number:08x}.journal"
    path.write_bytes(content)
    path.chmod(0o600)


def folder_of(journals: Path) -> Path:
    """Where this user's journals lie, made as a command makes it."""
    made = Journal(journals)
    made.note(Starting("/bin/true", (9,)))
    made.forget()
    (host,) = journals.iterdir()
    (own,) = host.iterdir()
    return own


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("x.journal", "no name of a journal"),
        (f"1-2-{EARLIER_BOOT}-zzzzzzzz.journal", "no name of a journal"),
        (f"99999999999-2-{EARLIER_BOOT}-00000000.journal", "no name of a journal"),
    ],
)
def test_files_with_other_names_are_left_alone(tmp_path: Path, name: str, reason: str) -> None:
    path = folder_of(tmp_path) / name
    path.write_text("{}\n")
    (left,) = reclaim(tmp_path).left
    assert str(path) in left
    assert reason in left
    assert path.exists()


@pytest.mark.parametrize("change", ["open to all", "link", "two names", "pipe", "too long", "another's"])
def test_files_that_others_could_have_written_are_not_believed(tmp_path: Path, change: str) -> None:
    folder = folder_of(tmp_path)
    (tmp_path / "kept").mkdir()
    path = folder / f"2-1-{EARLIER_BOOT}-00000000.journal"
    if change == "pipe":
        os.mkfifo(path, 0o600)
    elif change == "link":
        (tmp_path / "journal").write_text("{}\n")
        path.symlink_to(tmp_path / "journal")
    else:
        path.write_text("{}\n")
        path.chmod(0o620 if change == "open to all" else 0o600)
    if change == "two names":
        os.link(path, tmp_path / "other")
    if change == "too long":
        os.truncate(path, 1 << 30)
    if change == "another's":
        if os.geteuid() != 0:
            pytest.skip("only root can make what belongs to another user")
        os.chown(path, command.NOBODY, command.NOBODY)
    (left,) = reclaim(tmp_path).left
    assert str(path) in left
    assert os.path.lexists(path)


def test_a_command_names_what_it_could_not_read_and_does_its_work() -> None:
    """What was seen: one damaged line ended every later command with status 70."""
    journals = folders.state_folder() / "scratch"
    leave(journals, b'{"entry": "claimed", "path": ["x\x1b[31m"]}\n\0\n{"path": 5}\n', 0)
    done = command.here("store", "list")
    assert done.returncode == 0
    notes = [line for line in done.stderr.splitlines() if line.startswith("note: not taken back: ")]
    assert len(notes) == 3
    assert all(f"line {number} is damaged" in note for number, note in enumerate(notes, 1))
    assert "\x1b" not in done.stderr
    again = command.here("store", "list")
    assert (again.returncode, again.stderr) == (0, "")
