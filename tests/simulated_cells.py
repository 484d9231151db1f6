"""Cells for tests of truth checks: measured on a simulated device, made up, and answered by a script."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import facts_builder
from plimsoll.facts import Cell, Check, IoClass, LatencyUs, Plan, PlanGroup, Target, Workload
from plimsoll.supply.checks import Look
from plimsoll.supply.engine import measure
from plimsoll.supply.targets import Wish, on_opened, opened
from plimsoll.supply.workloads import workload
from simulated import context


def reads(block_bytes: int = 8192) -> Workload:
    """Random reads alone."""
    return workload("randread", block_bytes)


def measured(journals: Path, name: str, depth: int = 8, **asked: Any) -> tuple[Cell, Target]:
    """A cell of the engine in virtual time, and its target."""
    with context(journals) as ctx, opened(ctx, Wish(name)) as made:
        group = PlanGroup.of(reads(), "sim", depth=depth)
        plan = Plan(groups=(group,), **{"runtime_s": 5.0, "warm_up_s": 0.3, "window_s": 0.01, **asked})
        cell = measure(on_opened(plan, made), made.permits, ctx.cancel, lambda live: None)
        return cell, made.target


@dataclass(frozen=True)
class Asked:
    """One call of a probe. `number` counts from 0."""

    number: int
    workload: Workload
    seed: int
    depth: int
    span_bytes: int
    direct: bool
    ios_max: int | None
    engine: str


@dataclass
class Scripted:
    """A probe whose device answers each call with one latency, by a function of what was asked."""

    latency_us: Callable[[Asked], float]
    cell: Cell = field(default_factory=lambda: facts_builder.cell(None, reads()))
    target: Target = field(default_factory=facts_builder.target)
    changes: dict[str, Any] = field(default_factory=dict)
    """What is other in each cell that comes back."""
    asked: list[Asked] = field(default_factory=list)

    def held_open(self) -> AbstractContextManager[None]:
        """There is nothing to open."""
        return nullcontext()

    def measure(self, look: Look) -> Cell:
        """The cell that a device of that latency gives."""
        call = Asked(
            number=len(self.asked),
            workload=look.workload,
            seed=look.seed,
            depth=look.depth,
            span_bytes=look.span_bytes or self.target.span_bytes,
            direct=self.cell.direct if look.direct is None else look.direct,
            ios_max=look.ios_max,
            engine=look.engine or self.cell.engine,
        )
        self.asked.append(call)
        latency_us = self.latency_us(call)
        ios = min(int(look.runtime_s * look.depth * 1e6 / latency_us), look.ios_max or 1 << 60)
        return facts_builder.cell(None, look.workload).model_copy(
            update={
                "ios": ios,
                "iops": look.depth * 1e6 / latency_us,
                "runtime_s": look.runtime_s,
                "latency_us": LatencyUs(count=ios, mean=latency_us, p50=latency_us),
                "cpu_threads_s": ios * 1e-7,
                "direct": call.direct,
                "depth": look.depth,
                **self.changes,
            }
        )


def write_class(**changes: Any) -> IoClass:
    """A class of random writes."""
    return IoClass(name="write", op="write", block_bytes=8192, weight=1.0).model_copy(update=changes)


def failed_check(name: str) -> Check:
    """A failed verdict of that name."""
    return Check(name=name, passed=False, reason="made up for a test of what follows from it")
