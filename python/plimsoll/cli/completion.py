"""What may come next on a command line: verbs, options, and values that are there at this moment.

The shells' scripts ask for it at each press of Tab, so that nothing of the parser, the facts or the engine's flows is loaded here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from plimsoll.base.errors import PlimsollError
from plimsoll.cli.shells import FILES, FOLDERS
from plimsoll.cli.verbs import Verb, task

if TYPE_CHECKING:
    from plimsoll.requests.asked import Field

Word = tuple[str, str]
"""A word, and what it means."""
_RUNS_MAX = 50
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
        yield from _of_verb(verb, rest, current)


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


def _of_verb(verb: Verb, rest: Sequence[str], current: str) -> Iterator[Word]:
    options = {
        word: field for field in verb.fields if not field.asked.stands_first for word in field.asked.options
    }
    given, places, waiting = _read(rest, options)
    if waiting is not None:
        yield from _values(waiting, given.get("store"))
        return
    name, equals, _ = current.partition("=")
    if equals and name in options:
        yield from (
            (f"{name}={word}", meaning)
            for word, meaning in _values(options[name], given.get("store"))
            if word[0] != ":"
        )
        return
    if not current.startswith("-"):
        yield from _in_place(verb, places, given.get("store"))
    if current.startswith("-") or not current:
        yield from _options(verb, given)


def _read(rest: Sequence[str], options: dict[str, Field]) -> tuple[dict[str, str], int, Field | None]:
    """The options that were given, by their fields' words; how many words stand in place; the option that waits for its value."""
    given: dict[str, str] = {}
    places, waiting = 0, None
    for word in rest:
        name, equals, value = word.partition("=")
        if waiting is not None:
            given[waiting.asked.word], waiting = word, None
        elif name in options:
            field = options[name]
            given[field.asked.word] = value
            waiting = field if field.value_word and not equals else None
        elif not word.startswith("--"):
            places += 1
    return given, places, waiting


def _in_place(verb: Verb, places: int, store: str | None) -> Iterator[Word]:
    """Values of the argument whose turn it is."""
    fields = [field for field in verb.fields if field.asked.stands_first]
    if fields and (places < len(fields) or fields[-1].is_repeated):
        yield from _values(fields[min(places, len(fields) - 1)], store)


def _options(verb: Verb, given: dict[str, str]) -> Iterator[Word]:
    for field in verb.fields:
        asked = field.asked
        if asked.stands_first or (asked.word in given and not field.is_repeated):
            continue
        yield asked.option, asked.help
        if asked.off:
            yield f"--no-{asked.option[2:]}", asked.help
    yield _HELP


def _values(field: Field, store: str | None) -> Iterator[Word]:
    """What may stand for a field: its choices, what it names itself, and what is there."""
    yield from ((word, "") for word in dict.fromkeys([*map(str, field.choices), *field.asked.values]))
    if field.choices:
        return
    for kind in field.value_word.split("|"):
        if kind in _KINDS:
            yield from _KINDS[kind](store)
    default = field.default_typed
    if default and " " not in default and not field.asked.values and field.value_word not in _KINDS:
        yield default, "The default."


def _targets(store: str | None) -> Iterator[Word]:
    yield FILES, ""
    yield "sim:", "A simulated target, such as sim:mean=100us."


def _places(store: str | None) -> Iterator[Word]:
    yield FILES, ""
    yield "postgresql://", "A database for a team."


def _engines(store: str | None) -> Iterator[Word]:
    from plimsoll.native.engine import engines

    yield "auto", "The best that works on the target."
    for name, engine in engines().items():
        yield name, engine["title"] if engine["available"] else f"Not here: {engine['reason']}"


def _runs(store: str | None) -> Iterator[Word]:
    from plimsoll.store.recent import recent_runs

    yield "latest", "The newest run."
    for id, kind, title in recent_runs(store, _RUNS_MAX):
        yield id, f"{kind}: {title}"


def _run_kinds(store: str | None) -> Iterator[Word]:
    from plimsoll.store.recent import recent_runs

    for kind in sorted({kind for _, kind, _ in recent_runs(store, None)}):
        yield kind, "A kind of run."


def _tags(store: str | None) -> Iterator[Word]:
    from plimsoll.store.recent import tags_in_use

    for tag in tags_in_use(store):
        yield tag, "A tag in use."


_KINDS: dict[str, Callable[[str | None], Iterator[Word]]] = {
    "TARGET": _targets,
    "FILE": lambda store: iter([(FILES, "")]),
    "PATH": lambda store: iter([(FILES, "")]),
    "FOLDER": lambda store: iter([(FOLDERS, "")]),
    "PLACE": _places,
    "ENGINE": _engines,
    "RUN": _runs,
    "KIND": _run_kinds,
    "TAG": _tags,
}
"""What is there of what stands for a value in help."""
