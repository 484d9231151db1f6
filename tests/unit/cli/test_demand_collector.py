"""`plimsoll demand --collector`: the file for SQL*Plus, and what is refused beside it; and its spool on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import plimsoll
from collector_spools import two
from command import here
from plimsoll.base.errors import UsageError
from plimsoll.demand.collector import script


def test_the_file_is_the_answer() -> None:
    assert here("demand", "--collector", "oracle").stdout == script("oracle")
    licensed = here("demand", "--collector", "oracle-11", "--licensed", "diagnostics")
    assert licensed.stdout == script("oracle-11", licensed=True)
    assert licensed.returncode == 0
    told = json.loads(here("demand", "--collector", "oracle", "--json").stdout)
    assert told["data"] == {"name": "oracle", "script": script("oracle")}


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--collector", "oracle", "awr.html"), "both reports and --collector were given"),
        (("--collector", "oracle", "--runtime", "5s"), "--runtime would have no effect with --collector"),
        (
            ("--collector", "oracle", "--database", "embedded"),
            "--database would have no effect with --collector",
        ),
        (("--licensed", "diagnostics", "awr.html"), "--licensed would have no effect without --collector"),
        (
            ("--licensed", "diagnostics", "--database", "postgresql://me@db/shop"),
            "--licensed would have no effect without --collector or an Oracle Database to watch",
        ),
        (
            ("--licensed", "diagnostics", "--database", "oracle://me@db/shop", "--every", "10m"),
            "--licensed would have no effect without --collector or an Oracle Database to watch",
        ),
        (("--collector", "mysql"), "--collector"),
    ],
)
def test_what_has_no_effect_beside_it_is_refused(words: tuple[str, ...], why: str) -> None:
    found = here("demand", *words)
    assert found.returncode == 2
    assert why in found.stderr


def test_python_names_the_command() -> None:
    with pytest.raises(UsageError, match="asks no database") as raised:
        plimsoll.learn_demand(collector="oracle")
    assert raised.value.hint == "Print it with: plimsoll demand --collector oracle."


def test_a_spool_gives_a_demand_tables_and_runs(tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    path = tmp_path / "plimsoll_collect.lst"
    path.write_text(two())
    found = here("demand", path, PLIMSOLL_STORE=str(store))
    assert found.returncode == 0
    assert "highest demand 130 I/Os per second" in found.stdout
    read = here("read", path, "--section", "background_waits", PLIMSOLL_STORE=str(store))
    assert "log file parallel write" in read.stdout
    kept = here("read", path, "--keep", "--out", tmp_path / "tables", PLIMSOLL_STORE=str(store))
    assert kept.returncode == 0
    assert (tmp_path / "tables" / "instance_activity").is_dir()
