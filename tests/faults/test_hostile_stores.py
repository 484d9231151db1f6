"""Stores that others prepared, alone or with a journal beside them: nothing is deleted, nothing runs without an end."""

from __future__ import annotations

import os
import signal
import sqlite3
import struct
import time
from pathlib import Path

import pytest

import command

MAGIC = bytes.fromhex("d9d505f920a163d7")
THEM = 1234
ENDLESS = "(WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT x FROM r)"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with one run."""
    place = tmp_path / "kept" / "s.sqlite"
    assert command.here("io", "sim:", "--runtime", "10ms", "--store", place).returncode == 0
    return place


def journal_naming(victim: Path, pages: int) -> bytes:
    """A hot rollback journal without pages that says it has a part in the transaction of `victim`."""
    head = MAGIC + struct.pack(">5I", 0, 1, pages, 512, 4096)
    name = os.fsencode(victim)
    tail = struct.pack(">I", 0x40001) + name + struct.pack(">2I", len(name), sum(name)) + MAGIC
    return head.ljust(512, b"\0") + tail


def said_by(store: Path) -> str:
    done = command.here("store", "list", "--store", store, "--json")
    assert done.returncode == 4, done.stdout
    return str(command.document(done)["data"]["id"])


def test_a_journal_that_names_another_deletes_nothing(store: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("ours\n")
    beside = store.with_name("s.sqlite-journal")
    beside.write_bytes(journal_naming(victim, store.stat().st_size // 4096))
    assert said_by(store) == "store-untrusted"
    assert victim.read_text() == "ours\n"
    assert beside.exists()


def test_what_lies_beside_a_store_is_no_link(store: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_bytes(b"")
    store.with_name("s.sqlite-wal").symlink_to(tmp_path / "elsewhere")
    assert said_by(store) == "store-untrusted"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to another user")
@pytest.mark.parametrize("suffix", ["-wal", "-journal", "-shm"])
def test_what_another_user_put_beside_a_store_is_not_believed(store: Path, suffix: str) -> None:
    planted = store.with_name(f"s.sqlite{suffix}")
    planted.write_bytes(b"")
    os.chown(planted, THEM, THEM)
    assert said_by(store) == "store-untrusted"


@pytest.mark.skipif(os.geteuid() != 0, reason="what root does not trust")
def test_root_keeps_no_store_where_others_can_put_a_journal_beside_it(store: Path) -> None:
    store.parent.chmod(0o1777)
    assert said_by(store) == "store-untrusted"


@pytest.mark.parametrize(
    "statements",
    [
        f"CREATE TRIGGER t BEFORE INSERT ON runs BEGIN SELECT count(*) FROM {ENDLESS}; END",
        f"ALTER TABLE runs RENAME TO others; CREATE VIEW runs AS SELECT o.* FROM others o, {ENDLESS}",
    ],
    ids=["trigger", "view"],
)
def test_a_store_that_runs_something_is_refused(store: Path, statements: str) -> None:
    with sqlite3.connect(store) as session:
        session.executescript(statements)
    session.close()
    assert said_by(store) == "store-damaged"


def test_term_ends_a_statement_without_an_end(tmp_path: Path) -> None:
    """SQLite holds the thread that handles signals."""
    script = (
        "import sys; from pathlib import Path; from plimsoll.cli.ending import watched; from plimsoll.context import Cancel\n"
        "from plimsoll.store.sqlite import SqliteDatabase\n"
        "with watched(Cancel(), lambda: None), SqliteDatabase(Path(sys.argv[1])).connect() as session:\n"
        f"    print('ready', flush=True); session.execute('SELECT count(*) FROM {ENDLESS}').fetchall()\n"
    )
    program = command.python(script, tmp_path / "s.sqlite")
    assert program.stdout is not None
    assert program.stdout.readline() == "ready\n"
    time.sleep(0.2)
    program.send_signal(signal.SIGTERM)
    program.communicate(timeout=30)
    assert program.returncode != 0
