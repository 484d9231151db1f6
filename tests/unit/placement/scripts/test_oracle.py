"""The script for Oracle by release, edition and platform; read by a parser of its SQL, and run by nobody."""

from __future__ import annotations

from typing import Any

import pytest

from moved_plans import row
from plimsoll.base.errors import UsageError
from plimsoll.facts import PlanRow
from plimsoll.placement.scripts.moves import kept, moves_of
from plimsoll.placement.scripts.oracle import Server, release_of, script

NEW = Server((19, 0), "enterprise")
OLD = Server((11, 2), "enterprise")
STANDARD = Server((19, 0), "standard")
ROWS = [
    row("S.T", "DISK", "FAST"),
    row("S.T.P1", "DISK", "FAST", "partition"),
    row("S.I", "DISK", "FAST", "index"),
    row("S.I.P1", "DISK", "FAST", "index"),
    row("S.T.DOC", "DISK", "FAST", "lob"),
    row("S.SYS_LOB01$$", "DISK", "FAST", "lob"),
    row("temporary tablespace TEMP", "DISK", "TEMP_FAST", "temp"),
    row("tablespace UNDOTBS1", "DISK", "UNDO_FAST", "undo"),
    row("redo", "DISK", "FAST", "redo"),
    row("tablespace HISTORY", "DISK", "FAST", "other"),
]


def made(rows: list[PlanRow], server: Server, reverse: bool = False, keep: tuple[str, ...] = ()) -> str:
    return script(moves_of(rows, {}, reverse=reverse), kept(rows, keep), server, reverse=reverse)


def code(text: str) -> list[str]:
    return [line for line in text.splitlines() if line and not line.startswith("--")]


def test_enterprise_of_today_moves_online() -> None:
    lines = code(made(ROWS, NEW))
    for wanted in (
        'ALTER TABLE "S"."T" MOVE ONLINE TABLESPACE "FAST";',
        'ALTER TABLE "S"."T" MOVE PARTITION "P1" TABLESPACE "FAST" UPDATE INDEXES ONLINE;',
        'ALTER INDEX "S"."I" REBUILD TABLESPACE "FAST" ONLINE;',
        'ALTER INDEX "S"."I" REBUILD PARTITION "P1" TABLESPACE "FAST" ONLINE;',
        'ALTER TABLE "S"."T" MOVE ONLINE LOB ("DOC") STORE AS (TABLESPACE "FAST");',
        'ALTER DATABASE DEFAULT TEMPORARY TABLESPACE "TEMP_FAST";',
        'ALTER SYSTEM SET UNDO_TABLESPACE = "UNDO_FAST";',
    ):
        assert wanted in lines
    assert any("FROM dba_lobs" in line and "SYS_LOB01$$" in line for line in lines)
    assert any("MOVE DATAFILE" in line and "tablespace_name = 'HISTORY'" in line for line in lines)


def test_standard_edition_moves_while_nobody_writes_and_rebuilds_indexes() -> None:
    text = made(ROWS, STANDARD)
    assert 'ALTER TABLE "S"."T" MOVE TABLESPACE "FAST";' in code(text)
    assert "ONLINE" not in "\n".join(line for line in code(text) if line.startswith("ALTER"))
    assert "its indexes are unusable until they are rebuilt" in text
    assert any("status = 'UNUSABLE'" in line and "table_name = 'T'" in line for line in code(text))
    assert "RENAME FILE" in text


@pytest.mark.parametrize(
    ("release", "table", "partition", "file"),
    [
        ((11, 2), "START_REDEF_TABLE", "UPDATE INDEXES;", "RENAME FILE"),
        ((12, 1), "REDEF_TABLE(uname", "UPDATE INDEXES ONLINE;", "MOVE DATAFILE"),
        ((12, 2), "MOVE ONLINE TABLESPACE", "UPDATE INDEXES ONLINE;", "MOVE DATAFILE"),
    ],
)
def test_each_came_with_its_release(release: Any, table: str, partition: str, file: str) -> None:
    text = made([ROWS[0], ROWS[1], ROWS[9]], Server(release, "enterprise"))
    assert (table in text, partition in text, file in text) == (True, True, True)


