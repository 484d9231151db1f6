"""Drivers of databases: each is loaded when it is needed, and says nothing past us.

Their loggers quote servers, with escape sequences and passwords.
"""

from __future__ import annotations

import importlib
import logging
from typing import Any

from plimsoll.base.errors import WorldError
from plimsoll.base.installing import extra_hint


def load(module: str, database: str, extra: str) -> Any:
    """The driver's module. Raises WorldError `driver-missing` with the command that installs it."""
    try:
        found = importlib.import_module(module)
    except ImportError as error:
        message = f"could not load {module}, the driver for {database}"
        raise WorldError("driver-missing", message, extra_hint(extra)) from error
    return _silenced(found)


def _silenced(module: Any) -> Any:
    """The driver's module; what it logs goes nowhere. Errors are raised all the same."""
    logger = logging.getLogger(module.__name__)
    logger.propagate = False
    if not any(isinstance(handler, logging.NullHandler) for handler in logger.handlers):
        logger.addHandler(logging.NullHandler())
    return module
