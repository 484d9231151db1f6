"""What can be asked of `plimsoll commits`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from plimsoll.requests import shared
from plimsoll.requests.asked import Asked, Examples, Request

_WATCHED = shared.RUNTIME.but(help="How long it is watched.", shown="until it is ended", aliases=("for",))
_ROLE = Asked(
    "role",
    "Look at this role alone, such as 'client backend' or mariadbd; again for another.",
    metavar="ROLE",
    shown="",
    group="Data",
)


@dataclass(frozen=True)
class CommitsRequest(Request):
    """What commits wait for: the disk, a processor, or each other."""

    verb = "commits"
    examples: ClassVar[Examples] = (
        ("Until Ctrl-C", "commits"),
        ("For half a minute, as JSON", "commits --runtime 30s --json"),
        ("Sessions of PostgreSQL alone", "commits --runtime 30s --role 'client backend'"),
    )

    watched_s: float | None = _WATCHED.field(None)
    roles: tuple[str, ...] = _ROLE.field(())
