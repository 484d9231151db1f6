"""Takes passwords out of what is shown or kept: messages, events, the recorded command, process titles, the store, pages.

There is one parser behind all of it, with two ways in. `redact_word` takes a word of a command line or a location as a
whole: it knows where the text ends, so it hides whatever could be a password, blanks and quotes and all. `redact` takes
running text, line by line, where a password without quotes must be taken to end somewhere.

Both know three shapes. A *login* is `user:secret@host`, in a URL or alone: its secret goes from the first separator to the
last @, because a password that was typed without escaping may hold every other sign; and to the end where no host follows that
@, or where there is none. A *setting* is `key=secret` or `"key": "secret"`, whose key, percent-decoded, names a password. A
*sentence* says so in words: `password: secret`, or SQL's `identified by secret`. In doubt more is hidden than need be, and
never less: only where text is known to be about files does an @ in a name stay what it is.

Each function gives text that it would not change again, so that it does not matter how often a text passes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from plimsoll.base import settings
from plimsoll.base._logins import URL, Where, hostless_in_token, login_of_url, logins_in_line, logins_in_word
from plimsoll.base._named_secrets import (
    HIDDEN,
    Span,
    decoded,
    named_values,
    names_secret,
    sentences,
    statements,
)
from plimsoll.base.patterns import late

__all__ = [
    "HIDDEN", "LOCATION_OPTIONS", "login_secret", "names_secret", "redact", "redact_all", "redact_command", "redact_database",
    "redact_document", "redact_knowing", "redact_line", "redact_word", "shown_of", "words_that_hide",
]  # fmt: skip

LOCATION_OPTIONS: dict[str, Where] = {
    "--database": "database",
    "--store": "location",
    "--prometheus": "location",
}
"""Options whose value is a location: there `user/secret@host` is a login, where elsewhere it may be the path of a file."""

_VARIABLES: dict[str, Where] = {settings.DATABASE.name: "database", settings.STORE.name: "location"}

_SIGNS = re.compile(r"[=:@%]|identified|password", re.IGNORECASE)
"""Without any of them there is no password, but in a location."""

_LOCATION_OPTION = late(rf"(?<!\S)(?P<option>{'|'.join(LOCATION_OPTIONS)})(?:=|\s+)['\"]?(?=\S)")

_WORDS_MAX = 100
"""Where more words of a command look as if they held a password, they are names of files."""

_PIECE = 6
"""So many signs of a password in a row are no chance."""


def redact(text: str, location: bool = False) -> str:
    """Running text without its passwords. `location` for text about databases, where `user/secret@host` is no path."""
    if not _SIGNS.search(text):
        return text

    def once(shown: str) -> str:
        # A statement may go over several lines.
        lines = _settled(shown, _in_statements).split("\n")
        return "\n".join(_settled(line, lambda line: _in_line(line, location)) for line in lines)

    return _unchanging(text, once)


def redact_word(word: str, location: bool = False) -> str:
    """A word without its passwords. `location` where it is known to lead to a database or a store.

    There a bare `user/secret` is a login, but for the path of a file: one that begins or ends as such, or whose folder is there.
    """
    return _redact_leading(word, "location" if location else "anywhere")


def redact_database(word: str) -> str:
    """A word that is known to lead to a database without its passwords: also of `user/secret`, which is never a path here."""
    return _redact_leading(word, "database")


def _redact_leading(word: str, where: Where) -> str:
    if where == "anywhere" and not _SIGNS.search(word):
        return word
    return _settled(word, lambda word: _in_word(word, where))


def redact_all(words: Sequence[str]) -> list[str]:
    """The words of a command, each as what the option before it makes of it."""
    return [_shown_after(before, word) for before, word in pairwise(["", *words])]


def redact_command(words: Sequence[str]) -> str:
    """The words of a command as one line that a shell would take apart into the same words, but for the passwords."""
    return " ".join(map(_quoted_for_shell, redact_all(words)))


def redact_line(command: str) -> str:
    """A line that a shell would take, without its passwords; as it is where it holds none."""
    import shlex

    try:
        words = shlex.split(command)
        hidden = redact_all(words)
        shown = command if hidden == words else " ".join(map(_quoted_for_shell, hidden))
    except ValueError:
        shown = _settled(redact(command, location=True), _in_open_line)
    return shown if shown == command else redact_line(shown)


def words_that_hide(words: Sequence[str]) -> list[str]:
    """Of the words of a command those that hold a password, each behind the option before it: for the functions below."""
    pairs = [(before, word) for before, word in pairwise(["", *words]) if _shown_after(before, word) != word]
    return [part for pair in pairs[:_WORDS_MAX] for part in pair]


def redact_knowing(text: str, words: Sequence[str]) -> str:
    """Running text about a command whose words are known: also what it quotes of a password in part, or in other quotes."""
    for before, word in pairwise(["", *words]):
        if _wants_secret(before):
            text = _without_pieces(text, [word], HIDDEN)
        elif _shown_after(before, word) != word:
            _, value, where = _taken_apart(before, word)
            text = _without_word(text, value, where)
    return redact(text)


def redact_document(text: str, words: Sequence[str]) -> str:
    """A JSON document about a command whose words are known, and which may stand in its strings: nothing else is changed."""
    for word, shown in zip(words, redact_all(words), strict=True):
        if shown != word and shown != HIDDEN:
            for form in (str, _as_path):
                # Where it stands in a sentence that was redacted as text, only so much is left of it.
                for left in (form(word), redact(form(word))):
                    text = text.replace(_in_json(left), _in_json(form(shown)))
    return text


def login_secret(url: str) -> str | None:
    """What is hidden as the password of a URL's login, as it stands there; None where nothing is."""
    found = URL.search(url)
    span = login_of_url(url, found, len(url), in_text=False) if found else None
    return None if span is None else url[slice(*span)]


