"""Not a test: the command that `test_moves_kill.py` starts and kills. What it tells goes to its standard output, events too."""

from __future__ import annotations

import os

import plimsoll.cli.commands.place.apply
import plimsoll.cli.session
import plimsoll.databases.postgres
import plimsoll.flows.place_apply  # noqa: F401 - loaded for the command
from plimsoll.cli import main


def work(*words: str) -> None:
    """Runs the command to its end, or until it is killed."""
    os.dup2(1, 2)
    main.run([*words, "--events", "-"])
