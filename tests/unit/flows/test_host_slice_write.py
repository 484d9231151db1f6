"""`plimsoll host slice write`: a folder that is whole or not there, in nobody's place, with what a reader must know."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import command
import plimsoll
from plimsoll.base.errors import UsageError
from plimsoll.facts import SlicePlan
from plimsoll.ports.folders import Folder
from sliced_hosts import DISK, books, database, pages, plan, rates, shop

TOML = """
[[slice]]
name = "db1"
cores = 1
memory = "64m"
"""
NUMACTL = """available: 1 nodes (0)
node 0 cpus: 0 1
node 0 size: 4096 MB
node 0 free: 41 MB
node distances:
node   0
  0:  10
"""


@pytest.fixture
def made(tmp_path: Path) -> str:
    return _made(tmp_path, plan())


def _made(tmp_path: Path, found: SlicePlan) -> str:
    path = tmp_path / "plan.json"
    path.write_text(json.dumps({"kind": "host-slice-plan", "data": found.model_dump(mode="json")}))
    return str(path)


def _write(made: str, out: Path, *words: str) -> tuple[int, str, str]:
    done = command.here("host", "slice", "write", made, "--out", str(out), *words)
    return done.returncode, done.stdout, done.stderr


def _error(told: str) -> str:
    return " ".join(told.split()).partition("error: ")[2]


def test_every_kind_has_a_folder_of_its_own_and_programs_can_be_run(tmp_path: Path, made: str) -> None:
    out = tmp_path / "new" / "slices"
    status, said, _ = _write(made, out)
    assert status == 0
    kinds = {"cgroup-v1", "cgroup-v2", "huge-pages", "oracle", "postgresql", "systemd"}
    assert {path.name for path in out.iterdir()} == kinds
    for path in (one for one in out.rglob("*") if one.is_file()):
        assert os.access(path, os.X_OK) == (path.suffix == ".sh"), path
        assert str(path.relative_to(out)) in said
    assert [path.name for path in tmp_path.glob("new/.*")] == []


def test_postgres_programs_that_nothing_is_counted_with_are_refused(tmp_path: Path) -> None:
    made = _made(tmp_path, plan(books()))
    words = ("--postgres", "/usr/lib/postgresql/17/bin", "--json")
    status, said, _ = _write(made, tmp_path / "slices", *words)
    found = json.loads(said)["data"]
    assert (status, found["id"], (tmp_path / "slices").exists()) == (2, "slices-postgres-unused", False)
    assert found["message"].startswith("--postgres counts huge pages of PostgreSQL, and no slice")


def test_root_writes_no_files_that_it_runs_below_a_folder_of_somebody_else(
    tmp_path: Path, made: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir(mode=0o777)
    theirs.chmod(0o777)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    status, said, _ = _write(made, theirs / "new" / "slices", "--json")
    found = json.loads(said)["data"]
    assert (status, found["id"], list(theirs.iterdir())) == (3, "slices-folder-foreign", [])
    assert "and somebody else could change them: " in found["message"]


def test_json_names_each_file_with_its_kind(tmp_path: Path, made: str) -> None:
    out = tmp_path / "slices"
    document = json.loads(_write(made, out, "--only", "postgresql,systemd", "--json")[1])
    data = document["data"]
    assert (document["kind"], data["folder"]) == ("host-slice-write", str(out))
    assert {one["kind"] for one in data["files"]} == {"postgresql", "systemd"}
    assert all((out / one["path"]).is_file() for one in data["files"])
    assert len(data["files"]) == sum(path.is_file() for path in out.rglob("*"))


def test_a_stored_plan_is_written_by_its_run_and_in_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("slices.toml").write_text(TOML)
    Path("numactl.txt").write_text(NUMACTL)
    planned = plimsoll.host_slice_plan("slices.toml", from_="numactl.txt", store="runs.sqlite")
    written = plimsoll.host_slice_write(planned.run.id, out="slices", only=["cgroup-v2"], store="runs.sqlite")
    assert [str(one) for one in written.files] == ["slices/cgroup-v2/make.sh", "slices/cgroup-v2/remove.sh"]
    assert "/cpuset.cpus 0\n" in written.files[0].read_text()
    assert [note.code for note in written.notes] == ["slices-database-unknown"]


@pytest.mark.parametrize("place", ["/etc/systemd/system/plimsoll-test", "/usr/lib/plimsoll-test", "/etc"])
def test_nothing_is_written_into_a_folder_of_the_system(tmp_path: Path, made: str, place: str) -> None:
    link = tmp_path / "link"
    link.symlink_to(place)
    for out in (Path(place), link):
        status, _, told = _write(made, out)
        assert status == 3
        assert _error(told).startswith(f"{out} is a folder of the system, into which nothing is written")
    assert not Path("/etc/systemd/system/plimsoll-test").exists()
    document = json.loads(_write(made, Path(place), "--json")[1])
    assert document["data"]["id"] == "slices-folder-system"


def test_what_is_there_is_never_overwritten(tmp_path: Path, made: str) -> None:
    kept = tmp_path / "slices" / "systemd" / "STEPS.txt"
    kept.parent.mkdir(parents=True)
    kept.write_text("mine\n")
    file = tmp_path / "file"
    file.write_text("mine too\n")
    for out in (tmp_path / "slices", file):
        status, _, told = _write(made, out, "--json")
        assert status == 2
        assert json.loads(_write(made, out, "--json")[1])["data"]["id"] == "slices-folder-taken"
        assert f"{out} is there already hint: Name a new folder" in _error(told)
    assert (kept.read_text(), file.read_text()) == ("mine\n", "mine too\n")
    assert len(list((tmp_path / "slices").rglob("*"))) == 2


def test_an_empty_folder_is_left_as_it_is(tmp_path: Path, made: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its owner, its mode and whoever works in it know that folder, and no other."""
    out = tmp_path / "slices"
    out.mkdir(mode=0o700)
    monkeypatch.chdir(out)
    before = out.stat()
    for name in (out, Path(".")):
        status, told, _ = _write(made, name, "--json")
        assert (status, json.loads(told)["data"]["id"]) == (2, "slices-folder-taken")
    assert (out.stat().st_ino, out.stat().st_mode) == (before.st_ino, before.st_mode)
    assert list(out.iterdir()) == []


