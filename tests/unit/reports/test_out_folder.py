"""The folder of `read --out`: a second read takes away what the first one wrote, and nothing that others put beside it."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from latch_reports import latch_report
from plimsoll.base.errors import PlimsollError, WorldError
from plimsoll.flows.read import ReadOutcome, read_reports
from plimsoll.flows.read_outputs import Outputs
from plimsoll.ports.folders import Folder
from plimsoll.reports.datasets import json_files
from plimsoll.reports.datasets.table_files import CSV_FORM, PARQUET_FORM
from plimsoll.reports.walk import OWN_MARK
from plimsoll.requests.read import FileFormat, ReadRequest
from simulated import context

FORMATS: list[FileFormat] = ["parquet", "csv", "json"]


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    here = tmp_path / "in"
    here.mkdir()
    (here / "a.txt").write_bytes(latch_report("HARBOUR"))
    (here / "b.txt").write_bytes(latch_report("ORCL", begin="2016-01-31T05:00:00"))
    return here


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


def read(out: Path, reports: Path, file_format: FileFormat) -> ReadOutcome:
    with context(out.parent / "journals") as ctx:
        return read_reports(ctx, ReadRequest((str(reports),), out=str(out), file_format=file_format))


def whole(folder: Path) -> dict[str, bytes]:
    """Every file below, and every empty folder."""
    found = sorted(folder.rglob("*"))
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b""
        for path in found
        if path.is_file() or not any(path.iterdir())
    }


def refused(out: Path, reports: Path, file_format: FileFormat = "csv") -> str:
    """The message; nothing has changed."""
    before = whole(out)
    with pytest.raises(PlimsollError) as caught:
        read(out, reports, file_format)
    assert caught.value.id == "out-folder-foreign"
    assert whole(out) == before
    return caught.value.message


@pytest.mark.parametrize("before", FORMATS)
@pytest.mark.parametrize("after", FORMATS)
def test_a_second_read_leaves_nothing_of_the_first(
    out: Path, reports: Path, before: FileFormat, after: FileFormat
) -> None:
    read(out, reports, before)
    (reports / "a.txt").unlink()
    read(out, reports, after)
    assert not any("HARBOUR" in path for path in whole(out))
    listed = json.loads((out / OWN_MARK).read_text())["files"]
    assert listed == {path: sha256(content) for path, content in whole(out).items() if path != OWN_MARK}


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize(
    ("file_format", "mine"),
    [
        ("parquet", "latches/mine.txt"),
        ("parquet", "latches/deep/part-00000.parquet"),
        ("parquet", "latches/part-00001.parquet"),
        ("parquet", "mine/part-00000.parquet"),
        ("json", "HARBOUR/mine.txt"),
        ("json", "HARBOUR/deep/er/mine.txt"),
        ("csv", "mine.csv"),
        ("csv", "plimsoll-notes.txt"),
        ("csv", "mine/mine.txt"),
    ],
)
def test_what_others_put_among_our_files_is_named_and_left_alone(
    out: Path, reports: Path, file_format: FileFormat, mine: str
) -> None:
    read(out, reports, file_format)
    (out / mine).parent.mkdir(parents=True, exist_ok=True)
    (out / mine).write_text("mine")
    named = refused(out, reports, file_format).rpartition(": ")[2]
    assert mine == named or mine.startswith(f"{named}/")


def test_empty_folders_and_links_of_others_are_named_too(tmp_path: Path, out: Path, reports: Path) -> None:
    read(out, reports, "parquet")
    (out / "latches" / "mine").mkdir()
    assert refused(out, reports).endswith(": latches/mine")
    (out / "latches" / "mine").rmdir()
    table = out / "latches"
    table.rename(tmp_path / "moved")
    table.symlink_to(tmp_path / "moved")
    kept = whole(tmp_path / "moved")
    assert refused(out, reports).endswith(": latches")
    assert whole(tmp_path / "moved") == kept


def test_a_file_of_ours_that_somebody_wrote_to_is_theirs(out: Path, reports: Path) -> None:
    read(out, reports, "csv")
    with (out / "latches.csv").open("a") as file:
        file.write("my remark\n")
    assert refused(out, reports).endswith(": latches.csv, which was changed since")


@pytest.mark.parametrize("file_format", FORMATS)
def test_a_file_that_was_changed_and_is_as_long_as_before_is_theirs_too(
    out: Path, reports: Path, file_format: FileFormat
) -> None:
    read(out, reports, file_format)
    path = max((path for path in whole(out) if path != OWN_MARK), key=lambda path: len(whole(out)[path]))
    with (out / path).open("r+b") as file:
        file.seek(len(whole(out)[path]) // 2)
        file.write(b"MINE")
    assert refused(out, reports, file_format).endswith(f": {path}, which was changed since")


def test_a_refusal_gives_every_descriptor_back(out: Path, reports: Path) -> None:
    read(out, reports, "parquet")
    (out / "latches" / "mine.txt").touch()
    refused(out, reports)
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(20):
        refused(out, reports)
    assert len(os.listdir("/proc/self/fd")) == before


def test_what_somebody_took_away_is_not_missed(out: Path, reports: Path) -> None:
    read(out, reports, "parquet")
    (out / "latches" / "part-00000.parquet").unlink()
    (out / "reports" / "part-00000.parquet").unlink()
    read(out, reports, "csv")
    assert "latches" not in os.listdir(out)


def forged(files: Any, **more: Any) -> str:
    return json.dumps({"plimsoll_reports": 1, "finished": True, "files": files, **more}, indent=1)


def test_a_forged_mark_removes_nothing_but_files_of_our_form(
    tmp_path: Path, out: Path, reports: Path
) -> None:
    victims = {
        "victim.txt": b"mine", "db/mine.txt": b"mine", "db/part-00000.parquet": b"mine",
        "mine.csv": b"a,b\n", "HARBOUR/0123456789abcdef.json": b'{"mine": 1}', ".hidden": b"mine",
    }  # fmt: skip
    for path, content in victims.items():
        (out / path).parent.mkdir(parents=True, exist_ok=True)
        (out / path).write_bytes(content)
    (tmp_path / "outside.csv").write_bytes(b'"report",mine')
    listed = {path: sha256(content) for path, content in victims.items()}
    listed |= {"db": sha256(b""), "../outside.csv": sha256(b'"report",mine'), OWN_MARK: sha256(b"mine")}
    listed[str(tmp_path / "outside.csv")] = listed["../outside.csv"]
    (out / OWN_MARK).write_text(forged(listed, earlier=[[path, one] for path, one in listed.items()]))
    refused(out, reports)
    assert (tmp_path / "outside.csv").exists()


@pytest.mark.parametrize(
    "text",
    [
        "{}", '{"names": ["victim.csv"]}', "victim.csv", "",
        forged([]), forged({"victim.csv": "13"}), forged({"victim.csv": 14}), forged({"victim.csv": True}), forged(None),
        forged({"victim.csv": sha256(b"another")}),
        forged({}, earlier=5), forged({}, earlier=[5, ["victim.csv"], [13, "victim.csv"], None]), forged({})[:-5],
    ],
)  # fmt: skip
def test_a_mark_that_cannot_be_believed_lists_nothing(out: Path, reports: Path, text: str) -> None:
    out.mkdir()
    (out / "victim.csv").write_bytes(b'"report",mine')
    (out / OWN_MARK).write_text(text)
    refused(out, reports)


def test_a_mark_that_is_a_link_is_refused_before_anything_is_read(
    tmp_path: Path, out: Path, reports: Path
) -> None:
    read(out, reports, "csv")
    (out / OWN_MARK).rename(tmp_path / "mark")
    (out / OWN_MARK).symlink_to(tmp_path / "mark")
    assert OWN_MARK in refused(out, reports)


def test_what_comes_while_the_reports_are_read_is_found_before_anything_goes(
    out: Path, reports: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read(out, reports, "parquet")
    _while_reading(monkeypatch, lambda: (out / "latches" / "mine.txt").write_text("mine"))
    before = {**whole(out), "latches/mine.txt": b"mine"}
    with pytest.raises(PlimsollError, match=r"left alone: latches/mine\.txt"):
        read(out, reports, "parquet")
    assert whole(out) == before


def _while_reading(monkeypatch: pytest.MonkeyPatch, act: Callable[[], Any]) -> None:
    finish = Outputs.finish

    def late(self: Outputs, *args: Any) -> list[Path]:
        act()
        return finish(self, *args)

    monkeypatch.setattr(Outputs, "finish", late)


def test_a_name_that_is_taken_at_the_last_moment_is_not_replaced(
    out: Path, reports: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read(out, reports, "csv")
    publish = Folder.publish

    def late(folder: Folder, name: str, *rest: Any) -> None:
        (out / name).write_text("mine")
        publish(folder, name, *rest)

    monkeypatch.setattr(Folder, "publish", late)
    with pytest.raises(WorldError, match="file exists"):
        read(out, reports, "csv")
    assert (out / "latches.csv").read_text() == "mine"


@pytest.mark.parametrize("steps", range(8))
def test_a_read_that_was_cut_while_it_gave_names_is_made_again(
    out: Path, reports: Path, monkeypatch: pytest.MonkeyPatch, steps: int
) -> None:
    """Some of the earlier files are gone and some of the new ones are there: both are known as ours."""
    read(out, reports, "csv")
    with monkeypatch.context() as patched:
        left = iter(range(steps))
        for call in ("remove_file", "move"):
            patched.setattr(Folder, call, _until(left, getattr(Folder, call)))
        with pytest.raises(KeyboardInterrupt):
            read(out, reports, "parquet")
    mark = json.loads((out / OWN_MARK).read_text())
    assert not mark["finished"]
    read(out, reports, "json")
    assert sorted(os.listdir(out)) == ["HARBOUR", "ORCL", OWN_MARK]


def _until(left: Any, really: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any) -> Any:
        if next(left, None) is None:
            raise KeyboardInterrupt
        return really(*args)

    return call


def test_a_full_disk_is_to_be_freed(out: Path, reports: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Folder, "append", full)
    with pytest.raises(WorldError, match="no space left") as caught:
        read(out, reports, "csv")
    assert (caught.value.hint or "").startswith("Free some space there")


@pytest.mark.parametrize(
    ("form", "good", "bad"),
    [
        (
            PARQUET_FORM,
            ["reports/part-00000.parquet", "x/part-123456.parquet"],
            ["../part-00000.parquet", "x/../part-00000.parquet/", "x//part-00000.parquet", "x/y/part-00000.parquet",
             "part-00000.parquet", "x/part-0.parquet", "X/part-00000.parquet", "x/part-00000.parquet\n"],
        ),
        (CSV_FORM, ["report_cells.csv"], ["a/b.csv", ".a.csv", "A.csv", "a.csv\n", "a.b.csv"]),
        (
            json_files.FORM,
            ["ORCL/orcl1_173-174_5feceb66ffc86f38.json", "größer-x/5feceb66ffc86f38.json", "a/b-5feceb66ffc86f38.json"],
            ["../5feceb66ffc86f38.json", "./5feceb66ffc86f38.json", ".a/5feceb66ffc86f38.json", "5feceb66ffc86f38.json",
             "a/b/5feceb66ffc86f38.json", "a/notes.json", "a/x5feceb66ffc86f38.json"],
        ),
    ],
)  # fmt: skip
def test_forms_are_ours_alone(form: Any, good: list[str], bad: list[str]) -> None:
    assert all(map(form.is_named, good))
    assert not [path for path in bad if form.is_named(path)]
