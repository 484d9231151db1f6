"""No password survives, whatever it is and however it was typed; and nothing else is changed."""

from __future__ import annotations

import shlex
import subprocess

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from made_passwords import FORMS, LETTERS, SIGNS, Form, Password, leaked, passwords
from plimsoll.base.redact import (
    HIDDEN,
    login_secret,
    names_secret,
    redact,
    redact_all,
    redact_command,
    redact_knowing,
    redact_line,
    redact_word,
    shown_of,
)

COUNT = 2000

SHOWN = [
    ("postgresql://me:secret@db/shop", "postgresql://me:***@db/shop"),
    ("postgresql+psycopg://me:s:e@c@db/shop", "postgresql+psycopg://me:***@db/shop"),
    ("postgresql://me:s/l?a#s@h@db/shop", "postgresql://me:***@db/shop"),
    ("postgresql://me:@db/shop", "postgresql://me:***@db/shop"),
    ("postgresql://:pw@db/shop", "postgresql://:***@db/shop"),
    ("postgresql://me:pw@[::1]:5432/shop", "postgresql://me:***@[::1]:5432/shop"),
    ("postgresql://me:it's", "postgresql://me:***"),
    ("postgresql://me%3Apw@db:5432/shop", "postgresql://me%3A***@db:5432/shop"),
    ("postgresql://me:pw%40db/shop", "postgresql://me:***"),
    ("oracle://system/manager@db:1521/svc", "oracle://system/***@db:1521/svc"),
    ("postgresql://system/manager@db", "postgresql://system/***@db"),
    ("jdbc:oracle:thin:scott/tiger@//host:1521/svc", "jdbc:oracle:thin:scott/***@//host:1521/svc"),
    ("jdbc:oracle:thin:scott/tiger@host:1521:orcl", "jdbc:oracle:thin:scott/***@host:1521:orcl"),
    ("jdbc:postgresql://h/db?user=u&password=p", "jdbc:postgresql://h/db?user=u&password=***"),
    ("scott/tiger@//host:1521/svc", "scott/***@//host:1521/svc"),
    (
        "postgresql://db/shop?user=me&password=secret&sslmode=require",
        "postgresql://db/shop?user=me&password=***&sslmode=require",
    ),
    ("postgresql://db/shop?pass%77ord=se#c r&et", "postgresql://db/shop?pass%77ord=***"),
    ("postgresql://db/shop?sslpassword=x", "postgresql://db/shop?sslpassword=***"),
    ("mysql://db/shop?pwd=x", "mysql://db/shop?pwd=***"),
    ("host=db password='it is \\' secret' user=me", "host=db password=*** user=me"),
    ("host=db password = 'it''s' user=me", "host=db password = *** user=me"),
    ("host=db password=it's user=me", "host=db password=*** user=me"),
    ('host=db PASSWORD="x y" user=me', "host=db PASSWORD=*** user=me"),
    ("Server=db;Pwd={a;b}}c};Database=shop", "Server=db;Pwd=***;Database=shop"),
    ("(DESCRIPTION=(PASSWORD=a b)(HOST=db))", "(DESCRIPTION=(PASSWORD=***)(HOST=db))"),
    ('{"password": "a\\"b", "user": "me"}', '{"password": "***", "user": "me"}'),
    ("{'password': 'a\\'b', 'user': 'me'}", "{'password': '***', 'user': 'me'}"),
    ('{\\"passphrase\\": \\"x\\"}', '{\\"passphrase\\": \\"***\\"}'),
    ("{'api_token': b'x,y'}", "{'api_token': b'***'}"),
]

