"""`plimsoll assess`: does this storage carry that database, and with how much to spare?

At most five mixes stand for the whole demand, each at least as large as the intervals that it stands for. The storage's line is
measured at them; headroom is a line divided by what its mix asks for, and the smallest of them decides.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from plimsoll.context import Context
from plimsoll.databases import AskPassword
from plimsoll.demand.cover import Workloads, workloads_of
from plimsoll.demand.together import together as aligned
from plimsoll.facts import Consolidation, Demand, Line, Note, Replay, Run, Verdict
from plimsoll.facts.replay import REPLAY_LEFT_OUT
from plimsoll.facts.run import RunKind
from plimsoll.flows.consolidate import Several, consolidated, several_of
from plimsoll.flows.demand import EMBEDDED, demands_for
from plimsoll.flows.failover import Nodes, nodes_of, on_nodes
from plimsoll.flows.line import LineSearch
from plimsoll.flows.mixes import MixSearch, together
from plimsoll.flows.record import record
from plimsoll.flows.replay import Replayed, replay
from plimsoll.flows.server_witness import server_beside
from plimsoll.flows.work_window import Question as WorkQuestion
from plimsoll.flows.work_window import work_target, work_window
from plimsoll.predict.above_cache import confirmed, reads_are_bound, surely_asked
from plimsoll.predict.doubts import without_bytes_of_ours
from plimsoll.predict.endurance import endurance_note
from plimsoll.predict.failover import NODE_RESOURCES
from plimsoll.predict.logs_alike import confirmed_without_log, logs_are_bound, without_log
from plimsoll.predict.several import of_several
from plimsoll.predict.verdict import Measured, cannot_tell, deciding, judge_mixes
from plimsoll.predict.work_window import Work, in_short, work_not_measured
from plimsoll.requests.assess import AssessRequest
from plimsoll.requests.line import LineRequest
from plimsoll.supply import remote
from plimsoll.supply.simulation import is_simulated
from plimsoll.supply.targets import Opened, check_databases, check_is_there

NOT_DRIVEN = Note(
    code=REPLAY_LEFT_OUT,
    message="the demand was not driven as it was, for that would not step up gently (--while-in-use)",
)


@dataclass(frozen=True)
class Question:
    """A demand, and the line to search at each of its mixes."""

    demand: Demand
    line: LineRequest
    lines_s: float | None = None
    """Time for the lines of all mixes on a real target; None: each has its own."""
    budget_s: float | None = None
    """Time for the lines and for driving the demand's worst stretches as they were; None: they are not driven."""
    work: Work | None = None
    """A backup or a migration to run beside it."""
    refusal: str | None = None
    """Why the target may not be written to by that work."""
    several: Several | None = None
    """The databases whose demands it is the sum of; None for that of one."""
    nodes: Nodes | None = None
    """On which nodes these run, each with a storage like the target of its own; None where all are on the target."""


@dataclass(frozen=True)
class Judgement:
    """A verdict, and what it rests on."""

    verdict: Verdict
    mixes: tuple[Measured, ...]
    line: Line | None
    """That which is shown with it."""
    replay: Replay | None
    notes: tuple[Note, ...]
    """On how it was measured."""


def assess(ctx: Context, asked: AssessRequest, ask_password: AskPassword | None = None) -> Run:
    """Measures lines at the demand's mixes, judges, stores and returns the run.

    Raises UsageError `nfs-unfit`, and what `demand_for` and the search of a line raise.
    """
    remote.refuse("plimsoll assess", asked.target)
    if not is_simulated(asked.target):
        # Refused before the database is watched for half a minute.
        check_is_there(Path(asked.target), asked.prefill)
        check_databases(Path(asked.target), asked.while_in_use)
    question = _question(ctx, asked, ask_password)
    started_at = ctx.clock.now()
    title = f"{question.demand.database.name} on {asked.target}"
    wanted = workloads_of(question.demand)
    if not wanted.mixes:
        return _nothing_to_measure(ctx, question, wanted, title, started_at)
    search = LineSearch(question.line, together(wanted.mixes))
    with (
        work_target(ctx, search, question.work) as (made, refusal),
        server_beside(ctx, made.guard, _watched(asked), ask_password),
    ):
        if question.nodes is not None:
            return _judged_on_nodes(ctx, question, question.nodes, made, title, started_at)
        question = replace(question, refusal=refusal)
        return judged(ctx, question, wanted, made, "assess", title, started_at)


