"""Where what a command says goes, and its run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from plimsoll.base import settings
from plimsoll.base.values import changed, value

if TYPE_CHECKING:
    from plimsoll.requests.asked import Request

Form = Literal["table", "csv", "json", "ndjson"]


@value
class Place:
    """`--json` or `--format`, `--table`, `--events`, `--store` and `--tag`; and what was asked, where it is kept with the run."""

    json: bool = False
    events: str | None = None
    store: str | None = None
    asked: Request | None = None
    form: Form = "table"
    """Of the answer; `json` stands in `json`, too."""
    table: str | None = None
    """Which of several tables, as data."""

    tags: tuple[str, ...] = ()
    """Of the run that is made."""

    @property
    def is_for_people(self) -> bool:
        """Whether standard output is to be read, and not to be parsed."""
        return not self.json and self.form == "table"

    def from_here(self) -> Place:
        """The same files, whatever folder becomes the current one."""
        store = self.store or settings.read(settings.STORE)
        return changed(self, store=_absolute(store), events=self.events and _absolute(self.events))


def _absolute(place: str | None) -> str | None:
    """A path from the root; what is no file stays as it is."""
    scheme, separator, rest = (place or "").partition("://")
    if not place or place == "-" or (separator and scheme not in ("sqlite", "file")):
        return place
    path = str(Path(rest if separator else place).expanduser().absolute())
    return f"{scheme}{separator}{path}" if separator else path
