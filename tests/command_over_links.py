"""`plimsoll io` on the client's side of links."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

from command import command
from shaped_links import Links

_PATIENCE_S = 60


class Command:
    """One that runs."""

    def __init__(self, made: Links, folder: Path, *words: str) -> None:
        self._links = made
        self.environment = {"PLIMSOLL_STORE": str(folder / "store.sqlite")}
        self._process = subprocess.Popen(
            [*made.at_client, *command("io", *words, "--json")],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **self.environment},
        )

    def wait_for_load(self, direction: int, bytes_min: int) -> None:
        """Until it has moved so much."""
        begin = self._links.carried(0)[direction]
        until_s = time.monotonic() + _PATIENCE_S
        while self._links.carried(0)[direction] - begin < bytes_min:
            assert self._process.poll() is None, "it has ended"
            assert time.monotonic() < until_s, "it does nothing"
            time.sleep(0.02)

    def end(self) -> tuple[int, dict[str, Any]]:
        """Its status and the envelope that it printed."""
        out, errors = self._process.communicate(timeout=2 * _PATIENCE_S)
        assert out, errors
        return self._process.returncode, json.loads(out)
