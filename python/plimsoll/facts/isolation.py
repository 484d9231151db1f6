"""What noise in one slice of a host does to a measurement in another, with the slices and without them."""

from __future__ import annotations

from typing import Literal

from plimsoll.facts._fact import Fact, Said, Several, Text
from plimsoll.facts.cell import Cell
from plimsoll.facts.latency import LatencyUs

NoiseKind = Literal["cpu", "memory", "disk", "network"]
MemoryPolicy = Literal["off", "interleave", "local", "bind"]
Stand = Literal["sliced", "unsliced"]
IsolationDriver = Literal["io", "slob"]
IsolationClient = Literal["outside", "inside"]
IsolationAnswer = Literal["slices help", "slices do not help", "the noise did nothing", "cannot tell"]


class Ratio(Fact):
    """A figure of some trials over that of others of the same rounds: the geometric mean, and its interval by Student's t."""

    ratio: float | None
    """None: no round has both."""
    ci95: tuple[float, float] | None = None
    """None: fewer than three rounds have both."""
    rounds: int = 0
    """How many rounds have both."""

    @property
    def told(self) -> Literal["less", "more", "unknown"]:
        """On which side of 1 the whole interval lies; unknown where it includes 1, or there is none."""
        if self.ci95 is None or self.ci95[0] <= 1 <= self.ci95[1]:
            return "unknown"
        return "less" if self.ci95[1] < 1 else "more"


class NoiseSeen(Fact):
    """What the noise of a trial did, by its own count and by the kernel's."""

    kind: NoiseKind
    """What it loaded."""
    processes: int
    """How many made it."""
    runtime_s: float
    """From its beginning to its end, in seconds."""
    done: float
    """What it moved, in bytes; of noise of CPUs the seconds of CPU time that it used, by its own clock."""
    cpu_s: float
    """CPU time of its processes, by the kernel."""
    in_group: bool
    """Whether all of its processes were in the group that they belong into, at its end as well."""
    samples: int
    """How often a thread of it was seen after it had run."""
    samples_outside: int
    """How often on another CPU than those of its group."""
    ended_early: int = 0
    """How many of its processes ended before they were told to."""
    still_s: float | None = 0.0
    """How long before its end the process that stood still longest did something for the last time; None: one never did."""


class ServerTrial(Fact):
    """What a database server did that was driven with random block reads and updates, as by `plimsoll prove slob`."""

    runtime_s: float
    """The window, in seconds; warm-up is left out."""
    operations: int
    """How many were done in the window."""
    operations_per_s: float
    """By each session's own time in the window."""
    latency_us: LatencyUs
    """Of all operations, as timed inside the server."""
    sessions: int
    """How many drove it."""
    processes: int
    """How many processes of the server were looked at."""
    doubts: tuple[Said, ...] = ()
    """Why it is none: counts that differ from those of the server, operations that failed, sessions that stopped."""


class IsolationTrial(Fact):
    """One measurement: of I/O, or of a database server."""

    round_number: int
    """Counted from 1; trials of a round are made one after the other, in an order drawn anew for each round."""
    stand: Stand
    """Whether measurement and noise were in their slices, or both in one group without limits."""
    policy: MemoryPolicy | None = None
    """The memory policy of the measurement, where policies are compared."""
    cell: Cell | None = None
    """I/O that was measured."""
    server: ServerTrial | None = None
    """What a database server did, in its place."""
    in_group: bool
    """Whether the measurement, or all processes of the server, were in the group that they belong into, at its end as well."""
    samples: int
    """How often a thread of the measurement was seen after it had run."""
    samples_outside: int
    """How often on another CPU than those of its group."""
    noise: NoiseSeen | None = None
    """None: it was alone."""
    others_cpu_s: float | None
    """CPU time of other processes in both slices meanwhile, in seconds; None: not known."""
    others_io_bytes: int | None = None
    """What they read from storage and wrote to it, in bytes; None: not known."""
    others_s: float | None = None
    """Time in which they did, in seconds: longer than it was measured, as checkpoints of a server are in it; None: not known."""

    @property
    def latency_us(self) -> LatencyUs:
        """Of its I/Os, or operations of the server."""
        return self._measured.latency_us

    @property
    def rate_per_s(self) -> float:
        """I/Os per second, or operations of the server."""
        return self._measured.iops if isinstance(self._measured, Cell) else self._measured.operations_per_s

    @property
    def done(self) -> int:
        """How many I/Os, or operations of the server."""
        return self._measured.ios if isinstance(self._measured, Cell) else self._measured.operations

    @property
    def runtime_s(self) -> float:
        """How long it was measured."""
        return self._measured.runtime_s

    @property
    def errors(self) -> int:
        """I/Os that failed; a server's operations that did are told in its doubts."""
        return 0 if self.cell is None else self.cell.errors

    @property
    def _measured(self) -> Cell | ServerTrial:
        found = self.cell or self.server
        assert found is not None, "a trial has one of both"
        return found


