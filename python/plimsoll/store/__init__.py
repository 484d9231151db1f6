"""The run repository: a SQLite file by default, a PostgreSQL database for a team; every run whole, or not at all.

The path of the data: a `Run` → rows (`rows.py`), by tables that are derived from the fact classes (`tables.py`) → a database
(`sqlite.py`, `postgres.py`), whose schema is made and kept up to date by `schema.py`, `version.py` and `migrations/`.
"""

from plimsoll.store.ids import new_run_id
from plimsoll.store.sqlstore import SqlStore, open_store
from plimsoll.store.summary import summarize

__all__ = ["SqlStore", "new_run_id", "open_store", "summarize"]
