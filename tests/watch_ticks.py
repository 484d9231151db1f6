"""Ticks that a watch tells while it lasts, by which one sees that it has begun and that rows were read."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

PATIENCE_S = 60.0


def ticks(events: Path) -> list[dict[str, Any]]:
    """Those told so far, whose line is whole."""
    lines = events.read_text().splitlines(keepends=True) if events.exists() else []
    documents = [json.loads(line) for line in lines if line.endswith("\n")]
    return [one for one in documents if one.get("kind") == "tick"]


def wait_for_ticks(events: Path, more: int) -> None:
    """Until it has told so many more, or for longer than any takes."""
    wanted, deadline_s = len(ticks(events)) + more, time.monotonic() + PATIENCE_S
    while len(ticks(events)) < wanted and time.monotonic() < deadline_s:
        time.sleep(0.05)
