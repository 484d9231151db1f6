"""Makes a function of a verb's request: its parameters are the words of the command line, each with what may stand there."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar

from plimsoll.api._surroundings import Listener, surroundings
from plimsoll.base.errors import UsageError
from plimsoll.context import Cancel, Context
from plimsoll.requests.asked import Field, Request, fields_of

R = TypeVar("R", bound=Request)
T = TypeVar("T")
_EMPTY = inspect.Parameter.empty


def asks(of: type[R], **own: Any) -> Callable[[Callable[[Context, R], T]], Callable[..., T]]:
    """A function of this verb. What stands first on a command line may be given by place, all else by its word.

    `own` is what the function asks for where nothing else is said. It also takes `store` (nothing is stored unless it names a
    place), `listen` (hears each event) and `cancel` (ends it early).
    """

    def made(function: Callable[[Context, R], T]) -> Callable[..., T]:
        @wraps(function)
        def call(
            *first: Any,
            store: str | None = None,
            listen: Listener | None = None,
            cancel: Cancel | None = None,
            **words: Any,
        ) -> T:
            asked = of.of_words({**own, **_placed(of, first, words), **words})
            with surroundings(asked, function.__name__, store, listen, cancel) as ctx:
                return function(ctx, asked)

        result = inspect.signature(function).return_annotation
        call.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [*(_parameter(field, own) for field in fields_of(of)), *_AROUND], return_annotation=result
        )
        call.__doc__ = "\n".join([inspect.getdoc(function) or "", "", *map(_line, fields_of(of))])
        return call

    return made


def _placed(of: type[R], first: tuple[Any, ...], words: Mapping[str, Any]) -> dict[str, Any]:
    names = [field.asked.word for field in fields_of(of) if field.asked.stands_first]
    if len(first) > len(names):
        raise UsageError(
            "usage", f"{of.verb} takes {len(names)} by place, not {len(first)}", "Name the others."
        )
    placed = dict(zip(names, first, strict=False))
    missing = [
        field.asked.word
        for field in fields_of(of)
        if field.is_required and field.asked.word not in {**placed, **words}
    ]
    if missing:
        raise UsageError("usage", f"{of.verb} wants a {missing[0]}", f"See help(plimsoll.{of.verb}).")
    return placed


def _parameter(field: Field, own: Mapping[str, Any]) -> inspect.Parameter:
    default = own.get(field.asked.word, _EMPTY if field.is_required else field.default)
    kind = (
        inspect.Parameter.POSITIONAL_OR_KEYWORD
        if field.asked.stands_first
        else inspect.Parameter.KEYWORD_ONLY
    )
    return inspect.Parameter(field.asked.word, kind, default=default, annotation=_said_kind(field))


def _said_kind(field: Field) -> Any:
    """Words are taken where there is a unit, and paths where there is a name."""
    kind = field.kind | str if field.asked.unit else field.kind
    return kind | None if field.is_optional else kind


_AROUND = [
    inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
    for name, kind in (("store", "str | None"), ("listen", "Listener | None"), ("cancel", "Cancel | None"))
]


def _line(field: Field) -> str:
    shown = field.default_typed
    default = f" Default: {shown}." if shown and field.kind is not bool else ""
    return f"{field.asked.word}: {field.asked.help}{default}"
