"""Commands on slices of this host, with a plan and a journal of the test's own."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import command
from slice_groups import plan_file, two_slices


class Here:
    """A plan for this host, and commands with a journal of the test's own."""

    def __init__(self, folder: Path, start: str, **more: object) -> None:
        self.start = start
        self.plan = two_slices(start, **more)
        self.file = plan_file(folder, self.plan)
        self.journal = folder / "journal"

    def done(self, verb: str, *words: str) -> subprocess.CompletedProcess[str]:
        return command.here("host", "slice", verb, *words, "--journal", str(self.journal))

    def run(self, verb: str, *words: str) -> tuple[int, str]:
        done = self.done(verb, *words)
        return done.returncode, " ".join((done.stdout + done.stderr).split())

    def document(self, verb: str, *words: str) -> tuple[int, dict[str, Any]]:
        """The status, and the data of the JSON."""
        given = (self.file, "--way", "cgroup-v1") if verb == "apply" and "--way" not in words else ()
        done = self.done(verb, *given, *words, "--json")
        return done.returncode, command.document(done)["data"]

    def apply(self, *words: str) -> tuple[int, str]:
        return self.run("apply", self.file, "--way", "cgroup-v1", *words)

    def refused(self, verb: str, *words: str) -> tuple[int, str]:
        """The status and the id."""
        status, data = self.document(verb, *words)
        return status, data["id"]
