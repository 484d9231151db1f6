"""No password survives, whatever it is and however it was typed; and nothing else is changed."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from made_passwords import LETTERS, SIGNS
from plimsoll.base.redact import (
    HIDDEN,
    login_secret,
    redact,
    redact_all,
    redact_command,
    redact_database,
    redact_knowing,
    redact_line,
    redact_word,
    shown_of,
)

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
    # What stands behind the last @ is no host, so the @ is one of the password.
    ("postgresql://me:Zx9@Kp7/Wm:4v", "postgresql://me:***"),
    ("mysql://me:Zx9@Kp7/Wm:4v", "mysql://me:***"),
    ("oracle://me/Zx9@Kp7/Wm:4v", "oracle://me/***"),
    ("mysql:/me:Zx9@Kp7/Wm/4v", "mysql:/me:***"),
    ("postgresql://me:Zx9@Kp7?Wm4v", "postgresql://me:***"),
    ("postgresql://me:Zx9@Kp7?Wm=4/v", "postgresql://me:***"),
    ("postgresql://me:Zx9@Kp7#Wm4v", "postgresql://me:***"),
    ("postgresql://me:Zx9@Kp7:Wm4v", "postgresql://me:***"),
    ("oracle://me:Zx9@Kp7:12:Wm4v", "oracle://me:***"),
    ("postgresql://me:12/Wm:4v", "postgresql://me:***"),
    ("orakel://me:Zx9@Kp7/Wm:4v", "orakel://me:***"),
    ("postgresql://me%3AZx9", "postgresql://me%3A***"),
    ("oracle://system/Zx9", "oracle://system/***"),
    ("oracle://system%2FZx9", "oracle://system%2F***"),
    ("jdbc:oracle:thin:scott/Zx9", "jdbc:oracle:thin:scott/***"),
    ("oracle://Zx9@db", "oracle://***@db"),
    ("oracle://Zx9@db:1521", "oracle://***@db:1521"),
    ("jdbc:oracle:thin:Zx9@//db:1521/svc", "jdbc:oracle:thin:***@//db:1521/svc"),
    # All that may stand behind an @ stays.
    (
        "postgresql://me:pw@a:1,b:2/shop?target_session_attrs=any",
        "postgresql://me:***@a:1,b:2/shop?target_session_attrs=any",
    ),
    (
        "postgresql://me:pw@/shop?host=/tmp/x:y&sslcert=/a:b",
        "postgresql://me:***@/shop?host=/tmp/x:y&sslcert=/a:b",
    ),
    ("postgresql://me:pw@db/my-shop.2%2Fx?nobody=knows", "postgresql://me:***@db/my-shop.2%2Fx?nobody=knows"),
    ("mysql://me:pw@/shop?socket=/run/mysqld/a.sock", "mysql://me:***@/shop?socket=/run/mysqld/a.sock"),
    ("oracle://me:pw@db/svc:dedicated/inst?mode=sysdba", "oracle://me:***@db/svc:dedicated/inst?mode=sysdba"),
    (
        "jdbc:oracle:thin:me/pw@tcps://db:1/svc?tns_admin=/a/b",
        "jdbc:oracle:thin:me/***@tcps://db:1/svc?tns_admin=/a/b",
    ),
    (
        "jdbc:oracle:thin:me/pw@(DESCRIPTION=(HOST=db)(PORT=1))",
        "jdbc:oracle:thin:me/***@(DESCRIPTION=(HOST=db)(PORT=1))",
    ),
    ("https://me:pw@example.org/a:b/c", "https://me:***@example.org/a:b/c"),
    # Statements and sentences.
    ("alter user me identified by tiger account unlock", "alter user me identified by *** account unlock"),
    (
        'CREATE USER me IDENTIFIED  BY "it ""is" default role all',
        "CREATE USER me IDENTIFIED  BY *** default role all",
    ),
    ("identified by 'it''s'; commit", "identified by ***; commit"),
    ("identified by \\'a b\\' x", "identified by *** x"),
    ("IDENTIFIED BY VALUES 'S:AB CD;T:9'", "IDENTIFIED BY VALUES ***"),
    ("identified by password '*9AF'", "identified by password ***"),
    ("identified by password", "identified by ***"),
    ("identified with sha256 by 'x y' replace 'z'", "identified with sha256 by *** replace ***"),
    ("identified via ed25519 using password('x y')", "identified via ed25519 using password(***)"),
    ("identified by tiger replace lion", "identified by *** replace ***"),
    (
        "alter role me with encrypted password 'it''s' login",
        "alter role me with encrypted password *** login",
    ),
    ("set password for me@db = 'x y'", "set password for me@db = ***"),
    ("password: tiger", "password: ***"),
    ("the Passphrase : 'a b'", "the Passphrase : ***"),
    ("my_api_key:tiger", "my_api_key:***"),
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
    "oracle://me@db:1521/svc",
    "oracle://me@db/svc",
    "oracle://db:1521/svc",
    "oracle://db/svc?mode=sysdba",
    "embedded",
    "12:30",
    "10:20:30",
    "2026-01-31T10:20:30Z",
    "rw=read",
    "data/x",
    "filename=data/a@b.img",
    "logfile=data/a@b.log",
    "x=/data/a@b",
    "x=../a@b",
    "--out=reports/a@b.html",
    "could not read /etc/passwd: permission denied",
    "unexpected token: 'x'",
    "first pass: 12 MB/s",
    "3 passwords: too many",
    "a password that was identified, by itself",
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
        ("see postgresql://a:b@c/d, and 10:20:30", "see postgresql://a:***@c/d, and 10:20:30"),
        ("(postgresql://a:b@c:5432/d): refused", "(postgresql://a:***@c:5432/d): refused"),
        ("postgresql://a:b@c/d:e is no url", "postgresql://a:*** is no url"),
        ("postgresql://a:b@c/d:e f@g/h is no url", "postgresql://a:***@g/h is no url"),
        ("near 'identified by tiger account' at line 1", "near 'identified by *** account' at line 1"),
        (
            "STATEMENT:  alter user me identified by\n  tiger",
            "STATEMENT:  alter user me identified by\n  ***",
        ),
        ("it said 'identified by\\ntiger'", "it said 'identified by\\n***"),
        ("identified by 'never ends\nnext line", "identified by ***\nnext line"),
        ("disks are identified by serial, in words", "disks are identified by *** in words"),
        ("password: tiger, user: me", "password: *** user: me"),
        ("password: 'a b', user: me", "password: ***, user: me"),
        ("password: password: tiger", "password: *** ***"),
        ("password: none of them", "password: none of them"),
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


_BITS = [
    *SIGNS,
    *LETTERS[:6],
    "password",
    "pwd",
    "postgresql://",
    "oracle://",
    "\n",
    "ä",
    "***",
    " user=",
    "identified by ",
    "replace ",
    "password: ",
    "a/b",
    "@h",
    " as sysdba",
    "x=",
    "userid=",
]
anything = st.lists(st.sampled_from(_BITS)).map("".join)


@given(anything)
@example("password='x' and more")
@example('(PASSWORD="x")')
def test_what_was_redacted_stays_as_it_is(text: str) -> None:
    assert redact_database(redact_database(text)) == redact_database(text)
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


@pytest.mark.parametrize(
    ("word", "as_location", "as_database"),
    [
        ("system/PW", "system/***", "system/***"),
        ("sys/PW as sysdba", "sys/*** as sysdba", "sys/*** as sysdba"),
        ("sys/P W AS SYSBACKUP", "sys/*** AS SYSBACKUP", "sys/*** AS SYSBACKUP"),
        ("sys/PW@db as sysdba", "sys/***@db as sysdba", "sys/***@db as sysdba"),
        ('"Me And You"/"P W"', '"Me And You"/***', '"Me And You"/***'),
        ("app[scott]/PW", "app[scott]/***", "app[scott]/***"),
        ("system%2FPW", "system%2F***", "system%2F***"),
        ("//me/PW", "//me/***", "//me/***"),
        ("me/a@b/c:d", "me/***", "me/***"),
        ("me/12:30", "me/***", "me/***"),
        ("me/postgresql://x", "me/***", "me/***"),
        ("userid=me/PW", "userid=me/***", "userid=me/***"),
        ("me/PW.db", "me/PW.db", "me/***"),
        ("runs/plimsoll.sqlite3", "runs/plimsoll.sqlite3", "runs/***"),
        ("here/PW", "here/PW", "here/***"),
        ("here/new/runs", "here/new/runs", "here/***"),
        ("me:PW", "me:PW", "me:***"),
        ("me:PW/x", "me:PW/x", "me:***"),
        ("10:20:30", "10:20:30", "10:***"),
        ("db:5432/shop", "db:5432/shop", "db:5432/shop"),
        ("//db:5432/shop", "//db:5432/shop", "//db:5432/shop"),
        ("db:5432", "db:5432", "db:5432"),
        ("embedded", "embedded", "embedded"),
        ("/ as sysdba", "/ as sysdba", "/ as sysdba"),
        ("./runs.db", "./runs.db", "./runs.db"),
        ("./runs", "./runs", "./runs"),
        ("../x/y", "../x/y", "../x/y"),
        ("~/x/y", "~/x/y", "~/x/y"),
        ("/var/x", "/var/x", "/var/x"),
        ("runs/", "runs/", "runs/"),
        ("host=/tmp/x dbname=y", "host=/tmp/x dbname=y", "host=/tmp/x dbname=y"),
        ("postgresql://db/shop", "postgresql://db/shop", "postgresql://db/shop"),
    ],
)
def test_a_login_without_a_host(
    word: str, as_location: str, as_database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store may be a path; a database never is."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path)
    assert redact_word(word, location=True) == as_location
    assert redact_database(word) == as_database
    words = ["--database", word, f"--database={word}", "--store", word, f"--store={word}"]
    shown = ["--database", as_database, f"--database={as_database}", "--store", as_location]
    assert redact_all(words) == [*shown, f"--store={as_location}"]
    assert redact_all([f"PLIMSOLL_DATABASE={word}", f"PLIMSOLL_STORE={word}"]) == [
        f"PLIMSOLL_DATABASE={as_database}",
        f"PLIMSOLL_STORE={as_location}",
    ]
    assert redact_all(redact_all(words)) == redact_all(words)


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        ("x=u/PW@h", "x=u/***@h"),
        ("--set=x=u/PW@h:1521/svc", "--set=x=u/***@h:1521/svc"),
        ("x=u/P@W/a:b", "x=u/***"),
        ('a=1,b="U"/PW@h', 'a=1,b="U"/***@h'),
        ("x=u:PW@h", "x=u:***@h"),
        ("ORACLE_LOGIN=u/PW@//h/svc", "ORACLE_LOGIN=u/***@//h/svc"),
        ("catalog=u/PW@h", "catalog=u/***@h"),
        ("profile=u/PW@h", "profile=u/***@h"),
        ("userid=u/PW", "userid=u/***"),
        ("LOGIN=sys/PW as sysdba", "LOGIN=sys/*** as sysdba"),
    ],
)
def test_a_login_as_a_setting(word: str, shown: str) -> None:
    """Whatever the setting is called, unless it says that it is a file."""
    assert redact_word(word) == redact_word(word, location=True) == shown
    assert redact_all(["prove", "slob", "--set", word]) == ["prove", "slob", "--set", shown]


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("mysql --password tiger", "mysql --password '***'"),
        ("mysql --password=tiger", "mysql --password=***"),
        ("java -password tiger", "java -password '***'"),
        ("curl --api-key tiger", "curl --api-key '***'"),
        ("env PGPASSWORD=tiger psql", "env PGPASSWORD=*** psql"),
        ("sqlplus me/tiger@//db/svc", "sqlplus me/***@//db/svc"),
        ("sqlplus me:tiger@db", "sqlplus me:***@db"),
        ("exp userid=me/tiger file=x", "exp userid=me/*** file=x"),
        ("psql -c 'alter role me password '\\''tiger'\\'", "psql -c 'alter role me password ***'"),
        # What only the tool knows, and looks like a port, a path or a word.
        ("ssh -p5432", "ssh -p5432"),
        ("mysql -ptiger", "mysql -ptiger"),
        ("sqlcmd -P tiger", "sqlcmd -P tiger"),
        ("sqlplus me/tiger@db", "sqlplus me/tiger@db"),
        ("sqlplus me/tiger", "sqlplus me/tiger"),
        ("curl -u me:tiger", "curl -u me:tiger"),
    ],
)
def test_flags_of_other_tools(command: str, shown: str) -> None:
    """docs/internals/decisions/passwords.md says why no more can be known."""
    assert redact_line(command) == shown


def test_a_line_whose_quotes_never_end() -> None:
    """As an old store may have it."""
    line = "plimsoll demand --database system/PW --store=me/PW --database 'sys/PW as sysdba"
    shown = "plimsoll demand --database system/*** --store=me/*** --database 'sys/*** as sysdba"
    assert redact_line(line) == redact_line(shown) == shown


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
