"""Relations in place of files, with a server that answers as it is told."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from plimsoll.base.errors import WorldError
from plimsoll.databases import DataFile, FilePlaces
from plimsoll.observe.block_io import BlockIo
from plimsoll.observe.relations import Relations
from seen_io import block_io

IDENTIFIER = 7_512_345_678_901_234_567
PATH = "/data/base/5/16384"


class Server:
    """Knows the relations that it is given."""

    def __init__(self, relations: dict[int, str]) -> None:
        self.relations = relations
        self.database = SimpleNamespace(system_identifier=str(IDENTIFIER))
        self.asked: list[set[DataFile]] = []

    def file_relations(self, asked: Collection[DataFile]) -> dict[DataFile, str]:
        self.asked.append(set(asked))
        return {one: self.relations[one.number] for one in asked if one.number in self.relations}


class Gone(Server):
    def file_relations(self, asked: Collection[DataFile]) -> dict[DataFile, str]:
        raise WorldError("database-lost", "the session broke", None)


def works_in(proc: Path, pid: int, identifier: int) -> None:
    folder = proc / str(pid) / "cwd" / "global"
    folder.mkdir(parents=True)
    (folder / "pg_control").write_bytes(identifier.to_bytes(8, sys.byteorder) + bytes(100))


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    works_in(tmp_path, 100, IDENTIFIER)
    works_in(tmp_path, 200, IDENTIFIER + 1)
    return tmp_path


def relations(proc: Path, server: Any) -> Relations:
    return Relations(server, FilePlaces(5, {}), proc)


def of_file(path: str = PATH, **given: Any) -> BlockIo:
    return block_io(**{"file": path, "file_kind": "inode", "inode_number": 99, **given})


def names(rows: list[BlockIo]) -> list[str | None]:
    return [row.relation for row in rows]


def test_files_that_the_servers_processes_use_are_relations_also_when_the_kernel_writes_them(
    proc: Path,
) -> None:
    known = relations(proc, Server({16_384: "public.orders"}))
    kernels = of_file(role="kernel", pid=None, operation="write")
    found = known.named([of_file(f"{PATH}.1"), of_file(f"{PATH}_vm", inode_number=7), kernels, block_io()])
    assert names(found) == ["public.orders", "public.orders", None, None]
    assert [row.file for row in found] == [PATH, f"{PATH}_vm", PATH, None]
    assert names(known.named([of_file(), kernels])) == ["public.orders", "public.orders"]
    assert known.has_met_server


def test_files_of_another_server_are_no_relations_of_this_one(proc: Path) -> None:
    """Two containers may have the same paths."""
    known = relations(proc, Server({16_384: "public.orders"}))
    assert names(known.named([of_file(pid=200), of_file(pid=300)])) == [None, None]
    assert not known.has_met_server
    assert names(known.named([of_file(), of_file(pid=200, inode_number=5)])) == ["public.orders", None]


def test_a_command_that_is_no_databases_is_not_looked_at(proc: Path) -> None:
    known = relations(proc, Server({16_384: "public.orders"}))
    assert names(known.named([of_file(role="cp")])) == [None]
    assert names(known.named([of_file(), of_file(role="cp")])) == ["public.orders"] * 2, (
        "it reads the same file"
    )


def test_a_control_file_that_is_none_is_not_waited_for(proc: Path) -> None:
    (proc / "600" / "cwd" / "global").mkdir(parents=True)
    os.mkfifo(proc / "600" / "cwd" / "global" / "pg_control")
    known = relations(proc, Server({16_384: "public.orders"}))
    assert names(known.named([of_file(pid=600)])) == [None]


def test_a_rewrite_gives_the_new_file_the_name_and_leaves_it_to_the_old(proc: Path) -> None:
    server = Server({16_384: "public.orders"})
    known = relations(proc, server)
    known.named([of_file()])
    server.relations = {16_422: "public.orders"}
    new = of_file("/data/base/5/16422", inode_number=98)
    assert names(known.named([of_file(), new])) == ["public.orders"] * 2


def test_files_that_change_their_relation_go_by_the_new_one_from_then_on(proc: Path) -> None:
    server = Server({16_384: "repack.table_16300"})
    known = relations(proc, server)
    assert names(known.named([of_file()])) == ["repack.table_16300"]
    server.relations = {16_384: "public.orders"}
    assert names(known.named([of_file()])) == ["public.orders"]


def test_a_server_that_is_gone_leaves_paths_and_says_why(proc: Path) -> None:
    known = relations(proc, Gone({}))
    assert names(known.named([of_file()])) == [None]
    assert known.unknown_because == "the session broke"
    assert known.named([of_file()])[0].file == PATH


def test_a_server_is_asked_for_so_many_files_and_for_none_where_there_is_none(
    proc: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plimsoll.observe.relations.ASKED_MAX", 3)
    server = Server({})
    known = relations(proc, server)
    known.named([of_file(f"/data/base/5/{number}", inode_number=number) for number in range(10)])
    known.named([block_io()])
    assert len(server.asked) > 0
    assert {len(asked) for asked in server.asked} == {3}


def numbers(asked: set[DataFile]) -> set[int]:
    return {one.number for one in asked}


def test_files_beyond_those_of_one_look_have_their_turn_later_the_busiest_first(
    proc: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plimsoll.observe.relations.ASKED_MAX", 2)
    server = Server({number: f"public.t{number}" for number in range(1, 6)})
    known = relations(proc, server)
    rows = [of_file(f"/data/base/5/{number}", inode_number=number, ios=number) for number in range(1, 6)]
    assert names(known.named(rows)) == [None, None, None, "public.t4", "public.t5"]
    assert known.waiting == 3
    known.named([block_io()])
    assert known.waiting == 1, "also where they have no I/O any more"
    assert names(known.named(rows)) == [f"public.t{number}" for number in range(1, 6)]
    assert known.waiting == 0
    assert [numbers(asked) for asked in server.asked] == [{4, 5}, {2, 3}, {1, 5}]
    assert known.relation_of("/data/base/5/3.1", 3) is None, "another file"
    assert known.relation_of("/data/base/5/3", 3) == ("public.t3", "/data/base/5/3")


def test_at_the_end_those_that_still_wait_are_asked_for_within_bounds(
    proc: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plimsoll.observe.relations.ASKED_MAX", 2)
    monkeypatch.setattr("plimsoll.observe.relations.LAST_ROUNDS_MAX", 3)
    server = Server({})
    known = relations(proc, server)
    known.named([of_file(f"/data/base/5/{number}", inode_number=number) for number in range(1, 12)])
    known.ask_the_rest()
    assert known.waiting == 11 - 2 - 6
    assert len(server.asked) == 4


def test_a_file_that_only_the_kernel_wrote_is_known_by_the_server_process_that_has_it_open(
    proc: Path,
) -> None:
    for pid, identifier in ((400, IDENTIFIER), (500, IDENTIFIER + 1)):
        works_in(proc / "clusters", pid, identifier)
        (proc / str(pid)).mkdir()
        (proc / str(pid) / "cwd").symlink_to(proc / "clusters" / str(pid) / "cwd")
    known = relations(proc, Server({16_384: "public.orders"}))
    kernels = [
        of_file(
            f"{proc}/clusters/{pid}/cwd/base/5/16384",
            role="kernel",
            pid=None,
            inode_number=pid,
            opened_by=pid,
        )
        for pid in (400, 500)
    ]
    assert names(known.named(kernels)) == ["public.orders", None]
    elsewhere = of_file("/elsewhere/base/5/16384", role="kernel", pid=None, inode_number=3, opened_by=400)
    assert names(known.named([elsewhere])) == [None]
