"""What can be asked of `plimsoll assess`."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, ClassVar

from plimsoll.base.errors import UsageError
from plimsoll.base.limits import DEFAULT_SLO, TRIALS_CONFIRM, WORK_TRIAL_S
from plimsoll.requests import shared
from plimsoll.requests.asked import BYTES, NAMES, SECONDS, Asked, Examples, Request, idle

if TYPE_CHECKING:
    from plimsoll.requests.line import LineRequest

_DEMAND = shared.DEMAND.but(
    help="A stored run, JSON of demand, or AWR and Statspack reports; several times: databases that share TARGET.",
)
_WEIGHT = Asked(
    "weight",
    "What a database is worth where not all fit: 1, or N of that NAME.",
    metavar="NAME=N",
    shown="",
    group="Load",
)
WEIGHT_MAX = 1_000
_NODE = Asked(
    "node",
    "A node with a storage like TARGET of its own, and what runs there: whether its loss is survived.",
    metavar="NAME=A,B",
    shown="",
    group="Load",
)
NODES_MAX = 32
"""Each is judged in normal work, and lost in turn."""
_TARGET = Asked(
    "target",
    "Storage to judge: a folder on it, a file, or a device.",
    metavar="TARGET",
    shown="",
    group="Target",
)
_BURST_FACTOR = Asked(
    "burst_factor",
    "True peak over the busiest interval, where intervals are long.",
    metavar="N",
    low=1.0,
    shown="",
    group="Load",
)
_REPLAY = Asked(
    "replay", "Drive the demand's worst 1, 10 and 60 s as they were, too.", off=True, group="Load"
)
_BUDGET = shared.BUDGET.but(
    help="Time for all: some 30 % for the lines, what they leave for the replay; what does not fit is named.",
    shown=None,
)
_BACKUP = Asked(
    "backup",
    "A backup beside the demand that reads so much: how long it takes.",
    unit=BYTES,
    shown="",
    group="Load",
)
_MIGRATE = Asked(
    "migrate",
    "A migration onto TARGET beside the demand that writes so much.",
    unit=BYTES,
    shown="",
    group="Load",
)
_WINDOW = Asked(
    "window",
    "Time that there is for the backup or the migration: whether it fits.",
    unit=SECONDS,
    low=WORK_TRIAL_S,
    shown="",
    group="Time",
)
BUDGET_S = 117.0
"""Lines of five mixes, then a minute as it was, and ten seconds at two other factors: together within two minutes."""
_LINES_SHARE = 0.28


@dataclass(frozen=True)
class AssessRequest(Request):
    """Whether storage carries a demand: one that was kept, or that of a live database, which is watched first."""

    verb = "assess"
    examples: ClassVar[Examples] = (
        ("Whether storage carries a demand that was kept", "assess --demand demand.json --target /mnt/new"),
        (
            "That of a live database, watched for a minute",
            "assess --database postgresql://me@db.example/shop --target /mnt/new --runtime 1m",
        ),
        (
            "That of AWR reports, whose intervals hide bursts",
            "assess --demand awr/ --target . --burst-factor 2",
        ),
        (
            "Whether two databases fit together, and which of them if not",
            "assess --demand shop.json --demand crm.json --target /mnt/new --weight shop=2",
        ),
        (
            "Whether two nodes carry each other's databases",
            "assess --demand shop.json --demand crm.json --target /mnt/new --node n1=shop --node n2=crm",
        ),
        ("Whether a backup fits beside it", "assess --demand latest --target . --backup 500g --window 4h"),
    )

    target: str = _TARGET.field()
    demand: tuple[str, ...] = _DEMAND.field(())
    database: str | None = shared.DATABASE.field(None)
    watched_s: float = shared.WATCHED.field(shared.WATCHED_S)
    slo: str = shared.SLO.field(DEFAULT_SLO)
    burst_factor: float | None = _BURST_FACTOR.field(None)
    weight: tuple[str, ...] = _WEIGHT.field(())
    node: tuple[str, ...] = _NODE.field(())
    jobs: int = shared.JOBS.field(1)
    engine: str = shared.ENGINE.field("auto")
    bytes_wanted: int | None = shared.SIZE.field(None)
    trial_s: float | None = shared.TRIAL.field(None)
    trials_confirm: int = shared.TRIALS_CONFIRM.field(TRIALS_CONFIRM)
    replay: bool = _REPLAY.field(True)
    budget_s: float = _BUDGET.field(BUDGET_S)
    backup_bytes: int | None = _BACKUP.field(None)
    migrate_bytes: int | None = _MIGRATE.field(None)
    window_s: float | None = _WINDOW.field(None)
    direct: bool = shared.DIRECT.field(True)
    prefill: bool = shared.PREFILL.field(False)
    destroy: tuple[str, ...] = shared.DESTROY.field(())
    while_in_use: bool = shared.WHILE_IN_USE.field(False)
    seed: int | None = shared.SEED.field(None)

    @property
    def line(self) -> LineRequest:
        """The line to search, whose mix the demand brings."""
        from plimsoll.requests.line import LineRequest

        ours = {one.name for one in fields(self)} - {"demand", "budget_s"}
        return LineRequest(
            **{one.name: getattr(self, one.name) for one in fields(LineRequest) if one.name in ours}
        )

    @property
    def lines_s(self) -> float:
        """Time for the lines of all mixes; what they leave is the replay's."""
        return self.budget_s * (_LINES_SHARE if self.replay else 1.0)

    @property
    def weights(self) -> dict[str, int]:
        """What databases are worth, by name. Raises UsageError `weight-unreadable`."""
        return dict(map(_weight, self.weight))

    @property
    def nodes(self) -> dict[str, tuple[str, ...]]:
        """The databases of each node, by names; empty where no node was named. Raises UsageError `node-unreadable`."""
        return _nodes(self.node)

    def refuse_idle(self, given: frozenset[str]) -> None:
        """Raises UsageError `option-idle`, `work-twice`."""
        if len(self.demand) < 2:
            idle(given, AssessRequest, "without several demands", "weight", "node")
        if self.node:
            self._refuse_idle_on_nodes(given)
        if self.backup_bytes is not None and self.migrate_bytes is not None:
            hint = "Ask about one of them, and then about the other."
            raise UsageError("work-twice", "both --backup and --migrate were given", hint)
        if self.backup_bytes is None and self.migrate_bytes is None:
            idle(given, AssessRequest, "without --backup or --migrate", "window_s")
        if self.demand:
            idle(given, AssessRequest, "with --demand", "watched_s")
        if self.target.startswith(shared.SIMULATED):
            idle(given, AssessRequest, "on a simulated target, which is measured in virtual time", "budget_s")
        if self.while_in_use:
            why = "with --while-in-use, which steps up gently and drives nothing else"
            idle(given, AssessRequest, why, "budget_s", "backup_bytes", "migrate_bytes", "window_s")

    def _refuse_idle_on_nodes(self, given: frozenset[str]) -> None:
        """Raises UsageError `option-idle`."""
        why = "with --node, which judges several loads, one storage each"
        idle(given, AssessRequest, why, "backup_bytes", "migrate_bytes", "window_s")
        if self.while_in_use:
            idle(given, AssessRequest, "with --while-in-use, which steps up gently once", "node")


