"""The verb `help`: what a verb does and how it is asked, on a terminal or as pages for man."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from plimsoll.cli.asking import asks
from plimsoll.cli.output import envelope, print_document, say, say_lines

if TYPE_CHECKING:
    from plimsoll.cli.place import Place
    from plimsoll.requests.help import HelpRequest

task = "help"


@asks("help.HelpRequest")
def command(asked: HelpRequest, place: Place) -> int:
    """Say what a verb does and how, with examples.

    plimsoll VERB --help says the same. A verb of several words takes them all: plimsoll help store list.
    """
    from plimsoll.base.errors import UsageError
    from plimsoll.cli import help
    from plimsoll.cli.verbs import named

    if asked.man is not None:
        if asked.words:
            raise UsageError("option-idle", "a verb would have no effect with --man", "Leave it out.")
        return _write(Path(asked.man), place.json)
    verb = named(asked.words)
    if place.json:
        print_document(envelope("help", {"verb": verb.name, "text": help.text(verb)}))
    else:
        say_lines(help.text(verb))
    return 0


def _write(folder: Path, json: bool) -> int:
    """Writes the pages, and names them. Raises WorldError `man-refused`; pages that were written before it stay."""
    from plimsoll.base.errors import world_error
    from plimsoll.cli import manual
    from plimsoll.ports.files import ensure_folder, write_text_atomically

    written: list[str] = []
    path = folder
    try:
        ensure_folder(folder)
        for name, text in manual.pages().items():
            path = folder / name
            write_text_atomically(path, text, manual.START)
            written.append(str(path))
    except OSError as error:
        raise world_error("man-refused", f"write {path}", error, "Name another folder.") from error
    if json:
        print_document(envelope("help-man", {"files": written}))
        return 0
    for path in written:
        say(path)
    return 0
