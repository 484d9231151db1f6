"""What the head of a page says of advice: which database and interval, and the few figures that matter most."""

from __future__ import annotations

from plimsoll.base.units import format_seconds, format_share
from plimsoll.facts import Advice, IntervalVerdict, Run, StorageWhatIf
from plimsoll.pages._say import UNKNOWN, counted, percent
from plimsoll.results import Answer
from plimsoll.results import answer as in_words

_CPU = "cpu"


def answer(run: Run, advice: Advice, remark: str | None) -> Answer:
    """The verdict, and what it is about."""
    words = in_words(run)
    unknown = all(one.verdict == "cannot tell" for one in advice.verdicts)
    return Answer(
        "unknown" if unknown else "plain", f"{words[:1].upper()}{words[1:]}", _about(advice), remark
    )


def _about(advice: Advice) -> str:
    if len(advice.verdicts) != 1:
        return (
            f"{counted(len(advice.verdicts), 'interval')} of {counted(_database_count(advice), 'database')}."
        )
    one = advice.verdicts[0]
    times = [f"from {one.begin_time}" if one.begin_time else "", f"to {one.end_time}" if one.end_time else ""]
    told = " ".join(time.replace("T", " ") for time in times if time)
    return f"Database {one.db_name or UNKNOWN}{', ' if told else ''}{told}."


def _database_count(advice: Advice) -> int:
    return len({(one.db_name, one.db_id) for one in advice.verdicts})


def figures(advice: Advice) -> list[tuple[str, str, str]]:
    """DB time, what of it is CPU time, and what other storage would take off."""
    if len(advice.verdicts) != 1:
        return _of_several(advice)
    one = advice.verdicts[0]
    cpu = next((part for part in one.parts if part.part == _CPU), None)
    storage = _storage(one)
    return [
        ("DB time", _seconds(one.db_time_s), _sessions(one)),
        ("CPU time", UNKNOWN if cpu is None else percent(cpu.share), "of DB time"),
        (
            "Faster storage saves",
            _seconds(None if storage is None else storage.saves_s),
            "" if storage is None else f"{format_share(storage.saves_share)} of DB time",
        ),
    ]


def _of_several(advice: Advice) -> list[tuple[str, str, str]]:
    saved = [storage.saves_s for one in advice.verdicts if (storage := _storage(one)) is not None]
    times = [one.db_time_s for one in advice.verdicts if one.db_time_s is not None]
    return [
        ("Intervals", f"{len(advice.verdicts):,}", f"of {counted(_database_count(advice), 'database')}"),
        ("DB time", _seconds(sum(times) if times else None), f"of {counted(len(times), 'interval')}"),
        (
            "Faster storage saves",
            _seconds(sum(saved) if saved else None),
            f"in {counted(len(saved), 'interval')}",
        ),
    ]


def _storage(one: IntervalVerdict) -> StorageWhatIf | None:
    return next((what for what in one.what_if if what.read_latency_us is not None), None)


def _sessions(one: IntervalVerdict) -> str:
    if one.db_time_s is None or not one.elapsed_s:
        return ""
    return f"in {format_seconds(one.elapsed_s)}: {one.db_time_s / one.elapsed_s:,.1f} average active sessions"


def _seconds(value: float | None) -> str:
    return UNKNOWN if value is None else format_seconds(value)
