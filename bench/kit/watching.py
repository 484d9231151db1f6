"""A verb of Plimsoll that watches the kernel beside a load, from its first second on."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_MEMORY = {
    "watch_bytes": ("status", "VmRSS"),
    "watch_anonymous_bytes": ("status", "RssAnon"),
    "watch_file_bytes": ("status", "RssFile"),
    "watch_share_bytes": ("smaps_rollup", "Pss"),
}
"""Where the kernel tells each: what there is now, of this what is its own and what is pages of files, which other processes may
have as well; and all of it with such pages divided among those that have them."""
_PATIENCE_S = 30.0
_LOOK_S = 0.01


@dataclass
class Watching:
    """At work until `ended`."""

    process: subprocess.Popen[str]
    first_row_s: float
    """From the command to its first words of what it sees."""

    @staticmethod
    def started(plimsoll: str, verb: str, folder: Path, sign: str, *options: str) -> Watching:
        """Once its events have this sign, which they get when it has told of its first second."""
        events = folder / "events"
        command = (plimsoll, verb, "--json", "--events", str(events), *options)
        began_s = time.monotonic()
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=_with_own_store(plimsoll),
        )
        while not (events.is_file() and sign in events.read_text()):
            if process.poll() is not None or time.monotonic() > began_s + _PATIENCE_S:
                process.kill()
                sys.exit(f"error: {' '.join(command)} did not begin, status {process.wait()}")
            time.sleep(_LOOK_S)
        return Watching(process, time.monotonic() - began_s)

    def programs_ns(self) -> int:
        """What the kernel spent in its programs so far, where it times them."""
        return self._of_programs("run_time_ns")

    def programs_runs(self) -> int:
        """How often it ran them, where it times them."""
        return self._of_programs("run_cnt")

    def _of_programs(self, name: str) -> int:
        infos = Path(f"/proc/{self.process.pid}/fdinfo").iterdir()
        lines = (line for info in infos for line in _lines(info))
        return sum(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))

    def memory(self) -> dict[str, float]:
        """What it has of memory at this moment."""
        return {name: self._bytes_of(*place) for name, place in _MEMORY.items()}

    def _bytes_of(self, file: str, name: str) -> float:
        found = re.search(rf"^{name}:\s+(\d+) kB", Path(f"/proc/{self.process.pid}/{file}").read_text(), re.M)
        if found is None:
            sys.exit(f"error: the kernel does not tell {name} of a process")
        return int(found[1]) * 1024.0

    def ended(self) -> tuple[dict[str, Any], float]:
        """What it says of all the time, and the most memory that it had until its end: to store a run takes some too."""
        self.process.send_signal(signal.SIGINT)
        assert self.process.stdout is not None, "it is a pipe"
        with self.process.stdout as told:
            said = told.read()
        _, status, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        found: dict[str, Any] = json.loads(said)["data"]
        return found, usage.ru_maxrss * 1024.0


def _with_own_store(plimsoll: str) -> dict[str, str]:
    """The surroundings of a build: into a store that another build wrote last it writes only after it has loaded all that it is."""
    place = os.environ.get("PLIMSOLL_STORE")
    own = {} if place is None else {"PLIMSOLL_STORE": f"{place}-{zlib.crc32(plimsoll.encode()):08x}"}
    return {**os.environ, **own}


def _lines(info: Path) -> list[str]:
    """None of a file that it has closed meanwhile; those of its programs stay open."""
    try:
        return info.read_text().splitlines()
    except FileNotFoundError:
        return []
