"""`prove order-entry verify`, as it is typed: the server is killed under a run, comes back, and must hold what it acknowledged."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from command import here, started
from databases_fixture import PARENT, context
from plimsoll.context import Context
from plimsoll.databases import embedded
from plimsoll.proof import order_entry
from plimsoll.proof.order_entry import Scale
from server_kill import kill

SMALL = Scale(warehouses=2, items=200, customers_per_district=30)
ENDS_S = 60.0
ACKNOWLEDGED_MIN = 200


@dataclass(frozen=True)
class Place:
    """A loaded database that can be killed, and the store of the runs against it."""

    ctx: Context
    server: embedded.Server
    store: Path

    def order_entry(self, action: str, *options: str) -> tuple[int, dict[str, Any]]:
        """Status and answer of a command."""
        words = self.words(action, *options)
        done = here(*words)
        assert done.stdout, done.stderr
        return done.returncode, json.loads(done.stdout)

    def words(self, action: str, *options: str) -> list[str]:
        location = ["--database", self.server.url, "--store", str(self.store)]
        return ["prove", "order-entry", action, *options, *location, "--json"]

    def killed_under_a_run(self, *options: str) -> Place:
        """Drives it, kills the server once enough is committed, and starts it again."""
        words = self.words("run", "--sessions", "4", "--runtime", "60s", "--warm-up", "1s", *options)
        driving = started(*words)
        try:
            # Where the server commits, the client hears of it once a second.
            wait_for_commits(self.ctx, self.server, lasting_s=0.0 if "--client-commits" in options else 3.5)
            kill(self.server)
            driving.communicate(timeout=ENDS_S)
        finally:
            if driving.poll() is None:
                driving.kill()
                driving.communicate()
        assert driving.returncode == 4, "the run says that its database went"
        return replace(self, server=embedded.start(self.ctx, self.server.cluster, embedded.SETTINGS))


def wait_for_commits(ctx: Context, server: embedded.Server, lasting_s: float) -> None:
    """Until the new run lasts long enough and its ledger holds enough; an older one may still be there at the beginning."""
    deadline = time.monotonic() + ENDS_S
    with embedded.connected(ctx, server) as connection:
        session = connection.session("look")
        begun = session.run("select clock_timestamp()")[0][0]
        query = """
            select coalesce(sum(transactions), 0) from plimsoll_orders.ledger
            where (select min(started_at) from plimsoll_orders.run_start) > %s
            and (select min(started_at) from plimsoll_orders.run_start) + %s * interval '1 s' < clock_timestamp()
        """
        while session.run(query, [begun, lasting_s])[0][0] < ACKNOWLEDGED_MIN:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        session.close()


def change(place: Place, statement: str) -> None:
    with embedded.connected(place.ctx, place.server) as connection:
        session = connection.session("change")
        session.run(statement)
        session.close()


@pytest.fixture
def place(tmp_path: Path, wheel: Path) -> Iterator[Place]:
    store = tmp_path / "runs.sqlite"
    with context(tmp_path / "journal") as (ctx, _), embedded.running(ctx, PARENT) as server:
        with embedded.connected(ctx, server) as connection:
            order_entry.load(ctx, connection, SMALL)
        yield Place(ctx, server, store)


def broken(answer: dict[str, Any]) -> list[str]:
    return [one["name"] for one in answer["data"]["conditions"] if one["holds"] is not True]


def test_after_a_crash_what_was_acknowledged_is_there_and_what_is_removed_is_missed(place: Place) -> None:
    status, answer = place.order_entry("verify")
    assert (status, answer["data"]["id"]) == (2, "store-missing")
    here("io", "sim:", "--runtime", "100ms", "--store", place.store)
    status, answer = place.order_entry("verify")
    assert (status, answer["data"]["id"]) == (4, "proof-ledger-unknown")
    place = place.killed_under_a_run("--ledger", "--client-commits")
    status, answer = place.order_entry("verify")
    assert (status, broken(answer)) == (0, [])
    assert answer["data"]["holds"] is True
    assert len(answer["data"]["conditions"]) == 15

    # One order of the run less, as if its commit had been lost in part.
    change(
        place,
        "delete from plimsoll_orders.orders where ctid ="
        " (select ctid from plimsoll_orders.orders order by o_entry_d desc, o_id desc limit 1)",
    )
    status, answer = place.order_entry("verify")
    assert status == 1
    assert "no-transaction-in-part" in broken(answer)

    # Transactions of a session less, as if they had never been.
    change(place, "update plimsoll_orders.ledger set transactions = transactions - 2 where session_id = 3")
    status, answer = place.order_entry("verify")
    assert status == 1
    assert broken(answer)[0] == "no-acknowledged-commit-lost"
    assert "session 4: " in answer["data"]["conditions"][0]["reason"]

    # The data are driven again: the ledger of the first run is gone.
    first = answer["data"]["run"]
    status, _ = place.order_entry("run", "--sessions", "1", "--runtime", "1s", "--warm-up", "1s", "--ledger")
    status, answer = place.order_entry("verify", "--run", first)
    assert status == 4
    assert answer["data"]["id"] == "proof-ledger-other"


def test_what_cannot_be_verified_is_refused(place: Place) -> None:
    place.order_entry("run", "--sessions", "1", "--runtime", "1s", "--warm-up", "1s")
    status, answer = place.order_entry("verify", "--run", "latest")
    assert (status, answer["data"]["id"]) == (2, "proof-no-ledger")
    status, answer = place.order_entry("status", "--run", "latest")
    assert (status, answer["data"]["id"]) == (2, "option-idle")


@pytest.mark.system
@pytest.mark.timeout(900)
def test_twenty_kills_lose_nothing(place: Place) -> None:
    """Half with commits by the client, half by the server's own procedures."""
    for number in range(20):
        place = place.killed_under_a_run("--ledger", *(["--client-commits"] if number % 2 else []))
        status, answer = place.order_entry("verify")
        assert (status, broken(answer)) == (0, []), f"kill {number}"
        assert not answer["data"]["conditions"][0]["reason"].startswith("no commit had been acknowledged")
        print(f"kill {number + 1}: {answer['data']['conditions'][0]['reason']}")
