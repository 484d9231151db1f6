"""The verb `again`: what a stored run was asked, asked once more."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from plimsoll.base.errors import UsageError
from plimsoll.cli.asking import answer, asks

if TYPE_CHECKING:
    from plimsoll.cli.place import Place
    from plimsoll.facts import Run, StoredRequest
    from plimsoll.requests.again import AgainRequest


task = "keep"


@asks("again.AgainRequest")
def command(asked: AgainRequest, place: Place) -> int:
    """Ask again what a stored run was asked.

    The words are those of its command, in its folder; store and events are those of this one.
    Without a seed offsets are drawn anew; a permission to destroy is given anew.
    """
    from plimsoll.cli.output import talk
    from plimsoll.store import open_store

    run = open_store(place.store).load(asked.run)
    request = _request_of(run)
    anew = {"database": asked.database, "destroy": asked.destroy}
    words = {**request.words, **_given(run, request, anew)}
    talk(f"again, in {request.folder}: {run.provenance.command}")
    place = place.from_here()
    _go_to(request.folder)
    return answer(_command_of(request.verb), words, place)


def _request_of(run: Run) -> StoredRequest:
    if run.request is None:
        hint = f"It was: {run.provenance.command}"
        raise UsageError("request-unknown", f"run {run.id} keeps no request that could be repeated", hint)
    return run.request


def _given(run: Run, request: StoredRequest, words: dict[str, Any]) -> dict[str, Any]:
    """What takes the place of words that are not kept. Raises UsageError where one is missing."""
    given = {word: value for word, value in words.items() if value}
    missing = [word for word in request.left_out if word not in given]
    if missing:
        names = " and ".join(f"--{word}" for word in missing)
        message = f"{names} of run {run.id} is not kept, for its password or its permission to destroy"
        raise UsageError("request-left-out", message, f"Give it anew, with {names}.")
    return given


def _go_to(folder: str) -> None:
    try:
        os.chdir(folder)
    except OSError as error:
        raise UsageError(
            "request-folder", f"cannot go to {folder}, where it was asked", "Type the command again."
        ) from error


def _command_of(verb: str) -> Any:
    from plimsoll.cli.verbs import find

    return find(verb.split())[0].command