@pytest.mark.parametrize("name", ["n" * 300, "file/slices"])
def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path, made: str, name: str) -> None:
    (tmp_path / "file").write_text("mine\n")
    status, told, _ = _write(made, tmp_path / name, "--json")
    assert (status, json.loads(told)["data"]["id"]) == (4, "out-refused")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "plan.json"]


def test_a_write_that_fails_leaves_no_part_of_the_folder(
    tmp_path: Path, made: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = Folder.new_file

    def full(self: Folder, name: str, mode: int = 0o666) -> object:
        if name == "STEPS.txt":
            raise OSError(28, "No space left on device")
        return found(self, name, mode)

    monkeypatch.setattr(Folder, "new_file", full)
    status, _, told = _write(made, tmp_path / "slices")
    assert status == 4
    assert "could not write" in _error(told)
    assert "no space left on device" in _error(told)
    assert [path.name for path in tmp_path.iterdir()] == ["plan.json"]


def test_a_folder_that_somebody_fills_meanwhile_stays_theirs(
    tmp_path: Path, made: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "slices"
    found = Folder.move

    def late(self: Folder, name: str, to: Folder, new_name: str) -> None:
        out.mkdir()
        (out / "mine").write_text("mine\n")
        found(self, name, to, new_name)

    monkeypatch.setattr(Folder, "move", late)
    status, _, _ = _write(made, out)
    assert status == 4
    assert [path.name for path in out.iterdir()] == ["mine"]


@pytest.mark.parametrize(
    ("words", "id", "said"),
    [
        (["--only", "upstart"], "output-unknown", "no output is called 'upstart'"),
        (["--only", "oracle"], "slices-nothing-written", "the plan has no use for any file of these kinds"),
    ],
)
def test_kinds_that_cannot_be_written(tmp_path: Path, words: list[str], id: str, said: str) -> None:
    made = _made(tmp_path, plan(shop()))
    status, told, error = _write(made, tmp_path / "slices", *words, "--json")
    assert (status, json.loads(told)["data"]["id"]) == (2, id)
    assert said in _error(error)
    assert not (tmp_path / "slices").exists()


@pytest.mark.parametrize(
    ("text", "id"),
    [
        ("{}", "plan-unreadable"),
        ("{", "plan-unreadable"),
        ('{"data": {"slices": [{"name": 1}], "answer": "planned"}}', "plan-unreadable"),
        ('{"data": {"slices": [], "answer": "refused", "reason": "r", "memory_free_share": 0}}', "slices-not-planned"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_plan_is_told(tmp_path: Path, text: str, id: str) -> None:
    path = tmp_path / "plan.json"
    path.write_text(text)
    status, told, _ = _write(str(path), tmp_path / "slices", "--json")
    assert (status, json.loads(told)["data"]["id"]) == (2, id)


def test_a_run_that_is_no_plan_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("numactl.txt").write_text(NUMACTL)
    shown = plimsoll.host_show(from_="numactl.txt", store="runs.sqlite")
    with pytest.raises(UsageError, match="is not a plan of slices") as caught:
        plimsoll.host_slice_write(shown.run.id, out="slices", store="runs.sqlite")
    assert caught.value.id == "plan-missing"


def test_latest_is_the_newest_plan_whatever_was_measured_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("slices.toml").write_text(TOML)
    Path("numactl.txt").write_text(NUMACTL)
    plimsoll.host_show(from_="numactl.txt", store="runs.sqlite")
    with pytest.raises(UsageError, match="no plan of slices is stored") as caught:
        plimsoll.host_slice_write("latest", out="slices", store="runs.sqlite")
    assert caught.value.id == "plan-missing"
    plimsoll.host_slice_plan("slices.toml", from_="numactl.txt", store="runs.sqlite")
    Path("slices.toml").write_text(TOML.replace("db1", "db2"))
    plimsoll.host_slice_plan("slices.toml", from_="numactl.txt", store="runs.sqlite")
    plimsoll.host_show(from_="numactl.txt", store="runs.sqlite")
    plimsoll.host_slice_write("latest", out="slices", only=["cgroup-v2"], store="runs.sqlite")
    assert "make plimsoll-db2\n" in Path("slices/cgroup-v2/make.sh").read_text()


def test_a_plan_that_somebody_changed_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    """Its words stand in programs that root runs."""
    made = _made(tmp_path, plan(shop(account="x; touch /tmp/pwn #")))
    status, told, error = _write(made, tmp_path / "slices", "--json")
    assert (status, json.loads(told)["data"]["id"]) == (2, "plan-unreadable")
    assert "slice 'shop', account: 'x; touch /tmp/pwn #' is not the name of an account" in _error(error)
    assert not (tmp_path / "slices").exists()


def test_a_plan_with_a_number_beyond_all_is_refused(tmp_path: Path) -> None:
    path = Path(_made(tmp_path, plan()))
    path.write_text(path.read_text().replace('"iops": 400.5', '"iops": 1e400'))
    status, told, _ = _write(str(path), tmp_path / "slices", "--json")
    assert (status, json.loads(told)["data"]["id"]) == (2, "plan-unreadable")


def _notes(tmp_path: Path, found: SlicePlan, *words: str) -> dict[str, str]:
    told = _write(_made(tmp_path, found), tmp_path / "slices", *words, "--json")[1]
    return {one["code"]: one["message"] for one in json.loads(told)["warnings"]}


def test_notes_tell_what_the_files_cannot_do(tmp_path: Path) -> None:
    notes = _notes(tmp_path, plan())
    assert set(notes) == {"slices-capped", "slices-soft-partitioning"}
    assert notes["slices-soft-partitioning"].endswith("soft partitioning for Oracle, and save no licence")


def test_a_disk_without_a_name_that_stays_is_told(tmp_path: Path) -> None:
    disk = shop().devices[0].but(stable=None)
    found = plan(shop(devices=(disk,)), database("bare", (6,), iops=5.0), free=())
    notes = _notes(tmp_path, found, "--only", "systemd,oracle")
    assert notes["slices-disk-renumbered"] == (
        "shop: the files name /dev/nvme0n1, which may be another disk after a boot: no name of it is known that stays"
    )
    assert (
        "IOReadIOPSMax=/dev/nvme0n1 401"
        in (tmp_path / "slices/systemd/system/plimsoll_shop.slice").read_text()
    )
    assert notes["slices-not-capped"] == "bare: it names no disks, so that nothing caps it"
    assert notes["slices-database-unknown"].startswith("bare: its kind of database is not stated")
    assert "housekeeping_cores" in notes["slices-not-exclusive"]
    assert notes["slices-kind-unused"] == "the plan has no use for files of the kind oracle"


def test_what_a_share_of_a_disks_rates_leaves_is_told_where_files_have_it(tmp_path: Path) -> None:
    found = plan(books(), disks=(rates(rate_share=0.6),))
    said = _notes(tmp_path, found, "--only", "systemd")["slices-rate-share"]
    assert said.startswith(f"{DISK}: control groups of version 2 together are held to 57 % of its rates")
    for folder, one, kind in (("a", found, "cgroup-v1"), ("b", plan(books(), disks=(rates(),)), "cgroup-v2")):
        (tmp_path / folder).mkdir()
        assert "slices-rate-share" not in _notes(tmp_path / folder, one, "--only", kind)


def test_a_disk_that_is_shared_and_has_no_name_that_stays_is_told_without_any_cap(tmp_path: Path) -> None:
    notes = _notes(tmp_path, plan(books(), disks=(rates(stable=None),)), "--only", "systemd")
    assert notes["slices-disk-renumbered"].startswith("[[disk]]: the files name /dev/nvme0n1, which may be")


def test_a_postgresql_without_huge_pages_and_what_was_wrong_with_the_plan_are_told(tmp_path: Path) -> None:
    finding = {"code": "slice-memory-far", "slice": "shop", "message": "it is far"}
    bare = shop(memory=(pages(0, 1 << 30, 0),), huge_page_bytes=None)
    found = plan(bare, books()).model_dump(mode="json")
    notes = _notes(tmp_path, SlicePlan.model_validate({**found, "findings": [finding]}))
    assert "shop: it asks for no huge pages" in notes["slices-no-huge-pages"]
    assert notes["slice-memory-far"] == "shop: it is far"
