"""Names of fields in words: `latency_us.p999` is "latency p99.9, µs"."""

from __future__ import annotations

_UNITS = {
    "us": "µs", "s": "s", "bytes": "bytes", "iops": "I/Os per second", "mb": "MB", "kb": "kB", "per_s": "per second",
    "mb_per_s": "MB per second", "bytes_per_s": "bytes per second", "ops_per_s": "I/Os per second", "us_per_io": "µs per I/O",
}  # fmt: skip
_WORDS = {
    "ci95": "95 % interval", "p999": "p99.9", "p9999": "p99.99", "cpu": "CPU", "ios": "I/Os", "io": "I/O", "max": "at most",
    "min": "at least", "id": "identifier", "sql": "SQL", "db": "DB", "slo": "objective", "stddev": "standard deviation",
}  # fmt: skip
_PARTS_MAX = max(unit.count("_") for unit in _UNITS) + 1


def in_words(path: str) -> str:
    """The words of a field's path, and its unit behind a comma."""
    words: list[str] = []
    units: list[str] = []
    for name in path.split("."):
        found, unit = _split(name.split("_"))
        words += found
        units += unit
    text = " ".join(_WORDS.get(word, word) for word in words)
    return ", ".join(part for part in (text, *units[-1:]) if part)


def _split(parts: list[str]) -> tuple[list[str], list[str]]:
    """The words of one name, and the unit among them: it stands last, or before a bound or a percentile."""
    for length in range(_PARTS_MAX, 0, -1):
        for start in range(len(parts) - length, -1, -1):
            unit = _UNITS.get("_".join(parts[start : start + length]))
            if unit is not None:
                return parts[:start] + parts[start + length :], [unit]
    return parts, []
