"""Placement proved by moving: TPC-H's 22 queries on a disk, then laid out by our plan, and beside it by two rules of thumb.

`plimsoll lab tiers` serves a disk and flash, by service-time laws, with a PostgreSQL past the page cache. In each round all
of the data lie on the disk first, and what the database counts there is planned with `plimsoll place` for 25 and 50 % of the
bytes, and without a limit. `plimsoll place apply` moves to the plan, and the queries run again: what they gained is held against
what was predicted, and against as many bytes of indexes alone, and of what is read most. Then temporary files alone are moved, for
queries that spill. For two of the queries every layout of the four objects that they wait for most is tried, as far as it fits,
and the best of them is held against the plan: `--case few` measures this alone. Lineitem has a partition for each year. True
figures: --scale 0.3 or more, three rounds.
"""

from __future__ import annotations

import itertools
import json
import statistics
import sys
import tempfile
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from kit import bench
from kit.judge import Aim
from kit.rounds import Figures, Sample, pack
from kit.tier_lab import FAST, SLOW, Lab, Relation, Watched, lab, write_objects

from databases_fixture import context
from plimsoll.facts import Inventory
from plimsoll.ports.clock import SystemClock

QUERIES = range(1, 23)
SPILLING = (9, 13, 16, 18)
SPILL_SETTINGS = ("set work_mem = '64kB'", "set hash_mem_multiplier = 1")
SPILL_MEMORY_BYTES = 48 << 20
"""Of the sessions and the pages of their temporary files together: the system's cache cannot hold what they spill."""
FEW = "few objects"
SMALL_OBJECTS = 4
"""Whose layouts are all tried, for the bytes of the largest: it goes alone, or some of the others go."""
BUDGETS = {"25 %": 0.25, "50 %": 0.5, "no limit": None}
NOISE = 1.05
"""Ours may take so many times as long as a rule of thumb before it counts as worse."""
OFF_MAX = 0.2
"""Between gain as predicted and as measured, as a share of the latter."""
_CACHE_SHARE = 0.5
"""Of the raw data, that the database caches: a quarter of what tables and indexes take up."""
_SECTOR_BYTES = 4096
_DISK_FACTOR = 6
"""A disk has so many times the bytes of the raw data: tables, indexes, a copy under way, temporary files and WAL."""


def main() -> int:
    """Runs it."""
    return bench.run("lab_tiers", __doc__ or "", _measure, rounds=3, runtime_s=0.0, programs=("mkfs.ext4",))


def _measure(here: bench.Bench) -> list[Aim]:
    raw = here.folder / "raw"
    raw.mkdir()
    raw_bytes = int(here.asked.scale * (1 << 18)) * _SECTOR_BYTES
    size = str(max(1 << 30, raw_bytes * _DISK_FACTOR))
    cache = str(max(16 << 20, int(raw_bytes * _CACHE_SHARE)))
    words = ("--slow-size", size, "--fast-size", size, "--cache", cache)
    here.describe(
        words=words, scale=here.asked.scale, spilling=[*SPILLING, *SPILL_SETTINGS, SPILL_MEMORY_BYTES]
    )
    with tempfile.TemporaryDirectory() as made, context(Path(made) / "journal", SystemClock()) as (ctx, _):
        Path(made).chmod(0o755)  # The account that runs the server passes through.
        _all_rounds(
            here, raw, lab(ctx, here.asked.plimsoll, Path(made) / "lab", f"{here.asked.scale:g}", words)
        )
    pack(raw)
    measured = {sample.case for sample in here.samples}
    return [aim for aim in _aims() if aim.case in measured]


def _all_rounds(here: bench.Bench, raw: Path, served: AbstractContextManager[Lab]) -> None:
    with served as tiers:
        tiers.load()
        (raw / "tiers.toml").write_text(tiers.tiers_file.read_text())
        for number in range(here.asked.rounds):
            _Round(here, tiers, raw, number).run()
            here.write("samples.json", [vars(sample) for sample in here.samples])


@dataclass(frozen=True)
class _Layout:
    """A way to lay the data out: the relations that are on the fast tier, and what was predicted of it."""

    tool: str
    on_fast: frozenset[str]
    predicted_s: float | None = None


@dataclass(frozen=True)
class _Asked:
    """Queries, and tables of which nothing is in the database's cache before."""

    numbers: Sequence[int]
    cold: tuple[str, ...] = ()


