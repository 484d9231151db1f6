"""Of a real report nothing is said to be lost that is not: a false alarm costs as much trust as a silent loss."""

from __future__ import annotations

import pytest

import report_corpus

_LOST = {
    "awr-text/awr_12.1.0.2_aix_qs02fnt_german-addm_cp1252.txt": {"row-unread"},
    "awr-text/awr_12.1.0.2_tsol_88_89_ORA-13605.lst": {"embedded-error"},
    "awr-text/awr_12.2.0.1_aix_bpsc_2668_2669.txt": {"row-unread"},
    "statspack/sp_12.1.0.2_clinprd1_wrapped-host.txt": {"embedded-error"},
    "statspack/sp_9.2.0.1_orakic_span-shutdown_ORA-06550.lst": {"embedded-error", "row-unread"},
}
"""What these print and nobody can place: errors of the database between tables, words of a script, and the row of a host whose
number of sockets is unknown, which leaves out that column's width, so that all others stand eight characters further left."""


@pytest.mark.parametrize("name", report_corpus.HEADERS)
def test_only_what_is_lost_is_said_to_be(name: str) -> None:
    _, summary = report_corpus.read(report_corpus.needs(name))
    lost = {problem["code"] for problem in summary["problems"] if problem["loses"]}
    assert lost == _LOST.get(name, set()), summary["problems"]
