"""What can be asked of `plimsoll prove slob`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from plimsoll.base.errors import UsageError
from plimsoll.base.limits import DEFAULT_SLO, SWEEP_SESSIONS_MAX
from plimsoll.base.units import parse_blocks
from plimsoll.requests import proofs, shared
from plimsoll.requests.asked import RATE, Asked, Examples, Group, Request, Unit, idle

Focus = Literal["physical", "logical", "redo"]
_HEEDED = {
    "setup": frozenset({"conf", "more", "schemas", "scale", "load_parallel", "seed"}),
    "status": frozenset[str](),
    "drop": frozenset[str](),
}
"""What the actions on tables heed; a run or a sweep heeds the others as well."""


def _blocks(text: str) -> int:
    if (blocks := parse_blocks(text)) < 1:
        raise UsageError(
            "size-unreadable", f"'{text}' is less than a block", "Write blocks, or a size such as 256M."
        )
    return blocks


def _count(word: str, help: str, shown: str, group: Group = "Load") -> Asked:
    """What is a whole number; its bounds are those of SLOB's parameter."""
    return Asked(word, help, metavar="N", shown=shown, group=group)


DATABASE_HELP = "postgresql://user@host/name, mysql://user@host/name, or embedded: a PostgreSQL of our own."
_ACTION = Asked(
    "action",
    "What to do; an embedded database is set up, run and removed in one go.",
    stands_first=True,
    shown="run",
)
_FOCUS = Asked(
    "focus", "physical: a small cache; logical: all data cached; redo: cached, updates alone.", group="Load"
)
_CONF = Asked(
    "conf", "A slob.conf or pgio.conf; options win over it.", metavar="FILE", shown="", group="Data"
)
SCHEMAS = _count("schemas", "Tables, each with sessions of its own.", "1", "Data")
THREADS = _count("threads", "Sessions for each schema.", "1")
UPDATE_PCT = _count("update_pct", "Updates among all operations, in percent.", "10")
SCALE = Asked(
    "scale",
    "Blocks of each table.",
    unit=Unit("BLOCKS|SIZE", _blocks, example="80M"),
    shown="80M",
    group="Data",
)
_REDO_STRESS = Asked(
    "redo_stress", "lite: an update changes 2 columns; heavy: all 19.", shown="lite", group="Load"
)
_RATE = Asked(
    "rate",
    "Operations per second of all sessions, due whatever became of earlier ones.",
    unit=RATE,
    shown="as fast as they can",
    group="Load",
)
_SESSIONS_MAX = Asked(
    "sessions_max",
    "Sessions of the largest point of a sweep.",
    low=1,
    high=4096,
    shown=str(SWEEP_SESSIONS_MAX),
    group="Load",
)
MORE = Asked(
    "set", "Any parameter under SLOB's or pgio's name.", metavar="NAME=VALUE", shown="", group="Load"
)


@dataclass(frozen=True)
class ProveSlobRequest(Request):
    """A database driven with random block reads and updates. What is None is the file's of `conf`, else SLOB's default."""

    verb = "prove slob"
    examples: ClassVar[Examples] = (
        (
            "Reads and updates on a database of our own",
            "prove slob --scale 256M --schemas 4 --threads 2 --runtime 30s",
        ),
        ("Beside the storage's line at the same mix", "prove slob --runtime 30s --against ."),
        ("Load one of yours", "prove slob setup --database postgresql://me@db.example/bench --scale 4G"),
        (
            "Then find with how many sessions it does most",
            "prove slob sweep --database postgresql://me@db.example/bench",
        ),
        (
            "The same load from two client hosts at once",
            "prove slob --database postgresql://me@db.example/bench --threads 8 --hosts app1,app2",
        ),
    )

    action: Literal["run", "sweep", "setup", "status", "drop"] = _ACTION.field("run")
    database: str | None = proofs.DATABASE.but(
        help=DATABASE_HELP, values=("embedded", "postgresql://", "mysql://")
    ).field(None)
    focus: Focus = _FOCUS.field("physical")
    conf: str | None = _CONF.field(None)
    schemas: int | None = SCHEMAS.field(None)
    threads: int | None = THREADS.field(None)
    scale: int | None = SCALE.field(None)
    """Blocks."""
    update_pct: int | None = UPDATE_PCT.field(None)
    scan_pct: int | None = _count("scan_pct", "Scans among the reads, in percent.", "0").field(None)
    work_unit: int | None = _count("work_unit", "Blocks of one operation.", "64").field(None)
    update_work_unit: int | None = _count(
        "update_work_unit", "Blocks of one update.", "as --work-unit"
    ).field(None)
    run_time_s: float | None = proofs.RUNTIME.but(shown="5m").field(None)
    warm_up_s: float | None = proofs.WARM_UP.field(None)
    redo_stress: Literal["lite", "heavy"] | None = _REDO_STRESS.field(None)
    rate_per_s: float | None = _RATE.field(None)
    sessions_max: int | None = _SESSIONS_MAX.field(None)
    """Of a sweep."""
    load_parallel: int | None = _count("load_parallel", "Sessions that load.", "2", "Data").field(None)
    more: tuple[str, ...] = MORE.field(())
    folder: str | None = proofs.FOLDER.field(None)
    against: str | None = proofs.AGAINST.field(None)
    slo: str = proofs.SLO.field(DEFAULT_SLO)
    while_in_use: bool = proofs.WHILE_IN_USE.field(False)
    licensed: shared.Licence | None = shared.LICENSED.field(None)
    hosts: tuple[str, ...] = proofs.HOSTS.field(())
    launcher: str = shared.LAUNCHER.field(shared.SSH)
    agent: str = shared.AGENT.field("plimsoll agent")
    agents_cluster: str | None = shared.AGENTS_CLUSTER.field(None)
    agents_without_tls: bool = shared.AGENTS_WITHOUT_TLS.field(False)
    seed: int | None = _count("seed", "Seed of keys, kinds of operations and pauses.", "1").field(None)

    @property
    def result_tables(self) -> tuple[str, ...] | None:
        """Those of its action."""
        return proofs.tables_of(self.action)

    def refuse_idle(self, given: frozenset[str]) -> None:
        """Raises UsageError `option-idle`."""
        proofs.refuse_idle_of(ProveSlobRequest, self.action, given, _HEEDED, self.database, self.against)
        if self.action == "sweep":
            idle(given, ProveSlobRequest, "on a sweep, which is of one host", *proofs.OF_HOSTS)
        proofs.refuse_idle_hosts(ProveSlobRequest, given, self)
        if self.action == "run":
            idle(given, ProveSlobRequest, "on run, which is no sweep", "sessions_max")
        if not shared.has_packs(proofs.chosen_database(self.database)):
            idle(given, ProveSlobRequest, "on a database that has no packs to be licensed", "licensed")
