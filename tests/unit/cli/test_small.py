"""What keeps a process small takes nothing away from it. Each in a process of its own, as modules are loaded once."""

from __future__ import annotations

import hashlib
import hmac
import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from plimsoll.cli.small import OWN_HASHES

LOADERS = {
    "2.10": "import importlib.metadata as metadata\nnumber = lambda: len([*metadata.distributions()])",
    "2.13": "from importlib.metadata import entry_points\nnumber = lambda: len(entry_points())",
}
"""How releases of Pydantic look for plug-ins, in `pydantic.plugin._loader`."""
PLUGINS = """
import json, sys
sys.path.insert(0, sys.argv[1])
from plimsoll.cli.small import keep_small
keep_small()
from pydantic.plugin._loader import number
print(json.dumps(["importlib.metadata" in sys.modules, number() > 0, "importlib.metadata" in sys.modules]))
"""

HASHES = """
import json, sys
from plimsoll.cli.small import keep_small
keep_small()
import hashlib, hmac
before = "_hashlib" in sys.modules
signed = hmac.new(b"key", b"text", "sha256").hexdigest()[:8]
try:
    hashlib.nothing
except AttributeError as error:
    print(error)
from hashlib import pbkdf2_hmac
import _hashlib
print(json.dumps([before, signed, pbkdf2_hmac is _hashlib.pbkdf2_hmac,
    hashlib.scrypt(b"", salt=b"", n=16, r=1, p=1, dklen=4).hex()]))
"""


def told(program: str, *words: str | Path) -> Any:
    """What a program of Python prints at last, as JSON."""
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("release", LOADERS)
def test_each_release_of_pydantic_can_look_for_plugins_afterwards(release: str, tmp_path: Path) -> None:
    plugin = tmp_path / "pydantic" / "plugin"
    plugin.mkdir(parents=True)
    for folder in (plugin, plugin.parent):
        (folder / "__init__.py").touch()
    (plugin / "_loader.py").write_text(LOADERS[release])
    assert told(PLUGINS, tmp_path) == [False, True, True]


@pytest.mark.skipif(not all(map(find_spec, OWN_HASHES)), reason="this Python has no hashes of its own")
@pytest.mark.skipif(not hasattr(hashlib, "scrypt"), reason="this Python's OpenSSL has no scrypt")
def test_what_openssl_alone_has_is_there_when_it_is_asked_for() -> None:
    signed = hmac.new(b"key", b"text", "sha256").hexdigest()[:8]
    scrypt = hashlib.scrypt(b"", salt=b"", n=16, r=1, p=1, dklen=4).hex()
    assert told(HASHES) == [False, signed, True, scrypt]


KINDS = """
import json, sys
from plimsoll.cli.small import keep_small
keep_small()
before = sorted({"decimal", "fractions", "secrets", "uuid", "zoneinfo"} & set(sys.modules))
import pydantic
from plimsoll import facts
for name in facts.__all__:
    kind = getattr(facts, name)
    if isinstance(kind, type) and issubclass(kind, pydantic.BaseModel):
        kind.model_rebuild(force=True)
from decimal import Decimal
from zoneinfo import ZoneInfo
secret = pydantic.SecretStr("x")
print(json.dumps([before, str(Decimal("1.5")), str(ZoneInfo("UTC")), secret == pydantic.SecretStr("x")]))
"""


def test_kinds_of_values_that_no_fact_has_are_loaded_by_whoever_wants_them() -> None:
    assert told(KINDS) == [[], "1.5", "UTC", True]


DECIMALS = """
import hashlib, json, sys
from plimsoll.cli import small
getattr(small, sys.argv[1])()
import pydantic
from decimal import Decimal
numbers = [pydantic.TypeAdapter(kind).validate_python(Decimal("5")) for kind in (int, float)]
print(json.dumps([numbers, "_hashlib" in sys.modules, pydantic.TypeAdapter(dict).dump_json({"word": 1}).decode()]))
"""


@pytest.mark.parametrize("load", ["load_little", "load_pydantic"])
def test_numbers_of_databases_are_taken_whatever_was_loaded(load: str) -> None:
    assert told(DECIMALS, load) == [[5, 5.0], True, '{"word":1}']


ANNOTATED = """
import json, sys
if sys.argv[1] == "less":
    from plimsoll.cli.small import load_pydantic
    load_pydantic()
import copy, dataclasses, pickle
from typing import Annotated
import annotated_types
from pydantic import (
    AfterValidator, AliasChoices, AliasPath, BaseModel, BeforeValidator, FailFast, Field, PlainSerializer, Strict,
    StringConstraints, TypeAdapter, ValidationError, WithJsonSchema, WrapValidator,
)
from pydantic_core import core_schema
from typing_extensions import TypedDict

class Shape(TypedDict, total=False):
    name: str

class Held(BaseModel):
    few: Annotated[int, Field(ge=1, lt=5)]
    short: Annotated[str, StringConstraints(max_length=3, strip_whitespace=True)] = "a"
    strict: Annotated[int, Strict()] = 0
    aliased: int = Field(0, validation_alias=AliasChoices("old", AliasPath("deep", 0)))
    many: Annotated[tuple[int, ...], FailFast()] = ()
    made: Annotated[int, BeforeValidator(int), AfterValidator(abs), PlainSerializer(str)] = 0
    wrapped: Annotated[int, WrapValidator(lambda value, handler: handler(value) + 1), WithJsonSchema({"type": "integer"})] = 0
    bound: Annotated[float, annotated_types.Interval(gt=0, le=2)] = 1.0
    shape: Shape = {}

def told(**fields):
    try:
        return Held(**fields).model_dump_json()
    except ValidationError as error:
        return [(one["type"], one["loc"]) for one in error.errors()]

at_least = annotated_types.Ge(1)
print(json.dumps([
    told(few=1), told(few=5), told(few=1, short=" abc "), told(few=1, short="abcd"), told(few=1, strict="1"),
    told(few=1, old=4), told(few=1, deep=[5]), told(few=1, many=["x", "y"]), told(few=1, made="-3"), told(few=1, wrapped=1),
    told(few=1, bound=0), told(few=1, shape={"name": 1}), told(few=1, shape={"name": "x"}),
    Held.model_json_schema(), TypeAdapter(Shape).validate_python({"name": "x"}), sorted(Shape.__annotations__),
    at_least == annotated_types.Ge(1), len({at_least, annotated_types.Ge(1), annotated_types.Ge(2)}), repr(at_least),
    [one.name for one in dataclasses.fields(at_least)],
    copy.copy(at_least) == at_least, pickle.loads(pickle.dumps(at_least)) == at_least,
    dataclasses.is_dataclass(annotated_types.Len), repr(AliasPath("a", 1)), [*annotated_types.Interval(ge=1, lt=3)],
    type(core_schema.CoreConfig(title="x")).__name__, dataclasses.dataclass.__module__,
], default=str))
"""


def test_pydantic_checks_the_same_without_what_it_is_not_asked_for() -> None:
    assert told(ANNOTATED, "less") == told(ANNOTATED, "all")
