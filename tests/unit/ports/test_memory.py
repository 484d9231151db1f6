"""What is left of a bounded address space."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
import resource, sys
from plimsoll.ports import memory
limit = int(sys.argv[1])
if limit:
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
print(memory.room_bytes())
"""


def told(limit_bytes: int) -> str:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(limit_bytes)], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_where_nothing_is_bounded_there_is_no_end() -> None:
    if told(0) != "None":
        pytest.skip("the address space of this process is bounded (ulimit -v)")


def test_what_was_taken_is_not_left() -> None:
    assert 3 << 30 < int(told(4 << 30)) < 4 << 30
