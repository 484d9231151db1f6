"""The store in a file: where it lies, what it costs, and what it says when the world fails."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from multiprocessing.queues import SimpleQueue
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest

import facts_runs
from plimsoll.base import limits
from plimsoll.base.errors import UsageError, WorldError
from plimsoll.store import SqlStore, open_store
from plimsoll.store._sidecars import why_not_ours
from plimsoll.store.schema import view_selects
from plimsoll.store.sqlite import SqliteDatabase
from without_root import without_roots_rights

MAKERS = 4


@pytest.fixture
def public(tmp_path: Path) -> Path:
    """A folder that everybody may enter, also from outside the folders of the test session."""
    for folder in (tmp_path, *tmp_path.parents):
        if os.geteuid() == 0 and (folder == tmp_path or folder.name.startswith(("pytest-", "popen-"))):
            folder.chmod(0o755)
    return tmp_path


def _refusal(location: Path) -> WorldError:
    with pytest.raises(WorldError) as refused:
        open_store(str(location)).save(facts_runs.io_run().model_copy(update={"id": "refused"}))
    assert refused.value.hint
    assert str(location) in refused.value.message
    return refused.value


def test_the_location_is_the_argument_then_the_setting_then_the_data_folder(tmp_path: Path) -> None:
    environment = {"PLIMSOLL_STORE": str(tmp_path / "set.sqlite")}
    assert open_store(str(tmp_path / "x.sqlite"), environment).display == f"the store {tmp_path}/x.sqlite"
    assert open_store(None, environment).display == f"the store {tmp_path}/set.sqlite"
    assert open_store(None, {}).display == f"the store {os.environ['XDG_DATA_HOME']}/plimsoll/plimsoll.sqlite"
    assert open_store(f"sqlite:///{tmp_path}/y.sqlite").display == f"the store /{tmp_path}/y.sqlite"


def test_a_url_of_another_kind_is_refused() -> None:
    with pytest.raises(UsageError, match="cannot keep runs at a 'mysql://' location") as refused:
        open_store("mysql://host/name")
    assert refused.value.id == "store-location"


@pytest.mark.parametrize(
    "place", ["system/hunter2", "sys/hunter2 as sysdba", "me/hunter2@db", "new/runs/of/today"]
)
def test_what_looks_like_a_login_is_refused(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of that name would show the password to all who can list the folder."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        UsageError, match=r"cannot keep runs at '\w+/\*\*\*.*': it looks like a login"
    ) as refused:
        open_store(place)
    assert "hunter2" not in f"{refused.value.message} {refused.value.hint}"
    assert open_store(f"./{place}").display == f"the store {tmp_path}/{place}"


@pytest.mark.parametrize(
    "place", ["runs", "runs.db", "new/runs.db", "new/runs.sqlite", "here/runs", "here/new/runs", "a:b"]
)
def test_a_path_without_a_sign_of_a_login_is_a_file(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here").mkdir()
    assert open_store(place).display == f"the store {tmp_path}/{place}"


def test_it_is_one_file_in_wal_mode_once_it_was_closed(tmp_path: Path) -> None:
    location = tmp_path / "a" / "b" / "store.sqlite"
    open_store(str(location)).save(facts_runs.io_run())
    assert [entry.name for entry in location.parent.iterdir()] == ["store.sqlite"]
    with closing(sqlite3.connect(location)) as file:
        assert file.execute("PRAGMA journal_mode").fetchone() == ("wal",)


class _Defensive(sqlite3.Connection):
    """A SQLite that was compiled to guard its schema."""

    def executemany(self, *_: object) -> sqlite3.Cursor:
        raise sqlite3.OperationalError("table sqlite_master may not be modified")


@pytest.mark.parametrize("kind", [sqlite3.Connection, _Defensive])
def test_a_new_store_holds_its_views_as_statements_of_sql_make_them(
    tmp_path: Path, kind: type[sqlite3.Connection]
) -> None:
    with closing(sqlite3.connect(tmp_path / "made.sqlite", factory=kind)) as made:
        SqliteDatabase(tmp_path / "made.sqlite").make_views(made, view_selects("sqlite"))
        made.commit()
        ((guarded,),) = made.execute("PRAGMA writable_schema").fetchall()
        assert guarded == 0
    with closing(sqlite3.connect(":memory:")) as stated:
        for name, select in view_selects("sqlite").items():
            stated.execute(f"CREATE VIEW {name} AS {select}")
        views = stated.execute("SELECT * FROM sqlite_master").fetchall()
    with closing(sqlite3.connect(tmp_path / "made.sqlite")) as made:
        assert made.execute("SELECT * FROM sqlite_master").fetchall() == views
        assert made.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_a_connection_from_before_a_store_was_made_sees_its_views(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    with closing(sqlite3.connect(path)) as early:
        assert early.execute("SELECT name FROM sqlite_master").fetchall() == []
        open_store(str(path)).save(facts_runs.line_run())
        assert early.execute("SELECT count(*) FROM trials").fetchone()[0] > 0


def test_every_commit_is_forced_to_the_disk(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "store.sqlite")).database.connect() as connection:
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,), "2 is FULL"
        assert connection.execute("PRAGMA foreign_keys").fetchone() == (1,)


def test_using_it_fifty_times_leaves_no_descriptor_open(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "store.sqlite"))
    store.save(facts_runs.io_run())
    before = os.listdir("/proc/self/fd")
    for _ in range(50):
        store.summaries()
        store.load("latest")
    assert os.listdir("/proc/self/fd") == before


def test_saving_imports_nothing_heavy(tmp_path: Path) -> None:
    """`plimsoll io` is compared with fio by the CPU time of the whole process."""
    location = tmp_path / "store.sqlite"
    open_store(str(location)).save(facts_runs.io_run().model_copy(update={"id": "first"}))
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); import facts_runs; from plimsoll.store import open_store\n"
        "open_store(sys.argv[2]).save(facts_runs.io_run()); open_store(sys.argv[2]).summaries()\n"
        "print(sorted({'psycopg', 'polars', 'pyarrow'} & set(sys.modules)))"
    )
    command = [sys.executable, "-c", program, str(Path(__file__).parents[2]), str(location)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "[]\n"


def test_a_file_of_something_else_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    location = tmp_path / "letter.txt"
    location.write_text("Dear customer,\n" * 400)
    refused = _refusal(location)
    assert refused.id == "store-foreign"
    assert location.read_text() == "Dear customer,\n" * 400


def test_a_damaged_store_is_named_as_such(tmp_path: Path) -> None:
    location = tmp_path / "store.sqlite"
    open_store(str(location)).save(facts_runs.demo_run())
    size = location.stat().st_size
    with location.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (size - 4096))
    assert _refusal(location).id == "store-damaged"


def test_a_folder_in_place_of_the_file_is_named(tmp_path: Path) -> None:
    refused = _refusal(tmp_path)
    assert refused.id == "store-unopenable"
    assert "it is a folder" in refused.message


def test_a_file_in_place_of_a_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(WorldError, match="could not make the folder") as refused:
        open_store(str(tmp_path / "file" / "store.sqlite")).save(facts_runs.io_run())
    assert refused.value.id == "store-unopenable"


def test_a_folder_without_permission_is_named(public: Path) -> None:
    folder = public / "closed"
    folder.mkdir(mode=0o555)
    with without_roots_rights():
        refused = _refusal(folder / "store.sqlite")
    assert refused.id == "store-unopenable"
    assert "permission denied" in refused.message


@pytest.fixture(params=["remounted", "after an error"])
def closed_mount(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A file system with a store on it that takes no more writes: its flags say so, or they do not."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount file systems")
    if shutil.which("mkfs.ext4") is None:
        pytest.skip("no file system can be made here: mkfs.ext4 is missing (package e2fsprogs)")
    place, image = tmp_path / "mount", tmp_path / "image"
    place.mkdir()
    image.write_bytes(bytes(16 << 20))
    made = subprocess.run(["mkfs.ext4", "-q", "-F", image], check=False)
    mounted = (
        made.returncode
        or subprocess.run(["mount", "-o", "loop,errors=remount-ro", image, place], check=False).returncode
    )
    if mounted:
        pytest.skip("nothing can be mounted here")
    try:
        open_store(str(place / "store.sqlite")).save(facts_runs.line_run())
        if request.param == "remounted":
            subprocess.run(["mount", "-o", "remount,ro", place], check=True)
        else:
            _find_an_error(place)
        yield place
    finally:
        subprocess.run(["umount", place], check=True)


def _find_an_error(place: Path) -> None:
    source = subprocess.run(["findmnt", "-no", "SOURCE", place], capture_output=True, text=True, check=True)
    trigger = Path("/sys/fs/ext4") / Path(source.stdout.strip()).name / "trigger_fs_error"
    if not trigger.exists():
        pytest.skip("this kernel cannot be told that a file system has an error")
    trigger.write_text("1")


def test_a_file_system_that_takes_no_more_writes_is_named(closed_mount: Path) -> None:
    for name in ("store.sqlite", "new.sqlite"):
        refused = _refusal(closed_mount / name)
        assert refused.id in ("store-read-only", "store-unopenable")
        assert "its file system is read-only" in refused.message
    assert open_store(str(closed_mount / "store.sqlite")).load("latest") == facts_runs.line_run()


def test_a_store_in_a_closed_folder_can_be_read_but_not_written(public: Path) -> None:
    location = public / "archive" / "store.sqlite"
    open_store(str(location)).save(facts_runs.line_run())
    location.chmod(0o444)
    location.parent.chmod(0o555)
    try:
        with without_roots_rights():
            store = open_store(str(location))
            assert store.load("latest") == facts_runs.line_run()
            assert len(store.summaries()) == 1
            refused = _refusal(location)
            assert (refused.id, "permission denied" in refused.message) == ("store-read-only", True)
    finally:
        location.parent.chmod(0o755)


def test_a_store_held_by_another_program_is_waited_for_and_then_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    location = tmp_path / "store.sqlite"
    open_store(str(location)).save(facts_runs.io_run().model_copy(update={"id": "first"}))
    monkeypatch.setattr(limits, "STORE_BUSY_S", 0.2)
    with closing(sqlite3.connect(location, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        refused = _refusal(location)
        assert refused.id == "store-locked"
        assert "0.2 s" in refused.message
        assert [summary.id for summary in open_store(str(location)).summaries()] == ["first"], "readers go on"
        other.execute("ROLLBACK")
    open_store(str(location)).save(facts_runs.io_run())


def test_processes_that_make_a_store_together_wait_for_each_other(tmp_path: Path) -> None:
    """Each process opens every new store at the same moment as the others, often enough that some of them meet."""
    locations = [tmp_path / f"{number}.sqlite" for number in range(100)]
    together = multiprocessing.get_context("fork")
    start, failures = together.Barrier(MAKERS), together.SimpleQueue()
    makers = [together.Process(target=_make_stores, args=(start, locations, failures)) for _ in range(MAKERS)]
    for maker in makers:
        maker.start()
    for maker in makers:
        maker.join(60)
        maker.kill()
    assert [failures.get() for _ in makers if not failures.empty()] == [[]] * MAKERS


def test_a_journal_that_goes_while_it_is_looked_at_names_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process ends its transaction at this very moment."""
    (tmp_path / "store.sqlite-journal").write_bytes(bytes(512))
    state = (tmp_path / "store.sqlite-journal").lstat()
    (tmp_path / "store.sqlite-journal").unlink()
    monkeypatch.setattr(Path, "lstat", lambda self: state)
    assert why_not_ours(tmp_path / "store.sqlite", None) is None


