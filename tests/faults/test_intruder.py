"""Root at work in folders of another user, who swaps folders and plants links as fast as the machine can.

Whatever comes of the command, it is never that root runs what they put there, or that a byte of root's own files changes. The
other user is a number that nobody has; what they run is compiled here, since Python's own folder may be closed to them.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import command
from databases_fixture import context
from plimsoll.base.errors import PlimsollError
from plimsoll.databases import embedded
from plimsoll.pages import PAGE_START
from plimsoll.ports import files
from plimsoll.ports.folders import ensured_folder
from plimsoll.requests.read import FileFormat, ReadRequest

THEM = 1234
ROUNDS = 500
PAGE = PAGE_START
SOURCE = Path(__file__).with_name("intruder.c")

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can work in folders of another user"),
    pytest.mark.timeout(300),
]


@pytest.fixture(scope="module")
def ground() -> Iterator[Path]:
    """A folder of root's that everybody may enter, on a file system like any other."""
    place = Path("/var/tmp") / f"plimsoll-intruder-test-{os.getpid()}"
    place.mkdir(mode=0o755)
    place.chmod(0o755)
    yield place
    shutil.rmtree(place)


@pytest.fixture(scope="module")
def intruder(ground: Path) -> Path:
    """The program that they run."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler, which makes the intruder's program")
    made = ground / "intruder"
    subprocess.run([compiler, "-O1", "-o", made, SOURCE], check=True, capture_output=True, timeout=60)
    made.chmod(0o755)
    return made


@pytest.fixture
def place(ground: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A folder for one test, root's."""
    made = ground / request.node.name.partition("[")[0]
    made.mkdir(mode=0o755)
    yield made
    shutil.rmtree(made)


@pytest.fixture
def theirs(place: Path) -> Path:
    """A folder of theirs."""
    made = place / "theirs"
    made.mkdir()
    os.chown(made, THEM, THEM)
    return made


@pytest.fixture
def victim(place: Path) -> Path:
    """Root's own file, which nobody else may read."""
    made = place / "victim"
    made.write_text("root's own")
    made.chmod(0o600)
    return made


@contextmanager
def at_work(program: Path, *words: object) -> Iterator[None]:
    """The intruder at work for as long as the block lasts."""
    child = subprocess.Popen(
        [program, *map(str, words)], user=THEM, group=THEM, extra_groups=[], stdout=subprocess.PIPE, cwd="/"
    )
    assert child.stdout is not None
    assert child.stdout.readline() == b"ready\n"
    try:
        yield
        assert child.poll() is None, "the intruder gave up"
    finally:
        child.kill()
        child.wait()
        child.stdout.close()


def closed(place: Path, name: str) -> Path:
    """A folder of root's that is closed to everybody else, with a file in it."""
    made = place / name
    made.mkdir(mode=0o700)
    (made / "report.html").write_text(PAGE + "root's own")
    return made


