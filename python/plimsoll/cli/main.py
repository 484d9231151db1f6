"""Entry point of `plimsoll`: finds the verbs, runs one, and turns whatever happens into the exit status of the contract."""

from __future__ import annotations

import gc
import io
import os
import sys
from typing import Any, NoReturn

from plimsoll import __version__
from plimsoll.base.errors import ExitStatus, Interrupted, PlimsollError, UsageError, WorldError
from plimsoll.cli import ctrl_c, output
from plimsoll.cli.leaving import leave
from plimsoll.cli.output import ReaderLeft, say, say_lines, say_rows, talk
from plimsoll.cli.shells import ASK
from plimsoll.cli.verbs import PROGRAM, Verb, find, is_plain, named, stays


def main() -> NoReturn:
    """What `plimsoll` starts: runs the command line, and ends the process with its status."""
    leave(run_process())


def run_process() -> int:
    """Runs the command line of this process and returns its status. What it prints is UTF-8, also where the locale has no `µ`."""
    ctrl_c.heed()
    look_for_garbage_seldom()
    output.begin_streams()
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.encoding.lower() != "utf-8":
        sys.stdout.reconfigure(encoding="utf-8")
    # No plug-in of ours exists, and looking for some reads the metadata of every installed package.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    if any(sign in word.casefold() for word in sys.argv for sign in _SIGNS_OF_PASSWORDS):
        _hide_passwords()
    status = run(sys.argv[1:])
    output.end_talk()
    if output.is_given_up():
        from plimsoll.ports.processes import drop_standard_output

        drop_standard_output()
    gc.freeze()  # or all that is left would be looked through once more as the process ends
    return status


_GARBAGE_AFTER = 50_000
"""So many objects more than were given up, instead of 700."""


def look_for_garbage_seldom() -> None:
    """What a command loads stays until its end. To look through it for garbage again and again was a third of the time to start."""
    gc.set_threshold(_GARBAGE_AFTER)


_MEMORY_HINT = "Give it more (ulimit -v, limits of the control group), or ask for less at once."
_SIGNS_OF_PASSWORDS = (
    "@", "%", "pass", "pw", "secret", "token", "credential", "key", "identified", "login", "logon", "userid", ":/", "jdbc:",
    "--database", "--store", "--prometheus",
)  # fmt: skip
"""No password can be told without one of them; commands that have none need not load what looks closer."""


def _hide_passwords() -> None:
    """Takes passwords out of what other users of this machine see of our arguments."""
    from plimsoll.base.redact import redact_all
    from plimsoll.ports.title import rewrite_arguments

    if redact_all(sys.argv) != sys.argv and not rewrite_arguments(redact_all):
        talk("note: this system does not let the password be hidden from ps; see docs/safety.md")


def run(words: list[str]) -> int:
    """Runs one command and returns its exit status; never raises. All that it printed has been taken when it returns."""
    output.begin(words)
    status = int(ExitStatus.DONE)
    try:
        status = _ran(words)
        output.flush()
    except ReaderLeft:
        # Nobody is left to be told, and nothing has failed by that; how the command ended is told all the same.
        return status or int(ExitStatus.READER_LEFT)
    except WorldError as error:
        return output.fail(error, words)
    return status


def _ran(words: list[str]) -> int:
    """The status of the command. Raises ReaderLeft, and WorldError where its error cannot be printed either."""
    try:
        if words[:1] == [ASK]:
            return _complete(words[1:])
        _check_words(words)
        shown = _only_shown(words)
        return _parsed(words) if shown is None else shown
    except KeyboardInterrupt:
        return output.fail(Interrupted(), words)
    except PlimsollError as error:
        return output.fail(error, words)
    except MemoryError:
        return output.fail(WorldError("memory-short", "memory does not suffice", _MEMORY_HINT), words)
    except ReaderLeft:
        raise
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the last net: whatever falls into it is our own defect
        return output.own_defect(error, words)


def _only_shown(words: list[str]) -> int | None:
    """The status of what needs no parser: a version, and help; None of all else. Raises UsageError where there is no such verb."""
    if words[:1] == ["help"] and not any(word.startswith("-") for word in words):
        say_lines(_help(named(words[1:])))
        return int(ExitStatus.DONE)
    verb, rest = find(words)
    if not verb.words and rest[:1] == ["--version"]:
        say(f"{PROGRAM} {__version__}")
        return int(ExitStatus.DONE)
    if rest[:1] in (["-h"], ["--help"]):
        say_lines(_help(verb))
        return int(ExitStatus.DONE)
    if verb.is_group and not rest:
        say_lines(_help(verb))
        return int(ExitStatus.USAGE)
    return None


def _help(verb: Verb) -> str:
    from plimsoll.cli import help

    return help.text(verb)


def _complete(words: list[str]) -> int:
    from plimsoll.cli.completion import answer

    say_rows(answer(words))
    return int(ExitStatus.DONE)


def _load(name: str) -> None:
    """Loads what every verb takes, and as little of it as the verb of this name lets."""
    from plimsoll.cli import small

    if stays(name):
        small.keep_small()
    elif is_plain(name):
        small.load_little()
    else:
        small.load_pydantic()


def _parsed(words: list[str]) -> int:
    """Has the parser read the words, and does what they say. Raises PlimsollError, ReaderLeft, and what the command raises."""
    _load(words[0])
    if is_plain(words[0]):
        from plimsoll.cli.plain import read_plainly

        verb, rest = find(words)
        if (values := read_plainly(verb, rest)) is not None:
            return int(verb.action(**values) or 0)
    import typer

    from plimsoll.cli.parser import Escaped, build_app, joined

    try:
        result = build_app(words[0])(joined(words), prog_name=PROGRAM, standalone_mode=False)
        return int(result or 0)
    except Escaped as escaped:
        raise escaped.error from escaped
    except SystemExit as ended:
        # The parser's own words, its help for one, were not read to the end; what commands raise comes as Escaped.
        raise ReaderLeft from ended
    except typer.Exit as ended:
        return ended.exit_code
    except typer.Abort as error:
        raise Interrupted from error
    except Exception as error:
        if not isinstance(error, _refusals()):
            raise
        raise _as_usage_error(error, find(words)[0].name) from error


def _refusals() -> type[Exception]:
    """The root of what the parser raises; releases of typer differ in where they keep it."""
    import typer

    return next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")


def _check_words(words: list[str]) -> None:
    """That none is empty: as the name of a file it would mean the current folder. Raises UsageError `word-empty`."""
    for number, word in enumerate(words):
        empty = word == "" or (word.startswith("--") and word.endswith("="))
        if empty:
            after = f" after {words[number - 1]}" if word == "" and number else ""
            shown = f"{word} has no value" if word else f"an empty word was given{after}"
            raise UsageError("word-empty", shown, "If a variable of your shell stands there, it is empty.")


def _as_usage_error(error: Any, name: str) -> UsageError:
    if type(error).__name__ == "NoSuchOption":
        from plimsoll.cli.parser import unknown_option

        return unknown_option(error)
    message = " ".join(error.format_message().split()).rstrip(".")
    return UsageError("usage", message[:1].lower() + message[1:], f"See {name} --help.")
