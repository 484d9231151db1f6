"""Makes a command of a request and a function: what is typed becomes a request, which the function is handed.

Nothing of a request is loaded before its verb is asked for, and the parser (`plimsoll.cli.parser`) only where words are to be read.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from plimsoll.base.values import changed
from plimsoll.cli import forms
from plimsoll.cli.place import Place

if TYPE_CHECKING:
    from plimsoll.requests.asked import Field

_TYPED = "COMMANDLINE"
_MARK, _ANSWER = "request", "answer"

R = TypeVar("R")
Verb = Callable[[R, Place], int]


def asks(name: str) -> Callable[[Verb[R]], Callable[..., int]]:
    """A command of the request of this name in `plimsoll.requests`, such as `line.LineRequest`: the function gets the request, and
    where to answer.
    """

    def made(function: Verb[R]) -> Callable[..., int]:
        def command(typed: Any, **values: Any) -> int:
            from plimsoll.cli.options import options_of

            request = _request(name)
            own = {field.asked.word: _taken(field, values) for field in options_of(request)}
            tags = _tags(own.get("tag"))
            given = {name: value for name, value in values.items() if _is_typed(typed, name)}
            asked = request.of_words(given)
            return function(asked, changed(forms.placed(own, asked), tags=tags))

        command.__doc__ = function.__doc__
        command.__dict__[_MARK] = name
        command.__dict__[_ANSWER] = function
        return command

    return made


def answer(command: Any, words: Mapping[str, Any], place: Place) -> int:
    """Does what a command that is made of a request does when these words are typed. Raises UsageError."""
    asked = request_of(command).of_words(words)
    return answering(command)(asked, changed(place, asked=asked))


def answering(command: Any) -> Callable[..., int]:
    """The function that a command was made of by `asks`."""
    found: Callable[..., int] = getattr(command, _ANSWER)
    return found


def request_of(command: Any) -> type[Any]:
    """The request of which a command is made."""
    return _request(getattr(command, _MARK))


def _request(name: str) -> type[Any]:
    module, _, kind = name.rpartition(".")
    return getattr(importlib.import_module(f"plimsoll.requests.{module}"), kind)


def _taken(field: Field, values: dict[str, Any]) -> Any:
    """What was typed for an option that every verb has. Raises UsageError where it cannot be."""
    value = values.pop(field.asked.word)
    field.check(value)
    return value


def _tags(words: list[str] | None) -> tuple[str, ...]:
    """Those that were typed. Raises UsageError."""
    from plimsoll.requests.shared import tags_of

    return tags_of(words or ())


def _is_typed(typed: Any, name: str) -> bool:
    source = typed.get_parameter_source(name)
    return source is not None and source.name == _TYPED
