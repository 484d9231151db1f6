"""The help of every verb, word for word."""

from __future__ import annotations

from pathlib import Path

import pytest

from plimsoll.cli import verbs
from transcript import assert_golden, transcribe

GOLDEN = Path(__file__).parent / "help"


VERBS = [verb.words for verb in verbs.every()]


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
