"""`plimsoll host slice apply` and `revert` on control groups of version 1: all or nothing, nobody else's, and without a trace."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import pytest

import command
from plimsoll.base.errors import Interrupted
from plimsoll.placement.slices.applying.hierarchy import WAYS
from plimsoll.placement.slices.applying.journal import Journal
from slice_commands import Here
from slice_groups import TOP, a_disk, all_groups, listed, names_of_test, plan_file, two_slices
from sliced_hosts import plan

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="control groups are made by root")
NOBODY = 65534
start = pytest.fixture(names_of_test, name="start")


@pytest.fixture
def here(tmp_path: Path, start: str) -> Here:
    return Here(tmp_path, start)


def _group(start: str, controller: str = "cpuset") -> Path:
    return TOP / controller / f"plimsoll-{start}-a"


def test_what_slices_are_to_be_is_planned_first(here: Here) -> None:
    done = command.here("host", "slice", "apply", "slices.toml", "--journal", str(here.journal), "--json")
    error = command.document(done)["data"]
    assert (done.returncode, error["id"]) == (2, "plan-missing")
    assert error["hint"].startswith("Plan it first: `plimsoll host slice plan slices.toml`")


def test_an_account_puts_its_own_processes_in_by_the_printed_steps(tmp_path: Path, start: str) -> None:
    """As it has them, with all threads."""
    given = Here(tmp_path, start, account="nobody")
    steps = [
        one.partition(" #")[0] for one in given.document("apply")[1]["next_steps"] if f"{start}-a" in one
    ]
    assert len(steps) == len([one for one in listed(start) if one.endswith("-a")])
    with subprocess.Popen(["sleep", "20"], user=NOBODY, group=NOBODY, extra_groups=[]) as process:
        for one in steps:
            words = one.replace("PID", str(process.pid))
            subprocess.run(
                ["sh", "-c", words], user=NOBODY, group=NOBODY, extra_groups=[], check=True, timeout=20
            )
        inside = [_group(start, one.partition("/")[0]) for one in listed(start) if one.endswith("-a")]
        assert [(one / "cgroup.procs").read_text() for one in inside] == [f"{process.pid}\n"] * len(inside)
        process.kill()
    assert given.run("revert")[0] == 0


def test_a_dry_run_prints_each_write_and_changes_nothing(here: Here, start: str) -> None:
    before = all_groups()
    status, said = here.apply("--dry-run")
    assert status == 0
    cpu = here.plan.slices[0].cpus[0]
    assert f"mkdir {_group(start)} echo '{cpu}' > {_group(start)}/cpuset.cpus" in said
    assert f"echo '{1 << 30}' > {_group(start, 'memory')}/memory.limit_in_bytes" in said
    assert f"echo PID > {_group(start)}/cgroup.procs" in said
    assert (all_groups(), here.journal.exists()) == (before, False)


def test_it_is_applied_as_said_and_taken_back_without_a_trace(here: Here, start: str) -> None:
    before = all_groups()
    said = here.document("apply", "--dry-run")[1]
    assert here.document("apply") == (0, {**said, "dry_run": False})
    found = listed(start)
    assert [found[f"cpuset/plimsoll-{one.name}"].split("; ")[0] for one in here.plan.slices] == [
        str(one.cpus[0]) for one in here.plan.slices
    ]
    assert found[f"memory/plimsoll-{start}-a"] == str(1 << 30)
    disk = a_disk()
    if disk is not None:
        number = Path(f"/sys/block/{disk}/dev").read_text().strip()
        assert found[f"blkio/plimsoll-{start}-a"] == f"{number} 500"
    assert here.refused("apply") == (2, "slices-applied")
    assert here.refused("apply", "--dry-run") == (2, "slices-applied")
    status, said = here.run("revert", "--dry-run")
    assert (status, f"rmdir {_group(start)}" in said, listed(start)) == (0, True, found)
    assert here.run("revert")[0] == 0
    assert (all_groups(), list(here.journal.iterdir())) == (before, [])
    assert here.refused("revert") == (2, "slices-none-applied")


def test_a_group_that_is_there_is_refused_by_its_name_and_nothing_is_made(here: Here, start: str) -> None:
    theirs = TOP / "memory" / f"plimsoll-{start}-b.c"
    theirs.mkdir()
    status, said = here.apply()
    assert status == 3
    assert f"the control group {theirs} is there already, and is left as it is" in said
    assert here.refused("apply") == (3, "slices-group-taken")
    assert list(listed(start)) == [f"memory/{theirs.name}"]
    assert here.refused("revert") == (2, "slices-none-applied")


@pytest.mark.parametrize("is_there", [True, False])
def test_a_refused_plan_leaves_no_folder_of_a_journal_behind(here: Here, start: str, is_there: bool) -> None:
    """But for one that was there before."""
    here.journal = here.journal / "inner"
    if is_there:
        here.journal.mkdir(parents=True)
    (TOP / "memory" / f"plimsoll-{start}-b.c").mkdir()
    assert here.refused("apply") == (3, "slices-group-taken")
    assert [here.journal.exists(), here.journal.parent.exists()] == [is_there, is_there]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"cpus": (0, 60_000)}, "CPU 60000 of the plan cannot be used: "),
        ({"account": "nobody-of-that-name"}, "there is no account nobody-of-that-name on this host"),
        ({"devices": ({"name": "none", "node": None, "distance": None},)}, "there is no disk /dev/none"),
    ],
)
def test_what_the_host_has_not_is_told_before_anything_is_made(
    tmp_path: Path, start: str, change: dict[str, object], why: str
) -> None:
    first, second = two_slices(start).slices
    wrong = Here(tmp_path, start)
    changed = type(first).model_validate({**first.model_dump(), **change})
    plan_file(tmp_path, plan(changed, second, free=()))
    status, said = wrong.apply()
    assert (status, why in said, listed(start)) == (4, True, {})
    assert wrong.refused("apply") == (4, "slices-refused")


def test_what_the_kernel_refuses_in_the_middle_is_taken_back(here: Here, start: str) -> None:
    """More than the file can say, which no check before it knows."""
    first, second = here.plan.slices
    huge = first.memory[0].but(memory_bytes=(1 << 60) - 1)
    bad = TOP / "cpuset" / f"plimsoll-{start}-b.c"
    plan_file(Path(here.file).parent, plan(first.but(memory=(huge,)), second, free=()))
    with _refusing(bad):
        status, said = here.apply()
    assert (status, f"could not make the control group {bad}" in said) == (4, True)
    assert (listed(start), here.journal.exists()) == ({}, False)


def test_what_cannot_be_taken_back_stays_in_the_journal(here: Here, start: str) -> None:
    """Somebody is in the first group by the time that the kernel refuses another."""
    process = subprocess.Popen(["sleep", "20"])

    def enter() -> None:
        (_group(start) / "cgroup.procs").write_text(str(process.pid))

    with process, _refusing(TOP / "cpuset" / f"plimsoll-{start}-b.c", enter):
        status, data = here.document("apply")
        assert (status, data["id"]) == (4, "slices-left")
        assert f"{_group(start)} has processes in it: sleep ({process.pid})" in data["message"]
        assert list(listed(start)) == [f"cpuset/plimsoll-{start}-a"]
        assert here.refused("apply") == (4, "slices-busy")
        process.kill()
    assert (here.run("revert")[0], listed(start)) == (0, {})


@contextmanager
def _refusing(group: Path, before: Callable[[], None] = lambda: None) -> Iterator[None]:
    """The kernel, which has no room for that group."""

    real = os.mkdir

    def mkdir(path: object, *given: object, **named: object) -> None:
        if path == group:
            before()
            raise OSError(28, "No space left on device")
        real(path, *given, **named)  # type: ignore[arg-type]

    with patch("os.mkdir", mkdir):
        yield


@pytest.mark.parametrize(
    ("word", "status", "id"), [("upstart", 2, "slices-way-unknown"), ("cgroup-v2", 4, "slices-no-groups")]
)
def test_a_way_that_this_host_has_not_is_told(here: Here, word: str, status: int, id: str) -> None:
    assert WAYS == ("systemd", "cgroup-v2", "cgroup-v1")
    found, data = here.document("apply", here.file, "--way", word)
    assert (found, data["id"]) == (status, id)
    if id == "slices-no-groups" and "do not have" in data["message"]:
        assert f"bound to version 1: cpuset at {TOP}/cpuset" in data["message"]


def test_groups_that_are_mounted_read_only_are_told_and_nothing_is_made(here: Here, start: str) -> None:
    script = 'mount -o remount,bind,ro "$1" && shift && exec "$@"'
    words = command.command(
        "host", "slice", "apply", here.file, "--way", "cgroup-v1", "--journal", str(here.journal)
    )
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", script, "sh", TOP / "cpuset", *words],
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 4, done.stderr
    assert f"could not make the control group {_group(start)}: read-only file system" in " ".join(
        done.stderr.split()
    )
    assert "hint: See how control groups are mounted: `grep cgroup /proc/mounts`" in " ".join(
        done.stderr.split()
    )
    assert (listed(start), here.journal.exists()) == ({}, False)


def test_who_may_not_make_groups_is_told(here: Here, start: str) -> None:
    done = command.plimsoll(
        "host", "slice", "apply", here.file, "--way", "cgroup-v1", "--journal", "/var/lib/plimsoll-none",
        powerless=True,
    )  # fmt: skip
    assert (done.returncode, listed(start)) == (4, {})
    assert not Path("/var/lib/plimsoll-none").exists()


@pytest.fixture
def usual(here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a journal that nobody has named, which goes with its journal."""
    here.journal = tmp_path / "lib" / "slices"
    monkeypatch.setattr("plimsoll.placement.slices.applying.journal.USUAL", here.journal)
    return here.journal


