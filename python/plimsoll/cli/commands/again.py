"""The verb `again`: what a stored run was asked, asked once more."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from plimsoll.base.errors import UsageError
from plimsoll.cli.asking import answer, asks

if TYPE_CHECKING:
    from plimsoll.cli.place import Place
    from plimsoll.requests.again import AgainRequest


task = "keep"


@asks("again.AgainRequest")
def command(asked: AgainRequest, place: Place) -> int:
    """Repeat a stored run with the same options.

    Options and folder are those of its command; store and events are those of this one.
    Without a seed offsets are drawn anew; a permission to destroy is given anew.
    """
    from plimsoll.cli.output import talk
    from plimsoll.flows.again import words_again
    from plimsoll.store import open_store

    run = open_store(place.store).load(asked.run)
    request, words = words_again(run, asked)
    talk(f"again, in {request.folder}: {run.provenance.command}")
    place = place.from_here()
    _go_to(request.folder)
    return answer(_command_of(request.verb), words, place)


def _go_to(folder: str) -> None:
    try:
        os.chdir(folder)
    except OSError as error:
        raise UsageError(
            "request-folder", f"cannot go to {folder}, where it was asked", "Type the command again."
        ) from error


def _command_of(verb: str) -> Any:
    from plimsoll.cli.verbs import find

    return find(verb.split())[0].action
