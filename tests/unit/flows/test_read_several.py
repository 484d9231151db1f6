"""Several reports in one file, and reports through standard input: each has its own name, identity and place in what goes out."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import polars
import pytest

import command
from plimsoll.base import limits
from plimsoll.base.errors import PlimsollError
from plimsoll.flows.read import read_reports
from plimsoll.ports import files
from plimsoll.reports import sources
from plimsoll.reports.reader import read_all
from plimsoll.reports.sources import Source
from plimsoll.reports.walk import Walk
from plimsoll.requests.read import ReadRequest
from reportgen.restamp import write_folder
from simulated import context

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """Three reports of one instance, one after the other."""
    folder = tmp_path_factory.mktemp("made")
    write_folder(folder, 3, rows=2)
    return [path.read_bytes() for path in sorted(folder.iterdir())]


@pytest.fixture
def together(made: list[bytes], tmp_path: Path) -> Path:
    """All of them in one file."""
    path = tmp_path / "all.html"
    path.write_bytes(b"".join(made))
    return path


def piped(content: bytes, *words: str | Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        command.command(*words), input=content, capture_output=True, timeout=60, check=False
    )


def document(done: subprocess.CompletedProcess[bytes]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_each_report_of_a_file_has_its_own_name_and_identity(made: list[bytes], together: Path) -> None:
    readings = read_all(Source("all.html", weight_bytes=9, content=together.read_bytes()))
    alone = [read_all(Source("one.html", content=content))[0] for content in made]
    reports = [reading.report for reading in readings]
    assert [report.file for report in reports] == ["all.html#1", "all.html#2", "all.html#3"]
    assert [reading.weight_bytes for reading in readings] == [9, 0, 0]
    same = ("sha256", "id", "size_bytes", "status", "begin_time", "begin_snap", "instance", "cells")
    for report, one in zip(reports, alone, strict=True):
        assert {name: getattr(report, name) for name in same} == {
            name: getattr(one.report, name) for name in same
        }
    first_lines = [reading.whole().sections[0].line or 0 for reading in readings]
    lines = [content.count(b"\n") for content in made]
    assert first_lines[1] - first_lines[0] == lines[0]
    assert first_lines[2] - first_lines[1] == lines[1]


def test_members_of_archives_and_cut_reports_have_their_numbers_as_well(made: list[bytes]) -> None:
    cut = made[0].replace(b"End of Report", b"")
    first, second = read_all(Source("a.zip", "all.html", content=cut + made[1]))
    assert (first.report.file, first.report.member, second.report.member) == (
        "a.zip",
        "all.html#1",
        "all.html#2",
    )
    assert first.report.problems[-1].code == "report-cut"
    assert [problem.code for problem in second.report.problems if problem.loses] == []


def test_all_of_them_go_out(tmp_path: Path, together: Path, made: list[bytes]) -> None:
    out = tmp_path / "out"
    with context(tmp_path / "journals", lambda event: None) as ctx:
        outcome = read_reports(ctx, ReadRequest((str(together),), str(out), "csv"))
    assert [report.file for report in outcome.reports] == [f"{together}#{number}" for number in (1, 2, 3)]
    rows = polars.read_csv(out / "load_profile.csv")
    assert rows["report"].n_unique() == len(made)


def test_a_demand_names_each_of_them(together: Path) -> None:
    done = command.here("demand", together, "--json")
    intervals = command.document(done)["data"]["intervals"]
    assert [Path(one["file"]).name for one in intervals] == ["all.html#1", "all.html#2", "all.html#3"]


def test_read_takes_standard_input(made: list[bytes]) -> None:
    done = piped(made[0], "read", "-", "--json")
    assert done.returncode == 0, done.stderr
    (report,) = document(done)["data"]["reports"]
    assert (report["file"], report["status"]) == (files.STANDARD_INPUT, "ok")
    twice = document(piped(made[0] + made[1], "read", "-", "-", "--json"))["data"]["reports"]
    assert [report["file"] for report in twice] == ["standard input#1", "standard input#2"]


def test_what_comes_in_may_be_packed(made: list[bytes], tmp_path: Path) -> None:
    archive = tmp_path / "all.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("a.html", made[0])
        packed.writestr("b.html", made[1])
    for content, members in ((gzip.compress(made[0]), [None]), (archive.read_bytes(), ["a.html", "b.html"])):
        reports = document(piped(content, "read", "-", "--json"))["data"]["reports"]
        assert [report["member"] for report in reports] == members
        assert {report["status"] for report in reports} == {"ok"}


def test_demand_and_assess_take_standard_input(made: list[bytes]) -> None:
    done = piped(made[0], "demand", "-", "--json")
    (interval,) = document(done)["data"]["intervals"]
    assert interval["file"] == files.STANDARD_INPUT
    target = "sim:law=constant,mean=10ms,servers=2"
    asked = ("--slo", "p99=100ms", "--burst-factor", "1", "--trial", "10s", "--no-replay")
    words = ("assess", "--demand", "-", "--target", target, *asked, "--json")
    for content in (made[0], done.stdout):
        judged = piped(content, *words)
        assert judged.returncode in (0, 1, 5), judged.stderr
        assert "demand_iops" in document(judged)["data"]
    assert b"standard input holds neither a demand nor a report" in piped(b"dear diary\n", *words).stderr


def test_what_comes_in_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    assert limits.REPORT_BYTES_MAX >= 1 << 20
    monkeypatch.setattr(sources, "REPORT_BYTES_MAX", 10)
    asked: list[int] = []

    def endless(bytes_max: int) -> bytes:
        asked.append(bytes_max)
        raise files.TooLargeError(None, bytes_max)

    monkeypatch.setattr(files, "read_standard_input", endless)
    (source,) = sources.sources(Walk([Path("-")]).entries())
    with pytest.raises(PlimsollError) as caught:
        source.take()
    assert (caught.value.id, asked) == ("report-too-large", [10])
    (source,) = sources.sources(Walk([Path("-")]).entries(), b"more than ten bytes")
    assert source.error is not None


def test_the_door_takes_no_more_than_it_may(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = "from plimsoll.ports import files\ntry: print(len(files.read_standard_input(9)))\nexcept OSError as e: print(e)\n"
    for content, said in ((b"123456789", b"9\n"), (b"1234567890", b"longer than 9 bytes")):
        done = subprocess.run(
            [sys.executable, "-c", script], input=content, capture_output=True, timeout=60, check=False
        )
        assert said in done.stdout
