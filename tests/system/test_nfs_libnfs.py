"""Files of ganesha by libnfs, over NFS 3 and 4: which of them there is, which not, and that each I/O is done.

It runs as root and only when it is named: `.venv/bin/pytest -m system tests/system/test_nfs_libnfs.py`.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from kit import ganesha

from command import here
from plimsoll.base.errors import ExitStatus
from plimsoll.native import engine as native

pytestmark = [pytest.mark.system, pytest.mark.timeout(120)]
FILE_BYTES = 64 << 20
_WORDS = ("--engine", "libnfs", "--depth", "16", "--runtime", "0.5s", "--warm-up", "0s")


@pytest.fixture(scope="module")
def export() -> Iterator[Path]:
    """A folder in memory that ganesha exports, with the file `data`."""
    if os.geteuid() != 0:
        pytest.skip("only root may start ganesha on files of this host")
    if any(shutil.which(program) is None for program in ganesha.PROGRAMS):
        pytest.skip(f"lacks {' or '.join(ganesha.PROGRAMS)}")
    if not native.engines()["libnfs"]["available"]:
        pytest.skip(f"{native.engines()['libnfs']['reason']}")
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        (Path(folder) / "data").write_bytes(os.urandom(FILE_BYTES))
        with ganesha.serving(Path(folder)):
            yield Path(folder)


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLIMSOLL_STORE", str(tmp_path / "store.db"))


def over_4(name: str) -> str:
    return ganesha.url_over_4("127.0.0.1", name)


@pytest.mark.parametrize("block", ["8k", "1m"])
@pytest.mark.parametrize("version", [3, 4])
def test_a_file_is_read_over_either_version(export: Path, version: int, block: str) -> None:
    target = over_4("data") if version == 4 else ganesha.url("127.0.0.1", export, "data")
    done = here("io", target, *_WORDS, "--block", block, "--json")
    assert done.returncode in (ExitStatus.DONE, ExitStatus.ANSWER_IS_NO), done.stderr
    told = json.loads(done.stdout)["data"]
    assert (told["engine"], told["errors"]) == ("libnfs", 0)
    assert told["ios"] > 0


def test_jobs_are_clients_of_their_own_for_the_server(export: Path) -> None:
    """Two of one name would take each other's open file away, and all that one reads would fail."""
    done = here("io", over_4("data"), *_WORDS, "--jobs", "4", "--json")
    assert done.returncode in (ExitStatus.DONE, ExitStatus.ANSWER_IS_NO), done.stderr
    told = json.loads(done.stdout)["data"]
    assert (told["errors"], told["ios"] > 0) == (0, True)


def test_writes_go_to_a_scratch_file_that_is_removed(export: Path) -> None:
    words = ("--rw", "randwrite", "--size", "16m", "--json")
    done = here("io", ganesha.url("127.0.0.1", export, ""), *_WORDS, *words)
    assert done.returncode in (ExitStatus.DONE, ExitStatus.ANSWER_IS_NO), done.stderr
    told = json.loads(done.stdout)["data"]
    assert (told["stable"], told["errors"]) == ("file", 0)
    assert [path.name for path in export.iterdir()] == ["data"]


@pytest.mark.parametrize(
    ("name", "status", "said"),
    [
        ("none", ExitStatus.USAGE, "NFS4ERR_NOENT"),
        ("", ExitStatus.WORLD_FAILED, "engine libnfs alone"),
    ],
)
def test_what_is_not_a_file_over_version_4_is_refused(
    export: Path, name: str, status: ExitStatus, said: str
) -> None:
    done = here("io", over_4(name), *_WORDS)
    assert (done.returncode, said in done.stderr) == (status, True), done.stderr
    assert "hint:" in done.stderr
    assert [path.name for path in export.iterdir()] == ["data"]


@pytest.mark.usefixtures("export")
def test_a_port_at_which_nobody_listens_is_named() -> None:
    done = here("io", "nfs://127.0.0.1/export/data?version=4&port=1", *_WORDS)
    assert done.returncode == ExitStatus.WORLD_FAILED
    assert "could not reach NFS of 127.0.0.1 at port 1: connection refused\n" in done.stderr
