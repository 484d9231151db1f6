"""What the same flash saves in each use: the whole database on it, parts of it, the fast side of a mirror, or a cache.

Seconds are seconds of DB time that sessions wait in the foreground, all together, within the interval. None is unknown, never 0.
"""

from __future__ import annotations

from typing import Literal

from plimsoll.facts._fact import Fact, Note, Several, Text
from plimsoll.facts.placement import GainLimit, PlacementAnswer

FlashUseName = Literal[
    "whole database",
    "parts",
    "mirror, preferred read",
    "mirror, reads in turn",
    "storage cache",
    "database cache",
    "memory instead",
]
CurveOf = Literal["buffer cache", "flash"]


class HitPoint(Fact):
    """A size of a cache, and what it leaves to be read."""

    cache_bytes: int
    """Bytes of the cache."""
    miss_share: float
    """Reads that it leaves, as a share of those that the curve's first point leaves, or of all block requests."""


class HitCurve(Fact):
    """What a cache answers by its size."""

    of: CurveOf
    """Whether the sizes are those of the buffer cache, or of a cache of flash below it."""
    points: Several[HitPoint]
    """By size, least first."""
    source: Text
    """Where they are from."""


class FlashSetting(Fact):
    """What is to be written where, so that flash is used so."""

    program: Text
    """The program, or the part of one, that takes it."""
    statement: Text
    """As it is typed; words in capitals and angle brackets stand for names."""
    remark: Text = ""
    """What to know before."""


class FlashUse(Fact):
    """One use of the flash, and what it saves and costs."""

    use: FlashUseName
    """What the flash is used as."""
    possible: bool | None
    """Whether there is room, and release, edition and cluster permit it; None: not known."""
    reason: Text
    """Why it is or is not possible, or what the figure rests on."""
    gain_s: float | None
    """Seconds of DB time in the interval that it saves, by counts, low ends of bounds, and the low end of the estimate of a cache;
    of a use that is not possible what it would save. None: it cannot be calculated from what is known."""
    gain_s_max: float | None
    """The same by the high ends; None: nothing bounds it."""
    gain_share: float | None = None
    """`gain_s` as a share of DB time."""
    flash_bytes: int | None = None
    """Flash that it takes; None: not known."""
    price_per_month: float | None = None
    """What it costs more in a month than today's layout; None: a price or a size is not known."""
    memory_bytes: int | None = 0
    """Memory of the database that it takes, or that is bought instead; None: not known."""
    hit_share: float | None = None
    """Of the small reads that reach storage today, the share that the cache answers, by the low end of the
    estimate; None: no cache, or not known."""
    hit_share_max: float | None = None
    """The same by the high end."""
    small_read_us: float | None = None
    """Mean latency of a small read that reaches storage then, at the loads of then, by the low end of the hits."""
    small_write_us: float | None = None
    """Mean latency of a write that sessions wait for then, at least: of a mirror that of its slower side."""
    small_write_us_max: float | None = None
    """The same at most: both sides of a mirror one after the other."""
    endurance_years: float | None = None
    """Years until the flash's rated writes are used up; None: not known, or nothing is written."""
    costs: Several[Text] = ()
    """What it takes of memory, CPU and cluster, in sentences."""
    settings: Several[FlashSetting] = ()
    """What to write where."""


class FlashUses(Fact):
    """What so much flash saves in each use, side by side. Every figure is an estimate."""

    answer: PlacementAnswer
    """Whether any use is worth it."""
    best: FlashUseName | None
    """The use that saves most at least, of those that are possible; None: none is, or nothing is known."""
    reason: Text
    """The answer in a sentence."""
    flash: Text
    """The tier of flash, by name."""
    flash_bytes: int
    """How much of it there is beside what lies on it today."""
    uses: Several[FlashUse]
    """Every use."""
    hits: HitCurve | None = None
    """What the caches' figures rest on; None: there is none, and they are not known."""
    limited_by: GainLimit = "nothing"
    """What kept the gains from being more."""
    interval_s: float | None = None
    """Length of the interval in seconds."""
    db_time_s: float | None = None
    foreground_io_wait_s: float | None = None
    """Seconds that sessions waited for I/O."""
    cpu_busy_share: float | None = None
    """How busy the host's CPUs were, 0 to 1."""
    reasons: Several[Text] = ()
    """Sentences on what the figures rest on, and what they leave out."""
    source: Text = ""
    """Where the inventory is from."""
    notes: Several[Note] = ()
