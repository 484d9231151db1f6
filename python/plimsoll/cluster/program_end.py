"""The end of a program that was started with pipes, whose outputs are read by a thread each."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from plimsoll.ports import processes


def ends_within(process: processes.Process[bytes], seconds: float) -> bool:
    """Whether it has ended by then."""
    try:
        process.wait(seconds)
    except processes.TimeoutExpired:
        return False
    return True


def end(process: processes.Process[bytes], readers: Sequence[threading.Thread], patience_s: float) -> None:
    """Waits for its end, then ends it by force; of the threads that read its output and its errors none is waited for longer."""
    for force in (process.terminate, process.kill):
        if ends_within(process, patience_s):
            break
        force()
    process.wait()
    for reader, stream in zip(readers, (process.stdout, process.stderr), strict=True):
        reader.join(patience_s)
        # A program that it left behind may hold the pipe, and its thread waits with it.
        if stream is not None and not reader.is_alive():
            stream.close()
