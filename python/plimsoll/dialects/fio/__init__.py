"""The part of fio's dialect that we speak: job files in, fio-shaped JSON out and in.

What a key means is taken from fio's manual page fio(1), release 3.33; where we do otherwise, docs/fio.md says so.
"""
