"""Passwords, every form in which one may be typed, and the search for what is left of one.

They are drawn from a seed, so that each run has the same. Most are of random signs, with blanks, quotes and all that means
something in a URL, a list of settings, a shell or JSON; some are made to look like a setting or a URL themselves.
"""

from __future__ import annotations

import html
import json
import random
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal
from urllib.parse import quote

SIGNS = "'\" \\@:/?#%&=;{}()[]$`|<>!*+,-.~^_"
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
FOREIGN = "äßéøłżЖщ中文€😀\t"
PIECE = 6
"""So many signs in a row of a password are a leak; the random ones never stand in ordinary text."""

_FEW = 500

_LOOKALIKES = (
    "password={}", "pwd='{}", "{} secret={}", "postgresql://{}", "postgresql://a:{}@h/x", "{}://{}", "?{}=1&{}", "***@{}",
    "%40{}%2F", '"password": "{}"', "{}@{}:5432/{}", "jdbc:oracle:thin:{}/{}@//h", "--database={}", "{}/{}@//h:1/x",
    "{{{}}}", "'{}'", '"{}"', "({})", "{}\\", "{}%", "%zz{}", "5432/{}", "1.2.3.4:5432/{}", "/{}", "{}\n{}",
)  # fmt: skip


@dataclass(frozen=True)
class Password:
    """A password, and those parts of it which are nothing but random."""

    text: str
    random_parts: tuple[str, ...]

    @property
    def encoded(self) -> str:
        """As it stands in a URL that is written well."""
        return quote(self.text, safe="")

    @cached_property
    def pieces(self) -> frozenset[str]:
        """What may stand nowhere: every stretch of its random parts, as they are and percent-encoded."""
        forms = [form for part in self.random_parts for form in (part, quote(part, safe=""))]
        return frozenset(form[at : at + PIECE] for form in forms for at in range(len(form) - PIECE + 1))


def passwords(count: int, seed: int = 4) -> Iterator[Password]:
    """`count` of them, the same for the same seed."""
    source = random.Random(seed)
    for number in range(count):
        yield _lookalike(source) if number % 5 == 4 else _random(source)


def _random(source: random.Random) -> Password:
    while True:
        text = "".join(_sign(source) for _ in range(source.randint(8, 24)))
        # Signs alone could stand in ordinary text; a blank at an end is lost in half of all tools, ours included by none.
        if sum(sign in LETTERS for sign in text) >= len(text) // 3:
            return Password(text, (text,))


def _sign(source: random.Random) -> str:
    return source.choice(source.choices((LETTERS, SIGNS, FOREIGN), (6, 5, 1))[0])


def _lookalike(source: random.Random) -> Password:
    pattern = source.choice(_LOOKALIKES)
    holes = pattern.replace("{{", "").replace("}}", "").count("{}")
    parts = tuple("".join(source.choices(LETTERS, k=9)) for _ in range(holes))
    return Password(pattern.format(*parts), parts)


@dataclass(frozen=True)
class Form:
    """A way to type a password. `make` gives the word; `fits` says for which passwords it can only mean one thing.

    `where`: a word that leads to a database or store shows what it is in any form but one, another one only in some.
    """

    name: str
    make: Callable[[Password], str]
    where: Literal["anywhere", "location", "database"] = "anywhere"
    fits: Callable[[str], bool] = lambda text: True
    is_url: bool = False
    """Whether a driver could connect with it."""


_SETTING_INSIDE = re.compile(
    r"[&;,()\s]\s*(?:user|host|port|ssl\w*|mode|options|server|service|driver|database)[ \t]*=", re.I
)


def _without_setting(text: str) -> bool:
    """Unquoted, a password goes on to the next setting; one that holds a setting cannot be told from a list of two."""
    return _SETTING_INSIDE.search(text) is None


def _no_port(text: str) -> bool:
    """Where a host was forgotten, the password stands where a port would; and must not look as if it had a host behind it."""
    return "@" not in text and re.match(r"\d*(?:[/?#,]|\Z)", text) is None


