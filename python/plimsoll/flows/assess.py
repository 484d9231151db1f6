"""`plimsoll assess`: does this storage carry that database, and with how much to spare?

At most five mixes stand for the whole demand, each at least as large as the intervals that it stands for. The storage's line is
measured at them; headroom is a line divided by what its mix asks for, and the smallest of them decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from plimsoll.context import Context
from plimsoll.databases import AskPassword
from plimsoll.demand.cover import Workloads, workloads_of
from plimsoll.facts import Demand, Note, Run
from plimsoll.flows.demand import demand_for
from plimsoll.flows.line import LineSearch, line_target
from plimsoll.flows.mixes import MixSearch, together
from plimsoll.flows.record import record
from plimsoll.predict.verdict import Measured, cannot_tell, deciding, judge_mixes
from plimsoll.requests.assess import AssessRequest
from plimsoll.requests.line import LineRequest
from plimsoll.supply.targets import Opened


@dataclass(frozen=True)
class Question:
    """A demand, and the line to search at each of its mixes."""

    demand: Demand
    line: LineRequest
    stretch_max: int = 2
    """Of the line's search."""


def assess(ctx: Context, asked: AssessRequest, ask_password: AskPassword | None = None) -> Run:
    """Measures lines at the demand's mixes, judges, stores and returns the run.

    Raises what `demand_for` and the search of a line raise.
    """
    question = Question(demand_for(ctx, asked, ask_password), asked.line)
    started_at = ctx.clock.now()
    title = f"{question.demand.database.name} on {asked.target}"
    wanted = workloads_of(question.demand)
    if not wanted.mixes:
        verdict = cannot_tell(question.demand, asked.slo, wanted.notes[-1].message)
        notes = (*question.demand.notes, *wanted.notes)
        return record(ctx, "assess", title, started_at, demand=question.demand, verdict=verdict, notes=notes)
    with line_target(ctx, LineSearch(question.line, together(wanted.mixes))) as made:
        return judged(ctx, question, wanted, made, "assess", title, started_at)


def judged(
    ctx: Context,
    question: Question,
    wanted: Workloads,
    made: Opened,
    kind: str,
    title: str,
    started_at: datetime,
) -> Run:
    """The verdict on an opened target, stored with the line that decides; `wanted` has mixes."""
    demand = question.demand
    search = MixSearch(ctx, made, demand, question.line, question.stretch_max)
    mixes = search.measured(wanted.mixes)
    notes = _once((*wanted.notes, *search.notes))
    decides = deciding(mixes, search.factor)
    verdict = judge_mixes(demand, mixes, notes)
    shown = decides.largest if decides.largest is not None and verdict.carries is False else decides
    return record(
        ctx,
        kind,
        title,
        started_at,
        interrupted=_is_interrupted(mixes),
        target=made.target,
        line=shown.line,
        demand=demand,
        verdict=verdict,
        notes=(*made.target.notes, *demand.notes, *notes),
    )


def _is_interrupted(mixes: tuple[Measured, ...]) -> bool:
    """Whether the user ended it before all was measured; what a broken storage left unmeasured is another thing."""
    ended = any(mix.outcome in ("never_held", "failed") for mix in mixes)
    return any(mix.outcome == "interrupted" or (mix.outcome == "not_measured" and not ended) for mix in mixes)


def _once(notes: tuple[Note, ...]) -> tuple[Note, ...]:
    """Several lines say the same of one storage: each message once."""
    return tuple({(note.code, note.message): note for note in notes}.values())
