"""`plimsoll host bench ladder`: how long one read takes from each cache, memory, and storage that is named."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from plimsoll.base.errors import PlimsollError
from plimsoll.base.limits import DEFAULT_BLOCK_BYTES
from plimsoll.context import Context
from plimsoll.facts import Cell, LatencyLadder, LatencyRung, Note, Run, Target
from plimsoll.flows.io import plan_of, wish_of
from plimsoll.flows.record import record
from plimsoll.flows.report import write_report
from plimsoll.host import memory_rungs
from plimsoll.host.memory import available_bytes, node_available_bytes
from plimsoll.host.topology import read_topology
from plimsoll.placement.price_file import Prices, read_prices
from plimsoll.requests.host_bench_ladder import HostBenchLadderRequest
from plimsoll.requests.io import IoRequest
from plimsoll.supply.checks import with_checks
from plimsoll.supply.choose import check_engine, choose_engine
from plimsoll.supply.engine import measure
from plimsoll.supply.targets import on_opened, opened
from plimsoll.supply.workloads import workload

_STAGE = "ladder"


@dataclass(frozen=True)
class _Storage:
    """A rung of storage, with its target where that could be opened, and what is said of it."""

    rung: LatencyRung
    target: Target | None = None
    notes: tuple[Note, ...] = ()


def bench_ladder(ctx: Context, asked: HostBenchLadderRequest) -> Run:
    """Measures, stores and returns the run; an interrupted one has the rungs that were measured until then.

    What cannot be measured is a rung with its reason. Raises UsageError `ladder-name`, those of a file of prices and of engines,
    and what `write_report` raises.
    """
    started_at = ctx.clock.now()
    check_engine(asked.engine)
    named = asked.named(memory_rungs.names_of_prices(()))
    prices = _prices(asked, [name for name, _ in named])
    near = _near(ctx, asked)
    far = _in_order([_measured(ctx, asked, name, target) for name, target in named])
    ladder = LatencyLadder(
        cpu=near.cpu,
        block_bytes=DEFAULT_BLOCK_BYTES,
        currency=None if prices is None else prices.currency,
        rungs=tuple(_compared((*near.rungs, *(one.rung for one in far)), prices)),
    )
    targets = tuple(one.target for one in far if one.target is not None)
    run = record(
        ctx,
        "host",
        "latency ladder of this host",
        started_at,
        interrupted=ctx.cancel.is_set,
        target=targets[0] if targets else None,
        targets=targets if len(targets) > 1 else (),
        latency_ladder=ladder,
        notes=(*near.notes, *(note for one in far for note in one.notes)),
    )
    if asked.out is not None:
        write_report(run, Path(asked.out))
    return run


def _prices(asked: HostBenchLadderRequest, names: Sequence[str]) -> Prices | None:
    return None if asked.prices is None else read_prices(asked.prices, memory_rungs.names_of_prices(names))


def _near(ctx: Context, asked: HostBenchLadderRequest) -> memory_rungs.Rungs:
    ctx.progress(_STAGE, "caches and memory")
    wish = memory_rungs.Wish(asked.runtime_s, asked.set_bytes, lambda: ctx.cancel.is_set)
    return memory_rungs.measure(
        read_topology(), os.sched_getaffinity(0), wish, available_bytes(), node_available_bytes
    )


def _measured(ctx: Context, asked: HostBenchLadderRequest, name: str, word: str) -> _Storage:
    """One read at a time, at random places, as `plimsoll io --depth 1` does it, behind the same gate."""
    rung = LatencyRung(name=name, kind="storage", state="not measured", price_name=name)
    if ctx.cancel.is_set:
        return _Storage(rung.but(reason="it was interrupted before"))
    ctx.progress(_STAGE, name)
    io = IoRequest(
        target=word, depth=1, runtime_s=asked.runtime_s, bytes_wanted=asked.bytes_wanted, engine=asked.engine, seed=asked.seed,
    )  # fmt: skip
    try:
        return _read(ctx, io, rung)
    except PlimsollError as error:
        said = error.message if error.hint is None else f"{error.message}. {error.hint}"
        return _Storage(rung.but(reason=said.removesuffix(".")))


def _read(ctx: Context, io: IoRequest, rung: LatencyRung) -> _Storage:
    mix = workload(io.rw, io.block_bytes, io.read_share)
    with opened(ctx, wish_of(io, mix)) as made:
        choice = choose_engine(io.engine, made.target, mix)
        plan = on_opened(plan_of(io, mix, choice.engine), made)
        cell = with_checks(measure(plan, made.permits, ctx.cancel, ctx.live), made.target)
    notes = (*made.target.notes, *choice.notes, *cell.notes)
    return _Storage(_told(rung, cell, made.target.span_bytes), made.target, notes)


def _told(rung: LatencyRung, cell: Cell, span_bytes: int) -> LatencyRung:
    mean_us = cell.latency_us.mean
    if not cell.latency_us.count or mean_us is None:
        return rung.but(reason="no read came to its end", cell=cell)
    return rung.but(state="measured", latency_ns=1e3 * mean_us, working_set_bytes=span_bytes, cell=cell)


def _in_order(far: Iterable[_Storage]) -> list[_Storage]:
    """The fastest first; those without a latency last, as they were named."""
    return sorted(far, key=lambda one: float("inf") if one.rung.latency_ns is None else one.rung.latency_ns)


def _compared(rungs: Iterable[LatencyRung], prices: Prices | None) -> Iterable[LatencyRung]:
    """Each beside the one above it and the first, with its price."""
    first, above = None, None
    for rung in rungs:
        price = None if prices is None else prices.by_name.get(rung.price_name)
        told = rung.but(price_per_gb=price)
        if rung.latency_ns is not None:
            first = first or rung.latency_ns
            ratio = rung.latency_ns / first
            told = told.but(
                ratio_above=None if above is None else rung.latency_ns / above,
                ratio_first=ratio,
                price_times_ratio=None if price is None else price * ratio,
            )
            above = rung.latency_ns
        yield told
