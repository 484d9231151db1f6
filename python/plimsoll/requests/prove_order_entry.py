"""What can be asked of `plimsoll prove order-entry`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from plimsoll.base.limits import DEFAULT_SLO
from plimsoll.requests import proofs, shared
from plimsoll.requests.asked import Asked, Examples, Request, idle

_HEEDED = {
    "setup": frozenset({"warehouses", "items", "customers", "seed"}),
    "verify": frozenset({"run"}),
    "status": frozenset[str](),
    "drop": frozenset[str](),
}
"""What the actions on data heed; a run heeds all but the run to verify."""

_ACTION = Asked(
    "action",
    "What to do; an embedded database is set up, run and removed in one go. verify looks for lost commits.",
    stands_first=True,
    shown="run",
)
_WAREHOUSES = Asked("warehouses", "How much data there is.", low=1, group="Data")
_SESSIONS = Asked("sessions", "Terminals at work.", low=1, high=10_000, group="Load")
_THINK = Asked(
    "think", "Keying and think times, as a multiple of the specification's.", low=0.0, group="Load"
)
_CLIENT_COMMITS = Asked(
    "client_commits", "A call for each transaction, so that each commit is acknowledged.", group="Load"
)
_LEDGER = Asked(
    "ledger", "Each transaction also writes its session's count, to be checked after a crash.", group="Data"
)
_ITEMS = Asked("items", "Items; fewer only for a trial.", metavar="N", shown="100000", group="Data")
_CUSTOMERS = Asked(
    "customers",
    "Customers of each district; fewer only for a trial.",
    metavar="N",
    shown="3000",
    group="Data",
)
_SEED = Asked("seed", "Seed of the data and of what each terminal asks for.", low=0, group="Data")
_RUN = Asked(
    "run",
    "The stored run to verify: an id, its unique beginning, or latest.",
    metavar="RUN",
    shown="the one that wrote the ledger",
)


@dataclass(frozen=True)
class ProveOrderEntryRequest(Request):
    """Order entry, and the conditions on what it leaves."""

    verb = "prove order-entry"
    examples: ClassVar[Examples] = (
        ("On a database of our own", "prove order-entry --warehouses 4 --sessions 8 --runtime 1m"),
        (
            "Load one of yours, then run",
            "prove order-entry setup --database postgresql://me@db.example/bench",
        ),
        (
            "The same load from two client hosts at once",
            "prove order-entry --database postgresql://me@db.example/bench --sessions 16 --hosts app1,app2",
        ),
        (
            "After a crash: whether a commit was lost",
            "prove order-entry verify --database postgresql://me@db.example/bench",
        ),
    )

    action: Literal["run", "setup", "verify", "status", "drop"] = _ACTION.field("run")
    database: str | None = proofs.DATABASE.field(None)
    warehouses: int = _WAREHOUSES.field(1)
    sessions: int = _SESSIONS.field(4)
    run_time_s: float | None = proofs.RUNTIME.but(shown="1m").field(None)
    warm_up_s: float | None = proofs.WARM_UP.field(None)
    think: float = _THINK.field(0.0)
    client_commits: bool = _CLIENT_COMMITS.field(False)
    ledger: bool = _LEDGER.field(False)
    items: int | None = _ITEMS.field(None)
    customers: int | None = _CUSTOMERS.field(None)
    folder: str | None = proofs.FOLDER.field(None)
    against: str | None = proofs.AGAINST.field(None)
    slo: str = proofs.SLO.field(DEFAULT_SLO)
    while_in_use: bool = proofs.WHILE_IN_USE.field(False)
    hosts: tuple[str, ...] = proofs.HOSTS.field(())
    launcher: str = shared.LAUNCHER.field(shared.SSH)
    agent: str = shared.AGENT.field("plimsoll agent")
    agents_cluster: str | None = shared.AGENTS_CLUSTER.field(None)
    agents_without_tls: bool = shared.AGENTS_WITHOUT_TLS.field(False)
    seed: int = _SEED.field(1)
    run: str | None = _RUN.field(None)
    """Of `verify`: the stored run whose ledger it is; None: the newest one whose ledger is the one that is there."""

    @property
    def result_tables(self) -> tuple[str, ...] | None:
        """Those of its action."""
        return proofs.tables_of(self.action)

    def refuse_idle(self, given: frozenset[str]) -> None:
        """Raises UsageError `option-idle`."""
        if self.action != "verify":
            idle(given, ProveOrderEntryRequest, f"on {self.action}, which verifies no run", "run")
        proofs.refuse_idle_of(
            ProveOrderEntryRequest, self.action, given, _HEEDED, self.database, self.against
        )
        proofs.refuse_idle_hosts(ProveOrderEntryRequest, given, self)
