"""Stored runs in Python: beside each other, and with words that people give them."""

from __future__ import annotations

from dataclasses import replace

from plimsoll.api._surroundings import surroundings
from plimsoll.facts import Comparison, Run
from plimsoll.requests.compare import CompareRequest
from plimsoll.requests.store import TagRequest


def compare(*runs: str, store: str | None = None) -> Comparison:
    """Runs against the first of them, as `plimsoll compare`: each word is an id or its beginning, `latest`, `latest~1`, repeats
    joined with commas, or `tag:NAME`; `store` None is the default store.

    Raises UsageError `compare-one`, `compare-unlike`, `compare-none`, `tag-unknown`, and what loading raises.
    """
    from plimsoll.flows.compare import compare as held_against
    from plimsoll.store import open_store

    with surroundings(CompareRequest(runs), "compare", None, None, None) as ctx:
        return held_against(replace(ctx, store=open_store(store)), runs).comparison


def tag(run: str, *tags: str, remove: bool = False, store: str | None = None) -> Run:
    """Gives a stored run tags or takes them away, as `plimsoll store tag`; returns it as it is then.

    Raises UsageError `tag-unreadable`, `tags-many`, and what loading raises.
    """
    from plimsoll.flows.retell import tag_run
    from plimsoll.store import open_store

    with surroundings(TagRequest(run, tags, remove), "tag", None, None, None) as ctx:
        return tag_run(replace(ctx, store=open_store(store)), run, tags, remove)