def contents(folder: Path) -> dict[str, bytes]:
    """Names and bytes."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def outcomes(rounds: int, work: Callable[[int], object]) -> Counter[str]:
    """How often the work was done and how often it was refused; any other failure is one of ours."""
    counted: Counter[str] = Counter()
    for number in range(rounds):
        try:
            work(number)
            counted["done"] += 1
        except (OSError, PlimsollError) as error:
            counted[type(error).__name__] += 1
    return counted


def test_links_in_place_of_what_is_written_are_not_followed(
    theirs: Path, victim: Path, intruder: Path
) -> None:
    """They have the name of every part as soon as it is there, and replace it before it gets its final name."""
    before = victim.stat()
    with at_work(intruder, "plant", theirs, victim):
        counted = outcomes(
            ROUNDS,
            lambda number: files.write_text_atomically(theirs / "report.html", f"{PAGE}{number}", PAGE),
        )
    assert sum(counted.values()) == ROUNDS
    assert victim.read_text() == "root's own"
    after = victim.stat()
    assert (after.st_mode, after.st_uid, after.st_mtime_ns) == (
        before.st_mode,
        before.st_uid,
        before.st_mtime_ns,
    )


def test_a_folder_that_becomes_a_link_is_not_followed(place: Path, theirs: Path, intruder: Path) -> None:
    own = closed(place, "closed")
    for name in ("out", "spare"):
        (theirs / name).mkdir()
        os.chown(theirs / name, THEM, THEM)
    (theirs / "spare").rmdir()
    (theirs / "spare").symlink_to(own)
    os.lchown(theirs / "spare", THEM, THEM)
    before = contents(own)
    with at_work(intruder, "swap", theirs / "out", theirs / "spare"):
        counted = outcomes(
            ROUNDS,
            lambda number: files.write_text_atomically(
                theirs / "out" / "report.html", f"{PAGE}{number}", PAGE
            ),
        )
        counted += outcomes(ROUNDS, lambda number: files.open_lines(theirs / "out" / "events", b'{"').close())
        counted += outcomes(ROUNDS, lambda number: ensured_folder(theirs / "out" / f"{number}").close())
    assert counted["UntrustedError"] > 0, "they never got to it"
    assert counted["done"] > 0, "they were in the way all the time"
    assert set(counted) <= {"UntrustedError", "done", "OSError", "FileNotFoundError", "NotADirectoryError"}
    assert contents(own) == before


@pytest.mark.parametrize("kind", ["json", "csv", "parquet"])
def test_tables_are_written_to_the_folder_that_was_named(
    place: Path, theirs: Path, intruder: Path, kind: FileFormat, tmp_path: Path
) -> None:
    """A read writes for a while, into a folder within theirs."""
    from plimsoll.flows.read import read_reports
    from tiny_reports import awr

    own = closed(place, "closed")
    for name in ("out", "spare"):
        (theirs / name).mkdir()
        os.chown(theirs / name, THEM, THEM)
    (theirs / "spare").rmdir()
    (theirs / "spare").symlink_to(own)
    os.lchown(theirs / "spare", THEM, THEM)
    report = tmp_path / "report.txt"
    report.write_bytes(awr())
    before = contents(own)

    def work(number: int) -> None:
        with context(tmp_path / "journal") as (ctx, _):
            read_reports(
                ctx, ReadRequest((str(report),), out=str(theirs / "out" / f"{number}"), file_format=kind)
            )

    with at_work(intruder, "swap", theirs / "out", theirs / "spare"):
        counted = outcomes(15, work)
    assert sum(counted.values()) == 15
    assert contents(own) == before


def test_nothing_of_theirs_is_run_as_root(place: Path, theirs: Path, intruder: Path, wheel: Path) -> None:
    """The server's binaries would be copied to a folder that they own, were it not refused."""
    loot = place / "loot"
    loot.touch()
    loot.chmod(0o666)
    for name in ("scratch", "trap"):
        (theirs / name).mkdir()
        os.chown(theirs / name, THEM, THEM)
    for program in ("initdb", "postgres"):
        trap = theirs / "trap" / program
        trap.write_text(f"#!/bin/sh\nid -u >>{loot}\n")
        trap.chmod(0o755)
    behind = closed(place, "binaries")
    shutil.copytree(wheel, behind / "install" / "bin", symlinks=True)

    def work(number: int) -> None:
        with (
            context(place / "journal") as (ctx, _),
            embedded.running(ctx, theirs / "scratch", binaries=behind / "install" / "bin"),
        ):
            raise AssertionError("root started a server there")

    with at_work(intruder, "swap", theirs / "scratch", theirs / "trap"):
        counted = outcomes(ROUNDS, work)
    assert counted == {"WorldError": ROUNDS}
    assert loot.read_text() == ""
    assert not any(path.name.startswith("plimsoll-") for path in theirs.rglob("*"))


@pytest.mark.parametrize(
    "where", ["owned by them", "open to all", "behind their link", "their sticky folder"]
)
def test_root_s_helpers_run_in_no_folder_that_others_can_change(
    place: Path, theirs: Path, where: str
) -> None:
    folder = place / "folder"
    folder.mkdir()
    if where == "owned by them":
        folder = theirs / "inner"
        folder.mkdir()
    elif where == "open to all":
        folder.chmod(0o777)
    elif where == "behind their link":
        (place / "link").symlink_to(folder)
        os.lchown(place / "link", THEM, THEM)
        folder = place / "link"
    else:
        os.chown(folder, THEM, THEM)
        folder.chmod(0o1777)
    done = command.here("demand", "--database", "embedded", "--runtime", "1", PLIMSOLL_SCRATCH=str(folder))
    assert done.returncode == 4
    assert "as root, for " in done.stderr
    assert "PLIMSOLL_SCRATCH" in done.stderr
    assert list(folder.iterdir()) == []


