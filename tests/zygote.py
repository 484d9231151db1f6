"""Processes that have their modules loaded when they begin, for tests that start many and kill them: forked off one that waits.

To start Python and to load what a command needs takes longer than that of which these tests are about.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TextIO

_MESSAGE_BYTES_MAX = 1 << 17


@dataclass(frozen=True)
class Forked:
    """A process at work, and what it prints."""

    stdout: TextIO
    _handle: int

    def send_kill(self) -> None:
        """Sends SIGKILL. Raises ProcessLookupError where it has ended by itself."""
        signal.pidfd_send_signal(self._handle, signal.SIGKILL)

    def ended(self) -> str:
        """Waits until it is gone, and returns what it had printed and nobody has read."""
        try:
            select.select([self._handle], [], [])
            return self.stdout.read()
        finally:
            os.close(self._handle)
            self.stdout.close()

    def kill(self) -> str:
        """Ends it; see the two above."""
        self.send_kill()
        return self.ended()


class Zygote:
    """A process that has run a program, which defines `work`, and forks off others that call it."""

    def __init__(self, link: socket.socket) -> None:
        self._link = link

    def started(self, *words: str) -> Forked:
        """A process that calls `work` with these words, in the surroundings of this moment."""
        read, write = os.pipe()
        message = json.dumps([words, dict(os.environ)]).encode()
        try:
            socket.send_fds(self._link, [message], [write])
        finally:
            os.close(write)
        process_id = int(self._link.recv(_MESSAGE_BYTES_MAX))
        return Forked(os.fdopen(read, encoding="utf-8"), os.pidfd_open(process_id))


@contextmanager
def zygote(program: str) -> Iterator[Zygote]:
    """One for as long as the block lasts."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours:
        with theirs:
            words = [sys.executable, __file__, str(theirs.fileno())]
            process = subprocess.Popen(
                words,
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        ours.send(program.encode())
        yield Zygote(ours)
    assert process.wait(timeout=30) == 0


def _serve(link: socket.socket) -> None:
    """Runs the program, then forks for each message until the other end is closed."""
    names: dict[str, Any] = {}
    exec(link.recv(_MESSAGE_BYTES_MAX), names)  # noqa: S102 - that is what it is for
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # Whoever ends is gone at once, and leaves no zombie.
    while True:
        message, descriptors, *_ = socket.recv_fds(link, _MESSAGE_BYTES_MAX, 1)
        if not message:
            return
        process_id = os.fork()
        if process_id == 0:
            link.close()
            _work(names["work"], message, descriptors[0])
        os.close(descriptors[0])
        link.send(b"%d" % process_id)


def _work(work: Any, message: bytes, stdout: int) -> None:
    """All that a forked process does."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.dup2(stdout, 1)
    os.close(stdout)
    words, environment = json.loads(message)
    os.environ.clear()
    os.environ.update(environment)
    work(*words)
    os._exit(0)


if __name__ == "__main__":
    with socket.socket(fileno=int(sys.argv[1])) as inherited:
        _serve(inherited)