UNCHANGED = [
    "postgresql://db.example:5432/shop",
    "postgresql://me@db/shop",
    "postgresql://me@db:5432/shop",
    "postgresql://me@[::1]:5432/shop",
    "postgresql://a:1,b:2/shop?target_session_attrs=any",
    "postgresql://db/shop?user=me@corp",
    "postgresql://db:5432/shop?user=me%40corp",
    "postgresql://db:5432/my%40shop",
    "postgresql://plimsoll@/postgres?host=%2Ftmp%2Fa%40b&port=5432",
    "jdbc:oracle:thin:@//host:1521/svc",
    "https://example.org/a:b",
    "https://me@example.org/a",
    "12:30",
    "sim:mean=100us",
    "/backups/db@host/awr.html",
    "./a:b@c",
    "reports/a@b.txt",
    "--rate=2k",
    "read.p99=5ms,redo.p99=2ms",
    "a passage of text with passwords in it, and a secret: none",
    "using password: YES",
    "",
]


@pytest.mark.parametrize(("text", "shown"), SHOWN)
def test_passwords_are_hidden(text: str, shown: str) -> None:
    assert redact(text) == shown
    assert redact_word(text) == shown
    assert redact_word(text, location=True) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("see postgresql://a:b@c/d and mysql://e:f@g", "see postgresql://a:***@c/d and mysql://e:***@g"),
        ("see postgresql://a:b b@c/d", "see postgresql://a:***@c/d"),
        ("cannot read 'postgresql://a:it's@c' as 'x'", "cannot read 'postgresql://a:***@c' as 'x'"),
        ("bad value 'postgresql://a:hunter…'", "bad value 'postgresql://a:***'"),
        ("PGPASSWORD=secret psql", "PGPASSWORD=*** psql"),
        ("PGPASSWORD=a' b'\\ c psql", "PGPASSWORD=*** psql"),
        ("connect(password='it\\'s', user='me')", "connect(password=***, user='me')"),
        ("password=a b\nnext line", "password=***\nnext line"),
        ("host=db password=a b user=me: refused", "host=db password=*** user=me: refused"),
        ("no such file: /here/postgresql:/a:b@c", "no such file: /here/postgresql:/a:***@c"),
        ("Key (password)=(abc) exists", "Key (password)=***"),
    ],
)
def test_running_text(text: str, shown: str) -> None:
    assert redact(text) == shown
    assert redact(text, location=True) == shown


@pytest.mark.parametrize("text", [*UNCHANGED, "a:b@c", "me@db:5432/shop: refused, mail me@x.org"])
def test_other_text_stays(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize("text", UNCHANGED)
def test_other_words_stay(text: str) -> None:
    assert redact_word(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "'postgresql://db:5432/shop' is not 'me@x'",
        "see postgresql://db:5432/shop, or mail me@x.org",
        'could not log in to me@db:5432/shop: connection to server at "db" (10.0.0.1), port 5432 failed',
        "access denied for user 'me'@'db' (using password: YES)",
        'connection to server on socket "/tmp/x@y/.s.PGSQL.5432" failed',
        "invalid username/password; logon denied (ORA-01017)",
    ],
)
def test_messages_about_databases_stay(text: str) -> None:
    assert redact(text) == text
    assert redact(text, location=True) == text


@pytest.mark.parametrize(
    ("word", "elsewhere", "in_location"),
    [
        ("scott/tiger@db", "scott/tiger@db", "scott/***@db"),
        ("scott/ti:ger@db", "scott/ti:ger@db", "scott/***@db"),
        ("me:pw@db", "me:***@db", "me:***@db"),
        ("reports/a@b.txt", "reports/a@b.txt", "reports/***@b.txt"),
        ("/backups/db@host/x.sqlite", "/backups/db@host/x.sqlite", "/backups/db@host/x.sqlite"),
        ("me%2Fpw%40db", "me%2Fpw%40db", "me%2F***"),
        ("me:pw%40db", "me:***", "me:***"),
        ("//me:pw@db", "//me:***@db", "//me:***@db"),
        ("~me:pw@db", "~me:***@db", "~me:***@db"),
        ("~/a:b@c", "~/a:b@c", "~/a:b@c"),
        ("~me/a:b@c", "~me/a:b@c", "~me/a:b@c"),
    ],
)
def test_where_a_slash_parts_user_and_password(word: str, elsewhere: str, in_location: str) -> None:
    assert redact_word(word) == elsewhere
    assert redact_word(word, location=True) == in_location
    assert redact(f"no word '{word}'") == f"no word '{word}'"


