"""Patterns that are compiled when they are first used: most commands look for none of what they find.

All that tells passwords took a fiftieth of the time in which a short command starts.
"""

from __future__ import annotations

import re
from typing import Any, cast


def late(text: str, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    """As `re.compile` makes it. One that is wrong is told when it is first used: each wants a test that uses it."""
    return cast("re.Pattern[str]", _Late(text, flags))


class _Late:
    def __init__(self, text: str, flags: re.RegexFlag) -> None:
        self._text = text
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        """What the pattern has of this name, which then stands here."""
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(re.compile(self._text, self._flags), name)
        setattr(self, name, found)
        return found
