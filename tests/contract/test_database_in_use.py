"""Storage that a real PostgreSQL uses, which Plimsoll did not start: every verb that would load it refuses, and says why."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from command import here
from databases_fixture import context
from foreign_postgres import ForeignPostgres, foreign_postgres
from loop_device import Loop
from mounted_loop import mounted_loop
from plimsoll.base.errors import ExitStatus, SafetyError
from plimsoll.context import Context
from plimsoll.databases import embedded
from plimsoll.host.database_servers import database_servers
from plimsoll.host.in_use import databases_beneath
from plimsoll.supply.targets import Wish, check_databases, opened

pytestmark = pytest.mark.timeout(180)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> Iterator[Context]:
    with context(tmp_path_factory.mktemp("journal")) as (found, _):
        yield found


@pytest.fixture(scope="module")
def device() -> Iterator[tuple[Path, Loop]]:
    with mounted_loop() as found:
        yield found


@pytest.fixture(scope="module")
def server(made: Context, device: tuple[Path, Loop]) -> Iterator[ForeignPostgres]:
    with foreign_postgres(made, device[0]) as found:
        yield found


@pytest.mark.parametrize(
    "words",
    [
        ("line",),
        ("io", "--runtime", "1s"),
        ("calibrate",),
        ("shapes",),
        ("demo", "--folder"),
        ("prove", "slob", "--against"),
    ],
    ids=lambda words: words[0],
)
def test_every_verb_that_loads_is_refused(
    words: tuple[str, ...], device: tuple[Path, Loop], server: ForeignPostgres
) -> None:
    done = here(*words, device[0])
    assert done.returncode == ExitStatus.REFUSED_FOR_SAFETY, done.stderr
    assert (
        "target-in-use-by-database" in done.stderr
        or "a running database uses the same storage" in done.stderr
    )
    for said in (
        "postgresql",
        f"process {server.process}",
        str(server.data_folder),
        device[1].path.name,
        "--while-in-use",
    ):
        assert said in done.stderr, done.stderr
    assert list(device[0].glob("plimsoll-*")) == [], "nothing was written there"


def test_its_own_disk_is_refused_before_it_is_watched(
    device: tuple[Path, Loop], server: ForeignPostgres
) -> None:
    """The case that let a live database fall 52 s behind."""
    done = here("assess", "--database", server.url, "--target", device[0], "--json")
    assert done.returncode == ExitStatus.REFUSED_FOR_SAFETY, done.stderr
    assert json.loads(done.stdout)["data"]["id"] == "target-in-use-by-database"


def test_device_folder_and_file_are_one_storage(
    made: Context, device: tuple[Path, Loop], server: ForeignPostgres
) -> None:
    file = device[0] / "new.dat"
    for path in (device[0], device[1].path, file):
        with pytest.raises(SafetyError, match=f"process {server.process}"):
            check_databases(path)
        wish = Wish(str(path), prefill=path == file)
        with pytest.raises(SafetyError, match="uses the same storage"), opened(made, wish):
            pytest.fail("it was opened")


def test_other_storage_and_simulated_targets_are_not(made: Context, server: ForeignPostgres) -> None:
    for path in (Path("/dev/shm"), Path("/proc")):
        assert server.process not in {one.process for one in databases_beneath(path).databases}
    with opened(made, Wish("sim:mean=100us")) as found:
        assert found.guard is None


def test_a_server_that_plimsoll_started_does_not_count(made: Context, device: tuple[Path, Loop]) -> None:
    with embedded.running(made, device[0]) as own:
        found = {one.process: one for one in database_servers()}
        assert found[own.process.pid].is_ours
        assert own.process.pid not in {one.process for one in databases_beneath(device[0]).databases}