def test_commands_write_what_they_are_asked_to_and_no_more(theirs: Path, victim: Path) -> None:
    """The same by the command as people type it, with links that were there before."""
    run = json.loads(command.here("io", "sim:", "--runtime", "1s", "--json").stdout)["data"]["run"]
    for name in ("report.html", "events.json", f"{run}.json"):
        (theirs / name).symlink_to(victim)
    (theirs / "fifo.html").symlink_to("/dev/null")
    before = os.stat("/dev/null")
    refused = [
        command.here("report", run, "-o", theirs / "report.html"),
        command.here("report", run, "-o", theirs / "fifo.html"),
        command.here("report", run, "-o", "/dev/null"),
        command.here("store", "export", run, "-o", theirs),
        command.here("io", "sim:", "--runtime", "1s", "--events", theirs / "events.json"),
    ]
    for done in refused:
        assert done.returncode == 4, done.stderr
        assert "and would be replaced by a file" in done.stderr
        assert "hint: " in done.stderr
    assert victim.read_text() == "root's own"
    after = os.stat("/dev/null")
    assert (after.st_ino, after.st_rdev) == (before.st_ino, before.st_rdev)
    assert command.here("report", run, "-o", theirs / "new.html").returncode == 0
    assert (theirs / "new.html").read_text().startswith(PAGE.strip())


def test_a_store_that_others_could_have_put_there_is_not_used(theirs: Path, victim: Path) -> None:
    (theirs / "link.sqlite").symlink_to(victim)
    foreign = theirs.parent / "foreign.sqlite"
    foreign.touch()
    os.chown(foreign, THEM, THEM)
    for place, reason in (
        (theirs / "new.sqlite", "belongs to user 1234"),
        (theirs / "inner" / "new.sqlite", "belongs to user 1234"),
        (theirs / "link.sqlite", "belongs to user 1234"),
        (foreign, "belongs to user 1234"),
    ):
        done = command.here("store", "list", "--json", "--store", place)
        if not place.exists():  # there is nothing to list, and nothing is made for it
            assert (done.returncode, command.document(done)["data"]["id"]) == (2, "store-missing")
            done = command.here("io", "sim:", "--runtime", "1s", "--json", "--store", place)
            warnings = json.loads(done.stdout)["warnings"]
            assert any(reason in warning["message"] for warning in warnings)
            assert not place.exists()
            continue
        assert done.returncode == 4
        error = command.document(done)["data"]
        assert error["id"] == "store-untrusted"
        assert reason in error["message"]
    assert victim.read_text() == "root's own"


def test_journals_are_closed_to_others_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        with context(tmp_path / "state") as (ctx, _):
            ctx.scratch.new_file(tmp_path, "scratch")
            (journal,) = (tmp_path / "state").rglob("*.journal")
            modes = [stat.S_IMODE(path.stat().st_mode) for path in (journal.parent, journal)]
    finally:
        os.umask(before)
    assert modes == [0o700, 0o600]


def test_another_user_s_folder_of_journals_is_not_used(tmp_path: Path) -> None:
    """As root may be given somebody's home (`sudo -E`): what lies there under root's own number was put there by them."""
    from plimsoll.context import Scratch
    from plimsoll.context.scratch import reclaim
    from plimsoll.ports import processes

    theirs = tmp_path / processes.host_name() / "0"
    theirs.mkdir(parents=True)
    os.chown(theirs, THEM, THEM)
    scratch = Scratch(tmp_path)
    with pytest.raises(PlimsollError) as caught:
        scratch.new_file(tmp_path, "scratch")
    assert caught.value.id == "journal-foreign"
    assert "XDG_STATE_HOME" in (caught.value.hint or "")
    (left,) = reclaim(tmp_path).left
    assert "belong to user 1234" in left
    assert sorted(path.name for path in tmp_path.iterdir()) == [processes.host_name()]
