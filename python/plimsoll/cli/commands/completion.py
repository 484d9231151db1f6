"""The verb `completion`: what makes a shell complete our words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plimsoll.cli.asking import asks
from plimsoll.cli.output import envelope, print_document, say_lines

if TYPE_CHECKING:
    from plimsoll.cli.place import Place
    from plimsoll.requests.completion import CompletionRequest

task = "help"


@asks("completion.CompletionRequest")
def command(asked: CompletionRequest, place: Place) -> int:
    """Print a script that completes verbs, options and values.

    Values are what is there: stored runs, engines, databases, files. The script asks the command itself at each press of Tab.
    """
    from plimsoll.cli.shells import SCRIPTS

    script = SCRIPTS[asked.shell]
    if place.json:
        print_document(envelope("completion", {"shell": asked.shell, "script": script}))
    else:
        say_lines(script.rstrip("\n"))
    return 0
