"""A process that ends without being taken apart loses nothing by that. Each program is a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import command
from plimsoll.cli import leaving

LEAVE = "\nfrom plimsoll.cli.leaving import leave\nleave({status})\n"


def left(program: str, status: int = 3) -> subprocess.CompletedProcess[str]:
    """The process of this program, which leaves with this status."""
    return subprocess.run(
        [sys.executable, "-c", program + LEAVE.format(status=status)],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


HANDLERS = """
import atexit, logging, logging.handlers, sys, weakref
class Held: pass
held = Held()
atexit.register(print, "first registered")
weakref.finalize(held, print, "finalized")
target = logging.StreamHandler(sys.stdout)
logging.getLogger().addHandler(logging.handlers.MemoryHandler(100, target=target))
logging.getLogger().warning("logged")
atexit.register(print, "last registered")
"""


def test_what_is_registered_for_the_end_is_done_in_its_order_and_is_read() -> None:
    done = left(HANDLERS)
    assert (done.returncode, done.stderr) == (3, "")
    assert done.stdout.splitlines() == ["last registered", "finalized", "first registered", "logged"]


def test_one_that_fails_is_told_and_takes_neither_others_nor_the_status() -> None:
    done = left("import atexit\natexit.register(print, 'done')\natexit.register(lambda: 1 / 0)\n")
    assert (done.returncode, done.stdout) == (3, "done\n")
    assert "ZeroDivisionError" in done.stderr


AT_WORK = """
import threading, sys
begun = threading.Event()
def work():
    begun.wait()
    threading.main_thread().join()
    print("worked")
threading.Thread(target=work, daemon={daemon}).start()
begun.set()
"""
POOL = """
import time
from concurrent.futures import ThreadPoolExecutor
ThreadPoolExecutor(1).submit(lambda: (time.sleep(0.3), print("worked")))
"""


def test_threads_that_are_at_work_are_waited_for() -> None:
    for program in (AT_WORK.format(daemon=False), POOL):
        done = left(program)
        assert (done.returncode, done.stdout, done.stderr) == (3, "worked\n", "")


def test_threads_that_nobody_waits_for_hold_nothing_up() -> None:
    done = left(AT_WORK.format(daemon=True))
    assert (done.returncode, done.stdout, done.stderr) == (3, "", "")


def test_a_child_goes_on() -> None:
    """As after any other end: who started it may want it to."""
    child = "import sys; sys.stdin.read(); print('outlived it')"
    program = f"""
import os, subprocess, sys
waits, ends = os.pipe()
subprocess.Popen([sys.executable, "-S", "-c", {child!r}], stdin=waits, close_fds=True)
"""
    done = left(program)
    assert (done.returncode, done.stdout) == (3, "outlived it\n")


def test_all_that_was_printed_comes_through_a_pipe_that_is_read_slowly(tmp_path: Path) -> None:
    program = "import sys\nprint('y' * 100_000, file=sys.stderr)\nprint('x' * 1_000_000)" + LEAVE.format(
        status=3
    )
    with (tmp_path / "told").open("wb") as told:
        words = [sys.executable, "-c", program]
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=told, bufsize=0) as process:
            assert process.stdout is not None
            pieces = []
            while piece := process.stdout.read(5_000):  # a pipe holds 64 KiB: the process has to wait for us
                pieces.append(piece)
    assert process.returncode == 3
    assert b"".join(pieces) == b"x" * 1_000_000 + b"\n"
    assert (tmp_path / "told").read_bytes() == b"y" * 100_000 + b"\n"


@pytest.mark.parametrize(("status", "expected"), [(0, leaving.LOST), (3, 3)])
def test_what_is_printed_at_the_end_and_lost_is_no_success(status: int, expected: int) -> None:
    program = "import atexit\natexit.register(print, 'late')" + LEAVE.format(status=status)
    waits = {name: held for name, held in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-c", program], stdout=full, timeout=60, check=False, env=waits
        )
    assert done.returncode == expected


@pytest.mark.parametrize("closed", ["stdout", "stderr"])
def test_a_stream_that_is_closed_is_none(closed: str) -> None:
    assert left(f"import sys\nsys.{closed}.close()").returncode == 3
    assert left(f"import sys\nsys.{closed} = None").returncode == 3


@pytest.mark.parametrize("looks", ["settrace", "setprofile"])
def test_who_looks_on_goes_on_afterwards(looks: str) -> None:
    program = f"import sys\nsys.{looks}(lambda *_: None)\nfrom plimsoll.cli.leaving import leave\n"
    done = left(
        f"{program}try:\n    leave(4)\nexcept SystemExit as ended:\n    print(ended.code)\nsys.{looks}(None)\n"
    )
    assert (done.returncode, done.stdout) == (3, "4\n")


@pytest.mark.skipif(not hasattr(sys, "monitoring"), reason="Python has this since 3.12")
def test_who_looks_on_by_events_goes_on_afterwards() -> None:
    watched = "import sys\nsys.monitoring.use_tool_id(1, 'coverage')\n"
    program = f"{watched}from plimsoll.cli.leaving import leave\n"
    done = left(f"{program}try:\n    leave(4)\nexcept SystemExit as ended:\n    print(ended.code)\n")
    assert done.stdout == "4\n"


def test_python_that_asks_for_more_afterwards_does() -> None:
    done = subprocess.run(
        [sys.executable, "-i", "-c", LEAVE.format(status=4)],
        input="print('still here')\n", capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert "still here" in done.stdout
    assert "SystemExit: 4" in done.stderr


@pytest.mark.parametrize(("words", "status"), [(("--version",), 0), (("frobnicate",), 2)])
def test_a_command_ends_with_its_status(words: tuple[str, ...], status: int) -> None:
    done = command.plimsoll(*words)
    as_module = subprocess.run(
        [sys.executable, "-m", "plimsoll", *words], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == as_module.returncode == status
    assert (done.stdout, done.stderr) == (as_module.stdout, as_module.stderr)


def test_a_command_does_what_is_registered_for_its_end() -> None:
    program = (
        "import atexit, sys\natexit.register(print, 'late')\nfrom plimsoll.cli.main import main\nmain()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "--version"], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout.splitlines()[1:]) == (0, ["late"])
