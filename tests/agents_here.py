"""Agents that are processes of this machine, each started by a launcher as ssh would start it on a host."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable
from pathlib import Path

from command import PROGRAM

AGENT = f"{shlex.quote(PROGRAM)} agent"
PATIENCE_S = 60.0


def noting(folder: Path) -> str:
    """A launcher whose agents leave their process ids behind, each in a file of the host's name."""
    place = shlex.quote(str(folder))
    script = f'echo $$ >{place}/{{host}}.new; mv {place}/{{host}}.new {place}/{{host}}.pid; exec "$0" "$@"'
    return f"sh -c {shlex.quote(script)}"


def agent_of(folder: Path, host: str) -> int:
    """The process id that it left behind, once it has."""
    path = folder / f"{host}.pid"
    when(path.exists)
    return int(path.read_text())


def when(is_so: Callable[[], bool]) -> None:
    """Waits until it is so."""
    until_s = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < until_s, "it never came"
        time.sleep(0.01)
