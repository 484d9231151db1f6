"""A watch in a guest while something is done there, and what the kernel holds of programs meanwhile."""

from __future__ import annotations

import json
import shlex
from typing import Any

from guest_machine import Guest

COMMAND_S = 240.0
FIRST = "chrt --fifo 50"
"""What it waits for a processor once its I/O is done is no time of the disk."""
_WATCHED = """
set -m
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
plimsoll watch --json --events "$folder/events" {words} > "$folder/told" &
watch=$!
until grep -qs '"tick"' "$folder/events" || ! kill -0 $watch; do sleep 0.1; done
{load}
kill -{signal} $watch
wait $watch
status=$?
cat "$folder/told"
exit $status
"""
"""The watch is ended once all is done, however long that takes, as Ctrl-C does it, which sets no time to store a run in; for that
it has to be a job, as others are deaf to it. One that is refused ends the wait for its first second."""
INTERRUPTED = 130
_HELD = """
import ctypes, os
call = ctypes.CDLL(None, use_errno=True).syscall
for name, command in ("program", 11), ("map", 12), ("link", 31):
    number = ctypes.create_string_buffer(12)
    while call(321, command, number, 12) == 0:
        number[0:4] = number[4:8]
        print(name, int.from_bytes(number[0:4], "little"))
"""
"""BPF_PROG_GET_NEXT_ID and its like: each names the next one after a number. A guest without systemd has none of its own."""


def watched(guest: Guest, load: str, *, words: str = "", signal: str = "INT") -> dict[str, Any]:
    """What a watch says that is ended by the signal after the load, a few lines of bash."""
    script = _WATCHED.format(words=words, load=load, signal=signal)
    return said(guest, f"bash -c {shlex.quote(script)}", INTERRUPTED)["data"]


def said(guest: Guest, command: str, *statuses: int) -> dict[str, Any]:
    """The document that the command prints, which ends with one of these."""
    done = guest.run(command, timeout_s=COMMAND_S)
    assert done.status in statuses, str(done)
    assert done.text.startswith("{"), str(done)
    found: dict[str, Any] = json.loads(done.text)
    return found


def held_by_kernel(guest: Guest) -> list[str]:
    """Programs, maps and attachments of eBPF that are in the kernel, whoever has them."""
    return guest.said(f"python3 -c {shlex.quote(_HELD)}").splitlines()
