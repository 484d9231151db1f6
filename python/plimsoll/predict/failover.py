"""What is said of databases on several nodes: each node in normal work, and each loss of one of them."""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll.base.units import format_ratio, format_share
from plimsoll.demand.summed import in_words
from plimsoll.facts import Failover, NodeLoad, NodeLoss, Note, Verdict

NODE_RESOURCES = Note(
    code="node-resources",
    message="of a lost node only the load on the others' storage is judged, as it was asked for: not whether their CPUs and memory"
    " suffice, nor what recovery reads, nor what caches read anew until they are warm",
)
UNKNOWN_SHARE_TOLD = 0.01
"""Less than that a restart makes in a day."""
NOT_MEASURED = "It was not measured."


def node_load(
    node: str,
    databases: Sequence[str],
    verdict: Verdict | None,
    share: float | None,
    before: NodeLoad | None = None,
) -> NodeLoad:
    """A node with these databases. After a loss it has no more headroom than `before`, whatever chance makes of a measurement."""
    if not databases:
        return _idle(node)
    if verdict is None:
        reason = NOT_MEASURED
        return NodeLoad(
            node=node, databases=tuple(databases), carries=None, headroom=None, is_at_least=False,
            moment=None, storage_share_max=share, reason=reason,
        )  # fmt: skip
    headroom, is_at_least = verdict.headroom, verdict.is_at_least
    most = None if before is None or before.is_at_least or not before.carries else before.headroom
    if headroom is not None and most is not None and headroom > most:
        headroom, is_at_least = most, False
    return NodeLoad(
        node=node, databases=tuple(databases), carries=verdict.carries, headroom=headroom,
        is_at_least=is_at_least, moment=verdict.moment, storage_share_max=share, reason=verdict.reason,
    )  # fmt: skip


def refused_load(
    node: str, databases: Sequence[str], share: float | None, refused: Sequence[str]
) -> NodeLoad:
    """A node with databases that were not measured together: some of them were refused, or others of which these ask for more
    than is carried.
    """
    alone = "alone " if set(refused) <= set(databases) else ""
    least = "" if alone else ", and these ask for more than is carried of that"
    return NodeLoad(
        node=node, databases=tuple(databases), carries=False, headroom=None, is_at_least=False, moment=None,
        storage_share_max=share,
        reason=f"It was not measured: {in_words(refused)} {alone}{'are' if len(refused) > 1 else 'is'} too much{least}.",
    )  # fmt: skip


def _idle(node: str) -> NodeLoad:
    return NodeLoad(
        node=node, databases=(), carries=True, headroom=None, is_at_least=False, moment=None,
        storage_share_max=0.0,
        reason="No database runs on it.",
    )  # fmt: skip


def all_carry(nodes: Sequence[NodeLoad]) -> bool | None:
    """False where one does not; None where that is not known of one."""
    return _all([one.carries for one in nodes])


def limiting(nodes: Sequence[NodeLoad]) -> NodeLoad | None:
    """The node with the least headroom, one that is refused first; None where that of one that may have less is not known."""
    busy = [one for one in nodes if one.databases]
    refused = [one for one in busy if one.carries is False]
    if refused:
        return min(refused, key=lambda one: one.headroom or 0.0)
    if any(one.headroom is None for one in busy):
        return None
    return min(busy, key=lambda one: one.headroom or 0.0, default=None)


def node_loss(
    node: str,
    databases: Sequence[str],
    survives: bool | None,
    all_placed: Sequence[NodeLoad],
    left: Sequence[NodeLoad],
    unplaced: Sequence[str] | None,
    why: str | None = None,
) -> NodeLoss:
    """A loss by the arrangement of all its databases, and by what is `left` where some of them find no place.

    `why` is a sentence, where no arrangement decided. Of a loss of which it cannot be told no headroom is known.
    """
    least = None if survives is None and all_carry(all_placed) is False else limiting(all_placed)
    return NodeLoss(
        node=node,
        databases=tuple(databases),
        survives=survives,
        headroom=None if least is None else least.headroom,
        is_at_least=least is not None and least.is_at_least,
        limited_by=least,
        unplaced=None if unplaced is None else tuple(unplaced),
        nodes=tuple(left),
        reason=why or _loss_in_words(node, databases, survives, all_placed, left, unplaced),
    )


def _loss_in_words(
    node: str,
    databases: Sequence[str],
    survives: bool | None,
    all_placed: Sequence[NodeLoad],
    left: Sequence[NodeLoad],
    unplaced: Sequence[str] | None,
) -> str:
    if survives:
        return f"The loss of {node} is survived{_moves(databases, left)}{_with_headroom(left)}."
    if survives is None:
        return (
            f"Whether the loss of {node} is survived cannot be told{_moves(databases, left)}. {_open(left)}"
        )
    told = f"The loss of {node} is not survived{_missing(all_placed)}."
    if unplaced is None:
        return f"{told} Which of its databases find a place is not known."
    if len(unplaced) == len(databases):
        none = (
            f"{unplaced[0]} finds no place"
            if len(unplaced) == 1
            else "Not one of its databases finds a place"
        )
        return f"{told} {none}."
    rest = [name for name in databases if name not in unplaced]
    return f"{told} Without {in_words(unplaced)} the others are carried{_moves(rest, left)}{_with_headroom(left)}."


def _moves(databases: Sequence[str], nodes: Sequence[NodeLoad]) -> str:
    """Where each goes, as a clause."""
    moved = [(one.node, [name for name in databases if name in one.databases]) for one in nodes]
    clauses = [f"{in_words(names)} on {node}" for node, names in moved if names]
    return f", with {in_words(clauses)}" if clauses else ""


