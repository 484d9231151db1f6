"""Takes passwords out of what is shown or kept: messages, events, the recorded command, process titles, the store, pages.

There is one parser behind all of it, with two ways in. `redact_word` takes a word of a command line or a location as a
whole: it knows where the text ends, so it hides whatever could be a password, blanks and quotes and all. `redact` takes
running text, line by line, where a password without quotes must be taken to end somewhere.

Both know two shapes. A *login* is `user:secret@host`, in a URL or alone: its secret goes from the first separator to the last
@, because a password that was typed without escaping may hold every other sign. A *setting* is `key=secret` or
`"key": "secret"`, whose key, percent-decoded, names a password. In doubt more is hidden than need be, and never less:
only where text is known to be about files does an @ in a name stay what it is.

Each function gives text that it would not change again, so that it does not matter how often a text passes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

HIDDEN = "***"
Span = tuple[int, int]

LOCATION_OPTIONS = ("--database", "--store")
"""Options whose value is a location: there `user/secret@host` is a login, where elsewhere it may be the path of a file."""

_SIGNS = re.compile(r"[=:@%]")
"""Without any of them there is neither a login nor a setting."""

_SECRET = re.compile(
    r"password|passwd|pwd|passphrase|secret|token|credential|(?:api|access|account|encryption|private|storage)[_.-]?key"
    r"|(?<![^\W_])(?:pass|pw)(?![^\W_])"
)
"""What the name of a setting says that holds one; the short ones only as words of their own."""

_DATABASES = r"(?:postgres(?:ql)?|mysql|mariadb|oracle)(?:\+\w+)?"
_URL = re.compile(
    rf"""(?:jdbc:)?(?P<database>{_DATABASES}):/+
    | (?P<thin>jdbc:oracle:\w+:)
    | (?:jdbc:)?(?P<other>[a-z][a-z0-9+.-]{{0,40}})://+""",
    re.IGNORECASE | re.VERBOSE,
)
"""Of a database's URL one slash may be gone: that is what a path library makes of it."""

_WITHOUT_LOGIN = frozenset({"file", "ftp", "http", "https", "nfs", "s3", "sftp", "sqlite", "ssh"})
"""Schemes whose URLs may well hold an @ that ends no password."""

_COLON, _EITHER = re.compile(":"), re.compile("[:/]")
_COLON_ENCODED, _EITHER_ENCODED = re.compile("%3a", re.IGNORECASE), re.compile("%3a|%2f", re.IGNORECASE)
_BY_COLON = (_COLON, _COLON_ENCODED)
_BY_SLASH = (_EITHER, _EITHER_ENCODED)
_BY_PLAIN_SLASH = (_EITHER, _COLON_ENCODED)
"""What parts user and password, percent-encoded only where nothing else does."""

_HOST = r"(?:\[[^\]]*\]|[^\[:,/?#@]*)(?::\d*)?"
_HOSTS = re.compile(rf"(?:[^@:/?#]*@)?{_HOST}(?:,{_HOST})*(?=[/?#]|[^\w@%:]*\Z)")
"""Hosts with or without ports, to the end of a URL's authority."""

_PATH = re.compile(r"~[\w.-]*/|\.{0,2}/(?!/)")
_BLANK = re.compile(r"\s")
_OPENING = "'\"`([{<"

_KEYS = frozenset({
    "application_name", "catalog", "channel_binding", "charset", "client_encoding", "connect_data", "connect_timeout",
    "currentschema", "database", "dbname", "driver", "encrypt", "fallback_application_name", "gssdelegation", "gssencmode",
    "gsslib", "host", "hostaddr", "keepalives", "keepalives_count", "keepalives_idle", "keepalives_interval", "krbsrvname",
    "load_balance_hosts", "mode", "options", "passfile", "port", "protocol", "replication", "require_auth", "requirepeer",
    "requiressl", "server", "service", "service_name", "sid", "socket", "source", "target_session_attrs", "tcp_user_timeout",
    "trusted_connection", "uid", "unix_socket", "user", "username",
})  # fmt: skip
"""Settings of connections that may stand behind a password; besides, all whose names begin with `ssl`."""
_NEXT = re.compile(r"[&;,()\s]+(?P<key>\w+)[ \t]*=")
_FIRST = re.compile(r"\?(?P<key>\w+)=")

