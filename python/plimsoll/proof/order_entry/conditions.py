"""The conditions that the data must fulfil after any run: one SQL file each, which gives their breaches and the first of them.

Source: TPC-C specification, clause 3.3.2; the thirteenth is ours.
"""

from __future__ import annotations

from collections.abc import Iterator

from plimsoll.context import Context
from plimsoll.databases import Session, reads_answers
from plimsoll.facts import Condition
from plimsoll.proof.order_entry import queries

_FOLDER = "conditions"
_STAGE = "check"


def check(ctx: Context, session: Session) -> tuple[Condition, ...]:
    """All conditions against the data as it is. Raises Interrupted, and what `Session.run` raises."""
    return tuple(_checked(ctx, session))


def unchecked(reason: str) -> tuple[Condition, ...]:
    """The conditions of data that nobody could look at."""
    return tuple(_condition(file, sql, None, reason) for file, sql in queries.texts(_FOLDER).items())


def _checked(ctx: Context, session: Session) -> Iterator[Condition]:
    files = queries.texts(_FOLDER)
    for done, (file, sql) in enumerate(files.items()):
        ctx.cancel.check()
        ctx.progress(_STAGE, f"checking condition {done + 1} of {len(files)}", done / len(files))
        breaches, first = _breaches(session, sql)
        reason = _reason(breaches, first)
        yield _condition(file, sql, breaches == 0, reason)
    ctx.progress(_STAGE, f"checked {len(files)} conditions", 1.0, finished=True)


@reads_answers
def _breaches(session: Session, sql: str) -> tuple[int, str | None]:
    """How many rows break a condition, and the first of them."""
    count, first = session.run(sql)[0]
    return int(count), None if first is None else str(first)


def _reason(breaches: int, first: str | None) -> str:
    if not breaches:
        return "no row breaks it"
    return f"{breaches:,} {'breach' if breaches == 1 else 'breaches, the first'}: {first}"


def _condition(file: str, sql: str, holds: bool | None, reason: str) -> Condition:
    """Named like its file, without the number that keeps them in order."""
    name = file.rpartition("/")[2].partition("_")[2].replace("_", "-")
    return Condition(name=name, help=queries.explained(sql), holds=holds, reason=reason)
