"""`plimsoll host slice verify --database`: nodes of a real server's shared memory, and what is said where it does not tell them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from plimsoll.context import Context
from plimsoll.databases import NodesTold, nodes_told, open_database
from plimsoll.databases.embedded import Server
from plimsoll.facts import SliceMemory, SliceWrong
from plimsoll.placement.slices.applying.shared_memory import kernel_by_node, shared_memory_of, wrong_memory
from slice_commands import Here
from slice_groups import TOP, names_of_test, put_server
from sliced_hosts import GIB, database

start = pytest.fixture(names_of_test, name="start")
MIB = 1 << 20
DB1 = database("db1", (0,), memory=(SliceMemory(node=0, memory_bytes=GIB),))
VIEW = "create view told.pg_shmem_allocations_numa as select * from (values {rows}) as one(name, numa_node, size)"
ROWS = "('a', 0, 900::bigint), ('b', 1, 50::bigint), ('c', 1, 50::bigint), ('d', -2, 7::bigint), ('e', null, 3::bigint)"


@contextmanager
def _session(ctx: Context, server: Server) -> Iterator[tuple[Any, int]]:
    with open_database(ctx, server.url) as connection:
        session = connection.session("test")
        try:
            yield session, connection.database.version_number
        finally:
            session.run("drop schema if exists told cascade")
            session.close()


def _made(session: Any, is_available: str = "true", rows: str = ROWS) -> None:
    """A schema in which both names stand, found before the server's own."""
    session.run("create schema told")
    session.run(VIEW.format(rows=rows))
    session.run(
        f"create function told.pg_numa_available() returns boolean language sql as 'select {is_available}'"
    )
    session.run("set search_path = told, pg_catalog")


def test_bytes_of_each_node_are_read_and_what_is_not_placed_has_none(ctx: Context, server_18: Server) -> None:
    with _session(ctx, server_18) as (session, version):
        _made(session)
        assert nodes_told(session, version) == NodesTold({0: 900, 1: 100, None: 10})


def test_a_server_without_libnuma_says_so_and_its_view_is_not_read(ctx: Context, server_18: Server) -> None:
    with _session(ctx, server_18) as (session, version):
        _made(session, is_available="false", rows="('a', 1 / (random() * 0)::int, 1::bigint)")
        told = nodes_told(session, version)
    assert told.by_node == {}
    assert "libnuma" in told.unknown_because


def test_the_real_view_answers_or_the_server_says_why_not(ctx: Context, server_18: Server) -> None:
    with _session(ctx, server_18) as (session, version):
        ((is_available,),) = session.run("select pg_numa_available()")
        told = nodes_told(session, version)
        kernel = kernel_by_node(session.server_process)
    assert bool(told.unknown_because) is not is_available
    if is_available:
        assert kernel is not None
        assert sum(told.by_node.values()) >= kernel.total() > 16 * MIB


def test_one_without_the_right_says_so(ctx: Context, server_18: Server) -> None:
    with _session(ctx, server_18) as (session, version):
        _made(session)
        session.run("revoke all on told.pg_shmem_allocations_numa from public")
        session.run("create role nobody_told")
        session.run("grant usage on schema told to nobody_told")
        try:
            session.run("set role nobody_told")
            assert "permission" in nodes_told(session, version).unknown_because
        finally:
            session.run("reset role")
            session.run("revoke all on schema told from nobody_told")
            session.run("drop role nobody_told")


def test_before_18_there_is_no_such_view(ctx: Context, server_16: Server) -> None:
    with _session(ctx, server_16) as (session, version):
        assert "PostgreSQL 16" in nodes_told(session, version).unknown_because


def _wrong(told: NodesTold, kernel: Counter[int] | None, leader: int = 7) -> list[SliceWrong]:
    found = shared_memory_of([DB1], {"db1": frozenset({7, 8})}, leader, "db.example", told, kernel)
    return list(wrong_memory(found))


def _codes(told: NodesTold, kernel: Counter[int] | None, leader: int = 7) -> list[tuple[str, str]]:
    return [(one.code, one.severity) for one in _wrong(told, kernel, leader)]


def test_all_of_it_on_the_planned_nodes_by_both_counts_is_as_planned() -> None:
    assert _codes(NodesTold({0: 1040}), Counter({0: 1000})) == []
    assert _codes(NodesTold({0: 995, 1: 5}), Counter({0: 1000})) == []


def test_memory_on_another_node_is_wrong() -> None:
    (one,) = _wrong(NodesTold({0: 900 * MIB, 1: 100 * MIB}), Counter({0: 900, 1: 100}))
    assert (one.code, one.severity, one.slice) == ("slice-shared-elsewhere", "wrong", "db1")
    assert "100 MiB of 1000 MiB" in one.message


def test_counts_that_differ_are_named_with_both() -> None:
    found = _wrong(NodesTold({0: 1000}), Counter({0: 700, 1: 300}))
    assert [(one.code, one.severity) for one in found] == [("slice-shared-differs", "doubt")] * 2
    assert "node 1 has 0.0 % by the server's count and 30 % by the kernel's" in found[1].message


@pytest.mark.parametrize(
    ("told", "kernel", "leader", "words"),
    [
        (
            NodesTold(unknown_because="the server was built without libnuma"),
            Counter({0: 9}),
            7,
            "without libnuma",
        ),
        (NodesTold({0: 9, None: 9}), Counter({0: 9}), 7, "could not place"),
        (NodesTold({0: 9}), None, 7, "numa_maps"),
        (NodesTold({0: 9}), Counter({0: 9}), 99, "in no slice"),
    ],
)
def test_what_cannot_be_seen_is_in_doubt(
    told: NodesTold, kernel: Counter[int] | None, leader: int, words: str
) -> None:
    found = _wrong(told, kernel, leader)
    assert ("slice-shared-unseen", "doubt") in [(one.code, one.severity) for one in found]
    assert any(words in one.message for one in found)


@pytest.mark.skipif(os.geteuid() != 0, reason="control groups are made by root")
def test_a_server_in_its_slice_is_asked(tmp_path: Path, start: str, server_18: Server) -> None:
    here = Here(tmp_path, start, iops=None)
    assert here.apply()[0] == 0
    groups = [one for name in ("cpuset", "memory") if (one := TOP / name / f"plimsoll-{start}-a").is_dir()]
    store = ("--store", str(tmp_path / "runs.sqlite"), "--runtime", "100ms")
    try:
        put_server(groups, server_18.process.pid)
        data = here.document("verify", "--database", server_18.url, *store)[1]
        put_server([groups[0].parent], server_18.process.pid)
        half = here.document("verify", "--database", server_18.url, *store)[1]
    finally:
        put_server([group.parent for group in groups], server_18.process.pid)
    # In the group of one controller alone it is not in its slice.
    assert (len(groups), half["shared_memory"]["slice"]) == (2, None)
    found = data["shared_memory"]
    assert found["slice"] == f"{start}-a"
    assert sum(one["kernel_bytes"] or 0 for one in found["nodes"]) > 16 * MIB or found["unknown_because"]
    codes = {one["code"] for one in data["findings"]}
    assert ("slice-shared-unseen" in codes) is (found["unknown_because"] is not None)
    refused = here.refused("verify", "--database", "mysql://root@localhost/test", *store)
    assert refused == (2, "driver-database")
