"""What can be asked of `plimsoll settle`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from plimsoll.requests import shared
from plimsoll.requests.asked import Asked, Examples, Request

_RENAMED = Asked(
    "renamed", "The later demand is of the same database, which has another name by now.", group="Load"
)


@dataclass(frozen=True)
class SettleRequest(Request):
    """Whether the verdict of a stored run came true, by a demand that was taken after the move."""

    verb = "settle"
    examples: ClassVar[Examples] = (
        ("After the move, by what the database asks for now", "settle latest --demand later.json"),
    )

    run: str = shared.RUN.field()
    demand: str = shared.DEMAND.field()
    renamed: bool = _RENAMED.field(False)
