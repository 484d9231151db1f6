"""Environment variables and the folders that follow from them."""

from __future__ import annotations

import re
from pathlib import Path

from plimsoll.base import settings


def test_unset_and_empty_are_the_same() -> None:
    assert settings.read(settings.STORE, {}) is None
    assert settings.read(settings.STORE, {"PLIMSOLL_STORE": ""}) is None
    assert settings.read(settings.STORE, {"PLIMSOLL_STORE": "x.db"}) == "x.db"


def test_every_setting_is_listed_once_with_a_sentence() -> None:
    listed = [value for value in vars(settings).values() if isinstance(value, settings.Setting)]
    assert sorted(listed, key=lambda setting: setting.name) == sorted(
        settings.SETTINGS, key=lambda setting: setting.name
    )
    assert len({setting.name for setting in listed}) == len(listed)
    for setting in listed:
        assert re.fullmatch(r"[A-Z][A-Z_]+", setting.name)
        assert setting.help.endswith(".")


def test_no_other_module_names_an_environment_variable_of_ours() -> None:
    package = Path(settings.__file__).parent.parent
    names = "|".join(re.escape(setting.name) for setting in settings.SETTINGS)
    readers = [
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if re.search(rf"(environ|getenv)[^\n]*[\"'](?:{names})[\"']", path.read_text())
    ]
    assert readers == []


def test_variables_that_may_hold_a_password_are_told_as_words() -> None:
    told = {"PLIMSOLL_DATABASE": "a", "PLIMSOLL_STORE": "b", "PGPASSWORD": "c", "MYSQL_PWD": "", "HOME": "/"}
    assert settings.words_with_secrets(told) == ["--database", "a", "--store", "b", "PGPASSWORD=c"]
    assert settings.words_with_secrets({}) == []
