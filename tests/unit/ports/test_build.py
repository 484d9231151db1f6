"""By what a build of the package is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from plimsoll.ports import build
from plimsoll.ports.build import build_of


def test_a_build_is_known_by_its_modules(tmp_path: Path) -> None:
    for name, text in {"a.py": "1", "b/c.py": "2", "_core.abi3.so": "3", "b/__pycache__/c.pyc": "4"}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    first = build_of(tmp_path)
    (tmp_path / "b/__pycache__/c.pyc").write_text("5")
    assert build_of(tmp_path) == first
    (tmp_path / "_core.abi3.so").write_text("4")
    second = build_of(tmp_path)
    (tmp_path / "b/c.py").rename(tmp_path / "b/d.py")
    assert len({first, second, build_of(tmp_path)}) == 3


def test_a_build_has_each_module_whole_whatever_its_length(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "_BUFFER_BYTES", 8)
    known = set()
    for first, second in (
        (16, 0), (15, 1), (17, 0), (8, 8), (0, 16), (7, 9),
    ):  # fmt: skip
        (tmp_path / "a.py").write_bytes(b"x" * first)
        (tmp_path / "b.py").write_bytes(b"x" * second)
        known.add(build_of(tmp_path))
    (tmp_path / "b.py").write_bytes(b"x" * 8 + b"y")
    known.add(build_of(tmp_path))
    assert len(known) == 7


def test_files_that_did_not_change_are_not_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plimsoll.__file__", str(tmp_path / "__init__.py"))
    (tmp_path / "__init__.py").write_text("1")
    first = build.build()
    assert first == build_of(tmp_path)
    read: list[str] = []
    made = build._build_of

    def seen(folder: str, paths: list[str]) -> str:
        read.append(folder)
        return made(folder, paths)

    monkeypatch.setattr(build, "_build_of", seen)
    assert build.build() == first
    assert not read
    (tmp_path / "__init__.py").write_text("22")
    second = build.build()
    assert read == [str(tmp_path)]
    assert second == build_of(tmp_path) != first
