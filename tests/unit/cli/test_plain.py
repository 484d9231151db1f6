"""What is read without the parser is what the parser reads, and whatever is not plain is left to it."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest
import typer

from plimsoll.cli import parser
from plimsoll.cli.plain import read_plainly
from plimsoll.cli.verbs import find, is_plain, module, named, single, stays

PLAIN = [
    "watch",
    "watch --json",
    "watch --runtime 30s --every 2s",
    "watch --for 30s",
    "watch --runtime=30s --role=lgwr=x --file=",
    "watch --role kernel --role checkpointer --device sda --device nvme0n1",
    "watch --limits --database postgresql://monitor@localhost/shop --store postgresql://me@there/runs",
    "watch --format csv --table watched_ios --tag before --tag tuning=2",
    "watch --events out.ndjson",
    "watch --events - --json",
    "commits --runtime 30s --json",
    "commits --role mariadbd --role x --store runs.db",
    "host show",
    "host show --json --store runs.db --tag before",
    "host show --from=recorded.tar --out page.html",
    "host audit --json",
    "host bench memory --runtime 1s --size 2g --out memory.html",
    "host bench cpu --json",
    "host slice revert --journal /run/slices --dry-run",
]
OTHERS = [
    "watch --help",
    "watch -h",
    "watch --jso",
    "watch --nothing",
    "watch word",
    "watch --",
    "watch --runtime",
    "watch --runtime 30s --runtime 40s",
    "watch --json --json",
    "watch --json=yes",
    "watch --no-json",
    "watch --role --json",
    "watch =",
    "store",
    "host slice verify x",
    "host show recorded.tar",
    "host bench network 10.1.0.9",
    "trend report.html",
]


def by_parser(verb: Any, words: list[str]) -> tuple[dict[str, Any], set[str]]:
    """The values that the parser calls a command with, and the names of those that were typed."""
    called: list[tuple[dict[str, Any], set[str]]] = []

    def action(typed: Any, **values: Any) -> None:
        sources = {name: typed.get_parameter_source(name).name for name in values}
        called.append((values, {name for name, source in sources.items() if source == "COMMANDLINE"}))

    app = typer.Typer(add_completion=False)
    app.command(cls=parser.Shown)(
        parser._with_parameters(SimpleNamespace(action=action, fields=verb.fields))  # type: ignore[arg-type]
    )
    app(words, standalone_mode=False)
    return called[0]


@pytest.mark.parametrize("line", PLAIN)
def test_what_is_plain_is_read_as_the_parser_reads_it(line: str) -> None:
    verb, words = find(line.split())
    values = read_plainly(verb, words)
    assert values is not None
    typed = values.pop("typed")
    expected, names = by_parser(verb, words)
    assert values == expected
    sources = {name: typed.get_parameter_source(name).name for name in values}
    assert {name for name, source in sources.items() if source == "COMMANDLINE"} == names


@pytest.mark.parametrize("line", OTHERS)
def test_what_is_not_plain_is_left_to_the_parser(line: str) -> None:
    verb, rest = (named([]), line.split())
    while rest and rest[0] in verb.members:
        verb = verb.member(rest.pop(0))
    assert read_plainly(verb, rest) is None


def test_plain_words_are_read_so_by_those_that_say_it_and_have_no_parser_of_their_own() -> None:
    plain = {verb.words[0] for verb in single() if is_plain(verb.words[0])}
    assert plain == {"watch", "commits", "host"}
    assert not any(hasattr(module(name), "command_class") for name in plain)
    assert not is_plain("nothing")


PROGRAM = """
import sys
from plimsoll.cli.main import run
status = run(sys.argv[1:])
print(status, *({"typer"} & set(sys.modules)), file=sys.stderr)
"""


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("watch --device nodisk --json", "2"),
        ("watch --every 0s", "2"),
        ("watch --device", "2 typer"),
    ],
)
def test_a_verb_that_stays_loads_no_parser_for_plain_words(line: str, told: str) -> None:
    assert stays(line.split()[0])
    words = (sys.executable, "-c", PROGRAM, *line.split())
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
    assert done.stderr.splitlines()[-1] == told
