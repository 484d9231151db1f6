"""Reads a job file: sections of keys and values, each `[global]` setting defaults for the jobs below it (fio(1), JOB FILE FORMAT).

A key that is not supported is an error and never left out: a job without it would be another job.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from plimsoll.base.errors import UsageError, input_error
from plimsoll.base.redact import names_secret, redact_word
from plimsoll.dialects.fio import elsewhere
from plimsoll.dialects.fio.options import KEYS, OPTIONS, Key, nearest
from plimsoll.dialects.fio.values import Distribution, Range, Size, Split
from plimsoll.ports import files

_BYTES_MAX = 1 << 20
"""Nobody writes a job file of this length."""
_GLOBAL = "global"
_REMARK = re.compile("[;#]")
_HEADER = re.compile(r"\[([^\[\]]+)\]")
_VARIABLE = re.compile(r"\$\{([^}]*)\}")
_KEPT_TO_ITSELF = re.compile(
    r"(?<![^\W_])(?:auth|authorization|cookie|database|dsn|key|keys|login|uri|url|plimsoll_store)(?![^\W_])",
    re.IGNORECASE,
)
"""Names of variables that often lead to a place with a login, or hold what opens one."""
_KEYWORD = re.compile(r"\$(ncpus|pagesize|mb_memory)\b")
_BLOCK_BYTES = 4096


@dataclass(frozen=True)
class Job:
    """A job with fio's defaults (release 3.33, on Linux), and fio's meanings. Pairs are for reads and for writes."""

    file: str
    line: int
    """Where its section begins."""
    section: str
    options: tuple[tuple[str, str], ...]
    """Keys and values as written, those of `[global]` among them."""
    name: str = ""
    description: str = ""
    rw: str = "read"
    block_bytes: tuple[Range, Range] = (Range(_BLOCK_BYTES), Range(_BLOCK_BYTES))
    splits: tuple[Split, Split] | None = None
    size: Size | None = None
    file_bytes: int | None = None
    """fio's filesize."""
    io_size: Size | None = None
    loops: int = 1
    offset_bytes: int = 0
    filenames: tuple[str, ...] = ()
    file_count: int = 1
    """Of each clone, where there are no names."""
    may_create: bool = True
    directory: str = ""
    ioengine: str = "psync"
    iodepth: int = 1
    numjobs: int = 1
    direct: bool = False
    invalidate: bool = True
    sync: str = "none"
    fsync: int = 0
    fdatasync: int = 0
    runtime_us: int = 0
    """0 is no bound, as in fio."""
    time_based: bool = False
    ramp_us: int = 0
    delay_us: int = 0
    read_percent: int | None = None
    rates: tuple[int | None, int | None] | None = None
    byte_rates: tuple[int | None, int | None] | None = None
    rates_min: tuple[int | None, int | None] | None = None
    byte_rates_min: tuple[int | None, int | None] | None = None
    submit_mode: str = "inline"
    arrivals: str = "uniform"
    think_us: int = 0
    distribution: Distribution = Distribution()
    norandommap: bool = False
    randrepeat: bool = True
    randseed: int | None = None
    stonewall: bool = False
    wait_for: str = ""
    thread: bool = False
    group_reporting: bool = False
    new_group: bool = False
    gtod_reduce: bool = False
    disable_lat: bool = False
    disable_clat: bool = False
    disable_slat: bool = False
    disable_bw: bool = False
    bw_log: str | None = None
    iops_log: str | None = None
    lat_log: str | None = None
    """What the logs' names begin with; the empty word stands for the job's name, None for no log."""
    log_ms: int = 0
    memory: str = "malloc"
    ioscheduler: str = ""
    kb_base: int = 1024

    @property
    def label(self) -> str:
        """What people call it."""
        return self.name or self.section

    @property
    def files_per_clone(self) -> int:
        """So many files each clone works on; those with names belong to all clones."""
        return len(self.filenames) or self.file_count

    def sizes(self, side: int) -> Split:
        """Block sizes and their percentages; `side` is 0 for reads and 1 for writes."""
        return self.block_bytes[side].shares() if self.splits is None else self.splits[side]

    def refuse(self, problem: str, hint: str) -> UsageError:
        """An error `job-unsupported` about the job as a whole."""
        return UsageError(
            "job-unsupported", f"{self.file}, line {self.line}: job {self.label} {problem}", hint
        )


