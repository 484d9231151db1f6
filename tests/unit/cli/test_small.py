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
