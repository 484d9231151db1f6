"""A URL is read in one way or refused, and what is said of it shows no piece of a password."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from made_passwords import FORMS, leaked, passwords
from plimsoll import databases
from plimsoll.base.errors import PlimsollError, UsageError
from plimsoll.base.redact import names_secret, redact_word
from plimsoll.databases import _mariadb_errors, _oracle_errors, _postgres_errors

PARSERS: dict[str, Callable[[str], dict[str, Any]]] = {
    "postgresql": _postgres_errors.parse_url,
    "mysql": _mariadb_errors.parse_url,
    "oracle": _oracle_errors.parse_url,
}


def parsed(url: str) -> dict[str, Any]:
    return PARSERS[url.partition("://")[0]](url)


@pytest.mark.parametrize("scheme", PARSERS)
@given(secret=st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1))
def test_a_password_that_is_written_well_arrives(scheme: str, secret: str) -> None:
    from urllib.parse import quote

    found = parsed(f"{scheme}://me:{quote(secret, safe='')}@db.example:5/shop")
    assert (found["user"], found["password"], found["host"]) == ("me", secret, "db.example")


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:pa@ss@db/shop",
        "postgresql://me:pa/ss@db/shop",
        "postgresql://me:12/ss34@db/shop",
        "postgresql://me:pw@db/shop?application_name=a@b",
        "postgresql://me%3Apw@db/shop",
        "postgresql://me:s3cret",
        "postgresql://system/manager@db",
        "mysql://me:pa/ss@db/shop",
        "mysql://me:12/ss@db/shop",
        "mysql://me:pa?ss@db/shop",
        "mysql://me:pa#ss@db/shop",
        "mysql://me:p\tw@db/shop",
        "oracle://me:pa/ss@db/shop",
        "oracle://system/manager@db:1521/shop",
        "oracle://system/manager%40db/shop",
        "postgresql://me:Pa@ss/pw:manager",
        "postgresql://me:Pa@ss?px=a:manager",
        "postgresql://me:Pa@ss:pW",
        "postgresql://me:12/ss:manager",
        "mysql://me:Pa@ss/pw:manager",
        "mysql://me:Pa@ss/pw/manager",
        "oracle://me:Pa@ss/pw:manager",
        "oracle://system/manager",
    ],
)
def test_a_password_that_may_end_elsewhere_is_refused(url: str) -> None:
    with pytest.raises(UsageError) as refused:
        parsed(url)
    assert refused.value.id == "database-url"
    assert "In a password or a name write @ as %40" in (refused.value.hint or "")
    for piece in ("ss", "s3cret", "manager", "pw"):
        assert piece not in refused.value.message.replace("password", "")


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("postgresql://me:a%zzb@db/shop", 'invalid percent-encoded token: "***"'),
        ("postgresql://me:pw@db/shop?nonsense=1", 'invalid URI query parameter: "nonsense"'),
        ("postgresql://db/shop?password=a%zzb", 'invalid percent-encoded token: "***"'),
        ("postgresql://me:pw@db:none/shop", "port 'none' is no number"),
        ("mysql://me:pw@db/shop?nonsense=1", "nobody knows its option 'nonsense'"),
        ("oracle://me:pw@db/shop?nonsense=1", "nobody knows its option 'nonsense'"),
        ("mysql://db/shop?pwd=tiger&tiger=1", "nobody knows its option 'pwd'"),
        ("oracle://db/shop?mode=king", "nobody knows its option 'mode=king'"),
        ("postgresql://me:p%FFw@db/shop", "it holds bytes that are not utf-8"),
        ("mysql://me:p\udcffw@db/shop", "it holds bytes that are not utf-8"),
    ],
)
def test_only_what_still_stands_in_the_redacted_url_is_quoted(url: str, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        parsed(url)
    assert refused.value.message.endswith(f": {said}")


def test_every_option_of_libpq_may_stand_behind_a_password() -> None:
    """With any sign in its value: its key says that it is none of the password."""
    from psycopg import pq

    keys = [option.keyword.decode() for option in pq.Conninfo.get_defaults()]
    assert len(keys) > 30
    for key in [key for key in keys if key != "port"]:
        found = parsed(f"postgresql://me:pw@db.example/shop?{key}=/a:b/c")
        assert found[key] == "/a:b/c"
        assert "me:***@db.example/shop?" in redact_word(f"postgresql://me:pw@db.example/shop?{key}=/a:b/c")


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:pw@a.example:1,b:2/shop?target_session_attrs=any",
        "postgresql://me:pw@[::1]:5432/my-shop.2_x",
        "postgresql://me:pw@%2Ftmp%2Fx/my%3Ashop%2F1",
        "postgresql://me:pw@/shop?host=/tmp/x&port=5",
        "mysql://me:pw@/shop?socket=/run/mysqld/mysqld.sock",
        "mysql://me:pw@db:3306/sh%C3%B6p",
        "oracle://me:pw@db.example:1521/shop.example?mode=sysdba",
    ],
)
def test_what_is_written_well_is_read(url: str) -> None:
    assert (parsed(url)["user"], parsed(url)["password"]) == ("me", "pw")
    assert redact_word(url, location=True) == url.replace("me:pw@", "me:***@")


def test_a_word_that_may_be_the_user_or_the_password_is_not_shown() -> None:
    with pytest.raises(UsageError) as refused:
        parsed("oracle://hunter2@db:1521")
    assert refused.value.message == (
        "cannot read 'oracle://***@db:1521' as a database url: it needs a host and a service"
    )


@pytest.mark.parametrize(
    ("location", "shown"),
    [
        ("system/hunter2", "system/***"),
        ("sys/hunter2 as sysdba", "sys/*** as sysdba"),
        ("here/hunter2", "here/***"),
        ("me:hunter2", "me:***"),
        ("db:5432/shop", "db:5432/shop"),
        ("embeded", "embeded"),
    ],
)
def test_what_leads_to_no_database_is_told_without_a_password(
    location: str, shown: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though a folder of the user's name is there: a path leads to no database."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError) as refused:
        databases.find(location)
    assert refused.value.message == f"no database is reached by '{shown}'"


def test_where_no_password_is_the_hint_says_nothing_of_passwords() -> None:
    with pytest.raises(UsageError) as refused:
        parsed("postgresql://db/shop?nonsense=1")
    assert refused.value.hint == "Write it like postgresql://user@host:5432/name."


@pytest.mark.parametrize("form", [form for form in FORMS if form.is_url], ids=lambda form: form.name)
def test_nothing_that_is_said_or_shown_of_a_url_holds_its_password(form: Any) -> None:
    """The location, which is stored and shown, is what the driver's parser made of the URL."""
    for password in passwords(400, seed=21):
        if not form.fits(password.text):
            continue
        url = form.make(password)
        modules = {"postgresql": _postgres_errors, "mysql": _mariadb_errors, "oracle": _oracle_errors}
        try:
            said = modules[url.partition("://")[0]].location(parsed(url))
        except PlimsollError as error:
            said = f"{error.message}\n{error.hint}"
        assert leaked(said, password.pieces) == set(), (url, said)


