"""Three databases, each on a node of its own: the loss of two nodes is survived, that of the third is not."""

from __future__ import annotations

from typing import Any

from facts_builder import verdict
from facts_together import together_of_three
from plimsoll.facts import NodeLoad, NodeLoss
from plimsoll.predict.failover import NODE_RESOURCES, failover, node_load, node_loss

_IOPS = {"shop": 45_000.0, "crm": 12_000.0, "hr": 18_000.0}
_LINE = 56_000.0


def parts() -> dict[str, Any]:
    """Of a run: the demand of the tightest node, the verdict on it, and what is said of the nodes."""
    nodes = [_load("n1", "shop"), _load("n2", "crm"), _load("n3", "hr")]
    first, second, third = nodes
    beside = [_load("n2", "shop", "crm", before=second), third]
    losses = [
        node_loss("n1", ["shop"], False, beside, [second, third], ["shop"]),
        _survived("n2", "crm", first, _load("n3", "crm", "hr", before=third)),
        _survived("n3", "hr", first, _load("n2", "crm", "hr", before=second)),
    ]
    return {
        "demand": together_of_three().sum_of((0,)),
        "verdict": verdict(True, _LINE / _IOPS["shop"], _IOPS["shop"]),
        "failover": failover(nodes, losses),
        "notes": (NODE_RESOURCES,),
    }


def _load(node: str, *databases: str, before: NodeLoad | None = None) -> NodeLoad:
    asked = sum(_IOPS[name] for name in databases)
    found = verdict(asked < _LINE, _LINE / asked, asked)
    return node_load(node, databases, found, asked / _LINE, before)


def _survived(node: str, database: str, *left: NodeLoad) -> NodeLoss:
    return node_loss(node, [database], True, left, left, ())
