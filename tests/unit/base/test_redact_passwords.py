"""No password survives in any of the forms in which one is typed."""

from __future__ import annotations

import shlex

import pytest

from made_passwords import FORMS, Form, Password, leaked, passwords
from plimsoll.base.redact import (
    redact,
    redact_all,
    redact_command,
    redact_database,
    redact_knowing,
    redact_line,
    redact_word,
)

COUNT = 1000


@pytest.fixture(scope="module")
def some() -> list[Password]:
    return list(passwords(COUNT))


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_no_form_shows_a_password(form: Form, some: list[Password]) -> None:
    fitting = [password for password in some if form.fits(password.text)]
    assert len(fitting) > COUNT // 2, "most passwords fit each form"
    for password in fitting:
        word, pieces = form.make(password), password.pieces
        shown = redact_database(word)
        assert leaked(shown, pieces) == set(), (word, shown)
        assert redact_database(shown) == shown
        if form.where != "database":
            shown = redact_word(word, location=True)
            assert leaked(shown, pieces) == set(), (word, shown)
        if form.where == "anywhere":
            assert leaked(redact_word(word), pieces) == set(), word


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_no_command_shows_a_password(form: Form, some: list[Password]) -> None:
    for password in [password for password in some[::10] if form.fits(password.text)]:
        word, pieces = form.make(password), password.pieces
        words = ["plimsoll", "demand", "--database", word, "--runtime", "1"]
        line = redact_command(words)
        assert leaked(line, pieces) == set(), (word, line)
        assert redact_line(line) == line
        assert shlex.split(line) == redact_all(words)
        told = redact_knowing(f"no {word!r} or {word} or {word.replace('//', '/')}", words)
        assert leaked(told, pieces) == set(), (word, told)


@pytest.mark.parametrize("form", [form for form in FORMS if form.is_url], ids=lambda form: form.name)
def test_no_text_shows_a_piece_of_what_is_known(form: Form, some: list[Password]) -> None:
    """But for stretches of plain letters, which may be any word."""
    for password in [password for password in some[::10] if form.fits(password.text)]:
        words = ["demand", "--database", form.make(password)]
        told = redact_knowing(f"it is {password.text}, or {password.text[:7]}… or {password.encoded}", words)
        assert leaked(told, {piece for piece in password.pieces if not piece.isalpha()}) == set(), words


TEXT_FORMS = [form for form in FORMS if form.name.endswith(("encoded", "-single", "json", "dictionary"))]


@pytest.mark.parametrize("form", TEXT_FORMS, ids=lambda form: form.name)
def test_no_text_shows_what_is_quoted_well(form: Form, some: list[Password]) -> None:
    """Where the end of the password is certain, running text is as safe as a word."""
    for password in some[::5]:
        if form.fits(password.text) and "\n" not in password.text:
            text = f"first line\ncannot use {form.make(password)} here: connection refused"
            assert leaked(redact(text), password.pieces) == set(), text
