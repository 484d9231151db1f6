"""What holds for every test: nothing of the user's is touched, terminals look alike, generated examples are the same each time.

Warnings, time limits and strict expected failures are set in pyproject.toml. A test that needs a program which is not
here is skipped with the reason by the fixture that looks for it.
"""

from __future__ import annotations

import gc
import itertools
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

pytest_plugins = ("backstop", "databases_fixture", "mariadb_server", "database_kinds", "store_places")

LONGEST = (
    "contract/test_held_back.py",
    "faults/test_kill.py",
    "faults/test_fill_levels.py",
    "unit/supply/test_line.py",
    "unit/cli/test_calibrate_more.py",
    "unit/flows/test_verdict_truth.py",
    "unit/flows/test_assess.py",
    "unit/flows/test_failover.py",
    "unit/flows/test_consolidate.py",
    "unit/flows/test_trend.py",
    "unit/flows/test_host_slice_prove.py",
    "unit/flows/test_host_slice_slob.py",
    "unit/placement/slices/test_best.py",
    "contract/test_objects_postgres.py",
    "contract/test_watch_askers.py",
    "system/test_slice_caps.py",
    "system/test_slice_looks.py",
    "system/test_place_apply.py",
    "system/test_place_apply_left.py",
    "system/test_place_apply_standby.py",
    "faults/test_moves_kill.py",
    "faults/test_collector_kill.py",
    "faults/test_thin_kill.py",
    "faults/test_tiers_kill.py",
    "faults/test_fleet.py",
    "contract/test_lab_tiers.py",
    "unit/flows/test_replay.py",
    "unit/pages/test_page.py",
    "unit/placement/test_optimise.py",
    "unit/supply/test_adaptive.py",
    "unit/supply/test_beside.py",
    "unit/supply/test_interference.py",
    "unit/test_api.py",
    "unit/test_same_answers.py",
)
"""Files of many seconds. They run first, so that no worker is still at one when the others have nothing left to do."""

hypothesis.settings.register_profile(
    "plimsoll", derandomize=True, deadline=None, database=None, print_blob=True
)
hypothesis.settings.load_profile("plimsoll")


_homes = itertools.count()


@pytest.fixture(autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Gives each test a home, a store and a journal of its own, and takes away what the user's shell has set."""
    for name in [name for name in os.environ if name.startswith(("PLIMSOLL_", "PG", "MYSQL_"))]:
        monkeypatch.delenv(name)
    # Numbered by ourselves: pytest would look through the folders of all tests before, at every test.
    home = tmp_path_factory.getbasetemp() / "homes" / f"{next(_homes)}"
    home.mkdir(mode=0o700, parents=True)
    for name in ("HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(home))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    # Commands that stay set it for their process (`plimsoll.cli.small`): set first, as only what was there is put back.
    monkeypatch.setenv("MIMALLOC_ALLOW_THP", "")
    monkeypatch.delenv("MIMALLOC_ALLOW_THP")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[object]:
    """Garbage is looked for among what tests make alone, and not again and again among ten thousand tests and their modules."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_configure() -> None:
    """Whoever started the tests may have had them ignore what a terminal sends, as nohup(1) does; what they start would as well."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Moves the longest files to the front; the other files keep their order."""
    root = Path(__file__).parent
    ranks = {root / name: rank for rank, name in enumerate(LONGEST)}
    items.sort(key=lambda item: ranks.get(item.path, len(ranks)))
