"""What a driver would say past us: nothing. Its words reach people through our errors alone."""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import Callable

import pytest

from fake_postgres import SECRET, fake_postgres
from plimsoll.databases import _mariadb_errors, _oracle_errors, _postgres_errors


def test_the_driver_says_nothing_past_us() -> None:
    """It warns when a query failed and the rollback after it."""
    script = "import sys; from plimsoll.cli.main import run; sys.exit(run(sys.argv[1:]))"
    with fake_postgres("refuse") as url:
        for words in (["demand", "--database", url, "--runtime", "1"], ["store", "list", "--store", url]):
            done = subprocess.run([sys.executable, "-c", script, *words], capture_output=True, timeout=60)
            assert done.returncode == 4
            assert b"\x1b" not in done.stderr + done.stdout
            assert SECRET.encode() not in done.stderr + done.stdout
            assert b"ignored" not in done.stderr


@pytest.mark.parametrize(
    ("driver", "name"),
    [
        (_postgres_errors.driver, "psycopg"),
        (_mariadb_errors.driver, "pymysql"),
        (_oracle_errors.driver, "oracledb"),
    ],
)
def test_the_logger_of_each_driver_is_silenced(
    driver: Callable[[], object], name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    driver()
    logging.getLogger(name).error("said %s", SECRET)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    "text",
    ["FATAL:  terminating it.\nserver closed", "ERROR:  terminating it.", "VERHÄNGNISVOLL:  Terminating it"],
)
def test_a_severity_is_left_out_in_every_language(text: str) -> None:
    assert _postgres_errors.one_line(text) == "terminating it"
