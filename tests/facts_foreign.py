"""A plausible result of bonnie++, in which something was too fast to be timed."""

from __future__ import annotations

from plimsoll.facts import ForeignBench, ForeignFigure, ForeignSetting


def foreign_bench() -> ForeignBench:
    """Three figures, and the text that they stand in."""
    return ForeignBench(
        tool="bonnie++",
        version="2.00a",
        is_known_version=True,
        settings=(ForeignSetting(name="file size", value="64M"),),
        figures=(
            ForeignFigure(name="write, per character", value=1_177.0, unit="KiB/s"),
            ForeignFigure(name="write, per block", value=None, unit="KiB/s"),
            ForeignFigure(name="jitter", value=0.150314, unit="ms", of="arrived"),
        ),
        document="1.98,2.00a,db1,1,1795351637,64M,,8192,5,1177,37,+++++,+++\n",
    )
