"""Where what a command says goes, and its run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from plimsoll.requests.asked import Request

Form = Literal["table", "csv", "json", "ndjson"]


@dataclass(frozen=True)
class Place:
    """`--json` or `--format`, `--table`, `--events` and `--store`; and what was asked, where it is kept with the run."""

    json: bool = False
    events: str | None = None
    store: str | None = None
    asked: Request | None = None
    form: Form = "table"
    """Of the answer; `json` stands in `json`, too."""
    table: str | None = None
    """Which of several tables, as data."""

    @property
    def is_for_people(self) -> bool:
        """Whether standard output is to be read, and not to be parsed."""
        return not self.json and self.form == "table"
