"""Placement: what a database keeps where, what it asks of each object, what tiers there are, and what belongs on which.

Counts are of one interval and of I/Os as the database asked for them; `cached_share` of the reads never reached storage. Seconds
are seconds of DB time that sessions wait in the foreground, all together, within that interval. None is unknown, never 0.
"""

from __future__ import annotations

from typing import Literal

from plimsoll.facts._fact import Fact, Note, Several, Text

ObjectKind = Literal["table", "index", "partition", "toast", "lob", "temp", "undo", "redo", "wal", "other"]
AccessCount = Literal["small_reads", "large_reads", "small_writes", "background_writes", "cached_share"]
PlacementAnswer = Literal["move", "nothing to gain", "cannot tell"]
Meanwhile = Literal["online", "writes wait", "locked", "server down"]
"""Who waits while an object moves: nobody, who writes it, who reads or writes it, everybody."""
GainLimit = Literal["nothing", "waits", "cpu"]


class CountBound(Fact):
    """Between what a figure lies that could not be counted itself: the evidence allows no more to be said."""

    count: AccessCount | Literal["size_bytes"]
    """Which figure of the object, by the name of its field, which is then None, or the likeliest between the two. Of sizes the
    larger one is planned with."""
    low: float
    """It is at least this."""
    high: float | None
    """It is at most this; None where nothing bounds it from above."""


class StorageObject(Fact):
    """What can be placed by itself, with what sessions asked of it in one interval."""

    name: Text
    """Its full name, unique in the inventory."""
    kind: ObjectKind = "other"
    """What it is. Redo, WAL, temporary space and undo are objects of their own."""
    parent: Text | None = None
    """The object that it belongs to, by name: of an index its table, of a partition the whole."""
    size_bytes: int | None
    """Bytes that it takes up; None: not known, and it cannot be placed."""
    tier: Text | None
    """The tier that it lies on now, by name; None: not known."""
    small_reads: float | None
    """Reads of a single block by sessions."""
    large_reads: float | None
    """Reads of several blocks at once by sessions."""
    large_read_bytes_mean: float | None = None
    """Mean bytes of such a read."""
    small_writes: float | None
    """Writes that sessions wait for."""
    background_writes: float | None = None
    """Writes that no session waits for: they load a tier and wear it, and moving them gains nothing by itself."""
    write_bytes: float | None = None
    """Bytes written, in the foreground and in the background."""
    cached_share: float | None = None
    """Share of the reads counted here that memory answered, 0 to 1: they never reach storage, and no tier makes them faster."""
    hit_share: float | None = None
    """Share of the blocks asked for of it that the database's own cache held, 0 to 1: these are none of the reads here."""
    lives_in_cache: bool | None = None
    """Whether that cache holds it, by its size and its own history: no tier makes it faster then. None: not known."""
    read_s: float | None = None
    """Seconds that sessions waited for its reads, where that was measured."""
    write_s: float | None = None
    """Seconds that sessions waited for its writes, where that was measured."""
    bounds: Several[CountBound] = ()
    """Counts that are only bounded."""
    evidence: Text = ""
    """What its figures rest on, in words."""


class UnseenShare(Fact):
    """What an inventory does not show of one class of I/O: it belongs to no object, and is spread over none."""

    count: AccessCount
    """The class of I/O, by the name of its field."""
    share: float | None
    """Share of all I/Os of the class that no object of the inventory stands for, 0 to 1; None: not known."""


class CacheSize(Fact):
    """A line of the database's own advice on its cache: what would be read with another size of it."""

    cache_bytes: int
    """Bytes of the buffer cache."""
    physical_reads: float
    """Blocks that would have been read from storage in the interval."""