_SETTING = re.compile(
    r"""(?<![\w.%+-])(?P<key>[\w.%+-]+)
    (?: [ \t]*=[ \t]* | (?P<close>\\?["'`)\]]+)[ \t]*(?P<mark>[=:])[ \t]*(?P<bytes>b(?=["']))? )""",
    re.VERBOSE,
)
_OF_A_SHELL = re.compile(r"(?<!\S)(?!PASSWORD=)[A-Z][A-Z0-9_]*=")
"""A variable before a command, whose value is one word of a shell."""
_SHELL_WORD = re.compile(r"""(?:\\.|'[^']*'|"(?:\\.|[^"\\])*"|\S)+""")
_QUOTED = re.compile(
    r"""\\(["'])(?:(?!\\\1).)*+\\\1 | "(?:\\.|""|[^"\\])*+" | '(?:\\.|''|[^'\\])*+' | \{(?:\}\}|[^}])*+\}""",
    re.VERBOSE | re.DOTALL,
)
"""A value in quotes or braces, within which a sign may be escaped or doubled; or in quotes that are escaped themselves."""
_BARE_END = re.compile(r"[,}\]]")
_QUOTED_END = re.compile(r"\Z|[\s&;,)}\]'\"`.:]")
_ALREADY = re.compile(rf"{re.escape(HIDDEN)}(?=\Z|[\s&;,)}}\]'\"`.:])")

_WORDS_MAX = 100
"""Where more words of a command look as if they held a password, they are names of files."""
_PIECE = 6
"""So many signs of a password in a row are no chance."""


def redact(text: str, location: bool = False) -> str:
    """Running text without its passwords. `location` for text about databases, where `user/secret@host` is no path."""
    if not _SIGNS.search(text):
        return text
    return "\n".join(_settled(line, _in_line, location) for line in text.split("\n"))


def redact_word(word: str, location: bool = False) -> str:
    """A word without its passwords. `location` where it is known to lead to a database or a store."""
    return _settled(word, _in_word, location) if _SIGNS.search(word) else word


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
        shown = redact(command, location=True)
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
            text = _without_word(text, *_taken_apart(before, word)[1:])
    return redact(text)


def redact_document(text: str, words: Sequence[str]) -> str:
    """A JSON document about a command whose words are known, and which may stand in its strings: nothing else is changed."""
    for word, shown in zip(words, redact_all(words), strict=True):
        if shown != word and shown != HIDDEN:
            for form in (str, _as_path):
                text = text.replace(_in_json(form(word)), _in_json(form(shown)))
    return text


def login_secret(url: str) -> str | None:
    """What is hidden as the password of a URL's login, as it stands there; None where nothing is."""
    found = _URL.search(url)
    span = _login_of_url(url, found, len(url)) if found else None
    return None if span is None else url[slice(*span)]


def shown_of(piece: str, url: str) -> str:
    """A piece of a URL, if it still stands in the redacted URL; else it may be of the password."""
    shown = redact_word(url, location=True)
    return piece if piece in shown or piece in _decoded(shown) else HIDDEN


def names_secret(key: str) -> bool:
    """Whether a setting of that name, percent-encoded or not, holds a password."""
    return _SECRET.search(_decoded(key).casefold()) is not None


def _settled(text: str, find: Callable[[str, bool], Iterator[Span]], location: bool) -> str:
    """Redacted again and again, until nothing is found that is not hidden already."""
    shown = _hide(text, list(find(text, location)))
    return text if shown == text else _settled(shown, find, location)


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


# Words


def _taken_apart(before: str, word: str) -> tuple[str, str, bool]:
    """What stands before the value of a word, its value, and whether that is a location, by the option in or before it."""
    name, equals, value = word.partition("=")
    if equals and name in LOCATION_OPTIONS:
        return f"{name}=", value, True
    return "", word, before in LOCATION_OPTIONS


def _shown_after(before: str, word: str) -> str:
    """A word of a command as the word before it makes of it."""
    if _wants_secret(before):
        return HIDDEN
    head, value, location = _taken_apart(before, word)
    return head + redact_word(value, location)


def _wants_secret(option: str) -> bool:
    """Whether the next word is a password: no option of ours is, but that of another tool may have been typed."""
    return option.startswith("-") and "=" not in option and names_secret(option)