def _make_stores(start: Barrier, locations: list[Path], failures: SimpleQueue[list[str]]) -> None:
    refusals = []
    for location in locations:
        start.wait()
        try:
            with SqliteDatabase(location).connect() as connection:
                assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        except Exception as error:  # noqa: BLE001 - whoever dies leaves the others waiting
            refusals.append(repr(error))
    failures.put(refusals)


def test_a_full_disk_is_named_and_keeps_what_was_stored(tmp_path: Path) -> None:
    """A file may not grow beyond a limit here: to SQLite that is what a full disk is, a write that falls short."""
    location = tmp_path / "store.sqlite"
    store = open_store(str(location))
    store.save(facts_runs.io_run().model_copy(update={"id": "first"}))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))
    try:
        refused = _refusal(location)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert refused.id in ("store-full", "store-io")
    assert [summary.id for summary in store.summaries()] == ["first"]
    store.save(facts_runs.io_run())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a small file system to fill")
def test_a_file_system_without_space_is_named(tmp_path: Path) -> None:
    mount = ["mount", "-t", "tmpfs", "-o", "size=512k,mode=700", "plimsoll-test", str(tmp_path)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("mounting is not allowed here")
    try:
        store, kept = open_store(str(tmp_path / "store.sqlite")), []
        with pytest.raises(WorldError, match="no space is left") as refused:
            _fill(store, kept)
        assert refused.value.id == "store-full"
        assert {summary.id for summary in store.summaries()} == set(kept)
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a small file system to fill")
def test_a_file_system_without_space_for_a_log_is_named(tmp_path: Path) -> None:
    """SQLite has no room for the index of its log, and says that the disk has errors."""
    mount = ["mount", "-t", "tmpfs", "-o", "size=800k,mode=700", "plimsoll-test", str(tmp_path)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("mounting is not allowed here")
    try:
        with SqliteDatabase(tmp_path / "store.sqlite").connect():
            assert (tmp_path / "store.sqlite").exists()
        store = open_store(str(tmp_path / "store.sqlite"))
        with contextlib.suppress(OSError), (tmp_path / "rival").open("wb", buffering=0) as rival:
            while True:
                rival.write(bytes(4096))
        for use in (store.summaries, lambda: store.save(facts_runs.demo_run())):
            with pytest.raises(WorldError, match="no space is left") as refused:
                use()
            assert refused.value.id == "store-full"
            assert "Free some space" in (refused.value.hint or "")
        (tmp_path / "rival").unlink()
        assert store.summaries() == []
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)


def _fill(store: SqlStore, kept: list[str]) -> None:
    """Saves until the store refuses, far from ever filling a real disk."""
    run = facts_runs.demo_run()
    for number in range(100):
        store.save(run.model_copy(update={"id": f"run-{number}"}))
        kept.append(f"run-{number}")


def test_while_it_is_kept_open_it_is_opened_once_and_sees_what_others_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[SqliteDatabase] = []
    own_open = SqliteDatabase._open

    def counted(database: SqliteDatabase) -> sqlite3.Connection:
        opened.append(database)
        return own_open(database)

    monkeypatch.setattr(SqliteDatabase, "_open", counted)
    place = tmp_path / "s.sqlite"
    store, other = open_store(str(place)), open_store(str(place))
    with store.kept_open():
        assert not place.exists(), "to look at a store makes none"
        store.save(facts_runs.io_run())
    own = len([one for one in opened if one is store.database])
    with store.kept_open(), store.kept_open():
        other.save(facts_runs.io_run().model_copy(update={"id": "another"}))
        assert {one.id for one in store.summaries()} == {facts_runs.io_run().id, "another"}
        assert store.load("another").id == "another"
    assert len([one for one in opened if one is store.database]) == own + 1
    assert [one.name for one in tmp_path.iterdir()] == ["s.sqlite"], "nothing stays open"
