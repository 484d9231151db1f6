"""Makes Statspack and AWR reports for tests: facts → a report in any layout → what a reader should find in it.

`facts.Facts` says what happened in an interval, `layout.Layout` how a report about it is set (release, kind, text or HTML,
paging, locale, damage). Both together give the bytes of a report and, from the same declarations, the rows that a reader should
find, each value at the precision in which it is printed. Layouts are written from what is known of Oracle's headings, rulers and
widths; names, statements and figures are invented.
"""
