"""Programs that commit while tests watch what they wait for: any program, and a PostgreSQL 18 with pgbench."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from databases_fixture import context as database_context
from plimsoll.context import Context
from plimsoll.databases import embedded
from plimsoll.facts import CommitWaits
from plimsoll.flows import commits as flow
from plimsoll.native import commit_probe
from plimsoll.requests.commits import CommitsRequest

if TYPE_CHECKING:
    from plimsoll.native.commit_probe import CommitCounts, CommitRow, CommitUnderWay

BACKEND = "client backend"


@contextmanager
def at_work(words: Sequence[str | Path], **more: Any) -> Iterator[int]:
    """A program that runs until the end of the block; its number."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **more}
    with subprocess.Popen([str(word) for word in words], **quiet) as process:
        try:
            yield process.pid
            assert process.poll() is None, f"{words[0]} ended before the test did"
        finally:
            process.kill()


@contextmanager
def running(folder: Path, journal: Path, wheel: Path) -> Iterator[tuple[embedded.Server, Context]]:
    """A PostgreSQL 18 in that folder, with pgbench's tables; and the context that it belongs to."""
    with database_context(journal) as (made, _), embedded.running(made, folder, {}, wheel) as found:
        subprocess.run([wheel / "pgbench", "-i", "-q", "-s", "5", found.url], check=True, capture_output=True)
        yield found, made


def pgbench(wheel: Path, server: embedded.Server, clients: int, *more: str) -> list[str | Path]:
    """Small updates until it is ended."""
    words = ["-N", "-n", "-M", "prepared", "-T", "100", "-c", str(clients), *more]
    return [wheel / "pgbench", *words, server.url]


def postmaster_of(server: embedded.Server) -> int:
    """Its first process."""
    return int((server.cluster.data_folder / "postmaster.pid").read_text().split()[0])


def children_of(pid: int) -> set[int]:
    """Processes that it started and that are there."""
    told = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return {int(word) for word in told.split()}


@dataclass(frozen=True)
class OfServer(flow.InKernel):
    """The probe in this kernel, of which only commits of one server are seen: other tests have servers too, and roles of the host
    are one."""

    postmaster: int
    known: set[int] = field(default_factory=set)

    def read(self) -> tuple[list[CommitRow], CommitCounts]:
        rows, counts = super().read()
        self.known.update(children_of(self.postmaster))
        return [row for row in rows if row["owner_pid"] in self.known], counts

    def under_way(self) -> list[CommitUnderWay]:
        return [one for one in super().under_way() if one["owner_pid"] in self.known]


def watched_server(server: embedded.Server, journal: Path, seconds: float) -> CommitWaits:
    """What commits of its sessions wait for."""
    probe = commit_probe.start()
    try:
        with database_context(journal) as (ctx, _):
            asked = CommitsRequest(watched_s=seconds, roles=(BACKEND,))
            return flow.watched(ctx, asked, OfServer(probe, postmaster_of(server)), flow.Beside())
    finally:
        probe.stop()
