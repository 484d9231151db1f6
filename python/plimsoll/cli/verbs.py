"""The verbs as the command line knows them: found in the folder `commands`, described by their requests.

Parser, help, completion, manual pages and the reference page are all made of what is here.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from plimsoll.base import registry
from plimsoll.base.errors import UsageError
from plimsoll.base.nearest import did_you_mean
from plimsoll.base.values import value
from plimsoll.cli.asking import answering, request_of
from plimsoll.cli.group import Group

if TYPE_CHECKING:
    from plimsoll.requests.asked import Field, Request

PROGRAM = "plimsoll"
_COMMANDS = "plimsoll.cli.commands"
"""Named, and not imported: commands may ask for verbs."""
TASKS = {
    "measure": "Measure what storage supplies",
    "learn": "Learn what databases demand",
    "judge": "Judge whether the one carries the other",
    "prove": "Prove it on a real database",
    "keep": "Keep results, and look at them",
    "help": "Find your way",
}
"""What verbs are for, in the order in which help shows them; each file in `commands` names its task."""


@value
class Verb:
    """A verb by the words that are typed for it, or a group of verbs; without words, the program."""

    words: tuple[str, ...]
    command: Any = None

    @property
    def name(self) -> str:
        """`plimsoll store list`."""
        return " ".join((PROGRAM, *self.words))

    @property
    def is_group(self) -> bool:
        """Whether another word must follow."""
        return self.action is None

    @property
    def action(self) -> Any:
        """What it does when no further verb is named; None where one must be."""
        return self.command.own if isinstance(self.command, Group) else self.command

    @property
    def members(self) -> list[str]:
        """The words of which one must follow."""
        if self.command is None:
            return registry.names(importlib.import_module(_COMMANDS))
        return list(self.command.members) if isinstance(self.command, Group) else []

    def member(self, word: str) -> Verb:
        """The verb that this word adds."""
        return Verb((*self.words, word), self.command.members[word] if self.words else module(word).command)

    @property
    def paragraphs(self) -> list[str]:
        """What it does; the first is one sentence."""
        if self.command is None:
            return ["Find out how much database load a piece of storage can carry, and what to do about it."]
        told = self.command.help if self.is_group else inspect.getdoc(self.action) or _in_source(self.action)
        return [" ".join(part.split()) for part in (told or _UNTOLD).split("\n\n")]

    @property
    def request(self) -> type[Request]:
        """What can be asked of it."""
        return request_of(self.action)

    @property
    def fields(self) -> tuple[Field, ...]:
        """Its arguments and options."""
        from plimsoll.cli.options import options_of
        from plimsoll.requests.asked import fields_of

        return (*fields_of(self.request), *options_of(self.request))


_UNTOLD = "What it does is not told here, as Python was started without docstrings (PYTHONOPTIMIZE=2)."


def _in_source(action: Any) -> str | None:
    """What a verb does, as its source tells it: for a Python that was started without docstrings. None where there is no source."""
    import ast
    import textwrap

    try:
        source = inspect.getsource(answering(action))
    except OSError:
        return None
    function = ast.parse(textwrap.dedent(source)).body[0]
    return ast.get_docstring(function) if isinstance(function, ast.FunctionDef) else None


def task(name: str) -> str:
    """What the verb of this name is for, one of `TASKS`."""
    return module(name).task


def stays(name: str) -> bool:
    """Whether the verb of this name, which may be none, runs beside a database for long (`plimsoll.cli.small`)."""
    return name in Verb(()).members and getattr(module(name), "stays", False)


def is_plain(name: str) -> bool:
    """Whether plain words of the verb of this name are read without the parser (`plimsoll.cli.plain`): of one that stays, and of
    one whose file has `plain = True`, as it is over before the parser would be loaded."""
    return stays(name) or (name in Verb(()).members and getattr(module(name), "plain", False))


def find(words: Sequence[str]) -> tuple[Verb, list[str]]:
    """The verb that words begin with, and the words that follow. Raises UsageError where no verb has such a name."""
    verb, rest = Verb(()), list(words)
    while rest and rest[0] in verb.members:
        verb = verb.member(rest.pop(0))
    if verb.is_group and rest and not rest[0].startswith("-"):
        raise _unknown(verb, rest[0])
    return verb, rest


def named(words: Sequence[str]) -> Verb:
    """The verb that these words name, all of them. Raises UsageError."""
    verb, rest = find(words)
    if rest:
        raise UsageError("usage", f"{verb.name} has no verb '{rest[0]}'", f"See {verb.name} --help.")
    return verb


def _unknown(verb: Verb, word: str) -> UsageError:
    meant = did_you_mean(word, verb.members, f"{verb.name} ")
    return UsageError("usage", f"no such command '{word}'", f"{meant}See {verb.name} --help.")


def every(verb: Verb | None = None) -> Iterator[Verb]:
    """Each verb and each group of them, beginning with the program or that one."""
    verb = verb or Verb(())
    yield verb
    for word in sorted(verb.members):
        yield from every(verb.member(word))


def single() -> Iterator[Verb]:
    """Each verb that does something: no groups."""
    return (verb for verb in every() if not verb.is_group)


def module(name: str) -> Any:
    """The file of the verb of this name."""
    return importlib.import_module(f"{_COMMANDS}.{name.replace('-', '_')}")
