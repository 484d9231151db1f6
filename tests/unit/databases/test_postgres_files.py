"""Files of a PostgreSQL database by their paths."""

from __future__ import annotations

import pytest

from plimsoll.databases import DataFile, FilePlaces
from plimsoll.databases._postgres_files import relation_name

PLACES = FilePlaces(5, {"/fast/ts": 16_390})
DATA = "/var/lib/postgresql/18/main"


@pytest.mark.parametrize(
    ("path", "data_file", "whole"),
    [
        (f"{DATA}/base/5/16384", DataFile(1_663, 16_384), f"{DATA}/base/5/16384"),
        (f"{DATA}/base/5/16384.12", DataFile(1_663, 16_384), f"{DATA}/base/5/16384"),
        (f"{DATA}/base/5/16384_fsm", DataFile(1_663, 16_384), f"{DATA}/base/5/16384_fsm"),
        (f"{DATA}/base/5/16384_vm.1", DataFile(1_663, 16_384), f"{DATA}/base/5/16384_vm"),
        (f"{DATA}/base/5/16384_init", DataFile(1_663, 16_384), f"{DATA}/base/5/16384_init"),
        (f"{DATA}/base/5/16384 (deleted)", DataFile(1_663, 16_384), f"{DATA}/base/5/16384"),
        (f"{DATA}/global/1262", DataFile(1_664, 1_262), f"{DATA}/global/1262"),
        ("/fast/ts/PG_18_202506291/5/16500.1", DataFile(16_390, 16_500), "/fast/ts/PG_18_202506291/5/16500"),
    ],
)
def test_a_file_of_a_relation(path: str, data_file: DataFile, whole: str) -> None:
    assert PLACES.data_file(path) == (data_file, whole)


@pytest.mark.parametrize(
    "path",
    [
        f"{DATA}/base/4/16384",
        f"{DATA}/base/5/t3_16384",
        f"{DATA}/base/5/pg_filenode.map",
        f"{DATA}/base/pgsql_tmp/pgsql_tmp99.0",
        f"{DATA}/global/pg_control",
        f"{DATA}/pg_wal/000000010000000000000009",
        f"{DATA}/pg_xact/0000",
        "/fast/ts/PG_18_202506291/4/16500",
        "/other/ts/PG_18_202506291/5/16500",
        f"{DATA}/base/5/16384_new",
    ],
)
def test_what_belongs_to_another_database_or_to_no_relation(path: str) -> None:
    assert PLACES.data_file(path) is None


def test_a_toast_table_goes_by_its_table() -> None:
    assert relation_name("public", "notes", is_toast=True) == "public.notes (TOAST)"
