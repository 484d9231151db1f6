"""More and more sessions: throughput by their number, the knee, and the law that fits it."""

from __future__ import annotations

from plimsoll import charts
from plimsoll.charts import Subject
from plimsoll.pages import proof_tables
from plimsoll.pages._say import name, sentence
from plimsoll.pages._section import Section
from plimsoll.results import Block, Figure, Grid, Pairs, Words

_LAW = (
    "The dashed curve is Gunther's Universal Scalability Law. It bends for two reasons: sessions wait for one another, and they "
    "must keep in step with one another, which costs more the more of them there are."
)


def applies(subject: Subject) -> bool:
    """Whether several numbers of sessions were tried."""
    return subject.run.sweep is not None


def blocks(subject: Subject) -> list[Block]:
    """The curve, its points, and the fitted law."""
    found = subject.run.sweep
    assert found is not None, "applies() has looked"
    shown: list[Block] = [Words(sentence(found.reason))]
    if charts.load("sweep-knee").applies(subject):
        shown.append(Figure("sweep-knee"))
    if found.points:
        shown.append(Grid("Each number of sessions", proof_tables.sweep(found)))
    if found.scalability is not None:
        shown += [Words(_LAW), Pairs("The fitted law", proof_tables.scalability(found))]
    if found.settings:
        shown.append(
            Pairs("Workload of all of them", tuple((name(key), said) for key, said in found.settings.items()))
        )
    return shown


SECTION = Section("More sessions", "Throughput by the number of sessions.", 17, applies, blocks)
