"""A verb of Plimsoll that watches the kernel beside a load, from its first second on."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_PATIENCE_S = 30.0
_LOOK_S = 0.01


@dataclass
class Watching:
    """At work until `ended`."""

    process: subprocess.Popen[str]
    first_row_s: float
    """From the command to its first words of what it sees."""

    @staticmethod
    def started(plimsoll: str, verb: str, folder: Path, sign: str) -> Watching:
        """Once its events have this sign, which they get when it has told of its first second."""
        events = folder / "events"
        command = (plimsoll, verb, "--json", "--events", str(events))
        began_s = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
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
        lines = (line for info in infos for line in info.read_text().splitlines())
        return sum(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))

    def peak_bytes(self) -> float:
        """The most memory that it had so far."""
        found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{self.process.pid}/status").read_text())
        if found is None:
            sys.exit("error: the kernel does not tell how much memory a process had")
        return int(found[1]) * 1024.0

    def ended(self) -> dict[str, Any]:
        """What it says of all the time."""
        self.process.send_signal(signal.SIGINT)
        said, _ = self.process.communicate()
        found: dict[str, Any] = json.loads(said)["data"]
        return found
