"""`plimsoll lab tiers --by throttle` where control groups are of version 2: its cap is `io.max`, which the kernel holds."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest

from guest_machine import Guest

pytestmark = [pytest.mark.guest, pytest.mark.timeout(1200)]

READS_PER_S = 200
FOLDER = "/mnt/tiers"
ROOT_GROUP = "/sys/fs/cgroup"
TIERS = f"plimsoll lab tiers {FOLDER} --by throttle --slow-iops {READS_PER_S} --slow-size 256m --fast-size 256m --cache 4m"
READ_ROWS = f"""
import json, pathlib, psycopg, time
with psycopg.connect(pathlib.Path("{FOLDER}/url").read_text().strip(), autocommit=True) as connection:
    connection.execute("CREATE TABLE rows_read AS SELECT g, repeat('x', 900) AS pad FROM generate_series(1, 16000) g")
    connection.execute("CHECKPOINT")
    connection.execute("SET io_combine_limit = 1")
    begun = time.monotonic()
    connection.execute("SELECT count(pad) FROM rows_read").fetchone()
    taken_s = time.monotonic() - begun
    blocks = connection.execute("SELECT pg_relation_size('rows_read') / 8192").fetchone()[0]
    print(json.dumps({{"taken_s": taken_s, "blocks": blocks}}))
"""


@pytest.fixture
def passed_on(guest: Guest) -> Iterator[None]:
    guest.said(
        f"modprobe --all loop fuse; echo '+io +memory' > {ROOT_GROUP}/cgroup.subtree_control; mkdir -p {FOLDER}"
    )
    yield
    guest.said(f"echo '-io -memory' > {ROOT_GROUP}/cgroup.subtree_control")


def test_a_controller_that_is_not_passed_on_is_said(guest: Guest) -> None:
    guest.said(f"modprobe --all loop fuse; mkdir -p {FOLDER}")
    done = guest.run(TIERS, timeout_s=180)
    assert done.status == 4, str(done)
    assert b"no control group with the controller blkio or io can be made here" in done.stderr
    assert guest.said(f"ls {FOLDER}") == ""


def test_the_server_is_held_at_the_cap(guest: Guest, passed_on: None) -> None:
    number = started(guest)
    served = f"test -e {FOLDER}/url"
    guest.run(f"until {served} || ! {alive(number)}; do sleep 0.5; done", timeout_s=500)
    assert guest.run(served).status == 0, guest.said("cat /srv/tiers.err /srv/tiers.json")
    caps = guest.said(f"cat {ROOT_GROUP}/plimsoll*/io.max")
    assert re.fullmatch(rf"7:\d+ rbps=max wbps=max riops={READS_PER_S} wiops={READS_PER_S}\n", caps)
    assert_tiers(tomllib.loads(guest.said(f"cat {FOLDER}/tiers.toml")))
    guest.put("/srv/read_rows.py", READ_ROWS.encode())
    read = json.loads(guest.said("PYTHONPATH=/opt/plimsoll python3 /srv/read_rows.py", timeout_s=300))
    assert_held(read)
    guest.said(f"kill -INT {number}; while {alive(number)}; do sleep 0.2; done", timeout_s=120)
    assert guest.said(f"ls {FOLDER}; ls -d {ROOT_GROUP}/plimsoll* 2>/dev/null || true") == ""
    answer = json.loads(guest.said("cat /srv/tiers.json"))
    assert answer["kind"] != "error", answer


def started(guest: Guest) -> str:
    """The process that serves the tiers; what a shell starts in the background would not heed Ctrl-C."""
    words = f"env --default-signal=INT {TIERS} --json"
    return guest.said(f"{words} >/srv/tiers.json 2>/srv/tiers.err </dev/null & echo $!").strip()


def alive(number: str) -> str:
    """A process that ended and that nobody asked for yet has no words."""
    return f"grep -q . /proc/{number}/cmdline 2>/dev/null"


def assert_tiers(described: dict[str, Any]) -> None:
    """The slow tier is as slow as its cap, for one that asks without a pause."""
    tiers = {tier["name"]: tier for tier in described["tier"]}
    assert tiers["slow"]["small_read_us"] == pytest.approx(1e6 / READS_PER_S, rel=0.1)
    assert tiers["fast"]["small_read_us"] < 0.5e6 / READS_PER_S


def assert_held(read: dict[str, float]) -> None:
    """A scan, one block a read, takes what the cap says; a tenth of a second of it is free."""
    assert read["blocks"] > 5 * READS_PER_S
    assert read["taken_s"] >= 0.9 * (read["blocks"] - READS_PER_S) / READS_PER_S