def test_what_a_kill_left_half_made_is_applied_anew_with_the_usual_journal(
    here: Here, start: str, usual: Path
) -> None:
    file = _journal(here)
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:-1]))
    status, said = here.apply()
    assert (status, "slices half made: they were taken back first" in said) == (0, True)
    assert here.refused("apply") == (2, "slices-applied")
    assert (here.run("revert")[0], listed(start), usual.parent.exists()) == (0, {}, False)


def test_what_is_gone_with_a_boot_is_applied_anew_with_the_usual_journal(
    here: Here, start: str, usual: Path
) -> None:
    file = _journal(here)
    for group in listed(start):
        (TOP / group).rmdir()
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip().replace("-", "")
    file.write_text(file.read_text().replace(boot, "0" * 32))
    assert here.apply()[0] == 0
    assert (here.run("revert")[0], usual.parent.exists()) == (0, False)


def test_a_half_made_slice_that_somebody_is_in_is_left_as_it_is(here: Here, start: str) -> None:
    """Nothing of it is taken back before that is seen."""
    file = _journal(here)
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:-1]))
    found = listed(start)
    with subprocess.Popen(["sleep", "20"]) as process:
        (_group(start) / "cgroup.procs").write_text(str(process.pid))
        status, said = here.apply()
        assert (status, listed(start)) == (4, found)
        assert f"{_group(start)} has processes in it: sleep ({process.pid})" in said
        process.kill()
    assert (here.apply()[0], here.run("revert")[0], listed(start)) == (0, 0, {})


