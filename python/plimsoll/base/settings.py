"""Every environment variable that Plimsoll reads, in one place; docs/reference/settings.md is made from this table."""

from __future__ import annotations

import os
from collections.abc import Mapping

from plimsoll.base.values import value


@value
class Setting:
    """One environment variable: its name and what it does, in a sentence for the manual."""

    name: str
    help: str


STORE = Setting(
    "PLIMSOLL_STORE", "The run repository: a file path or a postgresql:// URL. `--store` wins over it."
)
SCRATCH = Setting(
    "PLIMSOLL_SCRATCH", "Folder for scratch files and the embedded database when none is named."
)
DATABASE = Setting("PLIMSOLL_DATABASE", "Database URL used where `--database` is not given.")
PROMETHEUS_TOKEN = Setting(
    "PLIMSOLL_PROMETHEUS_TOKEN",
    "Token that goes with each question of `plimsoll trend --prometheus`, as a bearer.",
)
UNPRIVILEGED_USER = Setting(
    "PLIMSOLL_DB_USER", "System user that runs the embedded database when Plimsoll runs as root."
)
XDG_DATA = Setting(
    "XDG_DATA_HOME", "Where the default store lives (below `plimsoll/`); default `~/.local/share`."
)
XDG_STATE = Setting(
    "XDG_STATE_HOME", "Where the journal of scratch resources lives; default `~/.local/state`."
)
IMAGE = Setting("PLIMSOLL_IMAGE", "Set in the container image: hints then name what the image is built with.")
NO_COLOR = Setting("NO_COLOR", "Set to anything: no colours.")

DRIVER_PASSWORDS = ("PGPASSWORD", "MYSQL_PWD")
"""Variables of the databases' own drivers."""
SECRETS = (*DRIVER_PASSWORDS, PROMETHEUS_TOKEN.name)
"""Variables whose whole value is secret."""

SETTINGS = (
    STORE,
    SCRATCH,
    DATABASE,
    PROMETHEUS_TOKEN,
    UNPRIVILEGED_USER,
    XDG_DATA,
    XDG_STATE,
    IMAGE,
    NO_COLOR,
)


def read(setting: Setting, environment: Mapping[str, str] | None = None) -> str | None:
    """The value, or None when unset or empty."""
    return (os.environ if environment is None else environment).get(setting.name) or None


def words_with_secrets(environment: Mapping[str, str] | None = None) -> list[str]:
    """What the environment says that may hold a password, as words of a command would say it."""
    found = os.environ if environment is None else environment
    places = [("--database", read(DATABASE, environment)), ("--store", read(STORE, environment))]
    words = [word for option, place in places if place for word in (option, place)]
    return [*words, *(f"{name}={found[name]}" for name in SECRETS if found.get(name))]
