"""An agent's part of a proof: it connects its share of the sessions, drives them slice by slice, and tells each slice at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from plimsoll.cluster.agent import AgentEnd
from plimsoll.context import Context
from plimsoll.databases import Connection, open_database
from plimsoll.proof import order_entry
from plimsoll.proof.crew import LocalCrew, Worker
from plimsoll.proof.slices import Slice, text_of
from plimsoll.proof.slob import tables as slob
from plimsoll.proof.slob.run import SlobWorker

_PATIENCE_S = 1.5
"""Longer than a slice, and shorter than the two seconds in which a client that has parted expects its agents to end."""


def serve_sessions(ctx: Context, end: AgentEnd, asked: Mapping[str, Any]) -> None:
    """From connecting to the last slice; sessions stay open until the client has read the server's counters.

    Raises what connecting and preparing raise, and Interrupted before the begin.
    """
    crew: LocalCrew | None = None

    def tell(place: int, piece: tuple[int, Slice] | None) -> None:
        if piece is not None:
            end.say("handed", session=place, at=piece[0], slice=text_of(piece[1]))
            return
        assert crew is not None, "it tells of itself"
        end.say("ended", session=place, error=_why(crew, place))

    password = asked["password"]
    ask = None if password is None else lambda location: str(password)
    try:
        # The session that reads counters is closed before the begin, so that its own transactions are counted by then.
        with open_database(ctx, str(asked["database"]), ask) as connection:
            database = connection.database
            end.say("opened", system_identifier=database.system_identifier, name=database.name)
            workers = [_worker(ctx, connection, told) for told in asked["workers"]]
            crew = LocalCrew(ctx, connection, workers, int(asked["slices"]), tell, _PATIENCE_S)
            crew.get_ready()
        end.say("ready", processes=[track.server_process for track in crew.tracks])
        order = end.order("begin", "finish")
        if order["say"] == "begin":
            crew.go(int(order["start_us"]))
            crew.wait_done()
            end.until_finished()
    finally:
        if crew is not None:
            crew.end()


def _worker(ctx: Context, connection: Connection, told: Mapping[str, Any]) -> Worker:
    """What a session does there, by its workload. Raises KeyError, TypeError, ValueError."""
    makers: Mapping[str, Callable[[], Worker]] = {
        slob.WORKLOAD: lambda: SlobWorker.of(told, connection),
        order_entry.WORKLOAD: lambda: order_entry.worker_of(told, ctx.clock),
    }
    return makers[str(told["workload"])]()


def _why(crew: LocalCrew, place: int) -> Mapping[str, Any] | None:
    """What broke a session, or the defect that ended all of them here; None where it ended as it was to."""
    if (error := crew.tracks[place].error) is not None:
        return {"id": error.id, "message": error.message, "hint": error.hint}
    if (defect := crew.defect) is not None:
        return {
            "id": "internal",
            "message": f"a defect of plimsoll ended its sessions: {defect!r}",
            "hint": None,
        }
    return None
