"""Logins: `user:secret@host` and its relatives, in URLs and alone, whole or with a part forgotten.

A secret goes from the first separator to the last @. Behind that stands a *place*: hosts, ports, a database, options. Where what
stands there is none, the @ was one of the password's, and the secret goes on to the end.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Literal

from plimsoll.base._named_secrets import FIRST_KEY, HIDDEN, TOKEN, Span, is_known_key, known_key, names_secret
from plimsoll.base.patterns import late

Where = Literal["anywhere", "location", "database"]
"""What is known of a word: nothing; that it leads to a database or a store; that it leads to a database, which no path does."""

_DATABASES = r"(?:postgres(?:ql)?|mysql|mariadb|oracle)(?:\+\w+)?"

URL = late(
    rf"""(?:jdbc:)?(?P<database>{_DATABASES}):/+
    | (?P<thin>jdbc:oracle:\w+:)
    | (?:jdbc:)?(?P<other>[a-z][a-z0-9+.-]{{0,40}})://+""",
    re.IGNORECASE | re.VERBOSE,
)
"""Of a database's URL one slash may be gone: that is what a path library makes of it."""

_WITHOUT_LOGIN = frozenset({"file", "ftp", "http", "https", "nfs", "s3", "sftp", "sqlite", "ssh"})
"""Schemes whose URLs may well hold an @ that ends no password."""

_COLON, _EITHER = late(":"), late("[:/]")
_COLON_ENCODED, _EITHER_ENCODED = late("%3a", re.IGNORECASE), late("%3a|%2f", re.IGNORECASE)
_BY_COLON = (_COLON, _COLON_ENCODED)
_BY_SLASH = (_EITHER, _EITHER_ENCODED)

_BY_PLAIN_SLASH = (_EITHER, _COLON_ENCODED)
"""What parts user and password, percent-encoded only where nothing else does."""

_HOST = r"(?:\[[^\]]*\]|[^\[:,/?#@]*)(?::\d*)?"

_HOSTS = late(rf"(?:[^@:/?#]*@)?{_HOST}(?:,{_HOST})*(?=[/?#]|[^\w@%:]*\Z)")
"""Hosts with or without ports, to the end of a URL's authority."""

_PORT, _TYPED_PORT = r"\d+", r"[a-z]+|\d+"
"""Behind an @ a word in small letters may stand for a port: it is told as one that is no number."""

_NAME = r"[\w.$%+~-]*"
_SERVICE = r"[\w.$%#+-]*(?::(?:dedicated|shared|pooled))?(?:/[\w$#]*)?"
_SID = r"(?:(?:(?<=:\d{4})|(?<=:\d{5})):\w+)?"


_QUERY = r"(?:\?(?P<query>[^\s'\"`]*))?"


@cache
def _place(is_oracle: bool, behind_at: bool) -> re.Pattern[str]:
    """What stands where a host is meant, with nothing in it that a URL would have percent-encoded. Made when first used."""
    host = rf"(?:\[[^\]\s]*\]|[\w.%-]*)(?::(?:{_TYPED_PORT if behind_at else _PORT}))?"
    hosts = rf"{host}(?:,{host})*"
    if not is_oracle:
        return re.compile(rf"{hosts}(?:/{_NAME})?{_QUERY}")
    if not behind_at:
        return re.compile(rf"{hosts}(?:/{_SERVICE})?{_QUERY}")
    address = rf"(?:(?:tcps?:)?//?)?{hosts}{_SID}(?:/{_SERVICE})?{_QUERY}(?i:\s+as\s+sys\w+)?"
    return re.compile(rf"\(.*\)|{address}", re.DOTALL)


_PLACE_END = late(r"[.,;'\"`)\]}>…]*+:?(?!\S)")
"""What ends a place in running text: signs of a sentence, and a blank."""

_QUERY_PLAIN = late(r"[^:/@?#]*")
_USER = r"""(?:"[^"]*"|(?:[^\s=:/@%'"(){}<>,;&?#]|%(?!2f|3a))+)"""

_PAIR = late(rf"(?://)?{_USER}(?P<sign>[:/]|%2f|%3a)", re.IGNORECASE)
"""The beginning of a login: a user's name, and what parts it from the password."""

