"""Entry point of `plimsoll`: finds the verbs, runs one, and turns whatever happens into the exit status of the contract."""

from __future__ import annotations

import importlib
import io
import os
import re
import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer

from plimsoll import __version__
from plimsoll.base import registry
from plimsoll.base.errors import ExitStatus, Interrupted, PlimsollError, UsageError
from plimsoll.cli import commands, output
from plimsoll.cli.asking import with_parameters, without_parameters
from plimsoll.cli.output import say, say_lines, talk

_CLICK_ERROR: type[Exception] = next(
    kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException"
)
"""The root of what the parser raises; releases of typer differ in where they keep it."""
_INNER_START = re.compile(r"': (?:Value error, )?(.)")
"""Where typer quotes the reason of a parser, which speaks in sentences."""

_EPILOG = "Exit status: 0 done, 1 the answer is no, 2 usage, 3 refused for safety, 4 the world failed, 5 done in part."


def build_app(asked: str | None = None) -> typer.Typer:
    """The command line with every verb of `commands/`; of all but the one that was asked, if one was, only name and help."""
    app = typer.Typer(
        name="plimsoll",
        help="Find out how much database load a piece of storage can carry, and what to do about it.",
        epilog=_EPILOG,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_top)
    for name in registry.names(commands):
        _add(app, name, is_whole=asked in (None, name))
    return app


def _add(app: typer.Typer, name: str, is_whole: bool) -> None:
    module = importlib.import_module(f"{commands.__name__}.{name.replace('-', '_')}")
    command: Any = module.command
    made = with_parameters if is_whole else without_parameters
    if isinstance(command, typer.Typer):
        app.add_typer(_group(command, made), name=name)
    else:
        # A verb that takes another tool's command line has a class of its own to read it.
        app.command(name, cls=getattr(module, "command_class", None) if is_whole else None)(made(command))


def _group(of: typer.Typer, made: Callable[[Any], Any]) -> typer.Typer:
    """A verb of several, each with its parameters made."""
    group = typer.Typer(help=of.info.help, no_args_is_help=True, rich_markup_mode=None)
    for one in of.registered_commands:
        group.command(one.name)(made(one.callback))
    return group


def _version(wanted: bool) -> None:
    if wanted:
        say(f"plimsoll {__version__}")
        raise typer.Exit


def _top(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and end.")
    ] = False,
) -> None:
    """Options that stand before the verb."""


def main() -> None:
    """Runs the command line and ends the process with its status. What it prints is UTF-8, also where the locale has no `µ`."""
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.encoding.lower() != "utf-8":
        sys.stdout.reconfigure(encoding="utf-8")
    # No plug-in of ours exists, and looking for some reads the metadata of every installed package.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    if any(sign in word.casefold() for word in sys.argv for sign in _SIGNS_OF_PASSWORDS):
        _hide_passwords()
    sys.exit(run(sys.argv[1:]))


_SIGNS_OF_PASSWORDS = (
    "@", "%", "pass", "pw", "secret", "token", "credential", "key", "identified", "login", "logon", "userid", ":/", "jdbc:",
    "--database", "--store",
)  # fmt: skip
"""No password can be told without one of them; commands that have none need not load what looks closer."""


def _hide_passwords() -> None:
    """Takes passwords out of what other users of this machine see of our arguments."""
    from plimsoll.base.redact import redact_all
    from plimsoll.ports.title import rewrite_arguments

    if redact_all(sys.argv) != sys.argv and not rewrite_arguments(redact_all):
        talk("note: this system does not let the password be hidden from ps; see docs/safety.md")


def run(words: list[str]) -> int:
    """Runs one command and returns its exit status; never raises."""
    output.begin(words)
    try:
        _check_words(words)
        result = build_app(words[0] if words else "")(words, prog_name="plimsoll", standalone_mode=False)
        return int(result or 0)
    except typer.Exit as ended:
        return ended.exit_code
    except _CLICK_ERROR as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            say_lines(error.format_message())  # type: ignore[attr-defined]
            return int(ExitStatus.USAGE)
        return output.fail(_as_usage_error(error), words)
    except (KeyboardInterrupt, typer.Abort):
        return output.fail(Interrupted(), words)
    except PlimsollError as error:
        return output.fail(error, words)
    except (BrokenPipeError, SystemExit):
        # The parser makes an exit with 1, which is an answer of ours, of a pipe that nobody reads.
        return _reader_left()
    except Exception as error:  # noqa: BLE001 - the last net: whatever falls into it is our own defect
        return output.own_defect(error, words)


def _check_words(words: list[str]) -> None:
    """That none is empty: as the name of a file it would mean the current folder. Raises UsageError `word-empty`."""
    for number, word in enumerate(words):
        empty = word == "" or (word.startswith("--") and word.endswith("="))
        if empty:
            after = f" after {words[number - 1]}" if word == "" and number else ""
            shown = f"{word} has no value" if word else f"an empty word was given{after}"
            raise UsageError("word-empty", shown, "If a variable of your shell stands there, it is empty.")


def _as_usage_error(error: Any) -> UsageError:
    message = _INNER_START.sub(lambda found: f"': {found[1].lower()}", error.format_message().rstrip("."))
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "plimsoll"
    return UsageError("usage", message[:1].lower() + message[1:], f"See {path} --help.")


def _reader_left() -> int:
    """The program that read our output has gone; nobody is left to be told."""
    sys.stdout = None
    return int(ExitStatus.WORLD_FAILED)
