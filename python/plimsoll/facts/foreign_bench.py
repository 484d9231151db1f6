"""What another benchmark measured and printed: its figures in its own words and units, and all of its text."""

from __future__ import annotations

from plimsoll.facts._fact import Fact, Said, Several, Text


class ForeignFigure(Fact):
    """One figure."""

    name: Text
    """As the other tool calls it, in words where it has none."""
    value: float | None
    """None: the tool does not tell, as where it was too fast to be timed."""
    unit: Text
    """Rates of iperf3 are in MB/s, latencies of bonnie++ in µs; all else as the other tool has it. MB are 10^6 bytes, MiB 2^20."""
    of: Text = ""
    """What it is of: a size, a number of streams; empty: of the whole."""


class ForeignSetting(Fact):
    """What was asked of the other tool, or what it says of itself."""

    name: Text
    """As the other tool calls it."""
    value: Text
    """As it stands there."""


class ForeignBench(Fact):
    """One result of another tool."""

    tool: Text
    """Its name."""
    version: Text | None
    """None: it does not say."""
    is_known_version: bool
    """Whether its results were looked at in this version; of others the names are taken as they are."""
    settings: tuple[ForeignSetting, ...] = ()
    """In the order in which they stand there."""
    figures: Several[ForeignFigure] = ()
    """In the order in which they stand there."""
    document: Said
    """The text as the tool wrote it, passwords taken out."""