ALL = _Asked(QUERIES)
SMALL = _Asked((2, 11), ("part", "partsupp", "supplier", "nation", "region"))


@dataclass
class _Round:
    """One round over all layouts."""

    here: bench.Bench
    lab: Lab
    raw: Path
    number: int

    def run(self) -> None:
        case = self.here.asked.case
        if not case or case not in FEW:
            self._all()
        if case in FEW:
            self._small()

    def _all(self) -> None:
        self.lab.lay_out(())
        before = self.lab.watch(QUERIES)
        self._keep("slow", before)
        self._add("all", "slow", {"total_s": before.total_s, **_of_queries(before)})
        relations = self.lab.relations()
        off = [self._budget(name, share, before, relations) for name, share in BUDGETS.items()]
        self._add("all", "place", {"off": statistics.median(off)})
        self._temporary()

    def _budget(
        self, name: str, share: float | None, before: Watched, relations: Sequence[Relation]
    ) -> float:
        """Our plan for a budget and both rules of thumb; how far the prediction was off."""
        budget = None if share is None else int(share * sum(one.size_bytes for one in relations))
        plan = self._plan(name, budget, before)
        predicted, gained = self._ours(name, plan, before)
        if budget is not None:
            for rule in (indexes, hottest):
                chosen = frozenset(rule(relations, before.inventory, budget))
                self.lab.lay_out(chosen)
                self._ask(name, _Layout(rule.__name__, chosen), before)
        return abs(predicted / gained - 1.0) if gained else 1.0

    def _ours(self, name: str, plan: Path, before: Watched, asked: _Asked = ALL) -> tuple[float, float]:
        """The plan carried out by the command, and taken back by it: seconds that it was to gain, and that it gained."""
        data = json.loads(plan.read_text())["data"]
        moved = frozenset(row["object"] for row in data["plan"] if row["tier"] != row["from_tier"])
        layout = _Layout("ours", moved, data["gain_s"])
        where = ("--database", self.lab.url, "--confirm", "postgres")
        self.lab.lay_out(())
        self.lab.command("place", "apply", str(plan), *where)
        gained = self._ask(name, layout, before, asked)
        self.lab.command("place", "apply", str(plan), *where, "--reverse")
        return data["gain_s"], gained

    def _plan(self, name: str, budget: int | None, before: Watched) -> Path:
        """What `plimsoll place` says of the counts on the slow tier."""
        objects, plan = (
            self.raw / f"{self.number}-objects-{_file(name)}.csv",
            self.raw / f"{self.number}-plan-{_file(name)}.json",
        )
        write_objects(objects, before.inventory)
        known = {
            "--interval": before.inventory.interval_s,
            "--db-time": before.inventory.db_time_s,
            "--io-wait": before.inventory.foreground_io_wait_s,
        }
        words = [word for option, seconds in known.items() for word in (option, f"{seconds}s")]
        words += ["--cache", str(before.inventory.cache_bytes), "--must", "WAL=slow"]
        words += [] if budget is None else ["--budget-bytes", str(budget)]
        # Status 5: the size of temporary files is not known, and they stay.
        said = self.lab.command(
            "place",
            "--objects",
            str(objects),
            "--tiers",
            str(self.lab.tiers_file),
            *words,
            "--json",
            statuses=(0, 5),
        )
        plan.write_text(said)
        return plan

    def _ask(self, case: str, layout: _Layout, before: Watched, asked: _Asked = ALL) -> float:
        """Seconds that the queries gain by a layout that is there."""
        self.lab.forget(asked.cold)
        after = self.lab.watch(asked.numbers)
        self._keep(f"{_file(case)}-{layout.tool}", after)
        on_fast = sum(one.size_bytes for one in self.lab.relations() if one.tablespace == FAST)
        gained = before.total_s - after.total_s
        figures = {
            "total_s": after.total_s,
            "gain_s": gained,
            "fast_bytes": float(on_fast),
            **_of_queries(after),
        }
        if layout.predicted_s is not None:
            figures |= {"predicted_s": layout.predicted_s}
        self._add(case, layout.tool, figures)
        return gained

    def _temporary(self) -> None:
        """Queries that spill, with their temporary files on either tier and everything else on the slow one."""
        with self.lab.memory(SPILL_MEMORY_BYTES):
            for place in (SLOW, FAST):
                self.lab.lay_out((), temporary=place)
                seconds = self.lab.ask(SPILLING, SPILL_SETTINGS)
                each = {f"q{number}_s": value for number, value in seconds.items()}
                self._add("temporary files", place, {"total_s": sum(seconds.values()), **each})
        self.lab.lay_out(())

    def _small(self) -> None:
        """Our plan for few queries and objects, and beside it the best of all layouts that fit."""
        self.lab.lay_out(())
        self.lab.forget(SMALL.cold)
        before = self.lab.watch(SMALL.numbers)
        relations = {one.name: one for one in self.lab.relations()}
        waited_for = sorted(before.inventory.objects, key=lambda one: -(one.read_s or 0.0))
        chosen = [relations[one.name] for one in waited_for if one.name in relations][:SMALL_OBJECTS]
        budget = max(one.size_bytes for one in chosen)
        self._ours(FEW, self._plan(FEW, budget, before), before, SMALL)
        best: dict[frozenset[str], float] = {}
        for layout in _layouts(chosen, budget):
            self.lab.lay_out(layout)
            self.lab.forget(SMALL.cold)
            best[layout] = sum(self.lab.ask(SMALL.numbers).values())
            print(self.number, sorted(layout), best[layout], file=sys.stderr, flush=True)
        self.lab.lay_out(())
        self._add(FEW, "slow", {"total_s": before.total_s})
        self._add(FEW, "best", {"total_s": min(best.values()), "layouts": float(len(best))})

    def _add(self, case: str, tool: str, figures: Figures) -> None:
        sample = Sample(case, tool, self.number, figures)
        self.here.samples.append(sample)
        print(sample, file=sys.stderr, flush=True)

    def _keep(self, name: str, found: Watched) -> None:
        write_objects(self.raw / f"{self.number}-{name}-counts.csv", found.inventory)
        rows = [row.model_dump() for row in found.io if row.reads]
        (self.raw / f"{self.number}-{name}-io.json").write_text(json.dumps(rows))


