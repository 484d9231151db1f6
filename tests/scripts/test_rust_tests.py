"""Programs of the crates' tests run beside each other, and one that fails fails the run by its name."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

import rust_tests


def program(folder: Path, name: str, script: str) -> Path:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def message(crate: Path, name: str, executable: Path | None, is_test: bool = True) -> dict[str, Any]:
    return {
        "reason": "compiler-artifact",
        "manifest_path": str(crate / "Cargo.toml"),
        "target": {"name": name},
        "profile": {"test": is_test},
        "executable": None if executable is None else str(executable),
    }


def told(*messages: dict[str, Any]) -> str:
    lines = [*map(json.dumps, messages), json.dumps({"reason": "build-finished", "success": True})]
    return "\n".join(["warning: not of cargo's", *lines])


@pytest.fixture
def crates(tmp_path: Path) -> dict[str, Path]:
    found = {name: tmp_path / name for name in ("reports", "nfs", "memory")}
    for folder in found.values():
        folder.mkdir()
    return found


def test_programs_of_tests_alone_are_found_and_the_longest_come_first(crates: dict[str, Path]) -> None:
    made = Path("/target/suite-1")
    found = rust_tests.programs(
        told(
            message(crates["reports"], "suite", made),
            message(crates["nfs"], "suite", made),
            message(crates["memory"], "plimsoll_memory", None),
            message(crates["memory"], "build-script-build", made, is_test=False),
        )
    )
    assert [(one.crate.name, one.name, one.path) for one in found] == [
        ("nfs", "suite", made),
        ("reports", "suite", made),
    ]


def test_each_runs_in_its_crate_and_what_it_says_stays_together(
    crates: dict[str, Path], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    script = (
        'echo "$1 in $(basename "$PWD")"; echo aside >&2; [ -t 0 ] || read -r line || echo nothing to read'
    )
    paths = {name: program(tmp_path, f"{name}-1", script) for name in crates}
    found = [rust_tests.Program(folder, "suite", paths[name]) for name, folder in crates.items()]
    assert rust_tests.run_all(found) == 0
    assert capfd.readouterr().out.splitlines() == [
        line
        for name in crates
        for line in (f"== {name}: suite", f"--quiet in {name}", "aside", "nothing to read")
    ]


def test_they_run_beside_each_other(crates: dict[str, Path], tmp_path: Path) -> None:
    """Each ends when it has met the other."""
    meet = 'touch "$0.here"; until [ -e {}.here ]; do sleep 0.01; done'
    names = [tmp_path / "one", tmp_path / "other"]
    for own, other in (names, names[::-1]):
        program(tmp_path, own.name, meet.format(other))
    assert rust_tests.run_all([rust_tests.Program(crates["nfs"], path.name, path) for path in names]) == 0


def test_what_counts_for_the_whole_machine_runs_by_itself(
    crates: dict[str, Path], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """It comes when the others have ended, wherever it stands among them."""
    observe = tmp_path / "observe"
    observe.mkdir()
    other = program(tmp_path, "other", 'sleep 0.2; touch "$0.ended"')
    alone = program(tmp_path, "alone", f"[ -e {other}.ended ]")
    found = [rust_tests.Program(observe, "counts", alone), rust_tests.Program(crates["nfs"], "suite", other)]
    assert rust_tests.run_all(found) == 0
    assert capfd.readouterr().out.splitlines() == ["== nfs: suite", "", "== observe: counts", ""]


@pytest.mark.parametrize(
    ("script", "how"), [("exit 101", "exit status 101"), ("kill -9 $$", "ended by signal 9")]
)
def test_one_that_fails_is_named_and_the_others_run(
    crates: dict[str, Path], tmp_path: Path, capfd: pytest.CaptureFixture[str], script: str, how: str
) -> None:
    bad, good = program(tmp_path, "bad", script), program(tmp_path, "good", "echo all is well")
    found = [
        rust_tests.Program(crates["nfs"], "suite", bad),
        rust_tests.Program(crates["memory"], "suite", good),
    ]
    assert rust_tests.run_all(found) == 1
    seen = capfd.readouterr()
    assert "all is well" in seen.out
    assert seen.err == f"error: rust tests failed: nfs: suite ({how})\n"


@pytest.mark.parametrize(
    ("cargo", "status"), [("exit 101", 101), ('echo \'{"reason": "build-finished"}\'', 1)]
)
def test_where_nothing_is_compiled_nothing_has_passed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cargo: str, status: int
) -> None:
    program(tmp_path, "cargo", cargo)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert rust_tests.main(["--workspace"]) == status
