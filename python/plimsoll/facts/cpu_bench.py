"""How fast the CPUs of a host compute while they get warm, second by second, and whether they clock down."""

from __future__ import annotations

from typing import Literal

from plimsoll.facts._fact import Fact, Several, Text

ClockAnswer = Literal["clocks down", "holds its clock", "cannot tell"]


class CpuSecond(Fact):
    """What was read in one second; None: the machine does not tell."""

    at_s: float
    """Seconds since the load began."""
    busy_cpus: float | None = None
    """CPU time that hpcc used since the second before, in CPUs; only where it used nearly all of them is the clock judged."""
    mhz_mean: float | None = None
    """Mean clock of the CPUs that may be used from here."""
    mhz_min: float | None = None
    """That of the slowest of them."""
    temperature_c: float | None = None
    """The hottest of the CPUs' sensors, in degrees Celsius."""
    throttles: int | None = None
    """How often the kernel has counted since the load began that CPUs were slowed down for their heat."""


class CpuRound(Fact):
    """One whole run of hpcc."""

    start_s: float
    """Seconds since the load began."""
    duration_s: float
    """Of all of its tests."""
    hpl_gflops: float
    """What HPL reached, in 10^9 operations on floating point numbers per second."""
    hpl_s: float
    """How long HPL took of it."""
    dgemm_gflops: float | None = None
    """The same of the product of matrices (SingleDGEMM)."""


class CpuBench(Fact):
    """All rounds and seconds."""

    answer: ClockAnswer
    """Whether the CPUs clock down under load."""
    reason: Text
    """In words."""
    failed: Text | None = None
    """Why a run of hpcc after others failed, after which none was made; None: none did."""
    down_after_s: float | None = None
    """The second after which the clock stays lower; None: it does not, or nobody can tell."""
    throttled_after_s: float | None = None
    """The first second in which the kernel counted that heat slowed CPUs down; None: it did not, or does not count."""
    tool: Text
    """The program that computed, with its version."""
    blas: Text
    """The library of linear algebra that it used."""
    threads: int
    """One for each CPU that may be used from here."""
    matrix_rows: int
    """Rows of the matrix of HPL."""
    clock_source: Text | None = None
    """Where clocks were read; None: the machine tells none."""
    temperature_source: Text | None = None
    """Where temperatures were read; None: the machine tells none."""
    throttle_source: Text | None = None
    """Where throttles were read; None: the machine counts none."""
    rounds: Several[CpuRound] = ()
    """In order; empty: it was interrupted before the first one ended."""
    seconds: Several[CpuSecond] = ()
    """In order."""
