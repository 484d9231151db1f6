"""Databases, relations, files and members of archives with names that were chosen to do harm.

What leaves for people has no character that a terminal or a browser obeys; what leaves for machines has the name as it is.
"""

from __future__ import annotations

import io
import json
import os
import re
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg
import pytest
from psycopg import sql

import command
from plimsoll.cli import main
from plimsoll.databases import embedded
from tiny_reports import awr

NAMES = [
    "q\"uo'te; drop table x; --",
    "\x1b]0;title\x07\x1b[2J\x9b31m",
    "right\u202e\u2066left",
    "two\nlines\r\tand tab",
    "".join(map(chr, range(1, 32))) + "\x7f" * 32,
    "<script>alert(1)</script>{{7*7}}%s%(x)s",
    "=cmd|' /C calc'!A0",
    "../../../etc/passwd",
]
OBEYED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


SERVED = [
    "".join(map(chr, range(1, 32))) + "\x7f" * 32,
    "q\"u'; drop table x;--\x1b[2J\x9b31m\u202el\n<script>{{7}}%s",
    "=cmd|' /C calc'!A0",
]
"""Of a database: the server takes all that is UTF-8, 63 bytes of it, but no zero."""


@pytest.fixture(params=SERVED, ids=["controls", "all at once", "formula"])
def hostile(request: pytest.FixtureRequest, server_18: embedded.Server) -> Iterator[tuple[str, str]]:
    """The URL of a database with such a name and a table with the same, and the name."""
    name: str = request.param
    assert len(name.encode()) <= 63
    with psycopg.connect(server_18.url, autocommit=True) as session:
        session.execute(
            sql.SQL("create database {} encoding 'UTF8' template template0").format(sql.Identifier(name))
        )
    url = server_18.url.replace("/postgres?", f"/{quote(name, safe='')}?")
    try:
        with psycopg.connect(url, autocommit=True) as session:
            table = sql.Identifier(name)
            session.execute(
                sql.SQL("create table {} as select g as n from generate_series(1, 50000) g").format(table)
            )
        yield url, name
    finally:
        with psycopg.connect(server_18.url, autocommit=True) as session:
            session.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


def is_clean(text: str) -> None:
    """That people may see it."""
    found = OBEYED.search(text)
    assert found is None, f"{found!r} in {text[max(0, found.start() - 60) : found.end() + 60]!r}"


def told(*words: str | Path) -> str:
    """What a command prints for people on both streams."""
    done = command.here(*words)
    assert done.returncode in (0, 1, 5), done.stderr
    is_clean(done.stdout)
    is_clean(done.stderr)
    return done.stdout


