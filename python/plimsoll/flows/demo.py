"""`plimsoll demo`: the main job from end to end on this machine alone, in a minute or so.

A scratch file is measured; a PostgreSQL of our own is driven beside it by pgbench while its counters are read; the line is
found at the mixes that it asked for; the verdict is given, stored and written as a page.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from plimsoll.base.errors import WorldError
from plimsoll.context import Context
from plimsoll.databases import embedded
from plimsoll.demand.cover import workloads_of
from plimsoll.facts import Run
from plimsoll.flows.assess import Question, judged
from plimsoll.flows.line import LineSearch, line_target, search_line
from plimsoll.flows.load import demand_under_pgbench
from plimsoll.flows.record import record
from plimsoll.flows.report import write_report
from plimsoll.requests.demo import DemoRequest
from plimsoll.requests.line import LineRequest
from plimsoll.supply import remote
from plimsoll.supply.workloads import workload

_SCRATCH_BYTES = 1 << 30
_TRIAL_S = 0.6
_TRIALS_CONFIRM = 3
_LINE_S = 15.0
_WATCH_S = 12.0
_IDLE_HINT = "All of its data fitted into a cache; try again with --folder on another file system."


@dataclass(frozen=True)
class Shown:
    """The run, and where its page is."""

    run: Run
    page: Path


def demo(ctx: Context, asked: DemoRequest) -> Shown:
    """Runs the demonstration; what it made besides the stored runs and the page is gone when this returns."""
    started_at = ctx.clock.now()
    remote.refuse("--folder", asked.folder)
    folder = Path(asked.folder) if asked.folder else embedded.default_folder()
    if folder.is_dir():
        ctx.scratch.refuse_untrusted(folder)
    look = LineRequest(
        target=str(folder),
        slo=asked.slo,
        bytes_wanted=_SCRATCH_BYTES,
        trial_s=_TRIAL_S,
        trials_confirm=_TRIALS_CONFIRM,
        budget_s=_LINE_S,
    )
    reads, both = (workload(rw, look.block_bytes) for rw in ("randread", "randrw"))
    with line_target(ctx, LineSearch(look, both)) as made:
        ctx.remark("demo", "1 of 3: what the storage can do with random reads")
        line, notes = search_line(ctx, made, LineSearch(look, reads))
        record(
            ctx,
            "line",
            f"demo: random reads on {folder}",
            started_at,
            target=made.target,
            line=line,
            notes=notes,
        )
        ctx.cancel.check()
        ctx.remark("demo", "2 of 3: what a PostgreSQL of our own asks of it under pgbench")
        demand = demand_under_pgbench(ctx, _WATCH_S, folder)
        ctx.cancel.check()
        ctx.remark("demo", "3 of 3: whether the storage carries that, measured at the database's own mixes")
        wanted = workloads_of(demand)
        if not wanted.mixes:
            message = "pgbench ran, but the database asked the storage for nothing"
            raise WorldError("demo-idle", message, _IDLE_HINT)
        question = Question(demand, look)
        run = judged(ctx, question, wanted, made, "demo", f"demo on {folder}", started_at)
    page = write_report(run, Path(asked.out))
    return Shown(run, page.path)