@pytest.mark.parametrize("is_begun", [True, False])
def test_what_a_kill_left_beside_the_journal_goes_with_it(
    here: Here, start: str, usual: Path, is_begun: bool
) -> None:
    """The journal itself was being written, under a name of its own."""
    left = usual / f".plimsoll-{'0a' * 8}.part"
    if is_begun:
        _journal(here)
        left.touch()
    else:
        usual.mkdir(parents=True)
        left.touch()
        assert here.apply()[0] == 0
    assert (here.run("revert")[0], usual.parent.exists()) == (0, False)


def test_the_usual_folder_is_locked_until_it_goes(here: Here, usual: Path) -> None:
    """Its name is not free for another command while the first is at work."""
    _journal(here)
    journal = Journal(usual)
    with journal.locked():
        journal.forget()
        assert here.refused("apply") == (4, "slices-busy")
    assert not usual.parent.exists()


def test_what_fails_leaves_no_usual_folder(here: Here, start: str, usual: Path) -> None:
    with _refusing(_group(start)):
        assert here.apply()[0] == 4
    assert not usual.parent.exists()


def _journal(here: Here) -> Path:
    here.apply()
    return here.journal / "slices.journal"


@pytest.mark.parametrize("trouble", ["owner", "mode", "link", "folder", "pipe"])
def test_a_journal_that_others_could_write_is_not_believed(here: Here, start: str, trouble: str) -> None:
    file = _journal(here)
    found = listed(start)
    text = file.read_text()
    if trouble == "owner":
        os.chown(file, NOBODY, NOBODY)
    elif trouble == "mode":
        file.chmod(0o666)
    elif trouble == "folder":
        here.journal.chmod(0o777)
    else:
        file.unlink()
        (here.journal.parent / "forged").write_text(text)
        if trouble == "pipe":
            os.mkfifo(file)
        else:
            file.symlink_to(here.journal.parent / "forged")
    assert here.refused("revert") == (3, "slices-journal-foreign")
    assert here.refused("apply") == (3, "slices-journal-foreign")
    assert listed(start) == found


