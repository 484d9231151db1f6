"""The report: a run in, one self-contained HTML page out. Pure: equal facts give equal bytes.

`build` makes the page. `distribution_sources` names the latency distributions that the page can draw: whoever may call the
extension turns them into buckets and hands them to `build`. One section, one file in `sections/`.
"""

from plimsoll.charts import distribution_sources
from plimsoll.pages._page import PAGE_START, build, build_blocks

__all__ = ["PAGE_START", "build", "build_blocks", "distribution_sources"]
