"""Tiers of the laboratory against the counts of their devices: what a cap lets through, and what the page cache answers."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from databases_fixture import context
from plimsoll.facts import Inventory, Tier
from plimsoll.flows.place_objects import objects_of_database
from plimsoll.host.cpu_users import cpu_times, cpu_use, main_process
from plimsoll.host.device_counts import SECTOR_BYTES, DeviceCounts, counts_beneath
from plimsoll.placement.pins import Terms
from plimsoll.placement.plan import place
from plimsoll.placement.tier_file import read_tiers
from served_tiers import answer, served, tiers_folder

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

_ROW = "x" * 7300
"""One in each block."""
_BLOCK_BYTES = 8192
_CAP_IOPS, _CAP_MB_PER_S = 1000, 12
_SLICE_S = 0.2
"""The kernel's throttle lets pass at once what belongs to a tenth of a second."""
_BOUND_BYTES = 96 << 20
_CAPPED = ("--by", "throttle", "--slow-iops", str(_CAP_IOPS), "--slow-mb-per-s", str(_CAP_MB_PER_S))
_LAWS = ("--slow-law", "law=constant,mean=2ms,servers=1", "--fast-law", "law=constant,mean=200us,servers=4")
_SESSIONS = 8


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """Of the tiers; journals and store are this test's alone."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("PLIMSOLL_STORE", str(tmp_path / "runs.db"))
    with tiers_folder() as made:
        yield made


def url_of(folder: Path) -> str:
    return (folder / "url").read_text().strip()


def make_table(folder: Path, name: str, blocks: int) -> None:
    """A table of so many blocks; its rows are frozen, so that whoever reads them changes nothing."""
    with psycopg.connect(url_of(folder)) as session:
        session.execute(f"create table {name} (i int, wide text)".encode())
        session.execute(f"alter table {name} alter wide set storage plain".encode())
        with session.cursor().copy(f"copy {name} from stdin with (freeze)".encode()) as rows:
            for number in range(blocks):
                rows.write_row((number, _ROW))


def counts(folder: Path) -> DeviceCounts:
    found = counts_beneath(folder / "slow" / "lost+found")
    assert found is not None, "the kernel does not count here what reaches a loop device"
    return found[1]


def small_read_us(tier: Tier) -> float:
    return tier.small_read_us[0].latency_us


def test_no_more_passes_than_the_cap(folder: Path) -> None:
    sizes = ("--slow-size", "192m", "--fast-size", "128m", "--cache", "1m")
    with served(folder, *_CAPPED, *sizes) as server:
        slow, fast = read_tiers(folder / "tiers.toml").tiers
        # Of the shortest run a tenth of a second passes at once.
        assert small_read_us(slow) > 0.8 * 1e6 / _CAP_IOPS
        assert small_read_us(fast) < small_read_us(slow)
        assert slow.large_read_us[0].latency_us > 0.8 * 131_072 / _CAP_MB_PER_S
        make_table(folder, "t", 2500)
        with psycopg.connect(url_of(folder), autocommit=True) as session:
            before, begin_s = counts(folder), time.monotonic()
            for number in range(0, 2500, 2):
                session.execute(f"select length(wide) from t where ctid = '({number},1)'".encode())
            single, single_s = counts(folder), time.monotonic()
            session.execute("select count(*) from t where wide > ''")
            scanned, scanned_s = counts(folder), time.monotonic()
        reads = single.reads - before.reads
        assert 1250 <= reads <= _CAP_IOPS * (single_s - begin_s + _SLICE_S)
        read_bytes = (scanned.read_sectors - single.read_sectors) * SECTOR_BYTES
        assert 2000 * _BLOCK_BYTES < read_bytes <= _CAP_MB_PER_S * 1e6 * (scanned_s - single_s + _SLICE_S)
        said, codes = answer(server)
        assert (said.by, said.tiers[0].law, said.tiers[1].cap) == ("throttle", None, None)
        assert said.tiers[0].cap is not None
        assert (said.tiers[0].cap.iops, said.tiers[0].cap.mb_per_s) == (_CAP_IOPS, _CAP_MB_PER_S)
        assert said.tiers[0].at_device is not None
        assert said.tiers[0].at_device.reads >= scanned.reads - before.reads
        assert codes == {"tiers-capped"}


@dataclass(frozen=True)
class Watched:
    """What the database and the device counted of the same load."""

    inventory: Inventory
    answered_share: float
    """Of the bytes that the server asked for, those that did not come from the device."""
    others_cpu_share: float
    """Of all CPUs, what neither the server nor this process used."""


@contextmanager
def read_at_random(folder: Path, tables: dict[str, int]) -> Iterator[None]:
    """Sessions that read single blocks of these tables, as many of each, until the end of the block."""
    ended = threading.Event()

    def read(seed: int) -> None:
        dice = random.Random(seed)
        with psycopg.connect(url_of(folder), autocommit=True) as session:
            while not ended.is_set():
                for name, blocks in tables.items():
                    wanted = f"select length(wide) from {name} where ctid = '({dice.randrange(blocks)},1)'"
                    session.execute(wanted.encode())

    sessions = [threading.Thread(target=read, args=(seed,)) for seed in range(_SESSIONS)]
    for one in sessions:
        one.start()
    try:
        yield
    finally:
        ended.set()
        for one in sessions:
            one.join()


def asked_bytes(session: psycopg.Connection[tuple[float]]) -> float:
    row = session.execute(
        "select sum(read_bytes)::float8 from pg_stat_io where object = 'relation'"
    ).fetchone()
    assert row is not None
    return row[0]


def watched(folder: Path, tmp_path: Path, tables: dict[str, int]) -> Watched:
    """The page cache is as full as it gets when the watch begins."""
    with (
        context(tmp_path / "journal") as (ctx, _),
        read_at_random(folder, tables),
        psycopg.connect(url_of(folder), autocommit=True) as session,
    ):
        time.sleep(8.0)
        asked, device, before = asked_bytes(session), counts(folder), cpu_times()
        inventory = objects_of_database(ctx, url_of(folder), 12.0)
        asked, now = asked_bytes(session) - asked, counts(folder)
        use = cpu_use(before, cpu_times(), main_process(session.info.backend_pid))
    answered = 1 - (now.read_sectors - device.read_sectors) * SECTOR_BYTES / asked
    return Watched(inventory, answered, 0.0 if use is None else use.others_share)


def on_tiers(found: Inventory) -> Inventory:
    """What lies in the data folder lies on the slow tier. How busy other programs keep the CPUs is not asked for here."""
    slow = tuple(one.model_copy(update={"tier": "slow"}) for one in found.objects)
    return found.model_copy(update={"objects": slow, "cpu_busy_share": None})


def test_what_the_page_cache_answers_gains_nothing(folder: Path, tmp_path: Path) -> None:
    """One table stays in the page cache, of the other half does; both are read as often."""
    sizes = ("--slow-size", "384m", "--fast-size", "128m", "--cache", "1m", "--buffered", str(_BOUND_BYTES))
    with served(folder, *_LAWS, *sizes) as server:
        tables = {"hot": 1000, "cold": 10_000}
        for name, blocks in tables.items():
            make_table(folder, name, blocks)
        seen = watched(folder, tmp_path, tables)
        objects = {one.name: one for one in seen.inventory.objects}
        hot, cold = objects["public.hot"], objects["public.cold"]
        assert 0.1 < seen.answered_share < 0.95
        assert seen.inventory.cached_read_share == pytest.approx(seen.answered_share, abs=0.12)
        assert (hot.cached_share, cold.cached_share) == (None, None)
        assert hot.small_reads == pytest.approx(cold.small_reads, rel=0.3)
        assert None not in (hot.read_s, cold.read_s)
        assert (hot.read_s or 0.0) < 0.35 * (cold.read_s or 0.0)
        tiers = read_tiers(folder / "tiers.toml").tiers
        rows = {row.object: row for row in place([on_tiers(seen.inventory)], list(tiers), Terms()).plan}
        assert rows["public.cold"].tier == "fast"
        assert rows["public.hot"].gain_s < 0.15 * rows["public.cold"].gain_s
        # What came from the device was the cold table's, as good as all of it.
        fetched = ((cold.small_reads or 0.0) + (hot.small_reads or 0.0)) * (1 - seen.answered_share)
        of_device = {
            name: (rows[name].ios_per_s or 0.0) * (seen.inventory.interval_s or 0.0) for name in objects
        }
        assert of_device["public.cold"] == pytest.approx(fetched, rel=0.35)
        if of_device["public.hot"] >= 0.2 * of_device["public.cold"] and seen.others_cpu_share > 0.4:
            pytest.skip(
                f"other programs had {seen.others_cpu_share:.0%} of the CPUs, for which timed reads waited"
            )
        assert of_device["public.hot"] < 0.2 * of_device["public.cold"]
        left_s = of_device["public.cold"] * small_read_us(tiers[1]) / 1e6
        assert rows["public.cold"].gain_s == pytest.approx((cold.read_s or 0.0) - left_s, rel=0.1)
        said, codes = answer(server)
        assert codes == {"tiers-buffered"}
        assert said.buffered_bytes == _BOUND_BYTES
        assert said.page_cache_bytes is not None
        assert tables["hot"] * _BLOCK_BYTES < said.page_cache_bytes < _BOUND_BYTES
