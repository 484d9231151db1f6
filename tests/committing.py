"""Programs that commit while tests watch what they wait for: any program, and a PostgreSQL 18 with pgbench."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from databases_fixture import context as database_context
from plimsoll.context import Context
from plimsoll.databases import embedded

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
