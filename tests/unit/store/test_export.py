"""A stored run as files for other tools."""

from __future__ import annotations

import base64
import csv
import errno
import os
import sys
from datetime import datetime
from pathlib import Path

import pytest

import facts_runs
from plimsoll.base.errors import UsageError, WorldError
from plimsoll.facts.document import from_json
from plimsoll.ports.folders import Folder
from plimsoll.store import SqlStore, open_store


@pytest.fixture
def store(tmp_path: Path) -> SqlStore:
    store = open_store(str(tmp_path / "store.sqlite"))
    store.save(facts_runs.demo_run())
    return store


def test_json_is_the_run_itself(store: SqlStore, tmp_path: Path) -> None:
    run = facts_runs.demo_run()
    (path,) = store.export("latest", "json", tmp_path / "out")
    assert path == tmp_path / "out" / f"{run.id}.json"
    assert from_json(path.read_bytes()) == run


def test_csv_is_a_file_for_each_table_that_has_rows(store: SqlStore, tmp_path: Path) -> None:
    run = facts_runs.demo_run()
    assert run.line is not None
    paths = {path.stem: path for path in store.export(run.id, "csv", tmp_path)}
    assert set(paths) >= {"runs", "lines", "trials", "cells", "demand_intervals", "class_demands", "verdicts"}
    assert all(len(path.read_text().splitlines()) > 1 for path in paths.values())
    bare = open_store(str(tmp_path / "bare.sqlite"))
    bare.save(facts_runs.io_run())
    assert "lines" not in {path.stem for path in bare.export("latest", "csv", tmp_path / "bare")}
    with paths["trials"].open(newline="") as file:
        trials = list(csv.DictReader(file))
    assert [float(trial["rate"]) for trial in trials] == [trial.rate for trial in run.line.trials]
    assert [trial["held"] for trial in trials] == [
        {True: "true", False: "false", None: ""}[trial.held] for trial in run.line.trials
    ]
    with paths["cells"].open(newline="") as file:
        cells = list(csv.DictReader(file))
    assert [base64.b64decode(cell["latency_us_hdr"]) for cell in cells] == [
        trial.cell.latency_us.hdr or b"" for trial in run.line.trials
    ]
    with paths["runs"].open(newline="") as file:
        (row,) = csv.DictReader(file)
    assert datetime.fromisoformat(row["started_at"]) == run.started_at
    assert row["result"]


def test_parquet_keeps_types(store: SqlStore, tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    run = facts_runs.demo_run()
    assert run.demand is not None
    paths = {path.stem: path for path in store.export(run.id, "parquet", tmp_path)}
    intervals = polars.read_parquet(paths["demand_intervals"]).filter(polars.col("position").is_not_null())
    assert intervals["begin_time"].to_list() == [interval.begin_time for interval in run.demand.intervals]
    assert intervals["iops"].to_list() == [interval.iops for interval in run.demand.intervals]
    trials = polars.read_parquet(paths["trials"])
    assert trials.schema["held"] == polars.Boolean
    assert polars.read_parquet(paths["cells"]).schema["latency_us_hdr"] == polars.Binary


def test_a_format_that_is_not_known_names_those_that_are(store: SqlStore, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot export as 'xml'") as refused:
        store.export("latest", "xml", tmp_path)
    assert refused.value.id == "format-unknown"
    assert "json, csv, parquet" in (refused.value.hint or "")


def test_a_folder_that_cannot_be_made_is_named(store: SqlStore, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(WorldError, match="could not write") as refused:
        store.export("latest", "json", tmp_path / "file" / "out")
    assert refused.value.id == "export-refused"


def test_without_pyarrow_the_way_to_it_is_named(
    store: SqlStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(WorldError) as refused:
        store.export("latest", "parquet", tmp_path)
    assert refused.value.id == "library-missing"
    assert "'plimsoll-storage[tables]'" in (refused.value.hint or "")


@pytest.mark.parametrize("file_format", ["json", "csv", "parquet"])
def test_only_an_earlier_export_is_replaced(store: SqlStore, tmp_path: Path, file_format: str) -> None:
    paths = store.export("latest", file_format, tmp_path)
    whole = [path.read_bytes() for path in paths]
    assert store.export("latest", file_format, tmp_path) == paths
    victim = next((path for path in paths if path.stem == "cells"), paths[0])
    victim.write_bytes(_theirs(file_format, tmp_path))
    before = victim.read_bytes()
    for path in paths:
        if path != victim:
            path.unlink()
    with pytest.raises(WorldError, match="holds something else") as refused:
        store.export("latest", file_format, tmp_path)
    assert refused.value.id == "export-refused"
    assert victim.read_bytes() == before
    assert [path for path in paths if path.exists()] == [victim]
    victim.unlink()
    store.export("latest", file_format, tmp_path)
    assert [path.read_bytes() for path in paths] == whole


def _theirs(file_format: str, folder: Path) -> bytes:
    """What others would have under such a name: it begins as ours does."""
    if file_format == "csv":
        return b"run_id,place,position,name,notes\n1,2,3,4,mine\n"
    if file_format == "json":
        return b'{\n  "id": "20240101-000000-abcdef",\n  "kind": "io"\n}\n'
    polars = pytest.importorskip("polars")
    polars.DataFrame({"run_id": ["mine"]}).write_parquet(folder / "theirs")
    return (folder / "theirs").read_bytes()


def test_a_full_disk_is_to_be_freed(store: SqlStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Folder, "replace", full)
    with pytest.raises(WorldError, match="no space left on device") as refused:
        store.export("latest", "json", tmp_path)
    assert (refused.value.hint or "").startswith("Free some space there")
