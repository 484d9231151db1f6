"""Fields that several verbs share, each told once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal, Protocol

from plimsoll.base import limits
from plimsoll.base.errors import UsageError
from plimsoll.base.values import changed
from plimsoll.requests.asked import BYTES, NAMES, RATE, SECONDS, Asked, Request, idle

SIMULATED = "sim:"
"""How the words of a simulated target begin."""

REMOTE = "nfs://"
"""How the name of a file or folder of an NFS server begins."""

SSH = "ssh -T -o BatchMode=yes -o ConnectTimeout=10 -- {host}"
"""Keys, jump hosts and known hosts are the user's own. It never asks for a password: several would ask in one terminal."""
HOSTS = Asked(
    "hosts",
    "Measure from these hosts at once, by agents.",
    unit=changed(NAMES, parse=lambda text: tuple(name.strip() for name in text.split(","))),
    shown="",
    group="Hosts",
)
OWN_STORAGE = Asked(
    "own_storage",
    "Each host measures storage of its own.",
    group="Hosts",
)


def refuse_hosts(hosts: Sequence[object]) -> None:
    """Raises UsageError `host-name` where none is named, as by a variable of a shell that is not set, or one is left out."""
    if not hosts or not all(isinstance(host, str) and host for host in hosts):
        raise UsageError(
            "host-name", "--hosts names no host, or one without a name", "Write --hosts db1,db2."
        )


LAUNCHER = Asked(
    "launcher",
    "What starts a program on {host}, its standard streams being ours.",
    metavar="COMMAND",
    shown="ssh",
    group="Hosts",
)
AGENT = Asked("agent", "How plimsoll is called there.", metavar="COMMAND", group="Hosts")
CLUSTER = Asked(
    "cluster",
    "Read on the workers of this Dask scheduler.",
    metavar="tcp://HOST:PORT",
    shown="",
    is_answered=False,
    group="Hosts",
)
"""Scheduler and workers run already, with Plimsoll and the same files."""
CLUSTER_WITHOUT_TLS = Asked(
    "cluster_without_tls",
    "Also where others could reach a scheduler without TLS.",
    is_answered=False,
    group="Hosts",
)


def refuse_idle_cluster(given: frozenset[str], kind: type[Request], has_reports: bool) -> None:
    """Raises UsageError `option-idle` where nothing would be read on a cluster, or no cluster is named."""
    if not has_reports:
        idle(given, kind, "without reports", "cluster", "cluster_without_tls")
    if "cluster" not in given:
        idle(given, kind, "without --cluster", "cluster_without_tls")


AGENTS_CLUSTER = Asked(
    "cluster",
    "Measure from the workers of this Dask scheduler at once.",
    metavar="tcp://HOST:PORT",
    shown="",
    group="Hosts",
)
"""With `hosts` from those of these names. Each starts an agent, in place of a launcher."""
AGENTS_WITHOUT_TLS = Asked(
    "cluster_without_tls", "Also where others could reach a scheduler without TLS.", group="Hosts"
)


class AsksHosts(Protocol):
    """What a request says of hosts."""

    @property
    def hosts(self) -> tuple[str, ...]:
        """Their names; of a cluster none for all workers."""
        ...

    @property
    def launcher(self) -> str:
        """What starts a program on a host."""
        ...

    @property
    def agent(self) -> str:
        """How plimsoll is called there."""
        ...

    @property
    def agents_cluster(self) -> str | None:
        """The address of a scheduler, whose workers start agents in place of a launcher."""
        ...

    @property
    def agents_without_tls(self) -> bool:
        """Whether others may reach scheduler or workers without TLS."""
        ...


def on_hosts(asked: AsksHosts) -> bool:
    """Whether it is asked from several hosts, and not from this one alone."""
    return bool(asked.hosts) or asked.agents_cluster is not None


def how_named(asked: AsksHosts) -> str:
    """How hosts were asked for, behind what has no effect."""
    return "with --hosts" if asked.agents_cluster is None else "with --cluster"


