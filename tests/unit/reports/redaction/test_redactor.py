"""Generated reports without names: in every layout no invented name is left, and all that is read is as before, but for names."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings

from plimsoll.flows.redact import Redacted, redacted
from plimsoll.reports.figures.interval import interval_of
from plimsoll.reports.reader import read_source
from plimsoll.reports.redaction.columns import content_of
from plimsoll.reports.redaction.lines import Lines
from plimsoll.reports.redaction.masking import Masks
from plimsoll.reports.redaction.page import redact_page
from plimsoll.reports.redaction.pseudonyms import Pseudonyms
from plimsoll.reports.redaction.redactor import Redactor
from plimsoll.reports.redaction.vocabulary import is_known, is_own_name
from plimsoll.reports.sources import Source
from reportgen import names
from reportgen.facts import Facts
from reportgen.invent import Scale, invent
from reportgen.layout import Form, Layout, plain_layouts
from reportgen.report import render
from reportgen.strategies import facts, layouts

KEY = b"a key of the tests, known to all"
_WORD = re.compile(r"[A-Za-z_$][\w$]{3,}")
_ROLE = re.compile(r"(?:UNDO|TEMP|ARCHIVE).*")
_INVENTED = "\n".join(
    [
        *names.DATABASES, *names.HOSTS, *names.OWNERS, *names.TABLESPACES, *names.OBJECTS, *names.STATEMENTS,
        *filter(None, names.MODULES), *(value for _, value in names.PARAMETERS),
    ]
)  # fmt: skip
NAMES = {
    word
    for word in _WORD.findall(_INVENTED)
    if not any(map(is_known, (word, word.lower()))) and not is_own_name(word)
}


def without_names(content: bytes) -> Redacted:
    made = redacted(Source("made", content=content), KEY)
    assert made.problem is None
    return made


def read(content: bytes) -> tuple[list[tuple[object, ...]], object]:
    """Each cell but for its words, and the demand without the name of the database."""
    reading = read_source(Source("made", content=content))
    assert reading.content is not None
    hashed = {
        (at, column)
        for at, table in enumerate(reading.whole().sections)
        for column, heading in enumerate(table.columns)
        if content_of(str(heading)) == "hashes"
    }
    cells = [
        (row["table_index"], row["row_index"], row["column_index"], row["status"], row["number"], row["unit"])
        for row in reading.content.cells().rows()
        if (row["table_index"], row["column_index"]) not in hashed
    ]
    found, _ = interval_of(reading.report, reading.content), None
    classes = {
        name: (one.ops_per_s, one.bytes_per_s, one.latency_us_mean, one.unknown)
        for name, one in found.classes.items()
    }
    return cells, (found.duration_s, found.mb_per_s, classes)


def check(made: Facts, layout: Layout) -> None:
    content = render(made, layout)
    shown = without_names(content)
    assert not shown.reads_otherwise
    assert not NAMES.intersection(re.findall(r"[\w$]+", shown.text))
    assert read(shown.text.encode()) == read(content)


@pytest.mark.parametrize("layout", plain_layouts(), ids=lambda layout: layout.label)
def test_no_layout_shows_a_name_or_reads_otherwise(layout: Layout) -> None:
    check(invent(11), layout)


@settings(max_examples=8, deadline=None)
@given(facts(max_rows=4), layouts())
def test_no_report_shows_a_name_or_reads_otherwise(made: Facts, layout: Layout) -> None:
    check(made, layout)


@pytest.mark.parametrize(
    "layout",
    [layout for layout in plain_layouts() if layout.form in (Form.HTML, Form.TEXT)],
    ids=lambda one: one.label,
)
def test_points_between_groups_of_billions_are_no_address(layout: Layout) -> None:
    made = invent(1, Scale(rows=3, digits=10.0))
    check(made, replace(layout, comma=True, damage=frozenset()))


def test_a_figure_that_is_printed_with_an_exponent_after_its_point_is_no_statement() -> None:
    made = invent(0, Scale(rows=1, digits=6.0, instances=2))
    for layout in plain_layouts():
        check(made, replace(layout, width=80, damage=frozenset()))
        check(made, replace(layout, width=80, comma=True, damage=frozenset()))


def test_a_name_is_the_same_in_every_form() -> None:
    made = invent(5)
    texts = [without_names(render(made, layout)).text for layout in plain_layouts() if not layout.comma]
    name = Pseudonyms(KEY).name(made.header.db_name)
    assert all(name in text for text in texts)


def test_a_database_that_is_called_like_a_word_is_masked_where_it_is_named() -> None:
    made = invent(5)
    made = replace(made, header=replace(made.header, db_name="LOG"))
    for layout in plain_layouts():
        shown = read_source(Source("made", content=without_names(render(made, layout)).text.encode())).report
        assert shown.db_name not in ("LOG", None)


MASKS = Masks(Pseudonyms(KEY))


@pytest.mark.parametrize(
    "text",
    [
        "mail to harbour.master@quay.example now",
        "listener on 10.20.30.40 and 192.168.1.7",
        "written to /u01/app/oracle/diag/quay/trace.trc",
        r"written to D:\oracle\quay\trace.trc",
        "in +QUAY_DATA/quay/users01.dbf",
        "Module: berthing",
        'TABLE "FREIGHT.MANIFESTS" with object ID 4711',
        "database 'QUAY'",
    ],
)
def test_what_names_something_in_a_sentence_is_masked(text: str) -> None:
    shown = MASKS.prose(text)
    for secret in (
        "harbour",
        "master",
        "quay",
        "QUAY",
        "10.20",
        "192.168",
        "u01",
        "berthing",
        "FREIGHT",
        "MANIFESTS",
        "users01",
    ):
        assert secret not in shown
    assert len(shown) == len(text)


@pytest.mark.parametrize(
    "text",
    [
        "db file sequential read", "SQL*Net message from client", "1,439.98 109.72us 16.3G 7.1E+04 -0.0 N/A", "12-Mar-24 10:00:05",
        "parse time elapsed", "enq: TX - row lock contention", 'wait class "User I/O"', 'the parameter "sga_target"',
        "Release 12.1.0.2", "ADDM:1329819247_1_411",
    ],
)  # fmt: skip
def test_oracles_own_words_and_numbers_stay(text: str) -> None:
    assert MASKS.prose(text) == text


def by_points() -> Masks:
    masks = Masks(Pseudonyms(KEY))
    masks.learn((), dots_group=True)
    return masks


@pytest.mark.parametrize(
    "text",
    ["1.561.598.531", "9.001.200.100", "-1.561.598.531", "200.100.150.256", "Redo size: 192.168.100.200,17"],
)
def test_what_can_only_be_a_number_stays_everywhere_where_points_group(text: str) -> None:
    assert by_points().prose(text) == text
    assert by_points().names(text) == text


@pytest.mark.parametrize(
    "address",
    ["192.168.100.200", "192.168.001.010", "10.20.30.40", "1.234.123.145", "192.168.100.200,192.168.100.201"],
)
def test_what_may_be_an_address_is_masked_where_points_group(address: str) -> None:
    for mask in (by_points().prose, by_points().names):
        shown = mask(f"on {address} now")
        assert not any(part in shown for part in address.split(","))


@pytest.mark.parametrize(
    ("heading", "stays"),
    [
        ("Buffer Gets", True),
        ("Total Execs", True),
        ("IP Address", False),
        ("Machine", False),
        ("Begin value", False),
    ],
)
def test_the_column_tells_a_number_from_an_address(heading: str, stays: bool) -> None:
    number = "1.234.123.145"
    page = f"<table><tr><th>Name</th><th>{heading}</th></tr><tr><td>cpu</td><td>{number}</td></tr></table>"
    text = f"Name            {heading}\n--------------- ---------------\ncpu               {number}\n"
    shown = [redact_page(page, by_points(), str), Lines(by_points()).redacted(text)]
    assert [number in one for one in shown] == [stays, stays]


def test_an_address_among_parameters_is_masked_and_a_statistic_is_not() -> None:
    table = (
        "<table><tr><th>{}</th><th>Value</th></tr><tr><td>memory</td><td>192.168.100.200</td></tr></table>"
    )
    shown = [redact_page(table.format(first), by_points(), str) for first in ("Parameter Name", "Statistic")]
    assert ["192.168.100.200" in one for one in shown] == [False, True]


@pytest.mark.parametrize(
    ("head", "column"),
    [
        ("<tr><th></th><th>Interface</th><th>Sent</th></tr><tr><th>I#</th><th>NAME</th><th>MB</th></tr>", 1),
        ("<tr><th rowspan=2>I#</th><th colspan=2>Interface</th></tr><tr><th>NAME</th><th>MB</th></tr>", 1),
        ("<tr><th colspan=2>Database</th><th>Id</th></tr><tr><th>Name</th><th>Role</th><th>I#</th></tr>", 0),
    ],
)
def test_a_name_below_two_rows_of_headings_is_one(head: str, column: int) -> None:
    cells = ["7", "7", "7"]
    cells[column] = "log"
    row = "".join(f"<td>{cell}</td>" for cell in cells)
    shown = redact_page(f"<table>{head}<tr>{row}</tr><tr>{row}</tr></table>", MASKS, str)
    assert "log" not in shown
    assert shown.count("<td>7</td>") == 4


def test_an_event_below_two_rows_of_headings_stays() -> None:
    page = (
        "<table><tr><th>Wait</th><th>Event</th><th>Wait Time</th></tr><tr><th>Class</th><th>Event</th><th>Waits</th></tr>"
        "<tr><td>User I/O</td><td>db file sequential read</td><td>17</td></tr></table>"
    )
    assert redact_page(page, MASKS, str) == page


GERMAN = """
          ADDM-Bericht für Task 'ADDM:1830072438_1_14329'
          -----------------------------------------------

