"""The gate on a new device and on one that is confirmed: what opens it, who is asked, and what the commands do."""

from __future__ import annotations

import os
import pty
import random
import signal
import subprocess
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import command
import facts_builder
from loop_device import SIZE, Loop, assert_refused, refusal, run
from plimsoll.base.errors import ExitStatus, Interrupted, PlimsollError
from plimsoll.context import Context
from plimsoll.facts import Event, Progress, Remark
from plimsoll.host import safety
from plimsoll.supply.fill import fill
from plimsoll.supply.targets import Opened, Wish, opened
from simulated import context

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0, reason="only root may make loop devices, mount them and swap to them"
)


# A new device


def test_a_new_device_is_written_with_prefill_alone(ctx: Context, loop: Loop) -> None:
    assert_not_confirmed(ctx, loop)
    with opened(ctx, Wish(str(loop.path), writes=True, prefill=True)) as made:
        check_permit(made, loop)
        assert [note.code for note in made.target.notes] == ["device-filled"]
        assert not made.target.ours
    with open(loop.path, "rb") as device:
        assert all(any(device.read(4096)) for _ in range(SIZE // 4096)), "all of it is written"
    assert_refused(ctx, loop, "device-not-empty", "it holds data (byte 0 is not zero)")
    with opened(ctx, Wish(str(loop.path))) as read, opened(ctx, again(loop)) as made:
        assert read.permit is None
        check_permit(made, loop)


def assert_not_confirmed(ctx: Context, loop: Loop) -> None:
    before = loop.checksum()
    error = refusal(ctx, Wish(str(loop.path), writes=True))
    assert (error.id, error.status) == ("device-not-confirmed", ExitStatus.REFUSED_FOR_SAFETY)
    assert "--prefill" in (error.hint or "")
    assert loop.checksum() == before


def again(loop: Loop) -> Wish:
    return Wish(str(loop.path), writes=True, destroy=(loop.confirmed,))


def check_permit(made: Opened, loop: Loop) -> None:
    state = loop.path.stat()
    permit = made.permit
    assert permit is not None
    assert (permit.path, permit.device, permit.inode) == (str(loop.path), state.st_dev, state.st_ino)
    assert permit.number == state.st_rdev


def test_an_empty_device_is_not_measured_by_reading(ctx: Context, loop: Loop) -> None:
    error = refusal(ctx, Wish(str(loop.path)))
    assert (error.id, error.status) == ("target-unwritten", ExitStatus.USAGE)
    assert "--prefill" in (error.hint or "")
    assert refusal(ctx, again(loop)).id == "target-unwritten", "a mix reads too"
    assert refusal(ctx, Wish(str(loop.path), destroy=("typo",))).id == "destroy-unreadable"
    with opened(ctx, Wish(str(loop.path), writes=True, destroy=(loop.confirmed,), reads=False)) as made:
        check_permit(made, loop)


def test_the_look_can_be_ended_and_leaves_nothing(tmp_path: Path, loop: Loop) -> None:
    seen: list[Progress] = []

    def listen(event: Event) -> None:
        if isinstance(event, Progress) and event.share is not None:
            seen.append(event)
            ctx.cancel.set()

    before = loop.checksum()
    wish = Wish(str(loop.path), prefill=True)
    with context(tmp_path / "journals", listen) as ctx, pytest.raises(Interrupted), opened(ctx, wish):
        pytest.fail("the device was given out")
    assert len(seen) == 1, "it ends at once"
    assert seen[0].left_s is not None
    assert 0 < (seen[0].share or 0) < 1
    assert loop.checksum() == before


def test_a_device_that_cannot_be_read_is_not_taken_for_empty(
    ctx: Context, loop: Loop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file behind it has lost its second half, and reads there fail."""
    os.truncate(loop.file, SIZE // 2)
    error = refusal(ctx, Wish(str(loop.path), prefill=True))
    assert (error.id, error.status) == ("target-unreadable", ExitStatus.WORLD_FAILED)
    assert "could not read" in error.message


# A device that is confirmed


def test_a_confirmed_device_is_written(ctx: Context, loop: Loop) -> None:
    loop.write(0, random.Random(1).randbytes(SIZE))
    loop.write(32, b"ORCLDISK")
    before = loop.checksum()
    with opened(ctx, again(loop)) as made:
        check_permit(made, loop)
    assert loop.checksum() == before, "the gate itself writes nothing"
    done = command.here(
        "io", loop.path, "--rw", "randwrite", "--runtime", "200ms", "--json", "--destroy", loop.confirmed
    )
    assert done.returncode in (0, 1), done.stderr
    assert command.document(done)["data"]["ios"] > 0
    assert "holds Oracle ASM disk (byte 32); that is given up" in done.stderr
    assert loop.checksum() != before


@pytest.mark.parametrize("identity", ["{file}x", "0815", "{name}", "behind.img", "loop"])
def test_another_identity_confirms_nothing(ctx: Context, loop: Loop, identity: str) -> None:
    said = identity.format(file=loop.file, name=loop.path.name)
    loop.write(0, b"\x01")
    before = loop.checksum()
    for prefill in (False, True):
        wish = Wish(str(loop.path), writes=True, prefill=prefill, destroy=(f"{loop.path}={said}",))
        error = refusal(ctx, wish)
        assert (error.id, error.status) == ("destroy-mismatch", ExitStatus.REFUSED_FOR_SAFETY)
        assert error.message == f"{loop.path} is not '{said}'; it has file {loop.file}"
    both = Wish(str(loop.path), writes=True, destroy=(loop.confirmed, f"{loop.path}={said}"))
    assert refusal(ctx, both).id == "destroy-mismatch", "one right answer does not make up for a wrong one"
    assert loop.checksum() == before


def test_another_name_confirms_nothing(ctx: Context, loop: Loop, tmp_path: Path) -> None:
    loop.write(0, b"\x01")
    before = loop.checksum()
    for name in ("/dev/none", "/dev/null", str(tmp_path)):
        error = refusal(ctx, Wish(str(loop.path), writes=True, destroy=(f"{name}={loop.file}",)))
        assert (error.id, error.status) == ("device-not-empty", ExitStatus.REFUSED_FOR_SAFETY)
        assert f"--destroy names {name}, which is another device" in (error.hint or "")
    assert loop.checksum() == before


def test_a_link_to_the_device_names_it(ctx: Context, loop: Loop, tmp_path: Path) -> None:
    link = tmp_path / "by-path"
    link.symlink_to(loop.path)
    loop.write(0, random.Random(1).randbytes(SIZE))
    with opened(ctx, Wish(str(link), writes=True, destroy=(f"{link}={loop.file}",))) as made:
        check_permit(made, loop)


def test_a_device_without_identity_cannot_be_confirmed(ctx: Context, loop: Loop) -> None:
    """The file behind it has no name any more."""
    loop.write(0, b"\x01")
    before = loop.checksum()
    loop.file.unlink()
    error = refusal(ctx, again(loop))
    assert (error.id, error.status) == ("destroy-no-identity", ExitStatus.REFUSED_FOR_SAFETY)
    assert loop.checksum() == before


def test_a_file_is_not_given_up(ctx: Context, tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_bytes(random.Random(1).randbytes(SIZE))
    before = path.stat()
    error = refusal(ctx, Wish(str(path), writes=True, destroy=(f"{path}={path.stat().st_ino}",)))
    assert (error.id, error.status) == ("destroy-not-a-device", ExitStatus.REFUSED_FOR_SAFETY)
    assert path.stat().st_mtime_ns == before.st_mtime_ns


def asked(ctx: Context, answer: str | None, questions: list[str]) -> Context:
    """The same context with somebody at the terminal."""
    return replace(ctx, ask=lambda question: questions.append(question) or answer)


@pytest.mark.parametrize("answer", ["", "y", "yes", "loop"])
def test_who_does_not_type_the_name_is_refused(ctx: Context, loop: Loop, answer: str) -> None:
    run("mkfs.ext4", "-q", loop.path)
    before = loop.checksum()
    questions: list[str] = []
    error = refusal(asked(ctx, answer, questions), again(loop))
    assert (error.id, error.status) == ("destroy-declined", ExitStatus.REFUSED_FOR_SAFETY)
    holds, wanted = "ext2, ext3 or ext4 file system (byte 1,080)", loop.path.name
    assert questions == [
        f"{loop.path}, 64 MiB, holds {holds}.\nAll of it will be lost. Type {wanted} to go on: "
    ]
    assert loop.checksum() == before


def test_who_types_the_name_goes_on(ctx: Context, loop: Loop) -> None:
    loop.write(0, random.Random(1).randbytes(SIZE))
    for answer in (loop.path.name, str(loop.path)):
        with opened(asked(ctx, answer, []), again(loop)) as made:
            check_permit(made, loop)


def test_without_anybody_to_ask_it_is_said(tmp_path: Path, loop: Loop) -> None:
    loop.write(0, random.Random(1).randbytes(SIZE))
    seen: list[Event] = []
    with context(tmp_path / "journals", seen.append) as ctx, opened(ctx, again(loop)):
        pass
    assert [event.message for event in seen if isinstance(event, Remark) and event.warning] == [
        f"{loop.path} was confirmed with --destroy and holds data (byte 0 is not zero); that is given up"
    ]


@pytest.mark.parametrize(("typed", "status"), [("no", 3), ("{name}", 0)])
def test_a_person_at_a_terminal_is_asked(loop: Loop, typed: str, status: int) -> None:
    loop.write(0, random.Random(1).randbytes(SIZE))
    before = loop.checksum()
    words = ["io", loop.path, "--rw", "randwrite", "--runtime", "200ms", "--destroy", loop.confirmed]
    said, returned = at_terminal(command.command(*words), typed.format(name=loop.path.name))
    assert f"Type {loop.path.name} to go on:" in said
    assert returned == status, said
    assert (loop.checksum() == before) is (status == 3)


def at_terminal(words: list[str], typed: str) -> tuple[str, int]:
    """What a program says to a terminal where one line is typed once it asks, and how it ends."""
    terminal, inside = pty.openpty()
    program = subprocess.Popen(words, stdin=inside, stdout=inside, stderr=inside, start_new_session=True)
    os.close(inside)
    giving_up = threading.Timer(30, lambda: program.send_signal(signal.SIGKILL))
    giving_up.start()
    said, answered = "", False
    try:
        while chunk := read_some(terminal):
            said += chunk
            if "to go on:" in said and not answered:
                answered = True
                os.write(terminal, f"{typed}\n".encode())
        return said, program.wait()
    finally:
        giving_up.cancel()
        os.close(terminal)


def read_some(terminal: int) -> str:
    """Nothing once the program has ended: the kernel then says that the terminal fails."""
    try:
        return os.read(terminal, 65536).decode(errors="replace")
    except OSError:
        return ""


# The whole command


@pytest.mark.parametrize("words", [("--rw", "randwrite"), ("--rw", "randrw"), ("--prefill",)])
def test_the_command_ends_with_status_3_and_names_what_it_found(loop: Loop, words: tuple[str, ...]) -> None:
    run("mkfs.ext4", "-q", loop.path)
    before = loop.checksum()
    done = command.here("io", loop.path, *words, "--runtime", "200ms")
    assert (done.returncode, done.stdout) == (3, "")
    said = done.stderr.splitlines()
    assert said[:2] == [
        f"looking who uses {loop.path}",
        f"error: {loop.path} is not written to, because it holds ext2, ext3 or ext4 file system (byte 1,080)",
    ]
    assert f"--destroy {loop.path}=IDENTITY" in done.stderr
    assert loop.checksum() == before


def test_a_line_is_refused_as_well(loop: Loop) -> None:
    run("mkfs.ext4", "-q", loop.path)
    before = loop.checksum()
    done = command.here("line", loop.path, "--rw", "randwrite")
    assert done.returncode == 3
    wrong = command.here("line", loop.path, "--rw", "randwrite", "--destroy", f"{loop.path}=0815")
    assert wrong.returncode == 3
    assert "is not '0815'" in wrong.stderr
    assert loop.checksum() == before


def test_a_verdict_is_refused_where_the_demand_writes(loop: Loop, tmp_path: Path) -> None:
    loop.write(32, b"ORCLDISK")
    before = loop.checksum()
    demand = tmp_path / "demand.json"
    demand.write_text(facts_builder.demand().model_dump_json())
    words = ["assess", "--demand", demand, "--target", loop.path]
    for more, said in (
        ((), "it holds Oracle ASM disk (byte 32)"),
        (("--prefill",), "it holds Oracle ASM disk (byte 32)"),
        (("--destroy", f"{loop.path}=0815"), "is not '0815'"),
    ):
        done = command.here(*words, *more)
        assert (done.returncode, said in done.stderr) == (3, True), done.stderr
    assert loop.checksum() == before


def test_a_new_device_is_filled_and_measured_by_one_command(loop: Loop) -> None:
    done = command.here("io", loop.path, "--rw", "randwrite", "--prefill", "--runtime", "200ms", "--json")
    assert done.returncode in (0, 1), done.stderr
    result: dict[str, Any] = command.document(done)
    assert result["data"]["ios"] > 0
    assert "device-filled" in [warning["code"] for warning in result["data"]["target"]["notes"]]


# The permit


def test_a_node_that_was_swapped_is_not_written_to(ctx: Context, loop: Loop, tmp_path: Path) -> None:
    """A node of the same name for another device has another inode, which the engine compares after opening."""
    file = tmp_path / "precious.img"
    file.write_bytes(random.Random(1).randbytes(SIZE))
    precious = Loop(file)
    node = tmp_path / "node"
    try:
        before = precious.checksum()
        os.mknod(node, 0o600 | 0o060000, loop.path.stat().st_rdev)
        try:
            node.open("rb").close()
        except PermissionError:
            pytest.skip("device nodes do not work in the folder of the tests")
        with safety.permit_device(ctx, node, prefill=True) as permit:
            assert permit.number == loop.path.stat().st_rdev
            node.unlink()
            os.mknod(node, 0o600 | 0o060000, precious.path.stat().st_rdev)
            with pytest.raises(PlimsollError) as refused:
                fill(ctx, node, SIZE, permit)
        assert refused.value.id == "write-not-permitted"
        assert precious.checksum() == before
    finally:
        precious.detach()
