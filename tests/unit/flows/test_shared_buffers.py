"""Shared buffers that fit into huge pages, as PostgreSQL's own programs count it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import command
from plimsoll.base.errors import WorldError
from plimsoll.databases import embedded
from plimsoll.flows import host_slice_write, shared_buffers
from plimsoll.ports.processes import TimeoutExpired
from sliced_hosts import plan


def test_a_real_postgresql_counts_what_fits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as the file says, and with one more they would not fit."""
    path = tmp_path / "plan.json"
    path.write_text(json.dumps({"data": plan().model_dump(mode="json")}))
    kept: dict[int, int] = {}
    found = shared_buffers._count

    def counted(cluster: embedded.Cluster, page_bytes: int, buffers_mib: int) -> int:
        assert page_bytes == 2 << 20
        kept[buffers_mib] = found(cluster, page_bytes, buffers_mib)
        return kept[buffers_mib]

    monkeypatch.setattr(shared_buffers, "_count", counted)
    out, binaries = tmp_path / "slices", str(embedded.wheel_binaries())
    done = command.here(
        "host", "slice", "write", str(path), "--out", str(out), "--only", "postgresql", "--postgres", binaries
    )
    assert done.returncode == 0, done.stderr
    text = (out / "postgresql" / "shop.conf").read_text()
    buffers = int(text.rpartition("shared_buffers = ")[2].removesuffix("MB\n"))
    assert kept[buffers] <= 2_048 < kept[buffers + 1]
    assert re.search(
        rf"# PostgreSQL \d\S* counts {kept[buffers]:,} of 2,048, for max_connections = 1,000", text
    )
    assert 3_600 < buffers < 4_096


@pytest.mark.parametrize(("above", "largest"), [(2, 1), (100, 37), (100, 99), (4_096, 4_095)])
def test_the_largest_that_fits_is_found(above: int, largest: int) -> None:
    assert shared_buffers._most(lambda mib: mib <= largest, above) == largest


def test_programs_that_are_not_there_are_told(tmp_path: Path) -> None:
    with pytest.raises(WorldError, match="there is no ") as caught:
        shared_buffers.fitting_buffers(None, tmp_path, [])  # pyright: ignore[reportArgumentType]
    assert caught.value.id == "huge-pages-uncounted"
    assert "PostgreSQL 15 or later" in (caught.value.hint or "")


def _programs(folder: Path, text: str) -> Path:
    binaries = folder / "pg" / "bin"
    binaries.mkdir(parents=True)
    for name in ("postgres", "initdb"):
        (binaries / name).write_text(text)
    return binaries


@pytest.mark.parametrize("mode", [0o644, 0o755])
def test_programs_that_cannot_be_run_are_told_also_by_a_relative_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int
) -> None:
    """Not executable, or of no format that the kernel runs."""
    for program in _programs(tmp_path, "\0").iterdir():
        program.chmod(mode)
    path = tmp_path / "plan.json"
    path.write_text(json.dumps({"data": plan().model_dump(mode="json")}))
    monkeypatch.chdir(tmp_path)
    words = ("host", "slice", "write", "plan.json", "--out", "slices", "--postgres", "pg/bin", "--json")
    done = command.here(*words)
    assert (done.returncode, json.loads(done.stdout)["data"]["id"]) == (4, "huge-pages-uncounted"), (
        done.stderr
    )
    assert not (tmp_path / "slices").exists()


def test_a_relative_folder_of_programs_is_meant_from_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Path] = []

    def fitting(
        ctx: object, binaries: Path, asked_for: list[shared_buffers.Asked]
    ) -> list[shared_buffers.Fitting]:
        asked.append(binaries)
        return [shared_buffers.Fitting(100, 60, "PostgreSQL 18") for _ in asked_for]

    monkeypatch.setattr(host_slice_write, "fitting_buffers", fitting)
    (tmp_path / "plan.json").write_text(json.dumps({"data": plan().model_dump(mode="json")}))
    monkeypatch.chdir(tmp_path)
    done = command.here("host", "slice", "write", "plan.json", "--out", "slices", "--postgres", "pg/bin")
    assert (done.returncode, asked) == (0, [tmp_path / "pg" / "bin"]), done.stderr


def test_programs_that_do_not_end_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def hangs(*words: object, **more: object) -> None:
        raise TimeoutExpired(["/pg/bin/initdb"], 20.0)

    monkeypatch.setattr(embedded, "initialised", hangs)
    with pytest.raises(WorldError, match="initdb did not end within 20 s") as caught:
        shared_buffers.fitting_buffers(None, _programs(tmp_path, ""), [])  # pyright: ignore[reportArgumentType]
    assert caught.value.id == "huge-pages-uncounted"


class _Said:
    def __init__(self, returncode: int, stdout: str, stderr: str) -> None:
        self.returncode, self.stdout, self.stderr = returncode, stdout, stderr


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (_Said(1, "", "FATAL:  unrecognized configuration parameter\nmore\n"), "unrecognized configuration parameter$"),
        (_Said(0, "-1\n", ""), "could not count huge pages: -1"),
        (_Said(0, "", ""), "it said nothing"),
    ],
)  # fmt: skip
def test_a_release_that_does_not_count_is_told(
    monkeypatch: pytest.MonkeyPatch, said: _Said, why: str
) -> None:
    class Cluster:
        data_folder = Path("/data")

    monkeypatch.setattr(embedded, "run_program", lambda *words: said)
    with pytest.raises(WorldError, match=why):
        shared_buffers._count(Cluster(), 2 << 20, 100)  # pyright: ignore[reportArgumentType]
