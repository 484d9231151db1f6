"""A password that was typed is found nowhere afterwards: 2,000 of them, in every form, through every verb that takes a location.

Nobody listens where these commands are sent, so each fails at once and says so; test_secrets_servers.py has servers that answer.
What is looked through: standard output and error, the store, events, journals, names of files. A piece of six signs is a leak.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from made_passwords import FORMS, Form, Password, fits_command, leaked, passwords, pieces_of
from overheard import at_home_in, everything_in, said
from plimsoll import databases

COUNT = 2000
PARTS = 20
"""So that each part ends well within a test's time."""

DATABASE_COMMANDS = (
    "demand --runtime 1 --database {}",
    "demand --runtime 1 --json --database={}",
    "assess --target sim: --json --database {}",
    "prove slob --database {}",
    "prove slob status --json --database {}",
    "prove order-entry --database {} --json",
    "prove tpch --database {}",
    "PLIMSOLL_DATABASE={} demand --runtime 1",
    "PLIMSOLL_DATABASE={} prove slob status --json",
)
STORE_COMMANDS = (
    "store list --store {}",
    "store show latest --json --store {}",
    "store export latest --store={}",
    "report latest --store {}",
    "read {F}/report.txt --json --store {}",
    "io sim: --runtime 1ms --warm-up 0 --events {F}/events --store {}",
    "io sim: --runtime 1ms --warm-up 0 --json --store {}",
    "PLIMSOLL_STORE={} store list --json",
    "PLIMSOLL_STORE={} io sim: --runtime 1ms --warm-up 0 --events -",
)
OTHER_COMMANDS = (
    "demand {}",
    "read {} --json",
    "io {}",
    "line sim: {}",
    "import {} --json",
    "fio {}",
    "report {}",
    "store show {} --json",
    "assess --target {} --demand {F}/none.json",
    "assess --target sim: --demand {} --json",
    "demand --password {}",
    "demand --databse={} --json",
    "io sim: --slo {}",
    "io sim: --rate {}",
    "line sim: --slo {} --json",
)
"""Where no login is expected, and one was typed all the same."""


_FAILED = (1, 2, 4, 5)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with what the commands read."""
    at_home_in(tmp_path, monkeypatch)
    (tmp_path / "report.txt").write_text("no report\n", encoding="utf-8")
    return tmp_path


def words_of(command: str, word: str, folder: Path) -> list[str]:
    """The command with the word in its place, whatever signs it has."""
    return [part.replace("{F}", str(folder)).replace("{}", word) for part in command.split()]


def uses() -> Iterator[tuple[str, Form, Password]]:
    """Each password once, in a form that fits it, through a command that form is for: in turn all forms through all commands.

    What did not fit one password is the first that is tried with the next.
    """
    anywhere = (*DATABASE_COMMANDS, *STORE_COMMANDS, *OTHER_COMMANDS)
    turns = [
        (form, command)
        for command in anywhere
        for form in FORMS
        if fits_command(form, command in DATABASE_COMMANDS, command in STORE_COMMANDS)
    ]
    for password in passwords(COUNT):
        turn = next(number for number, (form, _) in enumerate(turns) if form.fits(password.text))
        form, command = turns.pop(turn)
        turns.append((form, command))
        yield command, form, password


@pytest.fixture(scope="module")
def used() -> list[tuple[str, Form, Password]]:
    """All uses, which take a second to draw."""
    return list(uses())


def test_all_forms_go_through_all_commands(used: list[tuple[str, Form, Password]]) -> None:
    """The test below would say little otherwise."""
    pairs = {(command, form.name) for command, form, _ in used}
    assert len(pairs) > 0.9 * len(FORMS) * len((*DATABASE_COMMANDS, *STORE_COMMANDS, *OTHER_COMMANDS))


@pytest.mark.parametrize("part", range(PARTS))
def test_no_output_shows_a_password(
    part: int, used: list[tuple[str, Form, Password]], here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = used[part::PARTS]
    for command, form, password in tried:
        word = form.make(password)
        words = words_of(command, word, here)
        text = said(words, monkeypatch, _FAILED)
        assert text, words
        assert leaked(text, password.pieces) == set(), (words, text)
    assert leaked(everything_in(here), pieces_of(password for *_, password in tried)) == set()


DEFECTS: tuple[Callable[[str, Password], Exception], ...] = (
    lambda word, _: ValueError(f"no such word: {word}"),
    lambda word, _: KeyError(word),
    lambda word, _: UnicodeEncodeError("latin-1", word, 0, 1, "ordinal not in range"),
    lambda word, _: OSError(2, "No such file or directory", word),
    lambda word, _: ValueError(f"input_value={word[:25]!r}...{word[-25:]!r}"),
    lambda word, _: RuntimeError({"location": word}),
    lambda word, _: RuntimeError(word.encode()),
)
"""Ways in which a defect of ours, or of a library, could quote what it stumbled over."""


@pytest.mark.parametrize("json", [[], ["--json"]])
def test_our_own_defects_show_no_password(
    json: list[str], here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forms = [form for form in FORMS if form.is_url]
    for number, password in enumerate(passwords(140, seed=7)):
        form, defect = forms[number % len(forms)], DEFECTS[number % len(DEFECTS)]
        if not form.fits(password.text):
            continue
        word = form.make(password)
        stumbled = defect(word, password)

        def fail(*_: Any, error: Exception = stumbled, wrapped: bool = number % 2 == 0) -> None:
            if not wrapped:
                raise error
            raise TypeError("while another was handled") from error

        monkeypatch.setattr(databases, "find", fail)
        text = said(["demand", "--runtime", "1", *json, "--database", word], monkeypatch, (70,))
        assert "Traceback" in text
        pieces = {piece for piece in password.pieces if not piece.isalpha()}
        assert leaked(text, pieces) == set(), (word, text)


@pytest.mark.parametrize("verb", ["read", "io", "demand"])
def test_a_password_that_running_text_could_not_tell_is_known_by_the_command(
    verb: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The end of a line would end it in any message."""
    text = said([verb, "postgresql://me:hunter\nw2xx@db/x"], monkeypatch, _FAILED)
    assert "me:***@db/x" in text
    assert "w2xx" not in text


def test_bytes_that_are_no_text_are_told_without_the_password(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A terminal may send anything, and a percent sign any byte."""
    raw = os.fsdecode(b"se\xffcr3t-9x")
    for scheme in ("postgresql", "mysql", "oracle"):
        for secret in (raw, "se%FFcr3t-9x"):
            url = f"{scheme}://me:{secret}@127.0.0.1:1/shop"
            text = said(["demand", "--database", url, "--json"], monkeypatch, (2, 4))
            assert "cr3t-9x" not in text
            assert f"{scheme}://me:***@" in text or "me@127.0.0.1:1/shop" in text
