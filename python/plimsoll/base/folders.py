"""Where results and journals live when nobody says otherwise, as the XDG base directory specification has it."""

from __future__ import annotations

from pathlib import Path

from plimsoll.base import settings
from plimsoll.base.errors import WorldError


def data_folder() -> Path:
    """Where results live: `$XDG_DATA_HOME/plimsoll`. Raises WorldError `home-unknown`."""
    return Path(settings.read(settings.XDG_DATA) or _home() / ".local" / "share") / "plimsoll"


def state_folder() -> Path:
    """Where the scratch journal lives: `$XDG_STATE_HOME/plimsoll`. Raises WorldError `home-unknown`."""
    return Path(settings.read(settings.XDG_STATE) or _home() / ".local" / "state") / "plimsoll"


def _home() -> Path:
    """Of a user whom no file names, as in many containers, there is none."""
    try:
        return Path.home()
    except RuntimeError as error:
        message = "there is no home folder: HOME is not set, and this user has none"
        hint = "Set HOME, or both XDG_DATA_HOME and XDG_STATE_HOME."
        raise WorldError("home-unknown", message, hint) from error
