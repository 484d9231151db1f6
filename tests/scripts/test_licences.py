"""Licence texts of crates: those that are linked, each text once."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

import licences


def package(folder: Path, name: str, is_ours: bool = False) -> dict[str, Any]:
    (folder / name).mkdir()
    (folder / name / "LICENSE-MIT").write_text("may be copied\n")
    return {
        "id": name, "name": name, "version": "1.0", "license": "MIT", "source": None if is_ours else "index",
        "manifest_path": str(folder / name / "Cargo.toml"),
    }  # fmt: skip


def needs(name: str, kind: str | None = None) -> dict[str, Any]:
    return {"pkg": name, "dep_kinds": [{"kind": kind}]}


def test_linked_crates_are_named_and_a_text_stands_once(tmp_path: Path) -> None:
    ours, near, far, tests = (
        package(tmp_path, name, name == "bindings") for name in ("bindings", "near", "far", "tests")
    )
    nodes = [
        {"id": "bindings", "deps": [needs("near"), needs("tests", "dev")]},
        {"id": "near", "deps": [needs("far")]},
        {"id": "far", "deps": []},
        {"id": "tests", "deps": []},
    ]
    found = licences.linked({"packages": [ours, near, far, tests], "resolve": {"nodes": nodes}})
    assert [one["name"] for one in found] == ["far", "near"]
    seen: dict[str, str] = {}
    texts = [licences.section(one, seen) for one in found]
    assert texts == [
        "far 1.0: MIT\n============\n\nmay be copied",
        "near 1.0: MIT\n=============\n\nLICENSE-MIT: the same text as that of far 1.0",
    ]
