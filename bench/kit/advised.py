"""What `plimsoll advise` says of a server while a load is at work, beside what the server counted of that load."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from kit.bench import fail
from kit.changed_servers import Disk, Mariadb, Postgres, Work

_SETTLE_S = 2.0
_SPARE_S = 240.0
"""The load outlasts the command, which takes long to start where there is no CPU."""


@dataclass(frozen=True)
class Watched:
    """One interval: the verdict and what was found, and what was truly done in so many seconds."""

    verdict: dict[str, Any]
    findings: list[dict[str, Any]]
    work: Work
    seconds: float

    @property
    def statement_s(self) -> float:
        """DB time of a unit of work, by the server's own clock."""
        return self.work.db_time_s / self.work.statements if self.work.statements else float("inf")


class Adviser:
    """Asks the command; it knows by a measurement of its own what the device does that nobody throttles."""

    def __init__(self, plimsoll: str, store: Path, raw: Path, runtime_s: float) -> None:
        self._plimsoll, self._raw, self._runtime_s = plimsoll, raw, runtime_s
        self._environment = {**os.environ, "PLIMSOLL_STORE": str(store)}
        self._measured: tuple[str, ...] = ()

    def measure(self, free: Disk) -> None:
        """Latencies of a read and of a write of the log on the device as it is after the changes."""
        base = ["io", str(free.folder), "--size", "64m", "--runtime", "2s", "--depth", "1", "--json"]
        runs = [
            self._json([*base, *more])["data"]["run"] for more in (["--block", "8k"], ["--rw", "log-write"])
        ]
        self._measured = tuple(word for run in runs for word in ("--measured", run))

    def watch(self, name: str, server: Postgres | Mariadb, script: str, clients: int) -> Watched:
        """One interval under that load; what was said is kept under that name."""
        load = server.load(clients, script, self._runtime_s + _SETTLE_S + _SPARE_S)
        try:
            time.sleep(_SETTLE_S)
            begun_s, before = time.monotonic(), server.work(load)
            said = self._advise(server.url)
            seconds, after = time.monotonic() - begun_s, server.work(load)
        finally:
            load.stop()
        (self._raw / f"{name}.json").write_text(json.dumps(said, indent=1) + "\n")
        data = said["data"]
        return Watched(data["verdicts"][0], data["findings"], after - before, seconds)

    def _advise(self, url: str) -> dict[str, Any]:
        parts = urlsplit(url)
        if parts.password is not None:
            self._environment["PGPASSWORD"] = parts.password
        place = urlunsplit(parts._replace(netloc=parts.netloc.replace(f":{parts.password}@", "@")))
        watched = ["--database", place, "--runtime", f"{self._runtime_s:g}s", "--json"]
        return self._json(["advise", *watched, *self._measured])

    def _json(self, words: Sequence[str]) -> dict[str, Any]:
        done = subprocess.run(
            [self._plimsoll, *words], env=self._environment, capture_output=True, text=True, check=False
        )
        if done.returncode not in (0, 1, 5):
            fail(f"{words[0]} ended with status {done.returncode}", done.stderr.strip()[-500:])
        return json.loads(done.stdout)
