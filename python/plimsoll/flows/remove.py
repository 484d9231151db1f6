"""`plimsoll store delete` and `prune`: takes runs out of the store, or says which it would take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from plimsoll.context import Context
from plimsoll.facts import RunSummary
from plimsoll.flows.wanted import check_kind, moment_before


@dataclass(frozen=True)
class Removal:
    """`freed_bytes` is None of what was only looked at."""

    runs: tuple[RunSummary, ...]
    freed_bytes: int | None


def remove(ctx: Context, names: Sequence[str], dry_run: bool) -> Removal:
    """The named runs, each by its id, a unique beginning of it, or `latest`. None of them where one is unknown."""
    found = {run.id: run for run in map(ctx.store.find, names)}
    return _removed(ctx, list(found.values()), dry_run)


def prune(ctx: Context, older_than_s: float, kind: str | None, dry_run: bool) -> Removal:
    """Runs that began longer ago than that, of one kind or of all. Raises UsageError `kind-unknown`."""
    check_kind(ctx, kind)
    before = moment_before(ctx, older_than_s)
    older = [run for run in ctx.store.summaries() if run.started_at < before and kind in (None, run.kind)]
    return _removed(ctx, older, dry_run)


def _removed(ctx: Context, runs: Sequence[RunSummary], dry_run: bool) -> Removal:
    if dry_run or not runs:
        return Removal(tuple(runs), None)
    return Removal(tuple(runs), ctx.store.delete([run.id for run in runs]))
