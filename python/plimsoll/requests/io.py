"""What can be asked of `plimsoll io`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from plimsoll.base.errors import UsageError
from plimsoll.base.limits import DEFAULT_BLOCK_BYTES, PATH_TIMEOUT_S, WARM_UP_S
from plimsoll.requests import shared
from plimsoll.requests.asked import Asked, Examples, Request, idle

_DEPTH = Asked(
    "depth",
    "I/Os in flight per job.",
    low=1,
    high=65536,
    shown="32; for log-write 1; at a rate, as many as it takes",
    group="Load",
)
_ARRIVALS = Asked("arrivals", "How arrivals are spaced at a rate.", group="Load")
_CHECK = Asked(
    "check",
    "Measure more, to see whether the number is valid.",
    shown="only what costs nothing",
    group="Checks",
)
_FILL = Asked(
    "fill",
    "With --check steady, on an empty device: measure when it is so full in percent, such as 50,80,95.",
    metavar="LEVELS",
    shown="",
    group="Checks",
)
_REPEATS = Asked("repeats", "Runs to make; the median one is the result.", low=1, high=100, group="Time")
_PRECONDITION = Asked(
    "precondition",
    "Write the target twice in full, then until it is steady, before measuring.",
    group="Checks",
)

_HOT_FILE = Asked(
    "hot_file",
    "Also one file that all hosts read, in turn with one each.",
    group="Hosts",
)

_OF_ONE_HOST = ("prefill", "destroy", "check", "fill", "precondition", "oranfstab")


def refuse_lone(hosts: Sequence[str]) -> None:
    """Of hosts that are to read one file. Raises UsageError `hot-file-hosts`."""
    if len(hosts) < 2:
        message = "one host has nobody to wait for at a file"
        raise UsageError("hot-file-hosts", message, "Name two or more with --hosts.")


@dataclass(frozen=True)
class IoRequest(Request):
    """One workload cell. `depth` None: what suits the mix."""

    verb = "io"
    examples: ClassVar[Examples] = (
        ("Random reads of 8 KiB in a scratch file, 32 in flight", "io . --size 1g --depth 32"),
        (
            "A mix at a fixed rate, with latency from when each was due",
            "io . --rw randrw --read-share 0.7 --rate 2k",
        ),
        ("Whether a cache or a device that is not steady made the number", "io . --rw randwrite --check all"),
        (
            "The same reads from two hosts at once, in a folder that both see",
            "io /mnt/shared --hosts db1,db2 --runtime 30s",
        ),
        (
            "The same from all workers of a Dask cluster",
            "io /mnt/shared --cluster tls://10.0.0.5:8786 --runtime 30s",
        ),
        ("What a simulated disk of 100 µs gives, in an instant", "io sim:mean=100us --json"),
    )

    target: str = shared.TARGET.field()
    rw: str = shared.RW.field("randread")
    block_bytes: int = shared.BLOCK.field(DEFAULT_BLOCK_BYTES)
    depth: int | None = _DEPTH.field(None)
    jobs: int = shared.JOBS.field(1)
    engine: str = shared.ENGINE.field("auto")
    runtime_s: float = shared.RUNTIME.field(5.0)
    bytes_wanted: int | None = shared.SIZE.field(None)
    read_share: float | None = shared.READ_SHARE.field(None)
    rate_per_s: float | None = shared.RATE_PER_S.field(None)
    arrivals: Literal["poisson", "uniform"] = _ARRIVALS.field("poisson")
    warm_up_s: float = shared.WARM_UP.field(WARM_UP_S)
    direct: bool = shared.DIRECT.field(True)
    merge: bool = shared.MERGE.field(False)
    stable: Literal["file", "data", "none"] = shared.STABLE.field("file")
    path_timeout_s: float = shared.PATH_TIMEOUT.field(PATH_TIMEOUT_S)
    oranfstab: str | None = shared.ORANFSTAB.field(None)
    prefill: bool = shared.PREFILL.field(False)
    destroy: tuple[str, ...] = shared.DESTROY.field(())
    check: Literal["cache", "steady", "all"] | None = _CHECK.field(None)
    """The passive checks are always made."""
    fill: str | None = _FILL.field(None)
    repeats: int = _REPEATS.field(1)
    precondition: bool = _PRECONDITION.field(False)
    """Write the span twice, and then until the storage is steady, before anything counts."""
    seed: int | None = shared.SEED.field(None)
    hosts: tuple[str, ...] = shared.HOSTS.field(())
    """Empty: this host alone, or all workers of a cluster."""
    own_storage: bool = shared.OWN_STORAGE.field(False)
    hot_file: bool = _HOT_FILE.field(False)
    launcher: str = shared.LAUNCHER.field(shared.SSH)
    agent: str = shared.AGENT.field("plimsoll agent")
    agents_cluster: str | None = shared.AGENTS_CLUSTER.field(None)
    agents_without_tls: bool = shared.AGENTS_WITHOUT_TLS.field(False)

    def refuse_idle(self, given: frozenset[str]) -> None:
        """Raises UsageError `option-idle`."""
        if not self.target.startswith(shared.REMOTE) and self.oranfstab is None:
            idle(given, IoRequest, shared.WITHOUT_REMOTE, *shared.ONLY_REMOTE)
        if self.rate_per_s is None:
            idle(given, IoRequest, "without --rate", "arrivals")
        shared.refuse_idle_agents(given, IoRequest, self, "own_storage", "hot_file")
        if shared.on_hosts(self):
            idle(given, IoRequest, shared.how_named(self), *_OF_ONE_HOST)
            self._refuse_beside_hot_file(given)
        if self.fill is not None:
            if self.check != "steady":
                idle(given, IoRequest, "without --check steady", "fill")
            idle(
                given, IoRequest, "with --fill", "oranfstab", "prefill", "destroy", "repeats", "precondition"
            )

    def _refuse_beside_hot_file(self, given: frozenset[str]) -> None:
        """At a rate both get what was asked for, and no file is written to from several hosts."""
        if not self.hot_file:
            idle(given, IoRequest, shared.how_named(self), "repeats")
            return
        idle(given, IoRequest, "with --hot-file", "rate_per_s", "arrivals", "own_storage")
        if self.hosts or self.agents_cluster is None:
            refuse_lone(self.hosts)
        if not self.direct:
            message = "without direct I/O each host's own page cache answers, and it knows the host's own file alone"
            raise UsageError("hot-file-cached", message, "Leave --no-direct out.")
        if self.rw not in ("randread", "read"):
            message = f"--hot-file reads one file from all hosts, and --rw {self.rw} writes"
            raise UsageError("hot-file-writes", message, "Measure it with --rw randread or --rw read.")
