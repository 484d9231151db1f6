"""What drivers would say past us: their loggers quote servers, with escape sequences and passwords."""

from __future__ import annotations

import logging
from typing import Any


def silenced(module: Any) -> Any:
    """The driver's module; what it logs goes nowhere. Errors are raised all the same."""
    logger = logging.getLogger(module.__name__)
    logger.propagate = False
    if not any(isinstance(handler, logging.NullHandler) for handler in logger.handlers):
        logger.addHandler(logging.NullHandler())
    return module
