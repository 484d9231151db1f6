"""Reads `slob.conf` and `pgio.conf`: lines of NAME=VALUE as a shell would take them, without running a shell.

Keys that say how those tools reach a database or start programs mean nothing here; they are named, as are keys that nobody knows.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plimsoll.base.errors import PlimsollError, UsageError, input_error
from plimsoll.base.redact import names_secret
from plimsoll.facts import Note
from plimsoll.ports import files
from plimsoll.proof.slob.parameters import PARAMETERS, Parameter, check

_LINE = re.compile(r"\s*(?:(?:export|declare\s+-x|typeset\s+-x)\s+)?(?P<name>[A-Za-z_]\w*)=(?P<value>.*)\Z")
_PASSED_ON = re.compile(r"\s*(?:export|declare\s+-x|typeset\s+-x)(\s+[A-Za-z_]\w*)+\s*;?\s*(#.*)?\Z")
"""A shell hands variables that are set elsewhere to its children: nothing is set by it."""
_SEVERAL = re.compile(r"\s*(?P<exported>(?:export|declare\s+-x|typeset\s+-x)\s+)?(?P<words>[A-Za-z_]\w*.*)\Z")
_ASSIGNED = re.compile(r"(?P<name>[A-Za-z_]\w*)=(?P<value>.*)\Z", re.DOTALL)
_NAMED = re.compile(r"[A-Za-z_]\w*\Z")
_ENDED = re.compile(r"(?P<value>[^;'\"\\]*?)\s*;\s*(#.*)?\Z")
"""A value without quotes that ends with a semicolon, and nothing behind it."""
_KNOWN = {name: parameter for parameter in PARAMETERS for name in (*parameter.names, parameter.field.upper())}
_ELSEWHERE = {
    "DATABASE_STATISTICS_TYPE": "counters are read in any case",
    "ADMIN_SQLNET_SERVICE": "name the database with --database",
    "SQLNET_SERVICE_BASE": "name the database with --database",
    "SQLNET_SERVICE_MAX": "name the database with --database",
    "DBA_PRIV_USER": "name the user in --database",
    "SYSDBA_PASSWD": "passwords come from the driver's own file, the environment or a prompt",
    "EXTERNAL_SCRIPT": "no programs are started",
    "DBNAME": "name the database with --database",
    "CONNECT_STRING": "name the database with --database",
    "CREATE_BASE_TABLE": "each table is made by itself",
    "NO_OS_PERF_DATA": "the host's figures cost next to nothing and are always read",
}
_BYTES_MAX = 1 << 20
"""A configuration has some kilobytes."""
_SWITCH = "DO_HOTSPOT"
_LIKE_A_NUMBER = re.compile(r"[+-]?[0-9][0-9 _.,]{0,18}[A-Za-z%]{0,3}", re.ASCII)
"""Of a value that cannot be read only this is quoted: any other may be a login or a password that went astray."""
_PASSED_OVER = "; it was passed over"


@dataclass(frozen=True)
class Conf:
    """What a file asks for, by the fields of `SlobParameters`, and a note for each key that was passed over."""

    given: dict[str, Any]
    notes: tuple[Note, ...]


def read_conf(path: Path) -> Conf:
    """Raises UsageError `slob-conf` with the line, WorldError `slob-conf-unreadable`."""
    try:
        text = files.read_input(path, _BYTES_MAX).decode("utf-8-sig", errors="replace")
    except OSError as error:
        raise input_error(
            "slob-conf-unreadable", path, error, "Name a file that you can read with --conf."
        ) from error
    return parse_conf(text, str(path))


def parse_settings(words: Sequence[str]) -> Conf:
    """The same from words of a command line, `HOTSPOT_MB=8`, where an unknown name is an error. Raises UsageError `slob-conf`."""
    found = parse_conf("\n".join(words), "--set")
    for note in found.notes:
        known = sorted(name for parameter in PARAMETERS for name in parameter.names)
        raise UsageError("slob-conf", note.message.removesuffix(_PASSED_OVER), f"Known: {', '.join(known)}.")
    return found


def parse_conf(text: str, name: str) -> Conf:
    """The text of a file; `name` is for messages."""
    given: dict[str, Any] = {}
    notes: list[Note] = []
    hotspot = True
    for number, key, value in _pairs(text, name):
        if key == _SWITCH:
            hotspot = _switched(value, key, f"{name}:{number}")
        elif key in _KNOWN:
            parameter = _KNOWN[key]
            given[parameter.field] = _read(parameter, key, value, f"{name}:{number}")
        else:
            notes.append(_passed_over(key, f"{name}:{number}"))
    if not hotspot:
        given["hotspot_frequency"] = 0
    return Conf(given, tuple(notes))


def _pairs(text: str, name: str) -> Iterator[tuple[int, str, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#") or _PASSED_ON.match(line):
            continue
        several = _several(line)
        if several:
            yield from ((number, key, "" if _unwanted(key) else value) for key, value in several)
            continue
        match = _LINE.match(line)
        if match is None:
            first = line.split()[0]
            begin = f"what begins with {first}" if _is_a_key(first.upper()) else "this line"
            message = f"{name}:{number}: {begin} is not NAME=VALUE"
            raise UsageError(
                "slob-conf", message, "Each line of a configuration is NAME=VALUE, or a comment after #."
            )
        key = match["name"].upper()
        # What means nothing here is not even looked at: it may be a password, which no message may quote.
        yield number, key, "" if _unwanted(key) else _unquoted(match["value"], key, f"{name}:{number}")


def _several(line: str) -> list[tuple[str, str]]:
    """What a line assigns that assigns several names at once, as a shell takes it; nothing for any other line."""
    found = _SEVERAL.match(line)
    if found is None:
        return []
    ended = _ENDED.match(found["words"])
    try:
        words = shlex.split(ended["value"] if ended else found["words"], comments=True)
    except ValueError:
        return []
    words = words[:-1] if words and words[-1] == ";" else words
    # Behind `export` a bare name hands on what is set elsewhere; without it, it would be a command.
    kept = [word for word in words if not (found["exported"] and _NAMED.match(word))]
    pairs = [_ASSIGNED.match(word) for word in kept]
    if len(words) < 2 or None in pairs:
        return []
    return [(pair["name"].upper(), pair["value"]) for pair in pairs if pair is not None]


def _is_a_key(word: str) -> bool:
    return word in _KNOWN or word in _ELSEWHERE or word == _SWITCH


def _unwanted(key: str) -> bool:
    return key in _ELSEWHERE or (key not in _KNOWN and names_secret(key))


def _shown(value: str) -> str:
    """What may be quoted of a value that cannot be read."""
    text = value.strip()
    return f"'{text}'" if _LIKE_A_NUMBER.fullmatch(text) else "the value"


def _unquoted(value: str, key: str, where: str) -> str:
    if ended := _ENDED.match(value):
        value = ended["value"]
    try:
        words = shlex.split(value, comments=True)
    except ValueError as error:
        message = f"{where}: cannot read the value of {key}: {str(error).lower()}"
        raise UsageError("slob-conf", message, "Close the quotes, or leave them out.") from error
    if len(words) > 1:
        message = f"{where}: {key} has more than one value"
        raise UsageError("slob-conf", message, "Write one value, in quotes where it has spaces.")
    return words[0] if words else ""


def _switched(value: str, key: str, where: str) -> bool:
    word = value.strip().upper()
    if word not in ("TRUE", "FALSE", ""):
        raise UsageError(
            "slob-conf", f"{where}: cannot read {_shown(value)} as {key}", "Write TRUE or FALSE."
        )
    return word == "TRUE"


def _read(parameter: Parameter, key: str, value: str, where: str) -> Any:
    try:
        found = parameter.read(value)
    except (ValueError, PlimsollError) as error:
        raise UsageError(
            "slob-conf", f"{where}: cannot read {_shown(value)} as {key}", parameter.wanted
        ) from error
    try:
        check(parameter.field, found)
    except PlimsollError as error:
        raise UsageError("slob-conf", f"{where}: {error.message}", error.hint) from error
    return found


def _passed_over(key: str, where: str) -> Note:
    why = _ELSEWHERE.get(key)
    if why is not None:
        return Note(code="slob-conf-elsewhere", message=f"{where}: {key} means nothing here: {why}")
    return Note(code="slob-conf-unknown", message=f"{where}: nobody knows {key}{_PASSED_OVER}")
