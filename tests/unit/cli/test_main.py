"""Around a verb: passwords among the arguments, and how seldom a command is looked through for garbage."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence

import pytest

from command import command, here
from made_passwords import FORMS, passwords
from plimsoll.base.redact import LOCATION_OPTIONS, redact_word
from plimsoll.cli import main
from plimsoll.ports import title


@pytest.fixture(autouse=True)
def garbage() -> Iterator[None]:
    """Looked for as before, once a command has ended that did not end the process."""
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)
    gc.unfreeze()


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """What other users are shown in place of the arguments, each time that it changes."""
    made: list[list[str]] = []

    def rewrite(change: Callable[[Sequence[str]], list[str]]) -> bool:
        made.append(change(sys.argv))
        return True

    monkeypatch.setattr(title, "rewrite_arguments", rewrite)
    return made


def started(words: Sequence[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["plimsoll", *words])
    main.run_process()


@pytest.mark.parametrize(
    ("word", "seen"),
    [
        ("--database=me/tiger@db", "--database=me/***@db"),
        ("PGPASSWORD=tiger", "PGPASSWORD=***"),
        ("postgresql://me:tiger", "postgresql://me:***"),
        ("me%3Atiger%40db", "me%3A***"),
        ("pw=tiger", "pw=***"),
        ("--database=me/tiger", "--database=me/***"),
        ("--store=me/tiger", "--store=me/***"),
        ("--set=x=me/tiger@db", "--set=x=me/***@db"),
        ("userid=me/tiger", "userid=me/***"),
        ("identified by tiger", "identified by ***"),
        ("api-key: tiger", "api-key: ***"),
        ("credential=tiger", "credential=***"),
        ("jdbc:oracle:thin:me/tiger", "jdbc:oracle:thin:me/***"),
        ("oracle:/me/tiger", "oracle:/me/***"),
    ],
)
def test_arguments_with_a_password_are_rewritten(
    word: str, seen: str, shown: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    started(["frobnicate", word], monkeypatch)
    assert shown == [["plimsoll", "frobnicate", seen]]


@pytest.mark.parametrize("option", LOCATION_OPTIONS)
def test_a_login_without_a_host_is_rewritten_behind_its_option(
    option: str, shown: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    started(["frobnicate", option, "sys/tiger as sysdba"], monkeypatch)
    assert shown == [["plimsoll", "frobnicate", option, "sys/*** as sysdba"]]


def test_no_sign_of_a_password_is_passed_over() -> None:
    """The redaction is loaded only for words with a sign of one, so each word that it changes must have one."""
    for form in FORMS:
        for password in passwords(20, seed=9):
            word = form.make(password)
            if redact_word(word) != word:
                assert any(sign in word.casefold() for sign in main._SIGNS_OF_PASSWORDS), word


def test_other_arguments_are_left_alone(shown: list[list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    started(["frobnicate", "--rate=2k", "/data/a@b", "--slo", "p99=1ms"], monkeypatch)
    assert shown == []


def test_where_they_cannot_be_rewritten_the_user_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(title, "rewrite_arguments", lambda change: False)
    started(["frobnicate", "--database", "me/tiger@db"], monkeypatch)
    said = capsys.readouterr().err
    assert "ps" in said.splitlines()[0]
    assert "tiger" not in said


@pytest.mark.parametrize(
    "words",
    [
        ("io", ""), ("line", ""), ("calibrate", "sim:", ""), ("shapes", ""), ("read", ""), ("fio", ""), ("store", "show", ""),
        ("assess", "--demand", "", "--target", "sim:"), ("io", "sim:", "--events", ""), ("io", "sim:", "--store="),
        ("report", "latest", "-o", ""), ("demand", "--database", ""),
    ],
)  # fmt: skip
def test_an_empty_word_is_not_the_current_folder(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """`plimsoll io "$TARGET"` of an unset variable measured wherever one was, and `--events ''` was a traceback."""
    assert main.run([*words, "--json"]) == 2
    assert "word-empty" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--frob",), "no such option: --frob"),
        (("--json", "watch"), "no such option: --json"),
        (("--",), "missing command"),
        (("-q", "no-such-verb"), "no such option: -q"),
    ],
)
def test_options_before_the_verb_are_told(words: tuple[str, ...], said: str) -> None:
    done = here(*words)
    assert done.returncode == 2
    assert said in done.stdout + done.stderr


_STARTED = """
import atexit, gc, sys
from plimsoll.cli.main import main
atexit.register(lambda: print(sum(one["collections"] for one in gc.get_stats()), gc.get_freeze_count(), file=sys.stderr))
sys.argv = ["plimsoll", "read", "--schema"]
main()
"""


def test_a_command_is_not_looked_through_for_garbage_while_it_starts_and_when_it_ends() -> None:
    """More than a hundred times are what Python would look by itself."""
    told = subprocess.run([sys.executable, "-c", _STARTED], capture_output=True, text=True, check=True).stderr
    looks, left_alone = map(int, told.split())
    assert looks < 60
    assert left_alone > 10_000


@pytest.mark.parametrize("form", ["table", "json", "csv"])
def test_a_reader_that_left_is_no_failure(form: str) -> None:
    """As `head -1` may have left before the first line comes; nobody is left to be told of anything."""
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as pipe:
        done = subprocess.run(
            command("io", "sim:mean=100us", "--runtime", "100ms", "--format", form),
            stdout=pipe, stderr=subprocess.PIPE, text=True, timeout=60, check=False,
        )  # fmt: skip
    assert done.returncode == 141
    assert done.stderr == ""
    listed = here("store", "list", "--json")
    assert len(json.loads(listed.stdout)["data"]["runs"]) == 1, "what was measured is kept"


@pytest.mark.parametrize("words", [("help",), ("io", "--help"), ("completion", "bash"), ("store", "list")])
def test_a_reader_that_left_is_none_where_nothing_is_measured(words: Sequence[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as pipe:
        done = subprocess.run(
            command(*words), stdout=pipe, stderr=subprocess.PIPE, text=True, timeout=60, check=False
        )
    assert (done.returncode, done.stderr) == (141, "")


INTERRUPTED_WHILE_LOADING = """
import os, signal, sys
from plimsoll import __main__ as command
awaited = sys.argv.pop(1)
class Interrupts:
    def find_spec(self, name, path=None, target=None):
        if name == awaited:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupts())
command.main()
"""


@pytest.mark.parametrize(
    "module",
    ["plimsoll.cli.main", "plimsoll.base.errors", "pydantic", "plimsoll.cli.session", "plimsoll.flows.watch"],
)
def test_ctrl_c_while_modules_are_loaded_ends_the_command_and_is_no_defect(module: str) -> None:
    done = subprocess.run(
        (sys.executable, "-c", INTERRUPTED_WHILE_LOADING, module, "watch", "--runtime", "1s"),
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "error: interrupted\n")
