"""What lies beside a store in SQLite: its write-ahead log with the index of that, and in other journal modes a rollback journal.

SQLite believes them as it believes the store. A rollback journal may name another one that several databases had in common, and
SQLite **deletes** that file once it has rolled back: whatever file it names. Our stores never have a part in such a transaction.

source: https://sqlite.org/fileformat2.html#the_rollback_journal, https://sqlite.org/atomiccommit.html, section 5
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from plimsoll.ports.files import open_regular
from plimsoll.ports.folders import kind_of, user_name

_JOURNAL, _OTHERS = "-journal", ("-wal", "-shm")
_MAGIC = bytes.fromhex("d9d505f920a163d7")
"""Begins a rollback journal, and ends the name of a super-journal at its end."""


def why_not_ours(store: Path, owner: int | None) -> str | None:
    """The first reason not to let SQLite look at them; None where there is none. `owner` is the user of the store's file."""
    for suffix in (_JOURNAL, *_OTHERS):
        path = Path(f"{os.path.realpath(store)}{suffix}")
        try:
            state = path.lstat()
        except OSError:  # not there, or SQLite will say what is wrong
            continue
        if not stat.S_ISREG(state.st_mode):
            return f"{path} is {kind_of(state.st_mode)}"
        if state.st_uid not in (0, os.geteuid(), owner):
            return f"{path} belongs to user {user_name(state.st_uid)}"
        if suffix == _JOURNAL and _names_another(path):
            return f"{path} names a journal of several databases, which no store has a part in"
    return None


def _names_another(journal: Path) -> bool:
    """Not of one that is gone by now: its own transaction has ended meanwhile."""
    try:
        opened = open_regular(journal)
    except FileNotFoundError:
        return False
    with opened as file:
        file.seek(0, os.SEEK_END)
        file.seek(max(0, file.tell() - len(_MAGIC)))
        return file.read() == _MAGIC and file.tell() > 2 * len(_MAGIC)