_ROLE = late(r"(?<!\s)\s+as\s+sys\w+\s*\Z", re.IGNORECASE)
"""The end of one, as Oracle's tools take it."""

_STORE_FILES = (".db", ".db3", ".s3db", ".sl3", ".sqlite", ".sqlite3")

_KEYED = late(
    r"""(?:\A|(?<=[=,;&\s(]))(?P<key>[a-z_][\w.-]*)=(?P<user>"[^"]*"|[\w$#.\[\]-]+)(?:/|%2f)""", re.IGNORECASE
)

_FILE_KEYS = frozenset({
    "conffile", "datafile", "dir", "directory", "dumpfile", "dxinfile", "file", "filename", "folder", "if", "in", "infile",
    "input", "jobfile", "log", "logfile", "of", "out", "outfile", "output", "passfile", "path", "spoolfile",
})  # fmt: skip
"""Last words of keys whose values are paths."""

_LAST_WORD = late(r"[_.-]")

_LOGIN_KEYS = frozenset({"userid", "login", "logon"})
"""Settings that hold user and password in one."""

_AUTHORITY_SIGN = late("[:/?#]|%3a", re.IGNORECASE)
_ORACLE_SIGN = late("[:/]|%2f", re.IGNORECASE)
_PATH = late(r"~[\w.-]*/|\.{0,2}/(?!/)")
_BLANK = late(r"\s")
_OPENING = "'\"`([{<"
_HIDDEN_ALONE = late(rf"{re.escape(HIDDEN)}(?!\S)")


def logins_in_word(word: str, where: Where) -> Iterator[Span]:
    """Passwords of logins in a word, which ends where the text ends."""
    url = URL.search(word)
    if url is None or _EITHER.search(word, 0, url.start()):
        # What looks like a URL behind a colon or slash may be a part of a password.
        yield from _some(_login_of_word(word, where))
    if url is not None:
        yield from _some(
            _lone_word(word, url, len(word), in_text=False)
            or login_of_url(word, url, len(word), in_text=False)
            or _nameless_login(word, url)
        )


def logins_in_line(line: str, location: bool) -> Iterator[Span]:
    """Passwords of logins in a line of running text."""
    urls = [url for number, url in enumerate(URL.finditer(line)) if not number or _begins(line, url.start())]
    for url, bound in zip(urls, [*(url.start() for url in urls[1:]), len(line)], strict=False):
        yield from _some(
            _lone_word(line, url, _blank(line, url.end(), bound), in_text=True)
            or _login_in_text(line, url, bound)
        )
    if location or "@//" in line:
        for token in TOKEN.finditer(line):
            begin = token.end() - len(token[0].lstrip(_OPENING))
            if URL.search(line, begin, token.end()) is None:
                yield from _some(_bare_login(line, begin, token.end(), location, in_text=True))


def hostless_in_token(line: str, begin: int, where: Where) -> Iterator[Span]:
    """The password of a login without a host, in a word of a line that begins there and ends before a blank."""
    yield from _some(_hostless_pair(line, begin, _blank(line, begin, len(line)), where))


def _some(span: Span | None) -> Iterator[Span]:
    if span is not None:
        yield span


def _login_of_word(word: str, where: Where) -> Span | None:
    """A login without a scheme, of any kind."""
    end = len(word)
    return (
        _bare_login(word, 0, end, where != "anywhere", in_text=False)
        or _keyed_login(word)
        or (None if where == "anywhere" else _hostless_pair(word, 0, end, where))
    )


def _bare_login(text: str, begin: int, end: int, location: bool, in_text: bool) -> Span | None:
    """Of `user:secret@host`; with a slash for the colon only in locations and before `@//`, which no path has."""
    if _PATH.match(text, begin, end):
        return None
    # With two slashes it begins as a URL does behind its scheme.
    begin += 2 * text.startswith("//", begin, end)
    separators = _BY_SLASH
    if not location and text.find("@//", begin, end) < 0:
        separators = _BY_COLON
        colon = _COLON.search(text, begin, end)
        slash = text.find("/", begin, end)
        if colon is not None and 0 <= slash < colon.start():
            return None
    span = _login(text, begin, end, separators, at_encoded=True)
    return _to_its_place(text, span, end, True, in_text)


