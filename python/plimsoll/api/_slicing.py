"""Slices of this host: a plan carried out, and taken back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from plimsoll.api._asking import asks
from plimsoll.api._results import Result
from plimsoll.context import Context
from plimsoll.facts import Isolation, IsolationEffect, Note, SliceCheck, SliceChecks
from plimsoll.requests.host_slice_apply import (
    HostSliceApplyRequest,
    HostSliceRevertRequest,
    HostSliceVerifyRequest,
)
from plimsoll.requests.host_slice_prove import HostSliceProveRequest


@dataclass(frozen=True)
class HostSlicesApplied:
    """What was done to the host, or would be."""

    way: str
    """`systemd`, `cgroup-v2` or `cgroup-v1`."""
    dry_run: bool
    writes: Sequence[str]
    """Each step with its exact value."""
    next_steps: Sequence[str]
    """What is left to be done by you: services to restart, processes to put in."""
    journal: Path
    notes: Sequence[Note]


@asks(HostSliceApplyRequest)
def host_slice_apply(ctx: Context, asked: HostSliceApplyRequest) -> HostSlicesApplied:
    """A plan carried out on this host, all of it or nothing, as `plimsoll host slice apply`; as root.

    Example:
        found = plimsoll.host_slice_apply("latest", dry_run=True)
        found.writes  # each step with its exact value
    """
    from plimsoll.flows.host_slice_apply import apply_slices

    found = apply_slices(ctx, asked)
    return HostSlicesApplied(
        found.way, found.dry_run, found.writes, found.next_steps, Path(found.journal), found.notes
    )


class HostSlicesVerified(Result):
    """Slices held against the plan that was applied; the frame has a row per slice."""

    _columns: ClassVar[tuple[str, ...]] = (
        "name",
        "cpus",
        "cpus_effective",
        "processes",
        "samples",
        "samples_outside",
        "memory_bytes",
        "memory_elsewhere_bytes",
    )

    @property
    def checks(self) -> SliceChecks:
        """What each slice is like, and what is wrong."""
        return self.run.results["slice_checks"]

    def _parts(self) -> Sequence[SliceCheck]:
        return self.checks.slices


@asks(HostSliceVerifyRequest)
def host_slice_verify(ctx: Context, asked: HostSliceVerifyRequest) -> HostSlicesVerified:
    """Slices of this host held against the plan that was applied, as `plimsoll host slice verify`.

    Example:
        found = plimsoll.host_slice_verify()
        found.checks.answer
        found.frame()  # a row for each slice
    """
    from plimsoll.flows.host_slice_verify import verify_slices

    return HostSlicesVerified(verify_slices(ctx, asked))


class HostSliceProved(Result):
    """What noise in one slice does to a measurement in another; the frame has a row per kind of noise."""

    @property
    def isolation(self) -> Isolation:
        """Ratios with their intervals, each trial, and the answer."""
        return self.run.results["isolation"]

    def _parts(self) -> Sequence[IsolationEffect]:
        return self.isolation.effects


@asks(HostSliceProveRequest)
def host_slice_prove(ctx: Context, asked: HostSliceProveRequest) -> HostSliceProved:
    """I/O in one slice beside noise in another, with the slices and without them, as `plimsoll host slice prove`; as root.

    Example:
        found = plimsoll.host_slice_prove("db1", noise="db2", target="/u01")
        found.isolation.answer
        found.frame()  # a row for each kind of noise
    """
    from plimsoll.flows.host_slice_prove import prove_slice

    return HostSliceProved(prove_slice(ctx, asked))


@dataclass(frozen=True)
class HostSlicesReverted:
    """What was taken back, or would be."""

    way: str
    dry_run: bool
    undone: Sequence[str]
    changed: Sequence[str]
    """What somebody has changed meanwhile, in words."""


@asks(HostSliceRevertRequest)
def host_slice_revert(ctx: Context, asked: HostSliceRevertRequest) -> HostSlicesReverted:
    """What was applied, taken back, as `plimsoll host slice revert`.

    Example:
        found = plimsoll.host_slice_revert()
        found.changed
    """
    from plimsoll.flows.host_slice_apply import revert_slices

    found = revert_slices(asked)
    return HostSlicesReverted(found.way, found.dry_run, found.undone, found.changed)
