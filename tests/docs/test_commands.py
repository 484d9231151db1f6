"""Every command in the documents exists and parses, and the cheap ones do what is shown."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer

from command import here
from documents import HOW_TO, ROOT, Command, blocks, fits, inline
from plimsoll.cli.main import run
from plimsoll.cli.parser import build_app, joined

SHOWN = [command for command in blocks() if command.words[:1] == ["plimsoll"]]
MADE = [command for command in blocks() if command.words[:1] == ["make"]]


def _is_simulated(command: Command) -> bool:
    return any(word.startswith("sim:") for word in command.words)


SIMULATED = [command for command in SHOWN if _is_simulated(command) and not command.page.startswith(HOW_TO)]


def _ids(commands: list[Command]) -> list[str]:
    return [f"{command.page}: {command.text}" for command in commands]


PARSED = [
    command for command in SHOWN + inline() if not (command.output or ("",))[0].startswith("error: cannot")
]


@cache
def parser() -> Any:
    """Of all verbs; made once, as it is long in the making."""
    return typer.main.get_command(build_app())


@cache
def said(*words: str) -> str:
    """What a simulated command says, or what was wrong; asked once where several pages show it."""
    done = here(*words)
    return done.stderr if done.returncode else done.stdout


@pytest.mark.parametrize("command", PARSED, ids=_ids(PARSED))
def test_command_parses(command: Command) -> None:
    verb = parser()
    words = command.words[1:]
    words = words if "VERB" in words else joined(list(words))
    while hasattr(verb, "commands") and words and not words[0].startswith("-"):
        if words[0] == "VERB":
            return
        assert words[0] in verb.commands, f"{command.page} shows a verb that does not exist: {command.text}"
        verb, words = verb.commands[words[0]], words[1:]
    if words and not set(words) & {"-h", "--help", "--version"}:
        verb.make_context("plimsoll", list(words))


@pytest.mark.parametrize("command", MADE, ids=_ids(MADE))
def test_make_word_exists(command: Command) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    scripts = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "scripts").glob("*.sh"))
    for word in command.words[1:]:
        variable, given, _ = word.partition("=")
        assert f"${{{variable}" in scripts if given else f"\n{word}:" in makefile, word


@pytest.mark.parametrize("command", SIMULATED, ids=_ids(SIMULATED))
def test_simulated_command_says_what_is_shown(command: Command) -> None:
    text = said(*command.words[1:])
    assert fits(command.output or (), text), text


def test_real_measurements_of_each_page_run_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a small file and for a moment; what a page made earlier is there for what comes later, and nothing else is."""
    for page in dict.fromkeys(command.page for command in blocks()):
        folder = tmp_path / page.replace("/", "-")
        folder.mkdir()
        monkeypatch.chdir(folder)
        here = [command for command in blocks() if command.page == page and not _is_simulated(command)]
        for command in here:
            if command.words[0] == "truncate":
                subprocess.run(command.words, check=True)
            elif command.words[:2] == ["plimsoll", "io"] and not _needs_server(command):
                # A check may rightly find fault with so short a run, or with a busy machine, and then the status is 1.
                failed = run([*command.words[1:], *_small(command)]) not in (0, 1)
                assert failed == _shows_error(command), command.text
        named = {word for command in here for word in command.words}
        assert {path.name for path in folder.iterdir()} <= named, "scratch was left behind"


def _needs_server(command: Command) -> bool:
    """A file server, a mount of one, or other hosts."""
    return any(
        word.startswith(("nfs://", "/mnt/")) or word in ("--hosts", "--oranfstab") for word in command.words
    )


def _shows_error(command: Command) -> bool:
    return (command.output or ("",))[0].startswith("error:")


def _small(command: Command) -> list[str]:
    """Last words win: a small file, a short time, and an engine that every kernel has."""
    sizes = {"--prefill": "64m", ".": "8m"}  # a file that is named has to be as large as that
    size = next((["--size", size] for word, size in sizes.items() if word in command.words), [])
    return [*size, "--runtime", "0.1", "--engine", "psync", "--depth", "4"]
