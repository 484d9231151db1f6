"""Measures a tier as `tiers.toml` describes one: a single-block read, a multi-block read and a write that somebody waits for.

One I/O at a time, past the page cache, in a scratch file of the tier's own file system: what a session meets there that has it
for itself. Large reads follow each other, as those of a scan do.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from statistics import median

from plimsoll.base.errors import WorldError
from plimsoll.context import Context
from plimsoll.facts import Plan, PlanGroup, Tier, TierLatency
from plimsoll.supply.engine import measure
from plimsoll.supply.targets import Opened, Wish, on_opened, opened
from plimsoll.supply.workloads import workload

BLOCK_BYTES = 8192
LARGE_BYTES = 128 << 10
"""What PostgreSQL reads at once in a scan (io_combine_limit)."""
_RUNS = 3
"""The middle one of so many counts: others on this machine may disturb one."""
_RUNTIME_S = 0.8
_WARM_UP_S = 0.1


def measured_tier(
    ctx: Context,
    name: str,
    folder: Path,
    span_bytes: int,
    capacity_bytes: int,
    bounds: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> Tier:
    """The tier on which the folder lies, by reads all over a file of `span_bytes`, within bounds that the file's making is free of.

    Raises WorldError `tier-unmeasured`, and what opening a target raises.
    """
    with opened(ctx, Wish(str(folder), span_bytes, writes=True)) as made, bounds():
        small, large, write = (
            _middle(ctx, made, name, rw, size)
            for rw, size in (("randread", BLOCK_BYTES), ("read", LARGE_BYTES), ("log-write", BLOCK_BYTES))
        )
    return Tier(
        name=name,
        capacity_bytes=capacity_bytes,
        small_read_us=small,
        large_read_us=large,
        small_write_us=write,
        large_read_bytes=LARGE_BYTES,
        source=f"measured in {folder}, one I/O at a time",
    )


def _middle(ctx: Context, made: Opened, name: str, rw: str, block_bytes: int) -> tuple[TierLatency, ...]:
    ctx.progress("lab", f"measuring {rw} on tier {name}")
    means = [_mean_us(ctx, made, name, rw, block_bytes) for _ in range(_RUNS)]
    return (TierLatency(load_per_s=0.0, latency_us=round(median(means), 1)),)


def _mean_us(ctx: Context, made: Opened, name: str, rw: str, block_bytes: int) -> float:
    group = PlanGroup.of(workload(rw, block_bytes), "psync")
    plan = on_opened(Plan(groups=(group,), runtime_s=_RUNTIME_S, warm_up_s=_WARM_UP_S), made)
    cell = measure(plan, made.permits, ctx.cancel, ctx.live)
    ctx.cancel.check()
    if (mean_us := cell.latency_us.mean) is None or cell.errors:
        message = f"could not measure {rw} on tier {name}: {cell.ios:,} I/Os, and {cell.errors:,} failed"
        raise WorldError("tier-unmeasured", message, "Try again, or with a law of shorter times.")
    return mean_us
