"""Facts as tables: Polars frames, and through the Arrow C interface whatever else reads it (pandas, DuckDB, pyarrow)."""

from __future__ import annotations

import signal
import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast, get_args

from plimsoll.base.errors import WorldError
from plimsoll.base.installing import extra_hint
from plimsoll.facts import Fact, LatencyUs

if TYPE_CHECKING:
    import polars


class Tabular(ABC):
    """What has a frame. It is a table to everything that knows the Arrow C interface: `duckdb`, `pyarrow.table(found)`."""

    @abstractmethod
    def frame(self) -> polars.DataFrame:
        """A row for each part. Raises WorldError `extra-missing` without Polars."""

    def to_pandas(self, *of: str) -> Any:
        """The same as a pandas DataFrame, by way of Arrow; `of` is what `frame` takes.

        Raises WorldError `extra-missing` without pandas, Polars or pyarrow.
        """
        frame = cast("Any", self).frame(*of)
        try:
            import_module("pandas")
            return frame.to_pandas()
        except ImportError as error:
            hint = f"Install pandas as well as pyarrow. {extra_hint('tables')}"
            message = "a pandas frame needs pandas and pyarrow, and one is not installed"
            raise WorldError("extra-missing", message, hint) from error

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The frame as a stream of Arrow batches."""
        return cast("Any", self.frame()).__arrow_c_stream__(requested_schema)


def frame_of(facts: Sequence[Fact]) -> polars.DataFrame:
    """A row for each fact."""
    return frame_of_rows([row(fact) for fact in facts])


def frame_of_rows(rows: Sequence[dict[str, Any]]) -> polars.DataFrame:
    """A frame of rows that are there already."""
    is_new = "polars" not in sys.modules
    try:
        import polars
    except ImportError as error:
        hint = extra_hint("tables")
        raise WorldError("extra-missing", "frames need polars, which is not installed", hint) from error
    if is_new:
        # It puts a handler of its own before Python's, with which a wait goes on after Ctrl-C, as of a lock (SA_RESTART).
        signal.siginterrupt(signal.SIGINT, True)
    return polars.DataFrame(rows, infer_schema_length=None)


def row(fact: Fact, prefix: str = "") -> dict[str, Any]:
    """Plain fields as they are, latencies as columns like `latency_us_p99`; whole facts within and distributions are left out."""
    made: dict[str, Any] = {}
    for name, field in type(fact).model_fields.items():
        value = getattr(fact, name)
        if isinstance(value, LatencyUs):
            made |= row(value, f"{prefix}{name}_")
        elif _is_plain(value) and LatencyUs not in get_args(field.annotation):
            made[prefix + name] = list(value) if isinstance(value, tuple) else value
    return made


def _is_plain(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(isinstance(part, str) for part in value)
    return value is None or isinstance(value, str | int | float)