def _layouts(relations: Sequence[Relation], budget: int) -> list[frozenset[str]]:
    """Every choice of some of these that fits."""
    every = itertools.chain.from_iterable(
        itertools.combinations(relations, count) for count in range(1, len(relations) + 1)
    )
    fitting = [some for some in every if sum(one.size_bytes for one in some) <= budget]
    return [frozenset(one.name for one in some) for some in fitting]


def _file(case: str) -> str:
    return case.replace(" %", "").replace(" ", "-")


def _of_queries(found: Watched) -> Figures:
    return {f"q{number}_s": seconds for number, seconds in found.seconds.items()}


def indexes(relations: Sequence[Relation], inventory: Inventory, budget: int) -> list[str]:
    """All indexes, those that are read most first, as far as they fit."""
    return _filled([one for one in relations if one.is_index], inventory, budget)


def hottest(relations: Sequence[Relation], inventory: Inventory, budget: int) -> list[str]:
    """What has most blocks read, as far as it fits."""
    return _filled(relations, inventory, budget)


def _filled(relations: Sequence[Relation], inventory: Inventory, budget: int) -> list[str]:
    blocks = {
        one.name: _blocks(one.small_reads, one.large_reads, one.large_read_bytes_mean)
        for one in inventory.objects
    }
    found: list[str] = []
    for one in sorted(relations, key=lambda one: -blocks.get(one.name, 0.0)):
        if one.size_bytes <= budget:
            found.append(one.name)
            budget -= one.size_bytes
    return found


def _blocks(small: float | None, large: float | None, large_bytes: float | None) -> float:
    return (small or 0.0) + (large or 0.0) * (large_bytes or 0.0) / 8192


def _aims() -> list[Aim]:
    beside = [
        Aim(case, "total_s", "ours", (rule,), median_max=NOISE)
        for case in ("25 %", "50 %")
        for rule in ("indexes", "hottest")
    ]
    best = Aim(FEW, "total_s", "ours", ("best",), median_max=NOISE)
    temporary = Aim("temporary files", "total_s", FAST, (SLOW,), median_max=0.95)
    return [*beside, Aim("all", "off", "place", median_max=OFF_MAX), best, temporary]


if __name__ == "__main__":
    sys.exit(main())