def refuse_idle_agents(given: frozenset[str], of: type[Request], asked: AsksHosts, *of_hosts: str) -> None:
    """Raises UsageError `host-name`, and `option-idle` for what says how agents are started where that is said otherwise, and for
    that and `of_hosts` where there are none.
    """
    if "hosts" in given:
        refuse_hosts(asked.hosts)
    if asked.agents_cluster is None:
        idle(given, of, "without --cluster", "agents_without_tls")
    else:
        idle(given, of, "with --cluster, whose workers start the agents", "launcher", "agent")
    if not on_hosts(asked):
        idle(given, of, "without --hosts or --cluster", "launcher", "agent", *of_hosts)


TARGET = Asked(
    "target",
    "File, block device, folder (a scratch file is made in it and removed), nfs://HOST/PATH, or sim:mean=100us.",
    metavar="TARGET",
    stands_first=True,
)
RUN = Asked("run", "Run id, its unique beginning, latest, or latest~1.", metavar="RUN", stands_first=True)
TAG = Asked(
    "tag", "Give the stored run this tag, to find it and to compare by it.", metavar="TAG", group="Output"
)
HOURS_AFTER = Asked(
    "hours_after",
    "From which age on kept snapshots are thinned to one an hour, and the busiest of each day.",
    unit=SECONDS,
    low=86_400.0,
    group="Time",
)
DAYS_AFTER = Asked(
    "days_after",
    "From which age on they are thinned to the first, the last and the busiest of each day.",
    unit=SECONDS,
    low=172_800.0,
    group="Time",
)
_DAY_S = 86_400.0


def refuse_ages(hours_after_s: float, days_after_s: float) -> None:
    """Raises UsageError `usage` where a day would be thinned to a day before the next one is thinned to hours."""
    if days_after_s < hours_after_s + _DAY_S:
        message = "--days-after is not a day more than --hours-after"
        raise UsageError("usage", message, "Thin to days later than to hours, such as --days-after 90d.")


