"""Reports of a database whose troubles are known, since they were put there: each second of DB time has one cause.

First it is drawn what share of DB time each cause takes, then what that looks like in a report, by what is published of its
symptoms: names of waits, times of a read by kind of storage, what a log write and a commit take, what a starved host, a backup, a
cold cache and small logs do to the waits of others. Nothing here knows a threshold of a rule. A family of findings is true of a
report where its causes took a tenth of DB time or more, and not where they took a fiftieth or less; between the two neither answer
is wrong.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from advice_reports import CPUS, ELAPSED_S, Waits, host, report, time_model
from tiny_reports import Table, filetypes

TRUE_SHARE_MIN, FALSE_SHARE_MAX = 0.1, 0.02
FAMILY_OF = {
    "single-block reads": "reads",
    "multi-block reads": "reads",
    "direct path reads": "reads",
    "many readers of a block": "reads",
    "spills": "temporary I/O",
    "slow writers": "writes",
    "loads": "writes",
    "small logs": "log configuration",
    "slow archive": "log configuration",
    "small log buffer": "log configuration",
    "log switches": "log configuration",
    "slow log device": "commits",
    "commits without CPU": "commits",
    "synchronous standby": "commits",
    "row locks": "contention",
    "hot blocks": "contention",
    "library cache": "contention",
    "transfers of blocks": "cluster",
    "hard parses": "parsing",
    "logons": "parsing",
    "lack of CPU": "cpu",
    "backup": "interval",
    "cold cache": "interval",
}
"""Each cause, and the family of findings that is to name it."""
SMALL_CACHE = "small cache"
"""Whose seconds are those of single-block reads."""
CAUSES = (*FAMILY_OF, SMALL_CACHE)
FAMILIES = (*dict.fromkeys(FAMILY_OF.values()), "cache")
FIRST = 1000
"""Reports with smaller numbers were looked at while rules were written."""
_IN_CPU = ("hard parses", "logons")
"""Counted in the time model, on top of CPU time and waits."""
_HEALTHY = (0.0003, 0.015)
_TROUBLE = (0.1, 0.7)
_WAITS_SHARE_MAX = 0.92
_STORAGE_S = ((4e-3, 12e-3), (0.8e-3, 3e-3), (0.15e-3, 0.5e-3))
"""A read of one block: disks, arrays with a cache, flash."""


@dataclass(frozen=True)
class Case:
    """What troubles a database, and the seed of all else."""

    causes: tuple[str, ...]
    seed: int

    def __str__(self) -> str:
        return f"{'-and-'.join(self.causes) or 'nothing'}-{self.seed}".replace(" ", "-")

    def world(self) -> World:
        """All that is drawn."""
        return World(self.causes, random.Random(f"{self}"))

    def report(self) -> bytes:
        """What is printed of it."""
        return self.world().report()


CASES = [Case((cause,), 0) for cause in CAUSES]
"""One of each."""


def drawn(count: int, first: int = FIRST) -> Iterator[Case]:
    """So many reports with each cause, some with a second one, and as many without any, of seeds from a number on."""
    for seed in range(first, first + count):
        yield Case((), seed)
        dice = random.Random(f"second {seed}")
        for cause in CAUSES:
            second = dice.choice(list(FAMILY_OF))
            with_second = dice.random() < 0.3 and FAMILY_OF[second] != FAMILY_OF.get(cause)
            yield Case((cause, second) if with_second else (cause,), seed)


@dataclass
class World:
    """One database in one interval; `shares` are of DB time, by cause."""

    causes: tuple[str, ...]
    dice: random.Random
    shares: dict[str, float] = field(init=False)
    sessions: dict[str, tuple[float, float]] = field(default_factory=dict[str, tuple[float, float]])
    behind: dict[str, tuple[float, float]] = field(default_factory=dict[str, tuple[float, float]])
    counts: dict[str, int] = field(default_factory=dict[str, int])
    db_time_s: float = 0.0
    cpu_s: float = 0.0
    cache_factor: float = 1.0
    """Of physical reads, what is left of them with twice the cache."""

    def __post_init__(self) -> None:
        self.shares = {
            cause: self._log_uniform(_TROUBLE if cause in self.causes else _HEALTHY) for cause in FAMILY_OF
        }
        if SMALL_CACHE in self.causes:
            self.shares["single-block reads"] = self._log_uniform(_TROUBLE)
        for absent in ("lack of CPU", "backup", "cold cache"):
            if absent not in self.causes:
                self.shares[absent] = 0.0
        self._slowed("backup")
        self._slowed("cold cache")
        self._scale_down()
        self.cpu_s = (
            CPUS
            * ELAPSED_S
            * (self.dice.uniform(0.75, 0.95) if self._is_starved else self.dice.uniform(0.08, 0.6))
        )
        self.db_time_s = self.cpu_s / (1.0 - self._waits_share)
        self.read_s = self.dice.uniform(*self.dice.choice(_STORAGE_S))
        self.is_exadata = self.dice.random() < 0.15
        some = (0.15, 0.6) if SMALL_CACHE in self.causes else (0.15, 1.0)
        self.cache_factor = (
            1.0 if SMALL_CACHE not in self.causes and self.dice.random() < 0.6 else self.dice.uniform(*some)
        )
        self._reads()
        self._writes()
        self._logs()
        self._commits()
        self._others()
        self._queue_for_cpu()

    def truth(self) -> tuple[frozenset[str], frozenset[str]]:
        """The families that are true of it, and those that are not."""
        by_family = dict.fromkeys(FAMILIES, 0.0)
        for cause, share in self.shares.items():
            by_family[FAMILY_OF[cause]] += share
        by_family["cache"] = self._cached_s() * (1.0 - self.cache_factor) / self.db_time_s
        true = {family for family, share in by_family.items() if share >= TRUE_SHARE_MIN}
        false = {family for family, share in by_family.items() if share <= FALSE_SHARE_MAX}
        cpu_share = self.cpu_s / self.db_time_s
        # Sources call 60 % of CPU time and more bound by CPU, and call 40 % nothing.
        if cpu_share >= 0.6:
            true, false = true | {"cpu"}, false - {"cpu"}
        elif cpu_share > 0.4:
            false -= {"cpu"}
        if self._is_starved:
            # Commits that wait for the CPU that all lack are told by either name.
            false -= {"commits"}
        return frozenset(true), frozenset(false)

    @property
    def _is_starved(self) -> bool:
        return "lack of CPU" in self.causes

    @property
    def _waits_share(self) -> float:
        return sum(share for cause, share in self.shares.items() if cause not in _IN_CPU)

    def _scale_down(self) -> None:
        factor = min(1.0, _WAITS_SHARE_MAX * self.dice.uniform(0.5, 1.0) / self._waits_share)
        if self._waits_share > _WAITS_SHARE_MAX:
            self.shares = {cause: share * factor for cause, share in self.shares.items()}

    def _log_uniform(self, bounds: tuple[float, float]) -> float:
        return math.exp(self.dice.uniform(*map(math.log, bounds)))

    def _seconds(self, cause: str) -> float:
        return self.shares[cause] * self.db_time_s

    def _wait(self, event: str, seconds: float, each_s: float, behind: bool = False) -> None:
        known = self.behind if behind else self.sessions
        count, spent_s = known.get(event, (0.0, 0.0))
        known[event] = (count + seconds / each_s, spent_s + seconds)

    def _reads(self) -> None:
        """A backup makes each read longer, and a cold cache makes them more."""
        cells = self.is_exadata
        single = "cell single block physical read" if cells else "db file sequential read"
        multi = "cell multiblock physical read" if cells else "db file scattered read"
        direct = "cell smart table scan" if cells else "direct path read"
        own, backup, cold = (self._seconds(name) for name in ("single-block reads", "backup", "cold cache"))
        slowed = (own + backup + cold) / (own + cold)
        self._wait(single, 0.95 * own + backup + cold, slowed * self.read_s)
        self._wait("db file parallel read", 0.05 * own, 2 * self.read_s)
        self._wait(multi, self._seconds("multi-block reads"), self.read_s * self.dice.uniform(1.1, 3.0))
        self._wait(direct, self._seconds("direct path reads"), self.read_s * self.dice.uniform(1.0, 6.0))
        self._wait("read by other session", self._seconds("many readers of a block"), self.read_s)
        for event, count in (("direct path read temp", 0.7), ("direct path write temp", 0.3)):
            self._wait(event, count * self._seconds("spills"), self.read_s * self.dice.uniform(0.8, 2.0))

    def _slowed(self, cause: str) -> None:
        """There are reads of the database's own, which the cause makes many times as much of."""
        if cause in self.causes:
            least = self.shares[cause] / self.dice.uniform(2.0, 11.0)
            self.shares["single-block reads"] = max(self.shares["single-block reads"], least)

    def _writes(self) -> None:
        batch_s = self.dice.uniform(4e-3, 30e-3)
        self._wait("free buffer waits", 0.9 * self._seconds("slow writers"), self.dice.uniform(8e-3, 60e-3))
        self._wait("write complete waits", 0.1 * self._seconds("slow writers"), 0.1)
        self._wait("direct path write", self._seconds("loads"), self.dice.uniform(1e-3, 20e-3))
        self._wait("db file parallel write", ELAPSED_S * self.dice.uniform(0.01, 0.6), batch_s, behind=True)

    def _logs(self) -> None:
        """While a checkpoint holds the log up, the writers are behind for all."""
        incomplete = self.dice.uniform(0.4, 1.0) if "small logs" in self.causes else 1.0
        small_s = self._seconds("small logs")
        self._wait(
            "log file switch (checkpoint incomplete)", incomplete * small_s, self.dice.uniform(0.1, 0.9)
        )
        if incomplete < 1.0:
            self._wait("free buffer waits", (1.0 - incomplete) * small_s, self.dice.uniform(8e-3, 60e-3))
        self._wait("log file switch (archiving needed)", self._seconds("slow archive"), 0.9)
        self._wait("log buffer space", self._seconds("small log buffer"), self.dice.uniform(5e-3, 90e-3))
        self._wait("log file switch completion", self._seconds("log switches"), self.dice.uniform(0.02, 0.2))

    def _commits(self) -> None:
        """A commit takes one or two writes of the log, and whatever comes on top of them."""
        causes = ("slow log device", "commits without CPU", "synchronous standby")
        slow, late, far = (cause in self.causes for cause in causes)
        waited_s = sum(self._seconds(cause) for cause in causes)
        write_s = self.dice.uniform(1.5e-3, 10e-3) if slow else self.dice.uniform(0.1e-3, 0.7e-3)
        far_s = self.dice.uniform(2e-3, 20e-3) if far else 0.0
        each_s = write_s * self.dice.uniform(1.0, 1.9) + far_s
        if late:
            each_s += self.dice.uniform(4e-3, 30e-3)
        group = self.dice.uniform(1.0, 4.0)
        commits = waited_s / each_s
        writes = commits / group
        self.sessions["log file sync"] = (commits, waited_s)
        self._wait("log file parallel write", writes * write_s, write_s, behind=True)
        if far:
            event = self.dice.choice(("SYNC Remote Write", "LNS wait on SENDREQ"))
            self._wait(event, writes * far_s, far_s, behind=True)
        ends = int(commits * self.dice.uniform(1.0, 1.05))
        self.counts |= {
            "user commits": ends, "redo writes": int(writes * self.dice.uniform(0.97, 1.03)),
            "user calls": int(ends * self.dice.uniform(3, 90)), "redo size": int(ends * self.dice.uniform(800, 9000)),
        }  # fmt: skip

    def _others(self) -> None:
        for cause, events in {
            "row locks": ("enq: TX - row lock contention", "enq: TM - contention"),
            "hot blocks": ("buffer busy waits", "latch: cache buffers chains", "enq: TX - index contention"),
            "library cache": ("cursor: pin S wait on X", "library cache lock", "latch: shared pool"),
            "transfers of blocks": ("gc buffer busy acquire", "gc cr block 2-way", "gc current block busy"),
        }.items():
            for event in events:
                self._wait(event, self._seconds(cause) / len(events), self.dice.uniform(0.5e-3, 0.2))

    def _queue_for_cpu(self) -> None:
        """Who has what it waited for stands in the queue for a CPU before it goes on, and that counts as the wait."""
        every = sum(count for count, _ in self.sessions.values())
        each_s = self._seconds("lack of CPU") / every
        self.sessions = {
            event: (count, seconds + count * each_s) for event, (count, seconds) in self.sessions.items()
        }

    def _cached_s(self) -> float:
        into_cache = ("single-block reads", "multi-block reads", "many readers of a block")
        return sum(self._seconds(cause) for cause in into_cache)

    def report(self) -> bytes:
        """As it is printed; half of all print IOStat by Filetype and a histogram."""
        busy = self.dice.uniform(0.93, 1.0) if self._is_starved else self.cpu_s / (CPUS * ELAPSED_S) * 1.1
        queue = self.dice.uniform(0.3, 1.2) if self._is_starved else 0.0
        more = [host(busy, queue), self._advisory(), self._times(), *self._functions(), *self._files()]
        up_minutes = self.dice.uniform(11, 50)
        return report(
            _whole(self.sessions), _whole(self.behind), db_time_s=self.db_time_s, cpu_s=self.cpu_s, busy=None,
            counts=self.counts, more=more,
            startup=f"01-May-24 09:{60 - up_minutes:02.0f}" if "cold cache" in self.causes else "01-Jan-24 08:00",
        )  # fmt: skip

    def _times(self) -> Table:
        return time_model(
            {
                "DB time": self.db_time_s,
                "DB CPU": self.cpu_s,
                "hard parse elapsed time": self._seconds("hard parses"),
                "connection management call elapsed time": self._seconds("logons"),
            }
        )

    def _advisory(self) -> Table:
        headings = (
            "P", "Size for Est (M)", "Size Factor", "Buffers (thousands)", "Est Phys Read Factor",
            "Estimated Phys Reads (thousands)",
        )  # fmt: skip
        told = min(1.0, self.cache_factor * self.dice.uniform(0.9, 1.1))
        rows = [
            ("D", "1,024", "1.00", "126", "1.00", "1,000"),
            ("D", "2,048", "2.00", "252", f"{told:.2f}", f"{1000 * told:.0f}"),
        ]
        return "Buffer Pool Advisory", headings, rows

    def _functions(self) -> Iterator[Table]:
        backup = self.dice.uniform(0.3, 0.85) if "backup" in self.causes else self.dice.uniform(0.0, 0.08)
        if "backup" not in self.causes and self.dice.random() < 0.5:
            return
        headings = (
            "Function Name", "Reads: Data", "Reqs per sec", "Data per sec", "Writes: Data", "Reqs per sec", "Data per sec",
            "Waits: Count", "Avg Tm(ms)",
        )  # fmt: skip
        gib = self.dice.uniform(10, 900)
        rows = [
            (name, f"{share * gib:.1f}G", "90.00", "10M", "0M", "0.00", "0M", "1,000", "5.00")
            for name, share in (("RMAN", backup), ("Buffer Cache Reads", 1.0 - backup), ("TOTAL:", 1.0))
        ]
        yield "IOStat by Function summary", headings, rows

    def _files(self) -> Iterator[Table]:
        """What the device itself took, without the queue for a CPU."""
        if self.dice.random() < 0.5 and not self.is_exadata:
            single_s = self._seconds("single-block reads") + self._seconds("cold cache")
            slowed = 1.0 + self._seconds("backup") / single_s
            small_ms = 1000 * self.read_s * slowed
            yield filetypes(
                [
                    (
                        "Data File",
                        "10G",
                        "200.00",
                        "10M",
                        "1G",
                        "10.00",
                        "1M",
                        f"{small_ms:.2f}",
                        f"{2 * small_ms:.2f}",
                    )
                ]
            )


def _whole(waits: Mapping[str, tuple[float, float]]) -> Waits:
    return {
        event: (max(1, round(count)), seconds) for event, (count, seconds) in waits.items() if seconds >= 0.5
    }
