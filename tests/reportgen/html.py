"""Sets a document as HTML, as Oracle's own reports write it: one element per line of the table, classes `awrc` and `awrnc`."""

from __future__ import annotations

from html import escape

from reportgen.facts import Facts
from reportgen.layout import Kind, Layout
from reportgen.model import Absent, Block, Column, Pairs, Profile, Prose, Style, Table, cells
from reportgen.printing import Medium, Printed, Value
from reportgen.text import medium, profile_medium

_STYLE = """<style type="text/css">
body.awr {font:bold 10pt Arial,sans-serif;color:black; background:White;}
th.awrbg {font:bold 8pt Arial,sans-serif; color:White; background:#0066CC;}
td.awrnc {font:8pt Arial,sans-serif;color:black;background:White;}
td.awrc {font:8pt Arial,sans-serif;color:black;background:#FFFFCC;}
table.tdiff {  border_collapse: collapse; }
</style>"""
_BACK = '<br /><a class="awr" href="#top">Back to Top</a><p />'
_BLANK = "&#160;"


def render(parts: tuple[list[Block], ...], facts: Facts, layout: Layout) -> str:
    """The report."""
    head, summary, body = parts
    lines = [_opening(facts, layout)]
    lines += [_set(block, layout) for block in head]
    lines.append(
        '<h3 class="awr">Report Summary</h3>'
        if layout.since(12, 1)
        else '<h3 class="awr"><a class="awr" name="99999"></a>Report Summary</h3>'
    )
    lines += [_set(block, layout) for block in summary]
    lines.append('<a class="awr" name="main"></a>\n<h2 class="awr">\nMain Report\n</h2>')
    lines += [_set(block, layout) for block in body]
    lines.append("<p />\nEnd of Report\n</body></html>")
    return "\n".join(lines) + "\n"


def _opening(facts: Facts, layout: Layout) -> str:
    header = facts.header
    rac = "RAC " if layout.kind is Kind.GLOBAL else ""
    instance = "" if layout.kind is Kind.GLOBAL else f", Inst: {facts.first.name}"
    title = (
        f"AWR {rac}Report for DB: {header.db_name}{instance}, Snaps: {header.begin_snap}-{header.end_snap}"
    )
    return f'<html lang="en"><head><title>{title}</title>\n{_STYLE}</head><body class="awr">'


def _set(block: Block, layout: Layout) -> str:
    match block:
        case Prose():
            return block.html
        case Absent():
            heading = f'<a class="awr" name="0"></a>\n<h3 class="awr">{block.title}</h3>\n\n<p />'
            return f"{heading}\n{'':18}No data exists for this section of the report.\n<p />\n{_BACK}"
        case Table():
            return _table(block, layout)
        case Profile():
            return _profile(block, layout)
        case Pairs():
            return _pairs(block, layout)


def _table(table: Table, layout: Layout) -> str:
    rows = [
        _row([(column, column.form.printed(value, medium(column, layout))) for column, value in pairs], place)
        for place, (_, pairs) in enumerate(cells(table))
    ]
    summary = escape(table.summary)
    opening = f'<table border="0" class="tdiff" summary="{summary}">'
    grid = (
        "\n".join(
            [opening + _groups(table) + _headings([column.html_heading for column in table.columns]), *rows]
        )
        + "\n</table>"
    )
    if table.style is Style.BARE:
        return f"{grid}\n<p />"
    if table.style is not Style.SECTION:
        return f"<p />{escape(table.title, quote=False)}<p />\n<ul>\n</ul>\n{grid}<p />"
    notes = "".join(
        f'<li class="awr"> {escape(" ".join(note.split()), quote=False)} </li>\n' for note in table.notes
    )
    heading = f'<a class="awr" name="s"></a>\n<h3 class="awr">{escape(table.title, quote=False)}</h3>\n<ul>\n{notes}</ul>'
    return f'{heading}\n{grid}<p />\n<hr align="left" width="20%" /><p />\n{_BACK}'


def _groups(table: Table) -> str:
    if not table.groups:
        return ""
    made = "".join(
        f'<th class="awrbg" scope="col" colspan=" {span}">{escape(words, quote=False)}</th>'
        if span > 1
        else f'<th class="awrbg" scope="col">{escape(words, quote=False)}</th>'
        for words, span in table.groups
    )
    return f"<tr>{made}</tr>\n"


def _headings(words: list[str]) -> str:
    kinds = ["awrbg" if word else "awrnobg" for word in words]
    made = "".join(
        f'<th class="{kind}" scope="col">{escape(word, quote=False)}</th>'
        for kind, word in zip(kinds, words, strict=True)
    )
    return f"<tr>{made}</tr>"


def _row(printed: list[tuple[Column, Printed]], place: int) -> str:
    kind = "awrnc" if place % 2 else "awrc"
    made: list[str] = []
    for number, (column, each) in enumerate(printed):
        scope = ' scope="row"' if number == 0 else ""
        align = "" if column.left else ' align="right"'
        made.append(f"<td{align}{scope} class='{kind}'>{_cell(column, each.text)}</td>")
    return f"<tr>{''.join(made)}</tr>"


def _cell(column: Column, text: str) -> str:
    shown = escape(text, quote=False) if text else _BLANK
    return f'<a class="awr" href="#{shown}">{shown}</a>' if column.name == "sql_id" else shown


def _profile(block: Profile, layout: Layout) -> str:
    rows: list[str] = []
    for place, (label, values) in enumerate(block.rows):
        kind = "awrc" if place % 2 else "awrnc"
        colon = "" if label in block.without_colon else ":"
        figures = "".join(
            _figure(column, value, kind, layout) for column, value in zip(block.columns, values, strict=True)
        )
        rows.append(
            f"<tr><td scope=\"row\" class='{kind}'>{escape(label, quote=False)}{colon}</td>{figures}</tr>"
        )
    opening = f'<table border="0" width="600" class="tdiff" summary="{escape(block.summary)}">'
    headings = _headings(["", *(column.html_heading for column in block.columns)])
    return "\n".join([f"<p />\n{block.title}\n<p />", opening, headings, *rows, "</table>", "<p />"])


def _figure(column: Column, value: Value, kind: str, layout: Layout) -> str:
    text = column.form.printed(value, profile_medium(column, layout)).text
    return f"<td align=\"right\" class='{kind}'>{text.rjust(column.width) if text else _BLANK}</td>"


def _pairs(block: Pairs, layout: Layout) -> str:
    rows: list[str] = []
    for place, row in enumerate(block.rows):
        kind = "awrnc" if place % 2 else "awrc"
        made = ""
        for label, value in row:
            text = block.form.printed(value, Medium(html=True, comma=layout.comma)).text
            made += f"<td class='{kind}'>{escape(label, quote=False)}:</td><td align=\"right\" class='{kind}'>{text.rjust(16)}</td>"
        rows.append(f"<tr>{made}</tr>")
    opening = f'<table border="0" width="600" class="tdiff" summary="{escape(block.summary)}">'
    return "\n".join(["<p />", block.title, "<p />", opening, *rows, "</table>"])