def _nodes(words: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for word in words:
        node, sign, databases = word.partition("=")
        node = node.strip()
        if not node or not sign:
            hint = "Give its name and the databases on it, such as n1=shop,crm; a spare one has none: n3=."
            raise UsageError("node-unreadable", f"'{word}' is no node with its databases", hint)
        if node in found:
            hint = f"Name it once, with all that runs on it, such as {node}=shop,crm."
            raise UsageError("node-unreadable", f"the node {node} was named twice", hint)
        found[node] = NAMES.parse(databases)
    if len(found) == 1:
        hint = "Name the others too; a spare one has no databases: --node spare=."
        raise UsageError(
            "node-unreadable", f"{next(iter(found))} is the only node: nothing is left when it is lost", hint
        )
    if len(found) > NODES_MAX:
        hint = "Judge fewer of them together."
        raise UsageError(
            "node-unreadable", f"{len(found):,} nodes were named, and at most {NODES_MAX} are judged", hint
        )
    return found


def _weight(word: str) -> tuple[str, int]:
    name, _, number = word.rpartition("=")
    if not name or not (number.isascii() and number.isdigit()) or not 0 < int(number) <= WEIGHT_MAX:
        hint = f"Give the name of a database and a whole number from 1 to {WEIGHT_MAX:,}, such as shop=2."
        raise UsageError("weight-unreadable", f"'{word}' is no weight of a database", hint)
    return name, int(number)
