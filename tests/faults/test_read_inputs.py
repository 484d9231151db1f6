"""`plimsoll read` as a user runs it, over everything that a folder can hold: each trouble is named, the rest is read, status 5.

The reader is the real one, the reports are made by the generator, and the command is another process, so that its memory and
its end can be seen.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import signal
import tarfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import command
import forked_command
from plimsoll.reports.walk import OWN_MARK
from reportgen.restamp import write_folder

MIB = 1 << 20
MEMORY_BYTES_MAX = 500 * MIB


def _picture(folder: Path) -> None:
    (folder / "shot.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40)


def _tar_bomb(folder: Path) -> None:
    with tarfile.open(folder / "bomb.tar.gz", "w:gz", compresslevel=9) as archive:
        for number in range(6):
            info = tarfile.TarInfo(f"{number}.html")
            info.size = 64 * MIB
            archive.addfile(info, io.BytesIO(bytes(64 * MIB)))


def _zip_bomb(folder: Path) -> None:
    with zipfile.ZipFile(folder / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(6):
            archive.writestr(f"{number}.html", bytes(64 * MIB))


def _one_line(folder: Path) -> None:
    with open(folder / "line.txt", "wb") as file:
        file.write(b"x" * MIB)
        file.truncate(1 << 30)


def _packed_line(folder: Path) -> None:
    # Packed parts that follow each other are one file to gzip (RFC 1952, 2.2).
    (folder / "line.txt.gz").write_bytes(gzip.compress(b"x" * MIB) * 1024)


def _loop(folder: Path) -> None:
    (folder / "up").symlink_to(folder)


def _forbidden(folder: Path) -> None:
    (folder / "secret.txt").write_text("STATSPACK report for")
    command.forbid(folder / "secret.txt")


def _torn(folder: Path) -> None:
    (folder / "torn.zip").write_bytes(b"PK\x03\x04" + os.urandom(2000))


TROUBLES: dict[str, tuple[Callable[[Path], Any], str]] = {
    "empty": (lambda folder: (folder / "empty.txt").touch(), "report-file-empty"),
    "picture": (_picture, "report-binary"),
    "tar bomb": (_tar_bomb, "archive-bomb"),
    "zip bomb": (_zip_bomb, "archive-bomb"),
    "one line of a gigabyte": (_one_line, "report-too-large"),
    "one packed line of a gigabyte": (_packed_line, "report-too-large"),
    "loop": (_loop, "report-loop"),
    "pipe": (lambda folder: os.mkfifo(folder / "pipe"), "report-not-a-file"),
    "device": (lambda folder: (folder / "zero").symlink_to("/dev/zero"), "report-not-a-file"),
    "forbidden": (_forbidden, "report-unopenable"),
    "broken archive": (_torn, "archive-broken"),
    "diary": (lambda folder: (folder / "diary.txt").write_text("dear diary\n" * 50), "report-unknown"),
    "dead link": (lambda folder: (folder / "dead").symlink_to(folder / "nowhere"), "report-missing"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three good reports."""
    made = tmp_path / "in"
    made.mkdir()
    write_folder(made, 3, rows=2)
    return made


@pytest.mark.parametrize("trouble", TROUBLES)
def test_a_trouble_is_named_and_the_others_are_read(trouble: str, folder: Path) -> None:
    make, id = TROUBLES[trouble]
    make(folder)
    # Root may open what is forbidden, but for a command without that right.
    done = (
        command.plimsoll("read", folder, "--json", powerless=True)
        if trouble == "forbidden"
        else command.here("read", folder, "--json")
    )
    reports = command.document(done)["data"]["reports"]
    bad = [report for report in reports if report["status"] == "unreadable"]
    assert done.returncode == 5, done.stderr
    assert [report["kind"] for report in reports if report not in bad] == ["awr"] * 3
    assert id in {report["problems"][0]["code"] for report in bad}
    errors = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert len(errors) == len(bad)
    assert all(str(folder) in line for line in errors)
    assert "hint: " in done.stderr


def test_the_trouble_alone_ends_with_a_status_that_is_not_zero(tmp_path: Path) -> None:
    _picture(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    assert command.here("read", tmp_path / "shot.png").returncode == 5
    assert command.here("read", tmp_path / "pipe").returncode == 5
    assert command.here("read", tmp_path / "none").returncode == 2


def test_memory_is_bounded_by_the_largest_report(tmp_path: Path) -> None:
    """With all troubles at once."""
    folder = tmp_path / "in"
    folder.mkdir()
    write_folder(folder, 40, rows=2)
    for make, _ in TROUBLES.values():
        make(folder)
    out = tmp_path / "out"
    with forked_command.parent() as forks:
        done = forked_command.measured(forks, "read", folder, "--out", out)
    assert done.peak_bytes < MEMORY_BYTES_MAX
    assert json.loads((out / OWN_MARK).read_text())["finished"]


def test_a_kill_leaves_no_result_that_looks_finished_and_the_next_command_tidies_up(tmp_path: Path) -> None:
    folder, out = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    write_folder(folder, 400, rows=3)
    working = command.started("read", folder, "--out", out, "--format", "json")
    deadline = time.monotonic() + 60
    while not list(out.glob("plimsoll-read-*/*/*.json")):
        assert time.monotonic() < deadline, "it never began to write"
        time.sleep(0.01)
    os.killpg(working.pid, signal.SIGKILL)
    working.communicate(timeout=30)
    assert [path.name.startswith("plimsoll-read-") for path in out.iterdir()] == [True]
    done = command.here("read", folder / "00000_qz0000011_60000.html", "--out", out)
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in out.iterdir() if path.name.startswith("plimsoll")) == [OWN_MARK]
    assert (out / "reports").is_dir()


def test_ctrl_c_keeps_what_was_read(tmp_path: Path) -> None:
    folder, out = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    write_folder(folder, 400, rows=3)
    working = command.started("read", folder, "--out", out, "--format", "json", "--json")
    deadline = time.monotonic() + 60
    while not list(out.glob("plimsoll-read-*/*/*.json")):
        assert time.monotonic() < deadline, "it never began to write"
        time.sleep(0.01)
    os.kill(working.pid, signal.SIGINT)
    printed, _ = working.communicate(timeout=60)
    found = json.loads(printed)["data"]
    assert working.returncode == 130
    assert 0 < len(found["reports"]) < 400
    assert len(list(out.glob("*/*.json"))) == len(found["reports"])


def test_reports_of_all_layouts_in_one_folder_give_one_table(tmp_path: Path) -> None:
    """Mixed releases, kinds and forms; databases, instances and intervals in order."""
    folder = tmp_path / "in"
    folder.mkdir()
    write_folder(folder, 300, rows=2)
    done = command.here("read", folder, "--json")
    reports = command.document(done)["data"]["reports"]
    assert len({report["release"] for report in reports}) >= 4
    assert {report["kind"] for report in reports} == {"awr", "statspack"}
    keys = [(report["db_name"], report["instance"], report["begin_time"]) for report in reports]
    assert keys == sorted(keys)
    assert len(set(keys)) == 300
