"""The run repository: a SQLite file by default, a PostgreSQL database for a team; every run whole, or not at all.

The path of the data: a `Run` → its document and blobs (`plimsoll.facts.document`), and what is asked often of it (`columns.py`) →
a database (`sqlite.py`, `postgres.py`) with the tables of `schema.py`, which `version.py` makes and brings up to date. Views over
the documents (`views.py`) and the files of an export (`export.py`) are derived from the fact classes (`tables.py`).
"""

from typing import TYPE_CHECKING

from plimsoll.base.later import loaded_later

if TYPE_CHECKING:
    from plimsoll.store.ids import new_run_id
    from plimsoll.store.sqlstore import SqlStore, open_store
    from plimsoll.store.summary import summarize

__all__ = ["SqlStore", "new_run_id", "open_store", "summarize"]
_HOMES = {"SqlStore": "sqlstore", "new_run_id": "ids", "open_store": "sqlstore", "summarize": "summary"}

__getattr__ = loaded_later(__name__, _HOMES)
"""Who only looks for names of runs (`recent.py`) needs no facts."""
