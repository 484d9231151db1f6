"""Roles of processes, by what databases call them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from plimsoll.observe import roles as module
from plimsoll.observe.roles import CLIENT_BACKEND, Roles, role_of, title_of
from plimsoll.ports import processes

NS_PER_TICK = 10**9 // os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize(
    ("command", "title", "role"),
    [
        ("postgres", "postgres: checkpointer ", "checkpointer"),
        ("postgres", "postgres: 18/main: walwriter ", "walwriter"),
        ("postgres", "postgres: io worker 2", "io worker"),
        ("postgres", "postgres: autovacuum worker shop", "autovacuum worker"),
        ("postgres", "postgres: parallel worker for PID 4711 ", "parallel worker"),
        ("postgres", "postgres: walsender replica 10.0.0.7(51234) streaming 0/3000148", "walsender"),
        ("postgres", "postgres: alice shop [local] SELECT", CLIENT_BACKEND),
        ("postgres", "postgres: 18/main: alice shop 10.0.0.7(51234) idle in transaction", CLIENT_BACKEND),
        ("postgres", "postgres: checkpointer_fan shop [local] idle", CLIENT_BACKEND),
        ("postgres", "postgres: pg_cron launcher ", "postgres"),
        ("postgres", "/usr/lib/postgresql/18/bin/postgres -D /data", "postgres"),
        ("postgres", None, "postgres"),
        ("postgres", "postgres: archiver shop [local] idle", CLIENT_BACKEND),
        (
            "postgres",
            "postgres: logical replication worker for subscription 16399 ",
            "logical replication worker",
        ),
        ("ora_dbw0_ORCL", "ora_dbw0_ORCL", "dbw0 ORCL"),
        ("ora_dbw0_ORCLCD", "ora_dbw0_ORCLCDB", "dbw0 ORCLCDB"),
        ("ora_lgwr_db_2", None, "lgwr db_2"),
        ("ora_dbw0_ORCLCD", None, "dbw0 ORCLCD…"),
        ("oracle", "oracleORCL (LOCAL=NO)", "foreground ORCL"),
        ("oracle_4711_orc", "oracleorclcdb (LOCAL=NO)", "foreground orclcdb"),
        ("oracle_4712_orc", "oracleorclcdb2 (LOCAL=NO)", "foreground orclcdb2"),
        (
            "oracleORCL",
            "oracleORCL (DESCRIPTION=(LOCAL=YES)(ADDRESS=(PROTOCOL=beq)))",
            "foreground ORCL",
        ),
        ("oracle_99_+asm", "oracle+ASM1_asmb_orcl1 (DESCRIPTION=(LOCAL=YES))", "foreground +ASM1"),
        ("oracle_4711_orc", None, "oracle"),
        ("oracle", None, "oracle"),
        ("oracle", "oracle --help", "oracle"),
        ("oracle-exporter", None, "oracle-exporter"),
        ("editor", "oracleORCL (LOCAL=NO)", "editor"),
        ("asm_lgwr_+ASM1", "asm_lgwr_+ASM1", "lgwr +ASM1"),
        ("ora_p000_ORCL", "ora_p000_ORCL", "parallel server ORCL"),
        ("ora_p0a1_ORCL", "ora_p0a1_ORCL", "parallel server ORCL"),
        ("ora_pmon_ORCL", "ora_pmon_ORCL", "pmon ORCL"),
        ("ora_psp0_ORCL", "ora_psp0_ORCL", "psp0 ORCL"),
        ("ora_j001_ORCL", "ora_j001_ORCL", "job ORCL"),
        ("ora_s000_ORCL", "ora_s000_ORCL", "shared server ORCL"),
        ("ora_u005_ORCL", "ora_u005_ORCL", "threads ORCL"),
        ("ora_scmn_ORCL", "ora_scmn_ORCL", "threads ORCL"),
        ("fio", "fio --name=x", "fio"),
        ("kernel", "./kernel", "command kernel"),
        ("others", None, "command others"),
        ("checkpointer", "checkpointer", "command checkpointer"),
    ],
)
def test_the_role(command: str, title: str | None, role: str) -> None:
    assert role_of(command, title) == role


def test_a_title_is_of_that_very_process() -> None:
    me = processes.own_identity()
    title = title_of(me.pid, me.start_ticks * NS_PER_TICK)
    assert title is not None
    assert "python" in title or "pytest" in title
    assert title_of(me.pid, (me.start_ticks - 1) * NS_PER_TICK) is None


def test_a_process_whose_title_was_read_is_not_one_whose_title_was_not() -> None:
    me = processes.own_identity()
    started_ns = me.start_ticks * NS_PER_TICK
    roles = Roles()
    assert not roles.of(me.pid, started_ns, "postgres").is_untitled, "as a postmaster's"
    assert roles.of(me.pid, NS_PER_TICK, "postgres").is_untitled, "it ended before"
    assert not roles.of(me.pid, NS_PER_TICK * 2, "fio").is_untitled, "its command says all"


@pytest.mark.parametrize(
    ("command", "needs"),
    [
        ("postgres", True),
        ("oracle", True),
        ("oracle_4711_orc", True),
        ("ora_dbw0_ORCLCD", True),
        ("ora_dbw0_ORCL", False),
        ("oracled", False),
    ],
)
def test_what_only_a_title_tells_is_known_to_be_unknown_without_it(command: str, needs: bool) -> None:
    assert Roles().of(processes.own_identity().pid, NS_PER_TICK, command).is_untitled is needs


_HIDDEN = """
mount --make-rprivate / && mount -t proc -o hidepid=2 proc /proc || exit 1
exec setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
"""
_ASKED = """
import sys
from plimsoll.observe.open_files import FileNumber, OpenFiles
from plimsoll.observe.roles import Roles
pid = int(sys.argv[1])
role, gone = Roles().of(pid, 1, "postgres"), Roles().of(2**22 + 1, 1, "postgres")
known = OpenFiles()
known.look_for([FileNumber((8, 1), 1)], [pid, 2**22 + 1])
print(role.is_untitled, role.is_hidden, gone.is_untitled, gone.is_hidden, known.refused == {pid})
"""


def test_a_process_that_a_real_proc_hides_has_not_ended() -> None:
    if os.geteuid() != 0 or not (shutil.which("unshare") and shutil.which("setpriv")):
        pytest.skip("only root mounts a /proc of its own")
    words = ["unshare", "--mount", "sh", "-c", _HIDDEN, "hidden"]
    asked = [sys.executable, "-c", _ASKED, str(os.getpid())]
    done = subprocess.run([*words, *asked], capture_output=True, text=True, check=False, timeout=60)
    if "mount" in done.stderr or "Permission denied" in done.stderr:
        pytest.skip(f"not possible here: {done.stderr}")
    assert done.stdout.split() == ["True", "True", "True", "False", "True"], done.stderr


def test_what_a_probe_read_of_the_title_tells_what_a_process_was_that_has_ended() -> None:
    me, roles = processes.own_identity(), Roles()
    before = "postgres: alice shop [local] COMMIT"
    assert roles.of(me.pid, NS_PER_TICK, "postgres", before) == module.Role(CLIENT_BACKEND, False)
    running = roles.of(me.pid, me.start_ticks * NS_PER_TICK, "python", before)
    assert running.name == "python", "what it shows now counts more"
    roles.look_again()
    assert roles.of(me.pid, NS_PER_TICK, "postgres").name == CLIENT_BACKEND
    cut = f"postgres: {'x' * 200}"[:127]
    assert roles.of(me.pid, 2 * NS_PER_TICK, "postgres", cut).is_untitled, "who it is may have been behind"


def test_a_process_is_asked_once_for_each_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    titles = iter(["postgres: startup ", "postgres: alice shop [local] idle"])
    monkeypatch.setattr(module, "title_of", lambda pid, started_ns: next(titles))
    roles = Roles()
    assert [roles.of(7, 9, "postgres").name for _ in range(100)] == ["startup"] * 100
    roles.look_again()
    assert roles.of(7, 9, "postgres").name == CLIENT_BACKEND


def test_a_process_that_ran_two_programs_has_two_roles_of_which_each_stays_what_it_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    titles = iter(["/usr/lib/postgresql/18/bin/postgres -D /data", None])
    monkeypatch.setattr(module, "title_of", lambda pid, started_ns: next(titles))
    roles = Roles()
    for _ in range(2):  # it has ended at the second reading
        roles.look_again()
        found = [roles.of(7, 9, command) for command in ("sh", "postgres", "sh")]
        assert found == [module.Role("sh", False), module.Role("postgres", False), module.Role("sh", False)]


def test_a_process_that_ended_before_its_command_was_read_is_what_it_last_was() -> None:
    roles, gone = Roles(), 2**22 + 1
    roles.of(gone, 9, "sh")
    roles.of(gone, 9, "postgres", "postgres: alice shop [local] COMMIT")
    roles.of(gone, 8, "fio")
    roles.look_again()
    assert [roles.of(gone, started, None).name for started in (9, 8, 7)] == [CLIENT_BACKEND, "fio", "ended"]