@pytest.fixture(scope="module")
def some() -> list[Password]:
    return list(passwords(COUNT))


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_no_form_shows_a_password(form: Form, some: list[Password]) -> None:
    fitting = [password for password in some if form.fits(password.text)]
    assert len(fitting) > COUNT // 2, "most passwords fit each form"
    for password in fitting:
        word, pieces = form.make(password), password.pieces()
        shown = redact_word(word, location=True)
        assert leaked(shown, pieces) == set(), (word, shown)
        if form.where == "anywhere":
            assert leaked(redact_word(word), pieces) == set(), word


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_no_command_shows_a_password(form: Form, some: list[Password]) -> None:
    for password in [password for password in some[::10] if form.fits(password.text)]:
        word, pieces = form.make(password), password.pieces()
        words = ["plimsoll", "demand", "--database", word, "--seconds", "1"]
        line = redact_command(words)
        assert leaked(line, pieces) == set(), (word, line)
        assert redact_line(line) == line
        assert shlex.split(line) == redact_all(words)
        told = redact_knowing(f"no {word!r} or {word} or {word.replace('//', '/')}", words)
        assert leaked(told, pieces) == set(), (word, told)


@pytest.mark.parametrize("form", [form for form in FORMS if form.is_url], ids=lambda form: form.name)
def test_no_text_shows_a_piece_of_what_is_known(form: Form, some: list[Password]) -> None:
    """But for stretches of plain letters, which may be any word."""
    for password in [password for password in some[::10] if form.fits(password.text)]:
        words = ["demand", "--database", form.make(password)]
        told = redact_knowing(f"it is {password.text}, or {password.text[:7]}… or {password.encoded}", words)
        assert leaked(told, {piece for piece in password.pieces() if not piece.isalpha()}) == set(), words


TEXT_FORMS = [form for form in FORMS if form.name.endswith(("encoded", "-single", "json", "dictionary"))]


@pytest.mark.parametrize("form", TEXT_FORMS, ids=lambda form: form.name)
def test_no_text_shows_what_is_quoted_well(form: Form, some: list[Password]) -> None:
    """Where the end of the password is certain, running text is as safe as a word."""
    for password in some[::5]:
        if form.fits(password.text) and "\n" not in password.text:
            text = f"first line\ncannot use {form.make(password)} here: connection refused"
            assert leaked(redact(text), password.pieces()) == set(), text


_BITS = [*SIGNS, *LETTERS[:6], "password", "pwd", "postgresql://", "oracle://", "\n", "ä", "***", " user="]
anything = st.lists(st.sampled_from(_BITS)).map("".join)


@given(anything)
@example("password='x' and more")
@example('(PASSWORD="x")')
def test_what_was_redacted_stays_as_it_is(text: str) -> None:
    for location in (False, True):
        shown = redact(text, location)
        assert redact(shown, location) == shown
        word = redact_word(text, location)
        assert redact_word(word, location) == word


@given(st.text(st.sampled_from([*LETTERS, " ", "/", ".", ",", "-", "ä"])))
def test_text_without_the_signs_of_a_password_stays(text: str) -> None:
    assert redact(text) == redact_word(text) == text


@given(st.lists(anything.filter(lambda word: "\0" not in word)))
def test_a_recorded_command_can_be_taken_apart_again(words: list[str]) -> None:
    line = redact_command(words)
    assert shlex.split(line) == redact_all(words)
    assert redact_line(line) == line