def test_no_index_is_rebuilt_before_its_table_has_moved() -> None:
    of_table = [
        row(name, "DISK", "FAST", "index").model_copy(update={"parent": "S.T"}) for name in ("S.I1", "S.I2")
    ]
    text = made([of_table[0], row("S.U", "DISK", "FAST"), row("S.T", "DISK", "FAST"), of_table[1]], STANDARD)
    order = [line.split()[2] for line in code(text) if line.startswith(("ALTER TABLE", "ALTER INDEX"))]
    assert order == ['"S"."U"', '"S"."T"', '"S"."I1"', '"S"."I2"']


def test_a_redefinition_is_whole() -> None:
    text = made([ROWS[0]], OLD)
    order = [
        "CREATE TABLE",
        "CAN_REDEF_TABLE",
        "START_REDEF",
        "COPY_TABLE_DEPENDENTS",
        "SYNC_INTERIM",
        "FINISH_REDEF",
        "DROP TABLE",
    ]
    assert [text.index(word) for word in order] == sorted(text.index(word) for word in order)


def test_preferred_read_by_release_and_back() -> None:
    new, old = (Server(release, "enterprise", preferred_read="DATA.FLASH") for release in ((12, 2), (12, 1)))
    assert "ALTER DISKGROUP \"DATA\" SET ATTRIBUTE 'preferred_read.enabled' = 'TRUE';" in code(
        made(ROWS, new)
    )
    assert "ALTER DISKGROUP \"DATA\" SET ATTRIBUTE 'preferred_read.enabled' = 'FALSE';" in code(
        made(ROWS, new, reverse=True)
    )
    assert "ALTER SYSTEM SET ASM_PREFERRED_READ_FAILURE_GROUPS = 'DATA.FLASH';" in code(made(ROWS, old))
    assert "ALTER SYSTEM SET ASM_PREFERRED_READ_FAILURE_GROUPS = '';" in code(made(ROWS, old, reverse=True))
    with pytest.raises(UsageError) as caught:
        made(ROWS, Server(preferred_read="DATA"))
    assert caught.value.id == "preferred-read-unreadable"


def test_flash_cache_is_where_it_is() -> None:
    there = Server((19, 0), "enterprise", "oracle-linux", flash_cache=True)
    assert 'ALTER TABLE "S"."T" STORAGE (FLASH_CACHE KEEP);' in code(made(ROWS, there))
    assert 'ALTER INDEX "S"."I" STORAGE (FLASH_CACHE KEEP);' in code(made(ROWS, there))
    assert 'ALTER TABLE "S"."T" STORAGE (FLASH_CACHE DEFAULT);' in code(made(ROWS, there, reverse=True))
    for server in (
        Server((19, 0), "enterprise", "other", True),
        Server((19, 0), "standard", "solaris", True),
    ):
        with pytest.raises(UsageError) as caught:
            made(ROWS, server)
        assert caught.value.id == "flash-cache-elsewhere"


def test_the_keep_pool_is_for_what_memory_answers() -> None:
    rows = [
        *ROWS,
        row("S.SMALL", "DISK", "DISK"),
        row("S.SMALL_I", "DISK", "DISK", "index"),
        row("S.L.D", "DISK", "DISK", "lob"),
    ]
    keep = ("S.SMALL", "S.SMALL_I", "S.L.D")
    lines = code(made(rows, NEW, keep=keep))
    assert 'ALTER TABLE "S"."SMALL" STORAGE (BUFFER_POOL KEEP);' in lines
    assert 'ALTER INDEX "S"."SMALL_I" STORAGE (BUFFER_POOL KEEP);' in lines
    assert not [line for line in lines if '"L"' in line]
    assert 'ALTER TABLE "S"."SMALL" STORAGE (BUFFER_POOL DEFAULT);' in code(made(rows, NEW, True, keep))


def test_back_is_where_it_came_from() -> None:
    lines = code(made(ROWS[:3], NEW, reverse=True))
    moved = [line for line in lines if "TABLESPACE" in line and line.startswith("ALTER")]
    assert moved == [
        'ALTER INDEX "S"."I" REBUILD TABLESPACE "DISK" ONLINE;',
        'ALTER TABLE "S"."T" MOVE PARTITION "P1" TABLESPACE "DISK" UPDATE INDEXES ONLINE;',
        'ALTER TABLE "S"."T" MOVE ONLINE TABLESPACE "DISK";',
    ]


