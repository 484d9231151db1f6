"""What installs an extra, in the words of whatever made the installation."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from plimsoll.base import installing, settings


@pytest.mark.parametrize(
    ("left_behind", "extra", "newer"),
    [
        (
            "venv/uv-receipt.toml",
            "uv tool install 'plimsoll-storage[report]'",
            "uv tool upgrade plimsoll-storage",
        ),
        (
            "venv/pipx_metadata.json",
            "pipx install --force 'plimsoll-storage[report]'",
            "pipx upgrade plimsoll-storage",
        ),
        (
            "venv/pyvenv.cfg",
            "pip install 'plimsoll-storage[report]'",
            "pip install --upgrade plimsoll-storage",
        ),
        ("venv/plimsoll-bundle", "make the bundle with EXTRAS=report", "newer bundle"),
        ("Cargo.toml", "`make build`", "git pull"),
    ],
)
def test_the_words_are_those_of_the_installer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, left_behind: str, extra: str, newer: str
) -> None:
    (tmp_path / "venv").mkdir()
    (tmp_path / left_behind).touch()
    monkeypatch.delenv(settings.IMAGE.name, raising=False)
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "venv"))
    monkeypatch.setattr(installing, "_PACKAGE", tmp_path / "python" / "plimsoll")
    assert extra in installing.extra_hint("report")
    assert newer in installing.upgrade_hint()


def test_in_an_image_it_is_built_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(settings.IMAGE.name, "1")
    assert "--build-arg EXTRAS=report" in installing.extra_hint("report")
    assert "image" in installing.upgrade_hint()
