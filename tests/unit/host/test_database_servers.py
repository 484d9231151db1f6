"""Database servers in made-up trees of /proc, and on which devices of a made-up sysfs their files lie."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from made_host import Host
from plimsoll.host import in_use
from plimsoll.host.database_servers import DatabaseServer, Place, database_servers
from plimsoll.host.in_use import databases_beneath


class Processes:
    """A made-up /proc."""

    def __init__(self, proc: Path) -> None:
        self.proc = proc
        (proc / "self").mkdir(parents=True, exist_ok=True)
        (proc / "self" / "mountinfo").write_text("")

    def add(
        self, number: int, program: str, parent: int = 1, words: tuple[str, ...] = (), state: str = "S"
    ) -> Path:
        home = self.proc / str(number)
        (home / "fd").mkdir(parents=True)
        (home / "fdinfo").mkdir()
        (home / "comm").write_text(f"{program}\n")
        (home / "stat").write_text(f"{number} ({program}) {state} {parent} {parent} 0\n")
        (home / "cmdline").write_text("\0".join(words))
        return home

    def opens(self, home: Path, number: int, file: Path, flags: int) -> None:
        (home / "fd" / str(number)).symlink_to(file)
        (home / "fdinfo" / str(number)).write_text(f"pos:\t0\nflags:\t0{flags:o}\nmnt_id:\t29\n")


@pytest.fixture
def processes(tmp_path: Path) -> Processes:
    return Processes(tmp_path / "proc")


def test_a_server_is_one_with_all_its_processes(processes: Processes, tmp_path: Path) -> None:
    data = tmp_path / "pg"
    data.mkdir()
    processes.add(7, "bash")
    processes.add(40, "postgres", 7, ("/usr/bin/postgres", "-D", str(data), "-c", "port=5433"))
    processes.add(41, "postgres", 40)
    processes.add(42, "postgres", 40)
    processes.add(90, "mariadbd", 1, ("mariadbd", f"--datadir={data}"))
    processes.add(99, "postgres", 40, state="Z")
    found = database_servers(processes.proc)
    assert [(one.kind, one.process, one.data_folder) for one in found] == [
        ("postgresql", 40, str(data)),
        ("mariadb", 90, str(data)),
    ]
    assert found[0].words == f"postgresql (postgres, process 40, data in {data})"
    assert {place.number for place in found[0].places} == {data.stat().st_dev}


def test_instances_are_told_apart_by_more_letters_than_the_kernel_keeps(processes: Processes) -> None:
    for number, instance in ((51, "ORCLCDB1"), (52, "ORCLCDB2"), (53, "ORCLCDB2")):
        role = "lgwr" if number == 53 else "pmon"
        processes.add(number, f"ora_{role}_{instance}"[:15], words=(f"ora_{role}_{instance}", ""))
    processes.add(54, "ora_pmon_SECRETS"[:15])
    assert [one.program for one in database_servers(processes.proc)] == [
        "ora_pmon_ORCLCDB1",
        "ora_pmon_ORCLCDB2",
        "ora_pmon_SECRET",
    ]


def test_an_oracle_instance_is_named_by_its_monitor(processes: Processes, tmp_path: Path) -> None:
    file = tmp_path / "system01.dbf"
    file.touch()
    for number, program in (
        (50, "ora_dbw0_ORCL"),
        (51, "ora_pmon_ORCL"),
        (52, "ora_pmon_TEST"),
        (53, "ora_j000_ORCL"),
    ):
        home = processes.add(number, program)
        if program == "ora_dbw0_ORCL":
            processes.opens(home, 256, file, os.O_RDWR)
    found = {one.process: one for one in database_servers(processes.proc)}
    assert set(found) == {51, 52}
    assert found[51].program == "ora_pmon_ORCL"
    assert [place.name for place in found[51].places] == [str(file)]
    assert found[52].places == ()


def test_logs_and_what_is_only_read_say_nothing(processes: Processes, tmp_path: Path) -> None:
    file = tmp_path / "some"
    file.touch()
    home = processes.add(60, "ora_dbw0_ORCL")
    processes.opens(home, 2, file, os.O_WRONLY | os.O_APPEND)
    processes.opens(home, 3, file, os.O_RDONLY)
    assert database_servers(processes.proc)[0].places == ()
    processes.opens(home, 4, file, os.O_RDWR)
    assert len(database_servers(processes.proc)[0].places) == 1


def test_a_server_that_ends_while_it_is_looked_at_is_none(
    processes: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    processes.add(70, "ora_pmon_LEFT")
    processes.add(71, "ora_pmon_ENDS")

    def open_places(process: Path) -> list[Place]:
        if process.name == "71":
            shutil.rmtree(process)
        return []

    monkeypatch.setattr("plimsoll.host.database_servers._open_places", open_places)
    assert [one.process for one in database_servers(processes.proc)] == [70]


def test_what_plimsoll_started_is_known_by_its_folder() -> None:
    def server(folder: str | None) -> DatabaseServer:
        return DatabaseServer("postgresql", "postgres", 1, folder, (), "")

    assert server("/var/tmp/plimsoll-postgres-0123456789abcdef/data").is_ours
    assert not server("/var/lib/plimsoll-postgres/data").is_ours
    assert not server(None).is_ours


@pytest.fixture
def host(tmp_path: Path) -> Host:
    made = Host(tmp_path / "host")
    made.device("sda", (8, 0))
    made.device("sda/sda1", (8, 1))
    made.device("sda/sda2", (8, 2))
    made.device("sdb", (8, 16))
    upper = made.device("dm-0", (253, 0), dm__name="vg-data")
    (upper / "slaves").mkdir()
    (upper / "slaves" / "sda2").symlink_to(made.sysfs / "devices" / "sda" / "sda2")
    return made


@pytest.mark.parametrize(
    ("target", "database", "common"),
    [
        ((8, 16), (8, 1), ()),
        ((8, 1), (8, 1), ("sda", "sda1")),
        ((8, 2), (8, 1), ("sda",)),
        ((8, 0), (8, 1), ("sda",)),
        ((8, 1), (253, 0), ("sda",)),
        ((253, 0), (8, 2), ("sda", "sda2")),
        ((253, 0), (8, 16), ()),
    ],
)
def test_what_stands_on_one_disk_is_one_storage(
    host: Host,
    monkeypatch: pytest.MonkeyPatch,
    target: tuple[int, int],
    database: tuple[int, int],
    common: tuple[str, ...],
) -> None:
    server = DatabaseServer(
        "postgresql", "postgres", 812, "/srv/pg", (Place("/srv/pg", os.makedev(*database)),), ""
    )
    monkeypatch.setattr(in_use, "_number", lambda path: os.makedev(*target))
    monkeypatch.setattr(in_use, "database_servers", lambda proc: [server])
    found = databases_beneath(Path("/target"), host.proc, host.sysfs)
    assert found.devices == common
    assert found.databases == ((server,) if common else ())


def test_a_server_that_may_not_be_looked_at_is_told(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    server = DatabaseServer("mysql", "mysqld", 5, None, (), "")
    monkeypatch.setattr(in_use, "_number", lambda path: os.makedev(8, 0))
    monkeypatch.setattr(in_use, "database_servers", lambda proc: [server])
    found = databases_beneath(Path("/target"), host.proc, host.sysfs)
    assert (found.databases, found.unseen) == ((), (server,))


@pytest.mark.parametrize(
    ("mount", "common"),
    [
        ("36 1 0:52 / /mnt rw - nfs4 filer:/export rw", ("nfs4 filer:/export",)),
        ("36 1 0:52 / /mnt rw - zfs tank/pg rw", ("zfs tank",)),
        ("36 1 0:52 / /mnt rw - tmpfs tmpfs rw", ()),
    ],
)
def test_file_systems_that_no_device_holds(
    host: Host, monkeypatch: pytest.MonkeyPatch, mount: str, common: tuple[str, ...]
) -> None:
    host.mountinfo(f"{mount}\n")
    server = DatabaseServer(
        "postgresql", "postgres", 8, "/mnt/pg", (Place("/mnt/pg", os.makedev(0, 52)),), f"{mount}\n"
    )
    monkeypatch.setattr(in_use, "_number", lambda path: os.makedev(0, 52))
    monkeypatch.setattr(in_use, "database_servers", lambda proc: [server])
    assert databases_beneath(Path("/mnt"), host.proc, host.sysfs).devices == common
