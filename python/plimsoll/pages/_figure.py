"""One picture of a run's page by itself: as an SVG or PNG file, or its figures as rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from plimsoll import charts
from plimsoll.base.errors import UsageError
from plimsoll.base.nearest import did_you_mean
from plimsoll.charts import Subject
from plimsoll.facts import Bucket, Run
from plimsoll.pages._page import WIDE_PX, figure_names

Distributions = Mapping[str, Sequence[Bucket]]


def figure_svg(run: Run, name: str, distributions: Distributions) -> str:
    """The picture as the page has it on wide screens. Raises UsageError `figure-unknown`, WorldError `extra-missing`."""
    subject = _subject(run, name, distributions)
    return charts.alone_svg(charts.load(name), subject, WIDE_PX, name)


def figure_png(run: Run, name: str, distributions: Distributions) -> bytes:
    """The same in twice as many pixels. Raises as `figure_svg`."""
    subject = _subject(run, name, distributions)
    return charts.alone_png(charts.load(name), subject, WIDE_PX, name)


def figure_rows(run: Run, name: str, distributions: Distributions) -> Iterator[tuple[str, ...]]:
    """The headings and rows of its figures. Raises UsageError `figure-unknown`."""
    subject = _subject(run, name, distributions)
    return charts.figure_rows(charts.load(name).table(subject))


def _subject(run: Run, name: str, distributions: Distributions) -> Subject:
    subject = Subject(run, distributions)
    known = figure_names(subject)
    if name not in known:
        hint = (
            f"{did_you_mean(name, known)}It has {', '.join(known)}."
            if known
            else "Its page has tables alone: leave --figure out."
        )
        raise UsageError("figure-unknown", f"the page of run {run.id} has no picture '{name}'", hint)
    return subject
