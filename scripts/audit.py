"""Asks cargo-deny about the crates and pip-audit about the locked Python packages; a part of `make check`.

Licences, bans and sources (deny.toml) need nothing but what a build needs. Advisories come over the network: where they
cannot be reached that is said, and is no failure. A vulnerability that is known is one.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
MANIFESTS = ("Cargo.toml", "fuzz/Cargo.toml")
NETWORK_S_MAX = 90
"""Patience with everything that is asked over the network."""


def main() -> int:
    """1 if anything is wrong with a dependency."""
    lawful = [_deny(manifest, "bans", "licenses", "sources") for manifest in MANIFESTS]
    return 0 if all([*lawful, _crates_are_safe(), _packages_are_safe()]) else 1


def _deny(manifest: str, *checks: str) -> bool:
    words = ("check", "--hide-inclusion-graph", *checks)
    return subprocess.run(_cargo_deny(manifest, *words), cwd=ROOT, check=False).returncode == 0


def _cargo_deny(manifest: str, *words: str) -> list[str]:
    settings = ["--locked", "--config", "deny.toml", "--manifest-path", manifest]
    return [_beside_python("cargo-deny"), *settings, *words]


def _crates_are_safe() -> bool:
    fetched = _asked(_cargo_deny(MANIFESTS[0], "fetch", "db"))
    if fetched.returncode != 0:
        return _skipped("crates", _reason(fetched.stderr))
    safe = [_deny(manifest, "advisories") for manifest in MANIFESTS]
    return all(safe)


def _packages_are_safe() -> bool:
    locks = [word for lock in sorted(ROOT.glob("requirements/*.lock")) for word in ("-r", str(lock))]
    words = ["--require-hashes", "--disable-pip", "--progress-spinner", "off", "--format", "json", *locks]
    command = [_beside_python("pip-audit"), *words]
    readable = _asked([*command, "--dry-run"])
    if readable.returncode != 0:
        print(f"error: pip-audit cannot read requirements: {_reason(readable.stderr)}", file=sys.stderr)
        return False
    answer = _asked(command)
    try:
        packages = json.loads(answer.stdout)["dependencies"]
    except ValueError:
        return _skipped("python packages", _reason(answer.stderr))
    return judged(packages)


def judged(packages: list[dict[str, Any]]) -> bool:
    """Whether no package has a known vulnerability; says which have, and which nobody there knows."""
    unknown = sorted({package["name"] for package in packages if "skip_reason" in package})
    if unknown and len(unknown) == len({package["name"] for package in packages}):
        return _skipped("python packages", "whoever was asked knows none of them")
    if unknown:
        print(f"not audited: {', '.join(unknown)}")
    found = {
        f"{package['name']} {package['version']}: {vulnerability['id']}, "
        f"mended in {', '.join(vulnerability['fix_versions']) or 'no version'}"
        for package in packages
        for vulnerability in package.get("vulns", ())
    }
    print("\n".join(sorted(found)), file=sys.stderr, end="\n" if found else "")
    return not found


def _beside_python(program: str) -> str:
    """A program of a package that is locked with Python's others."""
    return str(Path(sys.executable).parent / program)


def _asked(command: list[str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command, cwd=ROOT, check=False, capture_output=True, text=True, timeout=NETWORK_S_MAX
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 1, "", f"no answer within {NETWORK_S_MAX} s")


def _reason(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return lines[-1] if lines else "no reason given"


def _skipped(what: str, reason: str) -> bool:
    print(f"skipped: advisories for {what} could not be reached ({reason})")
    return True


if __name__ == "__main__":
    sys.exit(main())
