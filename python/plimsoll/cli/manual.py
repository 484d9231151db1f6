"""Manual pages for man, one for each verb, made of the same requests as `--help`."""

from __future__ import annotations

from collections.abc import Iterator

from plimsoll import __version__
from plimsoll.cli import help
from plimsoll.cli.verbs import PROGRAM, TASKS, Verb, every, task

START = '.\\" Made by plimsoll'
"""By this a page of ours is known from other files, which are not replaced."""


def pages() -> dict[str, str]:
    """File name, such as `plimsoll-store-list.1`, → whole text."""
    return {f"{_name(verb)}.1": "\n".join(_page(verb)) + "\n" for verb in every()}


def _name(verb: Verb) -> str:
    return "-".join((PROGRAM, *verb.words))


def _page(verb: Verb) -> Iterator[str]:
    first, *others = verb.paragraphs
    yield f"{START} {__version__}; plimsoll help \\-\\-man writes it anew."
    yield f'.TH {_name(verb).upper()} 1 "" "{PROGRAM} {__version__}" "Plimsoll"'
    yield from [".SH NAME", f"{_text(_name(verb))} \\- {_text(first[:1].lower() + first[1:].rstrip('.'))}"]
    yield from [".SH SYNOPSIS", _text(help.usage(verb))]
    yield ".SH DESCRIPTION"
    for paragraph in (first, *others):
        yield from [".PP", _text(paragraph)]
    if verb.members:
        yield from _members(verb)
    if not verb.is_group:
        yield from _words(verb)
    yield from [".SH EXIT STATUS", _text(help.EXIT_STATUS.partition(": ")[2])]
    yield from [".SH SEE ALSO", _see_also(verb)]


def _members(verb: Verb) -> Iterator[str]:
    titled = (
        {title: [name for name in verb.members if task(name) == key] for key, title in TASKS.items()}
        if not verb.words
        else {}
    )
    yield ".SH VERBS"
    for title, names in (titled or {"": verb.members}).items():
        if title:
            yield f".SS {_text(title)}"
        for name in names:
            yield from _item(name, verb.member(name).paragraphs[0])


def _words(verb: Verb) -> Iterator[str]:
    if help.arguments(verb):
        yield ".SH ARGUMENTS"
        for field in help.arguments(verb):
            yield from _item(help.term(field), help.meaning(field))
    yield ".SH OPTIONS"
    for title, fields in help.grouped(verb).items():
        yield f".SS {_text(title)}"
        for field in fields:
            yield from _item(help.term(field), help.meaning(field))
    if verb.request.examples:
        yield ".SH EXAMPLES"
        for what, command in help.examples(verb):
            yield from [".PP", f"{_text(what)}:", ".PP", ".RS 4", ".nf", _text(command), ".fi", ".RE"]


def _item(word: str, meaning: str) -> Iterator[str]:
    yield from [".TP", f"\\fB{_text(word)}\\fR", _text(meaning)]


def _see_also(verb: Verb) -> str:
    above = [Verb(verb.words[:-1])] if verb.words else []
    below = [verb.member(name) for name in verb.members]
    return ", ".join(f"\\fB{_text(_name(one))}\\fR(1)" for one in [*above, *below])


def _text(text: str) -> str:
    """One line of text that roff takes for nothing else."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return f"\\&{escaped}" if escaped.startswith(".") else escaped
