"""Makes a Run of what a flow measured and stores it. A store that fails loses nothing: the run is returned with a note."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from plimsoll.base.errors import PlimsollError
from plimsoll.base.until_safe import NOT_STORED
from plimsoll.context import Context
from plimsoll.facts import Note, Run
from plimsoll.facts.run import RunKind
from plimsoll.flows.retell import tag_run
from plimsoll.host.provenance import provenance
from plimsoll.results import kinds_of, load_all
from plimsoll.store.ids import new_run_id


def get_ready(kind: RunKind, store_is_ready: bool) -> None:
    """Loads what recording a run of this kind takes, for a flow that has to end soon once it is asked to: who sends TERM does not
    wait for long. Other kinds of results stay away where the store is ready (`Store.check`): to make it so takes all of them.
    """
    import plimsoll.store.sqlite  # noqa: F401
    from plimsoll.native import allocator

    kinds_of((kind,))
    if not store_is_ready:
        load_all()
    allocator.give_back()  # what was read of modules, which stays in memory as long as such a flow lasts


def record(ctx: Context, kind: RunKind, title: str, started_at: datetime, **parts: Any) -> Run:
    """The stored run. `parts` are fields of Run."""
    return saved(ctx, make_run(ctx, kind, title, started_at, **parts))


def make_run(
    ctx: Context,
    kind: RunKind | Literal["compare"],
    title: str,
    started_at: datetime,
    *,
    id: str | None = None,
    ended_at: datetime | None = None,
    **parts: Any,
) -> Run:
    """The run, not stored; `id` None: a new one, `ended_at` None: now. A comparison is never stored."""
    kinds_of(parts)  # one of them may have its class in the kind's file
    return Run(
        id=id or new_run_id(started_at),
        kind=kind,
        title=title,
        started_at=started_at,
        ended_at=ended_at or ctx.clock.now(),
        provenance=provenance(ctx.command),
        request=ctx.request,
        tags=ctx.tags,
        **parts,
    )


def saved(ctx: Context, run: Run, known: Note | None = None) -> Run:
    """The run, stored; `known` is said of one whose id is that of its content and was stored before."""
    try:
        ctx.store.save(run)
    except PlimsollError as error:
        if known is not None and error.id == "run-exists":
            return _known(ctx, run, known)
        message = f"the result was not stored: {error.message}"
        ctx.remark("store", message, warning=True)
        return run.model_copy(update={"notes": (*run.notes, Note(code=NOT_STORED, message=message))})
    return run


def _known(ctx: Context, run: Run, note: Note) -> Run:
    """The run that is stored already, with the tags that were asked for now beside its own."""
    if run.tags:
        run = run.model_copy(update={"tags": tag_run(ctx, run.id, run.tags).tags})
    return run.model_copy(update={"notes": (*run.notes, note)})
