"""Passwords that a name before them tells: of a setting, of a clause of SQL, or in a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from plimsoll.base.patterns import late

HIDDEN = "***"
Span = tuple[int, int]
"""Where a password begins and ends in a text."""

_KEY = r"(?:api|access|account|encryption|private|storage|scram_client|scram_server)[_.-]?key"

_SECRET = late(
    rf"password|passwd|pwd|passphrase|secret|token|credential|{_KEY}|(?<![^\W_])(?:pass|pw)(?![^\W_])"
)
"""What the name of a setting says that holds one; the short ones only as words of their own."""

_KEYS = frozenset({
    "application_name", "catalog", "channel_binding", "charset", "client_encoding", "connect_data", "connect_timeout",
    "currentschema", "database", "dbname", "driver", "encrypt", "fallback_application_name", "gssdelegation", "gssencmode",
    "gsslib", "host", "hostaddr", "keepalives", "keepalives_count", "keepalives_idle", "keepalives_interval", "krbsrvname",
    "load_balance_hosts", "max_protocol_version", "min_protocol_version", "mode", "oauth_client_id", "oauth_issuer",
    "oauth_scope", "options", "passfile", "port", "protocol", "replication", "require_auth", "requirepeer", "requiressl",
    "server", "service", "service_name", "servicefile", "sid", "socket", "source", "target_session_attrs", "tcp_user_timeout",
    "tns_admin", "trusted_connection", "uid", "unix_socket", "user", "username", "wallet_location",
})  # fmt: skip
"""Settings of connections that may stand behind a password; besides, all whose names begin with `ssl`."""

_NEXT_KEY = late(r"[&;,()\s]+(?P<key>\w+)[ \t]*=")
FIRST_KEY = late(r"\?(?P<key>\w+)=")

_SETTING = late(
    r"""(?<![\w.%+-])(?P<key>[\w.%+-]+)
    (?: [ \t]*=[ \t]* | (?P<close>\\?["'`)\]]+)[ \t]*(?P<mark>[=:])[ \t]*(?P<bytes>b(?=["']))? )""",
    re.VERBOSE,
)

_OF_A_SHELL = late(r"(?<!\S)(?!PASSWORD=)[A-Z][A-Z0-9_]*=")
"""A variable before a command, whose value is one word of a shell."""

_SHELL_WORD = late(r"""(?:\\.|'[^']*'|"(?:\\.|[^"\\])*"|\S)+""")

_QUOTED = late(
    r"""\\(["'])(?:(?!\\\1).)*+\\\1 | "(?:\\.|""|[^"\\])*+" | '(?:\\.|''|[^'\\])*+' | \{(?:\}\}|[^}])*+\}""",
    re.VERBOSE | re.DOTALL,
)
"""A value in quotes or braces, within which a sign may be escaped or doubled; or in quotes that are escaped themselves."""

_BARE_END = late(r"[,}\]]")
_QUOTED_END = late(r"\Z|[\s&;,)}\]'\"`.:]")
_ALREADY = late(rf"{re.escape(HIDDEN)}(?=\Z|[\s&;,)}}\]'\"`.:])")
_GAP = r"(?:\s|\\[nrt])"

_SAID = late(r"(?<![\w.%+/-])(?P<key>[\w.%+-]+)[ \t]*:[ \t]*(?=\S)")
_SAID_KEY = late(rf"(?:password|passwd|pwd|passphrase|secret|{_KEY}|[_.-]token|(?<![^\W_])pw)\Z")

_SAID_NONE = late(r"(?:yes|no|none)(?!\w|[^\w\s]\w)", re.IGNORECASE)
"""Answers to the question whether there is a password."""

_SAID_END = late(r"\Z|[\s&;,)}\]'\"`.:\\]")
_SAID_QUOTES = ("'", '"', "\\'", '\\"')
TOKEN = late(r"\S+")


def names_secret(key: str) -> bool:
    """Whether a setting of that name, percent-encoded or not, holds a password."""
    return _SECRET.search(decoded(key).casefold()) is not None


@cache
def _sql() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What stands before a password in a statement, and between a new one and an old one. Made when first used."""
    before = rf"""\bidentified{_GAP}++
        (?: by | (?:with|via) {_GAP}++ \S++ {_GAP}++ (?:by|as|using) )
        (?: {_GAP}++ (?:values|password) (?={_GAP}|\\?['"]|\() )? (?: {_GAP}++ | \([ ]* | (?=\\?['"]) )
    | \bpassword (?: {_GAP}++ | \([ ]* ) (?=\\?['"])
    | \bpassword{_GAP}++for{_GAP}++ [^=;\n]{{1,200}} = {_GAP}*+ (?=\S)"""
    between = rf"{_GAP}++ replace {_GAP}++ (?=\S)"
    return re.compile(before, re.IGNORECASE | re.VERBOSE), re.compile(between, re.IGNORECASE | re.VERBOSE)


def statements(text: str, in_text: bool) -> Iterator[Span]:
    """Passwords in SQL, as servers quote it in their messages."""
    folded = text.lower()
    if "identified" not in folded and "password" not in folded:
        return
    before, between = _sql()
    at = 0
    while (found := before.search(text, at)) is not None:
        at = _said_end(text, found.end(), in_text)
        yield found.end(), at
        replaced = between.match(text, at)
        if replaced is not None:
            at = _said_end(text, replaced.end(), in_text)
            yield replaced.end(), at


def sentences(text: str, in_text: bool) -> Iterator[Span]:
    """Of `password: secret`; in a word all that follows."""
    at = 0
    while (found := _SAID.search(text, at)) is not None:
        begin = at = found.end()
        if _SAID_KEY.search(decoded(found["key"]).casefold()) and not _SAID_NONE.match(text, begin):
            end = _said_end(text, begin, in_text) if in_text else len(text)
            yield begin, end
            # What follows may be the next key instead.
            at = end if text.startswith(_SAID_QUOTES, begin) else begin


def _said_end(text: str, begin: int, in_text: bool) -> int:
    """Where a password ends that stands in quotes, or before a blank; with quotes that never end, at the end of the line."""
    if already := _ALREADY.match(text, begin):
        return already.end()
    if not text.startswith(_SAID_QUOTES, begin):
        token = TOKEN.match(text, begin)
        return token.end() if token else begin
    quoted = _QUOTED.match(text, begin)
    if quoted is not None and _SAID_END.match(text, quoted.end()):
        return quoted.end()
    line = text.find("\n", quoted.end() if quoted else begin) if in_text else -1
    return line if line >= 0 else len(text)


def named_values(text: str, in_text: bool) -> Iterator[Span]:
    """Of `key=secret` and `"key": "secret"`."""
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
    following = known_key(_NEXT_KEY, text, begin, len(text))
    return begin, len(text) if following is None else following


def known_key(pattern: re.Pattern[str], text: str, begin: int, end: int) -> int | None:
    """Where a setting that everybody knows begins: a value without quotes ends there, any other sign may be its own."""
    return next(
        (found.start() for found in pattern.finditer(text, begin, end) if is_known_key(found["key"])), None
    )


def is_known_key(key: str) -> bool:
    """Whether it is a setting of connections that everybody knows."""
    return key.casefold() in _KEYS or key.casefold().startswith("ssl")


def _is_clean(text: str, end: int) -> bool:
    """Whether a value in quotes is over where its quotes are: else they are signs of a password that stands without any."""
    return end == len(text) or known_key(_NEXT_KEY, text, end, len(text)) == end


def _value_of_document(text: str, begin: int) -> Span:
    """Of JSON or of a dictionary of Python's: its quotes stay, so that it can still be read."""
    found = _QUOTED.match(text, begin)
    if found is not None:
        marks = 2 if text[begin] == "\\" else 1
        return begin + marks, found.end() - marks
    # In quotes that were never closed it goes on to the end.
    bare = None if text[begin] in "\\\"'" else _BARE_END.search(text, begin)
    return begin, bare.start() if bare else len(text)


def decoded(text: str) -> str:
    """Percent signs resolved, as far as they can be."""
    if "%" not in text:
        return text
    from urllib.parse import unquote

    return unquote(text)