def _no_slashes(text: str) -> bool:
    """`user://…` is a URL by every reading."""
    return not text.startswith("//")


def _no_host(text: str) -> bool:
    """Without an @, behind which a host would stand."""
    return "@" not in text


def _no_query(text: str) -> bool:
    """Without what could be an option of a URL: its value may hold any sign."""
    return "?" not in text


def _no_host_and_port(text: str) -> bool:
    return _no_host(text) and _no_port(text) and _no_slashes(text)


def _no_blank(text: str) -> bool:
    """As a statement takes it without quotes."""
    return re.fullmatch(r"[^\s'\"\\]\S*", text) is not None


def _in_sql(text: str, quote: str) -> str:
    return quote + text.replace(quote, 2 * quote) + quote


def _libpq(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


_AT = "127.0.0.1:1"
"""Nobody listens there."""

FORMS = (
    # Written well.
    *(Form(f"{scheme}-encoded", lambda p, s=scheme: f"{s}://me:{p.encoded}@{_AT}/shop", is_url=True)
      for scheme in ("postgresql", "mysql", "oracle")),
    Form("query-encoded", lambda p: f"postgresql://{_AT}/shop?user=me&password={p.encoded}&sslmode=disable", is_url=True),
    Form("passphrase-encoded", lambda p: f"postgresql://me@{_AT}/shop?sslpassword={p.encoded}", is_url=True),
    Form("key-encoded", lambda p: f"postgresql://{_AT}/shop?user=me&pass%77ord={p.encoded}", is_url=True),
    Form("option-joined", lambda p: f"--database=postgresql://me:{p.encoded}@{_AT}/shop"),
    # Typed as it is, or in half.
    *(Form(f"{scheme}-raw", lambda p, s=scheme: f"{s}://me:{p.text}@{_AT}/shop", is_url=True)
      for scheme in ("postgresql", "mysql", "oracle")),
    Form("other-scheme", lambda p: f"orakel://me:{p.text}@{_AT}/shop"),
    Form("one-slash", lambda p: f"postgresql:/me:{p.text}@{_AT}/shop"),
    Form("colon-encoded", lambda p: f"postgresql://me%3A{p.encoded}@{_AT}/shop", is_url=True),
    Form("at-encoded", lambda p: f"postgresql://me:{p.encoded}%40{_AT}/shop", fits=_no_port, is_url=True),
    Form("host-forgotten", lambda p: f"postgresql://me:{p.text}", fits=_no_port, is_url=True),
    Form("query-raw", lambda p: f"postgresql://{_AT}/shop?user=me&password={p.text}", fits=_without_setting, is_url=True),
    Form("query-pwd", lambda p: f"mysql://{_AT}/shop?pwd={p.encoded}", is_url=True),
    *(Form(f"{scheme}-host-forgotten-at", lambda p, s=scheme: f"{s}://me:x@{p.text}/Wm:4v", fits=_no_query, is_url=True)
      for scheme in ("postgresql", "mysql", "oracle")),
    Form("oracle-slash-host-forgotten", lambda p: f"oracle://me/{p.text}", fits=lambda text: _no_host(text) and _no_query(text),
         is_url=True),
    Form("oracle-word-encoded", lambda p: f"oracle://{p.encoded}@{_AT}", is_url=True),
    # Other tools' forms.
    Form("oracle-slash", lambda p: f"oracle://me/{p.text}@{_AT}/shop", is_url=True),
    Form("slash", lambda p: f"me/{p.text}@{_AT}", where="location"),
    Form("slash-hostless", lambda p: f"me/{p.text}", where="location", fits=_no_host),
    Form("slash-role", lambda p: f"me/{p.text} as sysdba", where="location", fits=_no_host),
    Form("slash-host-role", lambda p: f"me/{p.text}@{_AT} as sysdba", where="location"),
    Form("slash-hostless-at", lambda p: f"me/x@{p.text}/W:4v", where="location", fits=_no_query),
    Form("colon-hostless", lambda p: f"me:{p.text}", where="database", fits=_no_host_and_port),
    Form("key-login", lambda p: f"x=me/{p.text}@{_AT}"),
    Form("option-key-login", lambda p: f"--set=x=me/{p.text}@{_AT}"),
    Form("login-key", lambda p: f"userid=me/{p.text}", fits=_no_host),
    Form("slash-easy-connect", lambda p: f"me/{p.text}@//{_AT}/shop"),
    Form("colon", lambda p: f"me:{p.text}@{_AT}", fits=_no_slashes),
    Form("jdbc-oracle", lambda p: f"jdbc:oracle:thin:me/{p.text}@//{_AT}/shop"),
    Form("jdbc-login", lambda p: f"jdbc:mysql://me:{p.text}@{_AT}/shop"),
    Form("jdbc-query", lambda p: f"jdbc:postgresql://{_AT}/shop?user=me&password={p.text}", fits=_without_setting),
    Form("list", lambda p: f"host=127.0.0.1 port=1 password={p.text} user=me", fits=_without_setting),
    Form("list-single", lambda p: f"host=127.0.0.1 password = {_libpq(p.text)} user=me", fits=_without_setting),
    Form("list-double", lambda p: f'host=127.0.0.1 PASSWORD="{p.text}" user=me', fits=_without_setting),
    Form("list-braces", lambda p: f"Server=127.0.0.1;Uid=me;Pwd={{{p.text.replace('}', '}}')}}};Port=1", fits=_without_setting),
    Form("descriptor", lambda p: f"(DESCRIPTION=(ADDRESS=(HOST=127.0.0.1))(USER=me)(PASSWORD={p.text}))", fits=_without_setting),
    Form("variable", lambda p: f"PGPASSWORD={p.text}", fits=_without_setting),
    # What servers say.
    Form("identified-single", lambda p: f"create user me identified by {_in_sql(p.text, chr(39))} account unlock"),
    Form("identified-double", lambda p: f"ALTER USER me IDENTIFIED BY {_in_sql(p.text, chr(34))}"),
    Form("identified-values-single", lambda p: f"alter user me identified by values {_in_sql(p.text, chr(39))}"),
    Form("identified-bare", lambda p: f"alter user me identified by {p.text} account unlock", fits=_no_blank),
    Form("identified-replace", lambda p: f"alter user me identified by x replace {p.text}", fits=_no_blank),
    Form("sql-password-single", lambda p: f"alter role me password {_in_sql(p.text, chr(39))}"),
    Form("sentence", lambda p: f"password: {p.text}"),
    Form("json", lambda p: json.dumps({"user": "me", "password": p.text})),
    Form("dictionary", lambda p: repr({"user": "me", "password": p.text, "port": 1})),
)  # fmt: skip


def fits_command(form: Form, is_database: bool, is_store: bool) -> bool:
    """Whether a form is told by what a command takes."""
    return form.where == "anywhere" or is_database or (is_store and form.where == "location")


def uses(count: int) -> Iterator[tuple[Form, Password]]:
    """Each password in one form that fits it, all forms alike often."""
    for number, password in enumerate(passwords(count)):
        fitting = [form for form in FORMS if form.fits(password.text)]
        yield fitting[number % len(fitting)], password


def pieces_of(some: Iterable[Password]) -> frozenset[str]:
    """Of all of them together."""
    return frozenset(piece for password in some for piece in password.pieces)


def leaked(text: str, pieces: frozenset[str] | set[str]) -> set[str]:
    """Those pieces that stand in a text, also where it is escaped as Python, JSON or HTML escape."""
    readings = {text, re.sub(r"\\(.)", r"\1", text), html.unescape(text)}
    if len(pieces) < _FEW:
        together = "\0".join(readings)  # No piece has that sign.
        return {piece for piece in pieces if piece in together}
    windows = (reading[at : at + PIECE] for reading in readings for at in range(len(reading) - PIECE + 1))
    return {window for window in windows if window in pieces}
