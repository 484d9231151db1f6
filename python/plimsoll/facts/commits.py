"""What commits wait for: others, the disk, a processor; as the kernel saw each of them, state by state.

A commit is what one thread does from its first write to a file until the file's flush is over. Of PostgreSQL it is one call of
XLogFlush, also where another backend does the writing.
"""

from __future__ import annotations

from typing import Literal

from plimsoll.facts._fact import Fact, Note, Several, Text
from plimsoll.facts.latency import LatencyUs

CommitKind = Literal["sync", "leader", "follower", "nothing", "standby"]
"""`sync`: of any process, from its first write to a file to the end of its flush, or a write that is synchronous by itself. Of
PostgreSQL, while its calls of XLogFlush are seen: a `leader` flushes the log itself, a `follower` waits while another does,
`nothing` finds all of it done; what such a commit then waits for a synchronous standby is `standby`, in which the queue is that
wait."""
CommitCauseName = Literal[
    "disk",
    "above the disk",
    "disk or above it",
    "run queue",
    "group commit",
    "lock",
    "standby",
    "processor",
    "other",
]
CommitPart = Literal["queue", "write", "flush", "run queue", "processor", "other"]
"""Where a commit is at a moment, as the parts of its time are called."""
HANGING_S = 1.0
"""A commit that is under way for so long when the watch ends hangs; one that has just begun does not."""


LATENCY_US_MAX = 2.0**35 / 1_000
"""Where the steps end by which the kernel counts how long commits took, 34.4 s."""


class CommitTimes(Fact):
    """What a commit's time is spent on, on average; together they are its whole time."""

    queue_us: float
    """Waiting until others let it go on: locks, the flush of another, sleeping."""
    write_us: float
    """Waiting for its writes; one that is synchronous by itself (O_DSYNC) is write and flush in one."""
    flush_us: float
    """Waiting for its flush."""
    run_queue_us: float
    """Able to run, without a processor."""
    processor_us: float
    """On a processor."""
    other_us: float
    """Waiting for anything else, such as memory."""


class CommitsOfRole(Fact):
    """Commits of one kind by all processes of one role."""

    role: Text
    """What the processes are in their database, else their command."""
    kind: CommitKind
    """Which of their commits."""
    processes: int
    """How many processes that were."""
    commits: int
    """Those that ended well."""
    errors: int
    """Those whose write or flush failed; they are in no other figure. Of any process, a write that is synchronous or a flush; of
    PostgreSQL, while its calls of XLogFlush are seen, any write of the log and any flush."""
    commits_per_s: float | None
    """Commits per second of the time in which this kind was seen; None where that was too short to tell."""
    flushes: int
    """Flushes and synchronous writes of these commits."""
    dispatches_mean: float | None
    """How often one was given a processor while it was under way, on average; None without commits."""
    total_us_mean: float | None
    """From begin to end, on average; None without commits."""
    times: CommitTimes | None
    """What that was spent on; None without commits."""
    behind_us_mean: float | None = None
    """Of the queue, on average: what overlaps flushes of other threads that end during the wait, and sleep within a call of
    XLogFlush. In the rest of it nobody else of the same program was seen to flush. None without commits, of waits for a standby,
    and where the run is of before that was told."""
    slept_us_mean: float | None = None
    """Of that, what it slept itself within a call of XLogFlush, on average, as `commit_delay` has it do before its flush. None as
    above."""
    latency_us: LatencyUs
    """From begin to end. The kernel counts in steps of a sixteenth of a doubling; within a step they are spread evenly. The last
    ends at 34.4 s, and there is what took longer."""
    beyond: int | None = None
    """Commits that took longer than these 34.4 s: a percentile that is one of them is more than what is told. None: the run is of
    before they were counted."""


class CommitsUnderWay(Fact):
    """Commits of one role that had begun and not ended when the watch did; they are in no row."""

    role: Text
    """As in the rows."""
    kind: CommitKind
    """What they would be if they ended at that moment."""
    commits: int
    """How many."""
    hanging: int
    """How many of them for a second or longer."""
    longest_s: float
    """For how long the longest was under way; at least, where the probe did not see it begin."""
    longest_in: CommitPart
    """What that one waited for at that moment."""


class CommitCause(Fact):
    """What the commits of one role wait for most."""

    role: Text
    """As in the rows."""
    commits: int
    """Those that it was told from."""
    total_us_mean: float | None
    """From begin to end, over all of them; None without commits."""
    cause: CommitCauseName | None
    """`disk`: the log's device; `above the disk`: what holds writes and flushes back before the device gets them, as that takes a
    small part of their time by the kernel's own count; `disk or above it`: one of both, where that count does not tell which;
    `run queue`: a processor; `group commit`: the turn behind others whose flush is short, or who sleep before it; `lock`: what
    another thread holds, while nobody else flushes; `standby`: the word of a synchronous standby; `processor`: nothing, they
    compute; None: too few commits to tell."""
    share: float | None
    """Of the time of these commits that is spent on it."""
    second: CommitCauseName | None = None
    """What they wait for next, where the first is not most of their time, or hardly more than this; None: the first is clear."""
    second_share: float | None = None
    """Of the time of these commits that is spent on that."""
    reason: Text
    """The figures that it was told from."""
    advice: Text
    """What would help."""


class CommitWaits(Fact):
    """What commits of this host waited for."""

    duration_s: float
    """How long it was watched, in seconds."""
    log_flushes_s: float | None
    """How long of it calls of XLogFlush were seen, in seconds; None where no PostgreSQL was found whose calls can be."""
    causes: tuple[CommitCause, ...]
    """By role, that with most time in commits first."""
    rows: Several[CommitsOfRole]
    """By role and kind, those with most time in commits first."""
    lost_commits: int
    """Commits that are in no row for want of room in the kernel, at least; 0: the rows are all there was."""
    under_way: tuple[CommitsUnderWay, ...] | None = None
    """Commits that had begun and not ended at the end, those of the longest first; None: that could not be read."""
    broken_off: Text | None = None
    """Why the probe could not be read to the end: what was counted after the last reading is missing. None: it could."""
    notes: Several[Note] = ()