@pytest.mark.parametrize("owner", [0, NOBODY])
def test_a_folder_of_a_journal_is_reached_through_links_of_root_alone(
    here: Here, start: str, owner: int
) -> None:
    here.apply()
    link = here.journal.parent / "link"
    link.symlink_to(here.journal)
    os.lchown(link, owner, owner)
    here.journal = link
    if owner:
        assert here.refused("revert") == (3, "slices-journal-foreign")
    else:
        assert (here.run("revert")[0], listed(start)) == (0, {})


@pytest.mark.parametrize(("text", "how"), [("", "empty"), ('{"journal": 1', "cut off in its first line")])
def test_an_empty_journal_is_told_as_such(here: Here, start: str, text: str, how: str) -> None:
    """It does not say that nothing is applied."""
    file = _journal(here)
    found = listed(start)
    file.write_text(text)
    for verb in ("revert", "apply", "verify"):
        assert here.refused(verb) == (4, "slices-journal")
    said = here.run("revert")[1]
    assert f"{file} is {how}, and does not tell what was applied" in said
    assert "Then remove the file." in said
    assert listed(start) == found


@pytest.mark.parametrize(
    ("words", "others"),
    [
        ('"path": "/sys/fs/cgroup/cpuset/plimsoll-', '"path": "/sys/fs/cgroup/cpuset/system-'),
        ('"path": "/sys/fs/cgroup/cpuset/plimsoll-', '"path": "/sys/fs/cgroup/cpuset/../cpuset/plimsoll-'),
        ('"path": "/sys/fs/cgroup/cpuset/plimsoll-', '"path": "/var/lib/plimsoll-'),
        ('{"begin": "group"', '{"begin": "unit", "text": ""'),
        ('{"begin": "group"', '{"begin": "format"'),
        ('"journal": 1', '"journal": 2'),
        ("/sys/fs/cgroup/cpuset", "/var/lib"),
        ("{", "["),
    ],
)
def test_a_journal_with_what_no_plan_makes_is_not_read(
    here: Here, start: str, words: str, others: str
) -> None:
    file = _journal(here)
    assert words in file.read_text()
    found = listed(start)
    file.write_text(file.read_text().replace(words, others))
    assert here.refused("revert") == (4, "slices-journal")
    assert listed(start) == found


def test_a_journal_that_was_cut_off_tells_what_it_has(here: Here, start: str) -> None:
    """A kill in the middle of a line: that act was not begun."""
    file = _journal(here)
    lines = file.read_text().splitlines(keepends=True)
    for group in reversed(list(listed(start))[1:]):
        (TOP / group).rmdir()
    file.write_text("".join(lines[:2]) + lines[2][:9])
    assert (here.run("revert")[0], listed(start)) == (0, {})


def test_what_is_gone_with_a_boot_is_applied_anew(here: Here, start: str) -> None:
    file = _journal(here)
    for group in listed(start):
        (TOP / group).rmdir()
    text = file.read_text()
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip().replace("-", "")
    file.write_text(text.replace(boot, "0" * 32))
    assert "what was applied is gone with a boot" in here.run("revert", "--dry-run")[1]
    status, said = here.apply()
    assert (status, "what was applied before is gone with a boot" in said) == (0, True)
    assert len(listed(start)) >= 4
    assert here.run("revert")[0] == 0


def test_whoever_ends_it_in_the_middle_has_nothing_left(here: Here, start: str) -> None:
    """Ctrl-C is looked at before each step."""
    asked = [0]

    def check(self: object) -> None:
        asked[0] += 1
        if asked[0] == 9:
            assert listed(start) != {}
            raise Interrupted

    with patch("plimsoll.context.Cancel.check", check):
        status, _ = here.apply()
    assert (status, listed(start), here.journal.exists()) == (130, {}, False)


def test_two_commands_at_a_time_are_refused(here: Here) -> None:
    here.journal.mkdir()
    with Journal(here.journal).locked():
        assert here.refused("apply") == (4, "slices-busy")
        assert here.refused("revert") == (4, "slices-busy")
