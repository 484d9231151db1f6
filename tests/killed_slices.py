"""Not a test: a command on slices that kills itself at a step of its own, for tests of kills, which read this file as a program."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from typing import Any

import plimsoll.cli.commands.host
import plimsoll.cli.session
import plimsoll.flows.host_slice_apply  # noqa: F401 - loaded for the command
from plimsoll.cli import main
from plimsoll.ports import control_groups, processes
from plimsoll.ports.folders import Folder

STEPPED = (
    (control_groups, ("make", "put", "give", "remove")),
    (Folder, ("append", "add_whole", "remove_file")),
    (processes, ("run",)),
)
"""All that changes anything: a kill comes before it, or behind it."""


def work(at: str, *words: str) -> None:
    """Runs the command to its end, or to that step; tells how many there were."""
    seen = [0]

    def step() -> None:
        seen[0] += 1
        if seen[0] == int(at):
            os.kill(os.getpid(), signal.SIGKILL)

    def stepped(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            step()
            found = real(*given, **named)
            step()
            return found

        return call

    for owner, names in STEPPED:
        for name in names:
            setattr(owner, name, stepped(getattr(owner, name)))
    os.dup2(1, 2)
    print("status", main.run(list(words)), "steps", seen[0], flush=True)
