"""Reads the words of a command without the parser, where each is an option in full and nothing is left to be asked.

The parser takes 2 MB and a tenth of a second to load, which a verb that stays beside a database (`stays`) had for its whole time.
It says what is wrong with words, too: wherever these are not as plain as can be, it is what reads them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from plimsoll.base.values import value

if TYPE_CHECKING:
    from plimsoll.cli.verbs import Verb
    from plimsoll.requests.asked import Field


_STREAM = "-"
"""In place of a file: standard input, output or error."""


@value
class _Source:
    """Where a value is from, by the parser's name for it."""

    name: str


@value
class Typed:
    """Which parameters were typed, as the parser's context tells a command."""

    names: frozenset[str]

    def get_parameter_source(self, name: str) -> _Source:
        return _Source("COMMANDLINE" if name in self.names else "DEFAULT")


def read_plainly(verb: Verb, words: Sequence[str]) -> dict[str, Any] | None:
    """What a verb's command is called with for the words that follow it; None where the parser has to read them."""
    if verb.is_group:
        return None
    fields = {option: field for field in verb.fields for option in field.asked.options}
    if any(field.is_required or field.asked.stands_first for field in fields.values()):
        return None
    values = {field.asked.parameter: field.default if field.kind is bool else None for field in verb.fields}
    given: dict[str, Any] = {}
    waiting = list(words)
    while waiting:
        word, is_joined, value = waiting.pop(0).partition("=")
        field = fields.get(word)
        if field is None or not word.startswith("--") or not _add(given, field, is_joined, value, waiting):
            return None
    return {"typed": Typed(frozenset(given)), **values, **given}


def _add(given: dict[str, Any], field: Field, is_joined: str, value: str, waiting: list[str]) -> bool:
    """Adds the value of an option, which may be the next word; False where that is not plain."""
    name = field.asked.parameter
    if name in given and not field.is_repeated:
        return False
    if field.kind is bool:
        given[name] = True
        return not is_joined
    if not is_joined:
        if not waiting or (waiting[0].startswith("-") and waiting[0] != _STREAM):
            return False
        value = waiting.pop(0)
    if field.is_repeated:
        given.setdefault(name, []).append(value)
    else:
        given[name] = value
    return True
