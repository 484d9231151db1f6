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
set -m
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
plimsoll watch --json --events "$folder/events" > "$folder/told" &
watch=$!
until grep -qs '"tick"' "$folder/events" || ! kill -0 $watch; do sleep 0.1; done
dd if={disk} of=/dev/null bs={bytes} count={reads} iflag=direct status=none
kill -INT $watch
wait $watch
status=$?
cat "$folder/told"
exit $status
"""
"""The watch is ended once all is read, however long that takes, as Ctrl-C does it, which sets no time to store a run in; for that
it has to be a job, as others are deaf to it. One that is refused ends the wait for its first second."""
INTERRUPTED = 130
NOTHING_SEEN = 5
"""Where no process commits meanwhile."""
UNENDED_MAX = READS // 200
"""Under load kernels do not tell of the end of up to one request in 200; the last of these may be in no row."""


def said(guest: Guest, command: str, *statuses: int) -> dict[str, Any]:
    """What the command says, which ends with one of these."""
    done = guest.run(command, timeout_s=COMMAND_S)
    assert done.status in statuses, str(done)
    assert done.text.startswith("{"), str(done)
    found: dict[str, Any] = json.loads(done.text)["data"]
    return found


def test_reads_of_an_older_kernel_are_counted_one_by_one(guest: Guest) -> None:
    disk = guest.disk(1)
    words = _WATCHED.format(disk=disk, bytes=BLOCK_BYTES, reads=READS)
    told = said(guest, f"bash -c {shlex.quote(words)}", INTERRUPTED)
    rows = [row for row in told["rows"] if f"/dev/{row['device']}" == disk]
    ios, timed = sum(row["ios"] for row in rows), sum(row["latency_us"]["count"] for row in rows)
    assert 0 <= READS - ios <= UNENDED_MAX, rows
    assert {row["operation"] for row in rows} == {"read"}
    assert sum(row["bytes"] for row in rows) == ios * BLOCK_BYTES
    assert ios - told["untimed"] <= timed <= ios


def test_an_older_kernel_takes_the_probe_of_commits_too(guest: Guest) -> None:
    told = said(guest, "plimsoll commits --for 2s --json", 0, NOTHING_SEEN)
    assert told["duration_s"] >= 2.0
