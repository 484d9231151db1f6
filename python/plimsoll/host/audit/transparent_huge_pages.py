"""Transparent huge pages for every program."""

from __future__ import annotations

from collections.abc import Iterator

from plimsoll.host.audit._look import Look
from plimsoll.host.audit._rule import Rule, Told
from plimsoll.host.audit._words import known_databases

_PATH = "sys/kernel/mm/transparent_hugepage/enabled"
ADVICE = (
    "echo {word} > /{path} sets it until the next boot; transparent_hugepage={kept} on the kernel's command line, or a profile of"
    " tuned, keeps it."
)


def _look(look: Look) -> Iterator[Told]:
    if look.chosen(_PATH) != "always":
        return
    oracle = [one.words for one in known_databases(look) if one.kind == "oracle"]
    message = "the kernel makes huge pages of the memory of every program"
    beside = f", also of {' and '.join(oracle)}" if oracle else ""
    advice = ADVICE.format(word="madvise", path=_PATH, kept="madvise")
    yield Told("wrong" if oracle else "hint", message + beside, advice)


RULE = Rule(
    title="Transparent huge pages for every program",
    why="To make them the kernel moves and clears memory beside the work, which shows as pauses and as memory that nobody asked"
    " for; shared memory of databases gains nothing by it.",
    source="Oracle Database Installation Guide for Linux, Disabling Transparent HugePages; the kernel's"
    " Documentation/admin-guide/mm/transhuge.rst",
    look=_look,
    absent="this kernel has no transparent huge pages",
)
