"""Agents that are processes of this machine, each started by a launcher as ssh would start it on a host."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import psutil

from command import PROGRAM
from dask_cluster import Cluster

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


class Way(NamedTuple):
    """How agents are started, for what holds of all ways."""

    words: tuple[str, ...]
    """Of a command that names hosts."""
    agent: Callable[[str], int]
    """The process id of a host's agent, once it is there."""


def by_launcher(folder: Path) -> Way:
    """As over ssh."""
    return Way(("--launcher", noting(folder), "--agent", AGENT), lambda host: agent_of(folder, host))


def by_workers(cluster: Cluster) -> Way:
    """By workers whose names are those of the hosts."""

    def agent(host: str) -> int:
        found: list[psutil.Process] = []

        def is_there() -> bool:
            nonlocal found
            found = psutil.Process(cluster.named[host].process.pid).children()
            return bool(found)

        when(is_there)
        return found[0].pid

    return Way(("--cluster", cluster.address), agent)


def is_gone(pid: int) -> bool:
    """Whether nothing of it runs any more."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True
