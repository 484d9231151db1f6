"""What the store asks of a database: few things, so that SQLite and PostgreSQL differ in one file each.

Connections are those of the drivers themselves (DB-API), opened for each use and closed after it: nothing stays open while
a measurement runs, and the copy of a SQLite store is always one file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from plimsoll.store.documents import RunDocument


class Database(Protocol):
    """One kind of database. Every method raises WorldError when the world fails, never a driver's own exception."""

    dialect: str
    """SQLAlchemy's name of it."""
    mark: str
    """How a value is marked in a statement: `?` or `%s`."""
    document: str
    """The column `document` as text."""
    display: str
    """Where it is, for messages: without password."""
    is_ours_alone: bool
    """Whether tables of others in it mean that it is not ours."""

    def exists(self) -> bool:
        """False when nothing was ever stored here; a database on a server exists or its connection fails."""
        ...

    def check_place(self) -> None:
        """Raises WorldError where nothing can be written, as far as that is known without it; makes nothing."""
        ...

    def connect(self) -> AbstractContextManager[Any]:
        """A connection that is closed at the end. Statements outside `transaction` stand alone."""
        ...

    def kept_open(self) -> AbstractContextManager[None]:
        """Within it `connect` may give the same connection each time. For reading that is over in seconds."""
        ...

    def transaction(self, connection: Any, *, alone: bool = False) -> AbstractContextManager[None]:
        """All of the block or nothing of it. `alone`: no other process changes the schema meanwhile."""
        ...

    def table_names(self, connection: Any) -> set[str]:
        """Tables that an unqualified name would find."""
        ...

    def column_names(self, connection: Any, table: str) -> set[str]:
        """Columns of a table of ours."""
        ...

    def make_room(self, connection: Any) -> None:
        """Makes what the tables lie in, where it is missing."""
        ...

    def make_views(self, connection: Any, selects: Mapping[str, str]) -> None:
        """Makes the views of a store that has none, in the transaction that makes its tables."""
        ...

    def taken_names(self, connection: Any, names: Sequence[str]) -> set[str]:
        """Those of these names that something has here which is no view over our documents."""
        ...

    def replace_view(self, connection: Any, name: str, select: str) -> None:
        """Makes a view anew. One that others have built upon stays as it is."""
        ...

    def put_document(self, connection: Any, document: RunDocument, *, again: bool) -> None:
        """Puts text that comes in parts into a run's row in `documents`: a new one, or `again` the one that is there."""
        ...

    def hold_blobs(self, connection: Any, *, to_delete: bool) -> None:
        """Until the end of the transaction nobody deletes blobs beside us; `to_delete`: nobody adds any either."""
        ...

    def give_back(self, connection: Any) -> None:
        """Gives the space of what was deleted back to the file system, where that is ours to do."""
        ...

    def instant(self, value: datetime) -> Any:
        """An instant as this database takes it."""
        ...
