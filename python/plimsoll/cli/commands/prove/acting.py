"""What the verbs of `prove` share: how a finished proof is told, and what became of tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from plimsoll.cli.session import Session


def carried_out(
    here: Session, action: str, act: Callable[..., Any], asked: Any, told: Callable[..., int]
) -> int:
    """Does what an action says: proofs are finished as such, what becomes of tables is `told(here, asked, found, done)`."""
    from plimsoll.cli.ask import ask_password

    found = act(here.ctx, asked, ask_password)
    return told(here, asked, found, _DONE[action]) if action in _DONE else here.finish_run(found)


_DONE = {"setup": "made", "status": "there", "drop": "dropped", "verify": "verified"}
"""Actions on tables, and what has become of these."""
