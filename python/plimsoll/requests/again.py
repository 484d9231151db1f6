"""What can be asked of `plimsoll again`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from plimsoll.requests import shared
from plimsoll.requests.asked import Examples, Request

_DATABASE = shared.DATABASE.but(help="In place of the database that was named: passwords are not kept.")


@dataclass(frozen=True)
class AgainRequest(Request):
    """A stored request once more. `database` and `destroy` take the place of what is not kept with a run."""

    verb = "again"
    examples: ClassVar[Examples] = (
        ("Measure once more what the newest run was", "again latest"),
        (
            "With the database that it named, whose password was not kept",
            "again latest --database postgresql://me@db.example/shop",
        ),
    )

    run: str = shared.RUN.field()
    database: str | None = _DATABASE.field(None)
    destroy: tuple[str, ...] = shared.DESTROY.field(())
