"""What can be asked of the verbs of `plimsoll store`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from plimsoll.requests import shared
from plimsoll.requests.asked import SECONDS, Asked, Request

_LIMIT = Asked("limit", "Newest so many.", low=1, shown="all")
_OUT = shared.OUT.but(help="Folder for the files.", metavar="FOLDER")
_FORMAT = Asked("format", "File format.", group="Output")
_RUNS = Asked("runs", "Run ids, their unique beginnings, or latest.", metavar="RUN", stands_first=True)
_DRY_RUN = Asked("dry_run", "Only say which runs would be removed.")
_OLDER_THAN = Asked(
    "older_than",
    "Runs that began longer ago, such as 90d or 12h.",
    unit=SECONDS,
    metavar="AGE",
    above_zero=False,
    shown="",
)
_KIND = Asked("kind", "Only runs of this kind, as store list shows it.", metavar="KIND", shown="all")


@dataclass(frozen=True)
class ListRequest(Request):
    """The newest of the stored runs, or all."""

    verb = "store list"
    examples = (("The ten newest", "store list --limit 10"),)
    tells_events = False

    limit: int | None = _LIMIT.field(None)


@dataclass(frozen=True)
class ShowRequest(Request):
    """One stored run."""

    verb = "store show"
    examples = (("The newest run, whole", "store show latest --json"),)
    tells_events = False

    run: str = shared.RUN.field()


@dataclass(frozen=True)
class ExportRequest(Request):
    """A stored run, and the files to make of it."""

    verb = "store export"
    examples = (
        ("As CSV, for a spreadsheet", "store export latest --format csv --out run --escape-formulas"),
    )
    tells_events = False

    run: str = shared.RUN.field()
    out: str = _OUT.field(".")
    file_format: Literal["json", "csv", "parquet"] = _FORMAT.field("json")
    escape_formulas: bool = shared.ESCAPE_FORMULAS.field(False)


@dataclass(frozen=True)
class DeleteRequest(Request):
    """Stored runs to remove for good: all that are named, or none."""

    verb = "store delete"
    examples = (("See which run would go", "store delete latest --dry-run"),)
    tells_events = False

    runs: tuple[str, ...] = _RUNS.field()
    dry_run: bool = _DRY_RUN.field(False)


@dataclass(frozen=True)
class PruneRequest(Request):
    """Runs of a certain age to remove for good, of one kind or of all."""

    verb = "store prune"
    examples = (
        ("All searches for a line that are older than 90 days", "store prune --older-than 90d --kind line"),
    )
    tells_events = False

    older_than_s: float = _OLDER_THAN.field()
    kind: str | None = _KIND.field(None)
    dry_run: bool = _DRY_RUN.field(False)


@dataclass(frozen=True)
class PredictionsRequest(Request):
    """Every verdict that was kept, with what became of it."""

    verb = "store predictions"
    examples = (("What became of the newest verdicts", "store predictions --limit 20"),)
    tells_events = False

    limit: int | None = _LIMIT.field(None)
