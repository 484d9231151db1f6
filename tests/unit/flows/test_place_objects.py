"""What is named becomes inventories of one database, whatever it is; what gives none is told with its reason."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from advice_reports import report
from databases_fixture import context
from oracle_objects import sample, segment
from plimsoll.base.errors import UsageError
from plimsoll.context import Context
from plimsoll.flows import place_objects
from plimsoll.flows.place_objects import objects_of_database, objects_of_files
from tiny_reports import Table

SPACES: Table = (
    "Tablespace IO Stats",
    ("Tablespace", "Reads", "Av Rds/s", "Av Rd(ms)", "Av Blks/Rd", "Writes", "Av Writes/s"),
    [("USERS", "50,000", "50", "2.00", "1.0", "700", "1")],
)
WAITS = {"db file sequential read": (50_000, 100.0), "log file sync": (900, 9.0)}
LISTING = """
OBJECT_NAME                      OPERATION     OPTIONS                                 FTS_MEG
-------------------------------- ------------- ------------------------------ ----------------
H_NATION                         TABLE ACCESS  FULL                                     2.25
"""


@pytest.fixture
def ctx(tmp_path: Path) -> Iterator[Context]:
    """A context of this test alone."""
    with context(tmp_path / "journal") as (made, _):
        yield made


def awr(**known: object) -> bytes:
    """A report of a tablespace with reads."""
    return report(WAITS, db_time_s=500.0, cpu_s=300.0, busy=0.4, more=[SPACES], **known)  # type: ignore[arg-type]


def written(folder: Path, **contents: bytes | str) -> list[str]:
    """Files of these names, and their paths."""
    folder.mkdir(exist_ok=True)
    for name, content in contents.items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return [str(folder / name) for name in contents]


def test_a_report_gives_objects_with_what_sessions_waited(ctx: Context, tmp_path: Path) -> None:
    found = objects_of_files(ctx, written(tmp_path / "r", one=awr()), {"tablespace USERS": 5 << 30})
    (one,) = found.inventories
    assert one.objects[0].name == "tablespace USERS"
    assert one.objects[0].size_bytes == 5 << 30
    assert (one.db_time_s, one.foreground_io_wait_s, one.cpu_busy_share, one.cpus) == (
        500,
        109,
        pytest.approx(0.4),
        8,
    )
    assert found.notes == ()


def test_reports_of_a_folder_are_intervals_in_their_order(ctx: Context, tmp_path: Path) -> None:
    later = awr(begin="01-May-24 11:00:00", end="01-May-24 11:16:40")
    written(tmp_path / "r", a=later, b=awr(), c="nothing of the kind")
    found = objects_of_files(ctx, [str(tmp_path / "r")], {})
    assert [one.begin_time for one in found.inventories] == ["2024-05-01T10:00:00", "2024-05-01T11:00:00"]
    assert [note.code for note in found.notes] == ["no-objects"]


def test_the_same_report_twice_is_one(ctx: Context, tmp_path: Path) -> None:
    found = objects_of_files(ctx, written(tmp_path / "r", a=awr(), b=awr()), {})
    assert len(found.inventories) == 1
    assert found.inventories[0].objects[0].small_reads == 50_000


def test_samples_of_the_script_are_known_by_their_head(ctx: Context, tmp_path: Path) -> None:
    orders = {("SHOP", "ORDERS", ""): segment(blocks=80, requests=80)}
    paths = written(
        tmp_path / "r", one=sample({}, statistics={"physical reads": 0}),
        two=sample(orders, taken="2024-05-01T10:10:00", statistics={"physical reads": 80}),
    )  # fmt: skip
    (one,) = objects_of_files(ctx, paths, {}).inventories
    assert one.interval_s == 600
    assert "SHOP.ORDERS" in {each.name for each in one.objects}


def test_a_listing_is_known_by_its_columns(ctx: Context, tmp_path: Path) -> None:
    (one,) = objects_of_files(ctx, written(tmp_path / "r", one=LISTING), {"H_NATION": 8192}).inventories
    assert [(each.name, each.size_bytes) for each in one.objects] == [("H_NATION", 8192)]


@pytest.mark.parametrize(
    ("contents", "id", "said"),
    [
        ({"a": awr(), "b": awr(db_name="OTHER")}, "objects-several", "OTHER, SHOP"),
        ({"a": "no report"}, "objects-none", "no report that is known here"),
        ({"a": report(WAITS, db_time_s=500.0, cpu_s=300.0)}, "objects-none", "prints no I/O of segments"),
        ({"a": sample({}).replace("E|end", "")}, "objects-damaged", "truncated"),
    ],
)
def test_what_makes_no_inventory_is_refused(
    ctx: Context, tmp_path: Path, contents: dict[str, bytes | str], id: str, said: str
) -> None:
    with pytest.raises(UsageError) as caught:
        objects_of_files(ctx, written(tmp_path / "r", **contents), {})
    assert caught.value.id == id
    assert said in caught.value.message


def test_an_interval_with_a_restart_gives_none(ctx: Context, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="started"):
        objects_of_files(ctx, written(tmp_path / "r", one=awr(startup="01-May-24 10:05")), {})


def test_a_database_that_does_not_count_objects_is_refused(
    ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Other:
        """A connection without objects."""

        class database:  # noqa: N801
            kind = "mariadb"

        def __enter__(self) -> Other:
            return self

        def __exit__(self, *_: object) -> None:
            return

    monkeypatch.setattr(place_objects, "open_database", lambda *_: Other())
    with pytest.raises(UsageError) as caught:
        objects_of_database(ctx, "mysql://db.example/shop", 1.0)
    assert caught.value.id == "objects-database"