def _missing(nodes: Sequence[NodeLoad]) -> str:
    """What was refused in the arrangement with the most headroom, and how much of it could be taken, as a clause.

    Judging ends with it, so that nothing is said of other nodes, nor of other arrangements.
    """
    least = limiting(nodes)
    if least is None:
        return ""
    if least.headroom is None or least.headroom >= 1:
        verb = "are" if len(least.databases) > 1 else "is"
        return f": {in_words(least.databases)} {verb} too much for {least.node}{_at(least)}"
    share = format_share(least.headroom)
    return f": {least.node} could take {share} of the load of {in_words(least.databases)}{_at(least)}"


def _at(one: NodeLoad) -> str:
    return "" if one.moment is None else f" at {one.moment:%Y-%m-%d %H:%M:%S}"


def _with_headroom(nodes: Sequence[NodeLoad]) -> str:
    least = limiting(nodes)
    return "" if least is None else f"; the headroom is then {_headroom(least)}"


def _headroom(one: NodeLoad) -> str:
    assert one.headroom is not None, "a node that limits and carries has one"
    return f"{'at least ' if one.is_at_least else ''}{format_ratio(one.headroom)}"


def _open(nodes: Sequence[NodeLoad]) -> str:
    """The reason of the first node of which it cannot be told."""
    first = next((one for one in nodes if one.carries is None and one.reason != NOT_MEASURED), None)
    first = first or next(one for one in nodes if one.carries is None)
    return f"Of {first.node}: {first.reason}"


def failover(nodes: Sequence[NodeLoad], losses: Sequence[NodeLoss]) -> Failover:
    """All that is said of the nodes."""
    carries, survives = all_carry(nodes), _all([one.survives for one in losses])
    tightest, short = tightest_of(nodes), _losses_in_short(losses)
    return Failover(
        nodes=tuple(nodes),
        losses=tuple(losses),
        carries=carries,
        survives=survives,
        tightest=None if tightest is None else tightest.node,
        reason=f"{_normal_in_words(nodes)} It {short.replace('cannot tell', 'cannot be told')}{_unknown_time(nodes, losses)}.",
    )


def tightest_of(nodes: Sequence[NodeLoad]) -> NodeLoad | None:
    """One that is refused goes before one of which it cannot be told, and that one before one that carries; of equals the least
    headroom. None where none was measured.
    """
    measured = [one for one in nodes if one.databases and one.reason != NOT_MEASURED]
    order = {False: 0, None: 1, True: 2}
    return min(measured, key=lambda one: (order[one.carries], one.headroom or 0.0), default=None)


def _normal_in_words(nodes: Sequence[NodeLoad]) -> str:
    refused = [one.node for one in nodes if one.carries is False]
    unknown = [one.node for one in nodes if one.carries is None]
    if refused:
        do = "do not carry their" if len(refused) > 1 else "does not carry its"
        return f"In normal work {in_words(refused)} {do} databases."
    if unknown:
        do = "carry their" if len(unknown) > 1 else "carries its"
        return f"Whether {in_words(unknown)} {do} databases in normal work cannot be told."
    tightest = limiting(nodes)
    return f"In normal work each of {len(nodes)} nodes carries its databases{_least(tightest)}."


def _least(tightest: NodeLoad | None) -> str:
    """As a clause. Of a lower bound nobody knows whether another node has less."""
    if tightest is None:
        return ""
    if tightest.is_at_least:
        return f", with a headroom of {_headroom(tightest)}"
    return f", {tightest.node} with the least headroom of {_headroom(tightest)}"


def in_short(found: Failover) -> str:
    """The answer in a few words."""
    refused = [one.node for one in found.nodes if one.carries is False]
    normal = [] if not refused else [f"{in_words(refused)} {_does_not(refused)} carry what runs there"]
    return "; ".join([*normal, _losses_in_short(found.losses)]) + _unknown_time(found.nodes, found.losses)


def _unknown_time(nodes: Sequence[NodeLoad], losses: Sequence[NodeLoss]) -> str:
    """Where the most time is not known, as a clause: in it the databases may have asked for more than is judged."""
    loads = [*nodes, *(one for loss in losses for one in loss.nodes)]
    most = max(loads, key=lambda one: one.unknown_share or 0.0)
    share = most.unknown_share or 0.0
    if share < UNKNOWN_SHARE_TOLD:
        return ""
    together = "" if len(most.databases) == 1 else " together"
    return f"; {format_share(share)} of the time of {in_words(most.databases)}{together} is not known"


def _does_not(names: Sequence[str]) -> str:
    return "does not" if len(names) == 1 else "do not"


def _losses_in_short(losses: Sequence[NodeLoss]) -> str:
    survived, lost, unknown = (
        [one.node for one in losses if one.survives is wanted] for wanted in (True, False, None)
    )
    if len(survived) == len(losses):
        return "survives the loss of any one node"
    if len(lost) == len(losses):
        return "survives the loss of no node"
    if len(unknown) == len(losses):
        return "cannot tell whether the loss of a node is survived"
    if not lost:
        return (
            f"survives the loss of {in_words(survived)}; whether that of {in_words(unknown)} cannot be told"
        )
    of = (
        f"survives the loss of {in_words(survived)}, not of {in_words(lost)}"
        if survived
        else f"does not survive the loss of {in_words(lost)}"
    )
    return f"{of}; whether that of {in_words(unknown)} cannot be told" if unknown else of


def _all(answers: Sequence[bool | None]) -> bool | None:
    return False if False in answers else None if None in answers else True
