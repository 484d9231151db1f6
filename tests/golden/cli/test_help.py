"""The help of every verb, word for word."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from plimsoll.cli.main import build_app
from transcript import assert_golden, transcribe

GOLDEN = Path(__file__).parent / "help"


def verbs(command: Any, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The words of every verb and group of verbs, beginning with none."""
    yield words
    for name, member in sorted(getattr(command, "commands", {}).items()):
        yield from verbs(member, (*words, name))


VERBS = list(verbs(typer.main.get_command(build_app())))


def golden(words: tuple[str, ...]) -> Path:
    return GOLDEN / f"{'-'.join(('plimsoll', *words))}.txt"


@pytest.mark.parametrize("words", VERBS, ids=[" ".join(words) or "plimsoll" for words in VERBS])
def test_help(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert_golden(golden(words), transcribe([*words, "--help"], capsys))


@pytest.mark.parametrize("words", VERBS, ids=[" ".join(words) or "plimsoll" for words in VERBS])
def test_short_and_long_help_are_the_same(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    short = transcribe([*words, "-h"], capsys)
    long = transcribe([*words, "--help"], capsys)
    assert short.splitlines()[1:] == long.splitlines()[1:]


def test_no_transcript_is_left_of_a_verb_that_went(capsys: pytest.CaptureFixture[str]) -> None:
    assert {path.name for path in GOLDEN.iterdir()} == {golden(words).name for words in VERBS}


@pytest.mark.parametrize("words", [(), ("store",)])
def test_a_verb_that_needs_words_shows_its_help(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    shown = transcribe(words, capsys)
    assert "Usage: plimsoll" in shown
    assert shown.endswith("[exit 2]\n")
