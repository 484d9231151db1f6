"""What cannot be asked is refused in our words, by every field of every request: option, what was given, what may be, example."""

from __future__ import annotations

import re
import shlex
from typing import Any

import pytest

from plimsoll.base.errors import UsageError
from plimsoll.cli import main, verbs
from plimsoll.requests.asked import Field, fields_of
from plimsoll.requests.io import IoRequest

VERBS = list(verbs.single())
FIELDS = [(verb, field) for verb in VERBS for field in verb.fields]
"""Those of the verb's request, and those of its answer."""
OWN = [(verb, field) for verb in VERBS for field in fields_of(verb.request)]
NUMBERS = [(verb, field) for verb, field in OWN if field.kind in (int, float) and not field.is_whole]
CHOICES = [(verb, field) for verb, field in FIELDS if field.choices]
WRITTEN = [(verb, field) for verb, field in OWN if field.asked.is_written]


def named(one: object) -> str:
    return one.name.replace(" ", "-") if isinstance(one, verbs.Verb | Field) else str(one)


def words_with(verb: verbs.Verb, field: Field, word: str) -> list[str]:
    """A command line of the verb, with this word for the field."""
    words = {one.asked.word: _any(one) for one in fields_of(verb.request) if one.is_required} | {
        field.asked.word: word
    }
    known = {one.asked.word: one for one in verb.fields}
    first = [given for name, given in words.items() if known[name].asked.stands_first]
    options = [
        part
        for name, given in words.items()
        if not known[name].asked.stands_first
        for part in (known[name].asked.option, given)
    ]
    return [*verb.words, *first, *options]


def _any(field: Field) -> str:
    """A word that may stand for a field that must be given."""
    return "1d" if field.asked.unit else field.choices[0] if field.choices else "sim:"


def refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    """The error and its hint."""
    capsys.readouterr()
    assert main.run(words) == 2
    told = capsys.readouterr()
    assert told.out == ""
    message, hint = told.err.splitlines()
    return message.removeprefix("error: "), hint.removeprefix("hint: ")


@pytest.mark.parametrize(("verb", "field"), NUMBERS, ids=named)
@pytest.mark.parametrize("word", ["abc", "-5q", "nan"])
def test_no_number(verb: verbs.Verb, field: Field, word: str, capsys: pytest.CaptureFixture[str]) -> None:
    message, hint = refused(words_with(verb, field, word), capsys)
    assert message.startswith(f"{field.asked.option_or_name}: ")
    assert f"'{word}'" in message
    assert hint.startswith("Write it like " if field.asked.unit else "Give ")
    assert field.asked.unit is not None or field.example in hint


BOUNDED = [
    (verb, field, beyond)
    for verb, field in NUMBERS
    for beyond in (
        *(() if field.asked.low is None else (field.asked.low - 1,)),
        *(() if field.asked.high is None else (field.asked.high + 1,)),
    )
]


@pytest.mark.parametrize(("verb", "field", "beyond"), BOUNDED, ids=named)
def test_out_of_bounds(
    verb: verbs.Verb, field: Field, beyond: float, capsys: pytest.CaptureFixture[str]
) -> None:
    word = f"{beyond:.10g}"
    message, hint = refused(words_with(verb, field, word), capsys)
    assert message.startswith(f"{field.asked.option_or_name}: ")
    assert word in message
    assert field.asked.unit is not None or hint == f"Give {field.asked.bounds}, such as {field.example}."


@pytest.mark.parametrize(("verb", "field"), CHOICES, ids=named)
def test_none_of_the_choices(verb: verbs.Verb, field: Field, capsys: pytest.CaptureFixture[str]) -> None:
    message, hint = refused(words_with(verb, field, "frog"), capsys)
    known = ", ".join(map(str, field.choices))
    assert message == f"{field.asked.option_or_name}: 'frog' is none of {known}"
    assert hint == f"Name one of them, such as {field.example}."


def test_the_nearest_of_the_choices_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    message, hint = refused(["completion", "bsh"], capsys)
    assert message == "shell: 'bsh' is none of bash, zsh, fish"
    assert hint == "Did you mean bash or zsh? Name one of them, such as bash."


@pytest.mark.parametrize(("verb", "field"), WRITTEN, ids=named)
def test_a_dash_is_no_file_to_write(
    verb: verbs.Verb,
    field: Field,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Any,
) -> None:
    monkeypatch.chdir(tmp_path)
    message, hint = refused(words_with(verb, field, "-"), capsys)
    assert message.startswith(
        f"{field.asked.option}: '-' names no {(field.asked.metavar or '').lower()}, and "
    )
    assert "./-" in hint
    assert list(tmp_path.iterdir()) == []


def test_every_option_that_goes_to_a_file_is_written() -> None:
    """But those whose help says that a dash is a stream."""
    named = {field.asked.option for _, field in OWN if field.asked.word in ("out", "html", "man")}
    assert named == {field.asked.option for _, field in WRITTEN}
    assert all(field.asked.is_written for _, field in OWN if field.asked.option in named)
    assert {field.value_word for _, field in FIELDS if field.asked.word in ("fio_json", "events")} == {
        "FILE|-"
    }


@pytest.mark.parametrize(("verb", "field"), [*NUMBERS, *CHOICES], ids=named)
def test_the_example_may_be_asked(verb: verbs.Verb, field: Field) -> None:
    word = shlex.split(field.example)[-1]
    field.check(field.value(word))


@pytest.mark.parametrize(
    ("depth", "said"),
    [
        (0, "0 is out of bounds"),
        *((one, f"'{one}' is not a whole number") for one in (2.5, "many", True, [4])),
    ],
)
def test_a_value_in_python_is_refused_in_the_same_words(depth: Any, said: str) -> None:
    with pytest.raises(UsageError, match=re.escape(f"--depth: {said}")):
        IoRequest.of_words({"target": "sim:", "depth": depth})


def test_a_budget_of_a_verdict_in_virtual_time_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    message, hint = refused(
        ["assess", "--target", "sim:mean=100us", "--demand", "d.json", "--budget", "30s"], capsys
    )
    assert "--budget would have no effect on a simulated target" in message
    assert hint == "Leave it out."
