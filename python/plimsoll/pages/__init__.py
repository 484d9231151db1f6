"""The report: a run in, one self-contained HTML page out. Pure: equal facts give equal bytes.

`build` makes the page, `figure_svg` and its like one picture of it. `distribution_sources` names the latency distributions that
the page can draw: whoever may call the extension turns them into buckets and hands them over. One section, one file in `sections/`.
"""

from plimsoll.charts import PNG_NAME, PNG_START, SVG_START, distribution_sources
from plimsoll.pages._figure import Distributions, figure_png, figure_rows, figure_svg
from plimsoll.pages._page import PAGE_START, build, build_blocks, figure_names

__all__ = [
    "PAGE_START",
    "PNG_NAME",
    "PNG_START",
    "SVG_START",
    "Distributions",
    "build",
    "build_blocks",
    "distribution_sources",
    "figure_names",
    "figure_png",
    "figure_rows",
    "figure_svg",
]
