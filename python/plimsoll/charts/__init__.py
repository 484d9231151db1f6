"""Charts: facts in, an Altair chart and its words out. Pure: equal facts give equal bytes.

One chart, one file: `load_line.py` is the chart `load-line`. Each file holds a `CHART`, with what it draws, the sentence
that stands in for it where it cannot be seen, and the table of its figures. Altair is imported when a chart is drawn.
"""

from __future__ import annotations

# ruff: noqa: F401 - what checkers of types read
import sys
from typing import TYPE_CHECKING, cast

from plimsoll.base import registry
from plimsoll.base.later import loaded_later

if TYPE_CHECKING:
    from plimsoll.charts._alone import PNG_NAME, PNG_START, SVG_START, alone_png, alone_svg
    from plimsoll.charts._chart import Chart, Subject, Table
    from plimsoll.charts._distributions import distribution_sources
    from plimsoll.charts._figures import figure_rows
    from plimsoll.charts._proof import (
        COMMIT,
        OriginPart,
        error_text,
        main_operation,
        origin_parts,
        peak_words,
    )
    from plimsoll.charts._svg import picture, svg, theme_css
    from plimsoll.charts._values import ratio_text

_NAMES = {
    "_alone": ("PNG_NAME", "PNG_START", "SVG_START", "alone_png", "alone_svg"),
    "_chart": ("Chart", "Subject", "Table"),
    "_distributions": ("distribution_sources",),
    "_figures": ("figure_rows",),
    "_proof": ("COMMIT", "OriginPart", "error_text", "main_operation", "origin_parts", "peak_words"),
    "_svg": ("picture", "svg", "theme_css"),
    "_values": ("ratio_text",),
}
"""Modules, and what each defines for others."""
_HOMES = {name: module for module, names in _NAMES.items() for name in names}

__all__ = [*sorted(_HOMES), "load", "names"]  # noqa: PLE0604 # pyright: ignore[reportUnsupportedDunderAll]


def names() -> list[str]:
    """The charts' names, sorted."""
    return registry.names(sys.modules[__name__])


def load(name: str) -> Chart:
    """The chart called `name`. Raises UsageError `chart-unknown`."""
    return cast("Chart", registry.load(sys.modules[__name__], name, "CHART"))


if not TYPE_CHECKING:  # or no checker of types would miss a name that is none
    __getattr__ = loaded_later(__name__, _HOMES)
    """What draws is a tenth of the memory of a command that only counts."""
