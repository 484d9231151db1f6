"""Not a test: what the kernel counts of a control group's reads while a cap of it is tried; in the guest this file is a program."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Self

EACH_S, SURE_S = 0.02, 0.005
"""Between two looks, and how long one may take to count: longer, and nobody knows when the count was read."""
AFTER_S = 1.0
"""The kernel lets a little more through at first."""


def reads(group: Path, number: str) -> int:
    """Of the disk of that number, as `io.stat` of version 2 or `blkio.throttle.io_serviced` of version 1 has them."""
    if (group / "io.stat").exists():
        lines = [line.split() for line in (group / "io.stat").read_text().splitlines()]
        words = next((one for one in lines if one and one[0] == number), [])
        return next((int(one[5:]) for one in words if one.startswith("rios=")), 0)
    lines = [line.split() for line in (group / "blkio.throttle.io_serviced").read_text().splitlines()]
    return next((int(one[2]) for one in lines if one[:2] == [number, "Read"]), 0)


class Counted:
    """Looks at the counter until the end of the block."""

    def __init__(self, group: Path, number: str) -> None:
        self._group, self._number = group, number
        self._seen: list[tuple[float, int]] = []
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._is_over.wait(EACH_S):
            before_s = time.monotonic()
            count = reads(self._group, self._number)
            after_s = time.monotonic()
            if after_s - before_s < SURE_S:
                self._seen.append(((before_s + after_s) / 2, count))

    @property
    def rate(self) -> tuple[float, float]:
        """Reads per second, and over how many seconds: from a second after the first of them to the last but one look at more."""
        pairs = zip(self._seen, self._seen[1:], strict=False)
        grown = [now for before, now in pairs if now[1] > before[1]]
        counted = [one for one in grown if one[0] >= grown[0][0] + AFTER_S][:-1]
        (first_s, first), (last_s, last) = counted[0], counted[-1]
        return (last - first) / (last_s - first_s), last_s - first_s


def main(group: str, number: str, *command: str) -> None:
    """Prints what the command printed, with what was counted meanwhile."""
    with Counted(Path(group), number) as counted:
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    rate, seconds = counted.rate
    print(json.dumps({"rate": rate, "seconds": seconds, "status": done.returncode, "said": done.stdout}))


if __name__ == "__main__":
    main(*sys.argv[1:])
