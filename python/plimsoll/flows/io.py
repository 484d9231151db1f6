"""`plimsoll io`: one workload cell on one target, from the words of the command to a stored run."""

from __future__ import annotations

from dataclasses import dataclass

from plimsoll.base.limits import DEFAULT_BLOCK_BYTES, OUTSTANDING_MAX, WARM_UP_S, WINDOW_S_MIN
from plimsoll.context import Context
from plimsoll.facts import Arrivals, Run, Workload
from plimsoll.flows.record import record
from plimsoll.supply.choose import AUTO, check_engine, choose_engine
from plimsoll.supply.engine import Plan, measure
from plimsoll.supply.targets import Wish, opened
from plimsoll.supply.workloads import is_log, workload


@dataclass(frozen=True)
class IoRequest:
    """What `plimsoll io` was asked. `depth` None: what suits the mix, see `default_depth`."""

    target: str
    rw: str = "randread"
    block_bytes: int = DEFAULT_BLOCK_BYTES
    depth: int | None = None
    jobs: int = 1
    engine: str = AUTO
    runtime_s: float = 5.0
    warm_up_s: float = WARM_UP_S
    bytes_wanted: int | None = None
    read_share: float | None = None
    rate_per_s: float | None = None
    arrivals: str = "poisson"
    direct: bool = True
    prefill: bool = False
    destroy: tuple[str, ...] = ()
    seed: int = 1


def measure_io(ctx: Context, asked: IoRequest) -> Run:
    """Measures, stores and returns the run; an interrupted one holds what was measured until then."""
    started_at = ctx.clock.now()
    mix = workload(asked.rw, asked.block_bytes, asked.read_share)
    check_engine(asked.engine)
    reads = mix.read_share > 0
    wish = Wish(
        asked.target, asked.bytes_wanted, asked.direct, mix.writes, asked.prefill, asked.destroy, reads
    )
    with opened(ctx, wish) as made:
        choice = choose_engine(asked.engine, made.target, mix)
        plan = _plan(asked, mix, choice.engine).with_target(made)
        cell = measure(made.target, mix, plan, ctx.cancel, ctx.live)
    title = f"{asked.rw} on {asked.target}"
    return record(
        ctx,
        "io",
        title,
        started_at,
        interrupted=cell.ended_early == "stopped",
        target=made.target,
        cell=cell,
        notes=(*made.target.notes, *choice.notes, *cell.notes),
    )


def _plan(asked: IoRequest, mix: Workload, engine: str) -> Plan:
    open_loop = asked.rate_per_s is not None
    arrivals = Arrivals(kind=asked.arrivals, rate_per_s=asked.rate_per_s) if open_loop else Arrivals()  # type: ignore[arg-type]
    return Plan(
        engine=engine,
        direct=asked.direct,
        jobs=asked.jobs,
        depth=asked.depth or default_depth(mix, engine, open_loop),
        arrivals=arrivals,
        runtime_s=asked.runtime_s,
        warm_up_s=asked.warm_up_s,
        window_s=max(WINDOW_S_MIN, min(1.0, asked.runtime_s / 10)),
        seed=asked.seed,
    )


def default_depth(mix: Workload, engine: str, open_loop: bool) -> int:
    """I/Os in flight where none were asked for: a log has one writer, a closed loop 32, a rate as many as it takes."""
    if is_log(mix):
        return 1
    return outstanding_max(engine) if open_loop else 32


def outstanding_max(engine: str) -> int:
    """I/Os in flight that an open loop may need; each one is a thread under psync, so fewer there."""
    return 64 if engine == "psync" else OUTSTANDING_MAX
