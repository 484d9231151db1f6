"""Tags of runs: words that people give them, told once for all verbs."""

from __future__ import annotations

import re
from collections.abc import Iterable

from plimsoll.base import limits
from plimsoll.base.errors import UsageError
from plimsoll.requests.asked import Asked

TAG = Asked("tag", "Give the stored run this tag, to find it and to compare by it.", metavar="TAG")
_TAG = re.compile(r"[^\W_][\w.+-]*")


def tags_of(words: Iterable[str]) -> tuple[str, ...]:
    """The tags, each once, in their order. Raises UsageError `tag-unreadable`, `tags-many`."""
    tags = tuple(dict.fromkeys(words))
    for tag in tags:
        if not _TAG.fullmatch(tag) or len(tag) > limits.TAG_LENGTH_MAX:
            hint = f"A tag has letters, digits and . _ + -, {limits.TAG_LENGTH_MAX} at most: before-upgrade."
            raise UsageError("tag-unreadable", f"'{tag}' is no tag", hint)
    if len(tags) > limits.TAGS_MAX:
        hint = "Take some away with `plimsoll store tag RUN TAG --remove`."
        raise UsageError("tags-many", f"{len(tags)} tags of one run are more than {limits.TAGS_MAX}", hint)
    return tags
