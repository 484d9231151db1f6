"""What the PostgreSQL that is connected to calls its databases and tablespaces; asked again where a number has no name yet."""

from __future__ import annotations

from dataclasses import dataclass, field

from plimsoll.base.errors import PlimsollError
from plimsoll.databases import NamesFiles


@dataclass
class ServerNames:
    """Names as they were when their numbers were first met: one that is given anew meanwhile would make two of one database."""

    server: NamesFiles
    databases: dict[int, str] = field(default_factory=dict)
    tablespaces: dict[int, str] = field(default_factory=dict)
    pid: int | None = None
    """Of the process that answers, as its server numbers processes."""
    unknown_because: str | None = None
    """Why the server is asked no more."""
    _may_ask: bool = True

    def __post_init__(self) -> None:
        self._ask()

    @property
    def identifier(self) -> str | None:
        """The server's number, as its control file has it."""
        return self.server.database.system_identifier

    def look_again(self) -> None:
        """It may be asked once more."""
        self._may_ask = True

    def database(self, number: int) -> str | None:
        """What that one is called; None where the server does not know it."""
        if number not in self.databases:
            self._ask()
        return self.databases.get(number)

    def tablespace(self, number: int) -> str | None:
        """What that one is called; None where the server does not know it."""
        if number not in self.tablespaces:
            self._ask()
        return self.tablespaces.get(number)

    def _ask(self) -> None:
        if not self._may_ask or self.unknown_because is not None:
            return
        self._may_ask = False
        try:
            found = self.server.data_names()
        except PlimsollError as error:
            self.unknown_because = error.message
            return
        self.databases = {**found.databases, **self.databases}
        self.tablespaces = {**found.tablespaces, **self.tablespaces}
        self.pid = found.pid
