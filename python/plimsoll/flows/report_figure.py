"""`plimsoll report --figure`: one picture of a run's page as a file of its own, in the form that the file's name says."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path

from plimsoll.base.errors import UsageError
from plimsoll.facts import Run
from plimsoll.flows.report import Page, check_results, distributions, write_file, write_report
from plimsoll.native.datasets import as_text
from plimsoll.pages import PNG_NAME, PNG_START, SVG_START, Distributions, figure_png, figure_rows, figure_svg
from plimsoll.ports.folders import Mark
from plimsoll.requests.report import ReportRequest


def write_asked(run: Run, asked: ReportRequest) -> Page:
    """The page, or the picture of it that was asked for. Raises as `write_report` and `write_figure` do."""
    if asked.figure is None:
        _check_page(Path(asked.place))
        return write_report(run, Path(asked.place))
    return write_figure(run, asked.figure, Path(asked.place))


def _check_page(out: Path) -> None:
    """That no file is named as something else than it would hold. Raises UsageError `figure-format`."""
    suffix = out.suffix.lower()
    if suffix in _FORMS:
        hint = "Name a file that ends in .html, or one picture with --figure NAME."
    elif suffix == ".pdf":
        hint = "Name a file that ends in .html; a browser prints it as PDF."
    else:
        return
    raise UsageError("figure-format", f"a page cannot be written as '{out.name}'", hint)


def write_figure(run: Run, name: str, out: Path) -> Page:
    """Draws the picture and writes it all or not at all; only an earlier one of its kind is replaced.

    Raises WorldError `report-refused`, UsageError `run-empty`, `figure-unknown`, `figure-format`.
    """
    check_results(run)
    make = _FORMS.get(out.suffix.lower())
    if make is None:
        hint = f"Name a file that ends in {', '.join(_FORMS)} with -o."
        raise UsageError("figure-format", f"a picture cannot be written as '{out.name}'", hint)
    content, mark = make(run, name, distributions(run))
    return write_file(content, out, mark)


_Made = tuple[bytes, Mark]


def _svg(run: Run, name: str, found: Distributions) -> _Made:
    return figure_svg(run, name, found).encode(), Mark(SVG_START.encode())


def _png(run: Run, name: str, found: Distributions) -> _Made:
    return figure_png(run, name, found), Mark(PNG_START, PNG_NAME)


def _csv(run: Run, name: str, found: Distributions) -> _Made:
    """Known by its headings. A text that a spreadsheet would run has a ' before it, as where a page hands the table out."""
    text = io.StringIO()
    headings, *rows = ([as_text(cell) for cell in row] for row in figure_rows(run, name, found))
    writer = csv.writer(text)
    writer.writerow(headings)
    mark = Mark(text.getvalue().encode())
    writer.writerows(rows)
    return text.getvalue().encode(), mark


_FORMS: dict[str, Callable[[Run, str, Distributions], _Made]] = {".svg": _svg, ".png": _png, ".csv": _csv}
"""By how the file's name ends."""