class Inventory(Fact):
    """The objects of one database with what it asked of them in one interval."""

    objects: Several[StorageObject]
    """What can be placed by itself."""
    interval_s: float | None
    """Length of the interval in seconds; None: not known, so that no rate is."""
    db_time_s: float | None = None
    foreground_io_wait_s: float | None = None
    """Of the DB time, the seconds that sessions waited for I/O: no plan can save more."""
    cpu_busy_share: float | None = None
    """How busy the host's CPUs were, 0 to 1."""
    cpus: float | None = None
    """Logical CPUs of the host."""
    cache_bytes: int | None = None
    """Bytes of the database's buffer cache."""
    cache_sizes: Several[CacheSize] = ()
    """What other sizes of that cache would read, where the database advises on it; the present size among them."""
    clustered: bool | None = None
    """Whether several hosts open the database, so that all of it must lie on shared storage; None: not known, taken as no."""
    cached_read_share: float | None = None
    """Of the reads of all objects together, the share that never reached storage, where no object's own share is known: their
    measured seconds say whose reads these were. None: it is not known, or each object has its own."""
    has_shared_read_times: bool = False
    """Whether seconds of reads are the counts of each object × one mean of the whole server: they say nothing of a single tier."""
    instance: str | None = None
    begin_time: str | None = None
    end_time: str | None = None
    unseen: Several[UnseenShare] = ()
    """What the evidence left out, by class of I/O."""
    database_id: Text | None = None
    """Which database of which PostgreSQL: the server's system identifier and the database's OID. None: not known."""
    source: Text
    """Where the figures are from: a file, a database, reports."""
    notes: Several[Note] = ()


class TierLatency(Fact):
    """A point of a tier's latency over its load."""

    load_per_s: float
    """I/Os per second that the tier serves, of all classes together."""
    latency_us: float
    """Mean latency of an I/O of the class then, in microseconds."""


class Tier(Fact):
    """A class of storage that objects can lie on. A latency that does not depend on load is a single point, at load 0."""

    name: Text
    """Its name, unique among the tiers."""
    capacity_bytes: int | None
    """Bytes that it holds for this database; None: without a limit."""
    small_read_us: Several[TierLatency]
    """A read of a single block, over load."""
    large_read_us: Several[TierLatency]
    """A read of several blocks, over load."""
    small_write_us: Several[TierLatency]
    """A write that somebody waits for, over load."""
    large_read_bytes: int | None = None
    """Size at which `large_read_us` was measured; None: the objects' own mean sizes."""
    large_read_mb_per_s: float | None = None
    """What each byte beyond that size adds to a large read; None: nothing."""
    iops_max: float | None = None
    """I/Os per second that it serves at most; None: no limit is known."""
    price_per_tb_month: float | None = None
    """Price of 10^12 bytes for a month, in the user's currency; None: not known."""
    rated_write_bytes: float | None = None
    """Bytes that may be written to it over its life (endurance); None: not known, or without a limit."""
    redundancy: float = 1.0
    """Bytes written to devices for each byte that is written: 2 for a mirror."""
    shared: bool | None = None
    """Whether every host of a cluster reaches it; None: not known."""
    hot_swap: bool | None = None
    """Whether a failed device is replaced while the database runs; None: not known."""
    runs: Several[Text] = ()
    """Stored runs that measured its latencies, those apart that the file states; empty: all are stated."""
    source: Text = ""
    """Where its latencies are from."""


class MoveCost(Fact):
    """What it costs to move one object, by the statement that `plimsoll place script` writes for it."""

    read_bytes: int | None
    """Bytes that the server reads for it; None: not known."""
    written_bytes: int | None
    """Bytes that it writes on the new tier; None: not known."""
    log_bytes: int | None
    """Bytes of WAL or redo that it makes; None: not known."""
    is_least: bool = False
    """Whether these are the least that it can be, as `how` says."""
    meanwhile: Meanwhile | None
    """Who waits: `online` nobody, `writes wait` who writes it, `locked` who reads or writes it, `server down` everybody;
    None: not known."""
    how: Text
    """The statement, or what makes a figure unknown."""


class MoveWait(Fact):
    """Moves during which the same sessions wait."""

    meanwhile: Meanwhile | None
    """Who waits, as of a single move; None: not known."""
    moves: int
    """How many moves."""
    bytes: int
    """Bytes of their objects."""


