"""Slices of a host held against the plan that was applied: what each is like now, and what is wrong with it."""

from __future__ import annotations

from typing import Literal

from plimsoll.facts._fact import Fact, Said, Several, Text

SliceWrongSeverity = Literal["wrong", "doubt"]
SliceChecksAnswer = Literal["as planned", "not as planned", "not known"]


class SliceWrong(Fact):
    """Something that is not as planned, or could not be seen."""

    code: str
    """Stable, for programs."""
    severity: SliceWrongSeverity
    """Wrong: it is not as planned; doubt: it could not be seen whether it is."""
    slice: Text | None = None
    """Its name; None: it is not of one slice alone."""
    message: Said
    """A sentence without its full stop."""


class SliceCheck(Fact):
    """What a slice is like now."""

    name: Text
    """Its name."""
    control_group: Text
    """The folder of its control group, of version 1 that of cpuset."""
    is_there: bool
    """Whether the group is there."""
    cpus: tuple[int, ...]
    """CPUs that it should have."""
    cpus_effective: tuple[int, ...] | None
    """CPUs that the kernel runs it on; None: not told."""
    nodes: tuple[int, ...]
    """Nodes that its memory should be of."""
    nodes_effective: tuple[int, ...] | None
    """Nodes that the kernel takes its memory of; None: not told."""
    processes: int
    """How many processes are in it."""
    threads: int
    """How many threads of them were seen."""
    samples: int
    """How often a thread was seen after it had run."""
    samples_outside: int
    """How often on another CPU than planned."""
    memory_bytes: int | None
    """Memory of its processes without mapped files, in bytes, shared memory once; None: not told."""
    memory_elsewhere_bytes: int | None
    """How much of that is on other nodes than planned; None: not told."""
    huge_bytes: int | None
    """How much of it is in huge pages; None: not told."""


class SliceCap(Fact):
    """A cap of a slice on a disk, tried with reads from within the slice."""

    slice: Text
    """Its name."""
    device: Text
    """The disk."""
    block_bytes: int
    limit_iops: float
    """Reads of that size per second that its caps allow."""
    read_iops: float
    """Reads per second that it had."""
    ios: int
    counted_ios: int | None
    """Reads of the disk that the kernel counted for its group meanwhile; None: it does not tell."""


class SharedMemoryNode(Fact):
    """Shared memory of a server on a node."""

    node: int | None
    """Its number; None: what the server could not place."""
    server_bytes: int | None
    """As the server counts it, a page once for each allocation that has a part of it; None: it does not tell."""
    kernel_bytes: int | None
    """As the kernel counts it of the server's process that was asked; None: not told."""


class SliceSharedMemory(Fact):
    """Shared memory of a database server by node, by two counts."""

    slice: Text | None
    """In which the server is; None: in none."""
    database: Text
    """Where it is."""
    nodes_planned: tuple[int, ...] = ()
    """Those of the slice's memory."""
    unknown_because: Said | None = None
    """Why the server does not tell; None: it does."""
    nodes: tuple[SharedMemoryNode, ...] = ()
    """In order, and last what the server could not place."""


class SliceChecks(Fact):
    """All slices of a host, as they were found."""

    answer: SliceChecksAnswer
    """Whether all is as planned; not known: something could not be seen, and what was is as planned."""
    way: Text
    """How they were made: systemd, cgroup-v2 or cgroup-v1."""
    watched_s: float
    """How long CPUs of processes were watched, in seconds; less than was asked for where it was interrupted."""
    slices: Several[SliceCheck] = ()
    """In the order of the plan."""
    caps: Several[SliceCap] = ()
    """Caps that were tried; empty: none was."""
    shared_memory: SliceSharedMemory | None = None
    """Of the server that was asked; None: none was."""
    findings: Several[SliceWrong] = ()
    """What is wrong first, then what is in doubt."""