def _keyed_login(word: str) -> Span | None:
    """Of `key=user/secret@host`, where the key does not say that its value is a path."""
    for found in _KEYED.finditer(word):
        key = found["key"].casefold()
        if _LAST_WORD.split(key)[-1] in _FILE_KEYS or _PATH.match(word, found.start("user")):
            continue
        at = word.rfind("@", found.end())
        if at >= 0:
            return _to_its_place(word, (found.end(), at), len(word), True, in_text=False)
        if key in _LOGIN_KEYS and found.end() < len(word):
            return found.end(), _without_role(word, found.end(), len(word))
    return None


def _hostless_pair(text: str, begin: int, end: int, where: Where) -> Span | None:
    """Of `user/secret`, and where it can only be a database of `user:secret`, in which no host and port are meant."""
    pair = _PAIR.match(text, begin, end)
    if pair is None or pair.end() == end or _PATH.match(text, begin, end):
        return None
    by_colon = pair["sign"].lower() in (":", "%3a")
    if where != "database" and (by_colon or _may_be_file(text[begin:end], text[begin : pair.start("sign")])):
        return None
    if by_colon and _is_place(_place(True, False), text, begin + 2 * text.startswith("//", begin), end):
        return None
    return pair.end(), _without_role(text, pair.end(), end)


def _without_role(text: str, begin: int, end: int) -> int:
    """Where a password ends that `as sysdba` may follow."""
    role = _ROLE.search(text, begin, end)
    return role.start() if role else end


def _may_be_file(path: str, first: str) -> bool:
    """Whether a store could lie there: its name says so, it is there, or the folder is in which it would be made."""
    return path.lower().endswith(_STORE_FILES) or os.path.isdir(first) or os.path.lexists(path)


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


def _to_its_place(text: str, span: Span | None, end: int, is_oracle: bool, in_text: bool) -> Span | None:
    """Further, to the end, where what stands behind the @ is no host: then the @ is one of the password."""
    if span is None or span[1] == end:
        return span
    is_place = _is_place(_place(is_oracle, True), text, span[1] + 1, end, in_text)
    return span if is_place else (span[0], end)


def _is_place(
    place: re.Pattern[str], text: str, begin: int, end: int, in_text: bool = False, any_query: bool = False
) -> bool:
    """Whether a host, and what may follow one, goes on to the end; in running text to where a sentence goes on."""
    found = place.match(text, begin, end)
    if found is None or not (found.end() == end or (in_text and _PLACE_END.match(text, found.end()))):
        return False
    return found["query"] is None or any_query or _is_query(found["query"], in_text)


def _is_query(query: str, in_text: bool) -> bool:
    """Whether it is a list of settings. Behind a password all is told by their keys; else their values must be plain."""
    for piece in (query.rstrip(".,:;)]}>…!") if in_text else query).split("&"):
        key, equals, value = piece.partition("=")
        if not equals:
            return False
        if names_secret(key):
            return True
        if not is_known_key(key) and not _QUERY_PLAIN.fullmatch(value):
            return False
    return True


def login_of_url(text: str, url: re.Match[str], end: int, in_text: bool) -> Span | None:
    """The login of a URL that ends at `end`. A slash parts user and password as Oracle's tools have it."""
    begin = url.end()
    if url["other"]:
        span = _login(text, begin, end, _BY_COLON)
        return span if _is_known_other(url) else _to_its_place(text, span, end, False, in_text)
    if _is_oracle(url):
        span = _login(text, begin, end, _BY_SLASH, at_encoded=True)
        span = _to_its_place(text, span, end, True, in_text)
        return span or _hostless(text, begin, end, True, in_text) or _portless(text, begin, end)
    span = _login(text, begin, end, _BY_PLAIN_SLASH)
    if span is not None and text[span[0] - 1] == "/" and known_key(FIRST_KEY, text, *span) is not None:
        # The slash before a database's name, and an @ in an option behind it.
        span = _login(text, begin, end, _BY_COLON)
    span = _to_its_place(text, span, end, False, in_text)
    return span or _hostless(text, begin, end, False, in_text)


