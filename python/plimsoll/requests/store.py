"""What can be asked of the verbs of `plimsoll store`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from plimsoll.base import limits
from plimsoll.requests import shared
from plimsoll.requests.asked import SECONDS, Asked, Examples, Request

_LIMIT = Asked("limit", "Only so many, the newest.", low=1, shown="all")
_OUT = shared.OUT.but(help="Folder for the files.", metavar="FOLDER", shown="the current folder")
_FORMAT = Asked("format", "File format.", group="Output")
_RUNS = Asked(
    "runs", "Run ids, their unique beginnings, latest, or latest~1.", metavar="RUN", stands_first=True
)
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

_TARGET = Asked("target", "Only runs whose target or title contains this.", metavar="TARGET", shown="all")
_TAGGED = Asked("tag", "Only runs with this tag; of several, with all of them.", metavar="TAG", shown="all")
_SINCE = Asked(
    "since", "Only runs that began no longer ago than this, such as 7d or 12h.", unit=SECONDS, metavar="AGE", shown="all"
)  # fmt: skip
_TAGS = Asked("tags", "Tags to give it.", metavar="TAG", stands_first=True)
_REMOVE = Asked("remove", "Take these tags away.")
_SERIES = Asked(
    "series",
    "Names of series, or a part of one that no other has, as store snapshots shows them.",
    metavar="SERIES",
    shown="all",
    stands_first=True,
)
_KEEP = Asked(
    "keep_for",
    "Remove snapshots that are older; what their intervals asked for stays.",
    unit=SECONDS,
    shown="none",
)
_TEXT = Asked("text", "What to say of it, in quotes.", metavar="TEXT", stands_first=True)


@dataclass(frozen=True)
class ListRequest(Request):
    """The newest of the stored runs, or all, or those that fit."""

    verb = "store list"
    tables: ClassVar[tuple[str, ...] | None] = ("runs",)
    examples: ClassVar[Examples] = (("The ten newest", "store list --limit 10"),)
    tells_events = False
    keeps_runs = False

    limit: int | None = _LIMIT.field(None)
    kind: str | None = _KIND.field(None)
    target: str | None = _TARGET.field(None)
    tags: tuple[str, ...] = _TAGGED.field(())
    since_s: float | None = _SINCE.field(None)


@dataclass(frozen=True)
class TagRequest(Request):
    """A stored run, and tags to give it or to take away."""

    verb = "store tag"
    tables: ClassVar[tuple[str, ...] | None] = ()
    examples: ClassVar[Examples] = (
        ("Two words to find the newest run by", "store tag latest flash before-upgrade"),
        ("One of them away again", "store tag latest flash --remove"),
    )
    tells_events = False
    keeps_runs = False

    run: str = shared.RUN.field()
    tags: tuple[str, ...] = _TAGS.field()
    remove: bool = _REMOVE.field(False)


@dataclass(frozen=True)
class NoteRequest(Request):
    """A stored run, and what is to be said of it."""

    verb = "store note"
    tables: ClassVar[tuple[str, ...] | None] = ()
    examples: ClassVar[Examples] = (
        ("What the figures do not say", "store note latest 'the cache of the controller was off'"),
    )
    tells_events = False
    keeps_runs = False

    run: str = shared.RUN.field()
    text: str = _TEXT.field()


@dataclass(frozen=True)
class ShowRequest(Request):
    """One stored run."""

    verb = "store show"
    examples: ClassVar[Examples] = (("The newest run, whole", "store show latest --json"),)
    tells_events = False
    keeps_runs = False

    run: str = shared.RUN.field()


@dataclass(frozen=True)
class ExportRequest(Request):
    """A stored run, and the files to make of it."""

    verb = "store export"
    tables: ClassVar[tuple[str, ...] | None] = ()
    examples: ClassVar[Examples] = (
        ("As CSV, for a spreadsheet", "store export latest --format csv --out run --escape-formulas"),
        (
            "As metrics, for the textfile collector of node_exporter",
            "store export latest --format openmetrics --out metrics",
        ),
    )
    tells_events = False
    keeps_runs = False

    run: str = shared.RUN.field()
    out: str = _OUT.field(".")
    file_format: Literal["json", "csv", "parquet", "openmetrics", "hlog"] = _FORMAT.field("json")
    escape_formulas: bool = shared.ESCAPE_FORMULAS.field(False)


@dataclass(frozen=True)
class DeleteRequest(Request):
    """Stored runs to remove for good: all that are named, or none."""

    verb = "store delete"
    tables: ClassVar[tuple[str, ...] | None] = ()
    examples: ClassVar[Examples] = (("See which run would go", "store delete latest --dry-run"),)
    tells_events = False
    keeps_runs = False

    runs: tuple[str, ...] = _RUNS.field()
    dry_run: bool = _DRY_RUN.field(False)


@dataclass(frozen=True)
class PruneRequest(Request):
    """Runs of a certain age to remove for good, of one kind or of all."""

    verb = "store prune"
    tables: ClassVar[tuple[str, ...] | None] = ()
    examples: ClassVar[Examples] = (
        ("All searches for a line that are older than 90 days", "store prune --older-than 90d --kind line"),
    )
    tells_events = False
    keeps_runs = False

    older_than_s: float = _OLDER_THAN.field()
    kind: str | None = _KIND.field(None)
    dry_run: bool = _DRY_RUN.field(False)


@dataclass(frozen=True)
class ForgetRequest(Request):
    """Series of snapshots to remove for good, whose collectors have ended: all that are named, or none."""

    verb = "store forget"
    tables: ClassVar[tuple[str, ...] | None] = ("series",)
    examples: ClassVar[Examples] = (("See what would go of one database", "store forget shop --dry-run"),)
    tells_events = False
    keeps_runs = False

    series: tuple[str, ...] = _SERIES.but(shown="").field()
    dry_run: bool = _DRY_RUN.but(help="Only say which series would be removed.").field(False)


@dataclass(frozen=True)
class PredictionsRequest(Request):
    """Every verdict that was kept, with what became of it."""

    verb = "store predictions"
    tables: ClassVar[tuple[str, ...] | None] = ("predictions",)
    examples: ClassVar[Examples] = (("What became of the newest verdicts", "store predictions --limit 20"),)
    tells_events = False
    keeps_runs = False

    limit: int | None = _LIMIT.field(None)


@dataclass(frozen=True)
class SnapshotsRequest(Request):
    """Every series of snapshots that is kept."""

    verb = "store snapshots"
    tables: ClassVar[tuple[str, ...] | None] = ("series",)
    examples: ClassVar[Examples] = (("What is kept of which database", "store snapshots"),)
    tells_events = False
    keeps_runs = False


@dataclass(frozen=True)
class ThinRequest(Request):
    """Series of snapshots to thin by their age: those that are named, or all."""

    verb = "store thin"
    tables: ClassVar[tuple[str, ...] | None] = ("series",)
    examples: ClassVar[Examples] = (
        ("How many snapshots would go", "store thin --dry-run"),
        ("Of one database, and nothing older than two years", "store thin shop --keep-for 730d"),
    )
    keeps_runs = False

    series: tuple[str, ...] = _SERIES.field(())
    hours_after_s: float = shared.HOURS_AFTER.field(limits.THINNED_TO_HOURS_S)
    days_after_s: float = shared.DAYS_AFTER.field(limits.THINNED_TO_DAYS_S)
    keep_s: float | None = _KEEP.field(None)
    dry_run: bool = _DRY_RUN.but(help="Only say how many snapshots would be removed.").field(False)

    def refuse_idle(self, given: frozenset[str]) -> None:
        """Raises UsageError `usage`."""
        shared.refuse_ages(self.hours_after_s, self.days_after_s)
