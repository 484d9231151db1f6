"""Makes a verb's parameters of its request: typer reads them as if they had been written out."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from plimsoll.cli import forms, options
from plimsoll.cli.place import Place

if TYPE_CHECKING:
    from plimsoll.requests.asked import Asked, Field, Request

_TYPED = "COMMANDLINE"
_MARK, _ANSWER = "request", "answer"


R = TypeVar("R")
Verb = Callable[[R, Place], int]


def asks(name: str) -> Callable[[Verb[R]], Callable[..., int]]:
    """A command of the request of this name in `plimsoll.requests`, such as `line.LineRequest`: the function gets the request, and
    where to answer. Nothing is loaded of it before `with_parameters`.
    """

    def made(function: Verb[R]) -> Callable[..., int]:
        def command(typed: typer.Context, **values: Any) -> int:
            own = {word: values.pop(word, None) for word in ("json", forms.WORD, "table", "events", "store")}
            given = {name: value for name, value in values.items() if _is_typed(typed, name)}
            asked = _request(name).of_words(given)
            return function(asked, forms.placed(own, asked))

        command.__doc__ = function.__doc__
        command.__dict__[_MARK] = name
        command.__dict__[_ANSWER] = function
        return command

    return made


def answer(command: Any, words: Mapping[str, Any], place: Place) -> int:
    """Does what a command that is made of a request does when these words are typed. Raises UsageError."""
    asked = _request(getattr(command, _MARK)).of_words(words)
    return getattr(command, _ANSWER)(asked, replace(place, asked=asked))


def with_parameters(command: Any) -> Any:
    """The command, with the parameters of its request where it is made of one."""
    name = getattr(command, _MARK, None)
    if name is not None:
        from plimsoll.requests.asked import fields_of

        request = _request(name)
        parameters = (_CONTEXT, *map(_parameter, fields_of(request)), *_place(request))
        command.__signature__ = inspect.Signature(parameters)
        command.__annotations__ = {one.name: one.annotation for one in parameters}
    return command


def without_parameters(command: Any) -> Any:
    """What stands for a command where only its name and its help are shown."""

    def shown() -> None:
        raise AssertionError("only the verb that was typed is run")

    shown.__doc__ = command.__doc__
    return shown


def _request(name: str) -> type[Any]:
    module, _, kind = name.rpartition(".")
    return getattr(importlib.import_module(f"plimsoll.requests.{module}"), kind)


def _is_typed(typed: typer.Context, name: str) -> bool:
    source = typed.get_parameter_source(name)
    return source is not None and source.name == _TYPED


def _keyword(name: str, kind: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)


_CONTEXT = _keyword("typed", typer.Context)
_JSON = _keyword("json", options.Json, False)
_FORMAT = _keyword(forms.WORD, options.Format, None)
_TABLE = _keyword("table", options.Table, None)
_EVENTS = _keyword("events", options.Events, None)


def _place(request: type[Request]) -> tuple[inspect.Parameter, ...]:
    """What says where the answer goes, and how. A verb that writes files has a `--format` of its own."""
    from plimsoll.requests.asked import fields_of

    own = {field.asked.word for field in fields_of(request)}
    form = [] if "format" in own else [_FORMAT]
    table = [] if request.tables == () else [_TABLE]
    return (_JSON, *form, *table, *([_EVENTS] if request.tells_events else []), _store(request))


def _store(request: type[Request]) -> inspect.Parameter:
    """Where runs are kept; a request may tell it otherwise."""
    if request.store_help is None:
        return _keyword("store", options.StorePlace, None)
    told = typer.Option("--store", metavar="PLACE", help=request.store_help, show_default=False)
    return _keyword("store", Annotated[str | None, told], None)


def _parameter(field: Field) -> inspect.Parameter:
    """The parameter of a field. What is typed for a field with a unit stays a word, which the request reads."""
    asked = field.asked
    told: dict[str, Any] = {"help": asked.help, "metavar": asked.metavar or (asked.unit and asked.unit.word)}
    if field.kind in (int, float) and asked.unit is None:
        told |= {"min": asked.low, "max": asked.high}
    shown = True if asked.shown is None else asked.shown or False
    if asked.stands_first:
        kind = Annotated[_kind(field), typer.Argument(**told, show_default=asked.shown is not None)]
    else:
        kind = Annotated[_kind(field), typer.Option(*_names(asked, field), **told, show_default=shown)]
    return _keyword(asked.word, kind, *_default(field))


def _names(asked: Asked, field: Field) -> tuple[str, ...]:
    no = f"/--no-{asked.option[2:]}" if field.kind is bool and asked.off else ""
    return (asked.option + no, *([asked.short] if asked.short else []))


def _kind(field: Field) -> Any:
    if field.is_repeated:
        return list[str] if field.is_required else list[str] | None
    kind = str if field.asked.unit else field.kind
    return kind | None if field.is_optional or field.is_whole else kind


def _default(field: Field) -> tuple[Any, ...]:
    if field.is_required:
        return ()
    return (None,) if field.holds_many or field.is_whole else (field.default,)
