"""Where a store may be: files and logins are told apart, and a server that refuses is named without the password."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import facts_runs
from plimsoll.base.errors import PlimsollError, WorldError
from plimsoll.store import open_store
from store_places import new_database, session_of


@pytest.mark.parametrize(
    ("url", "id"),
    [
        ("postgresql://clerk:hunter2@127.0.0.1:1/none", "database-unreachable"),
        ("postgresql://clerk:hunter2@127.0.0.1:1/none?no_such_option=1", "database-url"),
        ("postgresql://clerk:hunter2@no-such-host.invalid/none", "database-unreachable"),
    ],
)
def test_an_unreachable_server_is_named_without_the_password(url: str, id: str) -> None:
    with pytest.raises(PlimsollError) as refused:
        open_store(url).save(facts_runs.io_run())
    assert refused.value.id == id
    assert "hunter2" not in f"{refused.value.message} {refused.value.hint} {open_store(url).display}"
    assert refused.value.hint
    assert "\n" not in refused.value.message


@pytest.mark.parametrize(
    "place", ["me:hunter2@db", "me/hunter2@db/runs", "host=db password=hunter2", "u:hunter2://a@b"]
)
def test_a_login_is_no_file(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would be made, and its name shows the password to all who can list the folder."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PlimsollError) as refused:
        open_store(place).save(facts_runs.io_run())
    assert refused.value.id == "store-location"
    assert "hunter2" not in f"{refused.value.message} {refused.value.hint}"
    assert not list(tmp_path.iterdir())


def test_a_file_with_an_at_sign_in_its_name_is_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for place in ("./a/b@c.sqlite", str(tmp_path / "a:b@c.sqlite")):
        open_store(place).save(facts_runs.io_run())
        assert Path(place).is_file()
    assert open_store("a/b@c.sqlite").load("latest").kind == "io"


def test_a_user_without_rights_is_told_what_to_grant(store_server: str) -> None:
    location = new_database(store_server, "rights")
    with session_of(location) as session:
        session.execute("DROP ROLE IF EXISTS clerk")
        session.execute("CREATE ROLE clerk LOGIN PASSWORD 'of-the-store'")
    clerks = re.sub("//[^@]*@", "//clerk:of-the-store@", location)
    for ask in (open_store(clerks).check, lambda: open_store(clerks).save(facts_runs.io_run())):
        with pytest.raises(WorldError) as refused:
            ask()
        assert refused.value.id == "store-refused"
        assert "CREATE" in (refused.value.hint or "")
    open_store(location).save(facts_runs.io_run())
    with pytest.raises(WorldError) as refused:
        open_store(clerks).check()
    assert refused.value.id == "store-refused", "it is there, and not for this user"
    with session_of(location) as session:
        session.execute("GRANT USAGE ON SCHEMA plimsoll TO clerk")
        session.execute("GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA plimsoll TO clerk")
    assert open_store(clerks).check()


def test_a_server_set_read_only_is_named(store_server: str) -> None:
    location = new_database(store_server, "standby")
    place = f"{location}&options=-cdefault_transaction_read_only%3Don"
    with pytest.raises(WorldError, match="it is read-only") as refused:
        open_store(place).check()
    assert refused.value.id == "store-read-only"
    with pytest.raises(WorldError, match="it is read-only") as refused:
        open_store(place).save(facts_runs.io_run())
    assert refused.value.id == "store-read-only"


def test_a_confirmed_run_is_on_disk_whatever_the_servers_default(store_server: str) -> None:
    location = f"{new_database(store_server, 'lazy')}&options=-csynchronous_commit%3Doff"
    database = open_store(location).database
    with database.connect() as session:
        assert session.execute("SHOW synchronous_commit").fetchone() == ("off",)
        with database.transaction(session):
            assert session.execute("SHOW synchronous_commit").fetchone() == ("on",)
