"""What the links between this host and the storage carry at most, and how much of it was used."""

from __future__ import annotations

from plimsoll.facts._fact import Fact, Text


class LinkBound(Fact):
    """The links to all targets of a run, read from the kernel or stated. MB are 10^6 bytes of data; one direction."""

    stated: bool
    """Whether the user named them (`--links`)."""
    words: Text | None = None
    """The links that bind, such as `2 × 8GFC`; None where they are not known."""
    paths: int | None = None
    """Ways to the storage that were counted."""
    mb_per_s: float | None = None
    """None where it is not known; `reason` says why."""
    duplex: bool = True
    """Whether reads and writes go both ways at once, so that each has the whole of it."""
    copies: int = 1
    """How often this host sends each byte that is written: 2 where it mirrors."""
    write_mb_per_s: float | None = None
    """What is left for writes: `mb_per_s` / `copies`."""
    used_mb_per_s: float | None = None
    """The most that a measurement sent through them in one direction, copies counted."""
    used_share: float | None = None
    """The same as a share of what the links carry, 0 to 1; None where that is not known."""
    reason: Text
    """Where the figure comes from, or why there is none."""
