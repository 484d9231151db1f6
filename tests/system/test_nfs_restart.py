"""A server that is killed between WRITE and COMMIT: what it had only in memory is written again, and that is told.

ganesha serves a folder in memory over a link between two networks. Functions in front of its own make it hold a COMMIT while a
file of that name is there, so that it is killed with writes that it has answered and not committed. What such a host would lose
with its memory is then overwritten by the test, as a killed process alone loses nothing. It runs as root and only when it is
named: `.venv/bin/pytest -m system tests/system/test_nfs_restart.py`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from kit import ganesha

from checked_load import check_written, checked_load, file_to_read, program
from command_over_links import Command
from plimsoll.base.errors import ExitStatus
from shaped_links import Links, folder_of, links

pytestmark = [pytest.mark.system, pytest.mark.timeout(300)]
BLOCK_BYTES, BLOCKS, DEPTH = 64 << 10, 256, 16
TIMEOUT_S = 1.0
TIMES = 3
SENT = 1
_PATIENCE_S = 60.0
_HELD = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>
int fsync(int file) {{
  while (access("{hold}", F_OK) == 0) {{
    close(open("{held}", O_CREAT | O_WRONLY, 0600));
    usleep(1000);
  }}
  return syscall(SYS_fsync, file);
}}
void *dlopen(const char *name, int how) {{
  return ((void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen"))(name, how & ~RTLD_DEEPBIND);
}}
"""
"""ganesha opens its back ends so that nothing stands in front of what they call; that is left out."""


@dataclass
class Served:
    """The file, as the client reaches it, its folder on the server, and the server."""

    made: Links
    export: Path
    server: ganesha.Server
    hold: Path
    held: Path

    def url(self, name: str) -> str:
        return ganesha.url(self.made.addresses[0], self.export, name)

    def kill_with_writes_that_wait_for_a_commit(self) -> None:
        """A COMMIT is sent when a write has been answered, and covers it."""
        self.hold.touch()
        wait_until(self.held.exists, "no COMMIT came")
        self.server.kill()
        self.hold.unlink()
        self.held.unlink()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    program()
    folder = tmp_path_factory.mktemp("commits")
    hold, held = folder / "hold", folder / "held"
    with links(1) as made, folder_of(file_to_read(BLOCKS, BLOCK_BYTES)) as export:
        functions = _HELD.format(hold=hold, held=held)
        with ganesha.starting(export, "0.0.0.0", made.at_server, functions) as server:
            yield Served(made, export, server, hold, held)


def wait_until(is_so: Callable[[], bool], otherwise: str) -> None:
    until_s = time.monotonic() + _PATIENCE_S
    while not is_so():
        assert time.monotonic() < until_s, otherwise
        time.sleep(0.005)


def lose(file: Path, blocks: list[int]) -> None:
    """What was written and not committed is gone."""
    with file.open("r+b") as data:
        for block in blocks:
            data.seek(block * BLOCK_BYTES)
            data.write(bytes(BLOCK_BYTES))


def has_been_written(file: Path) -> bool:
    """Whether each block was, as they are written in turn."""
    with file.open("rb") as data:
        data.seek(-BLOCK_BYTES, 2)
        return data.read() != file_to_read(BLOCKS, BLOCK_BYTES)[-BLOCK_BYTES:]


def test_what_was_not_committed_when_the_server_was_killed_is_written_again(served: Served) -> None:
    file = served.export / "data"
    for _ in range(TIMES):
        file.write_bytes(file_to_read(BLOCKS, BLOCK_BYTES))
        words = (served.url("data"), "write-unstable", DEPTH, BLOCK_BYTES, TIMEOUT_S)
        with checked_load(served.made.at_client, *words) as load:
            wait_until(lambda: has_been_written(file), "not all blocks were written")
            served.kill_with_writes_that_wait_for_a_commit()
            load.wait(lambda told: told["losses"] == [1])
            # Of what comes after the restart nothing may write these blocks once more.
            load.begin_no_more()
            lose(file, load.told["under_way"])
            served.server.start()
            seen = load.end()
        print(f"{seen['begun']} writes, {seen['rewritten']} written again, {seen['resent']} asked again")
        assert (seen["failed"], seen["unasked"], seen["losses"], seen["outages"]) == (0, 0, [1], 1)
        assert seen["begun"] == seen["ended"]
        assert 0 < seen["rewritten"] <= DEPTH
        check_written(file, seen["last"], BLOCK_BYTES)


def test_the_command_goes_on_after_the_restart_and_tells_what_was_written_again(
    served: Served, tmp_path: Path
) -> None:
    shape = ("--rw", "randwrite", "--size", "16m", "--block", str(BLOCK_BYTES), "--depth", str(DEPTH))
    times = ("--runtime", "5s", "--warm-up", "0s", "--path-timeout", f"{TIMEOUT_S}s")
    run = Command(served.made, tmp_path, served.url(""), *shape, "--stable", "none", *times)
    # It is filled first, with 16 MiB.
    run.wait_for_load(SENT, 40 << 20)
    served.kill_with_writes_that_wait_for_a_commit()
    served.server.start()
    again = served.made.carried(0)[SENT]
    wait_until(lambda: served.made.carried(0)[SENT] > again + (40 << 20), "it does not go on")
    status, ended = run.end()
    told = ended["data"]
    assert status in (ExitStatus.DONE, ExitStatus.ANSWER_IS_NO)
    assert (told["stable"], told["errors"], len(told["outages"])) == ("none", 0, 1)
    said = {warning["code"]: warning["message"] for warning in ended["warnings"]}
    assert "written again, because the server lost" in said["nfs-rewritten"], said
    assert [path.name for path in served.export.iterdir()] == ["data"], "the scratch file is gone"
