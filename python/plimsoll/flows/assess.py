"""`plimsoll assess`: does this storage carry that database, and with how much to spare?

The demand's busiest interval gives the mix; the line is measured at that very mix; headroom is the one divided by the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from plimsoll.context import Context
from plimsoll.databases import AskPassword
from plimsoll.demand.workload import DemandWorkload, workload_of
from plimsoll.facts import Demand, Run
from plimsoll.flows.demand import demand_for
from plimsoll.flows.line import LineSearch, line_target, search_line
from plimsoll.flows.record import record
from plimsoll.predict.verdict import cannot_tell, judge
from plimsoll.requests.assess import AssessRequest
from plimsoll.requests.line import LineRequest
from plimsoll.supply.targets import Opened


@dataclass(frozen=True)
class Question:
    """A demand, and the line to search at its mix."""

    demand: Demand
    line: LineRequest
    stretch_max: int = 2
    """Of the line's search."""


def assess(ctx: Context, asked: AssessRequest, ask_password: AskPassword | None = None) -> Run:
    """Measures the line at the demand's mix, judges, stores and returns the run.

    Raises what `demand_for` and the search of a line raise.
    """
    question = Question(demand_for(ctx, asked, ask_password), asked.line)
    started_at = ctx.clock.now()
    title = f"{question.demand.database.name} on {asked.target}"
    mix = workload_of(question.demand)
    if mix.workload is None:
        verdict = cannot_tell(question.demand, asked.slo, mix.notes[-1].message)
        notes = (*question.demand.notes, *mix.notes)
        return record(ctx, "assess", title, started_at, demand=question.demand, verdict=verdict, notes=notes)
    with line_target(ctx, LineSearch(question.line, mix.workload)) as made:
        return judged(ctx, question, mix, made, "assess", title, started_at)


def judged(
    ctx: Context,
    question: Question,
    mix: DemandWorkload,
    made: Opened,
    kind: str,
    title: str,
    started_at: datetime,
) -> Run:
    """The verdict on an opened target, stored; `mix` has a workload."""
    assert mix.workload is not None, "the caller has looked"
    assert mix.iops is not None, "a workload has a rate"
    line, line_notes = search_line(ctx, made, LineSearch(question.line, mix.workload, question.stretch_max))
    notes = (*mix.notes, *line_notes)
    return record(
        ctx,
        kind,
        title,
        started_at,
        interrupted=line.outcome == "interrupted",
        target=made.target,
        line=line,
        demand=question.demand,
        verdict=judge(question.demand, mix.iops, line, notes),
        notes=(*made.target.notes, *question.demand.notes, *notes),
    )