def _is_oracle(url: re.Match[str]) -> bool:
    return bool(url["thin"]) or (url["database"] or "").lower().startswith("oracle")


def _is_known_other(url: re.Match[str]) -> bool:
    return bool(url["other"]) and url["other"].lower() in _WITHOUT_LOGIN


def _hostless(text: str, begin: int, end: int, is_oracle: bool, in_text: bool) -> Span | None:
    """Of `scheme://user:secret`, whose host was forgotten: what stands where a port would, and is none."""
    sign = _AUTHORITY_SIGN.search(text, begin, end)
    if sign is None or sign[0] in "/?#" or "@" in text[begin:end]:
        return None
    if sign[0] == ":" and _is_place(_place(is_oracle, False), text, begin, end, in_text, any_query=True):
        return None
    return sign.end(), end


def _portless(text: str, begin: int, end: int) -> Span | None:
    """Of `oracle://user/secret`, whose host was forgotten. As host and service nobody could log in with it."""
    sign = _ORACLE_SIGN.search(text, begin, end)
    if sign is None or sign[0] == ":" or sign.end() == end or "@" in text[begin:end]:
        return None
    return None if known_key(FIRST_KEY, text, begin, end) is not None else (sign.end(), end)


def _lone_word(text: str, url: re.Match[str], end: int, in_text: bool) -> Span | None:
    """Of `oracle://word@host`: it may be the user or the password, and where no service follows nothing says which."""
    begin = url.end()
    at = text.rfind("@", begin, end)
    if not _is_oracle(url) or at <= begin or _EITHER.search(text, begin, at):
        return None
    if not url["thin"] and text.find("/", at, end) >= 0:
        return None
    return _to_its_place(text, (begin, at), end, True, in_text)


def _nameless_login(word: str, url: re.Match[str]) -> Span | None:
    """All before the last @ of a URL that nobody knows: its scheme may be the user, and the slashes of the password."""
    if not url["other"] or _is_known_other(url):
        return None
    at = word.rfind("@", url.end())
    span = (url.end(), at) if at >= 0 else None
    return _to_its_place(word, span, len(word), False, in_text=False)


def _begins(line: str, start: int) -> bool:
    """Whether a URL stands by itself, and is no part of the password in one before it."""
    return line[start - 1].isspace() or line[start - 1] in _OPENING


def _login_in_text(line: str, url: re.Match[str], bound: int) -> Span | None:
    """Within quotes up to the last of their kind, elsewhere up to a blank; further only when this must be a password."""
    begin = url.end()
    if begin > bound or _is_hidden(line, begin, bound):
        return None
    quote = line[url.start() - 1] if url.start() else ""
    end = line.find(quote, begin, bound) if quote in _OPENING[:3] and quote else -1
    if end < 0:
        quote, end = "", _blank(line, begin, bound)
    is_host = "@" not in line[begin:bound] or (
        _HOSTS.match(line, begin, end) and not _at_after_colon(line, begin, end)
    )
    if is_host or not quote:
        span = login_of_url(line, url, end, in_text=True)
        # A password that goes on to the end may go on behind it, to the @ before its host.
        if span is None or span[1] < end or line.find("@", end, bound) < 0:
            return span
    return login_of_url(line, url, _end_behind_last_at(line, quote, begin, bound), in_text=True)


def _end_behind_last_at(line: str, quote: str, begin: int, bound: int) -> int:
    last = line.rfind(quote, begin, bound) if quote else -1
    return last if last >= 0 and line.find("@", begin, last) >= 0 else bound


def _is_hidden(line: str, begin: int, end: int) -> bool:
    """Whether all is hidden already of a login that has no host."""
    sign = _EITHER.search(line, begin, end)
    return sign is not None and _HIDDEN_ALONE.match(line, sign.end(), end) is not None


def _at_after_colon(line: str, begin: int, end: int) -> bool:
    colon = _EITHER.search(line, begin, end)
    return colon is not None and line.find("@", colon.end(), end) >= 0


def _blank(line: str, begin: int, end: int) -> int:
    found = _BLANK.search(line, begin, end)
    return found.start() if found else end
