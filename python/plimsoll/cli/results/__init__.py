"""How a terminal shows kinds of results, where it has other words than the page. `line.py` is the kind `line`, and holds `show`."""