def shown_of(piece: str, url: str) -> str:
    """A piece of a URL, if it still stands in the redacted URL; else it may be of the password."""
    shown = redact_word(url, location=True)
    return piece if piece in shown or piece in decoded(shown) else HIDDEN


def _settled(text: str, find: Callable[[str], Iterator[Span]]) -> str:
    """Redacted again and again, until nothing is found that is not hidden already."""
    return _unchanging(text, lambda shown: _hide(shown, list(find(shown))))


def _unchanging(text: str, change: Callable[[str], str]) -> str:
    while (changed := change(text)) != text:
        text = changed
    return text


def _hide(text: str, spans: Sequence[Span]) -> str:
    """Three stars for each stretch of text that is covered."""
    pieces, at = [], 0
    for begin, end in _joined(spans):
        pieces += [text[at:begin], HIDDEN]
        at = end
    return "".join([*pieces, text[at:]])


def _joined(spans: Sequence[Span]) -> Iterator[Span]:
    """In order, and as one where they touch."""
    begin = end = -1
    for first, last in sorted(spans):
        if first > end:
            if begin >= 0:
                yield begin, end
            begin, end = first, last
        end = max(end, last)
    if begin >= 0:
        yield begin, end


def _taken_apart(before: str, word: str) -> tuple[str, str, Where]:
    """What stands before the value of a word, its value, and where that leads to, by the option in or before it."""
    name, equals, value = word.partition("=")
    where = (LOCATION_OPTIONS | _VARIABLES).get(name)
    if equals and where:
        return f"{name}=", value, where
    return "", word, LOCATION_OPTIONS.get(before, "anywhere")


def _shown_after(before: str, word: str) -> str:
    """A word of a command as the word before it makes of it."""
    if _wants_secret(before):
        return HIDDEN
    head, value, where = _taken_apart(before, word)
    return head + _redact_leading(value, where)


def _wants_secret(option: str) -> bool:
    """Whether the next word is a password: no option of ours is, but that of another tool may have been typed."""
    return option.startswith("-") and "=" not in option and names_secret(option)


def _in_word(word: str, where: Where) -> Iterator[Span]:
    yield from logins_in_word(word, where)
    yield from statements(word, in_text=False)
    yield from sentences(word, in_text=False)
    yield from named_values(word, in_text=False)


def _in_line(line: str, location: bool) -> Iterator[Span]:
    yield from logins_in_line(line, location)
    yield from sentences(line, in_text=True)
    yield from named_values(line, in_text=True)


def _in_statements(text: str) -> Iterator[Span]:
    yield from statements(text, in_text=True)


def _in_open_line(line: str) -> Iterator[Span]:
    """Bare logins behind their options, in a command whose quotes are never closed."""
    for found in _LOCATION_OPTION.finditer(line):
        yield from hostless_in_token(line, found.end(), LOCATION_OPTIONS[found["option"]])


def _without_word(text: str, word: str, where: Where) -> str:
    """The text with that word as it may be shown, however it is quoted there, and without pieces of its passwords."""
    shown = _redact_leading(word, where)
    for form in (str, _in_python, _in_json, _as_path):
        text = text.replace(form(word), form(shown))
        # So much is left of it where it was redacted as text, on its way into an error or a note.
        text = text.replace(redact(form(word)), form(shown))
    return _without_pieces(text, [word[begin:end] for begin, end in _in_word(word, where)], shown)


def _without_pieces(text: str, secrets: Sequence[str], shown: str) -> str:
    pieces = {piece for secret in secrets for piece in _pieces(secret) if piece not in shown}
    found = (at for at in range(len(text)) if text[at : at + _PIECE] in pieces)
    return _hide(text, [(at, at + _PIECE) for at in found])


def _pieces(secret: str) -> Iterator[str]:
    """Of a password in each of its forms. Plain words are left out: they stand in other text by chance."""
    from urllib.parse import quote

    for form in {
        secret,
        decoded(secret),
        quote(secret, safe="", errors="replace"),
        _in_python(secret),
        _in_json(secret),
    }:
        for begin in range(len(form) - _PIECE + 1):
            piece = form[begin : begin + _PIECE]
            if not (piece.isalpha() and piece in (piece.lower(), piece.upper(), piece.title())):
                yield piece


def _in_python(text: str) -> str:
    return repr(text)[1:-1]


def _in_json(text: str) -> str:
    import json

    return json.dumps(text, ensure_ascii=False)[1:-1]


def _as_path(text: str) -> str:
    return re.sub(r"/+", "/", text)


def _quoted_for_shell(word: str) -> str:
    """In quotes where it needs them. The stars stay without, as a shell finds no file of such a name to put in their place."""
    import shlex

    bare = word.replace(HIDDEN, "")
    return word if shlex.quote(bare) == bare else shlex.quote(word)