Ergebnis 1: Top SQL-Anweisungen
Auswirkung ist ,72 aktive Sessions, 74,74\\% der Gesamtaktivität.
----------------------------------------------------------------
ADDM hat Instanz QUAY mit der Nummer 1 auf wharf07 analysiert.

   Empfehlung 1: SQL Tuning
   Aktion
      Prüfen Sie die SELECT-Anweisung mit SQL_ID "c3vz9vfpnsk09".
      Beziehungsobjekt
         SQL-Anweisung mit SQL_ID c3vz9vfpnsk09.
         select die, zeit from manifests where ist = 4711
         and der = 'quay'
   Begründung
      Die Datenbankzeit wurde aufgeteilt: 100% für SQL-Ausführung.

          ADDM-Bericht für Task 'ADDM:1830072438_1_14330'
"""


def test_german_findings_keep_their_words_and_lose_statements_and_names() -> None:
    shown = Lines(MASKS).redacted(GERMAN)
    assert not re.search(r"select|zeit from|4711|manifests|quay|QUAY|wharf07|c3vz9vfpnsk09|und der =", shown)
    for kept in (
        "Ergebnis 1: Top SQL-Anweisungen",
        ",72 aktive Sessions, 74,74",
        "   Begründung\n",
        "aufgeteilt: 100% für",
    ):
        assert kept in shown
    assert shown.count("ADDM-Bericht für Task 'ADDM:1830072438_1_143") == 2
    assert [len(line) for line in shown.split("\n")] == [len(line) for line in GERMAN.split("\n")]


@pytest.mark.parametrize(
    "text", ["SYS", "SYSTEM 1,024", "109.72us", "12-Mar-24 10:00", "Linux x86 64-bit", "Host CPUs:  8"]
)
def test_a_column_of_names_keeps_what_every_database_has(text: str) -> None:
    assert MASKS.names(text) == text


def test_a_statement_that_looks_like_a_row_of_a_section_is_masked() -> None:
    text = (
        "SQL ordered by Gets  DB/Inst: QUAY/quay1  Snaps: 1-2\n\n"
        "  Buffer Gets   Executions    SQL Id\n------------ ------------ -------------\n"
        "       1,234           10 7h35uxf5uhmm1\nselect order from table where user = 'log'\n  and id in (4711,\n4712, 4713)\n"
    )
    shown = Lines(MASKS).redacted(text)
    assert "1,234           10" in shown
    assert not re.search(r"471[123]|select|order from|user|7h35uxf5uhmm1|QUAY|quay1", shown)


_SQL_HEAD = (
    "SQL ordered by Gets  DB/Inst: QUAY/quay1  Snaps: 1-2\n\n"
    "  Buffer Gets   Executions    SQL Id\n------------ ------------ -------------\n"
    "       1,234           10 7h35uxf5uhmm1\nselect count from table where user in (\n"
)


@pytest.mark.parametrize(
    "line",
    [
        "4711, 4712, 4713,",
        "/* waiting for DB: QUAY */ and database = system",
        "-> commit, rollback",
        "  -- Inst/ance for DB: QUAY",
    ],
)
def test_a_line_of_a_statement_is_none_of_the_report(line: str) -> None:
    shown = Lines(MASKS).redacted(f"{_SQL_HEAD}{line}\n and redo = log\n").splitlines()
    assert not re.search(r"471[123]|waiting|database|commit|ance|QUAY|redo", "\n".join(shown[5:]))


def test_a_title_ends_the_statements_before_it() -> None:
    for title in (
        "Instance Activity Stats  DB/Inst: QUAY/quay1  Snaps: 1-2",
        "Instance Activity Stats for DB: QUAY  Instance: quay1",
        "Instance Activity Stats  DB/Inst: QUAY/quay1",
    ):
        shown = Lines(MASKS).redacted(f"{_SQL_HEAD}{title}\nredo size\n").splitlines()
        assert shown[-2].startswith("Instance Activity Stats")
        assert shown[-1] == "redo size"


def page_of(sql: str = "", module: str = "", head: str = "") -> str:
    table = f"<tr><th>SQL Text</th><th>SQL Module</th></tr><tr><td>{sql}</td><td>{module}</td></tr>"
    return redact_page(f"<html>{head}<table>{table}</table></html>", MASKS, Lines(MASKS).redacted)


@pytest.mark.parametrize(
    "sql",
    [
        "where pay<berth_pay and quay>100",
        "where pay <b and quay> 3",
        "x = '<Quay>Berth</Quay>'",
        "x = '<i berth=3 quay=berth>'",
        "x &lt; 3 /* &quay; */",
    ],
)
def test_a_statement_that_compares_holds_no_tags(sql: str) -> None:
    shown = page_of(sql=sql, module="<b>quay</b><br>").lower()
    assert not re.search("quay|berth|where", shown)
    assert shown.count("<td>") == shown.count("</td>") == 2
    assert "<b>" in shown


@pytest.mark.parametrize(
    "module", ["<quay>", "</quay>", "&quay;", "&notquay;", "<b quay>x</b>", "<b berth=3>x</b>"]
)
def test_what_is_no_tag_and_no_entity_is_a_name(module: str) -> None:
    assert not re.search("quay|berth", page_of(module=module))


@pytest.mark.parametrize(
    "head",
    [
        '<meta name="author" content="quay">',
        "<style>/* of quay */ td {background:url(http://quay/x)}</style>",
        '<p style="background:url(quay)">',
        "<style>/* f(x) of quay */ p {top:0} /* quay</style>",
        "<img src=quay.png quay>",
        "<p onclick='berth(1)' quay:berth=1>",
    ],
)
def test_what_a_page_says_between_its_tags_is_masked(head: str) -> None:
    assert not re.search("quay|berth", page_of(head=head))


def test_the_looks_of_a_page_stay() -> None:
    head = (
        '<meta http-equiv="Content-Type" content="text/html; charset=utf-8"><style>td {font:bold 10pt Arial}</style>'
        "<td class='awrc' align=right nowrap colspan=\"2\" style='color:red'><a name=\"10\"></a><br/>"
    )
    assert head in page_of(head=head)


@pytest.mark.parametrize(
    "name", ["मुंबई की", "ร้านค้า", "Cafe\u0301 o\u0308l", "İSTANBUL İzmir", "שָׁלוֹם", "か\u3099"]
)
def test_signs_that_belong_to_letters_go_with_them(name: str) -> None:
    assert MASKS.names(name).isascii()


@pytest.mark.parametrize("name", ["awr.quay", "awr_1.lst.quay", ".quay", "awr_1.web01", "quay.txt.gz"])
def test_what_a_file_ends_with_may_be_a_name(name: str) -> None:
    shown = Redactor(Pseudonyms(KEY)).file_name(name)
    assert not re.search("quay|web01", shown)
    assert shown.endswith(".txt")
    assert not shown.startswith(".")


def test_a_text_of_no_known_kind_is_not_written() -> None:
    made = redacted(Source("notes", content=b"the harbour master's telephone: 4711\n"), KEY)
    assert made.problem is not None
    assert "nobody could say what in it is a name" in made.problem
    assert not made.text


def test_what_a_terminal_would_obey_is_taken_out() -> None:
    content = render(invent(3), plain_layouts()[0]).replace(b"STATSPACK", b"STATSPACK\x1b[2J", 1)
    assert "\x1b" not in redacted(Source("made", content=content), KEY).text
