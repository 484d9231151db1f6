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
            storage_share_max=share, reason=reason,
        )  # fmt: skip
    headroom, is_at_least = verdict.headroom, verdict.is_at_least
    most = None if before is None or before.is_at_least or not before.carries else before.headroom
    if headroom is not None and most is not None and headroom > most:
        headroom, is_at_least = most, False
    return NodeLoad(
        node=node, databases=tuple(databases), carries=verdict.carries, headroom=headroom,
        is_at_least=is_at_least, storage_share_max=share, reason=verdict.reason,
    )  # fmt: skip


def _idle(node: str) -> NodeLoad:
    return NodeLoad(
        node=node, databases=(), carries=True, headroom=None, is_at_least=False, storage_share_max=0.0,
        reason="No database runs on it.",
    )  # fmt: skip


def all_carry(nodes: Sequence[NodeLoad]) -> bool | None:
    """False where one does not; None where that is not known of one."""
    return _all([one.carries for one in nodes])


def least_headroom(nodes: Sequence[NodeLoad]) -> tuple[float | None, bool]:
    """The smallest, and whether it is a lower bound; not known where that of a node with databases is not, and no other one is
    too small.
    """
    busy = [one for one in nodes if one.databases]
    known = [(one.headroom, one.is_at_least) for one in busy if one.headroom is not None]
    least = min(known, default=(None, False))
    is_known = len(known) == len(busy) or (least[0] is not None and least[0] < 1)
    return least if is_known else (None, False)


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

    `why` is a sentence, where no arrangement decided.
    """
    headroom, is_at_least = least_headroom(all_placed)
    return NodeLoss(
        node=node,
        databases=tuple(databases),
        survives=survives,
        headroom=headroom,
        is_at_least=is_at_least,
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
    headroom, _ = least_headroom(all_placed)
    most = (
        ""
        if headroom is None or headroom >= 1
        else f": at best the nodes that are left can take {format_share(headroom)} of the load"
    )
    told = f"The loss of {node} is not survived{most}."
    if unplaced is None:
        return f"{told} Which of its databases find a place is not known."
    if len(unplaced) == len(databases):
        return f"{told} Not one of its databases finds a place."
    rest = [name for name in databases if name not in unplaced]
    return f"{told} Without {in_words(unplaced)} the others are carried{_moves(rest, left)}{_with_headroom(left)}."


def _moves(databases: Sequence[str], nodes: Sequence[NodeLoad]) -> str:
    """Where each goes, as a clause."""
    moved = [(one.node, [name for name in databases if name in one.databases]) for one in nodes]
    clauses = [f"{in_words(names)} on {node}" for node, names in moved if names]
    return f", with {in_words(clauses)}" if clauses else ""


def _with_headroom(nodes: Sequence[NodeLoad]) -> str:
    headroom, is_at_least = least_headroom(nodes)
    if headroom is None:
        return ""
    return f"; the headroom is then {'at least ' if is_at_least else ''}{format_ratio(headroom)}"


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
        reason=f"{_normal_in_words(nodes)} In short: it {short}.",
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
    headroom, is_at_least = least_headroom(nodes)
    tightest = tightest_of(nodes)
    least = (
        ""
        if headroom is None or tightest is None
        else f", {tightest.node} with the least headroom of {'at least ' if is_at_least else ''}{format_ratio(headroom)}"
    )
    return f"In normal work each of {len(nodes)} nodes carries its databases{least}."


def in_short(found: Failover) -> str:
    """The answer in a few words."""
    refused = [one.node for one in found.nodes if one.carries is False]
    normal = [] if not refused else [f"{in_words(refused)} {_does_not(refused)} carry what runs there"]
    return "; ".join([*normal, _losses_in_short(found.losses)])


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
