"""Databases on several nodes, each with a storage of its own: what each carries, and what becomes of them when one is lost."""

from __future__ import annotations

from plimsoll.base.errors import ExitStatus
from plimsoll.base.units import format_ratio, format_share
from plimsoll.charts import Table
from plimsoll.demand.summed import in_words
from plimsoll.facts import Failover, NodeLoad, NodeLoss, Run
from plimsoll.predict.failover import in_short
from plimsoll.results._blocks import Block, Grid, Points, Words
from plimsoll.results._kind import ResultKind, RunColumn

_NORMAL = ("node", "databases", "carries", "headroom", "storage's time")
_AFTER = ("lost", "survived", "headroom", "no place for", "what then runs where")
_SPARE = ("storage's time",)
_UNKNOWN = "–"
_WORDS = {True: "yes", False: "no", None: "cannot tell"}


def failover_status(found: Failover) -> ExitStatus:
    """1 where a node does not carry its databases or the loss of one is not survived; 5 where one of these cannot be told."""
    if found.answer is None:
        return ExitStatus.DONE_IN_PART
    return ExitStatus.DONE if found.answer else ExitStatus.ANSWER_IS_NO


def _status(run: Run) -> ExitStatus:
    return ExitStatus.INTERRUPTED if run.interrupted else failover_status(run.results["failover"])


def _blocks(run: Run) -> list[Block]:
    """The answer, each node in normal work, and each loss with why."""
    found: Failover = run.results["failover"]
    aligned = (False, False, False, True, True)
    normal = Table(_NORMAL, tuple(map(_of_node, found.nodes)), aligned, _SPARE)
    after = Table(_AFTER, tuple(map(_of_loss, found.losses)), (False, False, True, False, False))
    return [
        Words(found.reason),
        Grid("Each node in normal work, with a storage like the target of its own", normal),
        Grid("Each node lost alone, its databases going where they leave most headroom", after),
        Points(tuple((f"{one.node} lost", one.reason) for one in found.losses)),
    ]


def _of_node(one: NodeLoad) -> tuple[str, ...]:
    share = one.storage_share_max
    return (
        one.node,
        in_words(one.databases) if one.databases else "none",
        _WORDS[one.carries],
        _headroom(one.headroom, one.is_at_least),
        _UNKNOWN if share is None else format_share(share),
    )


def _of_loss(one: NodeLoss) -> tuple[str, ...]:
    unplaced = _UNKNOWN if one.unplaced is None else in_words(one.unplaced) if one.unplaced else "none"
    where = "; ".join(
        f"{node.node}: {in_words(node.databases) if node.databases else 'none'}" for node in one.nodes
    )
    return (one.node, _WORDS[one.survives], _headroom(one.headroom, one.is_at_least), unplaced, where)


def _headroom(headroom: float | None, is_at_least: bool) -> str:
    if headroom is None:
        return _UNKNOWN
    return f"{'≥ ' if is_at_least else ''}{format_ratio(headroom)}"


RESULT = ResultKind(
    fact=Failover,
    rows=(NodeLoss, NodeLoad),
    rank=38,
    answer=in_short,
    status=_status,
    columns=(RunColumn("survives", "boolean", lambda run: run.failover and run.failover.answer),),
    title="Nodes, and the loss of one",
    help="What each node carries, and where its databases go when it is lost.",
    page_rank=39,
    blocks=_blocks,
)