def _question(ctx: Context, asked: AssessRequest, ask_password: AskPassword | None) -> Question:
    """The demand, or the sum of several. Raises what `demands_for`, `several_of`, `nodes_of` and the aligning raise."""
    weights, named = asked.weights, asked.nodes
    demands = demands_for(ctx, asked, ask_password)
    several = None if len(demands) == 1 else several_of(aligned(demands), weights)
    demand = demands[0] if several is None else several.whole
    nodes = None if several is None or not named else nodes_of(several, named)
    budget_s = asked.budget_s if asked.replay else None
    return Question(
        demand, asked.line, asked.lines_s, budget_s, work=work_of(asked), several=several, nodes=nodes
    )


def _nothing_to_measure(
    ctx: Context, question: Question, wanted: Workloads, title: str, started_at: datetime
) -> Run:
    """A run that cannot tell, with the reason."""
    why = wanted.notes[-1].message
    verdict = cannot_tell(question.demand, question.line.slo, why)
    notes = (*question.demand.notes, *wanted.notes)
    parts: dict[str, Any] = {"demand": question.demand, "verdict": verdict, "notes": notes}
    if question.work is not None:
        parts["work_window"] = work_not_measured(question.work, why)
    if question.nodes is not None:
        parts["failover"] = on_nodes(ctx, question.nodes, lambda demand: None).failover
    elif question.several is not None:
        parts["consolidation"] = consolidated(ctx, question.several, verdict, (), lambda demand: None)
    return record(ctx, "assess", title, started_at, **parts)


def work_of(asked: AssessRequest) -> Work | None:
    """The work that was asked about; at most one."""
    if asked.backup_bytes is not None:
        return Work("backup", asked.backup_bytes, asked.window_s)
    return None if asked.migrate_bytes is None else Work("migrate", asked.migrate_bytes, asked.window_s)


def _watched(asked: AssessRequest) -> str | None:
    """The database whose own times say how it fares; what Plimsoll starts itself is gone by then."""
    return None if asked.database == EMBEDDED else asked.database


def judged(
    ctx: Context,
    question: Question,
    wanted: Workloads,
    made: Opened,
    kind: RunKind,
    title: str,
    started_at: datetime,
) -> Run:
    """The verdict on an opened target, stored with the line that decides; `wanted` has mixes."""
    demand = question.demand
    found = judgement(ctx, question, wanted, made)
    verdict, notes = found.verdict, found.notes
    window = None
    if question.work is not None:
        beside = WorkQuestion(question.work, made, demand, question.line, question.refusal)
        window = work_window(ctx, beside, found.mixes, verdict)
        verdict = verdict.model_copy(update={"work": in_short(window)})
        notes = (*notes, *window.notes)
    several = _several(ctx, question, made, found)
    return record(
        ctx,
        kind,
        title,
        started_at,
        interrupted=_is_interrupted(found.mixes)
        or (window is not None and ctx.cancel.is_set)
        or (several is not None and bool(several.sets) and ctx.cancel.is_set),
        target=made.target,
        line=found.line,
        demand=demand,
        verdict=verdict,
        **({} if found.replay is None else {"replay": found.replay}),
        **({} if window is None else {"work_window": window}),
        **({} if several is None else {"consolidation": several}),
        notes=(*made.target.notes, *demand.notes, *notes),
    )


def _judged_on_nodes(
    ctx: Context, question: Question, nodes: Nodes, made: Opened, title: str, started_at: datetime
) -> Run:
    """The verdict on the node with the least headroom, with what is said of all of them and of each loss."""

    def judge(demand: Demand) -> Judgement | None:
        wanted = workloads_of(demand)
        if ctx.cancel.is_set:
            return None
        if not wanted.mixes:
            verdict = cannot_tell(demand, question.line.slo, wanted.notes[-1].message)
            return Judgement(verdict, (), None, None, wanted.notes)
        return judgement(ctx, replace(question, demand=demand), wanted, made)

    found = on_nodes(ctx, nodes, judge)
    tightest, demand = found.tightest, found.demand
    if tightest is None:
        tightest = _nothing_judged(demand, question.line.slo)
    verdict = tightest.verdict
    if found.failover.tightest is not None:
        reason = f"On {found.failover.tightest}, the tightest node: {verdict.reason}"
        verdict = verdict.model_copy(update={"reason": reason})
    return record(
        ctx,
        "assess",
        title,
        started_at,
        interrupted=ctx.cancel.is_set or _is_interrupted(tightest.mixes),
        target=made.target,
        demand=demand,
        verdict=verdict,
        failover=found.failover,
        line=tightest.line,
        replay=tightest.replay,
        notes=_once((*made.target.notes, *nodes.several.whole.notes, *tightest.notes, NODE_RESOURCES)),
    )


