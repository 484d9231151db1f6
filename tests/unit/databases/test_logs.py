"""What servers write into their logs, as a proof keeps it: counted, the worst first, and fit to be shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.base import limits
from plimsoll.databases import _logs, _mariadb_log, _postgres_log

POSTGRES = """\
2026-11-23 05:00:00.123 UTC [42] LOG:  checkpoint starting: immediate force wait
2026-11-23 05:00:01.000 UTC [42] LOG:  checkpoints are occurring too frequently (3 seconds apart)
2026-11-23 05:00:01.000 UTC [42] HINT:  Consider increasing the configuration parameter "max_wal_size".
2026-11-23 05:00:02.000 UTC [43] ERROR:  deadlock detected
2026-11-23 05:00:02.000 UTC [43] DETAIL:  Process 43 waits for ShareLock
\tERROR:  this line goes on with the one above
2026-11-23 05:00:02.000 UTC [43] STATEMENT:  select 'ERROR:  as a text'
2026-11-23 05:00:03.000 UTC [44] WARNING:  out of the ordinary
2026-11-23 05:00:04.000 UTC [45] FATAL:  terminating connection due to administrator command
"""
MARIADB = """\
2026-11-23  5:00:00 0 [Note] InnoDB: Buffer pool(s) load completed
2026-11-23  5:00:01 7 [Warning] Aborted connection 7 to db: 'x' user: 'y' host: 'z' (Got an error reading communication packets)
2026-11-23 15:00:02 0 [ERROR] InnoDB: Unable to lock ./ibdata1 error: 11
2026-11-23T05:00:03.000001Z 9 [ERROR] [MY-010000] [Server] something of MySQL's
Version: '10.11.19-MariaDB'  socket: '/x'
"""


def told(text: str) -> list[tuple[str, str, bool]]:
    return [(one.severity, one.message, one.grave) for one in _postgres_log.entries(text)]


def test_entries_of_postgresql_are_told_apart() -> None:
    assert told(POSTGRES) == [
        ("warning", "checkpoints are occurring too frequently (3 seconds apart)", False),
        ("error", "deadlock detected", False),
        ("warning", "out of the ordinary", False),
        ("fatal", "terminating connection due to administrator command", False),
    ]
    assert next(iter(_postgres_log.entries(POSTGRES))).at == "2026-11-23 05:00:01.000 UTC"


@pytest.mark.parametrize(
    ("line", "severity"),
    [
        ("PANIC:  could not fdatasync file \"000000010000000000000002\": Input/output error", "panic"),
        ("LOG:  server process (PID 42) was terminated by signal 9: Killed", "warning"),
        ("LOG:  all server processes terminated; reinitializing", "warning"),
        ("ERROR:  invalid page in block 7 of relation base/5/16384", "error"),
        ("WARNING:  page verification failed, calculated checksum 1 but expected 2", "warning"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("prefix", ["2026-11-23 05:00:00.123 UTC [42] ", "", "user=me,db=x,app=y "])
def test_a_crash_and_damage_are_grave_whatever_stands_before_them(
    prefix: str, line: str, severity: str
) -> None:
    ((found, _, grave),) = told(f"{prefix}{line}\n")
    assert (found, grave) == (severity, True)


def test_what_a_function_says_of_a_crash_is_none() -> None:
    ((severity, _, grave),) = told("WARNING:  server process (PID 42) was terminated by signal 9: Killed\n")
    assert (severity, grave) == ("warning", False)


def test_entries_of_mariadb_are_told_apart() -> None:
    found = [(one.severity, one.at, one.grave) for one in _mariadb_log.entries(MARIADB)]
    assert found == [
        ("warning", "2026-11-23  5:00:01", False),
        ("error", "2026-11-23 15:00:02", False),
        ("error", "2026-11-23T05:00:03.000001Z", False),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "261123  5:00:00 [ERROR] /usr/sbin/mariadbd got signal 6 ;",
        "2026-11-23  5:00:00 0 [ERROR] [FATAL] InnoDB: innodb_fatal_semaphore_wait_threshold was exceeded",
        "2026-11-23  5:00:00 0x7f [ERROR] InnoDB: Assertion failure in file x.cc line 3",
    ],
)
def test_a_crash_of_mariadb_is_a_panic(line: str) -> None:
    (found,) = _mariadb_log.entries(line.replace("0x7f", "0"))
    assert (found.severity, found.grave) == ("panic", True)


def test_only_the_worst_are_kept_and_all_are_counted() -> None:
    lines = [_logs.entry("warning", f"w{number}") for number in range(50)]
    found = _logs.server_log(
        "log", [*lines, _logs.entry("fatal", "f"), _logs.entry("error", "damage", grave=True)]
    )
    assert (found.warnings, found.errors, found.fatals, found.panics, found.graves) == (50, 1, 1, 0, 1)
    assert [one.message for one in found.entries[:3]] == ["damage", "f", "w0"]
    assert len(found.entries) == limits.SERVER_LOG_ENTRIES_MAX


def test_what_is_kept_is_short_safe_and_without_passwords() -> None:
    url = "postgresql://me:geheim7@db/x"
    found = _logs.entry("error", f"could not connect to {url}: \x1b[31m" + "x" * 5_000)
    assert "geheim7" not in found.message
    assert "\x1b" not in found.message
    assert len(found.message) <= limits.SERVER_LOG_ENTRY_LENGTH_MAX


def test_a_file_is_read_from_a_place_on(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("ERROR:  before\n")
    place = _logs.file_place(log)
    with log.open("a") as file:
        file.write("ERROR:  after\n")
    found = _logs.file_beyond(place)
    assert (found.text, found.cut) == ("ERROR:  after\n", False)


def test_a_file_that_was_cut_or_replaced_is_read_from_its_beginning(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("ERROR:  before\n" * 3)
    place = _logs.file_place(log)
    log.write_text("ERROR:  after\n")
    found = _logs.file_beyond(place)
    assert (found.text, found.turned) == ("ERROR:  after\n", True)
    other = tmp_path / "other"
    other.write_text("ERROR:  of another file\n" * 9)
    other.rename(log)
    found = _logs.file_beyond(place)
    assert found.turned
    assert found.text.count("another file") == 9
    assert "may be missing" in _logs.server_log("log", (), found).reason


def test_a_log_that_is_too_long_says_so() -> None:
    found = _logs.made_text(b"WARNING:  x\n" * (limits.SERVER_LOG_BYTES_MAX // 10))
    assert found.cut
    assert "only the first 4 MB" in _logs.server_log("log", (), found).reason


def test_a_log_that_is_not_there_is_unknown(tmp_path: Path) -> None:
    place = _logs.file_place(tmp_path / "none")
    assert "no such file" in place.unknown_because
    assert _logs.unread(place.unknown_because).warnings is None
    assert "not a file" in _logs.file_place(tmp_path).unknown_because


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    list(_postgres_log.entries(text))
    list(_mariadb_log.entries(text))


@pytest.mark.parametrize(
    ("language", "english"), [("C", True), ("", True), ("en_US.UTF-8", True), ("de_DE.UTF-8", False)]
)
def test_severities_are_known_in_english_alone(language: str, english: bool) -> None:
    assert _postgres_log.is_english(language) is english
