"""What may come next on a command line: verbs, options, and values that are there at this moment.

The shells' scripts ask for it at each press of Tab, so that nothing of the parser, the facts or the engine's flows is loaded here:
the facts only where names of tables or pictures are wanted, which are made of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from plimsoll.base.errors import PlimsollError
from plimsoll.cli.shells import FILES, FOLDERS
from plimsoll.cli.verbs import Verb, task

if TYPE_CHECKING:
    from plimsoll.requests.asked import Field

Word = tuple[str, str]
"""A word, and what it means."""
_RUNS_MAX = 50
_BEFORE_MAX = 9
"""Runs before the newest that are offered as `latest~N`; farther back an id is sooner typed than counted."""
_HELP: Word = ("--help", "Show help and exit.")


def answer(words: Sequence[str]) -> list[Word]:
    """What the last word may become, after those before it."""
    *before, current = words or [""]
    try:
        found = list(_next(before, current))
    except PlimsollError:
        # Nobody can be told while a word is typed; the command will say it.
        return []
    return [one for one in found if one[0] in (FILES, FOLDERS) or one[0].startswith(current)]


def _next(before: Sequence[str], current: str) -> Iterator[Word]:
    verb, rest = _verb(before)
    if verb.words == ("help",) and not any(word.startswith("-") for word in (*rest, current)):
        verb, rest = _verb(rest)
        yield from _members(verb)
    elif verb.is_group:
        if rest:
            return
        yield from _members(verb)
        yield from [_HELP, *([] if verb.words else [("--version", "Print the version and end.")])]
    else:
        yield from [] if rest else _members(verb)
        yield from _of_verb(_read(verb, rest), current)


def _verb(words: Sequence[str]) -> tuple[Verb, list[str]]:
    """As far as words name one."""
    verb, rest = Verb(()), list(words)
    while rest and rest[0] in verb.members:
        verb = verb.member(rest.pop(0))
    return verb, rest


def _members(verb: Verb) -> Iterator[Word]:
    tasks = {} if verb.words else {name: task(name) for name in verb.members}
    for name in verb.members:
        prefix = f"{tasks[name]}: " if tasks else ""
        yield name, prefix + verb.member(name).paragraphs[0]


@dataclass
class _Typed:
    """What stands before the word that is typed."""

    verb: Verb
    words: dict[str, list[str]] = field(default_factory=dict)
    """What was given, by the words of options and arguments."""
    places: int = 0
    """How many words stand without one before them."""
    waiting: Field | None = None
    """The option whose value comes next."""

    def give(self, of: Field, value: str) -> None:
        """One more value of a field."""
        self.words.setdefault(of.asked.word, []).append(value)

    @property
    def store(self) -> str | None:
        return self.words.get("store", [None])[-1]

    @property
    def options(self) -> dict[str, Field]:
        """By all that may be typed for them."""
        named = [one for one in self.verb.fields if not one.asked.stands_first]
        return {word: one for one in named for word in one.asked.options}

    @property
    def arguments(self) -> list[Field]:
        """What stands without a word before it, in its order."""
        return [one for one in self.verb.fields if one.asked.stands_first]

    @property
    def argument(self) -> Field | None:
        """Whose turn it is among them."""
        arguments = self.arguments
        if self.places < len(arguments):
            return arguments[self.places]
        return arguments[-1] if arguments and arguments[-1].is_repeated else None


def _read(verb: Verb, rest: Sequence[str]) -> _Typed:
    typed = _Typed(verb)
    options = typed.options
    for word in rest:
        name, equals, value = word.partition("=")
        if typed.waiting is not None:
            typed.give(typed.waiting, word)
            typed.waiting = None
        elif name in options and options[name].value_word and not equals:
            typed.waiting = options[name]
        elif name in options:
            typed.give(options[name], value)
        elif not word.startswith("--"):
            if typed.argument is not None:
                typed.give(typed.argument, word)
            typed.places += 1
    return typed


def _of_verb(typed: _Typed, current: str) -> Iterator[Word]:
    if typed.waiting is not None:
        yield from _values(typed.waiting, typed)
        return
    name, equals, _ = current.partition("=")
    if equals and name in typed.options:
        found = _values(typed.options[name], typed)
        yield from ((f"{name}={word}", meaning) for word, meaning in found if word[0] != ":")
        return
    if not current.startswith("-") and typed.argument is not None:
        yield from _values(typed.argument, typed)
    if current.startswith("-") or not current:
        yield from _options(typed)


def _options(typed: _Typed) -> Iterator[Word]:
    for one in typed.verb.fields:
        asked = one.asked
        if asked.stands_first or (asked.word in typed.words and not one.is_repeated):
            continue
        yield asked.option, asked.help
        if asked.off:
            yield f"--no-{asked.option[2:]}", asked.help
    yield _HELP


def _values(of: Field, typed: _Typed) -> Iterator[Word]:
    """What may stand for a field: its choices, what it names itself, and what is there."""
    for word in dict.fromkeys([*map(str, of.choices), *of.asked.values]):
        yield from _BEGUN[word](typed) if word in _BEGUN else [(word, "")]
    if of.choices:
        return
    kinds = [kind for kind in (f"--{of.asked.word}", *of.value_word.split("|")) if kind in _KINDS]
    for kind in kinds:
        yield from _KINDS[kind](typed)
    default = of.default_typed
    if default and " " not in default and not of.asked.values and not kinds:
        yield default, "The default."


def _targets(typed: _Typed) -> Iterator[Word]:
    yield FILES, ""
    yield "sim:", "A simulated target, such as sim:mean=100us."


def _places(typed: _Typed) -> Iterator[Word]:
    yield FILES, ""
    yield "postgresql://", "A database for a team."


def _engines(typed: _Typed) -> Iterator[Word]:
    from plimsoll.native.engine import engines

    yield "auto", "The best that works on the target."
    for name, engine in engines().items():
        yield name, engine["title"] if engine["available"] else f"Not here: {engine['reason']}"


def _runs(typed: _Typed) -> Iterator[Word]:
    from plimsoll.store.recent import recent_runs

    found = recent_runs(typed.store, _RUNS_MAX)
    yield "latest", "The newest run."
    for id, kind, title in found:
        yield id, f"{kind}: {title}"
    for number, (_, kind, title) in enumerate(found[1 : 1 + _BEFORE_MAX], 1):
        yield f"latest~{number}", f"{kind}: {title}"


def _run_kinds(typed: _Typed) -> Iterator[Word]:
    from plimsoll.store.recent import recent_runs

    for kind in sorted({kind for _, kind, _ in recent_runs(typed.store, None)}):
        yield kind, "A kind of run."


def _tags(typed: _Typed) -> Iterator[Word]:
    from plimsoll.store.recent import tags_in_use

    for tag in tags_in_use(typed.store):
        yield tag, "A tag in use."


def _runs_of_tags(typed: _Typed) -> Iterator[Word]:
    for tag, _ in _tags(typed):
        yield f"tag:{tag}", "All runs of a tag."


def _sections(typed: _Typed) -> Iterator[Word]:
    from plimsoll.reports.schema import schema

    for table in schema():
        yield table["name"], table["about"]


def _tables(typed: _Typed) -> Iterator[Word]:
    from plimsoll.cli.data import names_of_runs

    known = _tables_of(typed)
    for name in names_of_runs() if known is None else known:
        yield name, ""


def _tables_of(typed: _Typed) -> tuple[str, ...] | None:
    """Of what is asked by the words until now, as far as that can be told."""
    from plimsoll.requests.asked import fields_of

    request = typed.verb.request
    own: dict[str, Any] = {
        one.asked.word: _value(one, typed.words[one.asked.word])
        for one in fields_of(request)
        if one.asked.word in typed.words
    }
    try:
        return request.of_words(own).result_tables
    except (PlimsollError, TypeError, ValueError):
        return request.tables


def _value(of: Field, words: list[str]) -> Any:
    """As a request takes it: a truth is given by its word alone, of other options the last word counts."""
    if of.is_repeated:
        return words
    return words[-1] if of.value_word else True


def _figures(typed: _Typed) -> Iterator[Word]:
    from plimsoll import charts

    for name in charts.names():
        yield name, charts.load(name).title


_KINDS: dict[str, Callable[[_Typed], Iterator[Word]]] = {
    "TARGET": _targets,
    "FILE": lambda _: iter([(FILES, "")]),
    "PATH": lambda _: iter([(FILES, "")]),
    "FOLDER": lambda _: iter([(FOLDERS, "")]),
    "PLACE": _places,
    "ENGINE": _engines,
    "RUN": _runs,
    "KIND": _run_kinds,
    "TAG": _tags,
    "--section": _sections,
    "--table": _tables,
    "--figure": _figures,
}
"""What is there of what stands for a value in help, or for the value of an option of this name."""
_BEGUN: dict[str, Callable[[_Typed], Iterator[Word]]] = {"tag:": _runs_of_tags}
"""What is there of what begins so, where a field names the beginning among its `values`."""
