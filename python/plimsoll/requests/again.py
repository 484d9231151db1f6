"""What can be asked of `plimsoll again`."""

from __future__ import annotations

from dataclasses import dataclass

from plimsoll.requests import shared
from plimsoll.requests.asked import Asked, Request

_DATABASE = Asked(
    "database",
    "In place of the database that was named: passwords are not kept.",
    metavar="URL",
    shown="",
)


@dataclass(frozen=True)
class AgainRequest(Request):
    """A stored request once more. `database` and `destroy` take the place of what is not kept with a run."""

    verb = "again"

    run: str = shared.RUN.field()
    database: str | None = _DATABASE.field(None)
    destroy: tuple[str, ...] = shared.DESTROY.field(())