def _in_word(word: str, location: bool) -> Iterator[Span]:
    url = _URL.search(word)
    if url is None or _EITHER.search(word, 0, url.start()):
        # What looks like a URL behind a colon or slash may be a part of a password.
        yield from _some(_bare_login(word, 0, len(word), location))
    if url is not None:
        yield from _some(_login_of_url(word, url, len(word)) or _nameless_login(word, url))
    yield from _settings(word, in_text=False)


def _some(span: Span | None) -> Iterator[Span]:
    if span is not None:
        yield span


def _bare_login(text: str, begin: int, end: int, location: bool) -> Span | None:
    """Of `user:secret@host`; with a slash for the colon only in locations and before `@//`, which no path has."""
    if _PATH.match(text, begin, end):
        return None
    # With two slashes it begins as a URL does behind its scheme.
    begin += 2 * text.startswith("//", begin, end)
    if location or text.find("@//", begin, end) >= 0:
        return _login(text, begin, end, _BY_SLASH, at_encoded=True)
    colon = _COLON.search(text, begin, end)
    slash = text.find("/", begin, end)
    if colon is not None and 0 <= slash < colon.start():
        return None
    return _login(text, begin, end, _BY_COLON, at_encoded=True)


def _login(
    text: str, begin: int, end: int, separators: Sequence[re.Pattern[str]], at_encoded: bool = False
) -> Span | None:
    """From behind the first separator to the last @; with `at_encoded` to the end where there is none but as %40."""
    for separator in separators:
        found = separator.search(text, begin, end)
        if found is None:
            continue
        at = text.rfind("@", found.end(), end)
        if at >= 0:
            return found.end(), at
        if at_encoded and text.find("%40", found.end(), end) >= 0:
            return found.end(), end
    return None


def _login_of_url(text: str, url: re.Match[str], end: int) -> Span | None:
    """The login of a URL that ends at `end`. A slash parts user and password as Oracle's tools have it."""
    begin = url.end()
    if url["other"]:
        return _login(text, begin, end, _BY_COLON)
    if _is_oracle(url):
        return _login(text, begin, end, _BY_SLASH, at_encoded=True) or _hostless(text, begin, end)
    span = _login(text, begin, end, _BY_PLAIN_SLASH)
    if span is not None and text[span[0] - 1] == "/" and _known(_FIRST, text, *span) is not None:
        # The slash before a database's name, and an @ in an option behind it.
        span = _login(text, begin, end, _BY_COLON)
    return span or _hostless(text, begin, end)


def _is_oracle(url: re.Match[str]) -> bool:
    return bool(url["thin"]) or url["database"].lower().startswith("oracle")


def _hostless(text: str, begin: int, end: int) -> Span | None:
    """Of `scheme://user:secret`, whose host was forgotten: what stands where a port would, and is none."""
    colon = text.find(":", begin, end)
    if colon < 0 or "@" in text[begin:end] or _HOSTS.match(text, begin, end):
        return None
    return colon + 1, end


def _nameless_login(word: str, url: re.Match[str]) -> Span | None:
    """All before the last @ of a URL that nobody knows: its scheme may be the user, and the slashes of the password."""
    if not url["other"] or url["other"].lower() in _WITHOUT_LOGIN:
        return None
    at = word.rfind("@", url.end())
    return (url.end(), at) if at >= 0 else None


# Running text


def _in_line(line: str, location: bool) -> Iterator[Span]:
    urls = [url for number, url in enumerate(_URL.finditer(line)) if not number or _begins(line, url.start())]
    for url, bound in zip(urls, [*(url.start() for url in urls[1:]), len(line)], strict=False):
        yield from _some(_login_in_text(line, url, bound))
    if location or "@//" in line:
        for token in re.finditer(r"\S+", line):
            begin = token.end() - len(token[0].lstrip(_OPENING))
            if _URL.search(line, begin, token.end()) is None:
                yield from _some(_bare_login(line, begin, token.end(), location))
    yield from _settings(line, in_text=True)


def _begins(line: str, start: int) -> bool:
    """Whether a URL stands by itself, and is no part of the password in one before it."""
    return line[start - 1].isspace() or line[start - 1] in _OPENING


