"""A plan as scripts that carry it out and take it back: one file a database. Pure: text from facts, and nothing is run."""