class MoveTotals(Fact):
    """What it costs to carry out all of a plan. A sum is over the moves of which its figure is known."""

    read_bytes: int
    """Bytes that the server reads."""
    written_bytes: int
    """Bytes that it writes on new tiers."""
    log_bytes: int
    """Bytes of WAL or redo that it makes."""
    read_unknown: int
    """Moves of which it is not known what they read."""
    written_unknown: int
    """Moves of which it is not known what they write."""
    log_unknown: int
    """Moves of which it is not known what they log."""
    is_least: bool
    """Whether any figure of a move is the least that it can be."""
    waits: Several[MoveWait]
    """Moves by who waits meanwhile, the most who wait first."""


class PlanRow(Fact):
    """An object and the tier that the plan has for it."""

    object: Text
    """The object, by name."""
    kind: ObjectKind
    """What it is."""
    parent: Text | None = None
    """The object that it belongs to, by name."""
    from_tier: Text
    """The tier that it lies on now."""
    tier: Text
    """The tier that it belongs on; the present one where it stays."""
    bytes: int | None
    """Bytes that it takes up; None: not known, and it stays."""
    gain_s: float
    """Seconds of DB time in the interval that the move saves, by counts and low ends of bounds."""
    gain_s_max: float | None
    """The same by the high ends of bounds; equal where nothing is only bounded, None where a count has no upper end."""
    wait_s: float
    """Seconds that sessions wait for its I/O in the interval where it lies now, by counts and low ends of bounds."""
    gain_s_worst: float | None = None
    """The least that it gains in any of several intervals; None where there is one."""
    chosen_share: float | None = None
    """Share of several intervals whose own plan moves it there, or leaves it where it is; None where there is one."""
    ios_per_s: float | None = None
    """I/Os per second of it that reach storage."""
    ios: float | None = None
    """I/Os that sessions wait for, as counted in the interval without what is known to be cache hits; None: an older plan."""
    move_cost: MoveCost | None = None
    """What it costs to move it; None where it stays."""
    reason: Text
    """Why there."""
    evidence: Text = ""
    """What its figures rest on, in words."""


class TierUse(Fact):
    """A tier before and after the plan."""

    tier: Text
    """Its name."""
    capacity_bytes: int | None
    """Bytes that it holds; None: without a limit."""
    bytes_before: int
    """Bytes of objects of known size on it now."""
    bytes_after: int
    """Bytes of objects of known size on it then."""
    ios_per_s_before: float | None
    """I/Os per second that it serves now; None where the interval's length is not known."""
    ios_per_s_after: float | None
    """I/Os per second that it serves then."""
    small_read_us_before: float
    """Mean latency of a small read at the load of now, in microseconds."""
    small_read_us_after: float
    """Mean latency of a small read at the load of then, in microseconds."""
    price_per_month: float | None
    """Price of the bytes on it then, for a month; None where its price is not known."""
    endurance_years: float | None
    """Years until its rated writes are used up by the writes of then; None: not known, or nothing is written to it."""


class CurvePoint(Fact):
    """A budget, and what it gains."""

    bytes: int
    """Bytes moved away from their present tier to gain it."""
    gain_s: float
    """Seconds of DB time in the interval that they gain."""
    price_per_month: float | None = None
    """What the plan costs more in a month than today's layout; None where a price is not known."""
    object: Text | None = None
    """The object, or the first of those kept together, that this point adds; None at the start."""


class MemoryInstead(Fact):
    """More buffer cache for the money of the plan, by the database's own advice on its cache."""

    price_per_month: float
    """What the plan costs more in a month than today's layout."""
    memory_bytes: int
    """Memory for the same money."""
    reads_saved: float | None
    """Blocks in the interval that would then not be read; None: the advice does not reach so far."""
    gain_s: float | None
    """Seconds of DB time that they save."""
    reason: Text


class AfterMoves(Fact):
    """A plan that was carried out, held against what was measured since. Seconds are of the objects that lie where it wanted them
    and were measured, for their I/Os of this interval."""

    plan: Text
    """Its run, or its file."""
    in_place: int
    """How many of the objects that it moves lie where it wanted them."""
    elsewhere: Several[Text]
    """Those that do not, or are gone."""
    compared: int
    """Of how many objects both plans counted I/Os, and seconds were measured now."""
    before_s: float
    """What sessions would have waited, each I/O as long as when it was planned."""
    predicted_s: float
    """What they were to wait by the plan."""
    measured_s: float
    """What they waited."""
    kept_share: float | None
    """(`before_s` - `measured_s`) / (`before_s` - `predicted_s`); None where hardly anything was to be saved of these I/Os."""
    ios_times: float | None
    """I/Os per second of all objects, as a multiple of those in the interval of the plan; None: not known."""
    reason: Text