def _login_in_text(line: str, url: re.Match[str], bound: int) -> Span | None:
    """Within quotes up to the last of their kind, elsewhere up to a blank; further only when this must be a password."""
    begin = url.end()
    if begin > bound:
        return None
    quote = line[url.start() - 1] if url.start() else ""
    end = line.find(quote, begin, bound) if quote in _OPENING[:3] and quote else -1
    if end < 0:
        quote, end = "", _blank(line, begin, bound)
    if "@" not in line[begin:bound] or (
        _HOSTS.match(line, begin, end) and not _at_after_colon(line, begin, end)
    ):
        return _login_of_url(line, url, end)
    if quote:
        last = line.rfind(quote, begin, bound)
        end = last if line.find("@", begin, last) >= 0 else bound
    elif "@" not in line[begin:end]:
        end = bound
    return _login_of_url(line, url, end)


def _at_after_colon(line: str, begin: int, end: int) -> bool:
    colon = _EITHER.search(line, begin, end)
    return colon is not None and line.find("@", colon.end(), end) >= 0


def _blank(line: str, begin: int, end: int) -> int:
    found = _BLANK.search(line, begin, end)
    return found.start() if found else end


# Settings


def _settings(text: str, in_text: bool) -> Iterator[Span]:
    at = 0
    while (setting := _SETTING.search(text, at)) is not None:
        at = setting.end()
        if names_secret(setting["key"]) and at < len(text):
            span = _value(text, setting, in_text)
            yield span
            at = max(at, span[1])


def _value(text: str, setting: re.Match[str], in_text: bool) -> Span:
    begin = setting.end()
    if in_text and (already := _ALREADY.match(text, begin)):
        return already.span()
    if setting["mark"] == ":":
        return _value_of_document(text, begin)
    quoted = _QUOTED.match(text, begin)
    if quoted and (_QUOTED_END.match(text, quoted.end()) if in_text else _is_clean(text, quoted.end())):
        return quoted.span()
    if in_text and _OF_A_SHELL.match(text, setting.start()):
        word = _SHELL_WORD.match(text, begin)
        return begin, word.end() if word else begin
    following = _known(_NEXT, text, begin, len(text))
    return begin, len(text) if following is None else following


def _known(pattern: re.Pattern[str], text: str, begin: int, end: int) -> int | None:
    """Where a setting that everybody knows begins: a value without quotes ends there, any other sign may be its own."""
    keys = ((found["key"].casefold(), found.start()) for found in pattern.finditer(text, begin, end))
    return next((at for key, at in keys if key in _KEYS or key.startswith("ssl")), None)


def _is_clean(text: str, end: int) -> bool:
    """Whether a value in quotes is over where its quotes are: else they are signs of a password that stands without any."""
    return end == len(text) or _known(_NEXT, text, end, len(text)) == end


def _value_of_document(text: str, begin: int) -> Span:
    """Of JSON or of a dictionary of Python's: its quotes stay, so that it can still be read."""
    found = _QUOTED.match(text, begin)
    if found is not None:
        marks = 2 if text[begin] == "\\" else 1
        return begin + marks, found.end() - marks
    # In quotes that were never closed it goes on to the end.
    bare = None if text[begin] in "\\\"'" else _BARE_END.search(text, begin)
    return begin, bare.start() if bare else len(text)


def _decoded(text: str) -> str:
    """Percent signs resolved, as far as they can be."""
    if "%" not in text:
        return text
    from urllib.parse import unquote

    return unquote(text)


# What is known


def _without_word(text: str, word: str, location: bool) -> str:
    """The text with that word as it may be shown, however it is quoted there, and without pieces of its passwords."""
    shown = redact_word(word, location)
    for form in (str, _in_python, _in_json, _as_path):
        text = text.replace(form(word), form(shown))
        # So much is left of it where it was redacted as text, on its way into an error or a note.
        text = text.replace(redact(form(word)), form(shown))
    return _without_pieces(text, [word[begin:end] for begin, end in _in_word(word, location)], shown)


def _without_pieces(text: str, secrets: Sequence[str], shown: str) -> str:
    pieces = {piece for secret in secrets for piece in _pieces(secret) if piece not in shown}
    found = (at for at in range(len(text)) if text[at : at + _PIECE] in pieces)
    return _hide(text, [(at, at + _PIECE) for at in found])


def _pieces(secret: str) -> Iterator[str]:
    """Of a password in each of its forms. Plain words are left out: they stand in other text by chance."""
    from urllib.parse import quote

    for form in {
        secret,
        _decoded(secret),
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
