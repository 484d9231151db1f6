"""`plimsoll report`: a run as one self-contained page on disk. What draws it is loaded when a page is wanted: most commands write
none."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from plimsoll.base.errors import UsageError, world_error
from plimsoll.base.values import value
from plimsoll.ports import files
from plimsoll.ports.folders import Mark

if TYPE_CHECKING:
    from plimsoll.facts import Bucket, Run

_EMPTY_HINT = "`plimsoll store list` names the runs with what each found; `plimsoll again` repeats one."
STEPS_PER_DECADE = 200
"""Steps of 1.2 %: what a picture says of a quantile is then what stands elsewhere on the page."""


@value
class Page:
    """Where the page, or a picture of it, is, and how large."""

    path: Path
    size_bytes: int


def write_report(run: Run, out: Path) -> Page:
    """Builds the page and writes it all or not at all. Raises WorldError `report-refused`, UsageError `run-empty`."""
    from plimsoll.pages import build

    check_results(run)
    return write_page(build(run, distributions(run)), out)


def check_results(run: Run) -> None:
    """That there is something to show. Raises UsageError `run-empty`."""
    if not run.results:
        ended = "it was interrupted before there were any" if run.interrupted else "none was kept"
        raise UsageError("run-empty", f"run {run.id} has no results to show: {ended}", _EMPTY_HINT)


def write_page(text: str, out: Path, option: str = "-o") -> Page:
    """A page of ours as a file that `option` names, all of it or nothing. Raises WorldError `report-refused`."""
    from plimsoll.pages import PAGE_START

    return write_file(text.encode(), out, Mark(PAGE_START.encode()), option)


def write_file(content: bytes, out: Path, mark: Mark, option: str = "-o") -> Page:
    """The same of any file that is known by its mark, the only one that is replaced. Raises WorldError `report-refused`."""
    try:
        files.write_atomically(out, content, mark)
    except OSError as error:
        raise world_error(
            "report-refused", f"write {out}", error, f"Name another file with {option}."
        ) from error
    return Page(out.resolve(), len(content))


def distributions(run: Run) -> dict[str, list[Bucket]]:
    """The run's latency distributions that the page draws, by label."""
    from plimsoll.native.latency import buckets
    from plimsoll.pages import distribution_sources

    return {label: buckets(hdr, STEPS_PER_DECADE) for label, hdr in distribution_sources(run).items()}
