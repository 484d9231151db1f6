"""Help: examples that parse, old words that it does not show, near misses, and a narrow terminal."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest
import typer

import command
from plimsoll.base.errors import PlimsollError
from plimsoll.cli import help, main, verbs
from plimsoll.cli.parser import build_app, joined
from plimsoll.requests.asked import Request

VERBS = list(verbs.single())
EXAMPLES = [(verb, words) for verb in VERBS for _, words in verb.request.examples]


@cache
def parser() -> Any:
    return typer.main.get_command(build_app())


def parsed(words: list[str]) -> Request:
    """The request that the real parser and the verb's class make of words."""
    verb, rest = verbs.find(words)
    command = parser()
    for word in joined(list(verb.words)):
        command = command.commands[word]
    context = command.make_context(verb.name, rest)
    typed = {
        name: value
        for name, value in context.params.items()
        if context.get_parameter_source(name).name == "COMMANDLINE"
    }
    return verb.request.of_words({name: typed[name] for name in typed.keys() - {"json", "events", "store"}})


@pytest.mark.parametrize(("verb", "words"), EXAMPLES, ids=[words for _, words in EXAMPLES])
def test_an_example_can_be_asked(verb: verbs.Verb, words: str) -> None:
    typed = shlex.split(words)
    assert isinstance(parsed(typed[: typed.index(">")] if ">" in typed else typed), verb.request)
    assert f"    plimsoll {words}\n" in help.text(verb) + "\n"


def test_every_verb_has_examples() -> None:
    assert [verb.name for verb in VERBS if not verb.request.examples] == []


def test_help_shows_every_word_of_today_and_none_of_yesterday() -> None:
    for verb in VERBS:
        shown = set(re.findall(r"(?<![\w-])--[a-z-]+", help.text(verb)))
        aliases = {f"--{alias.replace('_', '-')}" for field in verb.fields for alias in field.asked.aliases}
        assert {field.asked.option for field in verb.fields if not field.asked.stands_first} <= shown
        assert not shown & aliases
        assert not re.search(r"<(int|float|str|list)\b|\(\d+[a-z]*\)", help.text(verb))


def test_every_verb_stands_under_what_it_is_for() -> None:
    text = help.text(verbs.Verb(()))
    sections = re.split(r"^(\S.*):$", text, flags=re.MULTILINE)
    under = dict(zip(sections[1::2], sections[2::2], strict=True))
    for name in verbs.Verb(()).members:
        (title,) = [title for title, rows in under.items() if re.search(rf"^  {name}\b", rows, re.MULTILINE)]
        assert title == verbs.TASKS[verbs.task(name)]


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ("stoer", "Did you mean plimsoll store? See plimsoll --help."),
        ("store lits", "Did you mean plimsoll store list? See plimsoll store --help."),
        ("frobnicate", "See plimsoll --help."),
        ("help lien", "Did you mean plimsoll line? See plimsoll --help."),
        ("io sim: --rutnime 5", "Did you mean --runtime? See plimsoll io --help."),
        ("prove slob --run-tiem 5", "Did you mean --runtime? See plimsoll prove slob --help."),
        ("io sim: --frobnicate", "See plimsoll io --help."),
        ("io sim: --no-drect", "Did you mean --no-direct? See plimsoll io --help."),
        ("prove tpch --scale", "See plimsoll prove tpch --help."),
        ("--versoin", "Did you mean --version? See plimsoll --help."),
    ],
)
def test_a_near_miss_is_told_and_nothing_far_off(
    words: str, hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run(words.split()) == 2
    assert capsys.readouterr().err.splitlines()[-1] == f"hint: {hint}"


@pytest.mark.parametrize("words", ["", "store", "io", "prove slob"])
def test_three_ways_to_ask_say_the_same(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    said = []
    for typed in (["help", *words.split()], [*words.split(), "--help"], [*words.split(), "-h"]):
        assert main.run(typed) == 0
        said.append(capsys.readouterr().out)
    assert said[0] == said[1] == said[2]


def test_help_is_found_behind_other_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["io", "sim:", "--depth", "4", "--help"]) == 0
    assert capsys.readouterr().out.rstrip("\n") == help.text(verbs.named(["io"]))


@pytest.mark.parametrize("columns", ["20", "40", "200"])
def test_lines_fit_a_terminal_and_commands_are_whole(columns: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    width = min(80, max(40, int(columns)))
    for verb in verbs.every():
        before, _, examples = help.text(verb).partition("\nExamples:\n")
        for line in before.splitlines():
            words = line.strip().split()
            assert len(line) <= width or len(words) == 1 or line.strip().startswith("-"), line
        if not verb.is_group:
            assert all(command in examples for _, command in help.examples(verb))


def test_what_is_no_verb_is_refused_in_help_too() -> None:
    with pytest.raises(PlimsollError, match="plimsoll io has no verb 'now'"):
        verbs.named(["io", "now"])


@pytest.mark.parametrize("level", ["1", "2"])
@pytest.mark.parametrize(
    "words", [("--help",), ("store", "--help"), ("help", "host", "slice"), ("io", "--help")]
)
def test_help_is_the_same_without_docstrings(words: Sequence[str], level: str) -> None:
    told = command.plimsoll(*words, PYTHONOPTIMIZE=level)
    assert (told.returncode, told.stderr) == (0, "")
    assert told.stdout == command.plimsoll(*words).stdout


def test_without_docstrings_and_source_help_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(function: object) -> str:
        raise OSError("could not get source code")

    for verb in VERBS:
        with monkeypatch.context() as only:
            only.setattr(verb.action, "__doc__", None)
            assert verb.paragraphs[0].endswith(".")
            assert "PYTHONOPTIMIZE" not in verb.paragraphs[0], verb.name
            only.setattr("inspect.getsource", nothing)
            assert verb.paragraphs == [
                "What it does is not told here, as Python was started without docstrings (PYTHONOPTIMIZE=2)."
            ]
            assert verb.paragraphs[0] in " ".join(help.text(verb).split())
