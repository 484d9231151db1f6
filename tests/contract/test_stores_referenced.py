"""Runs and snapshots that a table of somebody else names by a foreign key: they stay, and the table is named."""

from __future__ import annotations

import pytest

import facts_runs
from plimsoll.base.errors import WorldError
from plimsoll.store import SqlStore, open_store
from store_places import Locate, session_of


def referred_to(location: str, table: str = "remarks", action: str = "NO ACTION") -> SqlStore:
    """A store with two runs, one of which a row of such a table names; what is to happen to that row where the run goes."""
    store = open_store(location)
    for name in ("first", "second"):
        store.save(facts_runs.io_run().model_copy(update={"id": name}))
    with session_of(location) as session:
        session.execute(
            f'CREATE TABLE "{table}" (run text CONSTRAINT run_of REFERENCES runs (id) ON DELETE {action}, said text)'
        )
        session.execute(f"INSERT INTO \"{table}\" VALUES ('second', 'look at this one')")
    return store


@pytest.mark.parametrize("action", ["NO ACTION", "RESTRICT"])
def test_a_run_that_others_name_stays_and_so_do_those_that_were_to_go_with_it(
    locate: Locate, action: str
) -> None:
    location = locate(f"referred_{action.split()[0]}")
    store = referred_to(location, action=action)
    with pytest.raises(WorldError, match="of the table") as refused:
        store.delete(["first", "second"])
    assert refused.value.id == "store-referenced"
    assert "remarks names what was to go" in refused.value.message
    assert "ON DELETE CASCADE" in (refused.value.hint or "")
    assert len(store.summaries()) == 2
    with session_of(location) as session:
        session.execute("DELETE FROM remarks")
    assert store.delete(["first", "second"]) > 0


def test_the_table_of_others_may_be_called_anything(locate: Locate) -> None:
    store = referred_to(locate("odd"), "my\x1b[2Jnotes")
    with pytest.raises(WorldError, match=r"my\\x1b\[2Jnotes") as refused:
        store.delete(["second"])
    assert refused.value.message.isprintable()
