"""iperf3 as a server for a test: on the loopback, or wherever a command is started by other words before it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import pytest


@dataclass(frozen=True)
class Server:
    """Where it listens."""

    address: str
    port: int


@contextmanager
def serving(address: str, port: int, before: Sequence[str] = ()) -> Iterator[Server]:
    """Until the end of the block; it has said that it listens."""
    if shutil.which("iperf3") is None:
        pytest.skip("iperf3 not found: it takes Debian's package iperf3")
    words = [*before, "iperf3", "--server", "--bind", address, "--port", str(port), "--forceflush"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as server:
        try:
            assert server.stdout is not None
            said = next(
                (line for line in server.stdout if "listening" in line.lower() or "error" in line), ""
            )
            assert "listening" in said.lower(), f"{' '.join(words)}: {said}"
            yield Server(address, port)
        finally:
            server.kill()
