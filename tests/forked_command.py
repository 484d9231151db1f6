"""Commands in processes of their own that tell the most memory that each held: forked off one that has loaded what they need.

Most of these commands take less time than to load it. Nothing of the product runs before: a fork takes along but one thread.
"""

from __future__ import annotations

import json
import resource
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import command
import plimsoll.cli.commands.read
import plimsoll.cli.session
import plimsoll.flows.read  # noqa: F401 - loaded for the commands
from zygote import Zygote, zygote

_PROGRAM = "from forked_command import work"


class Measured(NamedTuple):
    """A finished command: its exit status, what it said, and the most memory that it held, in bytes."""

    returncode: int
    stdout: str
    stderr: str
    peak_bytes: int


@contextmanager
def parent() -> Iterator[Zygote]:
    """The process off which they are forked."""
    with zygote(_PROGRAM) as made:
        yield made


def measured(forks: Zygote, *words: str | Path) -> Measured:
    """The finished command with the most memory that it held, that of its modules included."""
    process = forks.started(*map(str, words))
    try:
        said = process.stdout.read()
    finally:
        with suppress(ProcessLookupError):
            process.send_kill()
        process.ended()
    return Measured(*json.loads(said))


def work(*words: str) -> None:
    """Runs the command in the process that was forked off, and prints what became of it."""
    done = command.here(*words)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps([done.returncode, done.stdout, done.stderr, peak]), flush=True)
