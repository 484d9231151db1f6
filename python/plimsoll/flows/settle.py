"""`plimsoll settle`: a verdict is a prediction, and a later demand says what became of it. And the list of all of them."""

from __future__ import annotations

from typing import Any

from plimsoll.base.errors import UsageError
from plimsoll.context import Context
from plimsoll.facts import PredictionSummary, Run
from plimsoll.flows.demand import load_demand
from plimsoll.flows.record import record
from plimsoll.predict.settlement import settle
from plimsoll.requests.settle import SettleRequest

_PREDICTED = ("id", "started_at", "title", "target", "database_name", "verdict", "headroom")
_SETTLED = ("id", "started_at", "settles", "settled", "settled_error", "result")


def settle_prediction(ctx: Context, asked: SettleRequest) -> Run:
    """Compares, stores and returns the run. Raises UsageError `prediction-none`, and what the reading of a demand raises."""
    started_at = ctx.clock.now()
    run = ctx.store.load(asked.run)
    if run.verdict is None or run.demand is None:
        hint = "Runs of plimsoll assess do; see plimsoll store predictions."
        raise UsageError("prediction-none", f"run {run.id} holds no verdict on a demand", hint)
    later = load_demand(ctx, asked.demand)
    found = settle(run, later, ctx.clock.now(), asked.renamed)
    return record(
        ctx,
        "settle",
        f"what became of {run.id}: {run.title}",
        started_at,
        target=run.target,
        demand=later,
        settlement=found,
        notes=(*later.notes, *found.notes),
    )


def predictions(ctx: Context, limit: int | None = None) -> list[PredictionSummary]:
    """Every stored verdict, newest first, once for each run that settles it. Of other runs nothing is read."""
    settled: dict[str, list[dict[str, Any]]] = {}
    for row in ctx.store.columns(_SETTLED, known="settles"):
        settled.setdefault(row["settles"], []).append(row)
    verdicts = ctx.store.columns(_PREDICTED, known="verdict")[:limit]
    return [_summary(row, of) for row in verdicts for of in settled.get(row["id"], [None])]


def _summary(row: dict[str, Any], settled: dict[str, Any] | None) -> PredictionSummary:
    of = settled or {}
    return PredictionSummary(
        run=row["id"],
        predicted_at=row["started_at"],
        title=row["title"],
        target=row["target"],
        database=row["database_name"],
        predicted=row["verdict"],
        headroom=row["headroom"],
        state=of.get("settled") or "open",
        settled_by=of.get("id"),
        settled_at=of.get("started_at"),
        observed=of.get("result"),
        error_share=of.get("settled_error"),
    )
