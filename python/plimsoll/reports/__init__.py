"""Reports of databases, from paths to facts and tables.

`walk.py` finds files, `sources.py` opens them, `archives.py` unpacks them, `contents.py` knows what is no report at all, and
`reader.py` hands the bytes to the extension and makes facts of what it answers.
"""
