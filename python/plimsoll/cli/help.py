"""What `--help` prints, made of the verbs and their requests; nothing of the parser is loaded for it."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

from plimsoll.cli.verbs import PROGRAM, TASKS, Verb, task

if TYPE_CHECKING:
    from plimsoll.requests.asked import Field

EXIT_STATUS = (
    "Exit status: 0 done, 1 the answer is no, 2 usage, 3 refused for safety, 4 device, database or network failed,"
    " 5 done in part."
)
HELP_ROW = ("-h, --help", "Show this message and exit.")
_TOP_ROWS = [("--version", "Print the version and end."), HELP_ROW]
_WIDTH_MIN, _WIDTH_MAX = 40, 80
_TERM_MAX = 26
"""A word that is longer has its meaning on the next line."""

Row = tuple[str, str]


def text(verb: Verb) -> str:
    """The whole help of a verb, or of a group of them."""
    width = _width()
    return "\n".join(_group(verb, width) if verb.is_group else _single(verb, width))


def usage(verb: Verb) -> str:
    """`plimsoll report [OPTIONS] RUN`."""
    if verb.is_group:
        return f"{verb.name} [OPTIONS] VERB [WORDS]..."
    return " ".join(
        [verb.name, "[OPTIONS]", *(_argument(field) for field in verb.fields if _is_argument(field))]
    )


def grouped(verb: Verb) -> dict[str, list[Field]]:
    """The options of a verb under the titles of their groups, in the order of these."""
    import typing

    from plimsoll.requests.asked import Group

    options = [field for field in verb.fields if not _is_argument(field)]
    groups = {name: [one for one in options if one.asked.group == name] for name in typing.get_args(Group)}
    return {name: found for name, found in groups.items() if found}


def arguments(verb: Verb) -> list[Field]:
    """What stands without a word before it."""
    return [field for field in verb.fields if _is_argument(field)]


def term(field: Field) -> str:
    """As an option or an argument is listed: `-o, --out FILE`."""
    if _is_argument(field):
        return field.value_word
    asked = field.asked
    words = [
        *([asked.short] if asked.short else []),
        asked.option,
        *([f"--no-{asked.option[2:]}"] if asked.off else []),
    ]
    return " ".join([", ".join(words), *([field.value_word] if field.value_word else [])])


def meaning(field: Field) -> str:
    """Help, bounds and default, in sentences."""
    parts = [field.asked.help]
    if field.asked.bounds:
        parts.append(f"{field.asked.bounds}.")
    if field.is_repeated and not _is_argument(field) and "several times" not in field.asked.help:
        parts.append("May be given several times.")
    if field.is_required and not _is_argument(field):
        parts.append("Must be given.")
    elif field.default_typed:
        parts.append(f"Default: {field.default_typed}.")
    return " ".join(parts)


def examples(verb: Verb) -> list[tuple[str, str]]:
    """What is wanted, and the whole command."""
    return [(what, f"{PROGRAM} {words}") for what, words in verb.request.examples]


def _is_argument(field: Field) -> bool:
    return field.asked.stands_first


def _argument(field: Field) -> str:
    word = field.value_word
    shown = word if field.is_required or "|" not in word else f"{{{word}}}"
    return (shown if field.is_required else f"[{word}]") + ("..." if field.is_repeated else "")


def _group(verb: Verb, width: int) -> Iterator[str]:
    yield from _begin(verb, width)
    yield from _rows("Options", [HELP_ROW] if verb.words else _TOP_ROWS, width)
    for title, names in _titled(verb):
        yield from _rows(title, _member_rows(verb, names), width)
    if not verb.words:
        yield from ["", *_filled(f"{PROGRAM} help VERB tells more of a verb, with examples.", width, 2)]
        yield from ["", *_filled(EXIT_STATUS, width, 2)]


def _member_rows(verb: Verb, names: list[str]) -> list[Row]:
    return [(name, verb.member(name).paragraphs[0]) for name in names]


def _titled(verb: Verb) -> Iterator[tuple[str, list[str]]]:
    """The members of a group; of the program, by what they are for."""
    if verb.words:
        yield "Verbs", verb.members
        return
    for name, title in TASKS.items():
        yield title, [member for member in verb.members if task(member) == name]


def _single(verb: Verb, width: int) -> Iterator[str]:
    yield from _begin(verb, width)
    if verb.members:
        yield from _rows("Verbs below it", _member_rows(verb, verb.members), width)
    if arguments(verb):
        yield from _rows("Arguments", [(term(one), meaning(one)) for one in arguments(verb)], width)
    for title, fields in grouped(verb).items():
        rows = [(term(one), meaning(one)) for one in fields]
        yield from _rows(title, [*rows, HELP_ROW] if title == "Output" else rows, width)
    if verb.request.examples:
        yield from ["", "Examples:"]
        for what, command in examples(verb):
            # A command is never folded: it is there to be copied.
            yield from [*_filled(f"{what}:", width, 2), f"    {command}"]


def _begin(verb: Verb, width: int) -> Iterator[str]:
    yield from textwrap.wrap(
        f"Usage: {usage(verb)}", width, subsequent_indent=" " * 7, break_long_words=False
    )
    for paragraph in verb.paragraphs:
        yield from ["", *_filled(paragraph, width, 2)]


def _rows(title: str, rows: list[Row], width: int) -> Iterator[str]:
    """Two columns under a title."""
    yield from ["", f"{title}:"]
    beside = min(max(len(left) for left, _ in rows), _TERM_MAX if width > _WIDTH_MIN else 10)
    for left, right in rows:
        lines = _filled(right, width, beside + 4)
        if len(left) <= beside:
            lines[0] = f"  {left:<{beside}}  {lines[0].strip()}"
        else:
            lines.insert(0, f"  {left}")
        yield from lines


def _filled(paragraph: str, width: int, indent: int) -> list[str]:
    space = " " * indent
    return textwrap.wrap(
        paragraph,
        width,
        initial_indent=space,
        subsequent_indent=space,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _width() -> int:
    """Of the lines: what the terminal has, within bounds."""
    return max(_WIDTH_MIN, min(_WIDTH_MAX, _columns())) - 2


def _columns() -> int:
    given = os.environ.get("COLUMNS", "")
    if given.isdigit() and int(given) > 0:
        return int(given)
    try:
        return os.get_terminal_size(1).columns or _WIDTH_MAX
    except OSError:
        return _WIDTH_MAX
