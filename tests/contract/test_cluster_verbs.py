"""Reports read on a Dask cluster: the same as here, to the byte, by each verb that reads many."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import plimsoll
from command import here
from dask_cluster import cluster
from reportgen.restamp import write_folder

NO_DASK = "Dask is not installed: it is part of the extra cluster"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Reports, one in an archive, and what is no report."""
    folder = tmp_path_factory.mktemp("in")
    write_folder(folder, 6, rows=2)
    first = sorted(folder.iterdir())[0]
    (folder / "diary.txt").write_bytes(b"dear diary")
    packed = tmp_path_factory.mktemp("packed")
    shutil.copy(first, packed / "again.html")
    shutil.make_archive(str(folder / "more"), "zip", packed)
    return folder


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    pytest.importorskip("distributed", reason=NO_DASK)
    with cluster(tmp_path_factory.mktemp("cluster")) as made:
        yield made.address


@pytest.mark.parametrize("verb", ["read", "advise", "demand", "trend"])
def test_it_is_as_here(verb: str, folder: Path, address: str) -> None:
    apart, alone = (here(verb, folder, "--json", *words) for words in (("--cluster", address), ()))
    assert apart.returncode == alone.returncode
    assert answer(apart.stdout) == answer(alone.stdout)


def answer(text: str) -> dict[str, Any]:
    """Without the run that each command makes."""
    found = json.loads(text)
    found["data"].pop("run", None)
    return found


def test_tables_are_as_here(folder: Path, address: str, tmp_path: Path) -> None:
    done = [
        here("read", folder, "--out", tmp_path / place, "--format", "csv", "--json", *words)
        for place, words in {"apart": ("--cluster", address), "alone": ()}.items()
    ]
    assert [one.returncode for one in done] == [5, 5]
    apart, alone = (
        {
            str(path.relative_to(tmp_path / place)): path.read_bytes()
            for path in (tmp_path / place).rglob("*.csv")
        }
        for place in ("apart", "alone")
    )
    assert len(alone) > 20
    assert apart == alone


def test_names_are_those_that_were_given(folder: Path, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    done = here("read", "diary.txt", "--json", "--cluster", address)
    [report] = json.loads(done.stdout)["data"]["reports"]
    assert report["file"] == "diary.txt"


def test_in_python_it_is_a_word_of_the_function(folder: Path, address: str) -> None:
    apart, alone = (plimsoll.read(folder, **words) for words in ({"cluster": address}, {}))
    assert apart.reports == alone.reports
    assert len(alone.reports) == 8
