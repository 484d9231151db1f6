"""The parser of the command line, typer's, made of the verbs: it reads their parameters as if they had been written out."""

from __future__ import annotations

import inspect
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from plimsoll import __version__
from plimsoll.base.errors import UsageError
from plimsoll.base.nearest import nearest
from plimsoll.cli import help
from plimsoll.cli.output import say
from plimsoll.cli.verbs import PROGRAM, Verb, find, module
from plimsoll.requests.asked import Field, typed_option


class Escaped(Exception):
    """Brings out, as it is, what the parser would make an exit of its own of: an interrupt, and a pipe that breaks anywhere."""

    def __init__(self, error: BaseException) -> None:
        super().__init__()
        self.error = error


class Shown(TyperCommand):
    """A command whose help is ours."""

    def invoke(self, ctx: Any) -> Any:
        """Raises what the command raises, and Escaped."""
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, OSError, SystemExit) as error:
            raise Escaped(error) from error

    def get_help(self, ctx: Any) -> str:
        return help.text(_verb_of(ctx))


def build_app(asked: str | None = None) -> typer.Typer:
    """The command line with every verb, or with the one that was asked."""
    app = typer.Typer(
        name=PROGRAM,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_top)
    top = Verb(())
    for name in top.members if asked is None else [asked] if asked in top.members else []:
        _add(app, top.member(name))
    return app


def _add(app: typer.Typer, verb: Verb) -> None:
    name = verb.words[-1]
    if not verb.is_group:
        _add_single(app, verb, name)
    else:
        below = typer.Typer(rich_markup_mode=None)
        below.callback()(_nothing)
        for member in verb.members:
            _add(below, verb.member(member))
        app.add_typer(below, name=name)


def _add_single(app: typer.Typer, verb: Verb, name: str) -> None:
    """A verb that does something. The parser knows no group that does, so that what is below one is a command of several words."""
    app.command(name, cls=_class(verb))(_with_parameters(verb))
    for member in verb.members:
        _add_single(app, verb.member(member), f"{name} {member}")


def joined(words: list[str]) -> list[str]:
    """The words as the parser reads them: those of a command of several words are one."""
    verb, rest = find(words)
    above = Verb(()).member(verb.words[0]) if verb.words else verb
    return words if above.is_group else [" ".join(verb.words), *rest]


def _class(verb: Verb) -> type[TyperCommand]:
    """What reads the words of a verb: one that takes another tool's command line has a class of its own."""
    own = getattr(module(verb.words[0]), "command_class", None)
    return Shown if own is None else type("ShownOwn", (Shown, own()), {})


def _nothing() -> None:
    """Keeps the action a word of its own where a group has one member."""


def _top(version: Annotated[bool, typer.Option("--version")] = False) -> None:
    if version:
        say(f"{PROGRAM} {__version__}")
        raise typer.Exit


def _with_parameters(verb: Verb) -> Any:
    """The command, with the parameters of its request."""
    parameters = (_CONTEXT, *map(_parameter, verb.fields))
    verb.action.__signature__ = inspect.Signature(parameters)
    verb.action.__annotations__ = {one.name: one.annotation for one in parameters}
    return verb.action


def _keyword(name: str, kind: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)


_CONTEXT = _keyword("typed", typer.Context)


def _parameter(field: Field) -> inspect.Parameter:
    """The parameter of a field. What is typed stays a word, which the request reads: so its errors are ours in both interfaces."""
    asked = field.asked
    told: dict[str, Any] = {"help": asked.help, "metavar": field.value_word or None}
    made = typer.Argument(**told) if asked.stands_first else typer.Option(*_names(field), **told)
    return _keyword(asked.parameter, Annotated[_kind(field), made], *_default(field))


def _names(field: Field) -> tuple[str, ...]:
    first, *others = field.asked.options
    no = f"/--no-{first[2:]}" if field.kind is bool and field.asked.off else ""
    return (first + no, *others)


def _kind(field: Field) -> Any:
    if field.is_repeated:
        return list[str] if field.is_required else list[str] | None
    if field.kind is bool:
        return bool | None if field.is_optional else bool
    return str if field.is_required else str | None


def _default(field: Field) -> tuple[Any, ...]:
    if field.is_required:
        return ()
    return (field.default if field.kind is bool else None,)


def _verb_of(context: Any) -> Verb:
    """The verb whose words a context reads; the first of its path is the program."""
    return find(context.command_path.split()[1:])[0]


def unknown_option(error: Any) -> UsageError:
    """What is said of an option that a verb does not have: the nearest that it has, or none."""
    verb = _verb_of(error.ctx)
    known = (
        {} if verb.is_group else {option: field for field in verb.fields for option in field.asked.options}
    )
    known |= (
        {} if verb.is_group else {f"--no-{one.asked.option[2:]}": one for one in verb.fields if one.asked.off}
    )
    near = nearest(error.option_name, [*known, "--help", *([] if verb.words else ["--version"])])
    meant = f"Did you mean {_shown_option(near, known)}? " if near else ""
    return UsageError("usage", f"no such option: {error.option_name}", f"{meant}See {verb.name} --help.")


def _shown_option(option: str, known: dict[str, Field]) -> str:
    """As help shows it: an option of an earlier release is called by its name of today."""
    field = known.get(option)
    is_old = field is not None and option in map(typed_option, field.asked.aliases)
    return field.asked.option if field is not None and is_old else option
