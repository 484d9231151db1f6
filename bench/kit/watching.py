"""A verb of Plimsoll that watches the kernel beside a load, from its first second on."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_PATIENCE_S = 30.0


@dataclass
class Watching:
    """At work until `ended`."""

    process: subprocess.Popen[str]

    @staticmethod
    def started(plimsoll: str, verb: str, folder: Path, sign: str) -> Watching:
        """Once its events have this sign, which they get when it has told of its first second."""
        events = folder / "events"
        command = (plimsoll, verb, "--json", "--events", str(events))
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        deadline_s = time.monotonic() + _PATIENCE_S
        while not (events.is_file() and sign in events.read_text()):
            if process.poll() is not None or time.monotonic() > deadline_s:
                process.kill()
                sys.exit(f"error: {' '.join(command)} did not begin, status {process.wait()}")
            time.sleep(0.1)
        return Watching(process)

    def programs_ns(self) -> int:
        """What the kernel spent in its programs so far, where it times them."""
        infos = Path(f"/proc/{self.process.pid}/fdinfo").iterdir()
        lines = (line for info in infos for line in info.read_text().splitlines())
        return sum(int(line.split()[1]) for line in lines if line.startswith("run_time_ns:"))

    def ended(self) -> dict[str, Any]:
        """What it says of all the time."""
        self.process.send_signal(signal.SIGINT)
        said, _ = self.process.communicate()
        found: dict[str, Any] = json.loads(said)["data"]
        return found