def _nothing_judged(demand: Demand, slo: str) -> Judgement:
    """Where it was ended before anything was measured."""
    return Judgement(
        cannot_tell(demand, slo, "it was ended before anything was measured"), (), None, None, ()
    )


def judgement(ctx: Context, question: Question, wanted: Workloads, made: Opened) -> Judgement:
    """The verdict on a demand by its lines and what was driven of it; `wanted` has mixes."""
    demand = question.demand
    search = MixSearch(ctx, made, demand, question.line, question.lines_s)
    mixes = search.measured(wanted.mixes)
    if not mixes:
        # Of several databases together some may ask for what the objective is about, and those of one node, or one set, not.
        notes = _once((*wanted.notes, *search.notes))
        return Judgement(cannot_tell(demand, question.line.slo, notes[-1].message), (), None, None, notes)
    driven = _replayed(question, search, mixes)
    notes = _once((*wanted.notes, *search.notes, *(() if driven is None else driven.notes)))
    if made.guard is not None and question.budget_s is not None:
        notes = (*notes, NOT_DRIVEN)
    decides = deciding(mixes, search.factor)
    verdict = without_bytes_of_ours(judge_mixes(demand, mixes, notes, driven), notes)
    verdict = _above_cache(demand, search, decides, verdict)
    verdict = _without_logs(demand, search, decides, verdict)
    lasting = endurance_note(demand, verdict.driven_s)
    if lasting is not None and verdict.carries is not False:
        notes = (*notes, lasting)
        verdict = verdict.model_copy(update={"notes": (*verdict.notes, lasting)})
    shown = decides.largest if decides.largest is not None and verdict.carries is False else decides
    return Judgement(of_several(demand, verdict), mixes, shown.line, driven, notes)


def _several(ctx: Context, question: Question, made: Opened, found: Judgement) -> Consolidation | None:
    """What is said of several databases; a set of them is judged in the same way as all of them."""
    if question.several is None:
        return None

    def judge_set(demand: Demand) -> tuple[Verdict, tuple[Measured, ...]] | None:
        wanted = workloads_of(demand)
        if ctx.cancel.is_set or made.guard is not None or not wanted.mixes:
            return None
        own = judgement(ctx, replace(question, demand=demand), wanted, made)
        return own.verdict, own.mixes

    return consolidated(ctx, question.several, found.verdict, found.mixes, judge_set)


def _above_cache(demand: Demand, search: MixSearch, decides: Measured, verdict: Verdict) -> Verdict:
    """A no that reads may have made which the operating system's cache answered is looked at again without them."""
    if verdict.carries is not False or not reads_are_bound(demand):
        return verdict
    sure = surely_asked(decides.workload, demand)
    if sure is None:
        return confirmed(verdict, demand, None)
    search.ctx.remark("line", "the demand is not carried; whether what surely reached its storage is")
    return confirmed(verdict, demand, search.refuses(sure))


def _without_logs(demand: Demand, search: MixSearch, decides: Measured, verdict: Verdict) -> Verdict:
    """A no of databases whose logs are all taken as the dearest of them is looked at again without the logs."""
    if verdict.carries is not False or not logs_are_bound(demand):
        return verdict
    rest = without_log(decides.workload)
    if rest is None or rest == decides.workload:
        return verdict if rest is not None else confirmed_without_log(verdict, None)
    search.ctx.remark("line", "they are not carried; whether they are without the writes of their logs")
    return confirmed_without_log(verdict, search.refuses(rest))


def _replayed(question: Question, search: MixSearch, mixes: tuple[Measured, ...]) -> Replay | None:
    """The demand's worst stretches, where there is time for them and the lines say how far to go."""
    ctx, made = search.ctx, search.made
    known = [mix for mix in mixes if mix.rate_iops is not None]
    if question.budget_s is None or not known or _is_interrupted(mixes) or made.guard is not None:
        return None
    expected = min((room for mix in known if (room := mix.headroom(search.factor))), default=None)
    left_s = max(0.0, question.budget_s - search.spent_s)
    return replay(ctx, Replayed(made, question.demand, question.line, expected, left_s), known)


def _is_interrupted(mixes: tuple[Measured, ...]) -> bool:
    """Whether the user ended it before all was measured; what a broken storage left unmeasured is another thing."""
    ended = any(mix.outcome in ("never_held", "failed") for mix in mixes)
    return any(mix.outcome == "interrupted" or (mix.outcome == "not_measured" and not ended) for mix in mixes)


def _once(notes: tuple[Note, ...]) -> tuple[Note, ...]:
    """Several lines say the same of one storage: each message once."""
    return tuple({(note.code, note.message): note for note in notes}.values())
