"""What a read that was killed, or found a full disk, leaves in the folder of `read --out`."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from latch_reports import latch_report
from plimsoll.base.errors import PlimsollError, WorldError
from plimsoll.flows.read import ReadOutcome, read_reports
from plimsoll.ports.folders import Folder
from plimsoll.reports.walk import OWN_MARK
from plimsoll.requests.read import ReadRequest
from simulated import context

PART = ".plimsoll-0123456789abcdef.part"


@pytest.fixture
def report(tmp_path: Path) -> Path:
    path = tmp_path / "a.txt"
    path.write_bytes(latch_report("HARBOUR"))
    return path


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


def read(out: Path, report: Path) -> ReadOutcome:
    with context(report.parent / "journals") as ctx:
        return read_reports(ctx, ReadRequest((str(report),), out=str(out), file_format="csv"))


def _killed(out: Path, report: Path, monkeypatch: pytest.MonkeyPatch, written_bytes: int) -> None:
    """A read that ends when so much of its mark is written, and removes nothing."""

    def cut(folder: Folder, name: str, content: bytes, mark: object) -> None:
        (out / PART).write_bytes(content[:written_bytes])
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Folder, "replace", cut)
        with pytest.raises(KeyboardInterrupt):
            read(out, report)
    assert (out / PART).exists()


@pytest.mark.parametrize("written_bytes", [0, 5, 40, 1 << 20])
@pytest.mark.parametrize("is_new", [True, False])
def test_a_mark_that_a_kill_left_half_written_is_taken_back(
    out: Path, report: Path, monkeypatch: pytest.MonkeyPatch, written_bytes: int, is_new: bool
) -> None:
    if not is_new:
        read(out, report)
    _killed(out, report, monkeypatch, written_bytes)
    read(out, report)
    assert PART not in os.listdir(out)
    assert OWN_MARK in os.listdir(out)


@pytest.mark.parametrize("content", [b"mine", b'{\n "plimsoll_reports": 2,\n', b"{ "])
def test_what_only_has_the_name_of_such_a_file_is_somebodys(out: Path, report: Path, content: bytes) -> None:
    read(out, report)
    (out / PART).write_bytes(content)
    with pytest.raises(PlimsollError, match=rf"left alone: {PART}") as caught:
        read(out, report)
    assert caught.value.id == "out-folder-foreign"
    assert (out / PART).read_bytes() == content


def test_a_link_and_a_folder_of_such_a_name_are_somebodys(tmp_path: Path, out: Path, report: Path) -> None:
    read(out, report)
    (tmp_path / "mark").write_bytes(b"")
    (out / PART).symlink_to(tmp_path / "mark")
    with pytest.raises(PlimsollError, match="left alone"):
        read(out, report)
    (out / PART).unlink()
    (out / PART).mkdir()
    with pytest.raises(PlimsollError, match="left alone"):
        read(out, report)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_mark_of_somebody_else_stays(out: Path, report: Path) -> None:
    read(out, report)
    (out / PART).write_bytes(b"")
    os.chown(out / PART, 65534, -1)
    with pytest.raises(PlimsollError, match="left alone"):
        read(out, report)


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Folder, "append", full)


@pytest.mark.usefixtures("full_disk")
@pytest.mark.parametrize("there", ["", "kept", "kept/too"])
def test_a_full_disk_leaves_no_folder_that_was_not_there(out: Path, report: Path, there: str) -> None:
    kept = out / there
    if there:
        kept.mkdir(parents=True)
    with pytest.raises(WorldError, match="no space left"):
        read(out / "kept" / "too" / "tables", report)
    assert kept.exists() is bool(there)
    assert not there or list(kept.iterdir()) == []
