"""The probes in the guest: an older kernel takes them as well, and counts the same."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest

from guest_machine import Guest

pytestmark = [pytest.mark.guest, pytest.mark.timeout(900)]

COMMAND_S = 180.0
READS, BLOCK_BYTES = 3000, 4096
_WATCHED = """
(
    until grep -qs '"tick"' /tmp/watched; do sleep 0.1; done
    dd if={disk} of=/dev/null bs={bytes} count={reads} iflag=direct status=none
) &
plimsoll watch --json --for 10s --events /tmp/watched
"""


def said(guest: Guest, command: str) -> dict[str, Any]:
    """What the command says, whatever its status."""
    done = guest.run(command, timeout_s=COMMAND_S)
    assert done.text.startswith("{"), str(done)
    found: dict[str, Any] = json.loads(done.text)["data"]
    return found


def test_reads_of_an_older_kernel_are_counted_one_by_one(guest: Guest) -> None:
    words = _WATCHED.format(disk=guest.disk(1), bytes=BLOCK_BYTES, reads=READS)
    told = said(guest, f"bash -c {shlex.quote(words)}")
    rows = [row for row in told["rows"] if row["role"] == "dd" and row["file_kind"] == "unknown"]
    assert [(row["operation"], row["ios"], row["bytes"]) for row in rows] == [
        ("read", READS, READS * BLOCK_BYTES)
    ]


def test_an_older_kernel_takes_the_probe_of_commits_too(guest: Guest) -> None:
    assert said(guest, "plimsoll commits --for 2s --json")["duration_s"] >= 2.0