def test_a_hostile_database(hostile: tuple[str, str], tmp_path: Path) -> None:
    url, name = hostile
    done = command.here(
        "demand", "--database", url, "--runtime", "2", "--json", "--events", tmp_path / "events"
    )
    assert done.returncode in (0, 5), done.stderr
    is_clean(done.stdout)
    document = json.loads(done.stdout)["data"]
    assert document["database"]["name"] == name
    for line in (tmp_path / "events").read_text(encoding="utf-8").splitlines():
        is_clean(line)
        json.loads(line)
    run = document["run"]
    told("store", "show", run)
    told("store", "list")
    told("report", run, "-o", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    is_clean(page)
    assert page.count("<script") == 1, "the page's own"
    assert (
        command.here(
            "store", "export", run, "--format", "csv", "--escape-formulas", "-o", tmp_path
        ).returncode
        == 0
    )
    cells = (tmp_path / run / "runs.csv").read_text(encoding="utf-8")
    assert not re.search(r'(^|,)"?=cmd', cells)
    (tmp_path / "demand.json").write_text(done.stdout)
    told("assess", "--demand", tmp_path / "demand.json", "--target", "sim:", "--trial", "1s")


def test_a_proof_in_a_hostile_database(hostile: tuple[str, str], tmp_path: Path) -> None:
    url, _ = hostile
    told("prove", "slob", "setup", "--database", url, "--scale", "1M")
    told("prove", "slob", "--database", url, "--threads", "1", "--runtime", "1", "--warm-up", "0")
    told("report", "latest", "-o", tmp_path / "page.html")
    is_clean((tmp_path / "page.html").read_text(encoding="utf-8"))


def test_a_store_in_a_hostile_database(hostile: tuple[str, str]) -> None:
    url, _ = hostile
    told("io", "sim:", "--runtime", "1s", "--store", url)
    assert "io" in told("store", "list", "--store", url)


def archives(folder: Path) -> Iterator[Path]:
    """Archives whose members have such names, each with a report that is sound."""
    with zipfile.ZipFile(folder / "a.zip", "w") as packed:
        for name in NAMES:
            packed.writestr(name.replace("/", "_") + ".txt", awr())
        packed.writestr("x" * 3000, awr())
    yield folder / "a.zip"
    with tarfile.open(folder / "a.tar", "w", format=tarfile.PAX_FORMAT) as packed:
        for name in [*NAMES, "bytes\udcff\udcfe", "y" * 3000]:
            info = tarfile.TarInfo(name + ".txt")
            info.size = len(awr())
            packed.addfile(info, io.BytesIO(awr()))
    yield folder / "a.tar"


def test_hostile_members_of_archives(tmp_path: Path) -> None:
    for archive in archives(tmp_path):
        told("read", archive)
        done = command.here("read", archive, "--json")
        is_clean(done.stdout)
        reports = json.loads(done.stdout)["data"]["reports"]
        assert len(reports) >= len(NAMES)
        told("demand", archive)


def test_hostile_names_of_files(tmp_path: Path) -> None:
    folder = tmp_path / "reports"
    folder.mkdir()
    # A dot in front would hide it.
    names = [os.fsencode(name.replace("/", "_").lstrip(".")) for name in NAMES] + [b"bytes\xff\xfe\x1b[31m"]
    for number, name in enumerate(names):
        with open(os.path.join(os.fsencode(folder), name), "wb") as file:
            file.write(awr(db_name=f"DB{number}"))
    told("read", folder)
    for kind in ("parquet", "csv", "json"):
        told("read", folder, "--out", tmp_path / kind, "--format", kind)
    told("read", folder, "--keep")
    told("store", "list")
    reports = command.document(command.here("read", folder, "--json"))["data"]["reports"]
    assert len(reports) == len(names)
    assert any(report["file"].endswith("bytes\\xff\\xfe\x1b[31m") for report in reports)


@pytest.mark.parametrize("kind", ["json", "parquet", "csv"])
def test_a_name_too_long_for_the_file_system_spoils_nothing(tmp_path: Path, kind: str) -> None:
    """What was seen: one report of a database with a long name ended the whole read, and the good one beside it was lost."""
    (tmp_path / "good.txt").write_bytes(awr())
    (tmp_path / "long.txt").write_bytes(awr(db_name="L" * 900))
    (tmp_path / "never meant.txt").write_bytes(awr(db_name="L" * 3000))
    out = tmp_path / "out"
    done = command.here("read", *tmp_path.glob("*.txt"), "--out", out, "--format", kind)
    assert done.returncode in (0, 5), done.stderr
    files = [path for path in out.rglob("*") if path.is_file()]
    assert all(len(path.name.encode()) <= 255 for path in out.rglob("*"))
    if kind == "json":
        documents: list[Any] = [json.loads(path.read_text()) for path in files if path.parent != out]
        assert sorted(len(document["db_name"] or "") for document in documents) == [0, 4, 900]
    if kind == "parquet":
        import polars

        names = polars.concat(
            [
                polars.read_parquet(path, hive_partitioning=False)
                for path in (out / "reports").rglob("*.parquet")
            ]
        )["db_name"]
        assert sorted(len(name or "") for name in names) == [0, 4, 900]


def test_a_file_to_measure_whose_name_is_not_utf_8(tmp_path: Path) -> None:
    """The engine is told of files by names in UTF-8."""
    place = os.fsencode(tmp_path) + b"/bytes\xff"
    Path(os.fsdecode(place)).write_bytes(os.urandom(1 << 20))
    done = command.plimsoll("io", os.fsdecode(place), "--runtime", "1s", "--json")
    assert done.returncode == 2
    error = command.document(done)["data"]
    assert error["id"] == "target-name"
    assert "bytes\\xff" in error["message"]
    is_clean(done.stdout + done.stderr)


@pytest.mark.parametrize(
    "words",
    [
        ("io", "{}"), ("line", "{}"), ("calibrate", "{}"), ("shapes", "{}"), ("assess", "--demand", "{}", "--target", "sim:"),
        ("fio", "{}"), ("import", "{}"), ("demand", "{}"), ("report", "{}"), ("store", "show", "{}"), ("orion", "-testname", "{}"),
        ("io", "sim:", "--rw", "{}"), ("io", "sim:", "--slo", "{}"), ("{}",), ("prove", "slob", "--database", "{}"),
        ("io", "sim:", "--runtime", "1s", "--events", "{}/x"), ("io", "sim:", "--store", "{}/x"),
    ],
    ids=lambda words: " ".join(words[:2]),
)  # fmt: skip
def test_hostile_words_of_a_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    """In a folder in which nothing has such a name."""
    (tmp_path / "a" / "b" / "c").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "a" / "b" / "c")
    for name in [*NAMES, "bytes\udcff\udcfe"]:
        status = main.run([*(word.format(name) for word in words), "--json"])
        said = capfd.readouterr()
        assert "Traceback" not in said.err
        assert status in (0, 2, 3, 4, 5), said.err
        is_clean(said.err)
        is_clean(said.out)


def test_a_folder_for_an_embedded_database_whose_name_is_not_utf_8(tmp_path: Path) -> None:
    """The server tells its drivers where its data lie, and they take nothing but UTF-8."""
    place = os.fsencode(tmp_path) + b"/folder\xff"
    os.mkdir(place)
    done = command.plimsoll("prove", "slob", "--folder", os.fsdecode(place), "--runtime", "1s", "--json")
    assert done.returncode == 2
    error = command.document(done)["data"]
    assert error["id"] == "embedded-name"
    assert "folder\\xff" in error["message"]
    is_clean(done.stdout + done.stderr)
