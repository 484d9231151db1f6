"""Root may read and write anything anywhere; as nobody the modes of files count."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

NOBODY = 65534


@contextmanager
def without_roots_rights() -> Iterator[None]:
    """As nobody, where the tests run as root; as who they run otherwise."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
