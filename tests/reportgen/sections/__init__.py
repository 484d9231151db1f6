"""The sections of a report: one small function each, from facts and layout to blocks. `order` puts them together."""