@pytest.mark.parametrize("server", [NEW, OLD, STANDARD, Server((12, 1), "enterprise")])
@pytest.mark.parametrize("reverse", [False, True])
def test_a_parser_of_its_sql_reads_every_statement(server: Server, reverse: bool) -> None:
    """It knows queries whole; of most ALTERs it knows the words alone, but finds the end of each name and string."""
    sqlglot = pytest.importorskip("sqlglot")
    for line in plain(made(ROWS, server, reverse)):
        tree = sqlglot.parse_one(line.removesuffix(";"), read="oracle")
        assert tree is not None, line
        if line.startswith("SELECT"):
            assert tree.key == "select", line


def plain(text: str) -> list[str]:
    """SQL without the blocks of PL/SQL, which end with a slash."""
    found, inside = [], False
    for line in code(text):
        inside = inside or line in ("BEGIN", "DECLARE")
        if not inside:
            found.append(line)
        inside = inside and line != "/"
    return found


HOSTILE = ['"s;drop"."it\'s ""x"""', '"-- a"."/* b"', "S.two\nlines", "S.a.b.c", "ALONE"]


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("kind", ["table", "index", "lob", "partition", "other"])
@pytest.mark.parametrize("server", [NEW, OLD, STANDARD])
def test_a_hostile_name_runs_nothing(name: str, kind: Any, server: Server) -> None:
    text = made([row(name, "DISK", "FAST", kind)], server)
    starts = (
        "ALTER",
        "SELECT",
        "BEGIN",
        "DECLARE",
        "CREATE TABLE ",
        'DROP TABLE "s;drop".',
        'DROP TABLE "-- a".',
        "END;",
        "/",
        "  ",
    )
    assert [line for line in code(text) if not line.startswith(starts)] == []
    assert "NOT RUN" in text


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("19", (19, 0)),
        ("12.2", (12, 2)),
        ("11", (11, 2)),
        ("12", (12, 1)),
        ("23.4.0", (23, 4)),
        ("19.3", (19, 3)),
    ],
)
def test_a_release(word: str, found: Any) -> None:
    assert release_of(word) == found


@pytest.mark.parametrize("word", ["", "new", "10.2", "11.1", "-19", "19.x", "²"])
def test_what_is_no_release(word: str) -> None:
    with pytest.raises(UsageError) as caught:
        release_of(word)
    assert caught.value.id == "release-unreadable"


def test_temporary_space_and_undo_get_tablespaces_of_their_own_beside_tables() -> None:
    rows = [
        row("S.T", "DISK", "FAST"),
        row("temp", "DISK", "FAST", "temp"),
        row("undo", "DISK", "FAST", "undo"),
    ]
    assert {
        'ALTER TABLE "S"."T" MOVE ONLINE TABLESPACE "FAST";',
        'ALTER DATABASE DEFAULT TEMPORARY TABLESPACE "FAST_TEMP";',
        'ALTER SYSTEM SET UNDO_TABLESPACE = "FAST_UNDO";',
    } <= set(code(made(rows, NEW)))
    back = made(rows, NEW, reverse=True)
    assert 'ALTER DATABASE DEFAULT TEMPORARY TABLESPACE "DISK_TEMP";' in code(back)
    assert "-- temp, temp, 1 MiB: FAST_TEMP to DISK_TEMP" in back.splitlines()


def test_temporary_space_alone_keeps_the_tablespace_of_its_tier() -> None:
    lines = code(made([row("temp", "DISK", "FAST", "temp")], NEW))
    assert 'ALTER DATABASE DEFAULT TEMPORARY TABLESPACE "FAST";' in lines


def test_the_way_back_leads_to_the_tablespaces_that_temporary_space_and_undo_are_called_after() -> None:
    lines = code(made(ROWS, NEW, reverse=True))
    assert 'ALTER DATABASE DEFAULT TEMPORARY TABLESPACE "TEMP";' in lines
    assert 'ALTER SYSTEM SET UNDO_TABLESPACE = "UNDOTBS1";' in lines
