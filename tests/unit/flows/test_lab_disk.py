"""A disk of the laboratory, as the flow serves it: the server asks nothing of its own mount."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from plimsoll.base.errors import WorldError
from plimsoll.cli import main
from plimsoll.facts import DiskCounters, ServedDisk
from plimsoll.flows.lab_disk import serve_disk
from plimsoll.host import memory
from plimsoll.native import laboratory
from plimsoll.requests.lab import DiskRequest
from simulated import context


class Unmounted:
    """A disk in whose folder nothing is: whoever looks for it there finds that out."""

    def __init__(self) -> None:
        self.attributes: dict[str, str] = {}

    def is_serving(self) -> bool:
        return False

    def identity(self) -> tuple[int, int, int]:
        return 2, 64 << 20, 17

    def set_attribute(self, name: str, value: str) -> None:
        self.attributes[name] = value

    def stop(self) -> bool:
        return False


def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, **more: str | int) -> tuple[ServedDisk, str]:
    """What a mirror would be told of itself, and what the extension was asked for."""
    asked: list[str] = []
    monkeypatch.setattr(laboratory, "serve_disk", lambda spec, *rest: asked.append(spec) or Unmounted())
    monkeypatch.setattr(laboratory, "counters", lambda of: DiskCounters.model_construct())
    folder = tmp_path / "dial"
    folder.mkdir()
    with context(tmp_path / "journals") as ctx:
        request = DiskRequest(folder=str(folder), law="law=constant,mean=5ms", **more)  # type: ignore[arg-type]
        return serve_disk(ctx, request).disk, asked[0]


def test_a_mirror_is_served_with_both_laws(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk, spec = served(tmp_path, monkeypatch, mirror_law="law=constant,mean=250us", mirror_read="second")
    assert (disk.law, disk.mirror_law) == ("law=constant,mean=5ms", "law=constant,mean=250us")
    assert disk.mirror_read == "second"
    assert json.loads(spec)["second"]["mean_us"] == pytest.approx(250.0)


def test_a_disk_is_no_mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk, spec = served(tmp_path, monkeypatch)
    assert (disk.mirror_law, disk.mirror_read, json.loads(spec)["second"]) == (None, None, None)


@pytest.mark.parametrize(
    ("words", "id"),
    [
        (["--mirror-read", "second"], "option-idle"),
        (["--mirror-law", "law=warp"], "disk-law-unreadable"),
        (["--mirror-law", "law=seek", "--mirror-read", "third"], "usage"),
    ],
)
def test_what_is_no_mirror_is_refused(
    tmp_path: Path, words: list[str], id: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run(["lab", "disk", str(tmp_path), *words, "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["data"]["id"] == id


def test_it_is_marked_without_a_request_to_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = Unmounted()
    monkeypatch.setattr(laboratory, "serve_disk", lambda *asked: disk)
    monkeypatch.setattr(laboratory, "counters", lambda of: DiskCounters.model_construct())
    folder = tmp_path / "dial"
    folder.mkdir()
    with context(tmp_path / "journals") as ctx:
        serve_disk(ctx, DiskRequest(folder=str(folder), law="law=constant,mean=100us", size_bytes=64 << 20))
    assert disk.attributes == {"user.plimsoll.made": "1 inode=2 bytes=67108864 modified_ns=17"}


def test_more_than_memory_holds_is_refused_before_anything_is_mounted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "available_bytes", lambda: 300 << 20)
    with pytest.raises(WorldError, match="300 MiB are available") as caught:
        served(tmp_path, monkeypatch, size_bytes=280 << 20)
    assert caught.value.id == "disk-memory"


def test_memory_that_nobody_states_refuses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_bytes", lambda: None)
    disk, _ = served(tmp_path, monkeypatch, size_bytes=1 << 40)
    assert disk.size_bytes == 1 << 40
