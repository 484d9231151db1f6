"""A stand-in for an Oracle Database that answers the collector's queries: each reading of its instances is the next made moment.

What it answers is what `collector_spools` spools of the same moments, so that both ways can be held against each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import fake_oracledb
from collector_spools import MadeSnapshot, facts
from plimsoll.databases import queries
from plimsoll.databases._oracle_collector import plain
from plimsoll.demand.collector import HISTORY_QUERIES, QUERIES

MAJOR = 19
URL = "oracle://scott:tiger@db.example:1521/shop"
PLACE = "scott@db.example:1521/shop"
VIEWS = queries("oracle", MAJOR)
STATEMENTS = queries("oracle_collector", MAJOR)
TEXTS = {one.letter: plain(STATEMENTS[one.file]) for one in (*QUERIES, *HISTORY_QUERIES)}
"""What the driver is sent, by letter."""
REFUSALS = {
    "ORA-00942": "table or view does not exist",
    "ORA-01031": "insufficient privileges",
    "ORA-00904": '"CON_ID": invalid identifier',
}


class Moments:
    """Moments one after the other, of which the last is given again and again. `refused` has codes by letter.

    `fails` says at which reading of the instances, from 1 on, an error of the driver comes in its place; then it is repeated.
    """

    def __init__(
        self,
        server: fake_oracledb.Server,
        made: Sequence[MadeSnapshot],
        refused: Mapping[str, str] | None = None,
        past: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self._made = made
        self._refused = refused or {}
        self.fails: dict[int, fake_oracledb.Error] = {}
        self.readings = 0
        server.answers = {
            VIEWS["login"]: [fake_oracledb.LOGIN],
            VIEWS["settings"]: [
                {"name": name, "value": value} for name, value in fake_oracledb.SETTINGS.items()
            ],
            VIEWS["server"]: [{"server_now": datetime.now(UTC).replace(tzinfo=None)}],
            TEXTS["T"]: self._instances,
            **{TEXTS[one.letter]: self._answer(one.letter) for one in QUERIES if one.letter != "T"},
            **{TEXTS[letter]: [{"line": line} for line in lines] for letter, lines in (past or {}).items()},
        }

    @property
    def _now(self) -> MadeSnapshot:
        return self._made[min(self.readings, len(self._made)) - 1]

    def _instances(self, binds: list[Any]) -> Any:
        failure = self.fails.pop(self.readings + 1, None)
        if failure is not None:
            return failure
        self.readings += 1
        return self._answer("T")(binds)

    def _answer(self, letter: str) -> Any:
        def answer(_: list[Any]) -> Any:
            code = self._refused.get(letter)
            if code is not None:
                return fake_oracledb.failure(code, REFUSALS[code])
            return [{"line": line} for line in facts(self._now, letter)]

        return answer


def asked(server: fake_oracledb.Server) -> list[str]:
    """Letters of the statements that came, in their order."""
    letters = {text: letter for letter, text in TEXTS.items()}
    return [letters[text] for text, _ in server.said if text in letters]
