"""Charts: facts in, an Altair chart and its words out. Pure: equal facts give equal bytes.

One chart, one file: `load_line.py` is the chart `load-line`. Each file holds a `CHART`, with what it draws, the sentence
that stands in for it where it cannot be seen, and the table of its figures. Altair is imported when a chart is drawn.
"""

import sys
from typing import cast

from plimsoll.base import registry
from plimsoll.charts._alone import PNG_NAME, PNG_START, SVG_START, alone_png, alone_svg
from plimsoll.charts._chart import Chart, Subject, Table
from plimsoll.charts._distributions import distribution_sources
from plimsoll.charts._figures import figure_rows
from plimsoll.charts._proof import COMMIT, OriginPart, error_text, main_operation, origin_parts, peak_words
from plimsoll.charts._svg import picture, svg, theme_css
from plimsoll.charts._values import ratio_text

__all__ = [
    "COMMIT",
    "PNG_NAME",
    "PNG_START",
    "SVG_START",
    "Chart",
    "OriginPart",
    "Subject",
    "Table",
    "alone_png",
    "alone_svg",
    "distribution_sources",
    "error_text",
    "figure_rows",
    "load",
    "main_operation",
    "names",
    "origin_parts",
    "peak_words",
    "picture",
    "ratio_text",
    "svg",
    "theme_css",
]


def names() -> list[str]:
    """The charts' names, sorted."""
    return registry.names(sys.modules[__name__])


def load(name: str) -> Chart:
    """The chart called `name`. Raises UsageError `chart-unknown`."""
    return cast(Chart, registry.load(sys.modules[__name__], name, "CHART"))
