"""Puts the page together: sections in their order, charts as inline SVG, one style sheet, one script and nothing to fetch.

Charts are drawn here, once for wide screens and paper and once for phones; a media query shows one of them. The page carries
a content security policy that forbids the network and every script but its own, which is known by its hash, so what it shows is
what is in it. All of it can be read where no script runs.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from plimsoll import charts
from plimsoll.base import registry
from plimsoll.base.errors import WorldError
from plimsoll.base.installing import extra_hint
from plimsoll.base.printable import printable_lines
from plimsoll.base.sentences import names_as_given
from plimsoll.charts import Subject, Table
from plimsoll.facts import Bucket, Run
from plimsoll.facts.names import names_in
from plimsoll.pages import sections
from plimsoll.pages._say import glued, instant
from plimsoll.pages._section import Section
from plimsoll.pages._stacked import is_tight, stacked
from plimsoll.results import Answer, Block, Figure, ResultKind, kinds

WIDE_PX, NARROW_PX = 766, 356
PAGE_START = '<!doctype html>\n<html lang="en" data-generator="plimsoll">\n'
"""By this a page of ours is known from everybody else's: only such a one is replaced."""


def build(run: Run, distributions: Mapping[str, Sequence[Bucket]] | None = None) -> str:
    """The page as text. `distributions` are buckets by label, for the labels of `distribution_sources(run)`.

    Raises WorldError `extra-missing` where Altair, vl-convert or Jinja is not installed.
    """
    subject = Subject(run, distributions or {})
    with names_as_given(names_in(run)):
        return _rendered(subject, _shown(subject))


def figure_names(subject: Subject) -> list[str]:
    """The names of the pictures of a run's page, in their order."""
    blocks = (block for _, _, blocks in _shown(subject) for block in blocks)
    return list(dict.fromkeys(block.chart for block in blocks if isinstance(block, Figure)))


def _shown(subject: Subject) -> list[tuple[str, Section, list[Block]]]:
    """The sections that apply, with their blocks."""
    applying = [(name, section) for name, section in _sections() if section.applies(subject)]
    return [(name, section, section.blocks(subject)) for name, section in applying]


def build_blocks(
    run: Run, title: str, blocks: list[Block], distributions: Mapping[str, Sequence[Bucket]]
) -> str:
    """A page of these blocks alone, with title and provenance of a run that was made for it. Raises WorldError as `build` does."""
    subject = Subject(run, distributions)
    section = Section(title, "", 0, lambda _: True, lambda _: blocks)
    return _rendered(subject, [("verdict", section, blocks)])


def _rendered(subject: Subject, shown: list[tuple[str, Section, list[Block]]]) -> str:
    run = subject.run
    template = _templates().get_template("page.html")
    return template.render(
        run=run, started=instant(run.started_at), theme_css=charts.theme_css(".chart"), sections=shown,
        picture=lambda name: _picture(name, subject), script=_script(), script_hash=_hash(_script()), headline=_headline(shown),
    )  # fmt: skip


def _headline(told: Sequence[tuple[str, Section, Sequence[Block]]]) -> str:
    """The first answer of the page, which its title says too."""
    answers = (block.headline for _, _, blocks in told for block in blocks if isinstance(block, Answer))
    return next(answers, "")


@cache
def _script() -> str:
    """The page's own script, as it stands between its tags."""
    environment = _templates()
    return environment.loader.get_source(environment, "page.js")[0]


def _hash(script: str) -> str:
    """By this a content security policy knows a script that stands in the page (CSP Level 3, 2.3.1)."""
    return f"sha256-{b64encode(hashlib.sha256(script.encode()).digest()).decode()}"


def section_names() -> list[str]:
    """The names of all sections in the order of the page."""
    return [name for name, _ in _sections()]


def _sections() -> list[tuple[str, Section]]:
    found = [(name, registry.load(sections, name, "SECTION")) for name in registry.names(sections)]
    found += [
        (name.replace("_", "-"), _of_kind(name, kind))
        for name, kind in kinds().items()
        if kind.blocks is not None
    ]
    return sorted(found, key=lambda item: item[1].rank)


def _of_kind(name: str, kind: ResultKind) -> Section:
    """The section of a kind of result that has no words of its own for the page."""

    def applies(subject: Subject) -> bool:
        return name in subject.run.results

    def blocks(subject: Subject) -> list[Block]:
        shown = [] if kind.blocks is None else kind.blocks(subject.run)
        added = [] if kind.on_page is None else kind.on_page(subject.run)
        return [block for block in (*shown, *added) if _is_there(block, subject)]

    return Section(kind.title, kind.help, kind.page_rank, applies, blocks)


def _is_there(block: Block, subject: Subject) -> bool:
    return not isinstance(block, Figure) or charts.load(block.chart).applies(subject)


def _picture(name: str, subject: Subject) -> dict[str, Any]:
    """A chart ready for the template: markup for two widths, its words, and the table of its figures."""
    chart = charts.load(name)
    table: Table = chart.table(subject)
    return {
        "name": name, "title": chart.title, "words": chart.words(subject), "table": table,
        "wide": charts.picture(chart, subject, WIDE_PX, f"{name}-wide"),
        "narrow": charts.picture(chart, subject, NARROW_PX, f"{name}-narrow"),
    }  # fmt: skip


@cache
def _templates() -> Any:
    try:
        import jinja2
    except ImportError as error:
        hint = extra_hint("report")
        raise WorldError("extra-missing", "jinja2 is not installed, which writes reports", hint) from error
    loader = jinja2.PackageLoader("plimsoll.pages", "templates")
    environment = jinja2.Environment(
        loader=loader, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        finalize=_seen,
    )  # fmt: skip
    environment.filters["glued"] = glued
    environment.filters["stacked"] = stacked
    environment.filters["tight"] = is_tight
    return environment


def _seen(value: Any) -> Any:
    """Whatever the page shows: names that others chose among it, but for markup of our own."""
    return value if hasattr(value, "__html__") or not isinstance(value, str) else printable_lines(value)