class Placement(Fact):
    """Which object belongs on which tier, what that gains, and how far from the best it can be."""

    answer: PlacementAnswer
    """Whether something should move."""
    reason: Text
    plan: Several[PlanRow]
    """Every object: those that move first, most gain for their bytes first."""
    gain_s: float
    """Seconds of DB time in the interval that the plan saves, after the limits of waits and CPU; below 0 where pins ask for a
    plan that costs some."""
    gain_s_max: float | None
    """The same by the high ends of what is only bounded; None where a count has no upper end."""
    gain_share: float | None
    """`gain_s` as a share of DB time, at most 1; None where that is not known."""
    raw_gain_s: float
    """The sum of the objects' gains, before the CPUs' headroom: what the moves would save where CPUs had room for it."""
    limited_by: GainLimit
    """What kept the gain from being more: what was waited for at all, the CPUs' headroom, or nothing."""
    bound_s: float
    """No plan within the same capacities, budgets and pins gains more, before the CPUs' headroom."""
    gap: float
    """(`bound_s` - `raw_gain_s`) / `bound_s`: 0 is proved best."""
    greedy_s: float
    """Gain of the rule of thumb beside it: most gain per byte first."""
    lp_bound_s: float
    """What the relaxation gives in which objects may be cut to pieces: an upper bound too."""
    rounds: int
    """How often latencies were computed anew for the loads of the plan before."""
    settled: bool
    """Whether the loads of the last round are those that its latencies are of."""
    moved_bytes: int
    """Bytes that the plan moves."""
    total_bytes: int
    """Bytes of all objects of known size."""
    interval_s: float | None
    """Length of the interval in seconds."""
    interval_count: int = 1
    """Over how many intervals it was planned; gains are then their mean."""
    after: AfterMoves | None = None
    """What became of the plan that `--after` names; None: none was named."""
    worst_interval: Text | None = None
    """The one in which the plan gains least."""
    worst_interval_gain_s: float | None = None
    """Seconds that it gains there."""
    own_plans_gain_s: float | None = None
    """Seconds that a plan of its own for each interval would save, mean over the intervals, before the CPUs' headroom; None where
    there is one interval. Much more than `raw_gain_s` says that other objects are hot in other intervals."""
    db_time_s: float | None = None
    foreground_io_wait_s: float | None = None
    """Seconds that sessions waited for I/O."""
    cpu_busy_share: float | None = None
    """How busy the host's CPUs were, 0 to 1."""
    budget_bytes: int | None = None
    """Bytes that may move at most, as asked."""
    budget_per_month: float | None = None
    """What the plan may cost more in a month, as asked."""
    curve: Several[CurvePoint]
    """Gain for all budgets, from nothing to everything that gains."""
    knee_bytes: int | None
    """Beyond so many bytes each further one gains less than the average does; None where the curve has no knee."""
    knee_gain_s: float | None
    """Seconds gained at the knee."""
    unseen_share: float | None
    """Of all I/Os, the share that no object stands for, 0 to 1, at least; None: not known."""
    unseen: Several[UnseenShare] = ()
    """The same by class of I/O."""
    tiers: Several[Tier]
    """As they were given."""
    tier_uses: Several[TierUse]
    """Each before and after."""
    move_cost: MoveTotals | None = None
    """What it costs to carry out all of it; None where nothing moves."""
    memory_instead: MemoryInstead | None = None
    """What more memory for the same money would do; None where the database gave no advice on its cache, or a price is missing."""
    keep_in_memory: Several[Text] = ()
    """Objects that memory answers: no tier helps them, a pool that keeps them does."""
    reasons: Several[Text] = ()
    """Sentences on what the plan rests on, and what it leaves out."""
    database_id: Text | None = None
    """Of the inventory, the database that it is of; None: not known, or several."""
    source: Text = ""
    """Where the inventory is from."""
    notes: Several[Note] = ()
