"""What `plimsoll watch` says of I/O that AIO workers did for others it does not know."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from plimsoll.context import Context
from plimsoll.flows import watch as flow
from plimsoll.observe.file_calls import FileCalls
from plimsoll.observe.roles import IO_WORKER
from plimsoll.observe.tally import Wanted
from plimsoll.observe.watching import Watching
from plimsoll.requests.watch import WatchRequest
from seen_calls import CallsProbe, called
from seen_io import Readings, block_io, reading
from watched_io import Counted, codes, seen

if TYPE_CHECKING:
    from plimsoll.native.call_probe import CallProbe


def test_what_workers_did_for_nobody_knows_whom_is_told_with_the_reason(ctx: Context) -> None:
    rows = (block_io(role="io worker", ios=20), block_io(ios=10))
    told = {
        reasons: seen(ctx, reading(unasked=4), reading(*rows, unasked=7, unasked_because=reasons)).notes
        for reasons in ((), ("its program is stripped",))
    }
    for reasons, notes in told.items():
        (note,) = notes
        assert note.code == "askers-unknown"
        assert note.message.startswith("20 I/Os of AIO workers of PostgreSQL are in the workers' own rows")
        assert note.message.endswith("; ".join([*reasons, "of 3 it could not be read from their memory"]))
    (note,) = seen(ctx, reading(), reading(*rows)).notes
    assert note.message.endswith("the workers had just begun, or it is their own")
    assert seen(ctx, reading(), reading(block_io(ios=30))).notes == ()


def test_what_workers_did_is_told_also_where_their_rows_were_not_asked_for(ctx: Context) -> None:
    rows = (block_io(role="io worker", ios=20), block_io(role="backend", ios=10))
    found = seen(ctx, reading(unasked=4), reading(*rows, unasked=7), roles=("backend",))
    (note,) = (one for one in found.notes if one.code == "askers-unknown")
    assert note.message.startswith(
        "20 I/Os of AIO workers of PostgreSQL are in rows of the role io worker, which were not"
    )


def test_calls_of_workers_are_their_own_and_no_io_of_theirs(ctx: Context) -> None:
    calls = FileCalls(cast("CallProbe", CallsProbe([], [called()])))
    calls.roles.add(IO_WORKER)
    watching = Watching(
        Readings(reading(), reading(block_io(ios=10))), ctx.clock, Wanted(), Counted(10), calls=calls
    )
    found = flow.watched(ctx, WatchRequest(watched_s=1.0, calls=True), watching)
    assert "askers-unknown" not in codes(found)
