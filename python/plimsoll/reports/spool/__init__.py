"""Spools of the collector: what SQL*Plus prints when it runs `collect.sql`, as reports of the intervals between its snapshots.

lines → facts on their lines → snapshots → what was gained between two of them → a page of tables, which the reader of reports
reads like any other. Each row of that page stands on the line of the spool that it is from.
"""

KIND = "oracle-collector"
"""Of such a report."""
