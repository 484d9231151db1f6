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


_NOTE = b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0"


def test_a_compiled_module_is_known_by_what_its_linker_made_of_it(tmp_path: Path) -> None:
    known = {
        _build_with(tmp_path, b"\x7fELF" + b"\0" * 60 + note + name * 20 + b"code" * length)
        for note in (_NOTE, b"other")
        for name in (b"1", b"2")
        for length in (5000, 5001)
    }
    assert len(known) == 8


@pytest.mark.parametrize(
    ("content", "reads_all"),
    [
        (b"\x7fELF" + b"\0" * 60 + _NOTE + b"1" * 20, False),
        (b"\x7fELF" + b"\0" * 60, True),
        (b"\x7fELF" + b"\0" * 4096 + _NOTE + b"1" * 20, True),
        (b"ELF" + b"\0" * 60 + _NOTE + b"1" * 20, True),
    ],
    ids=["named", "without a name", "far behind", "no module"],
)
def test_a_compiled_module_without_an_id_is_read_to_its_end(
    tmp_path: Path, content: bytes, reads_all: bool
) -> None:
    first, second = (_build_with(tmp_path, content + b"x" * 300_000 + end) for end in (b"1", b"2"))
    assert (first != second) is reads_all


def _build_with(folder: Path, content: bytes) -> str:
    (folder / "_core.abi3.so").write_bytes(content)
    return build_of(folder)


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


def test_what_is_installed_anew_is_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plimsoll.__file__", str(tmp_path / "__init__.py"))
    path = tmp_path / "__init__.py"
    path.write_text("1")
    first = build.installed()
    assert build.installed() == first
    (tmp_path / "notes.txt").write_text("no module")
    assert build.installed() == first
    path.write_text("22")
    second = build.installed()
    (tmp_path / "more.py").write_text("")
    assert len({first, second, build.installed()}) == 3
