"""Invents facts from a seed: figures that agree with each other, names from `names`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import TypeVar

from reportgen import facts, names

_LETTERS = "0123456789abcdfghjkmnpqrstuvwxyz"
_BUCKETS = 8
T = TypeVar("T")
# Reports print local times without a zone.
_DAWN = datetime(2024, 3, 9, 8, 0, 3)  # noqa: DTZ001


@dataclass(frozen=True)
class Scale:
    """How many rows sections have, and how large totals are (decimal digits)."""

    rows: int = 4
    digits: float = 6.0
    instances: int = 2


def invent(seed: int, scale: Scale | None = None) -> facts.Facts:
    """The facts of one interval; the same for the same seed and scale."""
    return _Inventor(Random(seed), scale or Scale()).facts()


class _Inventor:
    def __init__(self, dice: Random, scale: Scale) -> None:
        self.dice, self.scale = dice, scale
        self.begin = _DAWN + timedelta(seconds=dice.randrange(10_000_000))
        self.elapsed_s = dice.choice((60, 1801, 3600, 3613, 86_399))

    def facts(self) -> facts.Facts:
        """Everything."""
        dice = self.dice
        instances = tuple(self._instance(number) for number in range(1, self.scale.instances + 1))
        header = self._header()
        first = instances[0]
        return facts.Facts(
            header=header,
            instances=instances,
            efficiency=tuple((name, round(dice.uniform(0, 100), 2)) for name in names.EFFICIENCY),
            waits=tuple(
                self._wait(*event) for event in self._some(names.EVENTS) + self._some(names.IDLE_EVENTS)
            ),
            time_model=self._time_model(first),
            os=tuple(self._os(name) for name in names.OS_STATISTICS),
            host=self._host(),
            io=tuple(self._io(function) for function in self._some(names.FUNCTIONS)),
            files=tuple(
                self._file(name)
                for name in self._many(names.TABLESPACES)
                for _ in range(dice.choice((1, 1, 2)))
            ),
            segments=tuple(self._segment(name) for name in self._many(names.OBJECTS)),
            sql=tuple(self._sql(text) for text in self._many(names.STATEMENTS)),
            statistics=tuple(facts.Statistic(name, self._total()) for name in self._many(names.STATISTICS))
            + tuple(self._absolute(name) for name in names.ABSOLUTE_STATISTICS),
            log_switches=dice.randrange(40),
            pools=(self._pool("D"), self._pool("K"))[: 1 + dice.randrange(2)],
            pool_advice=tuple(self._advice("D", step, 5) for step in range(1, self.scale.rows + 1)),
            pga=self._pga(),
            pga_histogram=self._pga_histogram(),
            pga_advice=tuple(self._advice("", step, 5) for step in range(1, self.scale.rows + 1)),
            sga_advice=tuple(self._advice("", step, 2) for step in range(1, self.scale.rows + 1)),
            shared_pool_advice=tuple(self._advice("", step, 7) for step in range(1, self.scale.rows + 1)),
            checkpoint=tuple(self._total() for _ in range(6)),
            buffer_waits=tuple(
                facts.BufferWait(name, self._total(), self._time_us())
                for name in self._many(names.BLOCK_CLASSES)
            ),
            enqueues=tuple(self._enqueue(*name) for name in self._some(names.ENQUEUES)),
            undo=tuple(self._undo(step) for step in range(self.scale.rows)),
            latches=tuple(self._latch(name) for name in self._many(names.LATCHES)),
            library=tuple(self._cache(name) for name in self._many(names.NAMESPACES)),
            dictionary=tuple(self._cache(name) for name in self._many(names.DICTIONARY)),
            interconnect=facts.Interconnect(*(self._total() for _ in range(5))),
            components=tuple(self._component(name) for name in self._some(names.COMPONENTS)),
            parameters=tuple(self._parameter(*pair) for pair in self._some(names.PARAMETERS)),
            findings=tuple(self._finding(name, header) for name in self._some(names.FINDINGS)),
        )

    def _some(self, choices: tuple[T, ...]) -> tuple[T, ...]:
        """Some of the choices in their order; all where more rows are wanted than there are."""
        wanted = min(self.scale.rows, len(choices))
        chosen = set(self.dice.sample(range(len(choices)), wanted))
        return tuple(choice for place, choice in enumerate(choices) if place in chosen)

    def _many(self, choices: tuple[str, ...]) -> tuple[str, ...]:
        """Some of the choices, and numbered ones after them where more rows are wanted than there are."""
        more = range(self.scale.rows - len(choices))
        return (
            *self._some(choices),
            *(
                f"{choices[number % len(choices)]}{'_' if choices[0].isupper() else ' '}{number + 2}"
                for number in more
            ),
        )

    def _total(self) -> int:
        return int(10 ** self.dice.uniform(0, self.scale.digits)) - 1

    def _percent(self) -> float:
        return self.dice.choice((0.0, 100.0, self.dice.uniform(0, 100), self.dice.uniform(0, 1)))

    def _maybe(self, value: float) -> float | None:
        return None if self.dice.random() < 0.2 else value

    def _time_us(self) -> float:
        return round(10 ** self.dice.uniform(2, self.scale.digits + 3), 1)

    def _header(self) -> facts.Header:
        dice = self.dice
        name = dice.choice(names.DATABASES)
        begin = dice.randrange(1, 60_000)
        return facts.Header(
            db_name=name,
            db_id=dice.randrange(1_000_000_000, 4_000_000_000),
            unique_name=name.lower() + "_a",
            role="PRIMARY",
            edition="EE",
            platform=dice.choice(names.PLATFORMS),
            cpus=dice.choice((1, 8, 96)),
            cores=dice.choice((4, None)),
            sockets=dice.choice((2, None)),
            memory_bytes=round(round(dice.uniform(1, 2048), 2) * (1 << 30)),
            begin_snap=begin,
            end_snap=begin + dice.choice((1, 1, 24)),
            sessions_begin=dice.randrange(20, 3000),
            sessions_end=dice.randrange(20, 3000),
            cursors_begin=round(dice.uniform(0.5, 30), 1),
            cursors_end=round(dice.uniform(0.5, 30), 1),
            rac=self.scale.instances > 1,
            cdb=dice.random() < 0.5,
            container="QUAYPDB",
            block_bytes=dice.choice((8192, 16_384)),
        )

    def _instance(self, number: int) -> facts.Instance:
        db_time_s = round(10 ** self.dice.uniform(0, self.scale.digits - 1), 2)
        return facts.Instance(
            number=number,
            name=f"quay{number}",
            host=self.dice.choice(names.HOSTS),
            startup=self.begin.replace(second=0) - timedelta(hours=self.dice.randrange(5, 4000)),
            begin=self.begin,
            end=self.begin + timedelta(seconds=self.elapsed_s + number - 1),
            db_time_s=db_time_s,
            db_cpu_s=round(db_time_s * self.dice.uniform(0.05, 0.9), 2),
            load=facts.Load(*(self._total() + 1 for _ in range(17))),
        )

    def _wait(self, event: str, wait_class: str) -> facts.Wait:
        waits = self._total() + 1
        background = self._total()
        cut = [self.dice.random() if self.dice.random() < 0.6 else 0.0 for _ in range(_BUCKETS)]
        whole = sum(cut) or 1.0
        return facts.Wait(
            event=event,
            wait_class=wait_class,
            waits=waits,
            timeouts=int(waits * self.dice.choice((0, 0, 0.02, 1))),
            total_us=round(waits * 10 ** self.dice.uniform(0, 5), 1),
            background_waits=background,
            background_us=round(background * 10 ** self.dice.uniform(0, 5), 1),
            shares=tuple(share / whole * 100 if share else None for share in cut),
        )

    def _time_model(self, instance: facts.Instance) -> tuple[tuple[str, float], ...]:
        parts = [
            (name, round(instance.db_time_s * self.dice.random(), 2)) for name in self._some(names.TIME_MODEL)
        ]
        if not any(name == "DB CPU" for name, _ in parts):
            parts.append(("DB CPU", instance.db_cpu_s))
        return tuple((name, instance.db_cpu_s if name == "DB CPU" else seconds) for name, seconds in parts)

    def _os(self, name: str) -> facts.OsStatistic:
        changes = name == "FREE_MEMORY_BYTES"
        return facts.OsStatistic(name, self._total() + 1, self._total() + 1 if changes else None)

    def _host(self) -> facts.Host:
        return facts.Host(*(round(self.dice.uniform(0, 99), 2) for _ in range(6)))

    def _io(self, function: str) -> facts.Io:
        waits = self._total()
        return facts.Io(
            function=function,
            filetype=self.dice.choice(names.FILETYPES),
            reads=self._total(),
            read_mib=self._total(),
            writes=self._total(),
            write_mib=self._total(),
            waits=waits,
            wait_us=round(waits * 10 ** self.dice.uniform(0, 4), 1),
            small_read_us=self._maybe(10 ** self.dice.uniform(0, 5)),
            large_read_us=self._maybe(10 ** self.dice.uniform(0, 5)),
        )

    def _file(self, tablespace: str) -> facts.FileIo:
        reads, writes, waits = self._total(), self._total(), self._total()
        single = int(reads * self.dice.random())
        folder = self.dice.choice(
            (
                "/u09/oradata/quay",
                "+QUAY_DATA/quay/datafile",
                "/mnt/very/long/path/of/volumes/number/eleven/db",
            )
        )
        return facts.FileIo(
            tablespace=tablespace,
            filename=f"{folder}/{tablespace.lower()}_{self.dice.randrange(1, 99):02d}.dbf",
            reads=reads,
            blocks_read=int(reads * self.dice.uniform(1, 64)),
            read_us=round(reads * 10 ** self.dice.uniform(1, 4), 1),
            single_reads=single,
            single_read_us=round(single * 10 ** self.dice.uniform(1, 4), 1),
            writes=writes,
            write_us=round(writes * 10 ** self.dice.uniform(1, 4), 1),
            buffer_waits=waits,
            buffer_wait_us=round(waits * 10 ** self.dice.uniform(1, 4), 1),
        )

    def _segment(self, name: str) -> facts.Segment:
        number = self.dice.randrange(1000, 999_999)
        return facts.Segment(
            owner=self.dice.choice(names.OWNERS),
            tablespace=self.dice.choice(names.TABLESPACES[:4]),
            name=name,
            subobject=self.dice.choice((None, None, "P_2024_Q1")),
            kind=self.dice.choice(names.KINDS),
            object_number=number,
            data_object_number=number + self.dice.randrange(100),
            value=self._total() + 1,
        )

    def _sql(self, text: str) -> facts.Sql:
        elapsed = self._time_us() / 1e6 + 0.01
        reads = self._total()
        return facts.Sql(
            sql_id="".join(self.dice.choice(_LETTERS) for _ in range(13)),
            old_hash=self.dice.randrange(1_000_000, 4_200_000_000),
            module=self.dice.choice(names.MODULES),
            text=text,
            elapsed_s=elapsed,
            cpu_s=elapsed * self.dice.random(),
            io_s=elapsed * self.dice.random(),
            cluster_s=elapsed * self.dice.random() / 10,
            gets=self._total() + 1,
            reads=reads,
            read_requests=reads // 2,
            unoptimized=reads // 2,
            executions=self.dice.choice((0, 1, self._total())),
            rows=self._total(),
            parse_calls=self._total() + 1,
            sharable_bytes=self._total() + 1_048_577,
            versions=self.dice.randrange(21, 4000),
        )

    def _absolute(self, name: str) -> facts.Statistic:
        return facts.Statistic(name, self._total() + 1, self._total() + 1, absolute=True)

    def _pool(self, name: str) -> facts.Pool:
        return facts.Pool(
            name, self._total() + 1, self._maybe(round(self._percent())), *(self._total() for _ in range(6))
        )

    def _advice(self, pool: str, step: int, estimates: int) -> facts.Advice:
        figures = (round(10 ** self.dice.uniform(-1, self.scale.digits), 2) for _ in range(estimates))
        return facts.Advice(pool, step * 128, step / 4, tuple(figures))

    def _pga(self) -> facts.Pga:
        def end() -> tuple[float, ...]:
            return (1024.0, 811.0, *(round(self.dice.uniform(0, 900), 1) for _ in range(5)), 104_850.0)

        return facts.Pga(round(self._percent(), 1), self._total(), self._total(), (end(), end()))

    def _pga_histogram(self) -> tuple[facts.PgaHistogram, ...]:
        rows: list[facts.PgaHistogram] = []
        for low_kib in (2, 64, 128, 512)[: self.scale.rows]:
            parts = self._total(), self._total() // 10
            label = (
                f"{low_kib}K",
                low_kib * 1024.0,
                f"{low_kib * 2}K" if low_kib < 512 else "1M",
                low_kib * 2048.0,
            )
            rows.append(facts.PgaHistogram(*label, sum(parts) + 5, *parts))
        return tuple(rows)

    def _enqueue(self, short: str, name: str) -> facts.Enqueue:
        requests = self._total() + 1
        failures = requests // 9
        return facts.Enqueue(
            short, name, requests, requests - failures, failures, self._total(), self._time_us()
        )

    def _undo(self, step: int) -> facts.Undo:
        end = self.begin.replace(second=0) + timedelta(seconds=self.elapsed_s) - timedelta(minutes=10 * step)
        return facts.Undo(
            end, self._total(), self._total(), self.dice.randrange(90_000), self.dice.randrange(99), 15
        )

    def _latch(self, name: str) -> facts.Latch:
        miss = round(self._percent(), 1)
        return facts.Latch(
            name,
            self._total(),
            self._maybe(miss),
            self._maybe(round(self.dice.random(), 1)),
            self.dice.randrange(900),
            self._total(),
            self._maybe(miss),
        )

    def _cache(self, name: str) -> facts.Cache:
        miss = self._maybe(round(self._percent(), 1))
        return facts.Cache(
            name, self._total(), miss, self._total(), self._maybe(0.5), *(self._total() for _ in range(3))
        )

    def _component(self, name: str) -> facts.Component:
        sizes = sorted(float(self.dice.randrange(0, 9000) * 4) for _ in range(3))
        return facts.Component(
            name,
            sizes[1],
            sizes[1],
            sizes[0],
            sizes[2],
            self.dice.randrange(40),
            self.dice.choice(("GRO/DEF", "STA/", "SHR/IMM")),
        )

    def _parameter(self, name: str, begin: str) -> facts.Parameter:
        return facts.Parameter(name, begin, "changed" if self.dice.random() < 0.2 else None)

    def _finding(self, name: str, header: facts.Header) -> facts.Finding:
        sessions, percent = round(self.dice.uniform(0.1, 60), 2), round(self.dice.uniform(2, 100), 2)
        return facts.Finding(name, sessions, percent, f"ADDM:{header.db_id}_1_{header.end_snap}")