_TAG = re.compile(r"[^\W_][\w.+-]*")
OUT = Asked("out", "Where the page goes.", metavar="FILE", short="-o", group="Output", is_written=True)
"""What a verb writes besides what it prints: a file or a folder, by the metavar."""
FOLDER = Asked(
    "folder",
    "Where scratch file and database go.",
    metavar="FOLDER",
    shown="PLIMSOLL_SCRATCH, else the current folder",
)
"""Where a verb works."""
ESCAPE_FORMULAS = Asked(
    "escape_formulas",
    "In CSV, put ' before texts that a spreadsheet would run: those that begin with =, +, - or @.",
    group="Output",
)
RW = Asked(
    "rw",
    "randread, randwrite, randrw, read, write or rw, as in fio; or log-write: one durable write after the other.",
    metavar="MODE",
    group="Load",
    values=("randread", "randwrite", "randrw", "read", "write", "rw", "log-write"),
)
BLOCK = Asked("block", "Size of each I/O.", unit=BYTES, low=512, high=64 << 20, group="Load")
READ_SHARE = Asked(
    "read_share", "Reads as a share of I/Os, in a mix.", metavar="0..1", shown="", group="Load"
)
JOBS = Asked("jobs", "Submitting threads, each pinned to a core.", low=1, high=256, group="Load")
ENGINE = Asked(
    "engine",
    "How I/Os are submitted: auto, or the name of an engine such as psync.",
    metavar="ENGINE",
    group="Target",
)
SIZE = Asked(
    "size",
    "Part of the target to use, or size of the file to make.",
    unit=BYTES,
    shown="all, or 1g",
    group="Target",
)
RUNTIME = Asked("runtime", "Measured time.", unit=SECONDS, group="Time")
WARM_UP = Asked("warm_up", "Time left out at the start.", unit=SECONDS, above_zero=False, group="Time")
RATE_PER_S = Asked(
    "rate",
    "Arrivals per second; latency counts from when each I/O was due.",
    unit=RATE,
    shown="as fast as the depth allows",
    group="Load",
)
DIRECT = Asked("direct", "Bypass the page cache, or do not.", off=True, group="Target")
MERGE = Asked(
    "merge",
    "Let the kernel make one I/O of neighbouring ones. By default each goes to the device alone.",
    group="Target",
)
STABLE = Asked(
    "stable",
    "How durable an NFS server answers a write: file, data, or none.",
    group="Target",
)
"""With none a write ends with the COMMIT that covers it."""
PATH_TIMEOUT = Asked(
    "path_timeout",
    "How long a path to an NFS server may be silent.",
    unit=SECONDS,
    low=limits.PATH_TIMEOUT_S_MIN,
    high=limits.PATH_TIMEOUT_S_MAX,
    group="Target",
)
"""After that what was asked over it goes over another one, or over a new connection."""
ORANFSTAB = Asked(
    "oranfstab",
    "Oracle's oranfstab, which has the server of the target.",
    metavar="FILE",
    shown="",
    group="Target",
)
"""The target is then measured as Direct NFS reads it: from the server, over the addresses that the file names."""
ONLY_REMOTE = ("stable", "path_timeout_s")
"""Fields that mean something for files of an NFS server alone."""
WITHOUT_REMOTE = "without a target on an NFS server, nfs://HOST/EXPORT/FILE"
PREFILL = Asked(
    "prefill",
    "Make TARGET as a new file that stays, or take a device of zeros; write it in full with random data.",
    group="Target",
)
DESTROY = Asked(
    "destroy",
    "Write to that very device: IDENTITY is its serial, WWN, dm-uuid, by-id name, or a loop device's file.",
    metavar="DEVICE=IDENTITY",
    shown="",
    is_kept=False,
    group="Target",
)
WHILE_IN_USE = Asked(
    "while_in_use",
    "Load storage that a running database uses: step up from little, and end before its latency doubles.",
    is_kept=False,
    group="Target",
)
SEED = Asked(
    "seed",
    "Equal seeds draw equal offsets and arrivals.",
    low=0,
    high=2**32 - 1,
    shown="a new one each time; 1 on a simulated target",
    group="Load",
)
SLO = Asked(
    "slo",
    "Latency objective: p99=1ms, or small_read.p99=5ms,redo_write.p99=2ms.",
    metavar="OBJECTIVE",
    group="Objective",
    values=("p99=1ms", "p99=5ms", "p99=10ms", "p999=20ms"),
)
TRIAL = Asked(
    "trial",
    "Shortest trial.",
    unit=SECONDS,
    shown="1.5s; 2 million I/Os on a simulated target",
    group="Time",
)
TRIALS_CONFIRM = Asked("repeats", "Fresh trials at the safe rate.", low=1, high=50, group="Time")
BUDGET = Asked(
    "budget",
    "Time for the search; then the best interval so far is the answer.",
    unit=SECONDS,
    low=1.0,
    high=86400.0,
    shown="60s, 120s on several hosts; none on a simulated target",
    group="Time",
)
DEMAND = Asked(
    "demand",
    "A stored run, JSON of plimsoll demand, or Statspack and AWR reports: file, folder, archive, or -.",
    metavar="RUN|FILE",
    shown="",
    group="Load",
)
DATABASE = Asked(
    "database",
    "postgresql://…, or embedded: a PostgreSQL of our own under pgbench.",
    metavar="URL",
    shown="",
    group="Database",
    values=("embedded", "postgresql://", "mysql://", "oracle://"),
)
_WITH_PACKS = "oracle://"
"""The scheme of the one kind of database that has packs of features to be licensed."""
Licence = Literal["diagnostics"]
LICENSED = Asked(
    "licensed",
    "The pack of an Oracle Database that you hold a licence for; nothing that needs one is used without.",
    shown="none",
    group="Database",
)
WATCHED_S = 30.0
WATCHED = RUNTIME.but(help="How long the database is watched.", aliases=("seconds",))


def has_packs(database: str | None) -> bool:
    """Whether a database, by its URL, is of a kind that has packs to be licensed."""
    return database is not None and database.startswith(_WITH_PACKS)


def tags_of(words: Iterable[str]) -> tuple[str, ...]:
    """The tags, each once, in their order. Raises UsageError `tag-unreadable`, `tags-many`."""
    tags = tuple(dict.fromkeys(words))
    for tag in tags:
        if not _TAG.fullmatch(tag) or len(tag) > limits.TAG_LENGTH_MAX:
            hint = f"A tag has letters, digits and . _ + -, {limits.TAG_LENGTH_MAX} at most: before-upgrade."
            raise UsageError("tag-unreadable", f"'{tag}' is no tag", hint)
    if len(tags) > limits.TAGS_MAX:
        hint = "Take some away with `plimsoll store tag RUN TAG --remove`."
        raise UsageError("tags-many", f"{len(tags)} tags of one run are more than {limits.TAGS_MAX}", hint)
    return tags
