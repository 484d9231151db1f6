"""Where what a command says goes, and its run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plimsoll.requests.asked import Request


@dataclass(frozen=True)
class Place:
    """`--json`, `--events`, `--store` and `--tag`; and what was asked, where it is kept with the run."""

    json: bool = False
    events: str | None = None
    store: str | None = None
    asked: Request | None = None
    tags: tuple[str, ...] = ()
    """Of the run that is made."""
