"""Why a worker of a Dask cluster goes, as far as the scheduler tells it: its owner ended it, or it died.

One that is ended, by a signal to its nanny, at the end of its lifetime, or as Dask retires or starts it anew, says so before it
goes; one without a nanny that a signal ends says so while it goes (`dask_farewell`), and it may be known to be gone by then. One
that is killed, or whose host goes down, says nothing; one that closes because something failed within it gives another reason.
Those may have died of what they did.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from plimsoll.cluster import dask_farewell

_CLOSES_BY_OWNER = (
    "signal-", "worker-lifetime-reached", "worker-close-gracefully", "scheduler-close-worker", "nanny-close", "nanny-restart",
    dask_farewell.REASON,
)  # fmt: skip
"""How the reasons begin that a worker gives as it closes because an owner wants it."""
_REMOVED_BY_OWNER = "client-restart"
"""How a removal begins that is told by a client which starts the worker anew. A nanny whose worker died by itself has it removed as
`nanny-close`; one that was retired is expected to go."""

Event = tuple[float, Any]


class Departures:
    """`lost` is called with the address of each worker that goes, and whether its owner ended it; once more where that
    is told later.
    """

    def __init__(self, lost: Callable[[str, bool], None]) -> None:
        self._lost = lost
        self._ending: set[str] = set()
        self._removed: set[str] = set()

    def heed(self, address: str) -> Callable[[Event], None]:
        """What takes in what is told under that address: by the worker itself, and of it by the scheduler.

        That tells all of them of everything, under another topic, also of each result that somebody asked for.
        """
        return partial(self._heed, address)

    def _heed(self, address: str, event: Event) -> None:
        told = event[1]
        if not isinstance(told, Mapping):
            return
        if told.get("action") == "remove-worker":
            is_anew = str(told.get("stimulus_id")).startswith(_REMOVED_BY_OWNER)
            is_wanted = told.get("expected") is True or is_anew
            self._removed.add(address)
            self._lost(address, is_wanted or address in self._ending)
        elif told.get("action") == "closing-worker" and str(told.get("reason")).startswith(_CLOSES_BY_OWNER):
            self._ending.add(address)
            if address in self._removed:
                self._lost(address, True)
