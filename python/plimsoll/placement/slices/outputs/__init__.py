"""What a plan of slices is written as. One kind, one file: `systemd.py` makes units. Pure: text from facts; nothing is run.

Each holds an `OUTPUT`. Which files there are depends on the plan: a kind that a plan has no use for makes none.
"""

from __future__ import annotations

import sys

from plimsoll.base import registry
from plimsoll.placement.slices.outputs._output import Output, OutputFile

__all__ = ["Output", "OutputFile", "load", "names"]


def names() -> list[str]:
    """The kinds' names, sorted."""
    return registry.names(sys.modules[__name__])


def load(name: str) -> Output:
    """The kind called `name`. Raises UsageError `output-unknown`."""
    return registry.load(sys.modules[__name__], name, "OUTPUT")
