"""Makes a function of a verb's request: its parameters are those of the command line, each with what may stand there."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Any, TypeVar

from plimsoll.api._surroundings import Listener, surroundings
from plimsoll.base.errors import UsageError
from plimsoll.context import Cancel, Context
from plimsoll.requests.asked import BYTES, RATE, SECONDS, Field, Request, fields_of
from plimsoll.requests.shared import tags_of

R = TypeVar("R", bound=Request)
T = TypeVar("T")
_EMPTY = inspect.Parameter.empty


def asks(of: type[R], **own: Any) -> Callable[[Callable[[Context, R], T]], Callable[..., T]]:
    """A function of this verb. What stands first on a command line may be given by place, all else by its word.

    `own` is what the function asks for where nothing else is said. It also takes `store` (nothing is stored unless it names a
    place), `tag` (where it may keep a run), `listen` (hears each event) and `cancel` (ends it early).
    """

    def made(function: Callable[[Context, R], T]) -> Callable[..., T]:
        @wraps(function)
        def call(
            *first: Any,
            store: str | None = None,
            tag: str | Iterable[str] = (),
            listen: Listener | None = None,
            cancel: Cancel | None = None,
            **words: Any,
        ) -> T:
            asked = of.of_words({**own, **_placed(of, first, words), **words})
            tags = _tags(of, tag, store)
            with surroundings(asked, function.__name__, store, listen, cancel, tags) as ctx:
                return function(ctx, asked)

        result = inspect.signature(function).return_annotation
        call.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [*(_parameter(field, own) for field in fields_of(of)), *_parameters_around(of)],
            return_annotation=result,
        )
        call.__doc__ = _told(of, inspect.getdoc(function) or "", result)
        call.__dict__[_REQUEST] = of
        return call

    return made


def request_of(function: Any) -> type[Request] | None:
    """The request that a function is made of; None for others."""
    return getattr(function, _REQUEST, None)


_REQUEST = "plimsoll_request"


def _told(of: type[Request], about: str, result: str) -> str:
    """The function's docstring: what it does, each word with its unit, what comes back, errors; its example stays last."""
    text, mark, example = about.partition("\nExample:\n")
    lines = [text.rstrip(), "", "Args:", *(f"    {_line(field)}" for field in fields_of(of))]
    lines += [f"    {name}: {meaning}" for name, (_, _, meaning) in _around(of).items()]
    lines += ["", "Returns:", f"    {result}"]
    lines += [
        "",
        "Raises:",
        "    PlimsollError: With `id`, `message` and `hint`, as the command line says them.",
    ]
    return "\n".join([*lines, *(["", mark.strip(), example] if mark else [])])


def _tags(of: type[Request], tag: str | Iterable[str], store: str | None) -> tuple[str, ...]:
    """Those of the run that is kept. Raises UsageError `option-idle`, `tag-unreadable`, `tags-many`."""
    tags = tags_of([tag] if isinstance(tag, str) else tag)
    if tags and not of.keeps_runs:
        raise UsageError(
            "option-idle", f"tag would have no effect with {of.verb}: it keeps no run", "Leave it out."
        )
    if tags and store is None:
        raise UsageError("option-idle", "tag would have no effect without store", "Name a store.")
    return tags


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
    return inspect.Parameter(field.asked.parameter, kind, default=default, annotation=_said_kind(field))


def _parameters_around(of: type[Request]) -> list[inspect.Parameter]:
    return [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
        for name, (default, kind, _) in _around(of).items()
    ]


def _said_kind(field: Field) -> Any:
    """Words are taken where there is a unit, and paths where there is a name."""
    kind = field.kind | str if field.asked.unit else field.kind
    return kind | None if field.is_optional else kind


_AROUND: dict[str, tuple[Any, str, str]] = {
    "store": (
        None,
        "str | None",
        (
            "File or postgresql:// URL that keeps the run. Default: the run is not kept, and stored runs are those of the"
            " default store."
        ),
    ),
    "tag": (
        (),
        "str | Iterable[str]",
        "A tag of the kept run, or several, to find it and to compare by them. Default: it has none.",
    ),
    "listen": (
        None,
        "Listener | None",
        "Called with each event: Progress, Live, Remark or Tick. Default: nobody hears them.",
    ),
    "cancel": (
        None,
        "Cancel | None",
        "Ends it early when it is set, and what was measured is kept. Default: it runs to its end.",
    ),
}
"""What functions take besides the words of their verb: default, type, and what it means."""


def _around(of: type[Request]) -> dict[str, tuple[Any, str, str]]:
    """Those that a function of this verb takes."""
    return {name: told for name, told in _AROUND.items() if name != "tag" or of.keeps_runs}


_UNITS = {
    BYTES: "In bytes, or words such as '8k' and '1g'.",
    SECONDS: "In seconds, or words such as '500ms' and '2h'.",
    RATE: "Per second, or words such as '20k'.",
}


def _line(field: Field) -> str:
    asked = field.asked
    unit = _UNITS.get(asked.unit, "") if asked.unit is not None else ""
    default = f"Default: {field.default_typed}." if field.default_typed and field.kind is not bool else ""
    return f"{asked.parameter}: {' '.join(part for part in (asked.help, unit, default) if part)}"
