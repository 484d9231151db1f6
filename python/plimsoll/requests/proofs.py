"""What the requests of `plimsoll prove` share: their fields, the database that is meant, and what an action has no use for."""

from __future__ import annotations

from collections.abc import Mapping

from plimsoll.base import settings
from plimsoll.base.errors import UsageError
from plimsoll.requests import shared
from plimsoll.requests.asked import Asked, Request, fields_of, idle

EMBEDDED = "embedded"
"""The database that Plimsoll makes, drives and removes itself."""
_LASTING = frozenset({"setup", "status", "drop", "verify"})
_ALWAYS = frozenset({"action", "database"})
_OF_EMBEDDED = ("folder", "load_parallel", "items", "customers")
"""What says how an embedded database is made and loaded."""

DATABASE = shared.DATABASE.but(
    help="postgresql://user@host/name, or embedded: a PostgreSQL of our own.",
    shown=EMBEDDED,
    values=("embedded", "postgresql://"),
)
FOLDER = shared.FOLDER.but(
    help="Where an embedded database lies.", shown="PLIMSOLL_SCRATCH, else /var/tmp", group="Database"
)
AGAINST = Asked(
    "against",
    "Then find this storage's line at the same mix, and state the error.",
    metavar="TARGET",
    shown="",
    group="Objective",
)
SLO = shared.SLO.but(help="The objective of --against.")
WHILE_IN_USE = shared.WHILE_IN_USE.but(
    help="With --against: load storage that a running database uses, stepping up from little.",
    group="Objective",
)
HOSTS = shared.HOSTS.but(help="Drive the sessions from these hosts at once, by agents.")
RUNTIME = shared.RUNTIME.but(aliases=("run_time",))
WARM_UP = shared.WARM_UP.but(help="Time before it, left out.", shown="5s")


def tables_of(action: str) -> tuple[str, ...] | None:
    """Names of the tables of what an action says: a proof is a run, and of the others only a check has one."""
    return {"verify": ("conditions",)}.get(action, ()) if action in _LASTING else None


def chosen_database(given: str | None) -> str:
    """The database that was named, else the environment's, else the embedded one. Raises UsageError `database-missing`."""
    if given == "":
        raise UsageError(
            "database-missing", "the name of the database is empty", "Write --database embedded, or a URL."
        )
    return given or settings.read(settings.DATABASE) or EMBEDDED


def refuse_idle_of(
    of: type[Request],
    action: str,
    given: frozenset[str],
    heeded: Mapping[str, frozenset[str]],
    database: str | None,
    against: str | None,
) -> None:
    """Refuses what this action does not heed, and what is for an embedded database beside another one.

    Raises UsageError `option-idle`.
    """
    if action in heeded:
        names = {field.name for field in fields_of(of)}
        idle(given, of, f"on {action}", *(names - heeded[action] - _ALWAYS))
    if against is None:
        idle(given, of, "without --against", "slo", "while_in_use")
    if action not in _LASTING and chosen_database(database) != EMBEDDED:
        idle(given, of, "on a database of your own, which setup has loaded", *_OF_EMBEDDED)


OF_HOSTS = ("hosts", "launcher", "agent", "agents_cluster", "agents_without_tls")
"""What says from where sessions are driven."""


def refuse_idle_hosts(of: type[Request], given: frozenset[str], asked: shared.AsksHosts) -> None:
    """Of several hosts there is no line beside a proof: that would be of this host's storage.

    Raises UsageError `option-idle`, `host-name`.
    """
    shared.refuse_idle_agents(given, of, asked)
    if shared.on_hosts(asked):
        idle(given, of, shared.how_named(asked), "against", "slo", "while_in_use", "folder")
