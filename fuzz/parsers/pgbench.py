"""Any bytes as a log of pgbench: transactions or intervals, or a usage error."""

from __future__ import annotations

from collections.abc import Iterator

from parsers._logs import read_as


def seeds() -> Iterator[bytes]:
    """Transactions with what options add, and intervals of every release."""
    yield b"0 1 900 0 1726000000 5\n1 2 1200 1 1726000001 7\n"
    yield b"0 1 900 0 1726000000 5 120\n0 2 skipped 0 1726000001 5 120\n0 3 failed 0 1726000002 5 120 1\n"
    yield b"1726000000 100 200000 500000000 900 9000\n1726000010 0 0 0 0 0\n"
    yield b"1726000000 100 200000 500000000 900 9000 0 0 0 0 0 0 0 0 0\n"


def one(data: bytes) -> None:
    """Reads them."""
    read_as("pgbench", data)