@dataclass(frozen=True)
class _Line:
    """One `key=value`, with the place where it stands."""

    file: str
    number: int
    key: str
    value: str | None

    def error(self, id: str, problem: str, hint: str) -> UsageError:
        return UsageError(id, f"{self.file}, line {self.number}: {problem}", hint)


@dataclass
class _Section:
    name: str
    number: int
    lines: list[_Line]


def read(path: Path, environment: Mapping[str, str]) -> tuple[Job, ...]:
    """The jobs of a file. Raises WorldError `job-file-unreadable`, and what `parse` raises."""
    try:
        content = files.read_input(path, _BYTES_MAX)
    except files.TooLargeError as error:
        raise _too_long(path) from error
    except OSError as error:
        raise input_error("job-file-unreadable", path, error, "Name a job file of fio.") from error
    return parse(str(path), _text(path, content), environment)


def parse(file: str, text: str, environment: Mapping[str, str]) -> tuple[Job, ...]:
    """The jobs of a text, in their order; `file` is for messages.

    Raises UsageError `job-file-syntax`, `job-file-empty`, `job-elsewhere`, `job-key-unknown`, `job-value-unreadable`; all name
    file and line.
    """
    defaults: list[_Line] = []
    jobs = []
    sections = list(_sections(file, text))
    _check_whose_work(sections)
    for section in sections:
        section.lines = [_expanded_line(line, environment) for line in section.lines]
        if section.name == _GLOBAL:
            defaults += section.lines
            _values(defaults)
        else:
            jobs.append(_job(file, section, [*defaults, *section.lines]))
    if not jobs:
        hint = "A job begins with its name in brackets, like [reads]."
        raise UsageError("job-file-empty", f"{file} holds no job", hint)
    return tuple(jobs)


def _check_whose_work(sections: Sequence[_Section]) -> None:
    """That nothing asked for is another tool's work: of all that may be wrong with such a file, this is what its owner must know.

    The engine says it best, so it is named before other keys.
    """
    lines = [line for section in sections for line in section.lines]
    for line in sorted(lines, key=lambda line: line.key != "ioengine"):
        reason = elsewhere.why(line.key, line.value)
        if reason is not None:
            shown = line.key if line.value is None else f"{line.key}={_short(line.value)}"
            raise line.error("job-elsewhere", f"{shown} {reason}", elsewhere.WAY_ON)


def _too_long(path: Path) -> UsageError:
    return UsageError(
        "job-file-syntax",
        f"{path} is longer than {_BYTES_MAX} bytes, which no job file is",
        "Name a job file of fio. Its results are read by plimsoll import.",
    )


