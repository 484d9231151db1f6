"""`plimsoll store tag` and `store note`: what people say of a stored run. What was measured stays as it is."""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll.base.errors import UsageError
from plimsoll.context import Context
from plimsoll.facts import Note, Run
from plimsoll.requests.shared import tags_of

SAID = "said"
"""Code of a note that a person wrote."""


def tag_run(ctx: Context, run_id: str, tags: Sequence[str], remove: bool = False) -> Run:
    """Adds tags or takes them away; one that is there already, or is not, is no mistake.

    Raises UsageError `tag-unreadable`, `tags-many`, and what loading raises.
    """
    words = tags_of(tags)

    def change(run: Run) -> Run:
        kept = [tag for tag in run.tags if tag not in words]
        changed = tuple(kept) if remove else tags_of((*run.tags, *words))
        return run.model_copy(update={"tags": changed})

    return ctx.store.retell(run_id, change)


def note_run(ctx: Context, run_id: str, text: str) -> Run:
    """Puts a note to the others of the run. Raises UsageError `note-empty`, and what loading raises."""
    if not text.strip():
        raise UsageError("note-empty", "the note says nothing", "Write it in quotes behind the run.")
    said = Note(code=SAID, message=text.strip())
    return ctx.store.retell(run_id, lambda run: run.model_copy(update={"notes": (*run.notes, said)}))
