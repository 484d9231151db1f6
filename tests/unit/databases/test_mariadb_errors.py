"""Where MariaDB's passwords come from, and what each of the server's refusals becomes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from plimsoll.base.errors import PlimsollError, UsageError
from plimsoll.databases import _mariadb_errors as errors

OPTIONS = """
!includedir /etc/mysql/conf.d/
[mysqld]
user = somebody
[client]
user = "app"
password = 's3cret#1'
socket = /run/here.sock
quick
"""


@pytest.fixture
def option_file() -> Path:
    path = Path.home() / ".my.cnf"
    path.write_text(OPTIONS, encoding="utf-8")
    return path


def test_without_the_driver_its_install_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pymysql", None)
    with pytest.raises(PlimsollError) as missing:
        errors.driver()
    assert missing.value.id == "driver-missing"
    assert "'plimsoll-storage[mariadb]'" in (missing.value.hint or "")


def test_a_url_is_taken_apart() -> None:
    found = errors.parse_url("mysql://al%40x:p%2Fw@db.example:3307/shop?ssl_ca=/etc/ca.pem")
    assert found == {
        "user": "al@x", "password": "p/w", "host": "db.example", "port": 3307, "database": "shop",
        "ssl_ca": "/etc/ca.pem",
    }  # fmt: skip
    assert errors.location(found) == "al@x@db.example:3307/shop"
    assert errors.location(errors.parse_url("mysql:///")) == "localhost"
    assert errors.location(errors.parse_url("mysql://u@/n?socket=/s")) == "u@local socket/n"


@pytest.mark.usefixtures("option_file")
def test_what_the_url_leaves_out_comes_from_the_option_file() -> None:
    assert errors.parse_url("mysql:///shop") == {
        "user": "app", "password": "s3cret#1", "unix_socket": "/run/here.sock", "database": "shop",
    }  # fmt: skip
    assert "unix_socket" not in errors.parse_url("mysql://db.example/shop")


@pytest.mark.parametrize(
    ("written", "meant"),
    [("'it\"s'", 'it"s'), ('"a b"', "a b"), ("it's'", "it's'"), ("'", "'"), ("a#b", "a#b")],
)
def test_a_quote_at_one_end_belongs_to_the_password(option_file: Path, written: str, meant: str) -> None:
    option_file.write_text(f"[client]\npassword={written}\n", encoding="utf-8")
    assert errors.parse_url("mysql://u@h/n")["password"] == meant


@pytest.mark.usefixtures("option_file")
def test_the_url_wins_over_the_environment_and_that_over_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYSQL_PWD", "of-the-environment")
    assert errors.parse_url("mysql://u@h/n")["password"] == "of-the-environment"
    assert errors.parse_url("mysql://u:mine@h/n")["password"] == "mine"


@pytest.mark.parametrize("text", ["[client\npassword=x", "password=x", ""])
def test_an_option_file_that_cannot_be_read_gives_nothing(option_file: Path, text: str) -> None:
    option_file.write_text(text, encoding="utf-8")
    assert "password" not in errors.parse_url("mysql://u@h/n")


@pytest.mark.parametrize(
    "url", ["mysql://u:s3cret@h:port/n", "mysql://u:s3cret/x@h/n", "mysql://u:s3cret@[h/n"]
)
def test_what_cannot_be_read_shows_no_password(url: str) -> None:
    with pytest.raises(UsageError) as refused:
        errors.parse_url(url)
    assert refused.value.id == "database-url"
    assert "s3cret" not in f"{refused.value.message} {refused.value.hint}"


@pytest.mark.parametrize(
    ("number", "text", "id"),
    [
        (1114, "The table 'cf1_1' is full", "database-full"),
        (1021, "Disk full (/tmp/x); waiting for someone to free some space...", "database-full"),
        (3, 'Error writing file "x" (Errcode: 28 "No space left on device")', "database-full"),
        (1030, 'Got error 28 "No space left on device" from storage engine InnoDB (errno: 28)', "database-full"),
        (1317, "Query execution was interrupted", "database-cancelled"),
        (2013, "Lost connection to MySQL server during query", "database-lost"),
        (0, "", "database-lost"),
        (1053, "Server shutdown in progress", "database-lost"),
        (1142, "CREATE command denied to user 'u'@'h' for table `t`", "database-rights"),
        (1227, "Access denied; you need (at least one of) the SUPER privilege(s)", "database-rights"),
        (1064, "You have an error in your SQL syntax", "database-refused"),
    ],
)  # fmt: skip
def test_what_a_proof_is_refused(number: int, text: str, id: str) -> None:
    error = errors.working_failure(RuntimeError(number, text), "u@h/n")
    assert error.id == id
    assert error.message.startswith("could not go on at u@h/n: ")
    assert error.message[-1] not in ".: "
    assert (error.hint or "").endswith(".")