MESSAGES = [
    "FATAL:  bad login\nDETAIL:  tried postgresql://me:hunter2@db/x",
    "cannot log in with me/hunter2@db",
    "no answer from me:hunter2@db:5432",
    "connection to \"host=db password='hunter2'\" failed",
    "ERROR:  role exists: create role me password 'hunter2'",
    "syntax error near 'identified by hunter2' at line 1",
    'ORA-00922: missing option in alter user me identified by "hunter2"',
    "cannot log in with password: hunter2",
    "no such service at oracle://hunter2@db",
]


@pytest.mark.parametrize("message", MESSAGES)
def test_what_a_driver_says_is_redacted(message: str) -> None:
    told = [
        _postgres_errors.one_line(message),
        _mariadb_errors.one_line(message),
        _oracle_errors.reason(Exception(message)),
    ]
    assert "hunter2" not in " ".join(told)
    assert all(told)


_MAY_HOLD_ONE = (
    "conninfo",
    "command",
    "passphrase",
    "auth",
    "init_connect",
    "wsrep_sst",
    "ssl",
    "ldap",
    "krb",
    "library",
)
"""Parts of names of settings in which administrators leave passwords, such as primary_conninfo and archive_command."""


@pytest.mark.parametrize("folder", ["postgres", "mariadb", "oracle"])
def test_no_setting_is_read_that_may_hold_a_password(folder: str) -> None:
    """They are stored as they are."""
    place = resources.files("plimsoll.databases").joinpath("sql", folder)
    texts = [
        entry.read_text(encoding="utf-8") for entry in place.iterdir() if entry.name.startswith("settings.")
    ]
    names = [name for text in texts for name in re.findall(r"'(\w+)'", text)]
    assert len(names) > 15
    for name in names:
        assert not names_secret(name)
        assert not any(part in name for part in _MAY_HOLD_ONE)
