"""The columns of the table `runs`: what every run has, and what each kind of result is often asked for."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import TYPE_CHECKING, Any

from plimsoll.results import RunColumn, answer, kinds, kinds_of

if TYPE_CHECKING:
    from plimsoll.facts import Database, Run


def _database(run: Run) -> Database | None:
    held = run.proof or run.demand
    return held and held.database


_OF_EVERY_RUN = (
    RunColumn("id", "text", lambda run: run.id, required=True),
    RunColumn("kind", "text", lambda run: run.kind, required=True),
    RunColumn("title", "text", lambda run: run.title, required=True),
    RunColumn("started_at", "instant", lambda run: run.started_at, required=True),
    RunColumn("ended_at", "instant", lambda run: run.ended_at, required=True),
    RunColumn(
        "duration_s", "real", lambda run: (run.ended_at - run.started_at).total_seconds(), required=True
    ),
    RunColumn("interrupted", "boolean", lambda run: run.interrupted, required=True),
    RunColumn("result", "text", answer, required=True),
    RunColumn("tags", "text", lambda run: ",".join(run.tags) or None),
    RunColumn("plimsoll", "text", lambda run: run.provenance.plimsoll),
    RunColumn("hostname", "text", lambda run: run.provenance.host.hostname),
    RunColumn("target", "text", lambda run: run.target and run.target.path),
    RunColumn("database_kind", "text", lambda run: (of := _database(run)) and of.kind),
    RunColumn("database_name", "text", lambda run: (of := _database(run)) and of.name),
)


@cache
def run_columns() -> tuple[RunColumn, ...]:
    """All of them, those of the kinds in the order of their names."""
    return (*_OF_EVERY_RUN, *(column for _, kind in sorted(kinds().items()) for column in kind.columns))


def columns_of(run: Run) -> tuple[RunColumn, ...]:
    """Those that a run can have a value in: what every run has, and what its own kinds of results add."""
    return (*_OF_EVERY_RUN, *(column for kind in kinds_of(run.results) for column in kind.columns))


def values_of(run: Run, names: Collection[str]) -> dict[str, Any]:
    """What a run has in these columns, by their names."""
    return {column.name: column.of(run) for column in run_columns() if column.name in names}
