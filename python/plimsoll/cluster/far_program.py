"""A program on another host that needs nothing of ours there: a shell is started by the launcher, and told by its standard input.

Its words reach the shell whole, whether the launcher has another shell on the way, as ssh, or none. The program ends with its
input, so that nothing is left there where the connection breaks or this process is killed.
"""

from __future__ import annotations

import shlex
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from queue import Empty, Queue

from plimsoll.base.printable import printable
from plimsoll.cluster import program_end
from plimsoll.cluster.launch import Launch
from plimsoll.ports import processes

_END_S = 5.0
_LOOK_S = 0.2
_OUTPUT_BYTES_MAX = 16 << 20
_LETTERS_MAX = 200
SHELL = "sh"


def launch_of(launcher: str) -> Launch:
    """How a shell is started on a host."""
    return Launch(launcher, SHELL)


def script(words: Sequence[str]) -> bytes:
    """One line for the shell: the program beside a reader of our input, at whose end it is ended; its status is the shell's."""
    program = shlex.join(words)
    reader = "(read -r x <&3; kill $p) >/dev/null 2>&1 & w=$!"
    return f"exec 3<&0; {program} </dev/null 2>&1 & p=$!; {reader}; wait $p; s=$?; kill $w 2>/dev/null; exit $s\n".encode()


class FarProgram:
    """One that runs. What it prints is taken in by a thread of its own."""

    def __init__(self, command: Sequence[str], words: Sequence[str]) -> None:
        self._process = processes.start_talking(command)
        self._lines: Queue[bytes | None] = Queue()
        self._is_over = threading.Event()
        self._threads = [
            threading.Thread(target=self._listen, daemon=True),
            threading.Thread(target=self._overhear, daemon=True),
        ]
        self._last = ""
        for thread in self._threads:
            thread.start()
        with suppress(OSError):
            assert self._process.stdin is not None, "it was started with pipes"
            self._process.stdin.write(script(words))
            self._process.stdin.flush()

    def lines(self, within_s: float, is_cut: Callable[[], bool]) -> Iterator[str]:
        """What it prints until its end, or until it was silent for so long in all, or somebody wants it to end."""
        left = int(within_s / _LOOK_S)
        while left > 0 and not is_cut():
            try:
                line = self._lines.get(timeout=_LOOK_S)
            except Empty:
                left -= 1
                continue
            if line is None:
                return
            yield line.decode(errors="replace")

    @property
    def ended(self) -> bool:
        """Whether nothing more comes of it: known no later than to whom `lines` has come to its end."""
        return self._is_over.is_set()

    @property
    def last_words(self) -> str:
        """The last line of its standard error: of the launcher, as the program's own is among what it prints."""
        self._threads[1].join(_END_S if self.ended else 0)
        return self._last

    def close(self) -> None:
        """Ends its input, and with it the program; then the launcher, by force where it must be."""
        with suppress(OSError, ValueError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        program_end.end(self._process, self._threads, _END_S)

    def _listen(self) -> None:
        assert self._process.stdout is not None, "it was started with pipes"
        taken = 0
        with suppress(OSError, ValueError):
            while taken < _OUTPUT_BYTES_MAX and (line := self._process.stdout.readline(_OUTPUT_BYTES_MAX)):
                taken += len(line)
                self._lines.put(line)
        self._is_over.set()
        self._lines.put(None)

    def _overhear(self) -> None:
        assert self._process.stderr is not None, "it was started with pipes"
        with suppress(OSError, ValueError):
            while line := self._process.stderr.readline(_LETTERS_MAX):
                self._last = printable(line.decode(errors="replace").strip()) or self._last


@contextmanager
def far_program(launch: Launch, host: str, words: Sequence[str]) -> Iterator[FarProgram]:
    """The program on that host until the end of the block. Raises OSError, and UsageError of the launcher."""
    program = FarProgram(launch.command(host), words)
    try:
        yield program
    finally:
        program.close()
