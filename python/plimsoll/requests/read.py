"""What can be asked of `plimsoll read`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from plimsoll.base.errors import UsageError
from plimsoll.requests import shared
from plimsoll.requests.asked import Asked, Examples, Request, idle

FileFormat = Literal["parquet", "csv", "json", "ndjson", "table"]

_PATHS = Asked(
    "paths",
    "Reports, folders of them, or archives: .gz, .zip, .tar, .tar.gz. - is standard input.",
    metavar="PATH",
    stands_first=True,
)
_OUT = shared.OUT.but(
    help="Write all tables into this folder: a new or empty one, or one of an earlier read, which is replaced.",
    metavar="FOLDER",
    shown="",
)
_FORMAT = Asked(
    "format",
    "Of files: parquet, csv or json; without --out, of what is printed: csv, json, ndjson or table.",
    shown="parquet; table without --out",
    group="Output",
)
_SECTION = Asked(
    "section",
    "Print the rows of this table; with --out, write it alone. May be given several times.",
    metavar="NAME",
    shown="",
    group="Output",
)
_SCHEMA = Asked("schema", "Print every table that is made, with columns and units, and end.")
_KEEP = Asked("keep", "Keep each report as a run in the store.", group="Output")


@dataclass(frozen=True)
class ReadRequest(Request):
    """Reports to read, and where their tables go. All tables are wanted where `sections` names none."""

    verb = "read"
    examples: ClassVar[Examples] = (
        ("What is in a folder of reports", "read awr/"),
        ("Every table of theirs as Parquet", "read awr/ --out tables"),
        ("The rows of one table", "read report.html --section load_profile"),
    )
    store_help: ClassVar[str | None] = "Keep each report as a run there: a file or a postgresql:// URL."

    paths: tuple[str, ...] = _PATHS.field(())
    out: str | None = _OUT.field(None)
    file_format: FileFormat = _FORMAT.field("parquet")
    escape_formulas: bool = shared.ESCAPE_FORMULAS.field(False)
    sections: tuple[str, ...] = _SECTION.field(())
    schema: bool = _SCHEMA.field(False)
    keep: bool = _KEEP.field(False)
    cluster: str | None = shared.CLUSTER.field(None)
    cluster_without_tls: bool = shared.CLUSTER_WITHOUT_TLS.field(False)

    @property
    def result_tables(self) -> tuple[str, ...]:
        """Those that were asked for, else the reports themselves."""
        return ("columns",) if self.schema else self.sections or ("reports",)

    @property
    def answer_format(self) -> str | None:
        """The format is that of standard output where no files are written."""
        return self.file_format if self.out is None and self.file_format != "parquet" else None

    def refuse_idle(self, given: frozenset[str]) -> None:
        """Raises UsageError `option-idle`."""
        if self.schema:
            others = ("paths", "out", "escape_formulas", "sections", "keep", "cluster", "cluster_without_tls")
            idle(given, ReadRequest, "with --schema", *others)
        shared.refuse_idle_cluster(given, ReadRequest, True)
        if self.out is None and self.file_format == "parquet":
            idle(given, ReadRequest, "without --out", "file_format")
        if self.out is not None and self.file_format in ("ndjson", "table"):
            message = f"--out has no files of the format {self.file_format}"
            raise UsageError("format-unknown", message, "Name parquet, csv or json.")