def test_a_recorded_command_is_what_a_shell_would_do() -> None:
    words = [
        "--out",
        "a b",
        "it's",
        "$HOME",
        "",
        "*",
        "--database",
        "postgresql://me:a b@db/x?a=1&password=y",
    ]
    line = redact_command(words)
    done = subprocess.run(
        ["/bin/sh", "-c", f"printf '%s\\n' {line}"], capture_output=True, text=True, check=True
    )
    assert done.stdout.split("\n")[:-1] == [*words[:-1], "postgresql://me:***@db/x?a=1&password=***"]
    assert redact_command(["plimsoll", "demand", "--database", "postgresql://me:x@db/y"]) == (
        "plimsoll demand --database postgresql://me:***@db/y"
    )


def test_words_of_a_command() -> None:
    assert redact_all(["--database", "postgresql://a:b@c"]) == ["--database", "postgresql://a:***@c"]
    assert redact_all(["--database=a/b@c", "--store", "a/b@c", "a/b@c"]) == [
        "--database=a/***@c",
        "--store",
        "a/***@c",
        "a/b@c",
    ]
    assert redact_all(["--password", "tiger", "--json"]) == ["--password", HIDDEN, "--json"]
    assert redact_all(["--password=tiger", "--no-direct", "x"]) == ["--password=***", "--no-direct", "x"]


@pytest.mark.parametrize(
    ("url", "secret"),
    [
        ("postgresql://me:a@b/c@db/shop", "a@b/c"),
        ("postgresql://me:@db", ""),
        ("oracle://system/manager@db", "manager"),
        ("postgresql://me@db:5432/shop", None),
        ("postgresql://db/shop?password=x", None),
        ("embedded", None),
    ],
)
def test_the_password_of_a_login(url: str, secret: str | None) -> None:
    assert login_secret(url) == secret


def test_a_piece_of_a_url_is_shown_where_it_still_stands() -> None:
    url = "postgresql://me:a/port?option=1@h%2Fx:port/shop"
    assert shown_of("me", url) == "me"
    assert shown_of("h/x", url) == "h/x"
    assert shown_of("option", url) == HIDDEN


def test_words_of_a_message_stay_although_they_are_a_password() -> None:
    """Whoever has `postgres` for a password must still be able to read."""
    words = ["--database", "postgresql://postgres:postgres@db/postgres"]
    assert redact_knowing("could not reach postgres@db: postgres is down", words) == (
        "could not reach postgres@db: postgres is down"
    )


def test_a_piece_of_a_password_is_hidden_in_text_about_its_command() -> None:
    words = ["--database", "postgresql://me:Pa55%2Fw0rd-9@db/x"]
    assert redact_knowing("ValueError: 'Pa55/w0rd'", words) == "ValueError: '***'"
    assert redact_knowing("KeyError: 'w0rd-9'", words) == "KeyError: '***'"


@pytest.mark.parametrize(
    "key", ["password", "PGPASSWORD", "sslpassword", "Pwd", "pass%77ord", "auth_token", "pass", "pw"]
)
def test_keys_of_passwords(key: str) -> None:
    assert names_secret(key)


@pytest.mark.parametrize("key", ["passes", "user", "bypass", "compass", "pwr", "key"])
def test_other_keys(key: str) -> None:
    assert not names_secret(key)


_LONG = (
    "a",
    ":",
    "a:",
    "@",
    "=",
    "a=",
    "'",
    '"',
    "\\",
    "%",
    " ",
    "postgresql://",
    " postgresql://",
    "password=",
    "a:b@",
    "[",
    "a/",
)


@pytest.mark.parametrize("sign", _LONG)
def test_long_text_takes_no_longer_than_it_is_long(sign: str) -> None:
    """A pattern that looks back again and again would not come to its end within a test's time."""
    text = sign * 50_000
    assert len(redact(text)) <= len(text)
    assert len(redact_word(text, location=True)) <= len(text)
