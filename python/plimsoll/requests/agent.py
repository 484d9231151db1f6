"""What can be asked of `plimsoll agent`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from plimsoll.requests.asked import Examples, Request


@dataclass(frozen=True)
class AgentRequest(Request):
    """One host's part. All else is asked on standard input."""

    verb = "agent"
    tells_events = False
    uses_store = False
    tables: ClassVar[tuple[str, ...] | None] = ()
    keeps_runs = False
    examples: ClassVar[Examples] = (("What --hosts starts on each host", "agent"),)