class IsolationEffect(Fact):
    """What a kind of noise does to p99 and to the rate of the measurement."""

    noise: NoiseKind
    """What the noise loads."""
    p99_unsliced: Ratio
    """p99 under noise / alone, without slices."""
    p99_sliced: Ratio
    """p99 under noise / alone, in slices."""
    iops_unsliced: Ratio
    """I/Os per second, or operations of the server, under noise / alone, without slices."""
    iops_sliced: Ratio
    """I/Os per second, or operations of the server, under noise / alone, in slices."""
    p99_helped: Ratio
    """p99 under noise, in slices / without them; what slices cost the measurement alone is in it."""
    p99_kept_off: Ratio = Ratio(ratio=None)
    """What noise makes of p99 in slices / what it makes of it without them, of the same rounds: below 1 slices keep it off."""
    iops_helped: Ratio
    """I/Os per second under noise, in slices / without them."""
    answer: IsolationAnswer
    """Whether slices keep it off, by `p99_kept_off`; that the noise did nothing without slices; or neither is sure."""


class PolicyEffect(Fact):
    """What a memory policy does to the measurement alone, on its slice's CPUs and the memory of all nodes."""

    policy: MemoryPolicy
    """Which one."""
    p99: Ratio
    """p99 with it / with none set (off)."""
    iops: Ratio
    """I/Os per second with it / with none set (off)."""


class IsolationWrong(Fact):
    """What makes a trial say nothing."""

    code: str
    """Stable, for programs."""
    message: Said
    """A sentence without its full stop."""


class Isolation(Fact):
    """All trials, and what they amount to."""

    answer: IsolationAnswer
    """Of all kinds of noise together; noise that did nothing leaves it open."""
    slice: Text
    """In which the measurement was."""
    noise_slice: Text
    """In which the noise was."""
    way: Text
    """How the slices were made: systemd, cgroup-v2 or cgroup-v1."""
    driver: IsolationDriver = "io"
    """What was measured: I/O, or a database server that is driven with random block reads and updates."""
    client: IsolationClient | None = None
    """Where the sessions of that server were driven from: outside of the slices, or inside of its own; None: there is no server."""
    settings: dict[str, str] | None = None
    """Of the server: where it is, and what drove it; None: there is none."""
    cpus: tuple[int, ...]
    """Of the slice of the measurement."""
    noise_cpus: tuple[int, ...]
    """Of the slice of the noise."""
    shared_cpus: tuple[int, ...]
    """What both had together without slices; empty: there are none, and nothing was measured without slices."""
    too_few: Said | None = None
    """Why nothing is said, whatever was measured; None: there are cores enough."""
    rounds_asked: int
    """How many rounds were asked for."""
    seed: int
    """Of the order of trials in each round."""
    effects: Several[IsolationEffect] = ()
    """By kind of noise, as they were asked for."""
    p99_alone: Ratio
    """p99 alone, in slices / without them: what the slices themselves cost or gain."""
    policies: Several[PolicyEffect] = ()
    """Empty: none were asked for, or there is one node, and nothing to compare."""
    trials: Several[IsolationTrial] = ()
    """In the order in which they were made."""
    findings: Several[IsolationWrong] = ()
    """What makes trials say nothing; empty: all of them count."""
