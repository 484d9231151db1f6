"""A disk of the laboratory, as the flow serves it: the server asks nothing of its own mount."""

from __future__ import annotations

from pathlib import Path

import pytest

from plimsoll.facts import DiskCounters
from plimsoll.flows.lab_disk import serve_disk
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


def test_it_is_marked_without_a_request_to_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = Unmounted()
    monkeypatch.setattr(laboratory, "serve_disk", lambda *asked: disk)
    monkeypatch.setattr(laboratory, "counters", lambda of: DiskCounters.model_construct())
    folder = tmp_path / "dial"
    folder.mkdir()
    with context(tmp_path / "journals") as ctx:
        serve_disk(ctx, DiskRequest(folder=str(folder), law="law=constant,mean=100us", size_bytes=64 << 20))
    assert disk.attributes == {"user.plimsoll.made": "1 inode=2 bytes=67108864 modified_ns=17"}
