"""Many files: one that kills its reader is named and the rest go on, and what was killed goes on where it was."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import IO, Any

import pytest

import command
from reportgen.restamp import write_folder
from store_places import session_of

HERE = Path(__file__).parent
MARK = "DEADLY MARK"
FILES = 27
GROUP = 4
"""As `fleet_process.py` has it."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Reports, one of them twice, an archive, and what is no report; each ends in a line of its own."""
    folder = tmp_path_factory.mktemp("made") / "in"
    folder.mkdir()
    write_folder(folder, FILES - 3, rows=1)
    for path in folder.iterdir():
        path.write_bytes(path.read_bytes() + f"\n{path.name}\n".encode())
    first, *others = sorted(folder.iterdir())
    shutil.copyfile(first, folder / "zz-again.html")
    with zipfile.ZipFile(folder / "zz-many.zip", "w") as archive:
        for number, path in enumerate(others[:6]):
            archive.writestr(f"{number}.html", path.read_bytes() + f"\npacked {number}\n".encode())
    (folder / "zz-notes.txt").write_text("dear diary\n")
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """To be spoilt."""
    return Path(shutil.copytree(made, tmp_path / "in"))


def run(
    place: Path,
    *words: str | Path,
    stdout: int | IO[str] = subprocess.PIPE,
    powerless: bool = False,
    **environment: str,
) -> subprocess.CompletedProcess[str]:
    """`plimsoll` where twenty files are many; its state and its store lie in `place`."""
    own = {
        "PYTHONPATH": os.pathsep.join(map(str, (HERE / "fleet_site", HERE.parent))),
        "XDG_STATE_HOME": str(place / "state"),
        "XDG_DATA_HOME": str(place / "data"),
    }
    paths = [own["PYTHONPATH"], os.environ.get("PYTHONPATH")]
    own["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)
    program = [sys.executable, str(HERE / "fleet_process.py"), *map(str, words)]
    started = [*command.NO_RIGHTS, *program] if powerless and os.geteuid() == 0 else program
    surroundings = {**os.environ, **own, **environment}
    return subprocess.run(
        started, env=surroundings, stdout=stdout, stderr=subprocess.PIPE, text=True, timeout=100
    )


def hashes(folder: Path) -> dict[str, str]:
    """Of all files below it, but for the mark, which has their lengths and nothing else."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def kept(place: Path) -> list[Path]:
    """Groups that are kept."""
    return [path for path in (place / "state" / "plimsoll" / "read-in-part").rglob("*") if path.is_file()]


def reports(done: subprocess.CompletedProcess[str]) -> dict[str, dict[str, Any]]:
    """By the name of the file."""
    found = json.loads(done.stdout)["data"]["reports"]
    return {Path(one["member"] or one["file"]).name: one for one in found}


def test_a_file_that_kills_its_reader_is_named_and_the_rest_are_read(folder: Path, tmp_path: Path) -> None:
    whole = reports(run(tmp_path, "read", folder, "--json"))
    victim = sorted(folder.iterdir())[9]
    victim.write_bytes(victim.read_bytes() + MARK.encode())
    done = run(tmp_path, "read", folder, "--json", "--out", tmp_path / "out", DEADLY_MARK=MARK)
    assert done.returncode == 5
    found = reports(done)
    told = found.pop(victim.name)
    assert told["status"] == "unreadable"
    [problem] = told["problems"]
    assert problem["code"] == "report-ends-reader"
    assert problem["message"] == (
        f"{victim} ended the process that read it, twice; the last was ended by signal 11 (SIGSEGV)"
    )
    assert problem["hint"].startswith("Move it elsewhere")
    del whole[victim.name]
    assert found == whole
    assert len(found) > FILES
    assert kept(tmp_path) == []


def test_people_see_the_name(folder: Path, tmp_path: Path) -> None:
    victim = folder / "zz-notes.txt"
    victim.write_text(MARK)
    for verb in ("read", "advise", "demand"):
        done = run(tmp_path, verb, folder, DEADLY_MARK=MARK)
        assert done.returncode == 5, verb
        assert "zz-notes.txt ended the process that read it" in done.stdout + done.stderr, verb


def test_a_member_of_an_archive_that_kills_is_named(folder: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(folder / "zz-many.zip", "a") as archive:
        archive.writestr("deadly.txt", MARK)
    found = reports(run(tmp_path, "read", folder, "--json", DEADLY_MARK=MARK))
    assert found["deadly.txt"]["problems"][0]["code"] == "report-ends-reader"
    assert [name for name, one in found.items() if one["status"] == "unreadable"] == [
        name for name in found if name in ("deadly.txt", "zz-notes.txt")
    ]


@pytest.mark.parametrize("words", [("--format", "parquet"), ("--format", "csv"), ("--format", "json")])
def test_after_a_kill_it_goes_on_and_gives_what_a_serial_run_gives(
    folder: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    serial = run(tmp_path / "serial", "read", folder, "--out", tmp_path / "once", *words, "--json")
    first, second = tmp_path / "first.log", tmp_path / "second.log"
    asked = ("read", folder, "--out", tmp_path / "out", *words, "--json")
    killed = run(tmp_path, *asked, KILLED_AFTER="3", READ_LOG=str(first))
    assert killed.returncode == -signal.SIGKILL
    assert len(kept(tmp_path)) == 3
    again = run(tmp_path, *asked, READ_LOG=str(second))
    assert "goes on from what an earlier command had read" in again.stderr
    assert again.returncode == serial.returncode == 5
    assert again.stdout.replace(str(tmp_path / "out"), str(tmp_path / "once")) == serial.stdout
    assert hashes(tmp_path / "out") == hashes(tmp_path / "once")
    before, after = (log.read_bytes().splitlines() for log in (first, second))
    # Of the first one there is a copy.
    names = [path.name.encode() for path in sorted(folder.iterdir())[1 : 3 * GROUP]]
    assert set(names) <= set(before)
    assert not set(names) & set(after)
    assert after
    assert kept(tmp_path) == []


def test_a_closed_folder_among_many_files_is_named_and_the_rest_are_read(
    folder: Path, tmp_path: Path
) -> None:
    whole = reports(run(tmp_path, "read", folder, "--json"))
    closed = folder / "05-closed"
    closed.mkdir()
    shutil.copyfile(folder / "zz-notes.txt", closed / "never.txt")
    command.forbid(closed)
    done = run(tmp_path, "read", folder, "--json", powerless=True)
    assert done.returncode == 5
    found = reports(done)
    [problem] = found.pop(closed.name)["problems"]
    assert problem["code"] == "report-folder-unopenable"
    assert problem["message"] == f"could not open {closed}, nor see what is in it: permission denied"
    assert done.stderr.count("permission denied") == 1
    assert found == whole
    said = run(tmp_path, "read", folder, powerless=True)
    assert "2 could not be read, one of them a folder of which nothing was seen" in said.stdout
    errors = [line for line in said.stderr.splitlines() if line.startswith("error: ")]
    assert errors[0] == f"error: {problem['message']}"


def test_what_was_changed_since_is_read_again(folder: Path, tmp_path: Path) -> None:
    asked = ("read", folder, "--json")
    run(tmp_path, *asked, KILLED_AFTER="3")
    changed = sorted(folder.iterdir())[5]
    changed.write_bytes(changed.read_bytes() + b"\nanother end\n")
    log = tmp_path / "log"
    found = reports(run(tmp_path, *asked, READ_LOG=str(log)))
    assert found[changed.name]["size_bytes"] == changed.stat().st_size
    assert b"another end" in log.read_bytes().splitlines()


def test_what_is_damaged_or_forged_is_not_believed(folder: Path, tmp_path: Path) -> None:
    asked = ("read", folder, "--json")
    whole = run(tmp_path / "other", *asked)
    run(tmp_path, *asked, KILLED_AFTER="3")
    for number, path in enumerate(kept(tmp_path)):
        content = path.read_bytes()
        path.write_bytes(content[:-1] if number else b"")
    again = run(tmp_path, *asked)
    assert again.stdout == whole.stdout
    assert "goes on" not in again.stderr


def test_advice_and_demand_go_on_as_well(folder: Path, tmp_path: Path) -> None:
    for verb in ("advise", "demand"):
        whole = json.loads(run(tmp_path / verb, verb, folder, "--json").stdout)
        killed = run(tmp_path, verb, folder, "--json", KILLED_AFTER="2")
        assert killed.returncode == -signal.SIGKILL
        again = run(tmp_path, verb, folder, "--json")
        assert "goes on" in again.stderr, verb
        for part in ("verdicts", "findings", "intervals", "peak"):
            assert json.loads(again.stdout)["data"].get(part) == whole["data"].get(part), (verb, part)


def advised(place: Path) -> dict[str, list[tuple[Any, ...]]]:
    """What the views say of the advice that is stored there."""
    names = ("advices", "interval_verdicts", "findings", "changes", "recurring_findings", "evidence_cells")
    with session_of(str(place / "data" / "plimsoll" / "plimsoll.sqlite")) as session:
        found = {name: session.execute(f"SELECT * FROM {name} ORDER BY place").fetchall() for name in names}
    assert len(found["interval_verdicts"]) > GROUP
    # The first column is the run's id.
    return {name: [row[1:] for row in rows] for name, rows in found.items()}


def test_advice_after_a_kill_is_what_reading_one_after_the_other_gives(folder: Path, tmp_path: Path) -> None:
    serial = run(tmp_path / "serial", "advise", folder, "--json", FEW="yes")
    killed = run(tmp_path, "advise", folder, "--json", KILLED_AFTER="2")
    assert killed.returncode == -signal.SIGKILL
    again = run(tmp_path, "advise", folder, "--json")
    assert "goes on" in again.stderr
    assert again.returncode == serial.returncode == 5
    once, resumed = (json.loads(done.stdout) for done in (serial, again))
    assert once["data"].pop("run") != resumed["data"].pop("run")
    assert once == resumed
    assert advised(tmp_path) == advised(tmp_path / "serial")


@pytest.mark.parametrize("verb", ["advise", "demand", "trend"])
def test_what_was_read_is_kept_until_the_result_is_stored(folder: Path, tmp_path: Path, verb: str) -> None:
    killed = run(tmp_path, verb, folder, "--json", KILLED_IN_SAVE="yes")
    assert killed.returncode == -signal.SIGKILL
    assert kept(tmp_path)
    log = tmp_path / "log"
    log.touch()
    again = run(tmp_path, verb, folder, "--json", READ_LOG=str(log))
    assert "goes on from what an earlier command had read" in again.stderr
    assert json.loads(again.stdout)["data"]["run"]
    assert log.read_bytes() == b""
    assert kept(tmp_path) == []


def test_what_was_read_is_kept_until_it_is_printed(folder: Path, tmp_path: Path) -> None:
    with open("/dev/full", "w") as full:
        refused = run(tmp_path, "read", folder, "--json", stdout=full)
    assert refused.returncode == 4
    assert "could not write to standard output" in refused.stderr
    assert kept(tmp_path)
    assert "goes on" in run(tmp_path, "read", folder, "--json").stderr
    assert kept(tmp_path) == []


@pytest.mark.parametrize("verb", ["read", "advise", "demand", "trend"])
@pytest.mark.parametrize("form", ["table", "json"])
def test_what_was_read_is_kept_until_the_last_of_it_is_printed(
    folder: Path, tmp_path: Path, verb: str, form: str
) -> None:
    """A short answer waits in a buffer, and is refused when that is handed on."""
    with open("/dev/full", "w") as full:
        refused = run(tmp_path, verb, folder, "--format", form, stdout=full)
    assert refused.returncode == 4
    assert kept(tmp_path)


@pytest.mark.parametrize(
    "words", [("read", "--keep"), ("advise",), ("demand",), ("trend",)], ids=lambda words: words[0]
)
def test_what_was_read_is_kept_where_the_store_refuses_the_result(
    folder: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    store = tmp_path / "store"
    store.write_text("something else\n" * 100)
    done = run(tmp_path, words[0], folder, *words[1:], "--store", store, "--json")
    assert done.returncode == 5
    assert "not-stored" in [one["code"] for one in json.loads(done.stdout)["warnings"]]
    assert kept(tmp_path)


@pytest.mark.parametrize("verb", ["read", "advise", "demand", "trend"])
def test_what_was_read_is_forgotten_where_its_reader_left(folder: Path, tmp_path: Path, verb: str) -> None:
    """All was done; nobody calls it again."""
    (folder / "zz-notes.txt").unlink()
    reading, writing = os.pipe()
    os.close(reading)
    try:
        left = run(tmp_path, verb, folder, stdout=writing)
    finally:
        os.close(writing)
    assert left.returncode in (141, 5)
    assert kept(tmp_path) == []


@pytest.mark.parametrize("verb", ["read", "advise", "demand", "trend"])
def test_ctrl_c_keeps_what_was_read_and_says_how_to_go_on(folder: Path, tmp_path: Path, verb: str) -> None:
    whole = json.loads(run(tmp_path / "whole", verb, folder, "--json").stdout)["data"]
    ended = run(tmp_path, verb, folder, "--json", ASKED_AFTER="2")
    assert ended.returncode == 130
    assert "what was read is kept: the same command goes on from there" in ended.stderr
    assert len(kept(tmp_path)) >= 2
    again = run(tmp_path, verb, folder, "--json")
    assert "goes on from what an earlier command had read" in again.stderr
    data = json.loads(again.stdout)["data"]
    assert {**data, "run": None} == {**whole, "run": None}
    assert kept(tmp_path) == []


def test_how_many_files_were_not_reached_is_said(folder: Path, tmp_path: Path) -> None:
    ended = run(tmp_path, "read", folder, "--json", ASKED_AFTER="2")
    data = json.loads(ended.stdout)["data"]
    files = {Path(one["file"]).name for one in data["reports"]}
    left = len(list(folder.iterdir())) - len(files)
    assert data["interrupted"] is True
    # Of the archive, not all members may have been reached.
    assert data["unreached"] in (left, left + 1)
    assert data["unreached"] > 0
    assert f"ended before {data['unreached']} files were read, or all that is in them" in ended.stderr
    said = run(tmp_path, "read", folder, ASKED_AFTER="1")
    assert said.returncode == 130
    assert "; interrupted " in said.stdout.splitlines()[-1]


@pytest.mark.parametrize("verb", ["advise", "demand", "trend"])
def test_other_verbs_say_it_in_their_document_too(verb: str, folder: Path, tmp_path: Path) -> None:
    ended = run(tmp_path, verb, folder, "--json", ASKED_AFTER="2")
    told = json.loads(ended.stdout)
    assert ended.returncode == 130
    left = told["data"]["unreached"]
    assert left > 0
    assert f"ended before {left} files were read, or all that is in them" in ended.stderr
    assert [one["message"] for one in told["warnings"] if one["code"] == "files-unreached"] == [
        f"{left} files were not read, or not all that is in them, as it was ended before"
    ]


def test_where_nothing_can_be_kept_it_is_said_and_all_is_read(folder: Path, tmp_path: Path) -> None:
    place = tmp_path / "state" / "plimsoll"
    place.mkdir(parents=True)
    (place / "read-in-part").write_text("somebody's")
    done = run(tmp_path, "read", folder, "--json")
    assert "what is read is not kept, and would be read again after a kill" in done.stderr
    assert len(reports(done)) > FILES
    assert (place / "read-in-part").read_text() == "somebody's"