def _text(path: Path, content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        hint = "Save the file as UTF-8, or name a job file of fio."
        raise UsageError("job-file-syntax", f"{path}, line {line}: this is not UTF-8 text", hint) from error


def _sections(file: str, text: str) -> Iterator[_Section]:
    """The file as it stands, without its remarks: like fio, we take `;` and `#` for the beginning of one wherever they are."""
    section: _Section | None = None
    for number, raw in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        line = _REMARK.split(raw, maxsplit=1)[0].strip()
        if not line:
            continue
        header = _HEADER.fullmatch(line)
        if header is not None and header[1].strip() and header[1].isprintable():
            if section is not None:
                yield section
            section = _Section(header[1].strip(), number, [])
            continue
        found = _line(file, number, line)
        if section is None:
            hint = "Keys stand below a section: [global] for all jobs, or the name of one in brackets."
            raise found.error("job-file-syntax", f"key '{found.key}' stands before any section", hint)
        section.lines.append(found)
    if section is not None:
        yield section


def _line(file: str, number: int, text: str) -> _Line:
    key, equals, value = (part.strip() for part in text.partition("="))
    line = _Line(file, number, key, None)
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", key):
        hint = "Write one key=value to a line, [name] to begin a job, and ; or # at the start of a remark."
        raise line.error("job-file-syntax", f"cannot read '{_short(text)}'", hint)
    return _Line(file, number, key, value if equals else None)


def _expanded_line(line: _Line, environment: Mapping[str, str]) -> _Line:
    return line if line.value is None else replace(line, value=_expanded(line, line.value, environment))


def _expanded(line: _Line, value: str, environment: Mapping[str, str]) -> str:
    """With `${NAME}` from the environment, and fio's words for the machine.

    What a value becomes is shown and kept, as the name of a file for one, and the job file may be another's: no variable is put in
    that says by its name or by its value that it holds a password.
    """

    def variable(match: re.Match[str]) -> str:
        if _holds_secret(match[1], environment.get(match[1], "")):
            problem = f"{line.key} uses the variable {match[1]}, which may hold a password"
            hint = "Its value would be shown and kept. Write the value itself, or use a variable of another name."
            raise line.error("job-value-unreadable", problem, hint)
        if match[1] not in environment:
            problem = f"{line.key} uses the variable {match[1]}, which is not set"
            raise line.error(
                "job-value-unreadable", problem, f"Set it: {match[1] or 'NAME'}=… plimsoll fio …."
            )
        return environment[match[1]]

    return _KEYWORD.sub(lambda match: str(_machine(match[1])), _VARIABLE.sub(variable, value))


def _holds_secret(name: str, value: str) -> bool:
    return names_secret(name) or _KEPT_TO_ITSELF.search(name) is not None or redact_word(value) != value


def _machine(word: str) -> int:
    """What fio says for `$ncpus`, `$pagesize` and `$mb_memory`."""
    if word == "ncpus":
        return os.sysconf("SC_NPROCESSORS_ONLN")
    page_bytes = os.sysconf("SC_PAGESIZE")
    return page_bytes if word == "pagesize" else os.sysconf("SC_PHYS_PAGES") * page_bytes >> 20


def _job(file: str, section: _Section, lines: list[_Line]) -> Job:
    options = {line.key: "1" if line.value is None else line.value for line in lines}
    return Job(
        file=file,
        line=section.number,
        section=section.name,
        options=tuple(options.items()),
        **_values(lines),
    )


def _values(lines: list[_Line]) -> dict[str, Any]:
    """Fields of Job from lines in their order: a later one overrides."""
    kb_base = 1024
    for line in lines:
        if line.key == "kb_base":
            kb_base = _value(_known(line), line, kb_base)
    keys = [(_known(line), line) for line in lines]
    return {key.option.field: _value(key, line, kb_base) for key, line in keys}


def _known(line: _Line) -> Key:
    key = KEYS.get(line.key)
    if key is not None:
        return key
    like = nearest(line.key)
    guess = f"Did you mean {like}? " if like else ""
    supported = ", ".join(option.name for option in OPTIONS)
    raise line.error(
        "job-key-unknown", f"key '{line.key}' is not supported", f"{guess}Supported are {supported}."
    )


def _value(key: Key, line: _Line, kb_base: int) -> Any:
    if line.value is None and not key.option.alone:
        problem = f"{line.key} needs a value"
        raise line.error("job-value-unreadable", problem, f"What {line.key} takes: {key.option.takes}.")
    text = key.option.alone_as if line.value is None else line.value
    try:
        return key.read(text, kb_base)
    except ValueError as error:
        problem = f"{line.key}={_short(text)} {error}"
        raise line.error(
            "job-value-unreadable", problem, f"What {line.key} takes: {key.option.takes}."
        ) from error


def _short(text: str) -> str:
    """On one line, and not too long for it."""
    shown = text if text.isprintable() else repr(text)[1:-1]
    return shown if len(shown) <= 60 else shown[:59] + "…"
