"""What can be asked of `plimsoll line`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from plimsoll.base.limits import DEFAULT_BLOCK_BYTES, DEFAULT_SLO, PATH_TIMEOUT_S, TRIALS_CONFIRM
from plimsoll.requests import shared
from plimsoll.requests.asked import Asked, Examples, Request, idle

_BESIDE = Asked(
    "beside",
    "A backup or rebuild that runs beside each trial, at full speed or at a rate as in backup=200m.",
    metavar="WHAT[=RATE]",
    shown="",
    group="Load",
    values=("backup", "rebuild", "backup=200m"),
)


_OF_ONE_HOST = ("prefill", "beside", "destroy", "while_in_use", "oranfstab")


@dataclass(frozen=True)
class LineRequest(Request):
    """The rate at which the objective is reached. A `demand` brings its own mix."""

    verb = "line"
    examples: ClassVar[Examples] = (
        ("How many random reads a second come back within 1 ms", "line /data --slo p99=1ms"),
        ("The same for a mix with writes", "line . --rw randrw --read-share 0.8 --slo p99=5ms"),
        ("At the mix of a database that was watched", "line . --demand demand.json"),
        ("While a backup reads 200 MB/s", "line . --beside backup=200m"),
        ("What two hosts together get out of one storage", "line /mnt/shared --hosts db1,db2"),
    )

    target: str = shared.TARGET.field()
    slo: str = shared.SLO.field(DEFAULT_SLO)
    rw: str = shared.RW.field("randread")
    block_bytes: int = shared.BLOCK.field(DEFAULT_BLOCK_BYTES)
    read_share: float | None = shared.READ_SHARE.field(None)
    demand: str | None = shared.DEMAND.field(None)
    jobs: int = shared.JOBS.field(1)
    engine: str = shared.ENGINE.field("auto")
    bytes_wanted: int | None = shared.SIZE.field(None)
    trial_s: float | None = shared.TRIAL.field(None)
    trials_confirm: int = shared.TRIALS_CONFIRM.field(TRIALS_CONFIRM)
    budget_s: float | None = shared.BUDGET.field(None)
    direct: bool = shared.DIRECT.field(True)
    merge: bool = shared.MERGE.field(False)
    stable: Literal["file", "data", "none"] = shared.STABLE.field("file")
    path_timeout_s: float = shared.PATH_TIMEOUT.field(PATH_TIMEOUT_S)
    oranfstab: str | None = shared.ORANFSTAB.field(None)
    prefill: bool = shared.PREFILL.field(False)
    beside: str | None = _BESIDE.field(None)
    destroy: tuple[str, ...] = shared.DESTROY.field(())
    while_in_use: bool = shared.WHILE_IN_USE.field(False)
    seed: int | None = shared.SEED.field(None)
    hosts: tuple[str, ...] = shared.HOSTS.field(())
    """Empty: this host alone, or all workers of a cluster."""
    own_storage: bool = shared.OWN_STORAGE.field(False)
    launcher: str = shared.LAUNCHER.field(shared.SSH)
    agent: str = shared.AGENT.field("plimsoll agent")
    agents_cluster: str | None = shared.AGENTS_CLUSTER.field(None)
    agents_without_tls: bool = shared.AGENTS_WITHOUT_TLS.field(False)

    def refuse_idle(self, given: frozenset[str]) -> None:
        """Raises UsageError `option-idle`."""
        if not self.target.startswith(shared.REMOTE) and self.oranfstab is None:
            idle(given, LineRequest, shared.WITHOUT_REMOTE, *shared.ONLY_REMOTE)
        shared.refuse_idle_agents(given, LineRequest, self, "own_storage")
        if shared.on_hosts(self):
            idle(given, LineRequest, shared.how_named(self), *_OF_ONE_HOST)
        if self.demand is not None:
            idle(
                given,
                LineRequest,
                "with --demand, which brings its own mix",
                "rw",
                "block_bytes",
                "read_share",
            )
